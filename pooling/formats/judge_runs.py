"""Runs of machine judges: files in which a program of a participant judged the pooled documents.

Six columns, as in the TREC RAG track of 2025: topic, a word that is ignored, docno, label, confidence, tag.
The label is a grade of the campaign's scale; the confidence is a number from 0 to 1, and 1 where the program
gives none. Blank lines and lines that begin with `#` are skipped, as in qrels.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pooling.arrays import IntVector, Vector
from pooling.formats.columns import check_name, split_fields, without_marks
from pooling.formats.files import BadFile, BadLine
from pooling.formats.run_checks import MAX_ERRORS_SHOWN, MAX_MALFORMED_LINES, RunFinding, RunRefused
from pooling.intake.judgments import GRADE_PATTERN
from pooling.limits import is_valid_name

FIELDS = 6
TOPIC, DOCNO, GRADE, CONFIDENCE, TAG = 0, 2, 3, 4, 5
FIELD_ORDER = "The order is topic, Q0, docno, label, confidence, tag"
MAX_TAG = 120  # characters
MAX_LINES = 500_000  # well-formed lines of a file, which are in memory at the same time
CONFIDENCE_PATTERN = re.compile(rb"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?")
MAX_CONFIDENCE_BYTES = 40


class JudgeRunFile(NamedTuple):
    """The lines of a run of a machine judge as columns, in the order of the file.

    tag: of its last column. grades: int64, confidences: float64 from 0 to 1, both of shape (lines,).
    """

    tag: str
    topics: list[str]
    docnos: list[str]
    grades: IntVector
    confidences: Vector


@dataclass(frozen=True)
class JudgeRunRequirements:
    """What a campaign expects of a run of a machine judge.

    scale: the grades. pooled: topic -> the pooled documents; every topic of the campaign has an entry.
    """

    scale: Sequence[int]
    pooled: Mapping[str, Collection[str]]


class _Line(NamedTuple):
    number: int
    topic: str
    docno: str
    grade: int
    confidence: float
    tag: str


@dataclass
class _Errors:
    """The errors of a file: the first few, and how many there are."""

    findings: list[RunFinding] = field(default_factory=list)
    count: int = 0

    def add(self, line: int, what: str, wish: str = "", text: str = "") -> None:
        self.count += 1
        if len(self.findings) < MAX_ERRORS_SHOWN:
            self.findings.append(RunFinding(what, wish, line, text))


def parse_judge_run(content: bytes, name: str = "") -> JudgeRunFile:
    """Return the columns of an unpacked run of a machine judge, whatever the campaign.

    Raises RunRefused, which lists the errors with their lines: other than six columns, a label that is not a
    whole number, a confidence that is not from 0 to 1, a second tag, and a document twice in a topic.
    """
    return _read(content, name, lambda line: ())


def check_judge_run(
    content: bytes, expected: JudgeRunRequirements, name: str = ""
) -> tuple[JudgeRunFile, list[RunFinding]]:
    """Return the columns of a file without errors, and its warnings.

    Raises RunRefused as `parse_judge_run`, also for a topic that the campaign does not have (at its first
    line) and for a label that is not on the scale.
    """
    unknown: set[str] = set()
    shown = ", ".join(map(str, expected.scale))

    def wrong(line: _Line) -> Iterator[tuple[str, str]]:
        if line.topic not in expected.pooled and line.topic not in unknown:
            unknown.add(line.topic)
            topics = f"It has {len(expected.pooled):,} topics"
            yield f"topic {line.topic} is not in this campaign", topics
        if line.grade not in expected.scale:
            yield f"expected a grade of the scale {shown} as label, found {line.grade}", ""

    read = _read(content, name, wrong)
    return read, list(_warnings(read, expected))


Check = Callable[[_Line], "Iterator[tuple[str, str]] | tuple[()]"]


def _read(content: bytes, name: str, wrong: Check) -> JudgeRunFile:
    """Return the columns. wrong: yields what else is wrong with a line, and what was expected."""
    errors, lines = _Errors(), list[_Line]()
    first: dict[tuple[str, str], int] = {}
    malformed = _split(content, name, errors, lines)
    for line in lines:
        earlier = first.setdefault((line.topic, line.docno), line.number)
        if earlier != line.number:
            what = f"docno {line.docno} again in topic {line.topic}, first on line {earlier:,}"
            errors.add(line.number, what, "Keep one line a document and topic")
        if line.tag != lines[0].tag:
            what = f"expected one tag in the whole file, found {line.tag[:70]!r}"
            errors.add(line.number, what, f"Line {lines[0].number:,} has the tag {lines[0].tag[:70]}")
        for what, wish in wrong(line):
            errors.add(line.number, what, wish)
    if not lines and not errors.count:
        hint = "expected at least one line of six fields, found an empty file"
        raise RunRefused([RunFinding(hint, "")], name=name)
    if errors.count:
        findings = sorted(errors.findings, key=lambda error: error.line or 0)
        raise RunRefused(findings, errors.count - len(findings), name, cut=malformed)
    return JudgeRunFile(
        lines[0].tag,
        [line.topic for line in lines],
        [line.docno for line in lines],
        np.array([line.grade for line in lines], dtype=np.int64),
        np.array([line.confidence for line in lines], dtype=np.float64),
    )


def _split(content: bytes, name: str, errors: _Errors, lines: list[_Line]) -> bool:
    """Add the well-formed lines to `lines`, the others to `errors`. Return whether the file was cut."""
    for number, text in enumerate(io.BytesIO(without_marks(content)), start=1):
        if text.startswith(b"#"):
            continue
        try:
            if fields := split_fields(text.removesuffix(b"\n"), number, name):
                lines.append(_line(number, fields, name))
                if len(lines) > MAX_LINES:
                    raise BadFile(f"expected at most {MAX_LINES:,} lines, found more", name=name)
        except BadLine as error:
            shown = text.removesuffix(b"\n")[:120].decode("utf-8", "replace").replace("\0", "\ufffd")
            errors.add(number, error.message, FIELD_ORDER, shown)
            if errors.count >= MAX_MALFORMED_LINES:
                return True
    return False


def _line(number: int, fields: list[bytes], name: str) -> _Line:
    """Return the fields of a line. Raises BadLine."""
    if len(fields) != FIELDS:
        raise BadLine(number, f"expected 6 fields, found {len(fields)}", name)
    topic = check_name(fields[TOPIC], "topic", number, name)
    docno = check_name(fields[DOCNO], "docno", number, name)
    grade = GRADE_PATTERN.fullmatch(fields[GRADE])
    if not grade:
        shown_grade = fields[GRADE][:40].decode(errors="replace")
        raise BadLine(
            number, f"expected a whole number of at most 9 digits as label, found {shown_grade!r}", name
        )
    tag = fields[TAG].decode()
    if not is_valid_name(tag) or len(tag) > MAX_TAG:
        shape = f"1 to {MAX_TAG} characters, without blanks or slashes and not . or .."
        raise BadLine(number, f"expected a tag of {shape}, found {tag[:70]!r}", name)
    confidence = _confidence(fields[CONFIDENCE], number, name)
    return _Line(number, topic.decode(), docno.decode(), int(grade[1]), confidence, tag)


def _confidence(text: bytes, number: int, name: str) -> float:
    if len(text) <= MAX_CONFIDENCE_BYTES and CONFIDENCE_PATTERN.fullmatch(text):
        value = float(text)
        if value <= 1:
            return value
    shown_text = text[:40].decode(errors="replace")
    raise BadLine(
        number, f"expected a confidence from 0 to 1 (1 if there is none), found {shown_text!r}", name
    )


def _warnings(read: JudgeRunFile, expected: JudgeRunRequirements) -> Iterator[RunFinding]:
    """Yield warnings: documents in no pool, pooled documents without a line, and one label for all."""
    pairs = list(zip(read.topics, read.docnos, strict=True))
    outside = [index for index, (topic, docno) in enumerate(pairs) if docno not in expected.pooled[topic]]
    if outside:
        topic, docno = pairs[outside[0]]
        yield RunFinding(
            f"{len(outside):,} of {len(pairs):,} documents are in no pool, such as {docno} of topic {topic}",
            "Their labels are not used",
        )
    pooled = sum(map(len, expected.pooled.values()))
    if missing := pooled - (len(pairs) - len(outside)):
        yield RunFinding(
            f"{missing:,} of {pooled:,} pooled documents have no label",
            "They count as not judged when runs are scored with these labels",
        )
    if len(pairs) > 1 and len(set(read.grades.tolist())) == 1:
        yield RunFinding(
            f"every label is {int(read.grades[0])}", "Coefficients of agreement are then 0 or undefined"
        )
