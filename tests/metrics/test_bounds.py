"""What unjudged documents could do to a score: every reading tried on small lists."""

from __future__ import annotations

from itertools import product

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.engine.bounds import score_bounds
from metrics.measures.names import parse_measures
from tests.metrics.small_runs import hits_of, value

NAMES = ["a", "b", "c", "d", "e"]
GRADES = st.dictionaries(st.sampled_from([*NAMES, "z"]), st.integers(0, 1), min_size=1)
FIRST_RANKS = "P@3 RR RBP(p=0.8) Success@2 P@5"


@settings(max_examples=15)
@given(st.permutations(NAMES), GRADES)
def test_no_reading_of_the_holes_leaves_the_bounds_of_the_first_ranks(
    ranking: list[str], grades: dict[str, int]
) -> None:
    check_every_reading(ranking, grades)


@pytest.mark.slow
@given(st.permutations(NAMES), GRADES)
def test_no_reading_leaves_the_bounds_in_many_more_examples(
    ranking: list[str], grades: dict[str, int]
) -> None:
    check_every_reading(ranking, grades)


def check_every_reading(ranking: list[str], grades: dict[str, int]) -> None:
    measures = parse_measures(FIRST_RANKS)
    found = score_bounds(hits_of(ranking, grades), measures, 1)
    holes = [docno for docno in ranking if docno not in grades]
    assert (found.unjudged, found.retrieved) == (len(holes), len(ranking))
    readings = [
        [value(ranking, {**grades, **dict(zip(holes, given, strict=True))}, each.name) for each in measures]
        for given in product((0, 1), repeat=len(holes))
    ]
    for at, column in enumerate(zip(*readings, strict=True)):
        assert min(column) == pytest.approx(found.irrelevant[at], abs=1e-12)
        assert max(column) == pytest.approx(found.relevant[at], abs=1e-12)


@given(st.permutations(NAMES), GRADES, st.integers(1, 3))
def test_the_readings_are_what_trec_eval_says_of_qrels_that_hold_them(
    ranking: list[str], grades: dict[str, int], given_grade: int
) -> None:
    names = {"AP": "map", "bpref": "bpref", "nDCG": "ndcg", "Rprec": "Rprec"}
    found = score_bounds(hits_of(ranking, grades), parse_measures(" ".join(names)), given_grade)
    run = {"1": {docno: float(9 - place) for place, docno in enumerate(ranking)}}
    for grade, ours in ((0, found.irrelevant), (given_grade, found.relevant)):
        filled = {"1": {**dict.fromkeys(ranking, grade), **grades}}
        theirs = pytrec_eval.RelevanceEvaluator(filled, set(names.values())).evaluate(run)["1"]
        assert ours.tolist() == pytest.approx([theirs[name] for name in names.values()], abs=1e-12)


def test_where_everything_is_judged_there_is_nothing_to_bound() -> None:
    hits = hits_of(["a", "b"], {"a": 2, "b": 0, "z": 1})
    found = score_bounds(hits, parse_measures("AP nDCG bpref P@2"), 2)
    assert found.unjudged == 0
    assert found.irrelevant.tolist() == found.scored.tolist() == found.relevant.tolist()


def test_pooled_but_unjudged_documents_are_holes_too() -> None:
    found = score_bounds(hits_of(["a", "b"], {"a": -1, "b": 1}), parse_measures("P@2"), 1)
    assert (found.unjudged, found.irrelevant[0], found.relevant[0]) == (1, 0.5, 1.0)


def test_an_average_over_what_is_relevant_may_fall_when_more_is_relevant() -> None:
    found = score_bounds(hits_of(["a", "b", "c"], {"a": 1, "b": 0}), parse_measures("AP"), 1)
    assert found.scored[0] == 1.0
    assert found.relevant[0] == pytest.approx((1 + 2 / 3) / 2)
