"""Lines of texts from PDF files are joined, and nothing but blanks, line ends and hyphens changes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.document.evidence import Quote, locate_evidence
from assess.document.line_joining import join_lines
from assess.document.text import paragraphs, text_parts

FULL = "The pool holds the documents that at least one of the runs returned among the first.\n"
PIECES = [
    "word",
    "con-",
    "trol",
    "X-",
    "1990-",
    "\u00ad",
    "- item",
    "1. one",
    "\n",
    "\n",
    "\n\n",
    "\r\n",
    "  ",
    FULL,
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{FULL}And the rest.", f"{FULL}And the rest.".replace("\n", " ")),
        ("the con-\ntrol of it", "the control of it"),
        ("the con\u00ad\ntrol of it", "the control of it"),
        ("the well-known and well-\nknown case", "the well-known and well-known case"),
        ("the state-of-the-\nart case", "the state-of-the-art case"),
        ("the writer Jean-\nPaul Sartre", "the writer Jean-Paul Sartre"),
        ("the texts of pre-\nand post-war times", "the texts of pre- and post-war times"),
        (
            f"A heading\n{FULL}{FULL}",
            f"A heading\n\n{FULL}{FULL}".rstrip().replace("first.\nThe", "first. The") + "\n",
        ),
        (f"{FULL}- an item\n- another", f"{FULL}- an item\n- another"),
        (f"{FULL}\nShall I compare thee\nto a day?", f"{FULL}\nShall I compare thee\nto a day?"),
        (f"{FULL}\nif x:\n    y = 1", f"{FULL}\nif x:\n    y = 1"),
        (f"{FULL}\na  1   2\nb  1   2", f"{FULL}\na  1   2\nb  1   2"),
        ("東京は日本の首都\nであり人口が多い", "東京は日本の首都であり人口が多い"),
    ],
)
def test_running_text_is_joined_and_the_rest_stays(text: str, expected: str) -> None:
    assert join_lines(text) == expected


@given(st.lists(st.sampled_from(PIECES)).map(" ".join) | st.text("ab-\u00ad \n\r\t\fA1.*", max_size=200))
def test_only_blanks_line_ends_and_hyphens_at_line_ends_change(text: str) -> None:
    joined = join_lines(text)
    assert re.sub(r"[\s\u00ad-]", "", joined) == re.sub(r"[\s\u00ad-]", "", text)
    ends = len(re.findall(r"[-\u00ad](?=\s*\n)", text))
    assert 0 <= len(re.findall(r"[-\u00ad]", text)) - len(re.findall(r"[-\u00ad]", joined)) <= ends
    assert "".join(joined[start:end] for start, end in text_parts(joined, 20)) == joined
    assert len(paragraphs(joined)) >= len(paragraphs(text))


@pytest.mark.parametrize("quote", ["control of the", "con- trol of the", "trol"])
def test_evidence_is_located_with_and_without_joining(quote: str) -> None:
    text = f"{FULL}This is con-\ntrol of the lines."
    for shown in (text, join_lines(text)):
        (found,) = locate_evidence(shown, {"A": Quote(quote, 0, 90)})
        assert shown[found.start : found.end].replace("-\n", "") == quote.replace("- ", "")
