"""Coefficients of any number of judges, from a tally; labels may be missing.

Observed agreement is that of two labels of one item, averaged over the items that have two or more. Where
every item has labels of all judges these are the published formulas. Where labels are missing, every such
item counts once however many labels it has, as in Gwet (Handbook of Inter-Rater Reliability, 4th edition,
2014); but agreement by chance is taken from the same items, as Krippendorff does, and not from items with
one label as well, as Gwet does. Where judges share some of their documents only, grades are not as frequent
among these as among all; with the prevalences of all items a coefficient may fall far below -1.
An Estimate is nan where no item has two labels or chance alone could not disagree.
"""

from __future__ import annotations

import numpy as np

from assess.kappa.coefficient import LEAST, Estimate, Floats, beyond_chance, ratio
from assess.kappa.tally import Tally
from assess.kappa.two_judges import cohen_estimate, mixed_chance, pooled_chance
from assess.kappa.weights import Differences, Values


def observed_agreement(tally: Tally, weights: Floats) -> Floats:
    """Return the mean over items of the share of their pairs of labels that agree, shape (...)."""
    return ratio((tally.agreement * weights).sum(axis=(-2, -1)), tally.pairable)


def prevalence(tally: Tally) -> Floats:
    """Return the mean over items of the share of their labels with each grade, shape (..., grades)."""
    return ratio(tally.shares, tally.pairable[..., None])


def percent_of_many(tally: Tally, weights: Floats) -> Estimate:
    """Mean over items of the share of pairs of labels that agree."""
    observed = observed_agreement(tally, weights)
    return Estimate(observed, observed, np.full_like(observed, np.nan))


def fleiss_of_many(tally: Tally, weights: Floats) -> Estimate:
    """Fleiss' kappa (1971). It asks for equally many labels of every item; else every item counts once."""
    return beyond_chance(observed_agreement(tally, weights), pooled_chance(prevalence(tally), weights))


def bennett_of_many(tally: Tally, weights: Floats) -> Estimate:
    """Bennett's S for many judges: chance takes every grade of the scale alike."""
    return beyond_chance(observed_agreement(tally, weights), np.asarray(weights.mean()))


def gwet_of_many(tally: Tally, weights: Floats) -> Estimate:
    """Gwet's AC1 and, weighted, AC2 (2008)."""
    return beyond_chance(observed_agreement(tally, weights), mixed_chance(prevalence(tally), weights))


def conger_of_many(tally: Tally, weights: Floats) -> Estimate:
    """Conger's kappa (1980): chance is the agreement of two labels of two different judges, drawn at random.

    Where every judge labelled every item, that is the mean over pairs of judges, each with their own grades.
    Where they did not, a judge with more labels weighs more.
    """
    # all ordered pairs of labels, less the pairs within each judge
    given = tally.votes.sum(axis=-1)
    agreeing = pooled_chance(tally.votes.sum(axis=-2), weights)
    agreeing = agreeing - pooled_chance(tally.votes, weights).sum(axis=-1)
    pairs = given.sum(axis=-1) ** 2 - (given**2).sum(axis=-1)
    return beyond_chance(observed_agreement(tally, weights), ratio(agreeing, pairs))


def light_of_many(tally: Tally, weights: Floats) -> Estimate:
    """Light's kappa (1971): the mean over pairs of judges of Cohen's, and of what they observe.

    A pair with fewer than LEAST common items, or without a kappa, takes no part. It has no expected
    agreement of its own.
    """
    each = cohen_estimate(tally.tables, weights)
    each = each._replace(
        value=np.where(tally.tables.sum(axis=(-2, -1)) < LEAST, np.nan, each.value),
    )
    defined = ~np.isnan(each.value)
    pairs = defined.sum(axis=-1)
    value = ratio(np.where(defined, each.value, 0).sum(axis=-1), pairs)
    observed = ratio(np.where(defined, each.observed, 0).sum(axis=-1), pairs)
    return Estimate(value, observed, np.full_like(value, np.nan))


def alpha_of_many(tally: Tally, difference: Differences, values: Values) -> Estimate:
    """Krippendorff's alpha: 1 - observed over expected disagreement.

    Observed is that of two labels of one item, expected that of any two. Every label of an item that has two
    or more counts once, and two labels are drawn without putting the first back: with few of them alpha is a
    little above Fleiss' kappa. `observed` and `expected` are 1 less the disagreements, as shares of the
    largest difference that the labels show. Krippendorff, Content Analysis (2004), chapter 11.
    """
    given = tally.coincidences.sum(axis=-1)
    labels = given.sum(axis=-1)
    apart = difference(given, values) * (given[..., :, None] > 0) * (given[..., None, :] > 0)
    largest = apart.max(axis=(-2, -1))
    apart = np.nan_to_num(ratio(apart, largest[..., None, None]))
    seen = ratio((tally.coincidences * apart).sum(axis=(-2, -1)), labels)
    by_chance = ratio((given * (apart @ given[..., None])[..., 0]).sum(axis=-1), labels * (labels - 1))
    return beyond_chance(1 - seen, 1 - by_chance)


def overlap_of_many(tally: Tally, _: Floats) -> Estimate:
    """Mean over topics of |relevant to all| / |relevant to any| (Voorhees 2000), see `overlap`."""
    value = ratio(tally.overlap, tally.overlapping)
    missing = np.full_like(value, np.nan)
    return Estimate(value, missing, missing)
