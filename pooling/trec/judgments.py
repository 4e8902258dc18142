"""Judgments made elsewhere: the qrels of TREC, BEIR and NTCIR."""

from __future__ import annotations

import re
from typing import NamedTuple

from pooling.columns import LONGEST_LINE
from pooling.textfile import BadFile, BadLine
from pooling.trec.fields import identifier, shown
from pooling.trec.lines import naming, numbered, strict

WISH = (
    "expected judgments: TREC qrels (topic, iteration, docno, grade), BEIR (first line "
    "query-id corpus-id score) or NTCIR (topic, docno, L0 to L3)"
)


class JudgmentRecord(NamedTuple):
    """One judged pair. line: where it stands in its file, so that the caller can name it too."""

    topic: str
    docno: str
    grade: int
    line: int


class Layout(NamedTuple):
    """A form of qrels: the topic comes first, the docno last but one, the grade last."""

    wish: str
    counts: tuple[int, ...]  # how many fields a line may have
    grade: re.Pattern[str]
    grade_wish: str


WHOLE = re.compile(r"([+-]?[0-9]{1,9})")
LEVEL = re.compile(r"[Ll]([0-9]{1,9})")
TREC = Layout("4 fields (topic, iteration, docno, grade)", (4,), WHOLE, "a whole number")
BEIR = Layout("3 fields (query-id, corpus-id, score)", (3,), WHOLE, "a whole number")
NTCIR = Layout(
    "3 fields (topic, docno, grade), or 4 with an iteration", (3, 4), LEVEL, "L and a whole number"
)


def read_judgments(content: bytes, name: str = "") -> list[JudgmentRecord]:
    """Return the judgments of a qrels file in their order; its form is told from its first line.

    Known are TREC qrels (four columns; the second may be anything and is dropped), BEIR (three columns after
    the header `query-id corpus-id score`) and NTCIR (`topic docno L2`, or four columns as TREC's with `L2`
    for the grade). Columns are parted by tabs or blanks, one or more. Blank lines and
    comments are skipped, as in `pooling.lines.numbered_lines`. Grades are whole numbers and may be negative;
    the campaign's scale is not checked here.

    content: plain bytes, UTF-8 (`textfile.unpack` opens what is packed).
    Raises BadFile when there is no judgment; BadLine when the columns or the grade are wrong and when a pair
    comes twice, with another grade or the same one. Both carry `name`.
    """
    with naming(name):
        pairs: dict[tuple[str, str], JudgmentRecord] = {}
        layout: Layout | None = None
        for line, text in strict(numbered(content)):
            if len(text) > LONGEST_LINE:
                raise BadLine(line, f"expected at most {LONGEST_LINE:,} bytes, found more")
            fields = text.split()
            if not fields or text.startswith("#"):
                continue
            if layout is None:
                layout = _layout(fields)
                if layout is BEIR:
                    continue
            judgment = _judgment(line, fields, layout)
            pair = judgment.topic, judgment.docno
            if pair in pairs:
                raise BadLine(line, _twice(pairs[pair], judgment))
            pairs[pair] = judgment
        if not pairs:
            raise BadFile(f"{WISH}; found none")
        return list(pairs.values())


def _layout(fields: list[str]) -> Layout:
    if [field.lower() for field in fields] == ["query-id", "corpus-id", "score"]:
        return BEIR
    return NTCIR if len(fields) in NTCIR.counts and LEVEL.fullmatch(fields[-1]) else TREC


def _judgment(line: int, fields: list[str], layout: Layout) -> JudgmentRecord:
    if len(fields) not in layout.counts:
        raise BadLine(line, f"expected {layout.wish}, found {len(fields)}")
    grade = layout.grade.fullmatch(fields[-1])
    if not grade:
        raise BadLine(line, f"expected {layout.grade_wish} as the grade, found {shown(fields[-1])}")
    topic, docno = identifier(fields[0], line, "topic number"), identifier(fields[-2], line, "docno")
    return JudgmentRecord(topic, docno, int(grade[1]), line)


def _twice(first: JudgmentRecord, second: JudgmentRecord) -> str:
    grades = (
        f"the same grade, {first.grade}"
        if first.grade == second.grade
        else f"grade {first.grade}, here {second.grade}"
    )
    pair = f"topic {second.topic}, document {second.docno}"
    return f"expected every pair once, found {pair} in line {first.line} already with {grades}"
