"""Reproducibility and generalisability of the Python API are those of the pure modules."""

from __future__ import annotations

import json

import numpy as np
import pytest

import jurypool as jp
from metrics.generalisability.studies import among_best, g_study
from metrics.reproducibility.replicas import rmse, tau_of_union, unpaired_t_test
from metrics.significance.paired import paired_t_test
from tests.jurypool.test_comparing import QRELS, RESULTS, RUNS, TOPICS, VALUES

POOR, FAIR, GOOD = (VALUES[:, column] for column in range(3))


def test_a_replica_is_compared_by_documents_scores_and_effect() -> None:
    found = jp.reproducibility(
        RUNS["good"], RUNS["fair"], QRELS, "AP nDCG@5", baselines=(RUNS["poor"], RUNS["poor"]), depth=10
    )
    by_ap = found["AP"]
    assert list(found) == ["AP", "nDCG@5"]
    assert (by_ap.original, by_ap.replica) == (RESULTS["good"]["AP"].mean, RESULTS["fair"]["AP"].mean)
    assert by_ap.rmse == rmse(GOOD, FAIR)
    assert by_ap.test == paired_t_test(GOOD, FAIR)
    assert by_ap.effect_ratio and by_ap.relative_delta
    improvements = FAIR.mean() - POOR.mean(), GOOD.mean() - POOR.mean()
    assert by_ap.effect_ratio.value == pytest.approx(improvements[0] / improvements[1])
    assert by_ap.relative_delta.value == pytest.approx((improvements[1] - improvements[0]) / POOR.mean())
    orders = [
        [sorted(RUNS[name][topic], key=lambda docno: -RUNS[name][topic][docno]) for topic in TOPICS]
        for name in ("good", "fair")
    ]
    taus = [tau_of_union(first, second, 10) or 0.0 for first, second in zip(*orders, strict=True)]
    assert found.orders and found.orders.tau == pytest.approx(np.mean(taus))


def test_on_another_collection_the_test_is_unpaired() -> None:
    other = {topic: QRELS[topic] for topic in TOPICS[:12]}
    found = jp.reproducibility(RUNS["good"], RUNS["fair"], QRELS, "AP", replica_qrels=other)
    few = jp.evaluate(RUNS["fair"], other, "AP")["AP"].by_topic
    assert (found.orders, found["AP"].rmse, found["AP"].effect_ratio) == (None, None, None)
    assert found["AP"].test == unpaired_t_test(GOOD, np.array(list(few.values())))
    assert "unpaired" in repr(found)


def test_topics_without_judgments_do_not_count() -> None:
    more = {**RUNS["good"], "new": {"D1": 1.0, "D2": 2.0}}
    other = {**RUNS["fair"], "new": {"D1": 2.0, "D2": 1.0}}
    found = jp.reproducibility(more, other, QRELS, "AP")
    assert found.orders and "new" not in found.orders.by_topic and len(found.orders.by_topic) == len(TOPICS)


def test_a_reproduction_is_plain_data_and_a_table() -> None:
    found = jp.reproducibility(RUNS["good"], RUNS["good"], QRELS, "AP")
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["measures"]["AP"]["rmse"] == 0 and plain["measures"]["AP"]["p"] is None
    assert plain["orders"]["tau"] == pytest.approx(1) and plain["orders"]["depth"] == 1000
    assert found["AP"].test.reason == "every difference is zero"
    assert "Kendall's tau of the union 1.0000" in repr(found)
    assert "<table>" in found._repr_html_()
    pytest.importorskip("pandas")
    assert found.to_pandas().loc["AP", "rmse"] == 0


def test_the_study_is_that_of_the_scores() -> None:
    found = jp.generalisability(RESULTS, "map")
    assert found.study == g_study(np.ascontiguousarray(VALUES)) and found.runs == ("poor", "fair", "good")
    assert found.stability() == found.study.stability(len(TOPICS))
    assert found.topics_needed(0.9) == found.study.topics_needed(0.9)
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["relative"]["value"] == found.stability().relative.value
    assert "E rho squared" in repr(found) and "3 runs" in repr(found)


def test_the_worst_runs_are_left_out() -> None:
    found = jp.generalisability(RESULTS, "AP", leave_out=0.4)
    assert found.runs == ("fair", "good")
    assert found.study == g_study(np.ascontiguousarray(VALUES[:, among_best(VALUES, 0.4)]))
    lower = jp.generalisability(RESULTS, "SetError@5", leave_out=0.4)
    assert len(lower.runs) == 2


def test_one_run_alone_says_why_nothing_is_defined() -> None:
    found = jp.generalisability(jp.evaluate({"good": RUNS["good"]}, QRELS, "AP"), "AP")
    assert "fewer than two systems" in repr(found)
    assert found.topics_needed().relative.value is None


def test_what_cannot_be_taken_is_refused() -> None:
    good, fair = RUNS["good"], RUNS["fair"]
    study = jp.generalisability(RESULTS, "AP")
    for call, expected in (
        (lambda: jp.reproducibility(good, fair, QRELS, "AP", depth=0), "a depth of 1 or more"),
        (lambda: jp.reproducibility(good, fair, QRELS, "AP", p=1), "a persistence p between"),
        (lambda: jp.reproducibility(good, fair, QRELS, "NumRel"), "a measure whose score is a mean"),
        (lambda: jp.generalisability(RESULTS["good"], "AP"), "for several runs, found Result"),  # type: ignore[arg-type]
        (lambda: jp.generalisability(RESULTS, "AP", leave_out=1), "a share of runs"),
        (lambda: jp.generalisability(RESULTS, "AP", level=95), "a level of confidence"),
        (lambda: jp.generalisability(RESULTS, "NumRel"), "a measure whose score is a mean"),
        (lambda: study.stability(0), "a number of topics of 1 or more"),
        (lambda: study.topics_needed(1), "a stability between 0 and 1"),
    ):
        with pytest.raises(jp.Refused, match=expected):
            call()
    with pytest.raises(KeyError, match="bpref was not computed"):
        jp.reproducibility(good, fair, QRELS, "AP")["bpref"]
