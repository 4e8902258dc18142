"""Answers made of extracts of documents, for the demonstration."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence


def extractive_answers(tag: str, extracts: Mapping[str, Sequence[tuple[str, str]]]) -> bytes:
    """Return an answer run in the form of reports: the first sentence of each document, which it cites.

    extracts: topic -> docno and text of each document.

    >>> extractive_answers("first", {"7": [("D1", "Boats float. They carry goods.")]})[-66:]
    b'"responses": [{"text": "D1: Boats float.", "citations": ["D1"]}]}\\n'
    """
    rows = [
        {
            "metadata": {"team_id": "extracts", "run_id": tag, "type": "automatic", "topic_id": topic},
            "references": [docno for docno, _ in documents],
            "responses": [
                {"text": f"{docno}: {first_sentence(text)}", "citations": [docno]}
                for docno, text in documents
            ],
        }
        for topic, documents in extracts.items()
    ]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def first_sentence(text: str) -> str:
    """Return the first sentence of a text on one line.

    >>> first_sentence("Add a note\\nto the exception. Twice.")
    'Add a note to the exception.'
    """
    words = text.split()
    end = next((place for place, word in enumerate(words, start=1) if word.endswith(".")), len(words))
    return " ".join(words[:end])
