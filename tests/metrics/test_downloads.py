"""Every download is read back by the tool that it is for, and one archive is the same bytes every time."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pytest
from django.test import Client
from django.urls import reverse
from ir_measures import AP, nDCG

from accounts.services import create_token
from assess.release.judge_counts import JudgeCounts
from assess.services.assignments import assign
from assess.services.releases import release_qrels
from metrics import tasks
from metrics.archive.data_sheet import DataSheet, uses
from metrics.archive.loaders import loaders
from metrics.archive.zip_stream import ArchiveMember, zip_chunks
from metrics.queries import collections
from pooling.models import Campaign
from pooling.services.jobs import start_job
from tests.support.factory import Factory
from tests.support.markup import markup

ROOT = Path(__file__).resolve().parents[2]
PLACE = "/campaigns/tiny/downloads/1/"


def build_campaign(make: Factory) -> Campaign:
    """Three runs over two topics; the second lacks topic 2, the third's tag would leave a folder."""
    campaign = make.make_pooled_campaign()
    make.make_run(campaign, "1 D2 3\n1 D1 2\n1 D7 1", tag="lacking", group="davelab")
    make.make_run(campaign, "1 D3 3\n1 D1 2\n2 D9 2\n2 D1 1", tag="..\\..\\=up", group="otherlab")
    for judge, grades in (("alice", (3, 0, 2)), ("bob", (2, 0, 2))):
        for docno, grade in zip(("D1", "D2", "D3"), grades, strict=True):
            make.make_judgment(campaign, judge, "1", docno, grade)
        make.make_judgment(campaign, judge, "2", "D1", 2)
    make.make_release(campaign)
    return campaign


def client_of(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def got(client: Client, url: str) -> bytes:
    answer = client.get(url)
    assert answer.status_code == 200, url
    return answer.getvalue()


def unpacked(client: Client, folder: Path) -> Path:
    """Unpack the archive; return the folder that it makes."""
    with zipfile.ZipFile(io.BytesIO(got(client, f"{PLACE}collection/"))) as archive:
        assert archive.testzip() is None
        archive.extractall(folder)
    return folder / "tiny-v1"


def test_pandas_csv_and_json_agree_with_ir_measures(
    campaign: Campaign, make: Factory, tmp_path: Path
) -> None:
    client = client_of(make, "rita")
    folder = unpacked(client, tmp_path)
    qrels = list(ir_measures.read_trec_qrels(str(folder / "qrels.txt")))  # type: ignore[no-untyped-call]
    table = pd.read_csv(io.BytesIO(got(client, f"{PLACE}scores/csv/")), dtype={"topic": str})
    tabbed = pd.read_csv(io.BytesIO(got(client, f"{PLACE}scores/tsv/")), dtype={"topic": str}, sep="\t")
    assert table.equals(tabbed)
    said = json.loads(got(client, f"{PLACE}scores/json/"))
    assert [run["run"] for run in said["runs"]] == [*campaign.runs.values_list("tag", flat=True)]
    for run in said["runs"]:
        name = "runs/" + {"..\\..\\=up": "..%5C..%5C%3Dup"}.get(run["run"], run["run"]) + ".gz"
        text = gzip.decompress((folder / name).read_bytes()).decode()
        lines = list(ir_measures.read_trec_run(text))  # type: ignore[no-untyped-call]
        for measure, label in ((nDCG @ 10, "nDCG@10"), (AP(rel=2), "AP")):
            found = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, lines)}
            mine = table[(table.run == run["run"]) & (table.measure == label) & (table.topic != "all")]
            for topic, value in zip(mine.topic, mine.value, strict=True):
                assert value == pytest.approx(found.get(topic, 0.0)), (run["run"], label, topic)
                assert run["topics"][topic][label] == value
            mean = sum(found.values()) / 2
            assert run["means"][label] == pytest.approx(mean)


def test_the_sheet_of_a_release_without_runs_compares_nothing() -> None:
    judges = JudgeCounts(2, 0, 0)
    sheet = DataSheet("", {}, judges, [], [], 0, 0, 0, ["AP"], "trec_eval-9", "")
    said = " ".join(uses(sheet))
    assert "Made without runs of retrieval systems" in said and "Made to compare" not in said
    assert "in the profile trec_eval-9 (AP); a topic that a run lacks counts 0." in said


def test_the_csv_module_reads_every_value(campaign: Campaign, make: Factory) -> None:
    rows = list(csv.DictReader(io.StringIO(got(client_of(make, "rita"), f"{PLACE}scores/csv/").decode())))
    assert len(rows) == 3 * 8 * (2 + 1)  # runs, measures, topics and their mean
    assert {row["profile"] for row in rows} == {"trec_eval-9"}
    assert {row["relevant_from"] for row in rows} == {"2"}


@pytest.mark.parametrize("program", ["trec_eval", "python -m metrics.trec_eval"])
def test_the_text_is_what_trec_eval_prints(
    campaign: Campaign, make: Factory, tmp_path: Path, program: str
) -> None:
    command = [sys.executable, "-m", "metrics.trec_eval"] if " " in program else [program]
    if not shutil.which(command[0]):
        pytest.skip(f"no {program} on this machine")
    client = client_of(make, "carol")
    folder = unpacked(client, tmp_path)
    printed = ""
    for tag in campaign.runs.values_list("tag", flat=True):
        name = {"..\\..\\=up": "..%5C..%5C%3Dup"}.get(tag, tag)
        run = tmp_path / f"{name}.run"
        run.write_bytes(gzip.decompress((folder / f"runs/{name}.gz").read_bytes()))
        flags = ["-q", "-c", "-l", "2", "-m", "official", "-m", "ndcg", "-m", "ndcg_cut"]
        printed += subprocess.run(
            [*command, *flags, str(folder / "qrels.txt"), str(run)],
            cwd=ROOT, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
    assert got(client, f"{PLACE}scores/trec-eval/").decode() == printed


def test_the_loaders_load(campaign: Campaign, make: Factory, tmp_path: Path) -> None:
    folder = unpacked(client_of(make, "rita"), tmp_path)
    tools = {
        f"load_with_{tool}.py": tool for tool in ("pandas", "polars", "ir_datasets", "pyterrier", "beir")
    }
    assert {*tools} == {*loaders(2)} == {path.name for path in (folder / "load").iterdir()}
    corpus = [{"_id": docno, "title": "", "text": docno} for docno in ("D1", "D2", "D3")]
    pd.DataFrame(corpus).to_json(folder / "corpus.jsonl", orient="records", lines=True)
    for name, tool in tools.items():
        if find_spec(tool) is None:  # tests/requirements.in has pandas and polars
            continue
        program = (folder / "load" / name).read_text() + "print(len(qrels))\n"
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
        )
        assert done.stdout == ("2\n" if tool == "beir" else "4\n"), name  # BEIR: topic -> its qrels


def test_ir_datasets_reads_topics_qrels_and_an_added_corpus(
    campaign: Campaign, make: Factory, tmp_path: Path
) -> None:
    folder = unpacked(client_of(make, "rita"), tmp_path)
    (folder / "corpus.jsonl").write_text('{"_id": "D1", "title": "Boats", "text": "A sloop."}\n')
    program = """
import ir_dataset, ir_datasets
dataset = ir_datasets.load(ir_dataset.NAME)
print(ir_dataset.NAME, [(topic.query_id, topic.title) for topic in dataset.queries_iter()])
print([tuple(qrel) for qrel in dataset.qrels_iter()], dataset.qrels_defs())
print(dataset.docs_store().get("D1").default_text())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
    )
    topics, qrels, document = done.stdout.splitlines()
    assert topics.startswith("jurypool/tiny-v1 [('1', ")
    assert "('1', 'D1', 2, '0')" in qrels and "{0: 'not relevant" in qrels.lower()
    assert document == "Boats A sloop."


def test_queries_and_qrels_have_the_form_of_beir(campaign: Campaign, make: Factory, tmp_path: Path) -> None:
    folder = unpacked(client_of(make, "rita"), tmp_path)
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]
    rows = list(csv.reader((folder / "qrels" / "test.tsv").read_text().splitlines(), delimiter="\t"))
    assert rows[:2] == [["query-id", "corpus-id", "score"], ["1", "D1", "2"]]
    assert [{*query} for query in queries] == [{"_id", "text"}] * 2 and all(q["text"] for q in queries)
    assert {row[0] for row in rows[1:]} == {query["_id"] for query in queries}


def test_the_archive_holds_everything_and_its_own_checksums(
    campaign: Campaign, make: Factory, tmp_path: Path
) -> None:
    folder = unpacked(client_of(make, "carol"), tmp_path)
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert there == {
        "DATASHEET.md", "SHA256SUMS", "manifest.json", "release.json", "CITATION.txt", "topics.jsonl",
        "topics.tsv", "queries.jsonl", "ir_dataset.py", "qrels.txt", "qrels/test.tsv", "sources.tsv",
        "provenance.jsonl", "labels.jsonl.gz",
        "provenance-numbered.jsonl", "labels-numbered.jsonl.gz",
        "scores/scores.csv", "scores/scores.tsv", "scores/scores.json", "scores/scores.tex",
        "scores/trec_eval.txt", "runs/run.gz", "runs/lacking.gz", "runs/..%5C..%5C%3Dup.gz",
        "load/load_with_pandas.py", "load/load_with_polars.py", "load/load_with_ir_datasets.py",
        "load/load_with_pyterrier.py", "load/load_with_beir.py",
    }  # fmt: skip
    sums = dict(line.split("  ")[::-1] for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert sums == {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in there - {"SHA256SUMS"}
    }
    sheet = (folder / "DATASHEET.md").read_text()
    assert "4 judgments of 2 topics" in sheet and "the files of 3 are in the archive" in sheet
    assert "Made to compare retrieval systems" in sheet


def test_the_same_archive_twice_is_the_same_bytes_and_its_checksum_can_be_cited(
    campaign: Campaign, make: Factory
) -> None:
    client = client_of(make, "rita")
    first, second = (got(client, f"{PLACE}collection/") for _ in range(2))
    assert first == second
    line = got(client, f"{PLACE}collection/sha256/").decode()
    assert line == f"{hashlib.sha256(first).hexdigest()}  tiny-v1.zip\n"
    named = client.get(f"{PLACE}collection/sha256/").headers["Content-Disposition"]
    assert named == 'attachment; filename="tiny-v1.zip.sha256"'  # where sha256sum -c looks for the archive
    etag = client.get(f"{PLACE}collection/").headers["ETag"]
    assert client.get(f"{PLACE}collection/", headers={"If-None-Match": etag}).status_code == 304
    make.make_run(campaign, "1 D1 1", tag="later")
    assert client.get(f"{PLACE}collection/", headers={"If-None-Match": etag}).status_code == 200
    assert got(client, f"{PLACE}collection/sha256/").decode() != line


def test_a_participant_takes_own_runs_and_scores_alone(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "dave")
    archive = got(client, f"{PLACE}collection/")
    assert b"lacking.gz" in archive and b"carolab" not in archive and b"otherlab" not in archive
    assert {run["run"] for run in json.loads(got(client, f"{PLACE}scores/json/"))["runs"]} == {"lacking"}


def test_a_query_names_other_measures(campaign: Campaign, make: Factory) -> None:
    said = json.loads(got(client_of(make, "rita"), f"{PLACE}scores/json/?measures=P@1+RBP(p=0.5)"))
    assert said["measures"] == ["P@1", "RBP(p=0.5)", "Unjudged@10"]


def test_an_unknown_form_is_nowhere(campaign: Campaign, make: Factory) -> None:
    assert client_of(make, "rita").get(f"{PLACE}scores/xml/").status_code == 404


def test_pandas_reads_from_parquet_what_it_reads_from_csv(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "rita")
    assert f'"{PLACE}scores/parquet/"' in markup(client.get(PLACE))
    table = pd.read_csv(io.BytesIO(got(client, f"{PLACE}scores/csv/")), dtype={"topic": str})
    columns = pd.read_parquet(io.BytesIO(got(client, f"{PLACE}scores/parquet/")))
    words = [name for name in table if name != "value"]
    assert columns[words].astype(str).equals(table[words].astype(str))
    assert columns.value.tolist() == table.value.tolist()
    assert len(table) == 3 * 8 * (2 + 1)


def test_a_server_without_pyarrow_offers_no_parquet_and_says_why(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("metrics.score_formats.find_spec", lambda name: None)
    client = client_of(make, "rita")
    assert "parquet" not in markup(client.get(PLACE))
    answer = client.get(f"{PLACE}scores/parquet/")
    assert (answer.status_code, "pyarrow is not installed" in markup(answer)) == (501, True)
    token = create_token(make.make_user("rita"), "test")
    asked = Client().get(
        "/api/campaigns/tiny/releases/1/scores/files/parquet/", headers={"Authorization": f"Bearer {token}"}
    )
    assert (asked.status_code, "pyarrow is not installed" in asked.json()["title"]) == (501, True)


def test_without_a_run_there_are_no_scores_and_still_an_archive(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_release(campaign)
    client = client_of(make, "dave")  # whose group submitted nothing
    assert got(client, f"{PLACE}scores/csv/") == b""
    assert len(pd.read_parquet(io.BytesIO(got(client, f"{PLACE}scores/parquet/")))) == 0
    assert got(client, PLACE) and zipfile.ZipFile(io.BytesIO(got(client, f"{PLACE}collection/")))


def test_a_large_archive_takes_little_memory() -> None:
    import tracemalloc

    def member(name: str) -> ArchiveMember:
        return ArchiveMember(name, (bytes(1 << 16) for _ in range(400)), 400 << 16)

    tracemalloc.start()
    size = sum(map(len, zip_chunks((member(str(n)) for n in range(4)), "big")))
    peak: int = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size > 4 * (400 << 16) and peak < 2 << 20


def test_unzip_and_sha256sum_agree(campaign: Campaign, make: Factory, tmp_path: Path) -> None:
    tools: list[Any] = [shutil.which("unzip"), shutil.which("sha256sum")]
    if not all(tools):
        pytest.skip("no unzip or no sha256sum on this machine")
    client = client_of(make, "rita")
    (tmp_path / "tiny-v1.zip").write_bytes(got(client, f"{PLACE}collection/"))
    (tmp_path / "sum").write_bytes(got(client, f"{PLACE}collection/sha256/"))
    for command, place in (
        (["sha256sum", "-c", "sum"], tmp_path),
        (["unzip", "-q", "tiny-v1.zip"], tmp_path),
        (["sha256sum", "-c", "SHA256SUMS"], tmp_path / "tiny-v1"),
    ):
        subprocess.run(command, cwd=place, check=True, capture_output=True)


def test_each_reader_is_told_the_checksum_of_their_own_archive(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.publish(campaign)
    client, stranger = client_of(make, "carol"), Client()
    public = reverse("metrics:public_collection", args=["tiny", 1])
    public_sum = reverse("metrics:public_collection_sum", args=["tiny", 1])
    expected = [
        f"{hashlib.sha256(archive).hexdigest()}  tiny-v1.zip\n".encode()
        for archive in (got(client, f"{PLACE}collection/"), got(stranger, public))
    ]

    def checksums() -> list[bytes]:
        return [got(client, f"{PLACE}collection/sha256/"), got(stranger, public_sum)]

    assert checksums() == expected and expected[0] != expected[1]
    with monkeypatch.context() as patched:
        patched.delattr(collections, "archive_of")  # no archive is made a second time
        assert checksums() == expected


@pytest.mark.parametrize("grades", [{"D1": 0}, {"D1": 2, "D2": 0}])
@pytest.mark.parametrize("runs", [1, 3])
def test_also_a_release_with_little_to_compare_is_scored(
    make: Factory, grades: dict[str, int], runs: int
) -> None:
    campaign = make.make_campaign()
    topic, carol = make.make_topic(campaign), make.make_user("carol")
    for place in range(runs):
        make.make_run(campaign, "1 D1 2\n1 D2 1", tag=f"same{place}")
    make.make_pool(campaign)
    assign([make.make_user("alice")], [topic])
    for docno, grade in grades.items():
        make.make_judgment(campaign, "alice", "1", docno, grade)
    release_qrels(campaign, carol)
    job = start_job(campaign, carol, tasks.score_release, "Score", {"release": 1})
    job.refresh_from_db()
    assert (job.state, job.done) == ("done", runs), job.message
