"""Files of labels, `topic docno judge label`, read into records. All errors are reported at once."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from assess.kappa.labels import Record
from assess.release.sources import MACHINES
from pooling.formats.columns import split_fields, without_marks
from pooling.formats.files import BadFile, BadLine, unpack
from pooling.intake.fields import JUDGES_AS_COLUMNS, LABELS, map_fields, shortened
from pooling.intake.judgments import grade_of, words_of
from pooling.intake.tables import AS_IT_IS, Reading, Table, Wrong, check_table, number_text, read_table

COLUMNS = ("topic", "docno", "judge", "label")
SOURCE = "source"
MORE_COLUMNS = (SOURCE, "suggested", "comment", "evidence")  # that follow in the files of Jurypool
ONE_TOPIC = "all"  # the topic of all documents where a table has no topics
REASONS = ("broken", "language", "expertise", "scale")  # reasons that may replace a grade
HIGHEST_GRADE = 9  # highest grade where no scale is given: a scale has at most ten grades
WHOLE_NUMBER = re.compile(r"-?[0-9]{1,9}")


class BadLabels(BadFile):
    """A file of labels with errors. errors: all of them, in the order of the lines."""

    def __init__(self, errors: list[BadFile], name: str = "") -> None:
        super().__init__(errors[0].message, errors[0].line, name)
        self.errors = errors

    def __str__(self) -> str:
        return "\n".join(map(str, self.errors))


class LabelFile(NamedTuple):
    """The content of a file of labels.

    cannot_judge: number of lines with a reason instead of a grade. programs: machine judge -> number of its
    lines, which are in neither of the others. notes: how a table was read.
    """

    records: list[Record]
    cannot_judge: int
    programs: Mapping[str, int] = {}
    notes: tuple[str, ...] = ()

    @property
    def without_programs(self) -> str:
        """What was left out because it is of programs, as a sentence; empty if nothing was."""
        if not self.programs:
            return ""
        lines, judges = sum(self.programs.values()), ", ".join(self.programs)
        return f"{lines:,} label{'' if lines == 1 else 's'} of programs left out: {judges}"


def parse_labels(
    content: bytes, scale: Sequence[int] | None = None, name: str = "", reading: Reading = AS_IT_IS
) -> LabelFile:
    """Return the records of a file of labels, plain or compressed.

    Without a header, fields (topic, docno, judge, label) are separated by tabs, so that names may contain
    blanks, or by blanks in a line without a tab; or by commas. A table with a header, or JSON, has a row for
    every label, or a column for every judge; empty cells of such columns are no labels. Blank lines are
    skipped. Lines whose `source` is a machine are counted and not recorded, and so is a reason why a judge
    could not judge.

    scale: all grades; 0 to 9 unless given. reading: what fields and words mean. Raises BadFile when the file
    cannot be unpacked, lacks a field, or has no label of a person, and BadLabels, with all errors, for
    malformed lines, labels that are not on the scale, blank names, and a second label of one judge for one
    document.
    """
    plain = without_marks(unpack(content, name))
    labels = _Labels(tuple(range(HIGHEST_GRADE + 1)) if scale is None else tuple(scale), name, reading)
    table = _table_in(plain, name, reading, labels.errors.append)
    if table is None:
        rows = _unnamed_rows(plain, name, labels.errors)
    elif "judge" in table.mapped.columns:
        rows = ((number, row) for number, row in table)
    else:
        rows = _rows_of_judges(table)
    for number, row in rows:
        place = table.refusal if table else lambda at, message: BadLine(at, message, name)
        labels.add(number, {field: number_text(value) for field, value in row.items()}, place)
    if labels.errors:
        raise BadLabels(labels.errors, name)
    notes = (_note(table),) if table else ()
    label_file = LabelFile(labels.records, labels.reasons, labels.programs, notes)
    if not labels.records:
        message = label_file.without_programs or "found no label"
        raise BadFile(f"expected lines of topic, docno, judge, label; {message}", name=name)
    return label_file


class _Labels:
    """The labels that are read so far. errors: all of them. reasons: how many have a reason for a grade."""

    def __init__(self, scale: tuple[int, ...], name: str, reading: Reading) -> None:
        self.records: list[Record] = []
        self.errors: list[BadFile] = []
        self.programs = Counter[str]()
        self.reasons = 0
        self._scale, self._words, self._option = scale, words_of(reading), reading.choices.words
        self._numbers: dict[tuple[str, str, str], int] = {}

    def add(self, number: int, row: Mapping[str, str], refusal: Callable[[int, str], BadFile]) -> None:
        """Add the label of one row, or its error. row: field -> text."""
        message = self._fault(number, row)
        if message:
            self.errors.append(refusal(number, message))

    def _fault(self, number: int, row: Mapping[str, str]) -> str:
        """Add the label of one row; return what is wrong instead, if anything is."""
        if blank := next((column for column in COLUMNS if not row[column]), ""):
            return f"expected a {blank}, found nothing"
        topic, docno, judge, label = (row[column] for column in COLUMNS)
        if (earlier := self._numbers.setdefault((topic, docno, judge), number)) != number:
            return f"expected one label of {judge} for {topic} {docno}, found a second after line {earlier}"
        if row.get(SOURCE) in MACHINES.values():
            self.programs[judge] += 1
        elif label.lower() in REASONS:
            self.reasons += 1
        elif (grade := grade_of(label, self._words)) in self._scale and grade is not None:
            self.records.append((topic, docno, judge, grade))
        else:
            is_word = grade is None and label[:1].isalpha()
            hint = f"; say which grade a word means: {self._option}" if is_word and self._option else ""
            return f"expected a label among {', '.join(map(str, self._scale))}, found {label!r}{hint}"
        return ""


def _table_in(content: bytes, name: str, reading: Reading, wrong: Wrong) -> Table | None:
    """Return the table of a file with a row for every label, or a column for every judge; None for lines."""
    either = LABELS._replace(required=("docno",))
    table = read_table(content, name, either, reading, {4: COLUMNS}, wrong=wrong)
    if table is None:
        cells = set(re.split(r"[\t,;]", content.partition(b"\n")[0].decode(errors="replace")))
        if any(WHOLE_NUMBER.fullmatch(cell.strip()) for cell in cells):
            return None
        return read_table(content, name, JUDGES_AS_COLUMNS, reading, wrong=wrong)
    columns = table.mapped.columns
    if "judge" in columns or "label" in columns or not table.mapped.left:
        check_table(table, LABELS, reading, map_fields(table.fields, LABELS, reading.fields))
    return table


def _note(table: Table) -> str:
    """Return how a table was read, as a sentence without its end."""
    if "judge" in table.mapped.columns:
        return table.note()
    return f"read as {table.form} with a column for every judge: {shortened(table.mapped.left)}"


def _rows_of_judges(table: Table) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield a row for every filled cell of the columns that are judges; all of one topic without a topic."""
    columns = table.mapped.columns
    for number, row in table.source:
        document = {"topic": row.get(columns.get("topic", ""), ONE_TOPIC), "docno": row.get(columns["docno"])}
        for judge in table.mapped.left:
            if number_text(row.get(judge)):
                yield number, document | {"judge": judge, "label": row[judge]}


def _unnamed_rows(
    content: bytes, name: str, errors: list[BadFile]
) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield the rows of lines without a header; errors: gets those of lines that are not as expected."""
    for number, line in enumerate(io.BytesIO(content), start=1):
        try:
            plain = [field.decode() for field in split_fields(line.removesuffix(b"\n"), number, name)]
            text = line.decode().strip("\r\n")
            fields = [field.strip(" ") for field in text.split("\t")] if "\t" in text else plain
            if fields and len(fields) != len(COLUMNS):
                expected = f"expected {len(COLUMNS)} fields ({', '.join(COLUMNS)})"
                raise BadLine(number, f"{expected}, found {len(fields)}", name)
        except BadLine as error:
            errors.append(error)
        else:
            if fields:
                yield number, dict(zip(COLUMNS, fields, strict=True))


def scale_in(records: Sequence[Record]) -> tuple[int, ...]:
    """Return the scale where none was given: every grade from 0 to the highest in use, at least 0 and 1."""
    return tuple(range(max(1, *(grade for *_, grade in records), 1) + 1))
