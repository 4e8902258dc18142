"""Every coefficient of agreement by its key: name, formula, source, and how it is computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from assess.kappa import many_judges as many
from assess.kappa import two_judges as two
from assess.kappa import weights as by
from assess.kappa.coefficient import NO_RELEVANT, ONE_CATEGORY, ONE_CATEGORY_EACH, CoefficientValues, Floats
from assess.kappa.errors import (
    Chance,
    alpha_error,
    cohen_error,
    drawn_chance,
    even_chance,
    gwet_chance,
    linearised_error,
    no_chance,
)
from assess.kappa.many_judges import alpha_of_many
from assess.kappa.statistics import Statistics
from assess.kappa.tables import Counts
from assess.kappa.weights import Differences, Values, Weights

OfTables = Callable[[Floats, Values], CoefficientValues]
OfTally = Callable[[Statistics, Values], CoefficientValues]
TablesError = Callable[[Floats, Values], Floats]
PatternsError = Callable[[Counts, Floats, Values], Floats]


@dataclass(frozen=True, eq=False)
class Definition:
    """One coefficient, an entry of the registry.

    key: in URLs and files. formula: in words. ordered: whether the order of grades matters.
    binary: whether grades are first folded at the threshold.
    from_tables: computes it for two judges, from_statistics: for any number; None where it is not defined.
    error_of_tables, error_of_patterns: its standard error, with source error_source; None and ""
    where there is only a bootstrap interval.
    undefined: the reason where it has no value although there are labels.
    beyond_chance: whether it is corrected for chance, so that benchmark scales apply.
    needs_grades_from_zero: whether it requires grades of 0 and above.
    needs_pair_tables: whether it needs the confusion matrices of all pairs of judges, which cost more than
    everything else.
    """

    key: str
    name: str
    formula: str
    citation: str
    ordered: bool = False
    binary: bool = False
    from_tables: OfTables | None = None
    from_statistics: OfTally | None = None
    error_of_tables: TablesError | None = None
    error_of_patterns: PatternsError | None = None
    error_source: str = ""
    undefined: str = ONE_CATEGORY
    beyond_chance: bool = True
    needs_grades_from_zero: bool = False
    needs_pair_tables: bool = False


def tables_by(estimate: Callable[[Floats, Floats], CoefficientValues], weights: Weights) -> OfTables:
    """Return the coefficient of tables with these weights."""
    return lambda tables, values: estimate(tables, weights(len(values)))


def statistics_by(estimate: Callable[[Statistics, Floats], CoefficientValues], weights: Weights) -> OfTally:
    """Return the coefficient of a statistics with these weights."""
    return lambda statistics, values: estimate(statistics, weights(len(values)))


def alpha_by(difference: Differences) -> OfTally:
    """Return Krippendorff's alpha with these differences."""
    return lambda statistics, values: alpha_of_many(statistics, difference, values)


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
    """Treat each cell of a confusion matrix as a pattern of two labels."""
    one = np.eye(len(values), dtype=np.int64)
    counts = (one[:, None] + one).reshape(-1, len(values))
    return error(counts, tables.reshape(*tables.shape[:-2], len(counts)), values)


FLEISS_COHEN_EVERITT = "Fleiss, Cohen & Everitt 1969"
GWET = "Gwet 2014, by linearisation"
WEIGHTINGS: tuple[tuple[str, str, Weights], ...] = (
    ("", "", by.nominal),
    ("-linear", ", linear weights", by.linear),
    ("-quadratic", ", quadratic weights", by.quadratic),
)  # suffix of the key, suffix of the name, weights


def _percent() -> Definition:
    of_tables, of_patterns = pattern_errors(by.nominal, no_chance)
    return Definition(
        "percent", "Percent agreement",
        "the share of pairs of labels of one document that are the same, averaged over documents",
        "the observed agreement of all the others", from_tables=tables_by(two.percent_estimate, by.nominal),
        from_statistics=statistics_by(many.percent_of_many, by.nominal), error_of_tables=of_tables,
        error_of_patterns=of_patterns, error_source=GWET, beyond_chance=False,
    )  # fmt: skip


def _cohen(key: str, name: str, weights: Weights) -> Definition:
    return Definition(
        f"cohen{key}", f"Cohen's kappa{name}",
        "agreement beyond chance; chance takes each judge's own share of every grade",
        "Cohen, Educational and Psychological Measurement 20 (1960); weighted: Psychological Bulletin 70 "
        "(1968)",
        ordered=bool(key), from_tables=tables_by(two.cohen_estimate, weights),
        error_of_tables=tables_error(cohen_error, weights), error_source=FLEISS_COHEN_EVERITT,
    )  # fmt: skip


def _scott() -> Definition:
    return Definition(
        "scott", "Scott's pi",
        "agreement beyond chance; chance takes the share of every grade among both judges' labels",
        "Scott, Public Opinion Quarterly 19 (1955); the kappa of Manning, Raghavan & Schütze (2008)",
        from_tables=tables_by(two.scott_estimate, by.nominal),
        error_of_tables=pattern_errors(by.nominal, drawn_chance)[0], error_source=GWET,
    )  # fmt: skip


def _bennett() -> Definition:
    of_tables, of_patterns = pattern_errors(by.nominal, even_chance)
    return Definition(
        "bennett", "Bennett's S",
        "agreement beyond chance; chance takes every grade of the scale alike",
        "Bennett, Alpert & Goldstein, Public Opinion Quarterly 18 (1954); many: Brennan & Prediger (1981)",
        from_tables=tables_by(two.bennett_estimate, by.nominal),
        from_statistics=statistics_by(many.bennett_of_many, by.nominal), error_of_tables=of_tables,
        error_of_patterns=of_patterns, error_source=GWET,
    )  # fmt: skip


def _gwet(key: str, name: str, weights: Weights) -> Definition:
    of_tables, of_patterns = pattern_errors(weights, gwet_chance)
    return Definition(
        f"ac2{key}" if key else "ac1", f"Gwet's AC2{name}" if key else "Gwet's AC1",
        "agreement beyond chance; chance is a random label, the likelier the more evenly grades are mixed, "
        "so that one frequent grade does not depress it",
        "Gwet, British Journal of Mathematical and Statistical Psychology 61 (2008)",
        ordered=bool(key), from_tables=tables_by(two.gwet_estimate, weights),
        from_statistics=statistics_by(many.gwet_of_many, weights), error_of_tables=of_tables,
        error_of_patterns=of_patterns, error_source=GWET,
    )  # fmt: skip


def _light(key: str, name: str, weights: Weights) -> Definition:
    return Definition(
        f"light{key}", f"Light's kappa{name}", "the mean over pairs of judges of Cohen's kappa",
        "Light, Psychological Bulletin 76 (1971)", ordered=bool(key),
        from_statistics=statistics_by(many.light_of_many, weights), undefined=ONE_CATEGORY_EACH,
        needs_pair_tables=True,
    )  # fmt: skip


def _conger(key: str, name: str, weights: Weights) -> Definition:
    return Definition(
        f"conger{key}", f"Conger's kappa{name}",
        "agreement beyond chance; chance draws the labels of two different judges, of documents with two "
        "labels or more",
        "Conger, Psychological Bulletin 88 (1980)", ordered=bool(key),
        from_statistics=statistics_by(many.conger_of_many, weights),
    )  # fmt: skip


def _fleiss() -> Definition:
    return Definition(
        "fleiss", "Fleiss' kappa",
        "agreement beyond chance; chance takes the share of every grade among the labels of documents with "
        "two labels or more, each of which counts once",
        "Fleiss, Psychological Bulletin 76 (1971)",
        from_statistics=statistics_by(many.fleiss_of_many, by.nominal),
        error_of_patterns=pattern_errors(by.nominal, drawn_chance)[1], error_source=GWET,
    )  # fmt: skip


def _alpha(kind: str, difference: Differences) -> Definition:
    # ordinal differences are themselves estimated from the labels: no standard error is known for them
    fixed = difference is not by.ordinal_difference
    return Definition(
        f"alpha-{kind}", f"Krippendorff's alpha, {kind}",
        f"1 less observed over expected disagreement of two labels; differences are {kind}",
        "Krippendorff, Content Analysis, 2nd edition (2004), chapter 11", ordered=kind != "nominal",
        from_statistics=alpha_by(difference), error_of_patterns=alpha_errors(difference) if fixed else None,
        error_source=GWET if fixed else "", needs_grades_from_zero=difference is by.ratio_difference,
    )  # fmt: skip


def _overlap() -> Definition:
    return Definition(
        "overlap", "Overlap of relevant sets",
        "documents that all their judges found relevant over those that any did, averaged over topics",
        "Voorhees, Information Processing & Management 36 (2000)", ordered=True,
        from_statistics=statistics_by(many.overlap_of_many, by.nominal), undefined=NO_RELEVANT,
        beyond_chance=False,
    )  # fmt: skip


def _binary(definition: Definition) -> Definition:
    key, name = f"{definition.key}-binary", f"{definition.name}, binary"
    return replace(definition, key=key, name=name, binary=True, ordered=True)


GRADED = (
    _percent(),
    *(_cohen(*weighting) for weighting in WEIGHTINGS),
    _scott(),
    *(_light(*weighting) for weighting in WEIGHTINGS),
    *(_conger(*weighting) for weighting in WEIGHTINGS),
    _fleiss(),
    _bennett(),
    *(_gwet(*weighting) for weighting in WEIGHTINGS),
    _alpha("nominal", by.nominal_difference),
    _alpha("ordinal", by.ordinal_difference),
    _alpha("interval", by.interval_difference),
    _alpha("ratio", by.ratio_difference),
    _overlap(),
)
FOLDED = ("percent", "cohen", "scott", "light", "fleiss", "ac1", "alpha-nominal")
REGISTRY = {
    each.key: each
    for each in (*GRADED, *(_binary(graded) for graded in GRADED if graded.key in FOLDED))
}  # fmt: skip
