"""Nugget banks: what an answer to a topic should hold, as short statements or as questions with answers.

A nugget keeps where it comes from: documents, passages and authors. Banks are read by `bank_files`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from assess.nuggets.rows import json_lines
from pooling.notebook import fields_html
from pooling.refusals import Refused

MAX_WORDS = 12  # of a statement
MAX_IMPORTANCE = 10
VITAL, OKAY = "vital", "okay"
MUST, SHOULD, AVOID = "must", "should", "avoid"
OR, AND = "OR", "AND"
CHARACTERS = "characters"  # what offsets count, if a file does not say something else
TWO_GRADES, THREE_GRADES, NUMBERS = "vital or okay", "must, should or avoid", "a number from 0 to 10"

NUGGETS, QUESTIONS, TOOL, SHORT = "nuggets", "questions", "tool", "short"
FORMS: Mapping[str, str] = {
    NUGGETS: "nuggets with importance, AutoNuggetizer",
    QUESTIONS: "questions with answers, version 3",
    TOOL: "questions of the annotation tool",
    SHORT: "questions in short",
}

Importance = str | int | float | None


class Reference(NamedTuple):
    """A document that holds a nugget or an answer.

    start, end: of the passage, in characters of the document's text from 0, the end excluded; None where
    there is none. text: of the passage, "" where it is not known. extra: the other keys of the file.
    """

    docno: str
    start: int | None = None
    end: int | None = None
    text: str = ""
    extra: Mapping[str, Any] = {}


class Creator(NamedTuple):
    """An author of a nugget. name: of the person or of the model, "" where it is not known."""

    is_human: bool
    name: str = ""
    extra: Mapping[str, Any] = {}


class NuggetAnswer(NamedTuple):
    """An answer to a question. references: documents that attest it."""

    text: str
    references: tuple[Reference, ...] = ()
    extra: Mapping[str, Any] = {}


class Nugget(NamedTuple):
    """A fact that an answer should hold.

    text: a statement, or a question if there are answers. importance: vital or okay; must, should or avoid; a
    number from 0 to 10; None where nobody has said yet. answers: to the question, () of a statement.
    aggregator: OR where any of the answers will do, AND where all are wanted, "" where it is not known.
    extra: the other keys of the file.
    """

    text: str
    importance: Importance = None
    answers: tuple[NuggetAnswer, ...] = ()
    aggregator: str = ""
    references: tuple[Reference, ...] = ()
    creators: tuple[Creator, ...] = ()
    extra: Mapping[str, Any] = {}

    def _repr_html_(self) -> str:
        return fields_html(self)

    @property
    def is_suggestion(self) -> bool:
        """Whether a program made it or had a part in it."""
        return any(not creator.is_human for creator in self.creators)


class NuggetBank(NamedTuple):
    """The nuggets of a topic. title: of the topic, "" where it is not known."""

    topic: str
    nuggets: tuple[Nugget, ...]
    title: str = ""
    extra: Mapping[str, Any] = {}

    def _repr_html_(self) -> str:
        return fields_html(self)


def grading_of(importance: Importance) -> str:
    """Return what kind of importance this is; "" of None. Raises Refused for one that is none.

    >>> [grading_of(importance) for importance in ("okay", 7, "avoid", None)]
    ['vital or okay', 'a number from 0 to 10', 'must, should or avoid', '']
    """
    if importance is None:
        return ""
    if isinstance(importance, str):
        if importance in (VITAL, OKAY):
            return TWO_GRADES
        if importance in (MUST, SHOULD, AVOID):
            return THREE_GRADES
    elif not isinstance(importance, bool) and 0 <= importance <= MAX_IMPORTANCE:
        return NUMBERS
    shown_importance = f"{importance!r}"[:40]
    raise Refused(
        f"expected {TWO_GRADES}, {THREE_GRADES}, or {NUMBERS} as importance, found {shown_importance}"
    )


def question_id(question: str) -> str:
    """Return the identifier of a question in files of version 3: its MD5 sum, in hexadecimal.

    >>> question_id("How many medical tourists choose Thailand each year?")
    'e56a4e41b7cc19012108dbad6247fb49'
    """
    return hashlib.md5(question.encode(), usedforsecurity=False).hexdigest()


def write_banks(banks: Iterable[NuggetBank], form: str = QUESTIONS) -> bytes:
    """Return a file of banks as JSON Lines, which `read_banks` reads as these banks again.

    form: QUESTIONS, in which statements are claims and stand behind all questions; or NUGGETS, which has no
    questions. Raises Refused for another form, for a question in the form NUGGETS, and for extra keys that
    the form has for something else.
    """
    if form == QUESTIONS:
        return json_lines([_question_row(bank) for bank in banks])
    if form == NUGGETS:
        return json_lines([_nugget_row(bank) for bank in banks])
    raise Refused(f"expected the form {QUESTIONS} or {NUGGETS}, found {form!r}")


def _nugget_row(bank: NuggetBank) -> dict[str, Any]:
    if question := next((nugget.text for nugget in bank.nuggets if nugget.answers), ""):
        raise Refused(f"expected statements only, found the question {question[:80]!r}")
    nuggets = [_nugget(nugget, {"text": nugget.text}) for nugget in bank.nuggets]
    return _joined({**_given(query=bank.title), "qid": bank.topic}, bank.extra, {"nuggets": nuggets})


def _question_row(bank: NuggetBank) -> dict[str, Any]:
    questions = {nugget.text: _question(nugget, bank.topic) for nugget in bank.nuggets if nugget.answers}
    claims = {
        nugget.text: _nugget(nugget, _named("claim", nugget, bank.topic))
        for nugget in bank.nuggets
        if not nugget.answers
    }
    banks = {"format_version": "v3", "nugget_bank": questions, **_given(claim_bank=claims)}
    return _joined({"query_id": bank.topic, **_given(title_query=bank.title)}, bank.extra, banks)


def _question(nugget: Nugget, topic: str) -> dict[str, Any]:
    answers = {
        answer.text: _joined(
            {"answer": answer.text, "references": _references(answer.references)}, answer.extra
        )
        for answer in nugget.answers
    }
    known = _named("question", nugget, topic) | _given(aggregator_type=nugget.aggregator)
    return _nugget(nugget, {**known, "answers": answers})


def _named(kind: str, nugget: Nugget, topic: str) -> dict[str, Any]:
    """Return the first keys of a question or claim; an identifier that the file had is in `extra`."""
    key = f"{kind}_id"
    number = {} if key in nugget.extra else {key: question_id(nugget.text)}
    return {kind: nugget.text, **number, "query_id": topic}


def _nugget(nugget: Nugget, known: dict[str, Any]) -> dict[str, Any]:
    references = _references(nugget.references)
    creators = [_creator(creator) for creator in nugget.creators]
    common = _given(importance=nugget.importance, references=references, creator=creators)
    return _joined(known | common, nugget.extra)


def _joined(
    known: Mapping[str, Any], extra: Mapping[str, Any], behind: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return a row. Raises Refused for an extra key that the form has, too."""
    behind = behind or {}
    if (key := next((key for key in extra if key in known or key in behind), None)) is not None:
        raise Refused(f"expected no other value of {key!r}, found {str(extra[key])[:40]!r} among extra keys")
    return {**known, **extra, **behind}


def _creator(creator: Creator) -> dict[str, Any]:
    name = {NAME_OF[creator.is_human]: creator.name}
    return _joined({"is_human": creator.is_human, **_given(**name)}, creator.extra)


NAME_OF = {True: "assessor_id", False: "llm_model"}  # whether a creator is a person -> the key of the name


def _references(references: Iterable[Reference]) -> list[dict[str, Any]]:
    return [_reference(reference) for reference in references]


def _reference(reference: Reference) -> dict[str, Any]:
    known = {"doc_id": reference.docno, **_given(text=reference.text)}
    if reference.start is None:
        return _joined(known, reference.extra)
    offsets = {"start_offset": reference.start, "end_offset": reference.end, "encoding": CHARACTERS}
    offsets |= reference.extra.get("offsets", {})  # such as another encoding
    return _joined(known | {"offsets": offsets}, {k: v for k, v in reference.extra.items() if k != "offsets"})


def _given(**values: Any) -> dict[str, Any]:
    """Return the values that there are: not None, and not empty."""
    return {key: value for key, value in values.items() if value is not None and value not in ("", [], {})}
