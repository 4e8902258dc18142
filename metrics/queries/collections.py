"""The archive of a release for one person: topics, qrels, labels, scores and run files."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote

from django.core.files import File

from accounts.models import User
from assess.models import QrelsRelease, ReleaseFile
from assess.queries.release_agreement import agreement_of_release
from assess.queries.releases import files_seen_by, manifest_seen_by, numbers_of
from assess.release.citation import citation
from assess.release.formats import BEIR, CITATION, MANIFEST, QRELS, kind_of
from assess.release.judge_counts import judge_counts
from assess.release.public_manifest import is_public, public_manifest
from metrics.archive.data_sheet import DataSheet, data_sheet
from metrics.archive.loaders import DATASET_MODULE, dataset_module, loaders
from metrics.archive.zip_stream import ArchiveMember, zip_chunks
from metrics.engine.evaluate import Scores
from metrics.queries.scores import PROFILE, ScoreTable, hits_of_runs, threshold_of
from metrics.score_formats import (
    CSV,
    FILE_FORMATS,
    JSON,
    LATEX,
    PARQUET,
    TREC_EVAL,
    TSV,
    RunScores,
    as_csv,
    as_json,
    as_parquet,
    as_tsv,
    latex_table,
)
from metrics.trec_eval.options import Stop, read_options
from metrics.trec_eval.printing import printed_report
from pooling.checksum import sha256_of, sha256_of_parts
from pooling.models import Campaign, Run
from pooling.queries.caching import cached
from pooling.queries.campaigns import topics_jsonl, visible_runs
from pooling.queries.pools import pool_sentences
from pooling.queries.runs import scored_lines
from pooling.spreadsheet import Table

CHUNK = 1 << 16  # bytes
TREC_EVAL_MEASURES = ("official", "ndcg", "ndcg_cut")


@dataclass(frozen=True, eq=False)
class Collection:
    """A release with its scores, restricted to the files that a person may have.

    score_table: the scores. files: of the release. originals: the runs whose files are included.
    manifest: of the release, with numbers instead of judges' names unless this person may see the names.
    """

    release: QrelsRelease
    score_table: ScoreTable
    files: list[ReleaseFile]
    originals: list[Run]
    manifest: dict[str, Any]

    @property
    def campaign(self) -> Campaign:
        return self.release.campaign

    @property
    def folder(self) -> str:
        return f"{self.campaign.slug}-v{self.release.number}"

    @cached_property
    def sheet(self) -> bytes:
        """The data sheet, Markdown."""
        return sheet_of(self)

    @cached_property
    def about(self) -> bytes:
        """The archive's own manifest, which differs between archives of different content."""
        return manifest_of(self)

    @cached_property
    def etag(self) -> str:
        return sha256_of(self.about)


def collection_for(user: User, release: QrelsRelease, table: ScoreTable) -> Collection:
    """Return the archive for a member. table: the runs whose scores this person may see."""
    campaign = release.campaign
    files = files_seen_by(user, campaign, release)
    return Collection(
        release, table, files, list(visible_runs(user, campaign)), manifest_seen_by(release, campaign)
    )


def public_collection(release: QrelsRelease, table: ScoreTable) -> Collection:
    """Return the archive for the public: no run files, no labels, no names except those of the authors."""
    files = [file for file in release.files.all() if is_public(file.kind)]
    return Collection(release, table, files, [], public_manifest(release.manifest, numbers_of(release)))


def manifest_of(collection: Collection) -> bytes:
    table = collection.score_table
    content = {
        "release": collection.manifest,
        "files": {stored.kind: [archive_name_of(stored), stored.sha256] for stored in collection.files},
        "topics_sha256": sha256_of(topics_jsonl(collection.campaign)),
        "data_sheet_sha256": sha256_of(collection.sheet),
        "profile": PROFILE,
        "measures": [measure.name for measure in table.measures],
        "scored": [
            {"tag": run.tag, "group": run.group, "kind": run.kind, "sha256": run.sha256}
            | ({} if run.order == Run.Order.SCORE else {"order": run.order})
            | after_release(run)
            for run in table.runs
        ],
        "run_files": {run.tag: run_name(run) for run in collection.originals},
    }
    return json.dumps(content, indent=1, ensure_ascii=False).encode() + b"\n"


def after_release(run: Run) -> dict[str, int]:
    """Return the release that was shared before the run was submitted, as an entry of the manifest."""
    number: int | None = getattr(run, "after_release", None)
    return {} if number is None else {"submitted_after_release": number}


def sheet_of(collection: Collection) -> bytes:
    campaign, table, manifest = collection.campaign, collection.score_table, collection.manifest
    sheet = DataSheet(
        campaign.description,
        {"title": campaign.name, "release": collection.release.number, "judged_by_several": 0, **manifest},
        judge_counts(collection.release.manifest),
        pool_sentences(campaign.pools.all()),
        agreement_of_release(collection.release),
        len(table.runs),
        len({run.group for run in table.runs} - {""}),
        len(collection.originals),
        [measure.name for measure in table.measures],
        PROFILE,
        citation(manifest).partition("\n\n")[0] if "organisers" in manifest else "",
        campaign.licence,
        campaign.contact,
        campaign.home_page,
    )
    return data_sheet(sheet).encode()


def archive_name_of(stored: ReleaseFile) -> str:
    """Return the name of a file of the release in the archive."""
    return {CITATION: "CITATION.txt", MANIFEST: "release.json", BEIR: "qrels/test.tsv"}.get(
        stored.kind, f"{stored.kind}{kind_of(stored.kind).suffix}"
    )


def run_name(run: Run) -> str:
    """Return the name of a run file in the archive; the tag is quoted, so that it cannot leave the folder."""
    return f"runs/{quote(run.tag, safe='')}{'.gz' if run.order == Run.Order.SCORE else '.txt'}"


def run_member(run: Run) -> ArchiveMember:
    """Return the submitted file; where scores alone do not give the order of the run, the run as scored."""
    if run.order == Run.Order.SCORE:
        return ArchiveMember(run_name(run), chunks_of(run.original), run.original.size)
    return ArchiveMember(run_name(run), scored_lines(run))


def topics_tsv(campaign: Campaign) -> bytes:
    """Return lines of number and title, as ir_datasets reads queries."""
    text = io.StringIO(newline="")
    rows = campaign.topics.order_by("place").values_list("number", "title")
    Table(text, "\t", "\n").writerows(
        (number, " ".join(title.replace('"', " ").split())) for number, title in rows
    )
    return text.getvalue().encode()


def queries_jsonl(campaign: Campaign) -> bytes:
    """Return the topics as BEIR reads queries: the title, or the description of a topic without a title."""
    rows = campaign.topics.order_by("place").values_list("number", "title", "description")
    return b"".join(
        json.dumps({"_id": number, "text": title or description}, ensure_ascii=False).encode() + b"\n"
        for number, title, description in rows
    )


def dataset_of(collection: Collection) -> bytes:
    """Return the module that registers the collection with ir_datasets."""
    grades = {
        grade["value"]: ": ".join(filter(None, (grade["label"], grade.get("definition"))))
        for grade in collection.manifest["scale"]
    }
    return dataset_module(collection.folder, grades).encode()


def scored_runs(table: ScoreTable, threshold: int) -> list[RunScores]:
    """Return the scores of each run for the score formats. threshold: the release's."""
    means = table.means.T
    return [
        RunScores(
            run.tag,
            run.file_tag,
            Scores(
                tuple(table.topics),
                tuple(table.measures),
                table.values[:, index].T,
                means[index],
                PROFILE,
                "all",
                threshold,
            ),
        )
        for index, run in enumerate(table.runs)
    ]


def score_chunks(form: str, release: QrelsRelease, table: ScoreTable) -> Iterator[bytes]:
    """Yield the scores in a format of `score_files.FORMS`; without any run only Parquet has content."""
    if form == PARQUET:
        yield as_parquet(scored_runs(table, threshold_of(release)))
        return
    if not table.runs:
        return
    scored = scored_runs(table, threshold_of(release))
    write: dict[str, Callable[[], Iterator[str]]] = {
        CSV: lambda: as_csv(scored, by_topic=True),
        TSV: lambda: as_tsv(scored, by_topic=True),
        JSON: lambda: as_json(scored, by_topic=True),
        LATEX: lambda: latex_table(scored),
        TREC_EVAL: lambda: trec_eval_lines(release, table),
    }
    for text in write[form]():
        yield text.encode()


def trec_eval_lines(release: QrelsRelease, table: ScoreTable) -> Iterator[str]:
    """Yield the output of trec_eval for every run: -q -c -l threshold, official measures and nDCG."""
    flags = [word for name in TREC_EVAL_MEASURES for word in ("-m", name)]
    options = read_options(["-q", "-c", "-l", str(threshold_of(release)), *flags, "qrels", "run"])
    for run, hits in zip(table.runs, hits_of_runs(release, table.runs), strict=True):
        try:
            yield "".join(printed_report(hits, run.tag, options))
        except Stop:  # no topic of the run is in the qrels: trec_eval prints nothing either
            continue


def members_of(collection: Collection) -> Iterator[ArchiveMember]:
    """Yield the files of the archive, the data sheet first."""
    yield ArchiveMember("DATASHEET.md", [collection.sheet])
    yield ArchiveMember("manifest.json", [collection.about])
    yield ArchiveMember("topics.jsonl", [topics_jsonl(collection.campaign)])
    yield ArchiveMember("topics.tsv", [topics_tsv(collection.campaign)])
    yield ArchiveMember("queries.jsonl", [queries_jsonl(collection.campaign)])
    yield ArchiveMember(DATASET_MODULE, [dataset_of(collection)])
    for stored in collection.files:
        yield ArchiveMember(archive_name_of(stored), chunks_of(stored.file), stored.size)
    if not collection.files:  # of a release from before releases had several files
        yield ArchiveMember(f"{QRELS}.txt", chunks_of(collection.release.file))
    for form in (
        form for form in FILE_FORMATS.values() if not form.needs
    ):  # the same archive on every server
        chunks = score_chunks(form.name, collection.release, collection.score_table)
        yield ArchiveMember(
            f"scores/{'trec_eval' if form.name == TREC_EVAL else 'scores'}{form.suffix}", chunks
        )
    for run in collection.originals:
        yield run_member(run)
    for name, program in loaders(threshold_of(collection.release)).items():
        yield ArchiveMember(f"load/{name}", [program.encode()])


def chunks_of(stored: File[bytes]) -> Iterator[bytes]:
    with stored.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def archive_of(collection: Collection) -> Iterator[bytes]:
    """Yield the zip archive: the same content gives the same bytes."""
    return zip_chunks(members_of(collection), collection.folder)


def checksum_of(collection: Collection) -> str:
    """Return the SHA-256 of the archive, cached: computing it builds the whole archive."""
    name = f"archive-{collection.etag}"  # readers have different archives
    return cached(collection.campaign, name, "", lambda: sha256_of_parts(archive_of(collection)))
