"""Estimates of an audit: worked examples, widths on real labels, coverage, edge cases."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from metrics.machine_audits.estimates import (
    Estimate,
    design_effect,
    difference,
    human_only,
    needed,
    regression,
    rogan_gladen,
    stratified,
)
from metrics.machine_audits.intervals import share_interval
from metrics.machine_audits.sample import SampleStratum, allocate, draw
from pooling.arrays import IntVector
from pooling.refusals import Refused

from .llmjudge import grades
from .worked import GRADE, HUMAN, STRATA, covers, digits

Y, F = ([int(value) for value in word] for word in ("1011001000", "1010001100"))


def test_the_worked_example_of_ten_labels() -> None:
    alone = human_only(Y, 200)
    assert digits(alone.value, alone.error) == [0.4, 0.1592]
    assert digits(*difference(Y, F, 0.3, 200)[:4]) == [0.3, 0.1453, 0.0152, 0.5848]
    assert digits(*regression(Y, F, 0.3, 200)[:4]) == [0.3417, 0.1293, 0.0883, 0.5950]
    assert "fewer than 30 labels" in regression(Y, F, 0.3, 200).note


def test_the_worked_example_of_four_strata() -> None:
    found = stratified(HUMAN, GRADE, STRATA, share=True)
    assert digits(found.value, found.error, places=5) == [0.26714, 0.02523]
    assert digits(found.low, found.high) == [0.2177, 0.3166]
    assert (found.sampled, found.note) == (200, "")
    effect = design_effect(HUMAN, GRADE, GRADE, STRATA)
    assert effect.by_strata is not None and found.error is not None
    assert digits(found.error * np.sqrt(effect.by_strata / 200)) == [0.0281]
    assert effect.sentence.startswith("200 human labels in this sample are as precise as 247 in a plain")


def test_the_printed_sample_sizes_and_rogan_gladen() -> None:
    assert [needed(p, 0.05) for p in (0.1, 0.27, 0.5)] == [139, 303, 385]
    assert (needed(0.5, 0.05, documents=1000), needed(0.5, 0.05, documents=0)) == (278, 0)
    assert digits(rogan_gladen(0.194, 0.4604, 0.0969).value, places=3) == [0.267]
    assert rogan_gladen(0.5, 0.35, 0.3).value is None and "above" in rogan_gladen(0.5, 0.35, 0.3).note
    assert rogan_gladen(0.05, 0.5, 0.1).value == 0 and "cut" in rogan_gladen(0.05, 0.5, 0.1).note
    with pytest.raises(ValueError, match="shares"):
        rogan_gladen(1.2, 0.5, 0.1)
    with pytest.raises(Refused):
        needed(0.5, 0)


WIDTHS = {  # labels: human only, difference, regression, stratified proportional, stratified Neyman
    100: (0.1714, 0.1769, 0.1554, None, None),
    200: (0.1199, 0.1237, 0.1090, 0.1062, 0.1036),
    400: (0.0828, 0.0856, 0.0755, 0.0732, 0.0712),
    800: (0.0556, 0.0575, 0.0507, 0.0491, 0.0476),
}


@pytest.mark.parametrize("n", WIDTHS)
def test_the_printed_widths_on_real_labels(n: int) -> None:
    human, machine = grades()
    y = (human >= 2).astype(np.int64)
    spread = [float(y[machine == grade].std()) for grade in range(4)]
    methods = _methods(y, machine, n, spread, threshold=2)
    rng = np.random.default_rng(n)
    for printed, method in zip(WIDTHS[n], methods, strict=True):
        widths = [method(rng).width for _ in range(40_000 // n)]
        if printed is not None:
            assert np.mean([width for width in widths if width is not None]) == pytest.approx(
                printed, rel=0.012
            )


def test_the_printed_strata_on_real_labels() -> None:
    human, machine = grades()
    y = human >= 2
    sizes = np.bincount(machine)
    strata = [SampleStratum(str(grade), int(size), int(size)) for grade, size in enumerate(sizes)]
    assert digits(*(sizes / sizes.sum())) == [0.5279, 0.2783, 0.1375, 0.0563]
    assert digits(*(y[machine == grade].mean() for grade in (0, 3))) == [0.1006, 0.7309]
    assert digits(*(y[machine == grade].mean() for grade in (1, 2)), places=3) == [0.329, 0.597]
    assert np.corrcoef(y, machine >= 2)[0, 1] ** 2 == pytest.approx(0.166, abs=5e-4)
    some = [stratum._replace(documents=10 * stratum.documents) for stratum in strata]
    effect = design_effect(y, machine >= 2, machine, some)
    assert effect.rho2 == pytest.approx(0.166, abs=5e-4)
    assert effect.by_model == pytest.approx(1.20 * len(y), rel=0.002)


def _methods(
    y: IntVector, machine: IntVector, n: int, spread: list[float], threshold: int
) -> list[Callable[[np.random.Generator], Estimate]]:
    """Return the five estimates of the share of y, each from a new sample of n documents."""
    size, f = len(y), (machine >= threshold).astype(np.int64)
    sizes = np.bincount(machine).tolist()
    members = [np.flatnonzero(machine == grade) for grade in range(len(sizes))]

    def plain(rng: np.random.Generator) -> IntVector:
        return rng.choice(size, n, replace=False, shuffle=False)

    def by_strata(rng: np.random.Generator, allocation: list[int]) -> Estimate:
        strata = [SampleStratum("", *pair) for pair in zip(sizes, allocation, strict=True)]
        drawn = [rng.choice(m, k, replace=False) for m, k in zip(members, allocation, strict=True)]
        places = np.concatenate(drawn)
        return stratified(y[places], machine[places], strata, share=True)

    def with_machine(estimate: Callable[..., Estimate], rng: np.random.Generator) -> Estimate:
        places = plain(rng)
        return estimate(y[places], f[places], f.mean(), size)

    proportional, neyman = allocate(sizes, n), allocate(sizes, n, spread)
    return [
        lambda rng: human_only(y[plain(rng)], size),
        lambda rng: with_machine(difference, rng),
        lambda rng: with_machine(regression, rng),
        lambda rng: by_strata(rng, proportional),
        lambda rng: by_strata(rng, neyman),
    ]


@pytest.mark.parametrize("n", [120, 300])
def test_intervals_cover_the_truth_as_often_as_they_claim(n: int) -> None:
    rng = np.random.default_rng(20)
    machine = rng.choice(4, 3000, p=[0.53, 0.28, 0.13, 0.06])
    y = (rng.random(3000) < np.array([0.1, 0.33, 0.6, 0.73])[machine]).astype(np.int64)
    for method in _methods(y, machine, n, [0.3, 0.47, 0.49, 0.44], threshold=2):
        found = [method(rng) for _ in range(1500)]
        assert 0.93 <= np.mean([covers(each, y.mean()) for each in found]) <= 0.97, found[0].method


def test_rare_shares_are_covered_although_samples_often_have_none() -> None:
    rng = np.random.default_rng(5)
    machine = rng.choice(4, 3000, p=[0.6, 0.25, 0.1, 0.05])
    for chances in ([0.002, 0.01, 0.05, 0.1], [0.002, 0.002, 0.002, 0.5], [0.99, 0.99, 0.98, 0.9]):
        y = (rng.random(3000) < np.array(chances)[machine]).astype(np.int64)
        for n in (40, 150):
            for method in _methods(y, machine, n, [0.1, 0.2, 0.3, 0.4], threshold=2)[3:]:
                found = [method(rng) for _ in range(300)]
                assert np.mean([covers(each, y.mean()) for each in found]) > 0.9


def test_wilsons_interval_is_that_of_statsmodels_with_the_effective_number() -> None:
    (ends, note) = share_interval(0.1, variance=0.1 * 0.9 / 52.5, labels=60)
    assert ends == pytest.approx(proportion_confint(5.25, 52.5, method="wilson")) and "Wilson" in note
    (ends, _) = share_interval(0.0, variance=0.0, labels=33.3)
    assert ends == pytest.approx(proportion_confint(0, 33.3, method="wilson"))


def test_a_plain_sample_has_the_interval_of_scipy() -> None:
    from scipy.stats import norm, sem

    values = np.random.default_rng(3).integers(0, 4, 60)
    ends = norm.interval(0.95, values.mean(), sem(values))
    found = human_only(values, 10**12)
    assert (found.low, found.high) == pytest.approx(ends)


strata_of_labels = st.lists(
    st.tuples(st.lists(st.integers(0, 3), max_size=7), st.integers(0, 30)), min_size=1, max_size=5
)


@given(strata_of_labels, st.booleans())
def test_every_shape_gives_an_estimate_or_a_reason(drawn: list[tuple[list[int], int]], share: bool) -> None:
    y = [int(grade > 1) if share else grade for labels, _ in drawn for grade in labels]
    stratum = [place for place, (labels, _) in enumerate(drawn) for _ in labels]
    strata = [
        SampleStratum(str(i), len(labels) + more, len(labels)) for i, (labels, more) in enumerate(drawn)
    ]
    found = stratified(y, stratum, strata, share)
    assert (found.value is None) == (not y) and (found.low is None) == (found.high is None)
    if found.value is None or found.low is None or found.high is None:
        assert found.note and (not share or not y)
        return
    assert found.low <= found.value <= found.high and np.isfinite([found.low, found.high]).all()
    if any(more for _, more in drawn):
        assert found.low < found.high  # a standard error of 0 is no certainty
    else:
        assert found[:2] == pytest.approx((np.mean(y), 0))
    shuffled = np.random.default_rng(len(y)).permutation(len(y))
    again = stratified(np.array(y)[shuffled], np.array(stratum)[shuffled], strata, share)
    assert again[:4] == pytest.approx(found[:4], nan_ok=True)
    design_effect(y, y, stratum, strata)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40))
def test_a_sample_of_all_documents_gives_the_truth_without_error(pairs: list[tuple[int, int]]) -> None:
    y, f = np.array(pairs).T
    for found in (
        human_only(y, len(y)),
        difference(y, f, f.mean(), len(y)),
        regression(y, f, f.mean(), len(y)),
        stratified(y, f, [SampleStratum(str(g), int((f == g).sum()), 0) for g in range(4)], share=False),
    ):
        assert found[:4] == pytest.approx((y.mean(), 0, y.mean(), y.mean())) and found.error == 0


def test_what_cannot_be_known_has_no_interval_and_a_reason() -> None:
    assert human_only([], 10) == Estimate(
        None, None, None, None, "human labels alone", 0, "no document of the sample has a label"
    )
    assert human_only([2], 10).value == 2 and human_only([2], 10).error is None
    same = difference([1] * 40, [1] * 40, 0.4, 100)
    assert (same.value, same.error, same.low) == (0.4, 0, None) and "no proof" in same.note
    few = stratified(
        [0, 1, 2] + [1, 0] * 10,
        [0] * 3 + [1] * 20,
        [SampleStratum("0", 50, 3), SampleStratum("1", 50, 20)],
        False,
    )
    assert few.error and few.low is None and "fewer than 5" in few.note
    wilson = stratified([0] * 30, [0] * 30, [SampleStratum("0", 300, 30)], share=True)
    assert wilson.error == 0 and wilson.low == 0 and wilson.high is not None and 0.05 < wilson.high < 0.12


def test_strata_without_labels_are_merged_with_a_note_and_missing_labels_are_counted() -> None:
    strata = [SampleStratum("0", 40, 6), SampleStratum("1", 30, 1), SampleStratum("2", 30, 9)]
    found = stratified([0, 0, 0, 0, 1, 0, 1, 1, 1, 0, 1], [0] * 6 + [2] * 5, strata, share=True)
    assert digits(found.value, places=10) == digits(0.4 * 1 / 6 + 0.6 * 4 / 5, places=10)
    assert "strata 1, 2 are merged" in found.note
    assert "5 of 16 sampled documents have no label yet" in found.note


def test_programming_errors_of_estimates() -> None:
    one = [SampleStratum("0", 2, 2)]
    for y, stratum in (([1, 1, 1], [0, 0, 0]), ([1], [1]), ([1], [-1]), ([1, 1], [0]), ([float("nan")], [0])):
        with pytest.raises(ValueError, match="expected"):
            stratified(y, stratum, one, share=False)
    with pytest.raises(ValueError, match="0 or 1"):
        stratified([2], [0], one, share=True)
    with pytest.raises(ValueError, match="machine value"):
        difference([1, 2], [1], 0.5, 10)


def test_a_sample_is_drawn_and_estimated_end_to_end() -> None:
    machine = np.repeat([0, 1, 2], [600, 300, 100])
    sampled = allocate([600, 300, 100], 100)
    places = draw(machine, sampled, seed=1)
    strata = [
        SampleStratum(str(g), *pair) for g, pair in enumerate(zip([600, 300, 100], sampled, strict=True))
    ]
    found = stratified(machine[places], machine[places], strata, share=False)
    assert found.value == pytest.approx(machine.mean()) and found.low is None
