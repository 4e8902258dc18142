"""All kinds of measures by name, gathered from the families, and how one becomes a measure."""

from __future__ import annotations

from collections.abc import Iterable

from .measure import BadMeasure, Kind, Measure, Value
from .measures import average_precision, counts, gain, judge_groups, precision, preference, sets

LARGEST = 10**9  # no ranking is longer
FAMILIES = (counts, precision, sets, average_precision, gain, judge_groups, preference)
KINDS: dict[str, Kind] = {kind.name: kind for family in FAMILIES for kind in family.KINDS}


def make(
    kind: Kind, parameters: Iterable[tuple[str, Value]] = (), cutoff: Value = None, label: str = ""
) -> Measure:
    """Return a measure of a kind, checked. Raises BadMeasure for what it cannot have."""
    given = dict(parameters)
    for name, value in given.items():
        if name not in kind.parameters:
            known = ", ".join(kind.parameters) or "none"
            raise BadMeasure(f"{kind.name} has no parameter {name!r} (known: {known})")
        given[name] = _checked_value(kind, name, value)
    differing = tuple(
        (name, given[name])
        for name, default in kind.parameters.items()
        if name in given and given[name] != default
    )
    return Measure(kind, differing, _checked_cutoff(kind, cutoff), label)


def _checked_value(kind: Kind, name: str, value: Value) -> Value:
    """Return a parameter's value as the type of its default; `rel` is a grade of 0 or more."""
    default = kind.parameters[name]
    if name == "rel":
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise BadMeasure(f"{kind.name}(rel={value}): expected a grade of 0 or more")
        return value
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if name == "gains":
        gain.gain_of_grade(str(value))  # raises BadMeasure now rather than while scoring
    if default is not None and type(value) is not type(default):
        wish = type(default).__name__.replace("str", "text").replace("int", "whole number")
        raise BadMeasure(f"{kind.name}({name}={value}): expected a {wish}")
    return value


def _checked_cutoff(kind: Kind, cutoff: Value) -> int | float | None:
    if cutoff is None:
        if kind.needs_cutoff:
            example = 10 if kind.cutoff is int else 0.1
            raise BadMeasure(f"{kind.name} needs a cut-off, such as {kind.name}@{example}")
        return None
    if kind.cutoff is None:
        raise BadMeasure(f"{kind.name} takes no cut-off, found @{cutoff}")
    try:
        value = kind.cutoff(str(cutoff))
    except ValueError:
        wish = "a whole number" if kind.cutoff is int else "a number"
        raise BadMeasure(f"{kind.name}@{cutoff}: expected {wish} as cut-off") from None
    if not value < LARGEST:
        raise BadMeasure(f"{kind.name}@{cutoff}: expected a cut-off of less than {LARGEST:,}")
    if value < 0 or (kind.cutoff is int and value == 0):
        raise BadMeasure(f"{kind.name}@{cutoff}: expected a positive cut-off")
    return value
