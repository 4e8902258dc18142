"""A judge as a run: grades as scores, equal grades in no order."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.engine.qrels_index import index_qrels
from metrics.engine.ties import TieReport, tie_report
from metrics.measures.names import parse_measures
from metrics.rankings.judge_as_run import JudgeAsRun
from pooling.formats.runs import RunFile, parse_run

from .small_runs import qrels_of

Grades = Mapping[str, Mapping[str, int]]

ANN = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"d": 1, "e": 1}}
BOB = {"1": {"a": 2, "b": 1, "c": 0, "z": 1}, "3": {"y": 1}}


def run_of(grades: Grades) -> RunFile:
    """Return a judge's grades as a run."""
    lines = (
        f"{topic} Q0 {docno} 0 {grade} judge"
        for topic, of_topic in grades.items()
        for docno, grade in of_topic.items()
    )
    return parse_run("\n".join(lines).encode())


def ceiling(judge: Grades, other: Grades, names: str = "nDCG AP P@1", sample: int = 200) -> TieReport:
    """Score a judge on the topics that the other one has as well."""
    qrels, shared = qrels_of(other), [topic for topic in other if topic in judge]
    ready = JudgeAsRun(run_of(judge), index_qrels(qrels))
    return ready.against(qrels, shared, parse_measures(names), sample)


def test_a_judge_against_the_same_grades_is_perfect() -> None:
    report = ceiling(ANN, ANN)
    assert report.expected == pytest.approx([1, 1, 1])
    assert report.worst == pytest.approx([1, 1, 1])


def test_only_shared_topics_count_and_unjudged_documents_are_not_retrieved() -> None:
    report = ceiling(ANN, BOB)
    assert report.expected[1] == pytest.approx(2 / 3)  # topic 1 alone; z is relevant and not found
    assert report.documents == 3


def test_equal_grades_come_in_no_order() -> None:
    strict = {"2": {"d": 0, "e": 1}}
    report, again = (ceiling(ANN, strict, "RR", sample=4000) for _ in range(2))
    assert (report.worst[0], report.best[0]) == (0.5, 1)
    assert report.expected[0] == pytest.approx(0.75, abs=0.02)
    assert report.expected[0] == again.expected[0]


FIRST = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 2), min_size=1)
SECOND = st.fixed_dictionaries({docno: st.integers(0, 2) for docno in "abcd"})


@given(
    judge=st.dictionaries(st.sampled_from(["1", "2", "10"]), FIRST, min_size=1),
    other=st.fixed_dictionaries(dict.fromkeys(("10", "2", "3"), SECOND)),
    names=st.sampled_from(["nDCG@2", "P@3 R@2", "AP RR bpref nDCG"]),
)
def test_it_is_the_report_of_the_run_and_the_qrels_cut_to_the_topics_that_are_shared(
    judge: Grades, other: Grades, names: str
) -> None:
    """Found once, and scored under other grades than those in which it was found, to the last bit."""
    measures, shared = parse_measures(names), [topic for topic in other if topic in judge]
    documents = {topic: dict.fromkeys(of_topic, 1) for topic, of_topic in other.items()}
    ready = JudgeAsRun(run_of(judge), index_qrels(qrels_of(documents)))
    if shared:
        found = ready.against(qrels_of(other), shared, measures, sample=20)
        cut_run, cut_qrels = ({topic: each[topic] for topic in shared} for each in (judge, other))
        expected = tie_report(run_of(cut_run), index_qrels(qrels_of(cut_qrels)), measures, sample=20)
        for name in ("documents", "tied", "groups", "largest", "scored", "worst", "best", "expected"):
            assert np.asarray(getattr(found, name)).tobytes() == np.asarray(getattr(expected, name)).tobytes()
