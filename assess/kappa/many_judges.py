"""Coefficients of any number of judges, from a statistics; labels may be missing.

Observed agreement is the agreement of two labels of one item, averaged over the items with two or more. Where
every item has labels of all judges these are the published formulas. Where labels are missing, every such
item counts once whatever its number of labels, as in Gwet (Handbook of Inter-Rater Reliability, 4th edition,
2014). But expected agreement is computed from the same items, as by Krippendorff, and not also from items
with one label, as by Gwet: where judges share only some of their documents, grades are not as frequent among
these as among all, and with the prevalences of all items a coefficient may fall far below -1. An Estimate is
nan where no item has two labels or expected agreement is 1.
"""

from __future__ import annotations

import numpy as np

from assess.kappa.coefficient import MIN_DOCUMENTS, CoefficientValues, Floats, beyond_chance, ratio
from assess.kappa.statistics import Statistics
from assess.kappa.two_judges import cohen_estimate, mixed_chance, pooled_chance
from assess.kappa.weights import Differences, Values


def observed_agreement(statistics: Statistics, weights: Floats) -> Floats:
    """Return the mean over items of the share of their pairs of labels that agree, shape (...)."""
    return ratio((statistics.agreement * weights).sum(axis=(-2, -1)), statistics.pairable)


def prevalence(statistics: Statistics) -> Floats:
    """Return the mean over items of the share of their labels with each grade, shape (..., grades)."""
    return ratio(statistics.shares, statistics.pairable[..., None])


def percent_of_many(statistics: Statistics, weights: Floats) -> CoefficientValues:
    """Mean over items of the share of pairs of labels that agree."""
    observed = observed_agreement(statistics, weights)
    return CoefficientValues(observed, observed, np.full_like(observed, np.nan))


def fleiss_of_many(statistics: Statistics, weights: Floats) -> CoefficientValues:
    """Fleiss' kappa (1971), for equal numbers of labels per item; otherwise every item counts once."""
    return beyond_chance(
        observed_agreement(statistics, weights), pooled_chance(prevalence(statistics), weights)
    )


def bennett_of_many(statistics: Statistics, weights: Floats) -> CoefficientValues:
    """Bennett's S for many judges: by chance, all grades of the scale are equally likely."""
    return beyond_chance(observed_agreement(statistics, weights), np.asarray(weights.mean()))


def gwet_of_many(statistics: Statistics, weights: Floats) -> CoefficientValues:
    """Gwet's AC1 and, weighted, AC2 (2008)."""
    return beyond_chance(
        observed_agreement(statistics, weights), mixed_chance(prevalence(statistics), weights)
    )


def conger_of_many(statistics: Statistics, weights: Floats) -> CoefficientValues:
    """Conger's kappa (1980): by chance, two labels of two different judges are drawn at random.

    Where every judge labelled every item, that is the mean over pairs of judges, each with their own grades.
    Otherwise a judge with more labels has more weight.
    """
    # all ordered pairs of labels, without the pairs within each judge
    given = statistics.votes.sum(axis=-1)
    agreeing = pooled_chance(statistics.votes.sum(axis=-2), weights)
    agreeing = agreeing - pooled_chance(statistics.votes, weights).sum(axis=-1)
    pairs = given.sum(axis=-1) ** 2 - (given**2).sum(axis=-1)
    return beyond_chance(observed_agreement(statistics, weights), ratio(agreeing, pairs))


def light_of_many(statistics: Statistics, weights: Floats) -> CoefficientValues:
    """Light's kappa (1971): the mean over pairs of judges of Cohen's kappa and of observed agreement.

    A pair with too few common items, or without a kappa, is left out. It has no expected agreement.
    """
    each = cohen_estimate(statistics.tables, weights)
    items = statistics.tables.sum(axis=(-2, -1))
    each = each._replace(value=np.where(items < MIN_DOCUMENTS, np.nan, each.value))
    defined = ~np.isnan(each.value)
    pairs = defined.sum(axis=-1)
    value = ratio(np.where(defined, each.value, 0).sum(axis=-1), pairs)
    observed = ratio(np.where(defined, each.observed, 0).sum(axis=-1), pairs)
    return CoefficientValues(value, observed, np.full_like(value, np.nan))


def alpha_of_many(statistics: Statistics, difference: Differences, values: Values) -> CoefficientValues:
    """Krippendorff's alpha: 1 - observed over expected disagreement.

    Observed: of two labels of one item; expected: of any two labels. Every label of an item with two or more
    counts once, and two labels are drawn without replacement: with few labels alpha is slightly above Fleiss'
    kappa. `observed` and `expected` are 1 minus the disagreements, as shares of the largest difference among
    the labels. Krippendorff, Content Analysis (2004), chapter 11.
    """
    given = statistics.coincidences.sum(axis=-1)
    labels = given.sum(axis=-1)
    apart = difference(given, values) * (given[..., :, None] > 0) * (given[..., None, :] > 0)
    largest = apart.max(axis=(-2, -1))
    apart = np.nan_to_num(ratio(apart, largest[..., None, None]))
    observed = ratio((statistics.coincidences * apart).sum(axis=(-2, -1)), labels)
    by_chance = ratio((given * (apart @ given[..., None])[..., 0]).sum(axis=-1), labels * (labels - 1))
    return beyond_chance(1 - observed, 1 - by_chance)


def overlap_of_many(statistics: Statistics, _: Floats) -> CoefficientValues:
    """Mean over topics of |relevant to all| / |relevant to any| (Voorhees 2000), see `overlap`."""
    value = ratio(statistics.overlap, statistics.overlapping)
    missing = np.full_like(value, np.nan)
    return CoefficientValues(value, missing, missing)
