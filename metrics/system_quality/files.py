"""Figures of runs from a table: the tag of a run, and a column for each quantity."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from metrics.system_quality.quantities import COST, QUANTITIES, RunFigures
from pooling.formats.files import BadFile
from pooling.formats.text import replace_unstorable
from pooling.intake.fields import TAG, InputKind, shortened
from pooling.intake.tables import Table, number_text, read_table

SYSTEM_FIGURES = InputKind(
    "system figures",
    {
        "run": TAG,
        **{key: ((key,),) for key in QUANTITIES},
        "currency": (("currency",),),
        "hardware": (("hardware",),),
    },
    ("run",),
)
NUMBER = re.compile(r"\+?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
CURRENCY = re.compile(r"[A-Za-z]{3}")
HARDWARE_LENGTH = 200  # characters


class FiguresFile(NamedTuple):
    """What a table says. figures: tag of a run -> its figures. note: how the table was read."""

    figures: Mapping[str, RunFigures]
    note: str


def read_system_figures(content: bytes, tags: Collection[str], name: str = "") -> FiguresFile:
    """Return the figures of a table: CSV, tab-separated lines or JSON, with the columns of SYSTEM_FIGURES.

    tags: of the runs that there are. An empty cell is no figure; a row without a figure is left out. Raises
    BadFile with the line for an unknown run, a run that has two rows, a figure that is no number of 0 or
    more, and a cost without a currency.
    """
    table = read_table(content, name, SYSTEM_FIGURES)
    if table is None:
        known = ", ".join(("run", *QUANTITIES))
        raise BadFile(f"expected a table whose first line names its columns ({known})", name=name)
    if not QUANTITIES.keys() & table.mapped.columns.keys():
        known, columns = ", ".join(QUANTITIES), shortened(table.fields)
        raise BadFile(f"expected a column with figures ({known}), found the columns {columns}", name=name)
    figures: dict[str, RunFigures] = {}
    places: dict[str, int] = {}
    for number, row in table:
        tag = number_text(row.get("run"))
        if tag not in tags:
            raise table.refusal(number, f"expected the tag of a run of this campaign, found {tag[:80]!r}")
        if tag in places:
            first = table.place(places[tag])
            raise table.refusal(
                number, f"expected each run once, found {tag[:80]!r} again (first on {first})"
            )
        places[tag] = number
        own = _figures(table, number, row)
        if own.values:
            figures[tag] = own
    if not figures:
        raise BadFile("expected at least one row with a figure, found none", name=name)
    return FiguresFile(figures, table.note())


def _figures(table: Table, number: int, row: Mapping[str, Any]) -> RunFigures:
    values = {}
    for key in QUANTITIES:
        if text := number_text(row.get(key)):
            value = None if isinstance(row[key], bool) else figure_of(text)
            if value is None:
                raise table.refusal(number, f"expected {key} as a number of 0 or more, found {text[:40]!r}")
            values[key] = value
    currency = number_text(row.get("currency")) if COST in values else ""
    if COST in values and not CURRENCY.fullmatch(currency):
        expected = "expected a currency of three letters, such as EUR, beside the cost"
        raise table.refusal(number, f"{expected}, found {currency[:40]!r}")
    hardware = replace_unstorable(number_text(row.get("hardware")))[:HARDWARE_LENGTH]
    return RunFigures(values, currency.upper(), hardware)


def figure_of(text: str) -> float | None:
    """Return a finite number of 0 or more, None for other text.

    >>> [figure_of(text) for text in ("12.5", "1e3", "-1", "1e999", "1,000", "fast")]
    [12.5, 1000.0, None, None, None, None]
    """
    value = float(text) if NUMBER.fullmatch(text) else math.inf
    return value if math.isfinite(value) else None
