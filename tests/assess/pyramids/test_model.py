"""Pyramids: expressions that find headers, and text that belongs to two units."""

from __future__ import annotations

import re
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.pyramids.headers import header_pattern
from assess.pyramids.model import Contributor, Part, Pyramid, Unit, overlapping_parts
from tests.assess.pyramids.files import HEADER


@pytest.mark.parametrize(
    "expression", [HEADER, r"[-]+\n D\d+\.M\.250\.[A-J]\.[^\n]\n[-]*\n", "==* .*\n", r"#\s?[\w.]+:"]
)
def test_an_expression_finds_what_the_standard_library_finds(expression: str) -> None:
    text = (
        "#4\n\n-----\n D0701-A.M.100.B.C\n-----\n\nBoats.\n-\n D12.M.250.B.x\n---\nMasts.\n"
        "\n D0701-A.M.100.B.D\n\n=== a\n== b\n# x.1: c #y:"
    )
    found = [match.span() for match in header_pattern(expression).finditer(text)]
    assert found == [match.span() for match in re.finditer(expression, text)] and found


@pytest.mark.parametrize(
    "expression",
    ["", "a*", "(a)", "a|b", "a{2}", "^a", "a$", "a**", "a*?", "*a", "[a", "[]", "[z-a]", "[[a]]", "[a--b]",
     "[a&&b]",
     r"\1", r"\b", r"\A", r"\p{L}", "a" * 201, "a*" * 11 + "b", "a\x00", "\\"],
)  # fmt: skip
def test_another_expression_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match="^expected an expression"):
        header_pattern(expression)


@given(st.text("ab-\\[]^.*+?(){}|&~dnW\n", max_size=12))
def test_every_expression_is_compiled_without_a_warning_or_refused(expression: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            pattern = header_pattern(expression)
        except ValueError:
            return
    assert all(match[0] for match in pattern.finditer("ab-d.n\nW" * 3))


def test_offsets_count_as_in_a_public_file() -> None:
    """There the first words of the first summary have start="61", after lines of 17 hyphens."""
    text = "\n".join(["#4", "", "", "-" * 17, " D0727-B.M.100.G.A", "-" * 17, "", "Newt called"])
    [model] = Pyramid(text, (), HEADER).models
    assert text.index("Newt called") == 61
    assert model == Part(60, len(text))


def units_of(*spans: tuple[int, int, int]) -> list[Unit]:
    return [Unit(uid, "a", (Contributor("a", (Part(start, end),)),)) for uid, start, end in spans]


def test_text_of_two_units_is_found() -> None:
    assert list(overlapping_parts(units_of((1, 0, 5), (2, 5, 9)))) == []
    assert list(overlapping_parts(units_of((3, 4, 6), (2, 0, 9), (1, 9, 12)))) == [(2, 3, Part(4, 6))]
    assert list(overlapping_parts(units_of((1, 0, 5), (1, 3, 9)))) == [(1, 1, Part(3, 5))]


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 12), st.integers(1, 6)), max_size=6))
def test_overlaps_are_found_where_a_character_is_in_two_parts(spans: list[tuple[int, int, int]]) -> None:
    units = units_of(*((uid, start, start + length) for uid, start, length in spans))
    twice = {
        at for at in range(20) if sum(start <= at < start + length for _, start, length in spans) > 1
    }  # fmt: skip
    assert {at for _, _, part in overlapping_parts(units) for at in range(*part)} == twice
