"""Measures by name: `nDCG@10`, `AP(rel=2)@100` as ir_measures writes, `ndcg_cut.10`, `P.5,10` as
trec_eval."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

from .measure import BadMeasure, Kind, Measure, UnknownMeasure, Value, inf
from .measures import average_precision, cascade, compat, counts, cumulated, cwl, diversity, gain, precision

KINDS: dict[str, Kind] = {
    kind.name: kind
    for family in (counts, precision, average_precision, gain, cumulated, cascade, cwl, compat, diversity)
    for kind in family.KINDS
}
SHAPE = re.compile(r"(?P<name>[A-Za-z0-9_\-]+?)(?:\((?P<inside>[^()]*)\))?(?:@(?P<cutoff>[0-9.]+))?")
PAIR = re.compile(r"\s*(?P<name>\w+)\s*=\s*(?P<value>'[^']*'|\"[^\"]*\"|[^,'\"]+?)\s*(?:,|$)")


def trec_eval_names() -> dict[str, tuple[Kind, bool]]:
    """Return trec_eval's name -> the kind, and whether the name takes a cut-off."""
    plain = {kind.trec_eval: (kind, False) for kind in KINDS.values() if kind.trec_eval}
    cut = {kind.trec_eval_cut: (kind, True) for kind in KINDS.values() if kind.trec_eval_cut}
    return {**plain, **cut}


def nearest(text: str) -> str:
    """Return the known name that looks most like the text, or ""."""
    known = {name.lower(): name for name in (*trec_eval_names(), *KINDS)}
    word = re.split(r"[@(.]", text.strip(), maxsplit=1)[0].lower()
    found = get_close_matches(word, known, n=1, cutoff=0.5)
    return known[found[0]] if found else ""


def parse_measure(text: str) -> Measure:
    """Return one measure. Raises UnknownMeasure for an unknown name, BadMeasure for parameters that do not
    fit."""
    found = _from_trec_eval(text) or [_from_ir_measures(text)]
    if len(found) > 1:
        raise BadMeasure(f"expected one measure, found {len(found)} in {text!r}")
    return found[0]


def parse_measures(text: str) -> list[Measure]:
    """Return the measures of a text that separates them by blanks; `P.5,10` is two of them."""
    parts = re.findall(r"[^\s(]+(?:\([^)]*\)[^\s]*)?", text)
    return [measure for part in parts for measure in _from_trec_eval(part) or [_from_ir_measures(part)]]


def make(
    kind: Kind, parameters: Iterable[tuple[str, Value]] = (), cutoff: Value = None, label: str = ""
) -> Measure:
    """Return a measure of a kind, checked. Raises BadMeasure for what it cannot have."""
    given = dict(parameters)
    for name, value in given.items():
        if name not in kind.parameters:
            known = ", ".join(kind.parameters) or "none"
            raise BadMeasure(f"{kind.name} has no parameter {name!r} (known: {known})")
        _check_value(kind, name, value)
    return Measure(kind, _in_order(kind, given), _checked_cutoff(kind, cutoff), label)


def _check_value(kind: Kind, name: str, value: Value) -> None:
    """Refuse a value that is not of the default's type, or not among those that the kind allows.

    A parameter whose default is None is a whole number that has yet to be chosen.
    """
    default = kind.parameters[name]
    if value == default:
        return
    if isinstance(default, bool):
        fits, wish = isinstance(value, bool), "True or False"
    elif isinstance(default, str):
        choices = kind.choices.get(name, ())
        fits = isinstance(value, str) and (value in choices or not choices)
        wish = " or ".join(map(repr, choices)) or "text in quotation marks"
    else:
        low, high = kind.limits.get(name, (-inf, inf))
        types, wish = ((int, float), "a number") if isinstance(default, float) else ((int,), "a whole number")
        fits = isinstance(value, types) and not isinstance(value, bool) and low <= float(value) <= high
        wish += f" of at least {low:g}" if high == inf and low > -inf else ""
        wish += f" from {low:g} to {high:g}" if high < inf else ""
    if not fits:
        raise BadMeasure(f"{kind.name}: expected {wish} as {name}, found {value!r}")


def _in_order(kind: Kind, given: dict[str, Value]) -> tuple[tuple[str, Value], ...]:
    return tuple(
        (name, given[name])
        for name in kind.parameters
        if given.get(name, kind.parameters[name]) != kind.parameters[name]
    )


def _checked_cutoff(kind: Kind, cutoff: Value) -> int | float | None:
    if cutoff is None:
        if kind.needs_cutoff:
            raise BadMeasure(
                f"{kind.name} needs a cut-off, such as {kind.name}@{'10' if kind.cutoff is int else '0.1'}"
            )
        return None
    if kind.cutoff is None:
        raise BadMeasure(f"{kind.name} takes no cut-off")
    try:
        value = kind.cutoff(str(cutoff))
    except ValueError:
        wish = "a whole number" if kind.cutoff is int else "a number"
        raise BadMeasure(f"{kind.name}@{cutoff}: expected {wish} as cut-off") from None
    if value < 0 or (kind.cutoff is int and value == 0):
        raise BadMeasure(f"{kind.name}@{cutoff}: expected a positive cut-off")
    return value


def _from_ir_measures(text: str) -> Measure:
    shape = SHAPE.fullmatch(text.strip())
    if shape is None or shape["name"] not in KINDS:
        raise UnknownMeasure(text, nearest(text))
    return make(KINDS[shape["name"]], _pairs(text, shape["inside"] or ""), shape["cutoff"])


def _pairs(text: str, inside: str) -> list[tuple[str, Value]]:
    pairs, place = [], 0
    while inside[place:].strip():
        pair = PAIR.match(inside, place)
        if pair is None:
            raise BadMeasure(f"{text}: expected name=value, found {inside[place:].strip()!r}")
        pairs.append((pair["name"], _value(pair["value"])))
        place = pair.end()
    return pairs


def _value(text: str) -> Value:
    if text[0] in "'\"":
        return text[1:-1]
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return {"True": True, "False": False, "None": None}.get(text, text)


def _from_trec_eval(text: str) -> list[Measure]:
    """Return the measures of `map`, `P.5,10` or `P_5`; none when the text is not of that form."""
    if re.split(r"[@(]", text, maxsplit=1)[0] in KINDS:  # `P_IA@5` is not trec_eval's P
        return []
    names = trec_eval_names()
    name, dot, parameters = text.partition(".")
    if not dot and name not in names:
        name, _, parameters = text.rpartition("_")
    if name not in names:
        return []
    kind, takes_cutoff = names[name]
    if not parameters:
        return [] if takes_cutoff else [make(kind)]
    if not takes_cutoff:
        raise BadMeasure(f"{name} takes no parameters, found {parameters!r}")
    return [make(kind, cutoff=cut) for cut in parameters.split(",")]
