"""Paired t-tests of many systems, corrected: of every pair, or of each against a baseline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assess.corrections import CORRECTIONS
from metrics.measures.base import Direction
from metrics.rankings.ranking import upward
from metrics.significance.all_pairs import ALPHA, AllPairs, new_all_pairs
from metrics.significance.paired import (
    ALL_EQUAL,
    ALL_ZERO,
    EffectSize,
    PairedTest,
    d_z,
    paired_differences,
    paired_t_test,
    sign_test,
    t_and_p,
    wilcoxon_test,
)
from metrics.significance.resampling import paired_bootstrap_tests, randomisation_tests
from pooling.arrays import Matrix, Vector

PairedTests = Callable[[Sequence[Vector], Vector], list[PairedTest]]


def _one_by_one(test: Callable[[Vector, Vector], PairedTest]) -> PairedTests:
    return lambda firsts, second: [test(first, second) for first in firsts]


PAIRED_TESTS: dict[str, PairedTests] = {
    "t": _one_by_one(paired_t_test),
    "randomisation": randomisation_tests,
    "bootstrap": paired_bootstrap_tests,
    "wilcoxon": _one_by_one(wilcoxon_test),
    "sign": _one_by_one(sign_test),
}
"""name -> the test of several systems against one. Those that draw use the same draws for every system."""


@dataclass(frozen=True)
class AgainstBaseline:
    """One system against the baseline.

    system: its column. test: uncorrected, the system less the baseline. corrected: p for all comparisons,
    None where the test has none. correction, comparisons: by what and for how many. wins, losses, ties:
    topics.
    """

    system: int
    test: PairedTest
    corrected: float | None
    correction: str
    comparisons: int
    effect: EffectSize
    wins: int
    losses: int
    ties: int


def against_baseline(
    values: Matrix,
    baseline: int,
    test: str = "t",
    correction: str = "holm",
    direction: Direction = "higher",
) -> list[AgainstBaseline]:
    """Compare every other system with one of them.

    values: scores of shape (topics, systems). test: a key of PAIRED_TESTS. correction: a key of CORRECTIONS.
    direction: which values are better, so which topics are wins; "neither" counts the higher ones as such.
    Raises KeyError for another one, IndexError for a baseline that is no column.
    """
    others = [system for system in range(values.shape[1]) if system != range(values.shape[1])[baseline]]
    results = PAIRED_TESTS[test]([values[:, system] for system in others], values[:, baseline])
    corrected = CORRECTIONS[correction]([result.p for result in results])
    rows = []
    for system, result, p in zip(others, results, corrected.p, strict=True):
        differences = paired_differences(values[:, system], values[:, baseline])
        gains = upward(differences, direction)
        wins, losses = int((gains > 0).sum()), int((gains < 0).sum())
        effect = d_z(values[:, system], values[:, baseline])
        rows.append(
            AgainstBaseline(
                system, result, p, corrected.name, corrected.comparisons, effect,
                wins, losses, len(differences) - wins - losses,
            )
        )  # fmt: skip
    return rows


def pairwise_t_tests(values: Matrix, correction: str = "holm", alpha: float = ALPHA) -> AllPairs:
    """Return the paired t-test of every pair, corrected for their number.

    values: scores of shape (topics, systems). correction: a key of CORRECTIONS; KeyError for another one. The
    statistic is t. A pair whose differences do not vary has no p and is not counted as a comparison.
    Undefined for fewer than two topics or systems.
    """
    test = new_all_pairs("paired t-test", values, alpha)
    systems = values.shape[1]
    if test.reason:
        return test
    rows, columns = np.triu_indices(systems, 1)
    pairs = list(zip(rows.tolist(), columns.tolist(), strict=True))
    differences = np.column_stack(
        [paired_differences(values[:, one], values[:, other]) for one, other in pairs]
    )
    of_pairs, raw = t_and_p(differences)
    undefined = tuple(
        (pair, ALL_EQUAL if differences[:, index].any() else ALL_ZERO)
        for index, pair in enumerate(pairs)
        if raw[index] is None
    )
    t, p = np.zeros((systems, systems)), np.ones((systems, systems))
    t[rows, columns] = [statistic or 0.0 for statistic in of_pairs]
    t -= t.T
    corrected = CORRECTIONS[correction](raw)
    p[rows, columns] = p[columns, rows] = [1.0 if value is None else value for value in corrected.p]
    return replace(
        test, name=f"paired t-test, {corrected.name}", comparisons=corrected.comparisons, statistic=t, p=p,
        undefined=undefined,
    )  # fmt: skip
