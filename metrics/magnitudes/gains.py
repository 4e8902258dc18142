"""Real-valued gains for measures, which read whole numbers as grades."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import NamedTuple

from pooling.notebook import fields_html
from pooling.refusals import Refused

Gains = Mapping[str, Mapping[str, float]]
"""topic -> docno -> gain."""


class CodedGains(NamedTuple):
    """Whole numbers in place of gains. grades: topic -> docno -> number. gains: the gain of each number.

    gains is the parameter of that name of DCG and nDCG, as in "1=26.5915,2=106.3659".
    """

    grades: dict[str, dict[str, int]]
    gains: str

    def _repr_html_(self) -> str:
        return fields_html(self)


def code_gains(gains: Gains) -> CodedGains:
    """Return whole numbers for gains of 0 or more, in their order: 0 for 0, then 1 for the smallest one.

    A number stands for the same gain in all topics. Raises Refused for a gain below 0, or not finite.

    >>> code_gains({"7": {"a": 26.5, "b": 106.25}, "8": {"a": 26.5, "c": 0.0}})
    CodedGains(grades={'7': {'a': 1, 'b': 2}, '8': {'a': 1, 'c': 0}}, gains='1=26.5,2=106.25')
    """
    values = sorted({float(value) for own in gains.values() for value in own.values()} - {0.0})
    if wrong := [value for value in values if not isfinite(value) or value < 0]:
        raise Refused(f"expected gains of 0 or more, found {wrong[0]}")
    codes = {value: code for code, value in enumerate(values, start=1)} | {0.0: 0}
    grades = {
        topic: {docno: codes[float(value)] for docno, value in own.items()} for topic, own in gains.items()
    }
    return CodedGains(grades, ",".join(f"{codes[value]}={value!r}" for value in values))
