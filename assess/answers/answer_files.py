"""Files of answer runs: one JSON object a line, each the answer of a system to one topic.

The forms are those of the tracks. An answer is a list of sentences, and a sentence cites documents.

    rag       {"metadata": {"team_id", "run_id", "type", "narrative_id"}, "references": [docno],
               "answer": [{"text", "citations": [index of a reference, from 0]}]}
    rag-2024  the same with run_id, topic_id, references and answer at the top
    rag-2026  as rag; a citation may be a docno, and the limits are those of TREC RAG 2026
    report    {"metadata": {"team_id", "run_id", "topic_id" or "request_id"}, "references": [docno],
               "responses": [{"text", "citations": [docno] or {docno: score}}]}

Sources: the guidelines of TREC RAG 2024 to 2026, NeuCLIR 2024, RAGTIME 2025 and DRAGUN 2025.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from assess.answers.answer_rows import (
    RAG,
    RAG_2024,
    REPORT,
    form_of,
    is_number,
    metadata_of,
    topic_of,
)
from pooling.formats.files import BadLine
from pooling.formats.json_objects import json_object, shown
from pooling.formats.run_checks import RunFinding
from pooling.formats.text import check_identifier, number_lines, quoted
from pooling.limits import is_valid_name
from pooling.notebook import fields_html

RAG_2026 = "rag-2026"
WISH = "A line is a JSON object with metadata, references, and answer or responses"
MAX_TAG = 120  # characters
MAX_GROUP = 60  # characters
MAX_BYTES = 1 << 26  # of an unpacked file: ten times a run of 1,000 topics with 1,000 words each
MAX_ERRORS = 5_000  # a file with so many errors is not read to its end
MAX_ERRORS_OF_LINE = 50
MAX_SCORE = 100  # of a citation in a report


class Limits(NamedTuple):
    """The most of each that an answer may have; None: no limit.

    words: separated by white space; characters: of the sentences joined by one space; both after NFKC.
    citations: of a sentence. references: of an answer. all_cited: every reference must be cited.
    """

    words: int | None = None
    characters: int | None = None
    citations: int | None = None
    references: int | None = None
    all_cited: bool = False

    @property
    def sentence(self) -> str:
        """The limits in words.

        >>> Limits(words=1024, citations=3, all_cited=True).sentence
        'at most 1,024 words, 3 citations per sentence; every reference must be cited'
        >>> Limits().sentence
        'no limits'
        """
        units = ("words", "characters", "citations per sentence", "references")
        given = zip(self[:4], units, strict=True)
        most = ", ".join(f"{count:,} {unit}" for count, unit in given if count is not None)
        parts = [f"at most {most}"] if most else []
        return "; ".join([*parts, *["every reference must be cited"] * self.all_cited]) or "no limits"


class Form(NamedTuple):
    """A form of answer runs, under the name that pages show, with the limits of its track."""

    title: str
    limits: Limits


FORMS: Mapping[str, Form] = {
    RAG: Form("RAG 2024 and 2025", Limits(words=400, references=100)),
    RAG_2024: Form("RAG 2024, older keys", Limits(words=400, references=100)),
    RAG_2026: Form("RAG 2026", Limits(words=1024, citations=3, all_cited=True)),
    REPORT: Form("reports (RAGTIME, NeuCLIR, DRAGUN)", Limits()),
}


class Sentence(NamedTuple):
    """A sentence of an answer. citations: docnos in order. scores: of the citations, if the file has them."""

    text: str
    citations: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()

    def _repr_html_(self) -> str:
        return fields_html(self)


class Answer(NamedTuple):
    """An answer to one topic. line: on which it stands, from 1. metadata: all that the file says of it."""

    line: int
    topic: str
    sentences: tuple[Sentence, ...]
    references: tuple[str, ...]
    metadata: Mapping[str, Any]

    def _repr_html_(self) -> str:
        return fields_html(self)

    @property
    def cited(self) -> list[str]:
        """The cited docnos, each once, in the order in which they are first cited."""
        return list(dict.fromkeys(docno for sentence in self.sentences for docno in sentence.citations))


class AnswerFile(NamedTuple):
    """An answer run.

    tag: its run_id. group: its team_id, "" for none. kind: "manual", "automatic" or "". form: a key of FORMS.
    answers: in the order of the file. renamed: topic in the file -> that of its answer, where they differ.
    """

    tag: str
    group: str
    kind: str
    form: str
    answers: list[Answer]
    renamed: Mapping[str, str] = {}


def word_count(texts: Iterable[str]) -> int:
    """Return the number of words of some sentences: what white space separates, after NFKC.

    >>> word_count(["One two.", " three\\u00a0four "])
    4
    """
    return sum(len(unicodedata.normalize("NFKC", text).split()) for text in texts)


def character_count(texts: Sequence[str]) -> int:
    """Return the number of characters, in NFKC, of some sentences joined by one space.

    >>> character_count(["One.", "\\ufb01ve"])
    9
    """
    return len(unicodedata.normalize("NFKC", " ".join(texts)))


@dataclass
class AnswerLines:
    """The lines of a file: those that are answers, and what is wrong with the others.

    A line that is not blank has either an answer or errors. tag, group, kind, form: of the first line that
    names them. cut: the file has so many errors that it was not read to its end.
    """

    answers: list[Answer] = field(default_factory=list)
    errors: list[RunFinding] = field(default_factory=list)
    tag: str = ""
    group: str = ""
    kind: str = ""
    form: str = ""
    cut: bool = False

    def file(self) -> AnswerFile:
        return AnswerFile(self.tag, self.group, self.kind, self.form, self.answers)


def read_answer_lines(content: bytes, form: str = "") -> AnswerLines:
    """Return the answers and the errors of an unpacked file, whatever the campaign.

    form: one of FORMS if it is known; otherwise it is recognised from the first line, and `rag` with a docno
    as citation is `rag-2026`. Raises BadLine only where lines cannot be told apart: UTF-16, or more than the
    bytes of a line.
    """
    lines, first_line = AnswerLines(), dict[str, int]()
    by_docno = False
    for number, raw in number_lines(content):
        if not raw.strip():
            continue
        line = _Line(number, raw)
        answer = line.read(lines)
        earlier = first_line.setdefault(answer.topic, number) if answer else number
        if answer and earlier != number:
            line.wrong(f"topic {answer.topic} again, first on line {earlier:,}", "Keep one answer a topic")
        lines.errors += line.errors
        if len(lines.errors) >= MAX_ERRORS:
            lines.cut = True
            break
        if answer and not line.errors:
            lines.answers.append(answer)
        by_docno |= line.cites_docnos
    if form and lines.form and (form == REPORT) != (lines.form == REPORT):
        at = lines.answers[0].line if lines.answers else lines.errors[0].line
        what = f"expected answers as in {FORMS[form].title}, found {FORMS[lines.form].title}"
        return AnswerLines(errors=[RunFinding(what, "", at)], form=form)
    lines.form = form or (RAG_2026 if lines.form == RAG and by_docno else lines.form)
    return lines


class _Line:
    """One line that is read. errors: what is wrong with it. cites_docnos: whether a RAG answer does."""

    def __init__(self, number: int, raw: bytes) -> None:
        self.number, self.raw = number, raw
        self.errors: list[RunFinding] = []
        self.cites_docnos = False

    def wrong(self, what: str, wish: str = "") -> None:
        if len(self.errors) >= MAX_ERRORS_OF_LINE:
            return
        text = self.raw[:120].decode("utf-8", "replace").replace("\0", "\ufffd")
        self.errors.append(RunFinding(what, wish, self.number, text))

    def read(self, lines: AnswerLines) -> Answer | None:
        """Return the answer of the line, None if it has errors. lines: what earlier lines say of the run."""
        try:
            row = json_object(self.raw, self.number)
            form = form_of(row, self.number)
            metadata = metadata_of(row, form, self.number)
            topic = topic_of(metadata, self.number)
        except BadLine as error:
            self.wrong(error.message, WISH)
            return None
        self._compare(lines, form, metadata)
        references = self._references(row, form)
        sentences = tuple(self._sentences(row["responses" if form == REPORT else "answer"], form, references))
        if form == REPORT and row.get("references") is None:
            references = tuple(dict.fromkeys(docno for each in sentences for docno in each.citations))
        return None if self.errors else Answer(self.number, topic, sentences, references, metadata)

    def _compare(self, lines: AnswerLines, form: str, metadata: Mapping[str, Any]) -> None:
        """Compare run, team, type and form with those of the lines before."""
        tag, group = metadata.get("run_id"), metadata.get("team_id")
        kind = metadata.get("type") or metadata.get("run_type") or ""
        if not isinstance(tag, str) or not is_valid_name(tag) or len(tag) > MAX_TAG:
            shape = f"1 to {MAX_TAG} characters, without blanks or slashes and not . or .."
            self.wrong(f"expected a run_id of {shape}, found {shown(tag)}")
        elif tag != (lines.tag or tag):
            self.wrong(
                f"expected one run_id in the whole file, found {shown(tag)}", f"It began as {lines.tag}"
            )
        if group is not None and (not isinstance(group, str) or len(group) > MAX_GROUP):
            self.wrong(f"expected a team_id of at most {MAX_GROUP} characters, found {shown(group)}")
        elif group and group != (lines.group or group):
            what = f"expected one team_id in the whole file, found {shown(group)}"
            self.wrong(what, f"It began as {lines.group}")
        if form != (lines.form or form):
            what = f"expected answers as in {FORMS[lines.form].title}, found {FORMS[form].title}"
            self.wrong(what, "Keep one form in a file")
        if not self.errors:
            lines.tag, lines.form = str(tag), form
            lines.group = lines.group or str(group or "")
            lines.kind = lines.kind or (kind if kind in ("automatic", "manual") else "")

    def _references(self, row: Mapping[str, Any], form: str) -> tuple[str, ...]:
        given = row.get("references")
        if given is None and form == REPORT:
            return ()
        if not isinstance(given, list):
            self.wrong(f"expected references as a list of docnos, found {shown(given)}")
            return ()
        return tuple(self._docno(docno, f"reference {place}") or "" for place, docno in enumerate(given))

    def _docno(self, value: Any, where: str) -> str | None:
        if not isinstance(value, str):
            self.wrong(f"{where}: expected a docno, found {shown(value)}")
            return None
        try:
            return check_identifier(value, self.number, "docno")
        except BadLine as error:
            self.wrong(f"{where}: {error.message}")
            return None

    def _sentences(self, given: Any, form: str, references: Sequence[str]) -> Iterator[Sentence]:
        if not isinstance(given, list) or not given:
            self.wrong(f"expected a list with at least one sentence, found {shown(given)}", WISH)
            return
        known = None if form == REPORT and not references else frozenset(references)
        for place, sentence in enumerate(given, start=1):
            where = f"sentence {place}"
            if not isinstance(sentence, dict) or not isinstance(sentence.get("text"), str):
                self.wrong(f"{where}: expected an object with text and citations, found {shown(sentence)}")
                continue
            if not sentence["text"].strip():
                self.wrong(f"{where}: expected text, found none")
            citations, scores = self._citations(sentence.get("citations"), where, form, references)
            self._check_citations(citations, where, known)
            yield Sentence(sentence["text"], tuple(citations), tuple(scores))

    def _citations(
        self, given: Any, where: str, form: str, references: Sequence[str]
    ) -> tuple[list[str], list[float]]:
        """Return the docnos that a sentence cites, and their scores if they have some."""
        if given is None:
            return [], []
        if form == REPORT and isinstance(given, dict):
            for docno, score in given.items():
                if not is_number(score) or not 0 <= score <= MAX_SCORE:
                    shown_citation = f"{shown(score)} for {quoted(docno)}"
                    self.wrong(f"{where}: expected a score from 0 to {MAX_SCORE}, found {shown_citation}")
                    return [], []
            docnos = [self._docno(docno, where) for docno in given]
            return [docno for docno in docnos if docno], [float(score) for score in given.values()]
        if not isinstance(given, list):
            self.wrong(f"{where}: expected citations as a list, found {shown(given)}")
            return [], []
        resolved = [self._citation(each, where, form, references) for each in given]
        return [docno for docno in resolved if docno], []

    def _citation(self, given: Any, where: str, form: str, references: Sequence[str]) -> str | None:
        if form == REPORT or isinstance(given, str):
            self.cites_docnos = True
            return self._docno(given, where)
        if not isinstance(given, int) or isinstance(given, bool):
            self.wrong(f"{where}: expected the index of a reference as citation, found {shown(given)}")
            return None
        if not 0 <= given < len(references):
            count = f"{len(references):,} references, counted from 0" if references else "no references"
            self.wrong(f"{where}: citation {shown(given)} is out of range", f"The answer has {count}")
            return None
        return references[given]

    def _check_citations(self, citations: Sequence[str], where: str, known: frozenset[str] | None) -> None:
        """Refuse a citation twice in a sentence, and one that is not among the references."""
        for docno, count in Counter(citations).items():
            if count > 1:
                self.wrong(f"{where}: {docno} is cited twice", "Cite a document once in a sentence")
            if known is not None and docno not in known:
                self.wrong(f"{where}: {docno} is cited and not among the references")
