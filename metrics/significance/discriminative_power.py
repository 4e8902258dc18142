"""Discriminative power: the share of pairs of systems with a significant difference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from metrics.significance.all_pairs import AllPairs
from metrics.significance.tukey import randomised_tukey_hsd
from pooling.arrays import Matrix


@dataclass(frozen=True)
class DiscriminativePower:
    """The discriminative power of a measure.

    test: its name. n: topics. pairs: that have a p. share: of them with p <= alpha, None without pairs, when
    `reason` says why. curve: their p values (achieved significance levels), the largest first: the lower the
    curve, the more the measure discriminates. critical: the difference beyond which a pair is significant.
    """

    measure: str
    test: str
    alpha: float
    n: int
    pairs: int
    significant: int
    share: float | None
    curve: tuple[float, ...]
    critical: float | None
    reason: str = ""


def discriminative_power(
    values: Mapping[str, Matrix], test: Callable[[Matrix], AllPairs] = randomised_tukey_hsd
) -> list[DiscriminativePower]:
    """Return the discriminative power of measures on the same systems and topics, the highest first.

    values: measure -> scores of shape (topics, systems). test: of all pairs, at its alpha. A
    discriminating measure is stable, which does not mean that it is valid. Sakai 2006, 2012.
    """
    powers = [_of_measure(measure, test(scores)) for measure, scores in values.items()]
    return sorted(powers, key=lambda power: -1.0 if power.share is None else power.share, reverse=True)


def _of_measure(measure: str, pairs: AllPairs) -> DiscriminativePower:
    undefined_pairs = {pair for pair, _ in pairs.undefined}
    curve: list[float] = []
    if pairs.p is not None:
        rows, columns = np.triu_indices(len(pairs.means), 1)
        pair_indices = zip(rows.tolist(), columns.tolist(), strict=True)
        curve = sorted(
            (float(pairs.p[pair]) for pair in pair_indices if pair not in undefined_pairs), reverse=True
        )
    significant = sum(p <= pairs.alpha for p in curve)
    share = significant / len(curve) if curve else None
    reason = "" if curve else pairs.reason or "no pair of systems has differences that vary"
    return DiscriminativePower(
        measure, pairs.name, pairs.alpha, pairs.n, len(curve), significant, share, tuple(curve),
        pairs.critical, reason,
    )  # fmt: skip
