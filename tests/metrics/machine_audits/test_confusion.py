"""Confusion of a machine with people: worked example, kappa of statsmodels, calibration, edge cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa

from metrics.machine_audits.confusion import (
    by_grade,
    calibration,
    kappa,
    labelled,
    over_rating,
    rates,
    weighted_table,
)
from metrics.machine_audits.estimates import stratified
from metrics.machine_audits.sample import SampleStratum, allocate, draw

from .llmjudge import grades
from .worked import GRADE, HUMAN, STRATA, covers, digits

LABELLED = labelled(2 * HUMAN, GRADE, GRADE, STRATA)  # human grades 0 and 2


def test_the_worked_example() -> None:
    found = rates(LABELLED, threshold=2)
    assert digits(found.share_machine, places=3) == [0.194]
    assert digits(found.share_human.value, places=5) == [0.26714]
    values = [each.value for each in (found.precision, found.true_positive_rate, found.false_positive_rate)]
    assert digits(*values) == [0.6339, 0.4604, 0.0969]
    assert digits(found.agreement.value, found.kappa.value) == [0.7848, 0.3981]
    assert digits(found.false_negative_rate.value, found.over_rating.value) == [0.5396, -0.0731]
    assert (found.precision.sampled, found.true_positive_rate.sampled) == (38, 53)
    table = weighted_table(LABELLED, 4)
    assert table.sum() == pytest.approx(1000) and table[2, 2] == pytest.approx(138 * 17 / 28)


def test_kappa_of_a_large_pool_has_the_error_of_statsmodels() -> None:
    rng = np.random.default_rng(1)
    f = rng.integers(0, 4, 400)
    y = np.where(rng.random(400) < 0.4, f, rng.integers(0, 4, 400))
    found = kappa(labelled(y, f, np.zeros(400), [SampleStratum("pool", 10**9, 400)]), 4)
    theirs = cohens_kappa(np.histogram2d(f, y, bins=4)[0])
    assert found.value == pytest.approx(theirs.kappa)
    assert found.error == pytest.approx(theirs.std_kappa, rel=0.002)
    assert (found.low, found.high) == pytest.approx((theirs.kappa_low, theirs.kappa_upp), rel=0.01)


PRINTED = {  # kappa of four grades, kappa at 2 and above, share at 2 and above
    "willia-umbrela1": (0.2863, 0.3985, 0.1938),
    "h2oloo-zeroshot1": (0.2817, 0.3901, 0.1910),
    "h2oloo-fewself": (0.2774, 0.4280, 0.2761),
    "Olz-gpt4o": (0.2625, 0.3657, None),
    "NISTRetrieval-instruct0": (0.1877, 0.3021, None),
    "TREMA-4prompts": (0.1829, 0.2697, 0.5980),
}


@pytest.mark.parametrize("machine", PRINTED)
def test_the_printed_kappas_of_real_judges(machine: str) -> None:
    human, other = grades(machine)
    everything = labelled(human, other, np.zeros(len(human)), [SampleStratum("pool", len(human), len(human))])
    found = rates(everything, 2)
    graded, binary, share = PRINTED[machine]
    assert digits(kappa(everything, 4).value, found.kappa.value) == [graded, binary]
    assert share is None or digits(found.share_machine, found.share_human.value) == [share, 0.2679]
    assert found.kappa.error == 0 and found.precision.error == 0


@pytest.mark.parametrize(
    ("machine", "tpr", "fpr"), [("willia-umbrela1", 0.460, 0.096), ("h2oloo-fewself", 0.592, 0.160)]
)
def test_the_printed_rates_of_real_judges(machine: str, tpr: float, fpr: float) -> None:
    human, other = grades(machine)
    found = rates(
        labelled(human, other, np.zeros(len(human)), [SampleStratum("", len(human), len(human))]), 2
    )
    assert digits(found.true_positive_rate.value, found.false_positive_rate.value, places=3) == [tpr, fpr]


def test_rates_and_kappa_are_covered_by_their_intervals() -> None:
    rng = np.random.default_rng(8)
    machine = np.sort(rng.choice(4, 2000, p=[0.5, 0.25, 0.15, 0.1]))
    human = np.where(rng.random(2000) < 0.45, machine, rng.choice(4, 2000, p=[0.6, 0.2, 0.1, 0.1]))
    sizes = np.bincount(machine)
    strata = [SampleStratum("", int(size), n) for size, n in zip(sizes, (80, 50, 40, 30), strict=True)]
    everything = labelled(human, machine, machine, [each._replace(sampled=each.documents) for each in strata])
    truth = [each.value for each in rates(everything, 2)[1:]] + [kappa(everything, 4).value]
    covered = np.zeros(len(truth))
    for _ in range(300):
        drawn = [
            rng.choice(np.flatnonzero(machine == g), each.sampled, replace=False)
            for g, each in enumerate(strata)
        ]
        places = np.concatenate(drawn)
        labels = labelled(human[places], machine[places], machine[places], strata)
        found = [*rates(labels, 2)[1:], kappa(labels, 4)]
        covered += [covers(each, true) for each, true in zip(found, truth, strict=True)]
    assert (covered / 300 > 0.915).all() and (covered / 300 < 0.985).all()


def test_a_row_for_each_machine_grade() -> None:
    rows = by_grade(LABELLED, 5, threshold=2)
    assert [row.sampled for row in rows] == [106, 56, 28, 10, 0]
    assert [row.documents for row in rows] == pytest.approx([528, 278, 138, 56, 0])
    assert digits(rows[2].calibrated.value, rows[2].over_rating.value) == [1.2143, 0.7857]
    assert rows[2].over_rating.low is not None and rows[2].over_rating.low < 0.7857
    assert digits(rows[3].relevant.value) == [0.7] and "Wilson" in rows[3].relevant.note
    assert over_rating(LABELLED, GRADE == 3) == rows[3].over_rating
    assert over_rating(LABELLED, np.arange(200) < 4).low is None
    assert rows[4].relevant.value is None and rows[4].over_rating.value is None and rows[4].relevant.note


def test_kappa_without_labels_rests_on_none() -> None:
    nothing = labelled([], [], [], [SampleStratum("pool", 90, 0)])
    without = kappa(nothing, 4)
    assert (without.value, without.low, without.sampled) == (None, None, 0)
    assert rates(nothing, 2).kappa.sampled == 0


def test_calibration() -> None:
    strata = [SampleStratum("0", 90, 30), SampleStratum("1", 10, 10)]
    stratum = [0] * 30 + [1] * 10
    found = calibration([0.05] * 30 + [1.0] * 10, [0] * 27 + [1] * 3 + [1] * 8 + [0] * 2, stratum, strata)
    assert found.error == pytest.approx(0.9 * abs(0.05 - 0.1) + 0.1 * abs(1 - 0.8))
    first, last = found.bins[0], found.bins[-1]
    assert (first.sampled, last.mean, found.bins[4].mean) == (30, 1, None)
    assert (first.weight, first.mean) == pytest.approx((0.9, 0.05))
    assert first.relevant.low is not None and first.relevant.low > 0
    assert last.relevant.error == 0  # all documents of the stratum have a label
    assert calibration([], [], [], strata).error is None
    with pytest.raises(ValueError, match="probability"):
        calibration([1.5], [1], [0], strata)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2)), max_size=30),
    st.integers(0, 20),
    st.integers(0, 4),
)
def test_every_shape_gives_rates_or_reasons(
    rows: list[tuple[int, int, int]], more: int, threshold: int
) -> None:
    y, f, stratum = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    counts = np.bincount(stratum, minlength=3).tolist()
    labels = labelled(y, f, stratum, [SampleStratum(str(i), n + more, n) for i, n in enumerate(counts)])
    found = [*rates(labels, threshold)[1:], kappa(labels, 4)]
    found += [each for row in by_grade(labels, 4, threshold) for each in row[3:]]
    for each in found:
        assert each.value is not None or each.note
        assert each.low is not None or each.note
        if each.low is not None and each.high is not None and each.value is not None:
            assert each.low - 1e-12 <= each.value <= each.high + 1e-12
            assert more == 0 or each.low < each.high


def test_programming_errors_of_confusions() -> None:
    with pytest.raises(ValueError, match="grades from 0 to 1"):
        weighted_table(LABELLED, 2)
    with pytest.raises(ValueError, match="machine grades"):
        labelled([1], [1, 2], [0], STRATA)


@pytest.mark.parametrize("right", [0.93, 0.6])
@pytest.mark.parametrize("labels", [50, 100, 200])
def test_rare_grades_mislead_in_few_audits(right: float, labels: int) -> None:
    """With 5 % relevant, at most 6 % of audits show an interval that misses; few labels show none."""
    rng = np.random.default_rng(5)
    human = rng.choice(4, 4000, p=[0.95, 0.025, 0.015, 0.01])
    machine = np.where(rng.random(4000) < right, human, rng.integers(0, 4, 4000))
    sizes = np.bincount(machine).tolist()
    strata = [SampleStratum("", *each) for each in zip(sizes, allocate(sizes, labels, least=5), strict=True)]
    everything = labelled(human, machine, machine, [SampleStratum("", size, size) for size in sizes])
    truth, shown, missed = (kappa(everything, 4).value, human.mean()), 0, np.zeros(2)
    for seed in range(200):
        places = draw(machine, [each.sampled for each in strata], seed)
        y, f = human[places], machine[places]
        found = kappa(labelled(y, f, f, strata), 4), stratified(y, f, strata, share=False)
        shown += found[0].low is not None
        missed += [
            each.low is not None and not covers(each, true) for each, true in zip(found, truth, strict=True)
        ]
    assert (missed / 200 <= 0.06).all() and (shown < 60 if labels < 200 else shown > 100)
