"""Files of snippets, and snippets that are cut from documents."""

from __future__ import annotations

import pytest

from assess.document.highlighting import topic_terms
from assess.snippets.context import keyword_in_context
from assess.snippets.files import LONGEST, read_snippets
from pooling.formats.files import BadFile

TOPICS = {"1", "2"}


def test_lines_and_tables_say_the_same() -> None:
    lines = read_snippets("1 D1 Boats  float … here\n\n* D2 Ships\n".encode(), TOPICS)
    assert lines.snippets == {("1", "D1"): "Boats float … here", ("*", "D2"): "Ships"}
    table = read_snippets(
        "topic,docno,snippet\n1,D1,Boats float … here\n,D2,Ships\n".encode(), TOPICS, "a.csv"
    )
    assert table.snippets == lines.snippets and table.unknown == 0
    rows = (
        b'{"topic": 1, "docno": "D1", "snippet": "Boats\\nfloat \\u2026 here"}\n'
        b'{"docno": "D2", "snippet": "Ships"}\n'
    )
    assert read_snippets(rows, TOPICS, "a.jsonl").snippets == lines.snippets


def test_lines_of_other_topics_are_left_out() -> None:
    found = read_snippets(b"1 D1 Boats\n9 D1 Boats\n", TOPICS)
    assert found.unknown == 1 and list(found.snippets) == [("1", "D1")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "expected lines of topic, docno and snippet, found none"),
        ("1 D1\n", "a.txt, line 1: expected lines of topic, docno and snippet, found 2 of the three"),
        (
            "1 D1 a\n1 D1 b\n",
            "a.txt, line 2: expected one snippet of D1 for topic 1, found another (first on line 1)",
        ),
        (
            f"1 D1 {'a' * (LONGEST + 1)}\n",
            "a.txt, line 1: expected a snippet of at most 2,000 characters, found 2,001",
        ),
        ("9 D1 a\n", "expected topics of this campaign, found none of them"),
        (f"1 {'D' * 201} a\n", "a.txt, line 1: expected a docno of at most 200 bytes, found 201"),
        (
            "topic,docno,snippet\n1,D1,\n",
            "a.txt, line 2: expected a snippet behind topic and docno, found none",
        ),
    ],
)
def test_a_bad_file_says_where_and_what_was_expected(content: str, message: str) -> None:
    with pytest.raises(BadFile) as refused:
        read_snippets(content.encode(), TOPICS, "a.txt")
    assert message in str(refused.value)


def test_a_snippet_has_the_densest_passages_in_text_order() -> None:
    filler = "Nothing of this is about the matter at hand, and it goes on for a while. " * 8
    text = f"{filler}Boats float on rivers. {filler}Boats carry grain on rivers to mills. {filler}"
    snippet = keyword_in_context(text, topic_terms("boats rivers grain"))
    assert snippet.index("Boats float on rivers.") < snippet.index(" … ") < snippet.index("Boats carry grain")
    assert len(snippet) < 400


def test_a_document_without_the_words_shows_its_beginning() -> None:
    text = "Houses stand on land. " * 40
    snippet = keyword_in_context(text, topic_terms("boats"))
    assert snippet.startswith("Houses stand on land.") and snippet.endswith("…") and len(snippet) < 340
    assert keyword_in_context("", topic_terms("boats")) == ""
