"""Files of answer runs in every form, as the tracks describe them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

Sentences = Sequence[tuple[str, Sequence[str]]]
Answers = Mapping[str, Sentences]  # topic -> sentences with the docnos that they cite

GOOD: Answers = {
    "1": [("Boats float.", ["D1"]), ("They carry people and goods.", ["D1", "D2"])],
    "2": [("Nobody knows.", [])],
}


def references_of(sentences: Sentences) -> list[str]:
    return list(dict.fromkeys(docno for _, cited in sentences for docno in cited))


def row(
    topic: str, sentences: Sentences, form: str = "rag", tag: str = "one", group: str = "harbour"
) -> dict[str, Any]:
    """Return the object of one line."""
    references = references_of(sentences)
    by_index = [{"text": text, "citations": [references.index(d) for d in own]} for text, own in sentences]
    by_docno = [{"text": text, "citations": list(own)} for text, own in sentences]
    about = {"team_id": group, "run_id": tag}
    narrative = {**about, "type": "automatic", "narrative_id": topic, "narrative": "Why do boats float?"}
    match form:
        case "rag":
            return {"metadata": narrative, "references": references, "answer": by_index}
        case "rag-2024":
            length = sum(len(text.split()) for text, _ in sentences)
            return {
                "run_id": tag,
                "topic_id": topic,
                "topic": "boats",
                "references": references,
                "response_length": length,
                "answer": by_index,
            }
        case "rag-2026":
            return {"metadata": narrative, "references": references, "answer": by_docno}
        case "report":
            return {"metadata": about | {"topic_id": topic}, "responses": by_docno, "references": references}
        case "scores":
            scored = [
                {"text": t, "citations": {d: 100 - n for n, d in enumerate(own)}} for t, own in sentences
            ]
            return {
                "metadata": about | {"request_id": topic},
                "responses": scored,
                "references": references,
            }
    raise AssertionError(form)


def answer_file(answers: Answers = GOOD, form: str = "rag", **about: str) -> bytes:
    rows = [row(topic, sentences, form, **about) for topic, sentences in answers.items()]
    return b"".join(json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in rows)
