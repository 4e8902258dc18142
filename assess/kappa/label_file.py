"""Files of labels, `topic docno judge label`, read into records. All errors are reported at once."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assess.kappa.labels import Record
from pooling.formats.columns import split_fields, without_marks
from pooling.formats.files import BadFile, BadLine, unpack

COLUMNS = ("topic", "docno", "judge", "label")
SUGGESTED = "suggested"  # a fifth column: the grade of a machine judge that was on screen
REASONS = ("broken", "language", "expertise", "scale")  # reasons that may replace a grade
HIGHEST_GRADE = 9  # highest grade where no scale is given: a scale has at most ten grades
WHOLE_NUMBER = re.compile(r"-?[0-9]{1,9}")


class BadLabels(BadFile):
    """A file of labels with errors. errors: all of them, in the order of the lines."""

    def __init__(self, errors: list[BadLine], name: str = "") -> None:
        super().__init__(errors[0].message, errors[0].line, name)
        self.errors = errors

    def __str__(self) -> str:
        return "\n".join(map(str, self.errors))


class LabelFile(NamedTuple):
    """The content of a file of labels. cannot_judge: number of lines with a reason instead of a grade."""

    records: list[Record]
    cannot_judge: int


def parse_labels(content: bytes, scale: Sequence[int] | None = None, name: str = "") -> LabelFile:
    """Return the records of a file of labels, plain or compressed.

    Fields are separated by tabs, so that names may contain blanks, or by blanks in a line without a tab. A
    first line with the column names is skipped, and so are blank lines. A fifth column with the name
    `suggested` is ignored. A reason why a judge could not judge
    is counted and not recorded.

    scale: all grades; 0 to 9 unless given. Raises BadFile when the file cannot be unpacked or has no label,
    and BadLabels, with all errors, for malformed lines, labels that are not on the scale, blank names, and a
    second label of one judge for one document.
    """
    grades = tuple(range(HIGHEST_GRADE + 1)) if scale is None else tuple(scale)
    records: list[Record] = []
    errors: list[BadLine] = []
    line_numbers: dict[tuple[str, str, str], int] = {}
    reasons, plain = 0, without_marks(unpack(content, name))
    fifth = _has_suggested(plain)
    for number, line in enumerate(io.BytesIO(plain), start=1):
        try:
            for topic, docno, judge, label in _rows(line, number, name, fifth):
                _check_once(line_numbers, (topic, docno, judge), number, name)
                if label.lower() in REASONS:
                    reasons += 1
                else:
                    records.append((topic, docno, judge, _grade(label, grades, number, name)))
        except BadLine as error:
            errors.append(error)
    if errors:
        raise BadLabels(errors, name)
    if not records:
        raise BadFile("expected lines of topic, docno, judge, label; found no label", name=name)
    return LabelFile(records, reasons)


def _has_suggested(content: bytes) -> bool:
    """Return whether the first line names a fifth column, as a file of Jurypool may."""
    first = content.partition(b"\n")[0].removesuffix(b"\r").lower()
    return first == "\t".join((*COLUMNS, SUGGESTED)).encode()


def _rows(line: bytes, number: int, name: str, fifth: bool) -> Iterator[tuple[str, str, str, str]]:
    """Yield the fields of a line, nothing for a blank line. fifth: whether to ignore a fifth field.

    Raises BadLine.
    """
    plain = [field.decode() for field in split_fields(line.removesuffix(b"\n"), number, name)]
    if not plain:
        return
    text = line.decode().strip("\r\n")
    fields = [field.strip(" ") for field in text.split("\t")] if "\t" in text else plain
    if fifth and len(fields) == len(COLUMNS) + 1:
        fields.pop()
    if number == 1 and tuple(field.lower() for field in fields) == COLUMNS:
        return
    if len(fields) != len(COLUMNS):
        raise BadLine(number, f"expected 4 fields ({', '.join(COLUMNS)}), found {len(fields)}", name)
    if blank := [column for column, field in zip(COLUMNS, fields, strict=True) if not field]:
        raise BadLine(number, f"expected a {blank[0]}, found nothing", name)
    topic, docno, judge, label = fields
    yield topic, docno, judge, label


def _check_once(
    line_numbers: dict[tuple[str, str, str], int], key: tuple[str, str, str], number: int, name: str
) -> None:
    """Raise BadLine where the judge has labelled the document on an earlier line."""
    if (earlier := line_numbers.setdefault(key, number)) != number:
        topic, docno, judge = key
        message = f"expected one label of {judge} for {topic} {docno}, found a second after line {earlier}"
        raise BadLine(number, message, name)


def _grade(label: str, scale: tuple[int, ...], number: int, name: str) -> int:
    if not WHOLE_NUMBER.fullmatch(label) or int(label) not in scale:
        raise BadLine(number, f"expected a label among {', '.join(map(str, scale))}, found {label!r}", name)
    return int(label)


def scale_in(records: Sequence[Record]) -> tuple[int, ...]:
    """Return the scale where none was given: every grade from 0 to the highest in use, at least 0 and 1."""
    return tuple(range(max(1, *(grade for *_, grade in records), 1) + 1))
