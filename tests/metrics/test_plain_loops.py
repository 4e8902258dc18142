"""Measures equal the definition, written once more as a loop over ranks and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.engine.evaluate import evaluate
from metrics.engine.qrels_index import index_qrels
from metrics.measures.names import parse_measure
from pooling.formats.qrels import parse_prels

from .small_runs import run_of, scored

Gains = list[float]
RETRIEVED = st.lists(st.integers(-1, 4) | st.none(), min_size=1, max_size=30)  # None: not judged
MISSED = st.lists(st.integers(-1, 4), max_size=8)


def both(retrieved: list[int | None], missed: list[int]) -> tuple[list[str], dict[str, int]]:
    ranking = [f"d{place}" for place in range(len(retrieved))]
    grades = {docno: grade for docno, grade in zip(ranking, retrieved, strict=True) if grade is not None}
    return ranking, {"top": 4, **grades, **{f"m{place}": grade for place, grade in enumerate(missed)}}


def gains(grades: list[int | None], highest: int = 4, low: int = 0) -> Gains:
    return [(min(max(grade or 0, low), highest) - low) / (highest - low) for grade in grades]


def reciprocal_rank(grades: list[int | None], k: int) -> float:
    total, going = 0.0, 1.0
    for rank, grade in enumerate(grades[:k], start=1):
        satisfied = (2 ** max(grade or 0, 0) - 1) / 2**4
        total += going * satisfied / rank
        going *= 1 - satisfied
    return total


def rank_biased(grades: list[int | None], p: float) -> float:
    return (1 - p) * sum(gain * p**place for place, gain in enumerate(gains(grades)))


def binary_rank_biased(grades: list[int | None], p: float) -> float:
    return (1 - p) * sum(p**place for place, grade in enumerate(grades) if grade is not None and grade >= 2)


def residual(grades: list[int | None], p: float) -> float:
    unknown = sum(p**place for place, grade in enumerate(grades) if grade is None or grade < 0)
    return p ** len(grades) + (1 - p) * unknown


def attention(found: Gains, continuation: Callable[[int, float, float], float]) -> float:
    """The expected gain of a reader, continuation(rank, gain, gain so far) being the probability to go on."""
    found = found + [0.0] * (1000 - len(found))
    reach, total, weight, so_far = 1.0, 0.0, 0.0, 0.0
    for rank, gain in enumerate(found, start=1):
        so_far += gain
        total, weight = total + reach * gain, weight + reach
        reach *= continuation(rank, gain, so_far)
    return total / weight


def insq(rank: int, wanted: float) -> float:
    return ((rank + 2 * wanted - 1) / (rank + 2 * wanted)) ** 2


def inst(rank: int, wanted: float, so_far: float) -> float:
    return ((rank + 2 * wanted - so_far - 1) / (rank + 2 * wanted - so_far)) ** 2


LOOPS: dict[str, Callable[[list[int | None]], float]] = {
    "ERR@7": lambda grades: reciprocal_rank(grades, 7),
    "ERR(max_rel=4)": lambda grades: reciprocal_rank(grades, 99),
    "RBP": lambda grades: rank_biased(grades, 0.8),
    "RBP(p=0.5)@3": lambda grades: rank_biased(grades[:3], 0.5),
    "RBP(p=0.95, rel=2)": lambda grades: binary_rank_biased(grades, 0.95),
    "RBPResidual": lambda grades: residual(grades, 0.8),
    "SDCG@5": lambda grades: (
        sum(gain / log2(place + 2) for place, gain in enumerate(gains(grades)[:5]))
        / sum(1 / log2(rank + 1) for rank in range(1, 6))
    ),
    "INSQ": lambda grades: attention(gains(grades), lambda rank, gain, so_far: insq(rank, 1)),
    "INSQ(T=2.5)": lambda grades: attention(gains(grades), lambda rank, gain, so_far: insq(rank, 2.5)),
    "INST": lambda grades: attention(gains(grades), lambda rank, gain, so_far: inst(rank, 1, so_far)),
    "INST(T=3, min_rel=1, max_rel=3)": lambda grades: attention(
        gains(grades, 3, 1), lambda rank, gain, so_far: inst(rank, 3, so_far)
    ),
    "BPM@6": lambda grades: attention(
        gains(grades), lambda rank, gain, so_far: float(so_far < 1 and rank < 6)
    ),
    "NERR8@6": lambda grades: attention(gains(grades), lambda rank, gain, so_far: (rank < 6) * (1 - gain)),
    "NERR9@6": lambda grades: attention(
        gains(grades), lambda rank, gain, so_far: (rank < 6) * (1 - gain) * rank / (rank + 1)
    ),
    "NERR10": lambda grades: attention(gains(grades), lambda rank, gain, so_far: 0.9 * (1 - gain)),
    "NERR11": lambda grades: attention(gains(grades), lambda rank, gain, so_far: insq(rank, 1) * (1 - gain)),
    "Judged@4": lambda grades: sum(grade is not None for grade in grades[:4]) / len(grades[:4]),
    "Judged": lambda grades: sum(grade is not None for grade in grades) / len(grades),
}


@settings(max_examples=60)
@given(RETRIEVED, MISSED)
def test_measures_of_readers_are_the_loops(retrieved: list[int | None], missed: list[int]) -> None:
    ranking, grades = both(retrieved, missed)
    scores = scored({"1": ranking}, {"1": grades}, " ".join(LOOPS))
    for measure, found in zip(LOOPS, scores.values[0].tolist(), strict=True):
        assert found == pytest.approx(LOOPS[measure](retrieved), abs=1e-12), measure


def rank_biased_overlap(ranking: list[str], ideal: list[str], p: float) -> float:
    """As the authors' program computes it: to depth 1,000, over the weights of all these depths."""
    score = weights = 0.0
    seen: tuple[set[str], set[str]] = set(), set()
    for place in range(1000):
        seen[0].update(ranking[place : place + 1])
        seen[1].update(ideal[place : place + 1])
        score += p**place * len(seen[0] & seen[1]) / (place + 1)
        weights += p**place
    return score / weights


@settings(max_examples=50)
@given(RETRIEVED, MISSED, st.sampled_from([0.5, 0.8, 0.95, 0.99]))
def test_compatibility_is_that_of_its_authors_program(
    retrieved: list[int | None], missed: list[int], p: float
) -> None:
    ranking, grades = both(retrieved, missed)
    places = {docno: place for place, docno in enumerate(ranking)}
    ideal = sorted(
        (docno for docno, grade in grades.items() if grade > 0),
        key=lambda docno: (-grades[docno], places.get(docno, len(places))),
    )
    best, expected = (rank_biased_overlap(each, ideal, p) for each in (ideal, ranking))
    values = scored({"1": ranking}, {"1": grades}, f"Compat(p={p}) Compat(p={p}, normalize=False)").values[0]
    assert values.tolist() == pytest.approx([expected / best, expected], abs=1e-12)


def test_compatibility_does_not_look_below_depth_1000() -> None:
    ranking = [f"d{rank}" for rank in range(1, 1101)]
    grades = {"d1000": 1, "d1001": 1}
    found = scored({"1": ranking}, {"1": grades}, "Compat(p=0.99) Compat(p=0.99, normalize=False)").values[0]
    expected = rank_biased_overlap(ranking, ["d1000", "d1001"], 0.99)
    assert found[1] == pytest.approx(expected, rel=1e-9)
    assert found[0] == pytest.approx(
        expected / rank_biased_overlap(["d1000", "d1001"], ["d1000", "d1001"], 0.99)
    )


Subtopics = dict[str, set[str]]  # docno -> what it is relevant to
COVERED = st.lists(st.sets(st.sampled_from("abcd")), min_size=1, max_size=9)


def novelty(ranking: list[str], about: Subtopics, alpha: float) -> list[float]:
    """What each document of a ranking is worth."""
    seen: dict[str, int] = {}
    worth = []
    for docno in ranking:
        worth.append(sum((1 - alpha) ** seen.get(subtopic, 0) for subtopic in sorted(about.get(docno, ()))))
        for subtopic in about.get(docno, ()):
            seen[subtopic] = seen.get(subtopic, 0) + 1
    return worth


def greedy(about: Subtopics, alpha: float) -> list[str]:
    order: list[str] = []
    while len(order) < len(about):
        left = sorted(set(about) - set(order), reverse=True)
        order.append(max(left, key=lambda docno: novelty([*order, docno], about, alpha)[-1]))
    return order


def discounted(worth: list[float], discount: Callable[[int], float]) -> float:
    return sum(value / discount(rank) for rank, value in enumerate(worth, start=1))


def diverse(ranking: list[str], about: Subtopics, alpha: float, k: int) -> dict[str, float]:
    """Every measure of the family, by its definition."""
    subtopics = sorted(set().union(*about.values()))
    size = len(subtopics)
    worth, ideal = novelty(ranking, about, alpha), novelty(greedy(about, alpha), about, alpha)
    full = [size * (1 - alpha) ** place for place in range(k)]
    log, rank = (lambda r: log2(r + 1)), float
    rbp, best_rbp = (sum(value * 0.6**place for place, value in enumerate(found)) for found in (worth, ideal))
    precisions = {
        s: [
            sum(s in about.get(d, ()) for d in ranking[: place + 1]) / (place + 1)
            for place, docno in enumerate(ranking)
            if s in about.get(docno, ())
        ]
        for s in subtopics
    }
    totals = {s: sum(s in found for found in about.values()) for s in subtopics}
    return {
        f"alpha_DCG(alpha={alpha})@{k}": discounted(worth[:k], log) / discounted(full, log),
        f"alpha_nDCG(alpha={alpha})@{k}": discounted(worth[:k], log) / discounted(ideal[:k], log),
        f"ERR_IA(alpha={alpha})@{k}": discounted(worth[:k], rank) / discounted(full, rank),
        f"nERR_IA(alpha={alpha})@{k}": discounted(worth[:k], rank) / discounted(ideal[:k], rank),
        f"NRBP(alpha={alpha}, beta=0.6)": (1 - (1 - alpha) * 0.6) * rbp / size,
        f"nNRBP(alpha={alpha}, beta=0.6)": rbp / best_rbp,
        "AP_IA": sum(sum(precisions[s]) / totals[s] for s in subtopics) / size,
        f"P_IA@{k}": sum(len(about.get(docno, ())) for docno in ranking[:k]) / (k * size),
        f"StRecall@{k}": len(set().union(*(about.get(docno, set()) for docno in ranking[:k]))) / size,
    }


@settings(max_examples=60)
@given(COVERED, st.permutations(range(9)), st.sampled_from([0.25, 0.5]), st.integers(1, 6))
def test_diversity_is_the_loop(covered: list[set[str]], order: list[int], alpha: float, k: int) -> None:
    about: Subtopics = {f"d{place}": {*found} for place, found in enumerate(covered)} | {"z": {"a"}}
    ranking = [f"d{place}" for place in order[:7]]
    grades = {f"{s}/{docno}": int(s in found) for docno, found in about.items() for s in "abcd"}
    expected = diverse(ranking, about, alpha, k)
    values = scored({"1": ranking}, {"1": grades}, " ".join(expected)).values[0]
    assert dict(zip(expected, values.tolist(), strict=True)) == pytest.approx(expected, abs=1e-12)


Sample = list[tuple[int, int]]  # stratum and grade, -1 for not sampled


def inferred(ranked: Sample, pool: Sample) -> tuple[float, float]:
    """xinfAP and infNDCG of a ranking. pool: every pooled document, those of the ranking too."""
    strata = sorted({stratum for stratum, _ in pool})
    size = {s: sum(stratum == s for stratum, _ in pool) for s in strata}
    sampled = {s: sum(stratum == s and grade >= 0 for stratum, grade in pool) for s in strata}
    found = {s: sum(stratum == s and grade > 0 for stratum, grade in pool) for s in strata}
    estimate = {s: found[s] * size[s] / sampled[s] if sampled[s] else 0.0 for s in strata}
    precisions, gained = dict.fromkeys(strata, 0.0), dict.fromkeys(strata, 0.0)
    for rank, (stratum, grade) in enumerate(ranked, start=1):
        if stratum < 0 or grade <= 0:
            continue
        above = [row for row in ranked[: rank - 1] if row[0] >= 0]
        inside = {s: [g for other, g in above if other == s] for s in strata}
        expected = sum(
            len(inside[s]) * (sum(g > 0 for g in inside[s]) + 1e-5) / (sum(g >= 0 for g in inside[s]) + 3e-5)
            for s in strata
        )
        precisions[stratum] += 1 / rank + expected / rank
        gained[stratum] += grade / log2(rank + 1)
    total = sum(estimate.values())
    ap = sum(estimate[s] / total * precisions[s] / found[s] for s in strata if found[s]) if total else 0.0
    dcg = 0.0
    for s in strata:
        here = [grade for stratum, grade in ranked if stratum == s]
        judged = sum(grade >= 0 for grade in here)
        dcg += len(here) * gained[s] / judged if judged else 0.0
    ideal: list[int] = []
    for level in sorted({grade for _, grade in pool if grade > 0}, reverse=True):
        count = sum(
            sum(stratum == s and grade == level for stratum, grade in pool) * size[s] / sampled[s]
            for s in strata
            if sampled[s]
        )
        ideal += [level] * int(count + 0.5)
    best = sum(grade / log2(place + 2) for place, grade in enumerate(ideal))
    return ap, dcg / best if best else 0.0


POOLED = st.tuples(st.integers(1, 3), st.integers(-1, 2))


@given(
    st.lists(POOLED | st.just((-1, -1)), min_size=1, max_size=25), st.lists(POOLED, min_size=1, max_size=15)
)
def test_inferred_measures_are_the_loop(ranked: Sample, missed: Sample) -> None:
    rows = [(f"r{place}", *row) for place, row in enumerate(ranked) if row[0] >= 0]
    rows += [(f"m{place}", *row) for place, row in enumerate(missed)]
    # another topic, whose strata have the same names
    lines = [f"1 0 {docno} {stratum} {grade}\n" for docno, stratum, grade in rows]
    content = "".join([*lines, "2 0 r0 3 1\n", "2 0 r1 2 -1\n"])
    run = run_of({"1": [f"r{place}" for place in range(len(ranked))], "2": ["r1", "r0"]})
    names = [parse_measure("xinfAP"), parse_measure("infNDCG")]
    scores = evaluate(run, index_qrels(parse_prels(content.encode())), names)
    expected = inferred(ranked, [(stratum, grade) for _, stratum, grade in rows])
    assert scores.values[0].tolist() == pytest.approx(expected, abs=1e-12)


def test_with_one_stratum_all_of_it_sampled_xinfap_is_nearly_average_precision() -> None:
    marks = [1, 0, 1, 1, 0, 0, 1, 0]
    content = "".join(f"1 0 d{place} 1 {mark}\n" for place, mark in enumerate(marks))
    run = run_of({"1": [f"d{place}" for place in range(len(marks))]})
    index = index_qrels(parse_prels(content.encode()))
    scores = evaluate(run, index, [parse_measure("xinfAP"), parse_measure("AP")])
    assert scores.values[0, 0] == pytest.approx(scores.values[0, 1], abs=1e-4)
