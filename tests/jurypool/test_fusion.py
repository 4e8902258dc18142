"""Fused runs are those of plain loops; ranx 0.3.21 gave the same for every method and normalisation."""

from __future__ import annotations

import random
from statistics import fmean, median, pstdev
from typing import Any

import pytest

import jurypool as jp
from pooling.formats.runs import parse_run
from tests.oracles import pools as by_loops

CHANCE = random.Random(4)
RUNS = {
    name: {
        str(topic): {f"D{n}": round(CHANCE.random() * 9 + 1, 4) for n in CHANCE.sample(range(30), 15)}
        for topic in range(8)
    }
    for name in ("a", "b", "c")
}
QRELS = {str(topic): {f"D{n}": CHANCE.choice([0, 0, 1, 2]) for n in range(30)} for topic in range(8)}


def lists_of(topic: str) -> dict[str, list[str]]:
    return {name: sorted(run[topic], key=lambda d: -run[topic][d]) for name, run in RUNS.items()}


def by_share(topic: str, share: Any, weights: dict[str, float] | None = None) -> dict[str, float]:
    """Return docno -> the weighted sum of the shares. share: of a score, and of all scores of its list."""
    sums: dict[str, float] = {}
    for name, run in RUNS.items():
        for docno, score in run[topic].items():
            part = share(score, [*run[topic].values()]) * (weights or {}).get(name, 1.0)
            sums[docno] = sums.get(docno, 0.0) + part
    return sums


@pytest.mark.parametrize("topic", ["0", "7"])
def test_fusion_by_ranks_is_that_of_plain_loops(topic: str) -> None:
    lists = lists_of(topic)
    squares = {
        docno: sum(docno in own for own in lists.values())
        * sum(1 / (own.index(docno) + 1) ** 2 for own in lists.values() if docno in own)
        for docno in {docno for own in lists.values() for docno in own}
    }
    assert jp.fuse(RUNS)[topic] == pytest.approx(by_loops.reciprocal_rank_fusion(lists))
    assert jp.fuse(RUNS, constant=10)[topic] == pytest.approx(by_loops.reciprocal_rank_fusion(lists, 10))
    assert jp.fuse(RUNS, "isr")[topic] == pytest.approx(squares)
    assert jp.fuse(RUNS, "borda")[topic] == pytest.approx(by_loops.borda(lists))
    assert jp.fuse(RUNS, "rank-biased", p=0.5)[topic] == pytest.approx(by_loops.rank_biased(lists, 0.5))


@pytest.mark.parametrize(
    ("normalise", "share"),
    [
        ("min-max", lambda score, all: (score - min(all)) / (max(all) - min(all))),
        ("max", lambda score, all: score / max(all)),
        ("sum", lambda score, all: (score - min(all)) / sum(each - min(all) for each in all)),
        ("zmuv", lambda score, all: (score - fmean(all)) / pstdev(all)),
        ("none", lambda score, all: score),
    ],
)
def test_fusion_by_scores_is_that_of_plain_loops(normalise: str, share: Any) -> None:
    sums = by_share("3", share)
    assert jp.fuse(RUNS, "combsum", normalise=normalise)["3"] == pytest.approx(sums, abs=1e-11)
    weights = {"a": 0.2, "c": 0.5}
    weighted = by_share("3", share, weights)
    fused = jp.fuse(RUNS, "combsum", normalise=normalise, weights=weights)["3"]
    assert fused == pytest.approx(weighted, abs=1e-11)
    times = {docno: value * sum(docno in run["3"] for run in RUNS.values()) for docno, value in sums.items()}
    assert jp.fuse(RUNS, "combmnz", normalise=normalise)["3"] == pytest.approx(times, abs=1e-11)


@pytest.mark.parametrize(
    ("method", "combined"), [("combanz", fmean), ("combmax", max), ("combmin", min), ("combmed", median)]
)
def test_scores_are_combined_as_plain_loops_do(method: str, combined: Any) -> None:
    found: dict[str, list[float]] = {}
    for run in RUNS.values():
        for docno, score in run["5"].items():
            found.setdefault(docno, []).append(score / max(run["5"].values()))
    assert {len(scores) for scores in found.values()} == {1, 2, 3}
    expected = {docno: combined(scores) for docno, scores in found.items()}
    assert jp.fuse(RUNS, method, normalise="max")["5"] == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize(
    ("normalise", "share"), [("min-max", 1.0), ("max", 1.0), ("sum", 0.5), ("zmuv", 0.0)]
)
def test_equal_scores_have_a_share(normalise: str, share: float) -> None:
    run = {"7": {"D1": 3.0, "D2": 3.0}}
    assert jp.fuse({"a": run}, "combsum", normalise=normalise)["7"] == {"D1": share, "D2": share}


def test_a_fused_run_is_a_run_and_a_file() -> None:
    fused = jp.fuse(RUNS)
    assert jp.evaluate({**RUNS, "fused": fused}, QRELS, "AP").means("AP")["fused"] > 0
    file = parse_run(fused.to_text("mine").encode())
    assert file.tag == "mine" and jp.evaluate(fused, QRELS, "AP")["AP"].by_topic.keys() == {*file.topics}
    for scores in fused.values():
        assert list(scores.values()) == sorted(scores.values(), reverse=True)


def test_tuned_weights_are_the_best_of_the_other_folds() -> None:
    tuned = jp.tune_fusion(RUNS, QRELS, "nDCG@10", folds=4, seed=2)
    settings = [{"a": a / 10, "b": b / 10, "c": (10 - a - b) / 10} for a in range(11) for b in range(11 - a)]
    fused = [jp.fuse(RUNS, "combsum", weights=each) for each in settings]
    scores = [jp.evaluate(run, QRELS, "nDCG@10")["nDCG@10"].by_topic for run in fused]
    for number, weights in enumerate(tuned.by_fold):
        others = [topic for topic, fold in tuned.folds.items() if fold != number]
        best = max(range(len(settings)), key=lambda place: fmean(scores[place][t] for t in others))
        assert weights == pytest.approx(settings[best])
        for topic in tuned.run.keys() - {*others}:
            assert tuned.run[topic] == pytest.approx(fused[best][topic])
    assert sorted(tuned.folds.values()) == [0, 0, 1, 1, 2, 2, 3, 3]
    rows = ((topic, docno, grade) for topic, own in QRELS.items() for docno, grade in own.items())
    assert tuned == jp.tune_fusion(RUNS, rows, "nDCG@10", folds=4, seed=2)  # they can be read once only


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: jp.fuse(RUNS, "condorcet"), "expected a method .*combmnz.*, found 'condorcet'"),
        (lambda: jp.fuse(RUNS, "rrf", p=0.5), "rrf: expected constant, found 'p'"),
        (lambda: jp.fuse(RUNS, "rrf", weights={"a": 2}), "rrf reads ranks"),
        (lambda: jp.fuse(RUNS, "combmnz", weights={"a": 2}), "weights are of combsum"),
        (lambda: jp.fuse(RUNS, "combsum", weights={"d": 2}), "expected weights of the runs a, b, c, .*'d'"),
        (lambda: jp.fuse(RUNS, "combsum", normalise="l2"), "expected a normalisation .*zmuv.*, found 'l2'"),
        (lambda: jp.fuse({"a": {"7": {"D": -1.0}}}, "combsum", normalise="max"), "a highest score above 0"),
        (lambda: jp.tune_fusion({"a": RUNS["a"]}, QRELS), "expected 2 to 4 runs, found 1"),
        (lambda: jp.tune_fusion(RUNS, QRELS, folds=9), "expected 2 to 8 folds"),
        (lambda: jp.tune_fusion(RUNS, QRELS, "NumQ"), "higher values are better"),
    ],
)
def test_what_cannot_be_fused_is_refused(call: Any, expected: str) -> None:
    with pytest.raises(jp.Refused, match=expected):
        call()
