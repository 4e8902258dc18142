"""Prompts: templates with placeholders, frozen with scale, guidelines and examples."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple, TypedDict

from assess.machines.replies import FINAL_LINE
from pooling.checksum import sha256_of
from pooling.refusals import Refused
from pooling.scale import Grade

PLACEHOLDERS = {
    "topic": "the chosen fields of the topic",
    "document": "title and text of the document",
    "title": "the title of the document",
    "text": "the text of the document",
    "scale": "the grades of the campaign with names and definitions",
    "guidelines": "the guidelines of the campaign",
    "examples": "the chosen training documents with their grades",
    "final_line": "the form of the last line of the reply",
}
OPEN = ("topic", "document", "title", "text")  # filled for each request
TOPIC_FIELDS = ("title", "description", "narrative")
PLACE = re.compile(r"\{([A-Za-z_]+)\}")
FINAL_FORM = f"##{FINAL_LINE}: <number>"
SYSTEM = "You judge how relevant documents are to what a person is looking for."

STEPS = """\
Give the passage below a score that says how relevant it is to the query. \
The score is a whole number of this scale:
{scale}

Choose the score with care. \
A passage that is only loosely related to the subject of the query gets a low score. \
A passage that says something important about the whole subject, among material that the query \
does not ask for, gets a score in the middle. \
Only a passage that is about the subject alone, and from beginning to end, gets the highest score. \
Any other passage gets the lowest score.

{guidelines}

{examples}

Query:
{topic}

Passage:
{document}

Proceed in these steps:
- Consider the intent that is behind the query.
- Measure how well the content of the passage matches this intent (M).
- Measure how trustworthy the passage is (T).
- Weigh M and T, and decide on the final score (O). It must be a whole number of the scale.

Write no code. Write the final score without any reasoning, in this form:
{final_line}
"""
SHORT = """\
How relevant is the document to the topic? Use this scale:
{scale}

{guidelines}

{examples}

Topic:
{topic}

Document:
{document}

Reply with a JSON object and nothing else, where N is a grade of the scale: {"grade": N}
"""
TEMPLATES = {"steps": STEPS, "short": SHORT}


class BadPrompt(Refused):
    """A template that cannot be used; says why."""


class Message(TypedDict):
    role: str
    content: str


class TopicText(NamedTuple):
    title: str
    description: str = ""
    narrative: str = ""


class DocumentText(NamedTuple):
    title: str
    text: str


class Example(NamedTuple):
    """A training document with its grade."""

    topic: TopicText
    document: DocumentText
    grade: int


class Part(NamedTuple):
    """A part of the user message: a literal text, or a place of `OPEN`, which each request fills."""

    place: str
    text: str


class PromptContent(NamedTuple):
    """All of a prompt that does not depend on topic and document. grades: of the scale."""

    system: str
    user: tuple[Part, ...]
    topic_fields: tuple[str, ...]
    grades: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "system": self.system,
            "user": [list(part) for part in self.user],
            "topic_fields": list(self.topic_fields),
            "grades": list(self.grades),
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> PromptContent:
        user = tuple(Part(*part) for part in stored["user"])
        return cls(stored["system"], user, tuple(stored["topic_fields"]), tuple(stored["grades"]))

    @property
    def sha256(self) -> str:
        """Checksum of the content as canonical JSON."""
        return sha256_of(canonical_json(self.to_json()))


def canonical_json(value: Any) -> str:
    """Return JSON with sorted keys and without blanks, the same for equal values.

    >>> canonical_json({"b": [1, "é"], "a": None})
    '{"a":null,"b":[1,"é"]}'
    """
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def prompt_content(
    template: str,
    system: str,
    topic_fields: Sequence[str],
    scale: Sequence[Grade],
    guidelines: str = "",
    examples: Sequence[Example] = (),
) -> PromptContent:
    """Return the content of a prompt. Raises BadPrompt for a template with wrong placeholders."""
    template, system = (text.replace("\r\n", "\n").strip() for text in (template, system))
    check_template(template, system, topic_fields)
    if examples and "{examples}" not in template:
        raise BadPrompt("The template has no {examples}, so that the chosen examples would not be used.")
    guidelines = guidelines.replace("\r\n", "\n").strip()
    fixed = {
        "scale": "\n".join(map(_scale_line, scale)),
        "guidelines": f"Guidelines for judges:\n{guidelines}" if guidelines else "",
        "examples": _examples_text(examples, topic_fields, "{final_line}" in template),
        "final_line": FINAL_FORM,
    }
    for name in [name for name, text in fixed.items() if not text]:
        template = re.sub(rf"\{{{name}\}}[ \t]*\n*", "", template)
    return PromptContent(
        system, _parts(template, fixed), tuple(topic_fields), tuple(grade.value for grade in scale)
    )


def check_template(template: str, system: str, topic_fields: Sequence[str]) -> None:
    """Raise BadPrompt unless all placeholders are known and those of topic, document and scale are there."""
    names = PLACE.findall(template)
    if unknown := [name for name in names if name not in PLACEHOLDERS]:
        known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
        raise BadPrompt(f"{{{unknown[0]}}} is not a placeholder. The placeholders are {known}.")
    for name in ("topic", "scale"):
        if name not in names:
            raise BadPrompt(f"The template needs the placeholder {{{name}}}: {PLACEHOLDERS[name]}.")
    if not {"document", "text"} & set(names):
        raise BadPrompt("The template needs the placeholder {document} or {text}.")
    if match := PLACE.search(system):
        raise BadPrompt(f"The system message has no placeholders, but {match[0]} is in it.")
    if not topic_fields or not set(topic_fields) <= set(TOPIC_FIELDS):
        raise BadPrompt(f"Choose at least one field of the topic: {', '.join(TOPIC_FIELDS)}.")


def fill(content: PromptContent, topic: TopicText, document: DocumentText) -> list[Message]:
    """Return the messages of a request. Texts of topic and document are inserted as they are.

    A placeholder inside them has no meaning.
    """
    texts = {
        "topic": topic_text(topic, content.topic_fields),
        "document": document_text(document),
        "title": document.title,
        "text": document.text,
    }
    user = "".join(texts[part.place] if part.place else part.text for part in content.user)
    system: list[Message] = [{"role": "system", "content": content.system}] if content.system else []
    return [*system, {"role": "user", "content": user}]


def topic_text(topic: TopicText, fields: Sequence[str]) -> str:
    """Return these fields of a topic: one field as it is, several with their names.

    >>> topic_text(TopicText("wind", "Does it blow?"), ["title", "description", "narrative"])
    'Title: wind\\nDescription: Does it blow?'
    """
    texts: dict[str, str] = {
        field: getattr(topic, field).strip() for field in TOPIC_FIELDS if field in fields
    }
    if list(texts) == ["title"]:
        return texts["title"]
    return "\n".join(f"{field.capitalize()}: {text}" for field, text in texts.items() if text)


def document_text(document: DocumentText) -> str:
    return "\n\n".join(text for text in document if text.strip())


def _parts(template: str, fixed: dict[str, str]) -> tuple[Part, ...]:
    """Return the template as literal texts and open places; neighbouring texts are joined."""
    parts: list[Part] = []
    for index, piece in enumerate(PLACE.split(template)):  # text and name in turn
        part = (
            Part(piece, "") if index % 2 and piece in OPEN else Part("", fixed[piece] if index % 2 else piece)
        )
        if parts and not part.place and not parts[-1].place:
            part = Part("", parts.pop().text + part.text)
        parts.append(part)
    return tuple(part for part in parts if part.place or part.text)


def _scale_line(grade: Grade) -> str:
    line = f"{grade.value} = {grade.label}" + (f": {grade.definition}" if grade.definition else "")
    return f"{line} (Example: {grade.example})" if grade.example else line


def _examples_text(examples: Sequence[Example], fields: Sequence[str], as_line: bool) -> str:
    """Return the examples, each with its answer in the form that the template asks for."""
    blocks = []
    for topic, document, grade in examples:
        answer = f"##{FINAL_LINE}: {grade}" if as_line else json.dumps({"grade": grade})
        question = f"Query:\n{topic_text(topic, fields)}\n\nPassage:\n{document_text(document)}"
        blocks.append(f"### Example\n{question}\n\n{answer}")
    return "\n\n".join([*blocks, "### End of the examples"]) if blocks else ""
