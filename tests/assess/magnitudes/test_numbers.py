"""Numbers as judges write them."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.magnitudes.numbers import LONGEST, PATTERN, parse_magnitude
from pooling.refusals import Refused


@pytest.mark.parametrize(
    ("text", "value"),
    [("40", 40), ("0.5", 0.5), (".5", 0.5), ("7.", 7), (" 1 / 3 ", 1 / 3), ("2.5/0.5", 5), ("007", 7)],
)
def test_whole_numbers_decimals_and_fractions_are_read(text: str, value: float) -> None:
    assert parse_magnitude(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "0",
        "0.0",
        "0/5",
        "5/0",
        "-1",
        "+1",
        "1,5",
        "1e3",
        "1/2/3",
        "half",
        "inf",
        "nan",
        ".",
        "/",
        "1/",
    ]
    + ["٣", "１", "1_000", "½", "9" * (LONGEST + 1)],
)
def test_anything_else_is_refused_with_examples(text: str) -> None:
    with pytest.raises(Refused, match=re.escape("expected a number above 0, such as 40, 0.5 or 1/3, found")):
        parse_magnitude(text)


@given(st.text(alphabet="0123456789./ ", max_size=LONGEST))
def test_a_number_that_the_field_lets_through_is_refused_only_for_a_zero(text: str) -> None:
    if not re.fullmatch(PATTERN, text):
        with pytest.raises(Refused):
            parse_magnitude(text)
        return
    parts = [Fraction(part.strip()) for part in text.split("/")]
    if 0 in parts:
        with pytest.raises(Refused):
            parse_magnitude(text)
    else:
        assert parse_magnitude(text) == float(parts[0] / (parts[1] if len(parts) > 1 else 1)) > 0
