"""Coefficients side by side: a row for each family, with grades as names, binary, and weighted."""

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
)  # name, the registry's keys under COLUMNS


class FamilyRow(NamedTuple):
    """A family's coefficients under COLUMNS, None where it has none. n: documents with two labels."""

    name: str
    n: int
    cells: list[Coefficient | None]


class InWords(NamedTuple):
    """A coefficient in the words of every verbal scale, in the order of VERBAL_SCALES."""

    coefficient: Coefficient
    words: list[str]


def rows_by_family(coefficients: Mapping[str, Coefficient]) -> list[FamilyRow]:
    """Return the families of which something was computed. coefficients: registry key -> coefficient."""
    rows = []
    for name, keys in FAMILIES:
        cells = [coefficients.get(key) for key in keys]
        if found := [cell for cell in cells if cell]:
            rows.append(FamilyRow(name, found[0].n, cells))
    return rows


def in_words(coefficients: Mapping[str, Coefficient]) -> list[InWords]:
    """Return every coefficient that verbal scales speak of: defined, and corrected for chance."""
    return [
        InWords(value, [words(value.value, scale) for scale in VERBAL_SCALES])
        for key, value in coefficients.items()
        if value.value is not None and REGISTRY[key].beyond_chance
    ]
