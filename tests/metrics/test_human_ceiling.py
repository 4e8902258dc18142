"""A judge as a run: grades as scores, equal grades in no order."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from metrics.human_ceiling import human_ceiling, qrels_on
from metrics.registry import parse_measures
from metrics.ties import TieReport
from pooling.runfile import Run, parse_run

from .small_runs import qrels_of

Grades = Mapping[str, Mapping[str, int]]

ANN = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"d": 1, "e": 1}}
BOB = {"1": {"a": 2, "b": 1, "c": 0, "z": 1}, "3": {"y": 1}}


def run_of(grades: Grades) -> Run:
    """Return a judge's grades as a run."""
    lines = (
        f"{topic} Q0 {docno} 0 {grade} judge"
        for topic, of_topic in grades.items()
        for docno, grade in of_topic.items()
    )
    return parse_run("\n".join(lines).encode())


def ceiling(judge: Grades, other: Grades, names: str = "nDCG AP P@1", sample: int = 200) -> TieReport | None:
    found = human_ceiling(run_of(judge), {"other": qrels_of(other)}, parse_measures(names), sample=sample)
    return found.get("other")


def test_a_judge_against_the_same_grades_is_perfect() -> None:
    report = ceiling(ANN, ANN)
    assert report
    assert report.expected == pytest.approx([1, 1, 1])
    assert report.worst == pytest.approx([1, 1, 1])


def test_only_shared_topics_count_and_unjudged_documents_are_not_retrieved() -> None:
    report = ceiling(ANN, BOB)
    assert report and report.expected[1] == pytest.approx(2 / 3)  # topic 1 alone; z is relevant and not found
    assert report.documents == 3


def test_equal_grades_come_in_no_order() -> None:
    strict = {"2": {"d": 0, "e": 1}}
    report, again = (ceiling(ANN, strict, "RR", sample=4000) for _ in range(2))
    assert report and again and (report.worst[0], report.best[0]) == (0.5, 1)
    assert report.expected[0] == pytest.approx(0.75, abs=0.02)
    assert report.expected[0] == again.expected[0]


def test_qrels_are_cut_to_the_topics_that_are_named() -> None:
    cut = qrels_on(qrels_of({**BOB, "2": {"d": 0}}), ("2", "1"))
    assert (cut.topics, cut.offsets.tolist()) == (("2", "1"), [0, 1, 5])
    assert (cut.docnos.tolist(), cut.grades.tolist()) == ([b"d", b"a", b"b", b"c", b"z"], [0, 2, 1, 0, 1])


def test_judges_who_share_no_topic_are_not_compared() -> None:
    assert ceiling({"2": {"d": 1}}, BOB) is None
