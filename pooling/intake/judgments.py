"""Judgments in every form that is read: lines of columns, tables with a header, and JSON.

Lines: TREC qrels (topic, iteration, docno, grade), prels (topic, a word, docno, stratum, grade), three
columns (topic, docno, grade) as BEIR's without its header, and NTCIR (grades L0, L1 ...). Tables and JSON:
see `intake.tables` and `intake.json_rows`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from pooling.formats.columns import check_name, numbered_lines, split_fields
from pooling.formats.files import BadFile, BadLine
from pooling.intake.fields import QRELS
from pooling.intake.tables import AS_IT_IS, Reading, Table, number_text, read_table
from pooling.limits import MAX_ROW_BYTES

TOPIC, ITERATION, DOCNO, GRADE = range(4)
MAX_GRADE_DIGITS = 9  # of a grade, leading zeros included; longer numbers are damage
GRADE_PATTERN = re.compile(rb"([+-]?\d{1,%d})(?:\.0*)?" % MAX_GRADE_DIGITS)
NTCIR_LEVEL_PATTERN = re.compile(rb"[Ll](\d{1,%d})" % MAX_GRADE_DIGITS)
EXPECTED_GRADE = f"a whole number of at most {MAX_GRADE_DIGITS} digits"
KNOWN_WORDS = {  # of two grades; other words need their grades
    "not relevant": 0, "irrelevant": 0, "non-relevant": 0, "nonrelevant": 0, "relevant": 1,
}  # fmt: skip
UNNAMED = {3: ("topic", "docno", "grade"), 4: ("topic", "iteration", "docno", "grade")}
EXPECTED_JUDGMENTS = (
    "expected judgments: TREC qrels (topic iteration docno grade), three columns (topic, docno, grade), NTCIR"
    " (topic, docno, L0 to L3), CSV or TSV with a header, or JSON; found none"
)


class Layout(NamedTuple):
    """A form of lines of judgments: the topic comes first and the grade last.

    expected: the fields in words. counts: how many a line may have. docno: its place among them.
    iteration: the least number of fields that a line with an iteration has; it is the second. stratum: its
    place, if any.
    """

    expected: str
    counts: tuple[int, ...]
    docno: int
    iteration: int = 4
    stratum: int | None = None
    grade: re.Pattern[bytes] = GRADE_PATTERN
    expected_grade: str = EXPECTED_GRADE


TREC = Layout("4 fields (topic iteration docno grade)", (4,), 2)
PRELS = Layout("5 fields (topic 0 docno stratum grade)", (5,), 2, stratum=3)
THREE = Layout("3 fields (topic docno grade)", (3,), 1)
NTCIR = Layout(
    "3 fields (topic docno grade), or 4 with an iteration",
    (3, 4), -2, grade=NTCIR_LEVEL_PATTERN, expected_grade="L and a whole number",
)  # fmt: skip


class Words(NamedTuple):
    """Labels in words. grades: word in lower case -> grade. option: how a person gives others."""

    grades: Mapping[str, int] = {}
    option: str = ""


NO_WORDS = Words()


class QrelsLine(NamedTuple):
    """One judgment, and the number of its line or row, from 1. stratum: empty where the layout has none."""

    number: int
    topic: bytes
    iteration: bytes
    docno: bytes
    stratum: bytes
    grade: int


class Judgments:
    """The judgments of a file, one at a time.

    layout: of its lines; TREC for tables. notes: how the file was read, if not as TREC qrels, and what was
    left out; complete when all judgments are read.
    """

    def __init__(
        self, content: bytes, name: str = "", reading: Reading = AS_IT_IS, comments: bool = True
    ) -> None:
        self.name, self.notes, self.layout = name, list[str](), TREC
        self._words = Words(words_of(reading), reading.choices.words)
        self._table = read_table(content, name, QRELS, reading, UNNAMED)
        self._lines: Iterator[tuple[int, list[bytes]]] = iter(())
        if self._table:
            self.notes.append(self._table.note())
        else:
            lines = numbered_lines(content, name, comments)
            filled = ((number, fields) for number, fields in lines if fields)
            first = next(filled, None)
            self.layout = _layout(*first, name, _has_tabs(content)) if first else TREC
            self._lines = chain([first] if first else [], filled)
            if self.layout is THREE:
                self.notes.append("read as three columns: topic, docno, grade")

    def lines(self, by_iteration: bool = False) -> Iterator[QrelsLine]:
        """Yield every judgment. by_iteration: a document may be judged once in each iteration of a topic.

        Raises BadLine, or BadFile where rows are no lines.
        """
        if self._table:
            return _each_once(
                self._of_table(self._table), self._table.refusal, self._table.place, by_iteration
            )
        return checked_lines(self._lines, self.name, self.layout, by_iteration, self._words)

    def _of_table(self, table: Table) -> Iterator[QrelsLine]:
        gaps: list[int] = []
        for number, row in table:
            topic, docno = (self._name(table, number, row, field) for field in ("topic", "docno"))
            grade = row["grade"]
            if number_text(grade) == "" and not isinstance(grade, list):
                gaps.append(number)
                continue
            if not docno:
                raise table.refusal(number, "expected a docno, found none")
            iteration = number_text(row.get("iteration")).encode() or b"0"
            stratum = number_text(row.get("stratum")).encode()
            yield QrelsLine(number, topic, iteration, docno, stratum, self._grade(table, number, grade))
        if gaps:
            what = "rows have no grade and were" if len(gaps) > 1 else "row has no grade and was"
            self.notes.append(f"{len(gaps):,} {what} left out, first {table.place(gaps[0])}")

    def _name(self, table: Table, number: int, row: Mapping[str, Any], field: str) -> bytes:
        text = number_text(row[field])
        if not text and field == "topic":
            raise table.refusal(number, "expected a topic, found none")
        try:
            content = check_name(text.encode(), field, number, self.name)
            fields = split_fields(content, number, self.name)
        except UnicodeEncodeError:
            raise table.refusal(number, f"expected a {field} that UTF-8 can hold") from None
        except BadLine as error:
            raise table.refusal(number, error.message) from None
        if field == "docno" and len(fields) > 1:
            raise table.refusal(number, f"expected a docno without blanks, found {text[:40]!r}")
        return content

    def _grade(self, table: Table, number: int, value: Any) -> int:
        if isinstance(value, list | bool):
            shown = ", ".join(map(str, value)) if isinstance(value, list) else value
            raise table.refusal(number, f"expected one grade, found {shown}")
        grade = grade_of(number_text(value), self._words.grades)
        if grade is None:
            raise table.refusal(number, _wrong_grade(number_text(value), self._words.option))
        return grade


def words_of(reading: Reading) -> Mapping[str, int]:
    """Return word in lower case -> grade: those that a person gave, or the known ones."""
    return {word.casefold(): grade for word, grade in reading.words.items()} or KNOWN_WORDS


def grade_of(text: str, words: Mapping[str, int]) -> int | None:
    """Return the grade that a text means; None for none. words: a word in lower case -> its grade.

    >>> [grade_of(text, {"yes": 1}) for text in ("2", "2.0", "-1", "Yes", "2.5", "no")]
    [2, 2, -1, 1, None, None]
    """
    if (grade := words.get(text.casefold())) is not None:
        return grade
    match = GRADE_PATTERN.fullmatch(text.encode(errors="replace"))
    return int(match[1]) if match else None


def _wrong_grade(text: str, option: str, expected: str = EXPECTED_GRADE) -> str:
    is_word = option and text[:1].isalpha() and expected == EXPECTED_GRADE
    hint = f"; say which grade a word means: {option}" if is_word else ""
    return f"expected {expected} as grade, found {text[:40]!r}{hint}"


def checked_lines(
    lines: Iterable[tuple[int, list[bytes]]],
    name: str,
    layout: Layout,
    by_iteration: bool = False,
    words: Words = NO_WORDS,
) -> Iterator[QrelsLine]:
    """Yield the judgments of numbered lines: slower than blocks, and able to say what is wrong with one."""
    checked = (_checked(fields, number, name, layout, words) for number, fields in lines if fields)
    return _each_once(
        checked, lambda number, message: BadLine(number, message, name), lambda n: f"line {n}", by_iteration
    )


def _each_once(
    lines: Iterable[QrelsLine], refusal: Any, place: Any, by_iteration: bool
) -> Iterator[QrelsLine]:
    first: dict[tuple[bytes, ...], QrelsLine] = {}
    for line in lines:
        key = (line.topic, line.docno, line.iteration if by_iteration else b"")
        if (earlier := first.setdefault(key, line)) is not line:
            message = f"expected each document once in a topic, found {line.docno.decode()!r} of"
            repetition = f"{line.topic.decode()!r} again (first on {place(earlier.number)})"
            other = (
                "" if earlier.grade == line.grade else f" with grade {line.grade} instead of {earlier.grade}"
            )
            if line.iteration != earlier.iteration and not by_iteration:
                other += "; judgments of subtopics are read for measures of subtopics alone"
            raise refusal(line.number, f"{message} {repetition}{other}")
        yield line


def _has_tabs(content: bytes) -> bool:
    """Tell whether the first line of a file has tabs; without them, three columns may be another thing."""
    return b"\t" in content[:MAX_ROW_BYTES].lstrip().partition(b"\n")[0]


def _layout(number: int, fields: list[bytes], name: str, has_tabs: bool) -> Layout:
    """Return the layout that the first line shows. Raises BadLine for relatives of qrels, by their names."""
    if len(fields) in NTCIR.counts and NTCIR_LEVEL_PATTERN.fullmatch(fields[-1]):
        return NTCIR
    if len(fields) == 3 and has_tabs:
        return THREE
    other = "" if len(fields) != 3 else "; three are read between tabs or commas (topic, docno, grade)"
    if len(fields) == 6 and fields[1].upper() == b"Q0":
        other = ", as a run has (topic Q0 docno rank score tag)"
    elif len(fields) > 1 and fields[1].startswith(b"qid:"):
        other = ", as a file of features for learning to rank has"
    elif len(fields) == 5:
        other = (
            ": five columns are read as a sample (topic 0 docno stratum grade) for xinfAP and infNDCG, or as"
            " preferences, for measures of these alone"
        )
    if other:
        raise BadLine(number, f"expected {TREC.expected}, found {len(fields)}{other}", name)
    return TREC


def _checked(fields: list[bytes], number: int, name: str, layout: Layout, words: Words) -> QrelsLine:
    if len(fields) not in layout.counts:
        raise BadLine(number, f"expected {layout.expected}, found {len(fields)}", name)
    topic = check_name(fields[TOPIC], "topic", number, name)
    docno = check_name(fields[layout.docno], "docno", number, name)
    iteration, stratum = b"0", b""
    if len(fields) >= layout.iteration:
        iteration = check_name(fields[ITERATION], "iteration", number, name)
    if layout.stratum is not None:
        stratum = check_name(fields[layout.stratum], "stratum", number, name)
    match = layout.grade.fullmatch(fields[-1])
    grade = int(match[1]) if match else words.grades.get(fields[-1].decode().casefold())
    if grade is None:
        text = fields[-1][:40].decode(errors="replace")
        raise BadLine(number, _wrong_grade(text, words.option, layout.expected_grade), name)
    return QrelsLine(number, topic, iteration, docno, stratum, grade)


def no_judgments(judgments: Judgments) -> BadFile:
    """Return the error of a file without judgments, with what was left out of it."""
    left_out = f" ({judgments.notes[-1]})" if len(judgments.notes) > 1 else ""
    return BadFile(f"{EXPECTED_JUDGMENTS}{left_out}", name=judgments.name)
