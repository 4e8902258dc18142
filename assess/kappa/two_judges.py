"""Coefficients of two judges from their confusion matrix, for any leading axes, so for all pairs at once.

Tables have the shape (..., grades, grades), rows the first judge's grades; weights the shape (grades,
grades), 1 on the diagonal. An Estimate is nan where a table is empty or expected agreement is 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assess.kappa.coefficient import CoefficientValues, Floats, beyond_chance, finite_or_none, ratio


def cell_shares(tables: npt.ArrayLike) -> Floats:
    """Return each cell's share of its table, nan in an empty table."""
    tables = np.asarray(tables, dtype=float)
    return ratio(tables, tables.sum(axis=(-2, -1), keepdims=True))


class TableShares(NamedTuple):
    """Weighted agreement (...) of one or many tables, and each judge's shares of grades (..., grades)."""

    observed: Floats
    first: Floats
    second: Floats

    @property
    def pooled(self) -> Floats:
        """The share of each grade among both judges' labels."""
        return (self.first + self.second) / 2


def table_shares(tables: Floats, weights: Floats) -> TableShares:
    """Return agreement and marginals of tables; nan for an empty one.

    One matrix product, because sums over axes as short as a scale are slow.
    """
    grades = len(weights)
    own = np.eye(grades)
    sums = np.column_stack([weights.ravel(), np.repeat(own, grades, axis=0), np.tile(own, (grades, 1))])
    flat = tables.reshape(*tables.shape[:-2], grades**2)
    shares = ratio(flat @ sums, (flat @ np.ones(grades**2))[..., None])
    return TableShares(shares[..., 0], shares[..., 1 : grades + 1], shares[..., grades + 1 :])


def percent_estimate(tables: Floats, weights: Floats) -> CoefficientValues:
    """Share of documents with the same grade; if weighted, near grades count in part."""
    observed = table_shares(tables, weights).observed
    return CoefficientValues(observed, observed, np.full_like(observed, np.nan))


def cohen_estimate(tables: Floats, weights: Floats) -> CoefficientValues:
    """Cohen's kappa (1960; weighted, 1968): expected agreement from each judge's own shares of grades."""
    seen = table_shares(tables, weights)
    return beyond_chance(seen.observed, np.einsum("...g,...g->...", seen.first @ weights, seen.second))


def scott_estimate(tables: Floats, weights: Floats) -> CoefficientValues:
    """Scott's pi (1955): expected agreement from the share of every grade among both judges' labels."""
    seen = table_shares(tables, weights)
    return beyond_chance(seen.observed, pooled_chance(seen.pooled, weights))


def bennett_estimate(tables: Floats, weights: Floats) -> CoefficientValues:
    """Bennett's S (1954), weighted as by Brennan and Prediger (1981): all grades are equally likely."""
    return beyond_chance(table_shares(tables, weights).observed, np.asarray(weights.mean()))


def gwet_estimate(tables: Floats, weights: Floats) -> CoefficientValues:
    """Gwet's AC1 (2008), weighted AC2: chance is a random label, weighted by how mixed the grades are."""
    seen = table_shares(tables, weights)
    return beyond_chance(seen.observed, mixed_chance(seen.pooled, weights))


def pooled_chance(prevalence: Floats, weights: Floats) -> Floats:
    """Return the agreement of two labels drawn at random. prevalence: share of each grade, (..., grades)."""
    return np.asarray(((prevalence @ weights) * prevalence).sum(axis=-1))


def mixed_chance(prevalence: Floats, weights: Floats) -> Floats:
    """Return Gwet's expected agreement. prevalence: share of each grade, (..., grades)."""
    grades = prevalence.shape[-1]
    mixed = (prevalence * (1 - prevalence)).sum(axis=-1)
    return np.asarray(weights.sum() / (grades * (grades - 1)) * mixed)


# functions of one table that return one number


def percent_agreement(counts: npt.ArrayLike) -> float | None:
    """Return the share of documents on which two judges gave the same grade, from their confusion matrix.

    None when they have no document in common.

    >>> percent_agreement(np.array([[300, 20], [10, 70]]))
    0.925
    """
    counts = np.asarray(counts)
    return finite_or_none(ratio(np.trace(counts), counts.sum()))


def cohen(counts: npt.ArrayLike, weights: Floats | None = None) -> float | None:
    """Cohen's kappa: expected agreement from each judge's own grades (Cohen 1960; weighted, 1968).

    counts: confusion matrix of two judges, shape (grades, grades). weights: of the same shape, 1 on the
    diagonal; unweighted unless given. None when they have no document in common, or when both gave one and
    the same grade throughout.

    >>> round(cohen(np.array([[300, 20], [10, 70]])), 5)
    0.77612
    """
    tables, unweighted = _unweighted(counts)
    return finite_or_none(cohen_estimate(tables, unweighted if weights is None else weights).value)


def scott(counts: npt.ArrayLike) -> float | None:
    """Scott's pi: expected agreement from the pooled grades of both judges (Scott 1955).

    The kappa of Manning, Raghavan & Schuetze's textbook. Undefined (None) where Cohen's kappa is.

    >>> round(scott(np.array([[300, 20], [10, 70]])), 5)
    0.77591
    """
    return finite_or_none(scott_estimate(*_unweighted(counts)).value)


def _unweighted(counts: npt.ArrayLike) -> tuple[Floats, Floats]:
    tables = np.asarray(counts, dtype=float)
    return tables, np.eye(len(tables))
