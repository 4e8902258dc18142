"""The registry of measures: all kinds by name, and the checked construction of a measure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import wraps
from math import inf

from metrics.engine.hits import Hits
from metrics.measures.average_precision import AVERAGE_PRECISION
from metrics.measures.base import JUDGED_ONLY, BadMeasure, Measure, MeasureKind, Value
from metrics.measures.collection import COLLECTION_DECISIONS
from metrics.measures.compat import COMPATIBILITY
from metrics.measures.dcg import CUMULATED_GAIN, TREC_EVAL_GAIN, gain_of_grade
from metrics.measures.diversity import DIVERSITY
from metrics.measures.judge_averages import OVER_JUDGES
from metrics.measures.precision import TOP_RANKS
from metrics.measures.preferences import PREFERENCES
from metrics.measures.sampled import FROM_SAMPLES
from metrics.measures.sets import COUNTS, RETRIEVED_SET
from metrics.measures.textbook import TEXTBOOK
from metrics.measures.user_models import CASCADE, USER_MODELS
from pooling.arrays import Vector

LARGEST_CUTOFF = 10**9  # the limit of cut-offs
FAMILIES = (
    COUNTS,
    TOP_RANKS,
    RETRIEVED_SET,
    AVERAGE_PRECISION,
    TREC_EVAL_GAIN,
    OVER_JUDGES,
    PREFERENCES,
    CUMULATED_GAIN,
    CASCADE,
    USER_MODELS,
    COMPATIBILITY,
    DIVERSITY,
    FROM_SAMPLES,
    COLLECTION_DECISIONS,
    TEXTBOOK,
)  # in the order of the page of measures


def _with_judged_only(kind: MeasureKind) -> MeasureKind:
    """Return the kind with ir_measures' parameter `judged_only`: which drops unjudged documents."""

    @wraps(kind.compute)
    def compute(hits: Hits, judged_only: bool = False, **arguments: Value) -> Vector:
        if judged_only:
            hits = hits.cached("judged only", lambda: hits.limited(judged_only=True))
        return kind.compute(hits, **arguments)

    return replace(kind, compute=compute, parameters={**kind.parameters, "judged_only": JUDGED_ONLY})


KINDS: dict[str, MeasureKind] = {
    kind.name: _with_judged_only(kind) if kind.judged_only else kind
    for family in FAMILIES
    for kind in family.kinds
}
# other names in ir_measures -> name here
ALIASES = {
    "NDCG": "nDCG", "MAP": "AP", "MRR": "RR", "Precision": "P", "Recall": "R", "RPrec": "Rprec",
    "Bpref": "bpref", "BPref": "bpref", "MAP_IA": "AP_IA", "α_DCG": "alpha_DCG", "α_nDCG": "alpha_nDCG",
}  # fmt: skip


def make_measure(
    kind: MeasureKind, parameters: Iterable[tuple[str, Value]] = (), cutoff: Value = None, label: str = ""
) -> Measure:
    """Return a measure of a kind. Raises BadMeasure for an invalid parameter or cut-off."""
    given = dict(parameters)
    for name, value in given.items():
        if name not in kind.parameters:
            known = ", ".join(kind.parameters) or "none"
            raise BadMeasure(f"{kind.name} has no parameter {name!r} (known: {known})")
        given[name] = _checked_value(kind, name, value)
    differing = tuple(
        (name, given[name])
        for name, default in kind.defaults.items()
        if name in given and given[name] != default
    )
    return Measure(kind, differing, _checked_cutoff(kind, cutoff), label)


def _checked_value(kind: MeasureKind, name: str, value: Value) -> Value:
    """Return a parameter's value as the type of its default; `rel` is a grade of 0 or more."""
    default = kind.parameters[name].default
    if name == "rel":
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise BadMeasure(f"{kind.name}(rel={value}): expected a grade of 0 or more")
        return value
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if name == "gains":
        gain_of_grade(str(value))  # raises BadMeasure now rather than while scoring
    if default is not None and type(value) is not type(default):
        expected = type(default).__name__.replace("str", "text").replace("int", "whole number")
        raise BadMeasure(f"{kind.name}({name}={value}): expected a {expected}")
    if default is None and type(value) is not int:
        raise BadMeasure(f"{kind.name}({name}={value}): expected a whole number")
    return _allowed(kind, name, value)


def _allowed(kind: MeasureKind, name: str, value: Value) -> Value:
    """Return the value if it is within the limits and choices of the parameter."""
    parameter = kind.parameters[name]
    if isinstance(value, str) and parameter.choices and value not in parameter.choices:
        expected = " or ".join(repr(choice) for choice in parameter.choices)
        raise BadMeasure(f"{kind.name}({name}={value!r}): expected {expected}")
    if isinstance(value, int | float) and not parameter.low <= value <= parameter.high:
        low, high = f"{parameter.low:g}", f"{parameter.high:g}"
        expected = f"from {low} to {high}" if parameter.high < inf else f"of at least {low}"
        raise BadMeasure(f"{kind.name}({name}={value}): expected a number {expected}")
    return value


def _checked_cutoff(kind: MeasureKind, cutoff: Value) -> int | float | None:
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
        expected = "a whole number" if kind.cutoff is int else "a number"
        raise BadMeasure(f"{kind.name}@{cutoff}: expected {expected} as cut-off") from None
    if not value < LARGEST_CUTOFF:
        raise BadMeasure(f"{kind.name}@{cutoff}: expected a cut-off of less than {LARGEST_CUTOFF:,}")
    if value < 0 or (kind.cutoff is int and value == 0):
        raise BadMeasure(f"{kind.name}@{cutoff}: expected a positive cut-off")
    return value
