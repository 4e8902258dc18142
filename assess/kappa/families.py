"""Coefficients as rows of a table: one row per family, with nominal, binary and weighted variants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from assess.kappa.coefficient import Coefficient
from assess.kappa.registry import REGISTRY
from assess.kappa.verbal import VERBAL_SCALES, words

COLUMNS = ("Grades as names", "Binary", "Linear weights", "Quadratic weights")
FAMILIES: tuple[tuple[str, tuple[str, str, str, str]], ...] = (
    ("Percent agreement", ("percent", "percent-binary", "", "")),
    ("Cohen's kappa", ("cohen", "cohen-binary", "cohen-linear", "cohen-quadratic")),
    ("Light's kappa, mean over pairs", ("light", "light-binary", "light-linear", "light-quadratic")),
    ("Conger's kappa", ("conger", "", "conger-linear", "conger-quadratic")),
    ("Scott's pi", ("scott", "scott-binary", "", "")),
    ("Fleiss' kappa", ("fleiss", "fleiss-binary", "", "")),
    ("Bennett's S", ("bennett", "", "", "")),
    ("Gwet's AC1; weighted, AC2", ("ac1", "ac1-binary", "ac2-linear", "ac2-quadratic")),
    ("Krippendorff's alpha", ("alpha-nominal", "alpha-nominal-binary", "", "")),
    ("Krippendorff's alpha, ordinal; interval", ("", "", "alpha-ordinal", "alpha-interval")),
    ("Overlap of relevant sets", ("", "overlap", "", "")),
)  # name, and registry keys in the order of COLUMNS


class FamilyRow(NamedTuple):
    """The coefficients of a family in table order, None where it has none. n: documents with two labels."""

    name: str
    n: int
    cells: list[Coefficient | None]


class InWords(NamedTuple):
    """A coefficient with its label on every benchmark scale."""

    coefficient: Coefficient
    words: list[str]


def rows_by_family(coefficients: Mapping[str, Coefficient]) -> list[FamilyRow]:
    """Return the families with at least one coefficient. coefficients: registry key -> coefficient."""
    rows = []
    for name, keys in FAMILIES:
        cells = [coefficients.get(key) for key in keys]
        if computed := [cell for cell in cells if cell]:
            rows.append(FamilyRow(name, computed[0].n, cells))
    return rows


def in_words(coefficients: Mapping[str, Coefficient]) -> list[InWords]:
    """Return every coefficient to which benchmark scales apply: defined, and corrected for chance."""
    return [
        InWords(value, [words(value.value, scale) for scale in VERBAL_SCALES])
        for key, value in coefficients.items()
        if value.value is not None and REGISTRY[key].beyond_chance
    ]
