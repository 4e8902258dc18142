"""What a release of labels of answers holds, the releases of a campaign, and their check."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import QuerySet

from assess.models import AnswerRelease, AnswerRun, Grading, Matching, SupportSet
from assess.nuggets.assignments import write_assignments
from assess.nuggets.queries.banks import bank_file
from metrics.gradings.plain import plain
from metrics.gradings.queries import COLUMNS as GRADE_COLUMNS
from metrics.gradings.queries import found_grades, grade_rows
from metrics.matchings import queries as matchings
from metrics.rankings.measure_columns import OrderedRuns
from metrics.support import queries as support
from metrics.text_files import indented_json, tsv
from pooling.checksum import sha256_of_parts
from pooling.integrity import Check, Fault, Faults, differing
from pooling.models import Campaign

PUBLIC_GRADES = tuple(column for column in GRADE_COLUMNS if column != "reason")

Labelled = Grading | Matching | SupportSet
KINDS: dict[str, type[Labelled]] = {"grading": Grading, "matching": Matching, "support": SupportSet}
"""Name of the column of a release -> the model of what is released."""


class ReleaseContent(NamedTuple):
    """What goes into an archive, beside the answers and the manifest. files: name -> text.

    labels: how many stand. lead: the sentence that says which run has the highest mean, "" if none has one.
    about: facts of what is released, for the manifest.
    """

    files: dict[str, str]
    labels: int
    lead: str
    about: dict[str, Any]


def content_of(what: Labelled) -> ReleaseContent:
    """Return the content as it is now. Judges have numbers, and their reasons are left out."""
    if isinstance(what, Grading):
        return _of_grading(what)
    return _of_matching(what) if isinstance(what, Matching) else _of_support(what)


def _of_grading(grading: Grading) -> ReleaseContent:
    result, rows = found_grades(grading).result, list(grade_rows(grading))
    criteria = [{"name": each.name, "levels": each.levels} for each in grading.criteria.all()]
    lead = ""
    if result.rows:
        run, means = result.rows[0]
        lead = f"{run} has the highest mean by “{criteria[0]['name']}”, {means[0].mean:.3f}."
    files = {
        "grades.tsv": tsv(PUBLIC_GRADES, rows),
        "results.json": indented_json(plain(result)),
    }
    about = {"grading": grading.number, "criteria": criteria, "instructions": grading.instructions}
    return ReleaseContent(files, len(rows), lead, about | _drawn(grading))


def _of_matching(matching: Matching) -> ReleaseContent:
    result = matchings.found_result(matching)
    files = {
        "nuggets.jsonl": bank_file(matching.bank).decode(),
        "labels.tsv": tsv(matchings.LABEL_COLUMNS, matchings.label_rows(matching)),
        "assignments.jsonl": write_assignments(matchings.assigned_answers(matching)).decode(),
        "scores.tsv": tsv(matchings.score_columns(matching), matchings.score_rows(matching)),
        "results.json": indented_json(result.plain),
    }
    about = {
        "matching": matching.number,
        "nugget_bank": {"number": matching.bank.number, "sha256": matching.bank.sha256},
        "contradicts": matching.contradicts,
        "instructions": matching.instructions,
    }
    lead = _lead(result.ordered, " score")
    return ReleaseContent(files, result.labels, lead, about | _drawn(matching))


def _of_support(about: SupportSet) -> ReleaseContent:
    result = support.found_result(about)
    files = {
        "labels.tsv": tsv(support.LABEL_COLUMNS, support.label_rows(about)),
        "scores.tsv": tsv(support.score_columns(about), support.score_rows(about)),
        "results.json": indented_json(result.plain),
    }
    facts = {
        "citation_support": about.number,
        "every_citation_of_a_sentence": about.every,
        "instructions": about.instructions,
    }
    return ReleaseContent(files, result.labels, _lead(result.ordered, ""), facts | _drawn(about))


def _lead(ordered: OrderedRuns, noun: str) -> str:
    """Return which run has the highest mean. noun: after the name of the measure."""
    if ordered.lead is None:
        return ""
    mean = ordered.lead.means[0].mean
    return f"{ordered.runs[0]} has the highest mean {ordered.lead.title}{noun}, {mean:.3f}."


def _drawn(what: Labelled) -> dict[str, Any]:
    return {
        "topics_with_two_judges_percent": what.double,
        "seed": what.seed,
        "made_at": what.made_at.astimezone(UTC).isoformat(timespec="seconds"),
    }


def manifest(what: Labelled, content: ReleaseContent, runs: list[AnswerRun], number: int) -> str:
    return indented_json(
        {
            "campaign": what.campaign.slug,
            "name": what.campaign.name,
            **content.about,
            "release": number,
            "runs": [
                {"tag": run.tag, "group": run.group, "form": run.form, "sha256": run.sha256} for run in runs
            ],
            "software": f"Jurypool {settings.VERSION}",
        }
    )


def folder_of(what: Labelled, number: int) -> str:
    """Return the name of the folder in an archive, and of the archive without its ending."""
    return f"{what.campaign.slug}-{kind_of(what)}-{what.number}-v{number}"


def kind_of(what: Labelled) -> str:
    return next(kind for kind, model in KINDS.items() if isinstance(what, model))


def answer_releases_of(campaign: Campaign) -> QuerySet[AnswerRelease]:
    """Return the releases of a campaign, newest first."""
    return campaign.answer_releases.select_related(*KINDS, "released_by")


def answer_release_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check the archive of every release against its checksum."""
    for release in answer_releases_of(campaign).order_by("pk"):
        try:
            with release.file.open("rb") as file:
                checksums = release.sha256, sha256_of_parts(file.chunks())
                yield differing("answer release", str(release), {"archive": checksums})
        except OSError as error:
            about = f"the file {release.file.name}", str(error)
            yield [Fault("archive of an answer release", str(release), *about)]


CHECKS = (Check("answer releases", answer_release_faults),)
