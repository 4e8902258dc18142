"""Analytic standard errors.

They take documents as independent of each other. Documents of one topic are not quite independent: a
bootstrap over topics is more reliable.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assess.kappa.coefficient import Floats, ratio
from assess.kappa.statistics import coincidences_of
from assess.kappa.tables import Counts
from assess.kappa.two_judges import cell_shares, mixed_chance, pooled_chance
from assess.kappa.weights import Differences, Values

Chance = Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]


def cohen_error(tables: Floats, weights: Floats) -> Floats:
    """Return the large-sample standard error of Cohen's kappa of tables (..., grades, grades).

    Fleiss, Cohen & Everitt 1969, formula 13 for weighted kappa; with identity weights it is their error of
    unweighted kappa.
    """
    shares, n = cell_shares(tables), tables.sum(axis=(-2, -1))
    by_chance, mean_weights = _marginals(shares, weights)
    observed, expected = ((each * weights).sum(axis=(-2, -1)) for each in (shares, by_chance))
    po, pe = observed[..., None, None], expected[..., None, None]
    squares = (shares * (weights * (1 - pe) - mean_weights * (1 - po)) ** 2).sum(axis=(-2, -1))
    spread = squares - (observed * expected - 2 * expected + observed) ** 2
    root = np.sqrt(np.maximum(ratio(spread, n), 0))
    return ratio(ratio(root, 1 - expected), 1 - expected)


def _marginals(shares: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return the cell shares expected by chance, and for each cell the mean weight of its row and column."""
    rows, columns = shares.sum(axis=-1), shares.sum(axis=-2)
    mean_weights = (columns @ weights.T)[..., :, None] + (rows @ weights)[..., None, :]
    return rows[..., :, None] * columns[..., None, :], np.asarray(mean_weights)


# Gwet's linearised errors: the contribution of one item to the coefficient, directly and through prevalences


def no_chance(prevalence: Floats, weights: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Expected agreement is 0: percent agreement."""
    return np.zeros(prevalence.shape[:-1]), np.zeros(shares.shape[:-1])


def even_chance(prevalence: Floats, weights: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """All grades are equally likely: Bennett's S."""
    expected = np.broadcast_to(weights.mean(), prevalence.shape[:-1])
    return expected, np.broadcast_to(expected[..., None], (*expected.shape, len(shares)))


def drawn_chance(prevalence: Floats, weights: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Grades are as frequent as they were given: Scott's pi, Fleiss' kappa."""
    return pooled_chance(prevalence, weights), (prevalence @ weights) @ shares.T


def gwet_chance(prevalence: Floats, weights: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Chance is a random label, weighted by how mixed the grades are: AC1, AC2."""
    grades = len(weights)
    scaled = weights.sum() / (grades * (grades - 1))
    return mixed_chance(prevalence, weights), scaled * ((1 - prevalence) @ shares.T)


def linearised_error(counts: Counts, items: Floats, weights: Floats, chance: Chance) -> Floats:
    """Return the standard error of percent agreement, S, pi, Fleiss' kappa, AC1 or AC2 (Gwet 2014, 2008).

    counts: labels by grade of each pattern, shape (patterns, grades). items: number of items with each
    pattern, (..., patterns); those with one label do not count. chance: returns the expected agreement (...)
    and its slope per pattern. nan with fewer than two items, and where the coefficient is undefined. Returns
    shape (...).
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


def alpha_error(counts: Counts, items: Floats, difference: Differences, values: Values) -> Floats:
    """Return the standard error of Krippendorff's alpha (Gwet 2014), for fixed differences.

    counts, items: as in `linearised_error`, which also says where the result is nan. Returns shape (...).
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
    excess = labels / mean_labels - 1  # items with more labels than others have more weight
    # here Gwet uses the observed agreement with Krippendorff's correction for few labels
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
