"""What a coefficient of agreement is: its name, formula and source, and how it is computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from assess.kappa.coefficient import ONE_CATEGORY, Estimate, Floats
from assess.kappa.confusion import Counts
from assess.kappa.errors import Chance, alpha_error, linearised_error
from assess.kappa.many_judges import alpha_of_many
from assess.kappa.tally import Tally
from assess.kappa.weights import Differences, Values, Weights

OfTables = Callable[[Floats, Values], Estimate]
OfTally = Callable[[Tally, Values], Estimate]
TablesError = Callable[[Floats, Values], Floats]
PatternsError = Callable[[Counts, Floats, Values], Floats]


@dataclass(frozen=True, eq=False)
class Definition:
    """One coefficient, once in the registry.

    key: for addresses and files. formula: in words. ordered: whether the order of grades matters; binary:
    grades are first folded at the threshold. of_tables: computes it for two judges, of_tally for any number;
    None where it is not made for that. error_of_tables, error_of_patterns: its standard error, error_source:
    whose; None and "" where only a bootstrap gives an interval. undefined: why it may have no value although
    there are labels. beyond_chance: it is corrected for chance, so that verbal scales speak of it.
    from_zero: it has none for a scale with grades below 0. from_pairs: it takes the confusion matrices of all
    pairs of judges, which cost more than all the rest.
    """

    key: str
    name: str
    formula: str
    citation: str
    ordered: bool = False
    binary: bool = False
    of_tables: OfTables | None = None
    of_tally: OfTally | None = None
    error_of_tables: TablesError | None = None
    error_of_patterns: PatternsError | None = None
    error_source: str = ""
    undefined: str = ONE_CATEGORY
    beyond_chance: bool = True
    from_zero: bool = False
    from_pairs: bool = False


def tables_by(estimate: Callable[[Floats, Floats], Estimate], weights: Weights) -> OfTables:
    """Return the coefficient of tables with these weights."""
    return lambda tables, values: estimate(tables, weights(len(values)))


def tally_by(estimate: Callable[[Tally, Floats], Estimate], weights: Weights) -> OfTally:
    """Return the coefficient of a tally with these weights."""
    return lambda tally, values: estimate(tally, weights(len(values)))


def alpha_by(difference: Differences) -> OfTally:
    """Return Krippendorff's alpha with these differences."""
    return lambda tally, values: alpha_of_many(tally, difference, values)


def tables_error(error: Callable[[Floats, Floats], Floats], weights: Weights) -> TablesError:
    """Return a standard error of tables with these weights."""
    return lambda tables, values: error(tables, weights(len(values)))


def pattern_errors(weights: Weights, chance: Chance) -> tuple[TablesError, PatternsError]:
    """Return Gwet's standard error with these weights, of tables and of patterns."""

    def of_patterns(counts: Counts, items: Floats, values: Values) -> Floats:
        return linearised_error(counts, items, weights(len(values)), chance)

    return partial(_as_patterns, of_patterns), of_patterns


def alpha_errors(difference: Differences) -> PatternsError:
    """Return the standard error of alpha with differences that the scale fixes."""
    return lambda counts, items, values: alpha_error(counts, items, difference, values)


def _as_patterns(error: PatternsError, tables: Floats, values: Values) -> Floats:
    """A cell of a confusion matrix is a pattern of two labels."""
    one = np.eye(len(values), dtype=np.int64)
    counts = (one[:, None] + one).reshape(-1, len(values))
    return error(counts, tables.reshape(*tables.shape[:-2], len(counts)), values)
