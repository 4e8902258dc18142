from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.reading import paragraphs

WRAPPED = (
    "The results illustrate the general importance of the coupling among\nthe reactions considered here."
)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (WRAPPED, False),
        ("Use it so:\n    x = 1\n    y = 2", True),
        (">>> sorted([2, 1])\n[1, 2]", True),
        ("- one thing\n- another thing", True),
        ("Shall I compare thee\nto a summer's day?", True),
        ("one line", False),
    ],
)
def test_lines_flow_again_unless_they_were_broken_on_purpose(text: str, kept: bool) -> None:
    assert [paragraph.kept for paragraph in paragraphs(text)] == [kept]


def test_blank_lines_part_paragraphs_whatever_ends_a_line() -> None:
    assert [p.text for p in paragraphs("a\r\n\r\n\r\nb\n \t\nc\n")] == ["a", "b", "c"]


@given(st.text())
def test_no_word_is_lost(text: str) -> None:
    assert [w for p in paragraphs(text) for w in p.text.split()] == text.split()
