"""Scores against pyramids: worked numbers of DUCView and the lecture, undefined cases, and brute force."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.pyramids.files import read_pan, read_pyr, write_pan, write_pyr
from metrics.pyramids import scores as scoring
from metrics.pyramids.scores import (
    Rounding,
    best_weight,
    expected_units,
    optimal_summaries,
    pyramid_scores,
    tiers_of,
)
from tests.assess.pyramids.files import peer_with, pyramid_with

REAL = {4: 5, 3: 6, 2: 7, 1: 26}  # tiers of a pyramid of DUC with 4 models
REAL_PEER = {1: 1, 2: 1, 3: 1, 6: 1, 12: 1, 19: 1}  # weights 4, 4, 4, 3, 2, 1
LECTURE = {4: 2, 3: 4, 2: 6, 1: 8}
LECTURE_PEER = {1: 1, 3: 1, 4: 1, 13: 1, 0: 1}  # weights 4, 3, 3, 1, and a span without a unit


def weights_of(tiers: dict[int, int]) -> dict[int, int]:
    """Return uid -> weight; uids count from 1, the heaviest first."""
    weights = [weight for weight in sorted(tiers, reverse=True) for _ in range(tiers[weight])]
    return dict(enumerate(weights, start=1))


def test_the_real_pyramid_through_its_file() -> None:
    pyramid = read_pyr(write_pyr(pyramid_with(REAL, order=4)))
    assert (pyramid.order, tiers_of(pyramid.weights.values())) == (4, REAL)
    annotation = read_pan(write_pan(peer_with(pyramid, REAL_PEER)))
    result = pyramid_scores(annotation.pyramid.weights, annotation.pyramid.order, annotation.spans)
    assert [weight * count for weight, count in REAL.items()] == [20, 18, 14, 26]
    assert (sum(pyramid.weights.values()), result.mean_units) == (78, 19.5)
    assert (result.weight, result.units, result.spans, result.best_of_spans) == (18, 6, 6, 23)
    assert (result.expected_units, result.best_of_expected) == (19, 53)
    assert f"{result.original:.4f} {result.modified:.4f}" == "0.7826 0.3396"
    assert result.comprehensive == pytest.approx(2 / (23 / 18 + 53 / 18))
    assert result.reasons == {} and result.rounding == "floor"


def test_the_real_pyramid_rounded_up() -> None:
    result = pyramid_scores(weights_of(REAL), 4, REAL_PEER, "ceil")
    assert (result.expected_units, result.best_of_expected, result.rounding) == (20, 54, "ceil")
    assert f"{result.modified:.4f}" == "0.3333"


@pytest.mark.parametrize("more", [{0: 1}, {1: 2}], ids=["non-matching", "repeated"])
def test_a_further_span_counts_in_the_original_score_only(more: dict[int, int]) -> None:
    result = pyramid_scores(weights_of(REAL), 4, REAL_PEER | more)
    assert (result.weight, result.units, result.spans, result.best_of_spans) == (18, 6, 7, 26)
    assert (result.unmatched, result.repeated) == ((1, 0) if 0 in more else (0, 1))
    assert f"{result.original:.4f} {result.modified:.4f}" == "0.6923 0.3396"


def test_the_pyramid_of_the_lecture() -> None:
    weights = weights_of(LECTURE)
    result = pyramid_scores(weights, 4, LECTURE_PEER)
    assert (result.weight, result.best_of_spans, result.best_of_expected) == (11, 17, 28)
    assert (result.mean_units, result.expected_units) == (10.0, 10)
    assert pyramid_scores(weights, 4, LECTURE_PEER, "ceil").expected_units == 10
    values = (result.original, result.modified, result.comprehensive)
    assert [f"{value:.4f}" for value in values] == ["0.6471", "0.3929", "0.4889"]
    optimal = optimal_summaries(weights, 4)
    assert (optimal.number, optimal.weight) == (6, 14)
    assert optimal.summaries == [
        (1, 2, 3, 4), (1, 2, 3, 5), (1, 2, 3, 6), (1, 2, 4, 5), (1, 2, 4, 6), (1, 2, 5, 6),
    ]  # fmt: skip
    first, *_, last = optimal_summaries(weights, 4, limit=6).summaries
    assert {*first} | {*last} == {1, 2, 3, 4, 5, 6}  # the two that are drawn


def test_the_modified_score_is_at_most_1() -> None:
    assert pyramid_scores({1: 2, 2: 2, 3: 1}, 2, {1: 1, 2: 1, 3: 1}).modified == 1.0


def test_a_peer_of_spans_without_units_scores_0() -> None:
    result = pyramid_scores({1: 2, 2: 1}, 2, {0: 3})
    assert (result.original, result.modified, result.comprehensive) == (0.0, 0.0, 0.0)
    assert (result.units, result.unmatched, result.repeated) == (0, 3, 0)


UNDEFINED = [
    ({}, 4, {0: 1}, dict.fromkeys(("original", "modified", "comprehensive"), scoring.NO_UNITS)),
    ({1: 2, 2: 2}, 2, {}, {"original": scoring.NO_SPANS, "comprehensive": scoring.NO_ORIGINAL}),
    ({1: 2, 2: 2}, None, {1: 1}, {"modified": scoring.NO_ORDER, "comprehensive": scoring.NO_MODIFIED}),
    ({1: 1, 2: 1}, 4, {1: 1}, {"modified": scoring.NO_EXPECTED, "comprehensive": scoring.NO_MODIFIED}),
]  # fmt: skip


@pytest.mark.parametrize(("weights", "order", "spans", "reasons"), UNDEFINED)
def test_an_undefined_score_says_why(
    weights: dict[int, int], order: int | None, spans: dict[int, int], reasons: dict[str, str]
) -> None:
    result = pyramid_scores(weights, order, spans)
    assert result.reasons == reasons
    for name in ("original", "modified", "comprehensive"):
        assert (getattr(result, name) is None) == (name in reasons)


def test_rounding_up_can_define_the_modified_score() -> None:
    assert pyramid_scores({1: 1, 2: 1}, 4, {1: 1}, "ceil").modified == 1.0


def test_a_unit_of_another_pyramid_is_an_error() -> None:
    with pytest.raises(KeyError):
        pyramid_scores({1: 1}, 1, {2: 1})


small = st.dictionaries(st.integers(1, 20), st.integers(1, 4), max_size=8)


@given(small, st.integers(0, 9))
def test_optimal_summaries_are_those_of_brute_force(weights: dict[int, int], units: int) -> None:
    sums = {chosen: sum(weights[uid] for uid in chosen) for chosen in combinations(sorted(weights), units)}
    best = max(sums.values(), default=None)
    expected = {chosen for chosen, total in sums.items() if total == best}
    found = optimal_summaries(weights, units, limit=1000)
    assert {tuple(sorted(summary)) for summary in found.summaries} == expected
    assert found.number == len(expected) == len(found.summaries)
    assert optimal_summaries(weights, units, limit=2).summaries == found.summaries[:2]
    if best is not None:
        assert found.weight == best_weight(tiers_of(weights.values()), units) == best
    assert all(
        [weights[uid] for uid in own] == sorted((weights[uid] for uid in own), reverse=True)
        for own in found.summaries
    )


def test_the_count_is_exact_where_nobody_could_list_them() -> None:
    found = optimal_summaries(dict.fromkeys(range(1, 101), 1), 50, limit=3)
    assert found.number == 100_891_344_545_564_193_334_812_497_256
    assert len(found.summaries) == 3


@given(small, st.one_of(st.none(), st.integers(1, 6)), st.data())
def test_scores_are_those_of_a_plain_account(
    weights: dict[int, int], order: int | None, data: st.DataObject
) -> None:
    held = data.draw(st.lists(st.sampled_from([0, *weights]), max_size=8))
    rounding: Rounding = data.draw(st.sampled_from(scoring.ROUNDINGS))
    result = pyramid_scores(weights, order, {uid: held.count(uid) for uid in held}, rounding)
    ordered = sorted(weights.values(), reverse=True)
    weight = sum(weights[uid] for uid in {*held} - {0})
    assert (result.weight, result.spans) == (weight, len(held))
    assert result.units + result.repeated + result.unmatched == len(held)
    best = sum(ordered[: len(held)])
    assert result.original == (weight / best if best else None)
    if order:
        low = sum(ordered) // order
        expected = low if rounding == "floor" or low * order == sum(ordered) else low + 1
        best = sum(ordered[:expected])
        assert (result.expected_units, result.best_of_expected) == (expected, best)
        assert result.modified == (min(1, weight / best) if best else None)
    defined = [
        value for value in (result.original, result.modified, result.comprehensive) if value is not None
    ]
    assert all(0 <= value <= 1 for value in defined) and len(defined) + len(result.reasons) == 3
    if len(defined) == 3:
        smaller, larger = sorted(defined[:2])
        assert smaller - 1e-12 <= defined[2] <= larger + 1e-12


@pytest.mark.parametrize(("total", "order"), list(product(range(9), range(1, 4))))
def test_the_expected_number_of_units_is_rounded(total: int, order: int) -> None:
    floor, ceil = (expected_units([1] * total, order, rounding) for rounding in scoring.ROUNDINGS)
    assert floor <= total / order <= ceil and ceil - floor == (total % order > 0)
