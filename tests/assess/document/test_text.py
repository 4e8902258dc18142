from __future__ import annotations

import random
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.document.text import Layout, paragraph_spans, paragraphs, text_parts

WRAPPED = (
    "The results illustrate the general importance of the coupling among\nthe reactions considered here."
)


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        (WRAPPED, Layout.FLOWING),
        ("   " + WRAPPED, Layout.FLOWING),
        (WRAPPED.replace(". ", ".  "), Layout.FLOWING),
        ("Use it so:\n    x = 1\n    y = 2", Layout.COLUMNS),
        (">>> sorted([2, 1])\n[1, 2]", Layout.COLUMNS),
        ("    return 1", Layout.COLUMNS),
        ("\tmake test", Layout.COLUMNS),
        (f"    {WRAPPED}".replace("\n", " ") * 2, Layout.FLOWING),
        ("Date        High    Low\n2024-03-01  01:10   07:20\n2024-03-02  02:02   08:11", Layout.COLUMNS),
        ("name\tvalue of the thing that was measured\na\t1\nb\t2", Layout.COLUMNS),
        ("| a | b |\n|---|---|", Layout.COLUMNS),
        ("- one thing\n- another thing", Layout.LINES),
        ("1. one thing\n    that goes on\n2. another thing", Layout.LINES),
        ("Shall I compare thee\nto a summer's day?", Layout.LINES),
        (
            "O Captain! my Captain! our fearful trip is done,\n  The ship has weathered every rack,",
            Layout.LINES,
        ),
        ("The port is near, the bells I hear, the people all exulting,\n  But O heart!", Layout.LINES),
        ("Date        High    Low     \n2024-03-01  01:10   07:20   \n2024-03-02  02:02", Layout.COLUMNS),
        ("one line", Layout.FLOWING),
        ("one  line with two blanks", Layout.FLOWING),
    ],
)
def test_lines_and_blanks_are_kept_where_they_carry_meaning(text: str, layout: Layout) -> None:
    assert [paragraph.layout for paragraph in paragraphs(text)] == [layout]


def padded(lines: list[str], indent: str) -> str:
    """Return an abstract as CISI, MED and CACM store it: padded lines, paragraphs indented."""
    return "\n".join(
        f"{indent if at and at % 4 == 0 else ''}{line}".ljust(80) for at, line in enumerate(lines)
    )


@pytest.mark.parametrize("indent", ["", "  ", "     ", "\t"])
def test_few_abstracts_of_fixed_width_are_ragged(indent: str) -> None:
    draw, ragged = random.Random(1), 0
    for _ in range(500):
        words = " ".join("".join(draw.choices("abcdefg", k=draw.randint(2, 12))) for _ in range(150))
        abstract = padded(textwrap.wrap(words, 66), indent)
        ragged += any(paragraph.layout is not Layout.FLOWING for paragraph in paragraphs(abstract))
    assert ragged < 10, ragged


def test_the_first_line_behind_a_blank_line_keeps_its_indent() -> None:
    text = "class Sail:\n\n    def __init__(self):\n        self.area = 1\n\n\n    def reef(self): ..."
    assert [paragraph.text for paragraph in paragraphs(text)] == [
        "class Sail:",
        "    def __init__(self):\n        self.area = 1",
        "    def reef(self): ...",
    ]


@pytest.mark.parametrize("text", ["one\ftwo", "one\n\ftwo", "one\n\n\f\ntwo", "\fone\n \f\n two"])
def test_a_form_feed_ends_a_paragraph_and_is_not_shown(text: str) -> None:
    assert [paragraph.text.strip(" ") for paragraph in paragraphs(text)] == ["one", "two"]


def test_blank_lines_part_paragraphs_whatever_ends_a_line() -> None:
    assert [p.text for p in paragraphs("a\r\n\r\n\r\nb\n \t\nc\n")] == ["a", "b", "c"]


@given(st.text())
def test_no_word_is_lost(text: str) -> None:
    assert [w for p in paragraphs(text) for w in p.text.split()] == text.split()


TEXTS = st.text("ab. \t\n\r")


@given(TEXTS, st.integers(1, 12))
def test_parts_are_the_whole_text_and_none_is_too_long(text: str, size: int) -> None:
    cuts = text_parts(text, size)
    assert "".join(text[start:end] for start, end in cuts) == text
    assert all(end - start <= size for start, end in cuts)
    assert all(start < end for start, end in cuts[:-1])


@given(st.lists(st.sampled_from(["one", "two words", "- a list\n- of two"]), min_size=1), st.integers(30, 60))
def test_parts_show_the_paragraphs_of_the_whole(blocks: list[str], size: int) -> None:
    text = "\n\n".join(blocks)
    shown = [paragraph for start, end in text_parts(text, size) for paragraph in paragraphs(text[start:end])]
    assert shown == paragraphs(text)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("A line of words\nanother line of words", "A line of words\n"),
        ("A sentence ends. Another begins", "A sentence ends. "),
        ("words and words and words", "words and words and "),
        ("x" * 40, "x" * 20),
    ],
)
def test_a_paragraph_that_is_too_long_is_cut_where_it_hurts_least(text: str, first: str) -> None:
    start, end = text_parts(text, 20)[0]
    assert text[start:end] == first


@given(TEXTS)
def test_a_place_is_where_its_paragraph_stands(text: str) -> None:
    assert [text[start:end].replace("\r\n", "\n") for start, end in paragraph_spans(text)] == [
        paragraph.text for paragraph in paragraphs(text)
    ]
