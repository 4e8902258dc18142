"""Analytic standard errors. All take documents as independent of each other, which those of one topic are
not quite: a bootstrap over topics is the more honest one."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assess.kappa.coefficient import Floats, figure, ratio
from assess.kappa.confusion import Counts
from assess.kappa.tally import coincidences_of
from assess.kappa.two_judges import mixed_chance, pooled_chance, shares_of
from assess.kappa.weights import Differences, Values

Chance = Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]


class StandardErrors(NamedTuple):
    """Of Cohen's kappa: around the estimate, for an interval; under the hypothesis that kappa is 0; and the
    simple one of 1960, which takes chance agreement as known."""

    estimate: float
    null: float
    simple: float


def cohen_errors(counts: npt.ArrayLike, weights: Floats | None = None) -> StandardErrors | None:
    """Return standard errors of Cohen's kappa of one table (Fleiss, Cohen & Everitt 1969; Cohen 1960).

    weights: of shape (grades, grades), the identity unless given. None where kappa is undefined.

    >>> [round(error, 4) for error in cohen_errors([[300, 20], [10, 70]])]
    [0.0389, 0.0499, 0.0393]
    """
    tables = np.asarray(counts, dtype=float)
    weights = np.eye(len(tables)) if weights is None else weights
    errors = [figure(error(tables, weights)) for error in (cohen_error, _null_error, _simple_error)]
    found = [error for error in errors if error is not None]
    return StandardErrors(*found) if len(found) == len(errors) else None


def cohen_error(tables: Floats, weights: Floats) -> Floats:
    """Return the large-sample standard error of Cohen's kappa of tables (..., grades, grades).

    Fleiss, Cohen & Everitt 1969, formula 13 for weighted kappa; the identity as weights gives theirs for the
    unweighted one.
    """
    shares, n = shares_of(tables), tables.sum(axis=(-2, -1))
    by_chance, mean_weights = _marginals(shares, weights)
    observed, expected = ((each * weights).sum(axis=(-2, -1)) for each in (shares, by_chance))
    po, pe = observed[..., None, None], expected[..., None, None]
    squares = (shares * (weights * (1 - pe) - mean_weights * (1 - po)) ** 2).sum(axis=(-2, -1))
    spread = squares - (observed * expected - 2 * expected + observed) ** 2
    root = np.sqrt(np.maximum(ratio(spread, n), 0))
    return ratio(ratio(root, 1 - expected), 1 - expected)


def _null_error(tables: Floats, weights: Floats) -> Floats:
    shares, n = shares_of(tables), tables.sum(axis=(-2, -1))
    by_chance, mean_weights = _marginals(shares, weights)
    expected = (by_chance * weights).sum(axis=(-2, -1))
    spread = (by_chance * (weights - mean_weights) ** 2).sum(axis=(-2, -1)) - expected**2
    return ratio(np.sqrt(np.maximum(ratio(spread, n), 0)), 1 - expected)


def _simple_error(tables: Floats, weights: Floats) -> Floats:
    shares, n = shares_of(tables), tables.sum(axis=(-2, -1))
    observed, expected = (
        (each * weights).sum(axis=(-2, -1)) for each in (shares, _marginals(shares, weights)[0])
    )
    spread = (shares * weights**2).sum(axis=(-2, -1)) - observed**2  # po (1 - po) where weights are 0 and 1
    return ratio(np.sqrt(np.maximum(ratio(spread, n), 0)), 1 - expected)


def _marginals(shares: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the shares that chance would give, and of each cell the mean weight of its row and column."""
    rows, columns = shares.sum(axis=-1), shares.sum(axis=-2)
    mean_weights = (columns @ weights.T)[..., :, None] + (rows @ weights)[..., None, :]
    return rows[..., :, None] * columns[..., None, :], np.asarray(mean_weights)


# Gwet's linearised errors: what one item adds to the coefficient, directly and by moving the prevalences


def no_chance(prevalence: Floats, weights: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Nothing is expected: percent agreement."""
    return np.zeros(prevalence.shape[:-1]), np.zeros(shares.shape[:-1])


def even_chance(prevalence: Floats, weights: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Every grade alike: Bennett's S."""
    expected = np.broadcast_to(weights.mean(), prevalence.shape[:-1])
    return expected, np.broadcast_to(expected[..., None], (*expected.shape, len(shares)))


def drawn_chance(prevalence: Floats, weights: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Grades as often as they were given: Scott's pi, Fleiss' kappa."""
    return pooled_chance(prevalence, weights), (prevalence @ weights) @ shares.T


def gwet_chance(prevalence: Floats, weights: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """A random label where grades are mixed: AC1, AC2."""
    grades = len(weights)
    scaled = weights.sum() / (grades * (grades - 1))
    return mixed_chance(prevalence, weights), scaled * ((1 - prevalence) @ shares.T)


def linearised_error(counts: Counts, items: Floats, weights: Floats, chance: Chance) -> Floats:
    """Return the standard error of percent agreement, S, pi, Fleiss' kappa, AC1 or AC2 (Gwet 2014, 2008).

    counts: labels of each grade, of each pattern, shape (patterns, grades). items: how many items have each
    pattern, (..., patterns); those with one label do not count. chance: the expected agreement (...) and, per
    pattern, its slope. nan with fewer than two items, and where the coefficient is undefined. Returns shape
    (...).
    """
    counts, items = counts[(pairable := counts.sum(axis=1) > 1)], items[..., pairable]
    shares, n = counts / counts.sum(axis=1, keepdims=True), items.sum(axis=-1)
    agreeing = _agreeing(counts, weights)
    expected, slope = chance(ratio(items @ shares, n[..., None]), weights, shares)
    observed = ratio(items @ agreeing, n)
    value = ratio(observed - expected, 1 - expected)
    own = agreeing - expected[..., None]
    moved = 2 * (1 - value)[..., None] * (slope - expected[..., None])
    return _error(ratio(own - moved, (1 - expected)[..., None]), value, items)


def fleiss_null_error(counts: Counts) -> float | None:
    """Return the standard error of Fleiss' kappa under the hypothesis that it is 0.

    counts: labels of each grade, of each item, shape (items, grades). None where items have unequal numbers
    of labels, for which it is not made, or one label each, or where all labels are the same.
    Fleiss, Nee & Landis 1979.

    >>> round(fleiss_null_error(np.array([[2, 0], [1, 1], [0, 2]])), 4)
    0.5774
    """
    labels = counts.sum(axis=1)
    if not len(counts) or labels.min() != labels.max() or labels[0] < 2:
        return None
    share = counts.sum(axis=0) / counts.sum()
    mixed = share * (1 - share)
    spread = mixed.sum() ** 2 - (mixed * (1 - 2 * share)).sum()
    pairs = len(counts) * labels[0] * (labels[0] - 1)
    return figure(ratio(np.sqrt(2 * np.maximum(spread, 0) / pairs), mixed.sum()))


def alpha_error(counts: Counts, items: Floats, difference: Differences, values: Values) -> Floats:
    """Return the standard error of Krippendorff's alpha (Gwet 2014). For differences that the scale fixes.

    counts, items: as in `linearised_error`, which also says where it is nan. Returns shape (...).
    """
    counts, items = counts[(pairable := counts.sum(axis=1) > 1)], items[..., pairable]
    labels, n = counts.sum(axis=1), items.sum(axis=-1)
    given = items @ labels
    mean_labels = ratio(given, n)[..., None]
    apart = difference(counts.sum(axis=0, dtype=float), values)
    weights = 1 - apart / max(apart.max(), 1)
    agreeing = _agreeing(counts, weights) * labels / mean_labels
    prevalence = ratio(items @ counts, given[..., None])
    observed, expected = ratio((items * agreeing).sum(axis=-1), n), pooled_chance(prevalence, weights)
    value, by_chance = ratio(observed - expected, 1 - expected), expected[..., None]
    excess = labels / mean_labels - 1  # items with more labels than others weigh more
    # Gwet takes the observed agreement here with Krippendorff's correction for few labels
    corrected = observed + ratio(1 - observed, given)
    own = agreeing - corrected[..., None] * excess - by_chance
    moved = (prevalence @ weights) @ counts.T / mean_labels - by_chance * excess - by_chance
    return _error(ratio(own - 2 * (1 - value)[..., None] * moved, 1 - by_chance), value, items)


def _agreeing(counts: Counts, weights: Floats) -> Floats:
    """Return the share of each pattern's pairs of labels that agree; 0 for a single label."""
    labels = counts.sum(axis=1)
    pairs = (coincidences_of(counts) * weights).sum(axis=(-2, -1))
    return np.asarray(pairs / np.maximum(labels * (labels - 1), 1))


def _error(linear: Floats, value: Floats, items: Floats) -> Floats:
    n = items.sum(axis=-1)
    spread = (items * (linear - value[..., None]) ** 2).sum(axis=-1)
    return np.asarray(np.sqrt(ratio(spread, n * (n - 1))))
