"""Whether a machine judge favours the documents of some runs, such as those built on the same model."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assess.corrections import holm
from pooling.arrays import Flags, IntVector, Vector

DRAWS = 10_000
LEAST_IN_GROUP = 30  # labels inside and outside a group that its test needs
EXPECTED_IN_GROUP = 40  # labels expected, of which 19 of 20 samples hold LEAST_IN_GROUP
ONE_SIDE = "no grade of people has labels both inside and outside the group"
ONE_GROUP = "all runs are of one group"
NO_SPREAD = "of each grade of people, all labels of the machine differ from it by the same amount"


class Sides(NamedTuple):
    """Documents of the pool that the runs of a group retrieved, and that only other runs did."""

    members: int
    others: int

    @property
    def testable(self) -> bool:
        """Whether a sample of the pool can have enough labels on both sides."""
        return min(self) >= LEAST_IN_GROUP


class ComparedPool(NamedTuple):
    """What tests for bias can compare. documents: of the pool. sides: name of a run group -> its sides."""

    documents: int
    sides: Mapping[str, Sides]

    def labels_for_test(self, group: str) -> int:
        """Return about how many labels of a sample in proportion the test of a group needs.

        All documents of the pool, if a side has too few of them.

        >>> ComparedPool(1000, {"A": Sides(400, 100), "B": Sides(485, 15)}).labels_for_test("A")
        400
        """
        smaller = min(self.sides[group])
        return (
            self.documents
            if smaller < EXPECTED_IN_GROUP
            else ceil(EXPECTED_IN_GROUP * self.documents / smaller)
        )

    @property
    def labels_for_tests(self) -> int:
        """About how many labels the tests of all groups need that a part of the pool can give; 0 if none."""
        testable = [name for name, sides in self.sides.items() if sides.testable]
        return max(map(self.labels_for_test, testable), default=0)


class Circularity(NamedTuple):
    """The test of one group of runs.

    statistic: sum over strata of (mean residual of the group's documents - mean residual of the rest), each
    times n_group n_rest / (n_group + n_rest). over_rating: how many grades the machine rates the group's
    documents higher than others to which people gave the same grade; below 0 lower. p: two-sided, of this
    test alone. members, others: number of labels inside and outside the group, in strata that have
    both. corrected: p after Holm's correction for all groups of the audit. note: why statistic, over_rating
    and p are None.
    """

    statistic: float | None
    over_rating: float | None
    p: float | None
    members: int = 0
    others: int = 0
    corrected: float | None = None
    note: str = ""


def circularity(
    residual: npt.ArrayLike,
    stratum: npt.ArrayLike,
    member: npt.ArrayLike,
    draws: int = DRAWS,
    seed: int = 0,
) -> Circularity:
    """Return whether the residuals of a group's documents differ from those of the rest.

    residual: y - f, human minus machine grade of every label; stratum: its human grade y; member: whether a
    run of the group retrieved the document; each of shape (labels,). The test permutes the members within
    strata, `draws` times, and p = (1 + permutations at least as far from 0) / (1 + draws) (Phipson and Smyth
    2010). The same seed gives the same p with the same version of NumPy.

    Strata of human grades make it a test of the machine: if its errors do not depend on the group, f is
    independent of the group given y, also where the group's runs are better or worse than others. Within
    strata of machine grades y would depend on the group then, and honest machines would be accused. A sample
    stratified by machine grade changes nothing, since it selects by f only. Human grades are taken as right:
    where people err often, a group of better documents can still seem to be favoured.

    Undefined if no stratum has labels inside and outside the group, or if residuals differ in none of these.
    Raises ValueError for inputs of different lengths.
    """
    off, of = np.asarray(residual, dtype=np.float64).reshape(-1), np.asarray(stratum).reshape(-1)
    inside = np.asarray(member, dtype=np.bool_).reshape(-1)
    if not len(off) == len(of) == len(inside):
        raise ValueError(f"expected {len(off)} strata and members, found {len(of)} and {len(inside)}")
    rng, shared = np.random.default_rng(seed), _with_both(of, inside)
    members, others = int(inside[shared].sum()), int((~inside[shared]).sum())
    if not members:
        return Circularity(None, None, None, note=ONE_SIDE)
    statistic, weight, spread, permuted = 0.0, 0.0, False, np.zeros(draws)
    for stratum_index in np.unique(of[shared]):
        values, group = off[of == stratum_index], inside[of == stratum_index]
        values = values - values.mean()
        statistic += float(values[group].sum())
        weight += group.sum() * (~group).sum() / len(group)
        spread |= bool(np.ptp(values))
        permuted += _permuted_sums(values, int(group.sum()), draws, rng)
    if not spread:
        return Circularity(None, None, None, members, others, note=NO_SPREAD)
    as_far = np.abs(permuted) >= abs(statistic) - 1e-9 * np.abs(off).max()
    p = (1 + int(as_far.sum())) / (1 + draws)
    return Circularity(statistic, -statistic / weight, p, members, others)


def circularities(
    residual: npt.ArrayLike,
    stratum: npt.ArrayLike,
    groups: Mapping[str, npt.ArrayLike],
    draws: int = DRAWS,
    seed: int = 0,
) -> dict[str, Circularity]:
    """Return the test of every group, with p corrected by Holm for the tests that are defined (Holm 1979).

    groups: name -> member, as in `circularity`.
    """
    tests = {name: circularity(residual, stratum, member, draws, seed) for name, member in groups.items()}
    corrected = holm([test.p for test in tests.values()]).p
    return {
        name: test._replace(corrected=p) for (name, test), p in zip(tests.items(), corrected, strict=True)
    }


def _with_both(stratum: npt.NDArray[np.generic], inside: Flags) -> Flags:
    """Return which labels are in a stratum with labels inside and outside the group."""
    return np.isin(stratum, stratum[inside]) & np.isin(stratum, stratum[~inside])


def _permuted_sums(values: Vector, members: int, draws: int, rng: np.random.Generator) -> Vector:
    """Return sums of `members` values drawn without replacement, shape (draws,).

    Equal values are counted instead of drawn one by one: the counts have a multivariate hypergeometric
    distribution.
    """
    different, counts = np.unique(values, return_counts=True)
    drawn: IntVector = rng.multivariate_hypergeometric(counts, members, size=draws)
    sums: Vector = drawn @ different
    return sums
