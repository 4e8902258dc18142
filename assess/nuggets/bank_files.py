"""Files of nugget banks, in the forms of the tracks and their tools; a file has one form.

    nuggets    JSON Lines {"query", "qid", "nuggets": [{"text", "importance"}]}
    questions  {"query_id", "title_query", "format_version": "v3",
               "nugget_bank": {question: {"question", "question_id", "aggregator_type": "OR" or "AND",
               "importance", "answers": {answer: {"answer", "references": [{"doc_id"}]}},
               "creator": [{"is_human", "assessor_id"}]}}, "claim_bank": {claim: {"claim", "references"}}}
    tool       {"nugget_dict": {question: {answer: [docno]}}, "group_assignment": {question: group}}
    short      {question: ["OR" or "AND", {answer: [docno]}]}

An object stands on one line, or is the whole file. In every form a nugget may have `references` and `creator`
as in the form of questions. Keys that are not known are kept.

Sources: castorini/nuggetizer 0.0.6; Auto-ARGUE (arXiv 2509.26184); an annotation tool of TREC 2025.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from assess.nuggets.banks import (
    AND,
    CHARACTERS,
    FORMS,
    MAX_WORDS,
    NAME_OF,
    NUGGETS,
    OR,
    QUESTIONS,
    SHORT,
    TOOL,
    Creator,
    Importance,
    Nugget,
    NuggetAnswer,
    NuggetBank,
    Reference,
    grading_of,
    question_id,
)
from assess.nuggets.rows import Path, Rows, rest_of
from pooling.formats.json_objects import shown
from pooling.formats.run_checks import RunFinding
from pooling.formats.text import quoted
from pooling.limits import MAX_NAME_BYTES
from pooling.refusals import Refused

FAILED = "failed"  # the importance that a program writes if it could not tell one
NO_TOPIC = "This form names no topic: give it, or call the file nuggets_TOPIC.json"
_FILE_NAME = re.compile(r"nuggets_(.+?)(\.v\d)?\.json")


@dataclass(frozen=True)
class BankFile:
    """The banks of a file. form: a key of FORMS. notes: what may be meant otherwise, with lines.

    lines: on which each bank begins.
    """

    form: str
    banks: list[NuggetBank]
    notes: list[RunFinding] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


def read_banks(content: bytes, name: str = "", topic: str = "") -> BankFile:
    """Return the banks of an unpacked file.

    topic: of a file that names none; without it, that of a file name as `nuggets_308.json`. Raises
    RunRefused, which lists the errors with their lines: bad JSON, an empty text, a question without answers,
    an unknown aggregator or importance, two kinds of importance in a bank, a nugget or an answer twice, a
    topic twice, two forms in a file, a file without banks.
    """
    rows = Rows(content, name)
    form, banks, first_line, lines = "", list[NuggetBank](), dict[str, int](), list[int]()
    for row in rows:
        row_form = _form_of(row)
        if not row_form or row_form != (form or row_form):
            kinds = FORMS[form] if form else "nuggets, nugget_bank, nugget_dict, or questions as keys"
            rows.wrong((), f"expected {kinds}, found {_keys(row) if not row_form else FORMS[row_form]}")
            continue
        form = row_form
        bank = _READERS[form](rows, row)
        bank = _with_topic(rows, bank, name, topic)
        _check(rows, bank, form)
        if (earlier := first_line.setdefault(bank.topic, rows.number)) != rows.number and bank.topic:
            rows.wrong((), f"topic {bank.topic} again, first on line {earlier:,}", "Keep one bank a topic")
        banks.append(bank)
        lines.append(rows.number)
    rows.finish("at least one nugget bank")
    return BankFile(form, banks, rows.notes, lines)


def _form_of(row: Mapping[str, Any]) -> str:
    for key, form in {
        "nuggets": NUGGETS,
        "nugget_bank": QUESTIONS,
        "claim_bank": QUESTIONS,
        "nugget_dict": TOOL,
    }.items():
        if key in row:
            return form
    return SHORT if row and all(isinstance(value, list) for value in row.values()) else ""


def _keys(row: Mapping[str, Any]) -> str:
    return ", ".join(quoted(key) for key in list(row)[:10]) or "no keys"


def _with_topic(rows: Rows, bank: NuggetBank, name: str, topic: str) -> NuggetBank:
    """Return the bank with its topic, from what the caller or the file's name says if the file does not."""
    if bank.topic or rows.errors:
        if topic and bank.topic and bank.topic != topic:
            rows.wrong((), f"expected the bank of topic {topic}, found that of {bank.topic}")
        return bank
    in_name = _FILE_NAME.search(PurePath(name).name)
    given = topic or (in_name[1] if in_name else "")
    if not given:
        rows.wrong((), "expected a topic, found none", NO_TOPIC)
        return bank
    return bank._replace(topic=rows.identifier(given, (), "topic"))


def _check(rows: Rows, bank: NuggetBank, form: str) -> None:
    """Find nuggets that stand twice or are too long, and two kinds of importance."""
    if not bank.nuggets and not rows.errors:
        rows.wrong((), f"expected at least one nugget of topic {bank.topic}, found none")
    gradings: dict[str, str] = {}
    places, spellings = dict[str, int](), dict[str, int]()
    for place, nugget in enumerate(bank.nuggets):
        path: Path = ("nuggets", place) if form == NUGGETS else ()
        where = f"nugget {place + 1}"
        first = places.setdefault(nugget.text, place)
        alike = spellings.setdefault(" ".join(nugget.text.casefold().split()), place)
        if first != place:
            what = f"{where} is the same as nugget {first + 1}: {quoted(nugget.text)}"
            rows.wrong(path, what, "Keep one of them")
        elif alike != place:
            what = f"{where} differs from nugget {alike + 1} in case or blanks only: {quoted(nugget.text)}"
            rows.note(path, what, "Join them if they are one fact")
        words = len(nugget.text.split())
        if not nugget.answers and words > MAX_WORDS:
            rows.note(path, f"{where} has {words} words", f"A nugget has 1 to {MAX_WORDS} words")
        if nugget.importance is not None:
            gradings.setdefault(grading_of(nugget.importance), where)
    if len(gradings) > 1:
        (one, at_one), (other, at_other) = list(gradings.items())[:2]
        what = f"expected one kind of importance in a bank, found {one} ({at_one}) and {other} ({at_other})"
        rows.wrong((), what)


def _nuggets(rows: Rows, row: Mapping[str, Any]) -> NuggetBank:
    nuggets = []
    for place, nugget in enumerate(rows.listed(row["nuggets"], ("nuggets",), "nuggets")):
        path, where = ("nuggets", place), f"nugget {place + 1}"
        if not isinstance(nugget, dict):
            rows.wrong(path, f"{where}: expected an object with text and importance, found {shown(nugget)}")
            continue
        text = rows.text(nugget.get("text"), path, f"a text of {where}")
        nuggets.append(_nugget(rows, nugget, path, where, text, ("text",)))
    topic, title = rows.identifier(row.get("qid"), (), "topic as qid"), _title(rows, row, "query")
    return NuggetBank(topic, tuple(nuggets), title, rest_of(row, "query", "qid", "nuggets"))


def _title(rows: Rows, row: Mapping[str, Any], key: str) -> str:
    title = row.get(key)
    if title is None or isinstance(title, str):
        return title or ""
    rows.wrong((key,), f"expected the topic's title as {key}, found {shown(title)}")
    return ""


def _nugget(
    rows: Rows, row: Mapping[str, Any], path: Path, where: str, text: str, known: tuple[str, ...]
) -> Nugget:
    """Return a nugget with what all forms have alike. known: the keys that its form reads itself."""
    return Nugget(
        text,
        importance_of(rows, row.get("importance"), path, where),
        references=_references(rows, row.get("references"), path, where),
        creators=tuple(_creators(rows, row.get("creator"), path, where)),
        extra=rest_of(row, *known, "importance", "references", "creator"),
    )


def importance_of(rows: Rows, given: Any, path: Path, where: str) -> Importance:
    if given is None or given == FAILED:
        return None
    try:
        grading_of(given if isinstance(given, str | int | float) else shown(given))
    except Refused as error:
        rows.wrong(path, f"{where}: {error}")
        return None
    importance: Importance = given
    return importance


def _references(rows: Rows, given: Any, path: Path, where: str) -> tuple[Reference, ...]:
    references = []
    for reference in rows.listed(given, path, f"{where}: references"):
        if isinstance(reference, dict):
            references.append(_reference(rows, reference, path, where))
        else:
            references.append(Reference(rows.identifier(reference, path, "docno", MAX_NAME_BYTES)))
    return tuple(references)


def _reference(rows: Rows, row: Mapping[str, Any], path: Path, where: str) -> Reference:
    docno = rows.identifier(row.get("doc_id"), path, "docno as doc_id", MAX_NAME_BYTES)
    text, extra = row.get("text"), rest_of(row, "doc_id", "text", "offsets")
    if text is not None and not isinstance(text, str):
        rows.wrong(path, f"{where}: expected the text of a passage, found {shown(text)}")
        text = None
    offsets = rows.mapped(row.get("offsets"), path, f"{where}: offsets")
    if not offsets:
        return Reference(docno, text=text or "", extra=extra)
    start, end = offsets.get("start_offset"), offsets.get("end_offset")
    if not (type(start) is int and type(end) is int and 0 <= start <= end):
        shown_span = f"{shown(start)} and {shown(end)}"
        rows.wrong(path, f"{where}: expected start_offset and end_offset of a passage, found {shown_span}")
        return Reference(docno)
    rest = rest_of(offsets, "start_offset", "end_offset")
    if rest.get("encoding") in (None, CHARACTERS):
        rest.pop("encoding", None)
        if text and len(text) != end - start:
            what = f"expected a text of {end - start:,} characters for the offsets, found {len(text):,}"
            rows.wrong(path, f"{where}: {what}")
    return Reference(docno, start, end, text or "", extra | ({"offsets": rest} if rest else {}))


def _creators(rows: Rows, given: Any, path: Path, where: str) -> Iterator[Creator]:
    for creator in rows.listed(given, path, f"{where}: creator"):
        is_human = creator.get("is_human") if isinstance(creator, dict) else None
        if not isinstance(is_human, bool):
            rows.wrong(path, f"{where}: expected a creator with is_human, found {shown(creator)}")
            continue
        key = NAME_OF[is_human]
        name = creator.get(key)
        if name is not None and not isinstance(name, str):
            rows.wrong(path, f"{where}: expected a name as {key}, found {shown(name)}")
            name = None
        yield Creator(is_human, name or "", rest_of(creator, "is_human", key))


def _questions(rows: Rows, row: Mapping[str, Any]) -> NuggetBank:
    version = row.get("format_version", "v3")
    if version != "v3":
        rows.wrong(("format_version",), f"expected the format_version v3, found {shown(version)}")
    topic = rows.identifier(row.get("query_id"), (), "topic as query_id")
    nuggets = [
        *_entries(rows, row, "nugget_bank", "question", topic),
        *_entries(rows, row, "claim_bank", "claim", topic),
    ]
    known = ("query_id", "title_query", "format_version", "nugget_bank", "claim_bank")
    return NuggetBank(topic, tuple(nuggets), _title(rows, row, "title_query"), rest_of(row, *known))


def _entries(rows: Rows, row: Mapping[str, Any], bank: str, kind: str, topic: str) -> Iterator[Nugget]:
    """Yield the nuggets of one part of a bank. kind: question or claim."""
    for name, entry in rows.mapped(row.get(bank), (bank,), bank).items():
        path, where = (bank, name), f"{kind} {quoted(name)}"
        if not isinstance(entry, dict):
            rows.wrong(path, f"{where}: expected an object with the key {kind}, found {shown(entry)}")
            continue
        text = rows.text(entry.get(kind), path, f"a text of {where}")
        number = question_id(text)
        extra = dict(entry)
        if extra.get(f"{kind}_id") in (None, number):
            extra.pop(f"{kind}_id", None)
        if name not in (text, entry.get(f"{kind}_id"), number) and text:
            rows.wrong(path, f"{where}: expected the {kind} or its {kind}_id as the key of {quoted(text)}")
        if extra.pop("query_id", None) not in (None, topic):
            rows.wrong(path, f"{where}: expected the query_id {topic}, found {shown(entry['query_id'])}")
        if kind == "claim":
            yield _nugget(rows, extra, path, where, text, ("claim",))
            continue
        nugget = _nugget(rows, extra, path, where, text, ("question", "aggregator_type", "answers"))
        answers = rows.mapped(entry.get("answers"), path, f"{where}: answers")
        yield nugget._replace(
            aggregator=_aggregator(rows, entry.get("aggregator_type"), path, where),
            answers=_some(rows, path, where, _answers(rows, answers, path, where)),
        )


def _answers(rows: Rows, given: Mapping[str, Any], path: Path, where: str) -> Iterator[NuggetAnswer]:
    for name, answer in given.items():
        at, place = (*path, "answers", name), f"{where}, answer {quoted(name)}"
        if not isinstance(answer, dict):
            rows.wrong(at, f"{place}: expected an object with the key answer, found {shown(answer)}")
            continue
        text = rows.text(answer.get("answer"), at, f"a text of {place}")
        if text and name != text:
            rows.wrong(at, f"{place}: expected the answer as the key of {quoted(text)}")
        references = _references(rows, answer.get("references"), at, place)
        yield NuggetAnswer(text, references, rest_of(answer, "answer", "references"))


def _some(rows: Rows, path: Path, where: str, answers: Iterator[NuggetAnswer]) -> tuple[NuggetAnswer, ...]:
    before = len(rows.errors)
    required = tuple(answers)
    if not required and len(rows.errors) == before:
        rows.wrong(path, f"{where}: expected at least one answer, found none")
    return required


def _aggregator(rows: Rows, given: Any, path: Path, where: str) -> str:
    if given in (None, OR, AND):
        return given or ""
    rows.wrong(path, f"{where}: expected the aggregator OR or AND, found {shown(given)}")
    return ""


def _tool(rows: Rows, row: Mapping[str, Any]) -> NuggetBank:
    groups = rows.mapped(row.get("group_assignment"), ("group_assignment",), "group_assignment")
    entries = rows.mapped(row["nugget_dict"], ("nugget_dict",), "nugget_dict")
    for question in groups:
        if question not in entries:
            what = f"expected a question of nugget_dict, found {quoted(question)}"
            rows.wrong(("group_assignment", question), what)
    nuggets = []
    for question, answers in entries.items():
        nugget = _short_question(rows, question, answers, ("nugget_dict", question))
        group = {"group": groups[question]} if question in groups else {}
        nuggets.append(nugget._replace(extra=group))
    return NuggetBank("", tuple(nuggets), extra=rest_of(row, "nugget_dict", "group_assignment"))


def _short(rows: Rows, row: Mapping[str, Any]) -> NuggetBank:
    nuggets = []
    for question, value in row.items():
        path, where = (question,), f"question {quoted(question)}"
        if len(value) != 2 or value[0] is None:
            rows.wrong(path, f"{where}: expected OR or AND, and an object of answers, found {shown(value)}")
            continue
        nugget = _short_question(rows, question, value[1], path)
        nuggets.append(nugget._replace(aggregator=_aggregator(rows, value[0], path, where)))
    return NuggetBank("", tuple(nuggets))


def _short_question(rows: Rows, question: str, given: Any, path: Path) -> Nugget:
    where = f"question {quoted(question)}"
    text = rows.text(question, path, "a question")
    answers = (
        NuggetAnswer(
            rows.text(answer, path, f"a text of an answer to {where}"),
            _references(rows, docnos, path, f"{where}, answer {quoted(answer)}"),
        )
        for answer, docnos in rows.mapped(given, path, f"{where}: answers").items()
    )
    return Nugget(text, answers=_some(rows, path, where, answers))


_READERS = {NUGGETS: _nuggets, QUESTIONS: _questions, TOOL: _tool, SHORT: _short}
