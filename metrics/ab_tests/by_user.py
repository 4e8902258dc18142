"""One value per user: the events of one user are not independent, so that users are counted, not events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from metrics.ab_tests.outcomes import ANY, RATIO, ROWS, SUM, Outcome
from pooling.arrays import Flags, IntVector, Vector


class Sample(NamedTuple):
    """The users of a variant, on one outcome. n: those with a value. variance: of one user, with n - 1.

    mean: undefined (None) without a user; variance: without two. A ratio of sums has as variance that of its
    linearised values, so that variance / n is the squared standard error of every mean here.
    """

    n: int
    mean: float | None = None
    variance: float | None = None


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a file. variant, user: shape (rows,), places in `variants` and from 0 to `users` - 1.

    columns: name -> values of shape (rows,), NaN where a row has none.
    """

    variants: Sequence[str]
    users: int
    variant: IntVector
    user: IntVector
    columns: Mapping[str, Vector]


class Population(NamedTuple):
    """The users of an A/B test. users, rows: of each variant, without those who saw several variants.

    both: users who saw several; they are in no other figure. samples: outcome -> variant -> sample.
    """

    users: Mapping[str, int]
    rows: Mapping[str, int]
    both: int
    samples: Mapping[str, Mapping[str, Sample]]


def population_of(rows: Rows, outcomes: Sequence[Outcome]) -> Population:
    """Return the figures of all users. Users who saw several variants are left out."""
    low = np.full(rows.users, len(rows.variants), dtype=np.int64)
    high = np.full(rows.users, -1, dtype=np.int64)
    np.minimum.at(low, rows.user, rows.variant)
    np.maximum.at(high, rows.user, rows.variant)
    mixed = low != high
    kept = ~mixed[rows.user]
    count = len(rows.variants)
    users = np.bincount(low[~mixed], minlength=count).tolist()
    lines = np.bincount(rows.variant[kept], minlength=count).tolist()
    samples = {}
    for outcome in outcomes:
        value, has_value, below = user_values(rows, outcome)
        own = [has_value & ~mixed & (low == place) for place in range(count)]
        samples[outcome.name] = {
            name: ratio_sample(value[who], below[who]) if outcome.how == RATIO else sample_of(value[who])
            for name, who in zip(rows.variants, own, strict=True)
        }
    named = rows.variants
    return Population(
        dict(zip(named, users, strict=True)), dict(zip(named, lines, strict=True)), int(mixed.sum()), samples
    )


def user_values(rows: Rows, outcome: Outcome) -> tuple[Vector, Flags, Vector]:
    """Return the value of each user, whether there is one, and what is below it in a ratio.

    Shape (users,). A row without a value does not count, nor does one that lacks a side of a ratio.
    """
    values = rows.columns[outcome.column]
    below = rows.columns[outcome.over] if outcome.over not in ("", ROWS) else np.ones(len(values))
    given = ~(np.isnan(values) | np.isnan(below))
    user, values, below = rows.user[given], values[given], below[given]
    counts = np.bincount(user, minlength=rows.users)
    has_value = counts > 0
    under = np.asarray(np.bincount(user, below, minlength=rows.users), dtype=np.float64)
    if outcome.how == ANY:
        positive = np.bincount(user, values > 0, minlength=rows.users)
        return np.asarray(positive > 0, dtype=np.float64), has_value, under
    sums = np.asarray(np.bincount(user, values, minlength=rows.users), dtype=np.float64)
    if outcome.how in (SUM, RATIO):
        return sums, has_value, under
    return sums / np.maximum(counts, 1), has_value, under


def sample_of(values: Vector) -> Sample:
    """Return the mean and the variance of values, one for each user.

    >>> sample_of(np.array([1.0, 2.0, 3.0]))
    Sample(n=3, mean=2.0, variance=1.0)
    """
    n = len(values)
    return Sample(
        n,
        float(values.mean()) if n else None,
        float(values.var(ddof=1)) if n > 1 else None,
    )


def ratio_sample(above: Vector, below: Vector) -> Sample:
    """Return a ratio of sums and its variance by the delta method, with the user as the unit.

    The variance is that of (above - ratio x below) / mean of below. Deng, Knoblich & Lu 2018, Applying the
    Delta Method in Metric Analytics (KDD). A sum below of 0 has no ratio.

    >>> ratio_sample(np.array([1.0, 2.0]), np.array([2.0, 4.0]))
    Sample(n=2, mean=0.5, variance=0.0)
    """
    n, total = len(above), float(below.sum())
    if not n or not total:
        return Sample(n)
    ratio = float(above.sum()) / total
    linear = (above - ratio * below) / (total / n)
    return Sample(n, ratio, float(linear.var(ddof=1)) if n > 1 else None)
