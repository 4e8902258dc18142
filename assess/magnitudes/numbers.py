"""Magnitudes as judges write them: 40, 0.5, 1/3."""

from __future__ import annotations

import re
from fractions import Fraction

from pooling.refusals import Refused

LONGEST = 20  # characters
NUMBER = r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+"
PATTERN = rf"\s*(?:{NUMBER})\s*(?:/\s*(?:{NUMBER})\s*)?"
"""What a number looks like, for fields of a page too. It does not say that it is above 0."""


def parse_magnitude(text: str) -> float:
    """Return the value of a whole number, a decimal or a fraction. Raises Refused unless it is above 0.

    >>> [parse_magnitude(text) for text in ("40", "0.5", ".5", "1/4", "2.5 / 10")]
    [40.0, 0.5, 0.5, 0.25, 0.25]
    >>> parse_magnitude("0")
    Traceback (most recent call last):
    pooling.refusals.Refused: expected a number above 0, such as 40, 0.5 or 1/3, found '0'
    """
    value = 0.0
    if len(text) <= LONGEST and re.fullmatch(PATTERN, text, re.ASCII):
        above, _, below = text.partition("/")
        divisor = Fraction(below.strip()) if below else Fraction(1)
        value = float(Fraction(above.strip()) / divisor) if divisor else 0.0
    if value <= 0:
        raise Refused(f"expected a number above 0, such as 40, 0.5 or 1/3, found {text[:50]!r}")
    return value
