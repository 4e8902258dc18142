"""Files of labels, `topic docno judge label`, read into records. All errors are reported at once."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from assess.kappa.labels import Record
from assess.release.sources import MACHINES
from pooling.formats.columns import split_fields, without_marks
from pooling.formats.files import BadFile, BadLine, unpack

COLUMNS = ("topic", "docno", "judge", "label")
SOURCE = "source"
MORE_COLUMNS = (SOURCE, "suggested", "comment", "evidence")  # that follow in the files of Jurypool
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
    """The content of a file of labels.

    cannot_judge: number of lines with a reason instead of a grade. programs: machine judge -> number of its
    lines, which are in neither of the others.
    """

    records: list[Record]
    cannot_judge: int
    programs: Mapping[str, int] = {}

    @property
    def without_programs(self) -> str:
        """What was left out because it is of programs, as a sentence; empty if nothing was."""
        if not self.programs:
            return ""
        lines, judges = sum(self.programs.values()), ", ".join(self.programs)
        return f"{lines:,} label{'' if lines == 1 else 's'} of programs left out: {judges}"


def parse_labels(content: bytes, scale: Sequence[int] | None = None, name: str = "") -> LabelFile:
    """Return the records of a file of labels, plain or compressed.

    Fields are separated by tabs, so that names may contain blanks, or by blanks in a line without a tab. A
    first line with the column names is skipped, and so are blank lines. If it names more columns, as that of
    Jurypool does, cells may be in quotation marks, and lines whose `source` is a machine are counted and not
    recorded. A reason why a judge could not judge is counted and not recorded.

    scale: all grades; 0 to 9 unless given. Raises BadFile when the file cannot be unpacked or has no label
    of a person, and BadLabels, with all errors, for malformed lines, labels that are not on the scale, blank
    names, and a second label of one judge for one document.
    """
    grades = tuple(range(HIGHEST_GRADE + 1)) if scale is None else tuple(scale)
    records: list[Record] = []
    errors: list[BadLine] = []
    line_numbers: dict[tuple[str, str, str], int] = {}
    programs = Counter[str]()
    reasons, plain = 0, without_marks(unpack(content, name))
    columns = _columns_in(plain)
    for number, line in enumerate(io.BytesIO(plain), start=1):
        try:
            for topic, docno, judge, label, source in _rows(line, number, name, columns):
                _check_once(line_numbers, (topic, docno, judge), number, name)
                if source in MACHINES.values():
                    programs[judge] += 1
                elif label.lower() in REASONS:
                    reasons += 1
                else:
                    records.append((topic, docno, judge, _grade(label, grades, number, name)))
        except BadLine as error:
            errors.append(error)
    if errors:
        raise BadLabels(errors, name)
    found = LabelFile(records, reasons, programs)
    if not records:
        message = found.without_programs or "found no label"
        raise BadFile(f"expected lines of topic, docno, judge, label; {message}", name=name)
    return found


def _columns_in(content: bytes) -> tuple[str, ...]:
    """Return the columns that the first line names, the usual four if it names none or no more."""
    first = content.partition(b"\n")[0].removesuffix(b"\r").decode(errors="replace").lower()
    named = tuple(first.split("\t"))
    return named if named[: len(COLUMNS)] == COLUMNS else COLUMNS


def _rows(
    line: bytes, number: int, name: str, columns: tuple[str, ...]
) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield topic, docno, judge, label and source of a line, nothing for a blank line or the header.

    The source is empty if the file has no such column. Raises BadLine.
    """
    fields = _fields(line.removesuffix(b"\n"), number, name, columns)
    if not fields or (number == 1 and tuple(field.lower() for field in fields) == columns):
        return
    if len(fields) != len(columns):
        message = f"expected {len(columns)} fields ({', '.join(columns)}), found {len(fields)}"
        raise BadLine(number, message, name)
    if blank := [column for column, field in zip(COLUMNS, fields, strict=False) if not field]:
        raise BadLine(number, f"expected a {blank[0]}, found nothing", name)
    topic, docno, judge, label = fields[: len(COLUMNS)]
    yield topic, docno, judge, label, fields[columns.index(SOURCE)] if SOURCE in columns else ""


def _fields(line: bytes, number: int, name: str, columns: tuple[str, ...]) -> list[str]:
    if columns != COLUMNS:
        try:
            cells = next(csv.reader([line.decode().strip("\r")], delimiter="\t"), [])
        except UnicodeDecodeError as error:
            message = f"expected UTF-8 text, found the byte 0x{line[error.start]:02x}"
            raise BadLine(number, message, name) from error
        except csv.Error as error:
            raise BadLine(number, f"expected cells separated by tabs: {error}", name) from error
        return [cell.strip(" ") for cell in cells]
    plain = [field.decode() for field in split_fields(line, number, name)]
    text = line.decode().strip("\r\n")
    return [field.strip(" ") for field in text.split("\t")] if "\t" in text else plain


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
