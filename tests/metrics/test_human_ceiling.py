"""A judge as a run: grades as scores, equal grades in no order."""

from __future__ import annotations

import pytest

from metrics.evaluate import evaluate, index_qrels
from metrics.human_ceiling import human_ceiling, judge_as_run
from metrics.registry import parse_measures

from .small_runs import qrels_of

ANN = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"d": 1, "e": 1}}
BOB = {"1": {"a": 2, "b": 1, "c": 0, "z": 1}, "3": {"y": 1}}
MEASURES = parse_measures("nDCG AP P@1")


def test_a_judge_against_the_same_grades_is_perfect() -> None:
    (report,) = human_ceiling(ANN, {"ann": ANN}, MEASURES).values()
    assert report.expected == pytest.approx([1, 1, 1])
    assert report.worst == pytest.approx([1, 1, 1])


def test_only_shared_topics_count_and_unjudged_documents_are_not_retrieved() -> None:
    report = human_ceiling(ANN, {"bob": BOB}, MEASURES)["bob"]
    assert report.expected[1] == pytest.approx(2 / 3)  # topic 1 alone; z is relevant and not found
    assert report.documents == 3


def test_equal_grades_come_in_no_order() -> None:
    strict = {"2": {"d": 0, "e": 1}}
    report = human_ceiling(ANN, {"strict": strict}, parse_measures("RR"), sample=4000)["strict"]
    assert (report.worst[0], report.best[0]) == (0.5, 1)
    assert report.expected[0] == pytest.approx(0.75, abs=0.02)
    again = human_ceiling(ANN, {"strict": strict}, parse_measures("RR"), sample=4000)["strict"]
    assert report.expected[0] == again.expected[0]


def test_the_run_is_scored_like_any_other() -> None:
    run = judge_as_run(ANN, "ann")
    assert (run.tag, run.topics, run.offsets.tolist()) == ("ann", ("1", "2"), [0, 3, 5])
    scores = evaluate(run, index_qrels(qrels_of(BOB)), MEASURES)
    assert scores.topics == ("1", "3")
    assert scores.values[0, 1] == pytest.approx(2 / 3)


def test_judges_who_share_no_topic_are_not_compared() -> None:
    assert human_ceiling({"2": {"d": 1}}, {"bob": BOB}, MEASURES) == {}
    assert human_ceiling({"1": {}}, {"bob": BOB}, MEASURES) == {}
    with pytest.raises(ValueError, match="at least one grade"):
        judge_as_run({"1": {}}, "ann")
