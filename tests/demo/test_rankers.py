"""The demonstration's runs: whole, well-formed, the same every time, and different from one another."""

from __future__ import annotations

from collections import defaultdict
from hashlib import sha256
from itertools import combinations

import pytest

from config.demo.corpus import Document
from config.demo.rankers import RANKERS, RunInfo, hand_written_queries, run_rankers
from pooling.formats.topics import TopicRecord
from tests.demo.test_corpus import run_python

Runs = list[tuple[RunInfo, bytes]]
Rankings = dict[str, list[tuple[str, int, float]]]  # topic -> (docno, rank, score), as written


def rankings(content: bytes) -> Rankings:
    found: Rankings = defaultdict(list)
    for line in content.decode().splitlines():
        topic, _, docno, rank, score, _ = line.split(" ")
        found[topic].append((docno, int(rank), float(score)))
    return found


def test_there_are_at_least_nine_rankers_with_tags_of_their_own() -> None:
    tags = [run.tag for run, _ in RANKERS]
    assert len(set(tags)) == len(tags) >= 9
    assert {run.kind for run, _ in RANKERS} == {"automatic", "manual"}
    assert len({run.group for run, _ in RANKERS}) >= 4


def test_every_ranker_names_its_source() -> None:
    assert [
        run.tag for run, ranker in RANKERS if not any(y in str(ranker.__doc__) for y in ("19", "20"))
    ] == []


def test_every_line_has_six_fields_and_the_runs_tag(runs: Runs) -> None:
    for run, content in runs:
        assert content.endswith(b"\n")
        fields = [line.split(" ") for line in content.decode().splitlines()]
        assert {(len(line), line[1], line[5]) for line in fields} == {(6, "Q0", run.tag)}


def test_a_run_ranks_known_documents_once_per_topic_at_most_a_hundred(
    runs: Runs, documents: list[Document], topics: list[TopicRecord]
) -> None:
    known = {document.docno for document in documents}
    numbers = {topic.number for topic in topics}
    for _, content in runs:
        for topic, ranking in rankings(content).items():
            docnos = [docno for docno, _, _ in ranking]
            assert topic in numbers
            assert len(set(docnos)) == len(docnos) <= 100 and known.issuperset(docnos)


def test_a_good_run_has_a_hundred_documents_for_every_topic(runs: Runs, topics: list[TopicRecord]) -> None:
    (content,) = [content for run, content in runs if run.tag == "bm25-td"]
    sizes = {topic: len(ranking) for topic, ranking in rankings(content).items()}
    assert sizes == {topic.number: 100 for topic in topics}


def test_ranks_follow_the_scores_as_written_and_then_the_docnos(runs: Runs) -> None:
    for _, content in runs:
        for ranking in rankings(content).values():
            assert [rank for _, rank, _ in ranking] == list(range(1, len(ranking) + 1))
            assert ranking == sorted(ranking, key=lambda line: (-line[2], line[0]))


def overlap(first: bytes, second: bytes, topics: list[TopicRecord]) -> float:
    """Mean over topics of the share of the top 10 that two runs have in common."""
    tops = [rankings(content) for content in (first, second)]
    shared = 0
    for topic in topics:
        one, other = ({docno for docno, rank, _ in top[topic.number] if rank <= 10} for top in tops)
        shared += len(one & other)
    return shared / (10 * len(topics))


def test_no_two_rankers_find_the_same(runs: Runs, topics: list[TopicRecord]) -> None:
    overlaps = {
        (one.tag, other.tag): overlap(first, second, topics)
        for (one, first), (other, second) in combinations(runs, 2)
    }
    assert {pair: share for pair, share in overlaps.items() if share > 0.85} == {}
    assert sum(overlaps.values()) / len(overlaps) < 0.4


def test_the_weak_run_finds_little_of_what_the_others_find(runs: Runs, topics: list[TopicRecord]) -> None:
    by_tag = {run.tag: content for run, content in runs}
    weak = by_tag.pop("longest-first")
    assert max(overlap(weak, content, topics) for content in by_tag.values()) < 0.2


def test_the_order_of_the_documents_does_not_matter(
    documents: list[Document], topics: list[TopicRecord]
) -> None:
    few = documents[::20]
    assert list(run_rankers(few, topics)) == list(run_rankers(few[::-1], topics))


def test_another_interpreter_of_the_same_kind_builds_the_same_documents_and_runs(
    documents: list[Document], runs: Runs
) -> None:
    code = (
        "from hashlib import sha256; from pathlib import Path;"
        "from config.demo.corpus import build_documents;"
        "from config.demo.rankers import run_rankers; from pooling.formats.topics import read_topics;"
        "topics = read_topics(Path('config/demo/topics.trec').read_bytes());"
        "documents = build_documents(); runs = list(run_rankers(documents, topics));"
        "print(*(sha256(repr(made).encode()).hexdigest() for made in (documents, runs)))"
    )
    expected = [sha256(repr(made).encode()).hexdigest() for made in (documents, runs)]
    assert run_python(code, hash_seed="3").split() == expected


SHELF = [
    Document("a.fruit", "a.fruit() — function", "Peel an orange and divide it into segments.", ""),
    Document("b.metal", "b.metal() — function", "Melt copper and pour it into a mould.", ""),
    Document("c.bird", "c.bird() — function", "Teach a parrot to whistle at strangers.", ""),
    Document("d.boat", "d.boat() — function", "Row a wooden dinghy across the harbour.", ""),
]


@pytest.mark.parametrize(("run", "ranker"), RANKERS, ids=lambda part: getattr(part, "tag", ""))
def test_every_ranker_puts_the_one_document_that_matches_first(run: RunInfo, ranker: object) -> None:
    topic = TopicRecord("x", "parrot bird", "whistle parrot", "A parrot that can whistle.")
    (content,) = [content for made, content in run_rankers(SHELF, [topic]) if made == run]
    assert rankings(content)["x"][0][0] == "c.bird"


def test_a_topic_that_matches_nothing_gets_no_line() -> None:
    topic = TopicRecord("x", "zzz", "qqq", "yyy")
    assert {content for _, content in run_rankers(SHELF, [topic])} == {b""}


def test_every_topic_has_a_query_written_by_hand(topics: list[TopicRecord]) -> None:
    assert list(hand_written_queries()) == [topic.number for topic in topics]
