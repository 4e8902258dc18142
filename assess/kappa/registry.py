"""Every coefficient of agreement by its key, for pages that list them and tests that go through them all."""

from __future__ import annotations

from dataclasses import replace

from assess.kappa import many_judges as many
from assess.kappa import two_judges as two
from assess.kappa import weights as by
from assess.kappa.coefficient import NO_RELEVANT, ONE_CATEGORY_EACH
from assess.kappa.definition import (
    Definition,
    alpha_by,
    alpha_errors,
    pattern_errors,
    tables_by,
    tables_error,
    tally_by,
)
from assess.kappa.errors import cohen_error, drawn_chance, even_chance, gwet_chance, no_chance
from assess.kappa.weights import Differences, Weights

FLEISS_COHEN_EVERITT = "Fleiss, Cohen & Everitt 1969"
GWET = "Gwet 2014, by linearisation"
WEIGHTINGS: tuple[tuple[str, str, Weights], ...] = (
    ("", "", by.nominal),
    ("-linear", ", linear weights", by.linear),
    ("-quadratic", ", quadratic weights", by.quadratic),
)  # behind the key, behind the name, weights


def _percent() -> Definition:
    of_tables, of_patterns = pattern_errors(by.nominal, no_chance)
    return Definition(
        "percent", "Percent agreement",
        "the share of pairs of labels of one document that are the same, averaged over documents",
        "the observed agreement of all the others", of_tables=tables_by(two.percent_estimate, by.nominal),
        of_tally=tally_by(many.percent_of_many, by.nominal), error_of_tables=of_tables,
        error_of_patterns=of_patterns, error_source=GWET, beyond_chance=False,
    )  # fmt: skip


def _cohen(key: str, name: str, weights: Weights) -> Definition:
    return Definition(
        f"cohen{key}", f"Cohen's kappa{name}",
        "agreement beyond chance; chance takes each judge's own share of every grade",
        "Cohen, Educational and Psychological Measurement 20 (1960); weighted: Psychological Bulletin 70 "
        "(1968)",
        ordered=bool(key), of_tables=tables_by(two.cohen_estimate, weights),
        error_of_tables=tables_error(cohen_error, weights), error_source=FLEISS_COHEN_EVERITT,
    )  # fmt: skip


def _scott() -> Definition:
    return Definition(
        "scott", "Scott's pi",
        "agreement beyond chance; chance takes the share of every grade among both judges' labels",
        "Scott, Public Opinion Quarterly 19 (1955); the kappa of Manning, Raghavan & Schütze (2008)",
        of_tables=tables_by(two.scott_estimate, by.nominal),
        error_of_tables=pattern_errors(by.nominal, drawn_chance)[0], error_source=GWET,
    )  # fmt: skip


def _bennett() -> Definition:
    of_tables, of_patterns = pattern_errors(by.nominal, even_chance)
    return Definition(
        "bennett", "Bennett's S",
        "agreement beyond chance; chance takes every grade of the scale alike",
        "Bennett, Alpert & Goldstein, Public Opinion Quarterly 18 (1954); many: Brennan & Prediger (1981)",
        of_tables=tables_by(two.bennett_estimate, by.nominal),
        of_tally=tally_by(many.bennett_of_many, by.nominal), error_of_tables=of_tables,
        error_of_patterns=of_patterns, error_source=GWET,
    )  # fmt: skip


def _gwet(key: str, name: str, weights: Weights) -> Definition:
    of_tables, of_patterns = pattern_errors(weights, gwet_chance)
    return Definition(
        f"ac2{key}" if key else "ac1", f"Gwet's AC2{name}" if key else "Gwet's AC1",
        "agreement beyond chance; chance is a random label, the likelier the more evenly grades are mixed, "
        "so that one frequent grade does not depress it",
        "Gwet, British Journal of Mathematical and Statistical Psychology 61 (2008)",
        ordered=bool(key), of_tables=tables_by(two.gwet_estimate, weights),
        of_tally=tally_by(many.gwet_of_many, weights), error_of_tables=of_tables,
        error_of_patterns=of_patterns, error_source=GWET,
    )  # fmt: skip


def _light(key: str, name: str, weights: Weights) -> Definition:
    return Definition(
        f"light{key}", f"Light's kappa{name}", "the mean over pairs of judges of Cohen's kappa",
        "Light, Psychological Bulletin 76 (1971)", ordered=bool(key),
        of_tally=tally_by(many.light_of_many, weights), undefined=ONE_CATEGORY_EACH, from_pairs=True,
    )  # fmt: skip


def _conger(key: str, name: str, weights: Weights) -> Definition:
    return Definition(
        f"conger{key}", f"Conger's kappa{name}",
        "agreement beyond chance; chance draws the labels of two different judges, of documents with two "
        "labels or more",
        "Conger, Psychological Bulletin 88 (1980)", ordered=bool(key),
        of_tally=tally_by(many.conger_of_many, weights),
    )  # fmt: skip


def _fleiss() -> Definition:
    return Definition(
        "fleiss", "Fleiss' kappa",
        "agreement beyond chance; chance takes the share of every grade among the labels of documents with "
        "two labels or more, each of which counts once",
        "Fleiss, Psychological Bulletin 76 (1971)", of_tally=tally_by(many.fleiss_of_many, by.nominal),
        error_of_patterns=pattern_errors(by.nominal, drawn_chance)[1], error_source=GWET,
    )  # fmt: skip


def _alpha(kind: str, difference: Differences) -> Definition:
    # what lies between two ordinal grades is itself estimated from the labels: no error is known for that
    fixed = difference is not by.ordinal_difference
    return Definition(
        f"alpha-{kind}", f"Krippendorff's alpha, {kind}",
        f"1 less observed over expected disagreement of two labels; differences are {kind}",
        "Krippendorff, Content Analysis, 2nd edition (2004), chapter 11", ordered=kind != "nominal",
        of_tally=alpha_by(difference), error_of_patterns=alpha_errors(difference) if fixed else None,
        error_source=GWET if fixed else "", from_zero=difference is by.ratio_difference,
    )  # fmt: skip


def _overlap() -> Definition:
    return Definition(
        "overlap", "Overlap of relevant sets",
        "documents that all their judges found relevant over those that any did, averaged over topics",
        "Voorhees, Information Processing & Management 36 (2000)", ordered=True,
        of_tally=tally_by(many.overlap_of_many, by.nominal), undefined=NO_RELEVANT, beyond_chance=False,
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
