"""Figures of a run from its ir_metadata header.

Version 0.1 of the schema has hardware only (`platform`). Version 0.2-beta, which the TIREx tracker writes,
adds `resources`: run time in ms and energy in J. Other figures stand in `metadata`, where the tracker writes
what a program registers, under the names of the columns of tables (`metrics.system_quality.files`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from metrics.system_quality.files import (
    CURRENCY,
    HARDWARE_LENGTH,
    SYSTEM_FIGURES,
    figure_of,
)
from metrics.system_quality.quantities import COST, QUANTITIES, RunFigures
from pooling.formats.files import BadFile
from pooling.formats.run_header import EMPTY_VALUES, header_fields
from pooling.formats.text import replace_unstorable
from pooling.intake.fields import map_fields

SECONDS = {"ms": 1e-3, "s": 1.0}
KILOWATT_HOURS = {"J": 1 / 3.6e6, "kJ": 1 / 3600, "Wh": 1e-3, "kWh": 1.0}
WITH_UNIT = re.compile(r"(\S+)\s+(\S+)")


def read_header_figures(content: bytes, name: str = "") -> RunFigures:
    """Return the figures that the header of a run file has; no values where it has none.

    The energy is the sum over processor, graphics processor and memory. A sum of 0 is no figure, because a
    tracker that cannot measure energy writes 0. Figures of `metadata` come before those of `resources`.
    Raises BadFile for a header that cannot be read and for a figure that is no number of 0 or more, with the
    fields that lead to it.
    """
    fields = header_fields(content, name)
    values: dict[str, float] = {}
    wallclock = _measured(fields, SECONDS, name, "resources", "runtime", "wallclock")
    if wallclock is not None:
        values["run_seconds"] = wallclock
    parts = (
        _measured(fields, KILOWATT_HOURS, name, "resources", part, "energy used system")
        for part in ("cpu", "gpu", "ram")
    )
    if energy := sum(part for part in parts if part is not None):
        values["energy_kwh"] = energy
    metadata = fields.get("metadata")
    own, currency = _own_figures(metadata if isinstance(metadata, Mapping) else {}, name)
    hardware = ", ".join(_hardware(fields))[:HARDWARE_LENGTH]
    return RunFigures(values | own, currency, hardware)


def _measured(fields: Mapping[str, Any], units: Mapping[str, float], name: str, *path: str) -> float | None:
    """Return a number with its unit, in the unit whose factor is 1; None where the header has none."""
    text = _text(fields, *path)
    if not text:
        return None
    parts = WITH_UNIT.fullmatch(text)
    value = figure_of(parts[1]) if parts and parts[2] in units else None
    if parts is None or value is None:
        wanted = f"a number of 0 or more and its unit ({', '.join(units)})"
        raise _refusal(path, f"expected {wanted}, found {text[:40]!r}", name)
    return value * units[parts[2]]


def _own_figures(metadata: Mapping[str, Any], name: str) -> tuple[dict[str, float], str]:
    """Return the figures under the names of columns of tables, and the currency."""
    mapped = map_fields((field for field in metadata if isinstance(field, str)), SYSTEM_FIGURES)
    unclear = {key: fields for key, fields in mapped.ambiguous.items() if key in (*QUANTITIES, "currency")}
    for key, several in unclear.items():
        raise _refusal(("metadata",), f"expected {key} once, found {' and '.join(several)}"[:200], name)
    values = {}
    for key in QUANTITIES.keys() & mapped.columns.keys():
        if text := _text(metadata, mapped.columns[key]):
            value = figure_of(text)
            if value is None:
                raise _refusal(
                    ("metadata", key), f"expected a number of 0 or more, found {text[:40]!r}", name
                )
            values[key] = value
    currency = _text(metadata, mapped.columns.get("currency", "")) if COST in values else ""
    if COST in values and not CURRENCY.fullmatch(currency):
        expected = "expected three letters, such as EUR, beside the cost"
        raise _refusal(("metadata", "currency"), f"{expected}, found {currency[:40]!r}", name)
    return values, currency.upper()


def _hardware(fields: Mapping[str, Any]) -> Iterator[str]:
    for path in (("cpu", "model"), ("gpu", "model"), ("ram",)):
        if text := _text(fields, "platform", "hardware", *path):
            yield replace_unstorable(f"{text} RAM" if path == ("ram",) else text)


def _text(fields: Mapping[str, Any], *path: str) -> str:
    """Return the text behind a path of fields, "" if there is none."""
    value: Any = fields
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value.strip() if isinstance(value, str) and value.lower() not in EMPTY_VALUES else ""


def _refusal(path: tuple[str, ...], message: str, name: str) -> BadFile:
    return BadFile(f"ir_metadata, {', '.join(path)}: {message}", name=name)
