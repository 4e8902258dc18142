"""ARGUE and rubrics in the library: the published scores of a report, refusals, the file of Auto-ARGUE."""

from __future__ import annotations

from typing import Any

import pytest

import jurypool as jp
from metrics.nuggets.rubric import WEIGHTS
from tests.metrics.nuggets.test_argue_topic import BANK, REPORT

JUDGED = {"300": REPORT}
BANKS = {"300": BANK}


def test_the_published_scores_of_a_report() -> None:
    scores = jp.argue_scores(JUDGED, BANKS)
    assert scores["sentence_support"].value == pytest.approx(0.9333333333333333, abs=1e-15)
    assert scores["nugget_coverage"].value == pytest.approx(0.6, abs=1e-15)
    assert scores["f1"].value == pytest.approx(0.7304347826086957, abs=1e-15)
    assert (scores.by_topic["300"].correct, scores.micro.nuggets) == (14, 15)
    assert "one\t300\tnugget_coverage\t0.6\n" in scores.to_tsv("one")
    assert len(scores) == len(list(scores)) == 7


def test_micro_and_macro_averages_differ_by_the_length_of_reports() -> None:
    short = [jp.JudgedSentence(needs_citation=True)]
    scores = jp.argue_scores(JUDGED | {"301": short}, BANKS | {"301": BANK})
    assert scores["sentence_support"].value == pytest.approx((14 / 15 + 0) / 2)
    assert scores.micro.sentence_support.value == pytest.approx(14 / 16)
    assert scores["citation_support"].undefined == {"301": "there are no citations"}


def test_a_report_is_refused_with_its_topic() -> None:
    with pytest.raises(jp.Refused, match="a nugget bank for each topic, found none for 300"):
        jp.argue_scores(JUDGED, {})
    wrong: Any = {"300": [("Boats float.", True)]}
    with pytest.raises(jp.Refused, match="topic 300: expected JudgedSentence objects"):
        jp.argue_scores(wrong, BANKS)
    cited = (jp.JudgedCitation("D1", True),)
    with pytest.raises(jp.Refused, match="a question and an answer of the bank"):
        jp.argue_scores({"300": [jp.JudgedSentence(cited, (("Who?", "Ann"),))]}, BANKS)


def test_rubrics_by_hand_and_by_topic() -> None:
    first = [(WEIGHTS["A"], ["support", "partial_support"]), (WEIGHTS["B"], ["contradicts"])]
    scores = jp.rubric_scores({"1": first, "2": [(1, ["not_support"])], "3": [(2, [None])]})
    assert scores["support"].value == pytest.approx((4 * 0.75 / 6 + 0) / 2)
    assert scores["contradiction"].value == pytest.approx((2 / 6 + 0) / 2)
    assert scores["support"].topics == 2
    assert scores["support"].undefined == {"3": "1 of 1 expected answers have no value"}


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ((1, ["yes"]), "topic 1: expected a weight and a list of support"),
        ((1, "support"), "topic 1: expected a weight"),
        (("A", ["support"]), "topic 1: expected a weight"),
        ((-1, ["support"]), "expected weights of 0 or more"),
        ((1, []), "at least one expected answer"),
    ],
)
def test_a_rubric_is_refused(question: Any, message: str) -> None:
    with pytest.raises(jp.Refused, match=message):
        jp.rubric_scores({"1": [question]})
