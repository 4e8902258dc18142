"""The data files of the demonstration fit together."""

from __future__ import annotations

import re

import pytest

from config.demo.campaign import FOLDER, GRADES, PEOPLE, PYTHON_VERSION, rows_of
from pooling.checksum import text_hash
from pooling.formats.documents.reading import read_documents
from pooling.formats.files import unpack
from pooling.formats.qrels import judgment_file
from pooling.formats.runs import parse_run
from pooling.intake.topics import TopicRecord
from pooling.models import Role
from tests.pooling.files import read_topics

GRADE_VALUES = {grade.value for grade in GRADES}
DEPTH = 10  # of the pool


def shipped(name: str) -> bytes:
    return unpack((FOLDER / name).read_bytes())


@pytest.fixture(scope="module")
def topics() -> list[TopicRecord]:
    return read_topics(shipped("topics.trec"), "topics.trec")


@pytest.fixture(scope="module")
def pool() -> set[tuple[str, str]]:
    """The (topic, docno) pairs of the pool, from the rank column of the runs."""
    tags = [row["tag"] for row in rows_of("runs.tsv") if row["pooled"] == "yes"]
    lines = [line.split() for tag in tags for line in shipped(f"runs/{tag}.run.bz2").decode().splitlines()]
    return {(topic, docno) for topic, _, docno, rank, *_ in lines if int(rank) <= DEPTH}


@pytest.fixture(scope="module")
def hashes() -> dict[str, str]:
    """The checksum of each shipped document's text, by docno."""
    documents = read_documents(shipped("documents.jsonl.bz2"), "documents.jsonl")
    return {document.docno: text_hash(document.title, document.text) for document in documents}


def test_there_are_28_topics_numbered_in_order(topics: list[TopicRecord]) -> None:
    assert [topic.number for topic in topics] == [str(number) for number in range(1, 29)]
    assert shipped("topics.trec").count(b"<top>") == 28


def test_every_topic_has_all_its_parts_and_a_title_of_its_own(topics: list[TopicRecord]) -> None:
    assert all(all(topic) for topic in topics)
    assert len({topic.title for topic in topics}) == 28
    assert [topic.number for topic in topics if re.search(r"[<>&]", "".join(topic))] == []


def test_every_narrative_says_what_each_grade_means(topics: list[TopicRecord]) -> None:
    grades = {topic.number: re.findall(r"\b([0-3]): ", topic.narrative) for topic in topics}
    assert grades == {topic.number: ["3", "2", "1", "0"] for topic in topics}


def test_every_run_file_is_described_and_every_description_has_its_file() -> None:
    rows = list(rows_of("runs.tsv"))
    assert sorted(row["tag"] for row in rows) == sorted(
        path.name.removesuffix(".run.bz2") for path in (FOLDER / "runs").iterdir()
    )
    runs = {row["tag"]: parse_run(shipped(f"runs/{row['tag']}.run.bz2")) for row in rows}
    assert [tag for tag, run in runs.items() if run.tag != tag] == []
    assert {tag for tag, run in runs.items() if len(run.topics) != 28} == {"fusion-late"}


def test_the_documents_are_those_of_the_pool(pool: set[tuple[str, str]], hashes: dict[str, str]) -> None:
    assert {docno for _, docno in pool} == hashes.keys()


def test_every_label_has_its_pooled_document_with_the_text_that_was_judged(
    pool: set[tuple[str, str]], hashes: dict[str, str]
) -> None:
    rows = list(rows_of("labels.tsv"))
    assert {(row["topic"], row["docno"]) for row in rows} <= pool
    assert [row for row in rows if not hashes[row["docno"]].startswith(row["text_hash"])] == []
    assert {len(row["text_hash"]) for row in rows} == {12}


def test_every_judge_has_labelled_the_five_topics_completely(pool: set[tuple[str, str]]) -> None:
    judges = {username for username, _, role in PEOPLE if role == Role.JUDGE}
    labelled = {(topic, docno) for topic, docno in pool if topic in {"3", "4", "5", "11", "21"}}
    rows = [(row["judge"], row["topic"], row["docno"]) for row in rows_of("labels.tsv")]
    assert len(rows) == len(set(rows)) == 3 * 245
    assert set(rows) == {(judge, *pair) for judge in judges for pair in labelled}


def test_settled_documents_are_those_on_which_judges_differ() -> None:
    grades: dict[tuple[str, str], set[str]] = {}
    for row in rows_of("labels.tsv"):
        grades.setdefault((row["topic"], row["docno"]), set()).add(row["grade"])
    settled = list(rows_of("settled.tsv"))
    assert [row for row in settled if len(grades[row["topic"], row["docno"]]) == 1] == []
    assert {int(row["grade"]) for row in settled} <= GRADE_VALUES and all(row["why"] for row in settled)


def test_the_machine_labels_follow_from_the_rule(pool: set[tuple[str, str]]) -> None:
    lines = [line.split() for line in shipped("runs/bm25-td.run.bz2").decode().splitlines()]
    ranks = {(topic, docno): int(rank) for topic, _, docno, rank, *_ in lines}
    records = judgment_file(shipped("rank-rule.qrels.bz2")).records
    assert {(record.topic, record.docno) for record in records} == pool
    for record in records:
        rank = ranks.get((record.topic, record.docno), 1000)
        assert record.grade == (3 if rank <= 3 else 2 if rank <= 10 else 1 if rank <= 30 else 0)


def test_the_documents_come_with_their_version_and_their_licence() -> None:
    assert f"docstrings of Python {PYTHON_VERSION}" in " ".join((FOLDER / "README.md").read_text().split())
    assert "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2" in (FOLDER / "LICENSE-PYTHON.txt").read_text()
