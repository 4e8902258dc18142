"""A column of numbers is read as `float` reads each of them; what is not read is named and left."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pooling.formats import numbers as module
from pooling.formats.columns import blocks
from pooling.formats.numbers import decimal_column, whole_number_column
from pooling.intake.run_tables import NUMBER

FINITE = st.floats(allow_nan=False, allow_infinity=False)
needs_long_double = pytest.mark.skipif(
    np.finfo(np.longdouble).nmant < 63, reason="a long double is no longer than a double here"
)
SIGNS = st.sampled_from(["", "-", "+"])
PLAIN = st.builds("{}{}".format, SIGNS, st.from_regex(r"\A([0-9]{1,24}\.?[0-9]{0,24}|\.[0-9]{1,24})\Z"))
WRITTEN = st.one_of(
    FINITE.map(repr),
    FINITE.map("{:.6e}".format),
    FINITE.map("{:.18e}".format),
    st.floats(0, 1).map(repr),
    st.floats(-100, 100, width=32).map(repr),
    st.floats(-1e4, 1e4).map("{:.17f}".format),
    st.integers(-(10**20), 10**20).map(str),
    PLAIN,
    st.builds("{}{}{}".format, PLAIN, st.sampled_from("eE"), st.integers(-40, 40)),
    st.builds("{}e+{:02}".format, PLAIN, st.integers(0, 30)),
)
UNREADABLE = st.one_of(
    st.sampled_from(["nan", "inf", "-inf", ".", "-", "+", "-.", "e5", "-e5", ".e5", "5e", "5e-", "1e5e5"]),
    st.sampled_from(
        ["1_0", "0x10", "1,5", "--1", "+-1", "1.2.3", "1e2.5", "1e--2", "1.5f", "1e-5x", "e", "E"]
    ),
    st.text("0123456789+-.eE_xn", min_size=1, max_size=30),
)


def column(fields: list[str]) -> tuple[list[float], list[int]]:
    """Return what `decimals` makes of a column of these texts, which stand between other digits and dots."""
    found = list(blocks("".join(f"9.9 {field} 8.8\n" for field in fields).encode(), 3))
    assert len(found) == 1 and found[0] is not None
    values, left = decimal_column(found[0], 1)
    return values.tolist(), left.tolist()


def bits(values: list[float]) -> list[int]:
    found: list[int] = np.array(values).view(np.int64).tolist()
    return found


def agrees(fields: list[str]) -> list[int]:
    """Check every number that was read against `float`; return the lines that were left."""
    values, left = column(fields)
    rows = [row for row in range(len(fields)) if row not in left]
    assert all(NUMBER.fullmatch(fields[row].encode()) for row in rows)
    assert bits([values[row] for row in rows]) == bits([float(fields[row]) for row in rows])
    return left


def exactly(value: Decimal) -> str:
    return f"{value:f}"


def halfway(value: float) -> Decimal:
    """Return the number exactly between a double and the next one."""
    with localcontext(prec=200):
        return (Decimal(value) + Decimal(float(np.nextafter(value, np.inf)))) / 2


@given(st.lists(WRITTEN, min_size=1))
@example(["9007199254740993", "9007199254740992.5", "0.1", "1e-5"])
@example(["9999999999999999999", "10000000000000000000", "0.0000000000000000000001", "18446744073709551616"])
def test_a_number_is_read_as_float_reads_it(fields: list[str]) -> None:
    agrees(fields)


@given(st.lists(st.one_of(WRITTEN, UNREADABLE), min_size=1))
def test_whatever_is_not_a_number_is_left(fields: list[str]) -> None:
    agrees(fields)


@pytest.mark.parametrize("length", [2, 8, 15, 22])
def test_two_dots_are_left_wherever_they_stand(length: int) -> None:
    digits = "1234567890123456789012"[:length]
    fields = [
        f"{digits[:first]}.{digits[first:second]}.{digits[second:]}"
        for first in range(length + 1)
        for second in range(first, length + 1)
    ]
    assert column(["1.5", *fields])[1] == list(range(1, len(fields) + 1))


@pytest.mark.parametrize("field", [".", "-", "-.", "+", "e", "-e5", "5e", "1.2.3", "nan", "1" * 200])
@pytest.mark.parametrize("lines", [1, 2, 9])
def test_a_column_of_nothing_but_one_word_is_left(field: str, lines: int) -> None:
    assert column([field] * lines)[1] == list(range(lines))


@given(st.floats(1e-8, 1e15, exclude_max=True), st.integers(17, 20))
def test_the_decimals_about_halfway_between_two_doubles_go_to_the_nearest_or_are_left(
    value: float, digits: int
) -> None:
    between = halfway(value)
    with localcontext(prec=digits):
        short = +between
        step = Decimal(1).scaleb(short.adjusted() - digits + 1)
    with localcontext(prec=200):
        near = [exactly(short + step * steps) for steps in range(-2, 3)]
    agrees([*near, exactly(between), *(f"{Decimal(text):e}" for text in near)])


@pytest.mark.parametrize("exponent", range(-13, 11))
def test_exact_halves_just_beside_a_power_of_two_are_read_to_the_last_bit(exponent: int) -> None:
    power = 2.0**exponent
    about = [power, float(np.nextafter(power, 0)), float(np.nextafter(power, 1e9))]
    fields = [f"{halfway(value):.{digits}f}" for value in about for digits in range(12, 20)]
    agrees([*fields, *(field + "1" for field in fields)])


@needs_long_double
def test_mantissas_beyond_doubles_whose_quotient_lies_at_a_half_are_left_to_float() -> None:
    odd = [str(2**53 + 1 + 2 * step) for step in range(50)]  # whole numbers halfway between two doubles
    assert agrees(odd) == list(range(50))
    quarters = [f"{(2**52 + step)}.5" for step in range(50)]
    assert agrees(quarters) == list(range(50))
    assert agrees([text + "01" for text in quarters]) == []


@needs_long_double
@pytest.mark.parametrize(
    "form",
    ["{!r}", "{:.4f}", "{:.17f}", "{:.17g}", "{:.6e}", "{:.18e}", "{:.8E}", "-{!r}", "+{:.0f}", "{:.0f}."],
)
def test_the_forms_of_real_scores_are_not_left(form: str) -> None:
    rng = np.random.default_rng(5)
    for scale in (30.0, 1.0, 0.01):
        fields = [form.format(value) for value in (rng.random(2000) * scale).tolist()]
        assert len(agrees(fields)) <= (20 if "17" in form or "18" in form else 2)


def test_where_a_long_double_is_a_double_only_the_long_numbers_are_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "LONG_POWERS", module.LONG_POWERS.astype(np.float64))
    monkeypatch.setattr(module, "LONG_ERROR", np.finfo(np.float64).eps)
    monkeypatch.setattr(np, "longdouble", np.float64)
    values = np.random.default_rng(7).random(500)
    assert agrees([repr(value) for value in values.tolist()]) != []
    assert agrees([f"{value:.12f}" for value in values.tolist()]) == []


@given(st.lists(st.one_of(st.integers(-(10**20), 10**20).map(str), UNREADABLE, PLAIN), min_size=1))
def test_whole_numbers_are_read_as_int_reads_them_and_others_left(fields: list[str]) -> None:
    (block,) = blocks("".join(f"9 {field} 8\n" for field in fields).encode(), 3)
    assert block is not None
    values, left = whole_number_column(block, 1)
    for row, field in enumerate(fields):
        digits = field.removeprefix("-") if field.startswith("-") else field.removeprefix("+")
        fits = digits.isdigit() and len(digits) <= 16
        assert (row not in left.tolist()) == fits
        assert not fits or values[row] == int(field)
