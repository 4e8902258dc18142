"""Which nuggets each answer supports, in the form of AutoNuggetizer: JSON Lines, an answer a line.

    {"query", "qid", "answer_text", "response_length", "run_id",
     "nuggets": [{"text", "importance", "assignment"}]}

An assignment is support, partial_support or not_support, or contradicts, which the rubrics of DRAGUN have. A
program that could give none writes failed: that is no assignment. Keys that are not known are kept.

Source: castorini/nuggetizer 0.0.6.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from assess.nuggets.bank_files import FAILED, importance_of
from assess.nuggets.banks import Importance, NuggetBank
from assess.nuggets.rows import Rows, json_lines, rest_of
from pooling.formats.json_objects import shown
from pooling.formats.text import quoted
from pooling.limits import is_valid_name
from pooling.notebook import fields_html

MAX_TAG = 120  # characters


class Assignment(StrEnum):
    """How far an answer holds a nugget."""

    SUPPORT = "support"
    PARTIAL = "partial_support"
    NONE = "not_support"
    CONTRADICTS = "contradicts"


class AssignedNugget(NamedTuple):
    """A nugget with its assignment, None where nobody or no program could give one."""

    text: str
    importance: Importance
    assignment: Assignment | None
    extra: Mapping[str, Any] = {}


class AssignedAnswer(NamedTuple):
    """The assignments of one answer. tag: of its run. extra: the other keys of the file."""

    topic: str
    tag: str
    nuggets: tuple[AssignedNugget, ...]
    title: str = ""
    extra: Mapping[str, Any] = {}

    def _repr_html_(self) -> str:
        return fields_html(self)


def read_assignments(
    content: bytes, name: str = "", banks: Mapping[str, NuggetBank] | None = None
) -> list[AssignedAnswer]:
    """Return the answers of an unpacked file.

    banks: topic -> bank, if the nuggets must be those of banks; otherwise all answers to a topic must have
    the nuggets of the first one. Raises RunRefused, which lists the errors with their lines: bad JSON, an
    unknown assignment or importance, other nuggets or other importance than expected, a nugget twice in an
    answer, two answers of a run to a topic.
    """
    rows = Rows(content, name)
    answers, first_line = list[AssignedAnswer](), dict[tuple[str, str], int]()
    expected = {
        topic: ("its bank", {nugget.text: nugget.importance for nugget in bank.nuggets})
        for topic, bank in (banks or {}).items()
    }
    for row in rows:
        before = len(rows.errors)
        answer = _answer(rows, row)
        if len(rows.errors) > before:
            continue
        earlier = first_line.setdefault((answer.topic, answer.tag), rows.number)
        if earlier != rows.number:
            what = f"run {answer.tag} answers topic {answer.topic} again, first on line {earlier:,}"
            rows.wrong((), what, "Keep one answer of a run to a topic")
        importances = {nugget.text: nugget.importance for nugget in answer.nuggets}
        if banks is not None and answer.topic not in banks:
            rows.wrong((), f"expected a topic with a nugget bank, found {answer.topic}")
            continue
        source, wanted = expected.setdefault(answer.topic, (f"line {rows.number:,}", importances))
        if fault := _difference(importances, wanted, source):
            rows.wrong((), fault)
        answers.append(answer)
    rows.finish("at least one answer with assignments")
    return answers


def write_assignments(answers: Iterable[AssignedAnswer]) -> bytes:
    """Return a file of assignments, which `read_assignments` reads as these answers again."""
    return json_lines([_row(answer) for answer in answers])


def _answer(rows: Rows, row: Mapping[str, Any]) -> AssignedAnswer:
    tag, title = row.get("run_id"), row.get("query")
    if not isinstance(tag, str) or not is_valid_name(tag) or len(tag) > MAX_TAG:
        shape = f"1 to {MAX_TAG} characters, without blanks or slashes and not . or .."
        rows.wrong((), f"expected a run_id of {shape}, found {shown(tag)}")
        tag = ""
    if title is not None and not isinstance(title, str):
        rows.wrong(("query",), f"expected the topic's title as query, found {shown(title)}")
        title = ""
    topic = rows.identifier(row.get("qid"), (), "topic as qid")
    nuggets, places = [], dict[str, int]()
    for place, nugget in enumerate(rows.listed(row.get("nuggets"), (), "nuggets"), start=1):
        labelled = _nugget(rows, nugget, place)
        if (first := places.setdefault(labelled.text, place)) != place and labelled.text:
            path = ("nuggets", place - 1)
            rows.wrong(path, f"nugget {place} is the same as nugget {first}: {quoted(labelled.text)}")
        nuggets.append(labelled)
    if not nuggets:
        rows.wrong((), "expected a list with at least one nugget, found none")
    return AssignedAnswer(
        topic, tag, tuple(nuggets), title or "", rest_of(row, "query", "qid", "run_id", "nuggets")
    )


def _nugget(rows: Rows, row: Any, place: int) -> AssignedNugget:
    path, where = ("nuggets", place - 1), f"nugget {place}"
    if not isinstance(row, dict):
        rows.wrong(path, f"{where}: expected an object with text and assignment, found {shown(row)}")
        return AssignedNugget("", None, None)
    given: Any = row.get("assignment")
    if given not in (FAILED, *Assignment):
        kinds = ", ".join([*Assignment, FAILED])
        rows.wrong(path, f"{where}: expected an assignment ({kinds}), found {shown(given)}")
        given = FAILED
    return AssignedNugget(
        rows.text(row.get("text"), path, f"a text of {where}"),
        importance_of(rows, row.get("importance"), path, where),
        None if given == FAILED else Assignment(given),
        rest_of(row, "text", "importance", "assignment"),
    )


def _difference(importances: Mapping[str, Importance], wanted: Mapping[str, Importance], source: str) -> str:
    """Return in which nugget an answer differs from what was expected, "" if in none."""
    for text, importance in importances.items():
        if text not in wanted:
            return f"expected the nuggets of {source}, found also {quoted(text)}"
        if importance != wanted[text]:
            return f"{quoted(text)}: expected the importance {wanted[text]} of {source}, found {importance}"
    missing = next((text for text in wanted if text not in importances), "")
    return f"expected the nuggets of {source}, found no {quoted(missing)}" if missing else ""


def _row(answer: AssignedAnswer) -> dict[str, Any]:
    title = {"query": answer.title} if answer.title else {}
    nuggets = [
        {
            "text": nugget.text,
            **({} if nugget.importance is None else {"importance": nugget.importance}),
            "assignment": nugget.assignment or FAILED,
            **nugget.extra,
        }
        for nugget in answer.nuggets
    ]
    return {**title, "qid": answer.topic, **answer.extra, "run_id": answer.tag, "nuggets": nuggets}
