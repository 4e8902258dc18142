"""Every pair of many systems compared at once: the result of such a test, and its letter display."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from metrics.rankings.ranking import tie_width
from metrics.significance.paired import Interval, PairedTest, checked_finite
from pooling.arrays import Flags, Matrix, Vector

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


class LetterDisplay(NamedTuple):
    """A compact letter display.

    groups: of systems by their number, each in the order given; every pair inside a group is not different,
    and every pair that is not different is in some group. letters: of each system, by number; from the 27th
    group on letters come again with primes.
    """

    groups: tuple[tuple[int, ...], ...]
    letters: tuple[str, ...]


def letter_display(different: Flags, order: Sequence[int]) -> LetterDisplay:
    """Return the display of a test's answers (Piepho 2004 on what it must show).

    different: shape (systems, systems), symmetric: which pairs are significant. order: the systems by number,
    best first; groups come and are filled in this order. Where whatever lies between two systems that are not
    different is different from neither, as in Tukey's test, the groups are as few as can be.
    """
    together: set[frozenset[int]] = set()
    groups = []
    for index, system in enumerate(order):
        alike = [other for other in order[index + 1 :] if not different[system, other]]
        for farthest in reversed(alike):
            if frozenset((system, farthest)) not in together:
                group = _grown(different, order, [system, farthest])
                together |= {frozenset((one, other)) for one in group for other in group}
                groups.append(group)
        if not any(system in group for group in groups):
            groups.append((system,))
    letters = tuple("".join(letter(g) for g, group in enumerate(groups) if s in group) for s in sorted(order))
    return LetterDisplay(tuple(groups), letters)


def _grown(different: Flags, order: Sequence[int], group: list[int]) -> tuple[int, ...]:
    """Return the group with every system that is different from none in it, taken in order."""
    for system in order:
        if system not in group and not different[system, group].any():
            group.append(system)
    return tuple(sorted(group, key=order.index))


def letter(group: int) -> str:
    """Return what a group, numbered from 0, is called.

    >>> letter(1), letter(27)
    ('b', 'b′')
    """
    return ALPHABET[group % 26] + "′" * (group // 26)


ALPHA = 0.05
ONE_SYSTEM = "fewer than two systems"


@dataclass(frozen=True, eq=False, repr=False)
class AllPairs:
    """The result of a two-sided test of every pair of systems over the same topics, corrected for all pairs.

    name: of the test and its correction. n: topics. comparisons: pairs that have a p. means: shape
    (systems,). statistic, p: float64 of shape (systems, systems), None where the test as a whole is
    undefined; `reason` then says why, and is "" otherwise. undefined: pairs (first, second), first < second,
    and why they have no p (the matrix then holds 1, its statistic 0). critical: the difference of means
    beyond which a pair is significant at alpha, None where that is not one number. draws, seed: as in
    PairedTest.
    """

    name: str
    n: int
    alpha: float
    means: Vector
    comparisons: int
    statistic: Matrix | None = None
    p: Matrix | None = None
    critical: float | None = None
    undefined: tuple[tuple[tuple[int, int], str], ...] = ()
    reason: str = ""
    draws: int = 0
    seed: int | None = None

    def pair(self, first: int, second: int) -> PairedTest:
        """Return one pair's test; its interval holds for all pairs at once."""
        difference = float(self.means[first] - self.means[second])
        key = (min(first, second), max(first, second))
        reason = self.reason or dict(self.undefined).get(key, "")
        if reason or self.p is None or self.statistic is None:
            return PairedTest(self.name, self.n, difference, reason=reason)
        interval = None
        if self.critical is not None:
            interval = Interval(difference - self.critical, difference + self.critical, 1 - self.alpha)
        sign = -1.0 if first > second else 1.0
        return PairedTest(
            self.name, self.n, difference, sign * float(self.statistic[key]), float(self.p[key]), interval,
            draws=self.draws, seed=self.seed,
        )  # fmt: skip

    @property
    def different(self) -> Flags:
        """Which pairs are significant at alpha, shape (systems, systems); none where undefined."""
        if self.p is None:
            return np.zeros((len(self.means), len(self.means)), dtype=bool)
        return self.p <= self.alpha

    def display(self) -> LetterDisplay:
        """Return the groups of systems without significant differences, best mean first."""
        return letter_display(self.different, np.argsort(-self.means, kind="stable").tolist())


def checked_alpha(alpha: float) -> float:
    """Return alpha. Raises ValueError unless it is between 0 and 1."""
    if not 0 < alpha < 1:
        raise ValueError(f"expected an alpha between 0 and 1, found {alpha}")
    return alpha


def new_all_pairs(name: str, values: Matrix, alpha: float) -> AllPairs:
    """Return a test result without p, with the reason if the test is undefined.

    values: scores of shape (topics, systems). Raises ValueError for another shape, or values not finite.
    """
    if values.ndim != 2:
        raise ValueError(f"expected scores of shape (topics, systems), found shape {values.shape}")
    n, systems = checked_finite(values).shape
    means = values.mean(axis=0) if n else np.zeros(systems)
    reason = ONE_SYSTEM if systems < 2 else "fewer than two topics" if n < 2 else ""
    pairs = 0 if reason else systems * (systems - 1) // 2
    return AllPairs(name, n, checked_alpha(alpha), means, pairs, reason=reason)


def absolute_differences(values: Matrix) -> npt.NDArray[np.float64]:
    """Return |mean of one less mean of the other| of every pair, 0 where that is rounding only."""
    means = values.mean(axis=0)
    differences: Matrix = np.abs(means[:, None] - means[None, :])
    return np.where(differences <= tie_width(values), 0.0, differences)
