"""Errors and warnings of a submitted run file, each with its line and with what was expected.

Errors are found on columns, as the run is read, so that memory is bounded by the file; only malformed lines
are looked at one by one.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from pooling.arrays import Docnos, Flags, IntVector, Vector, as_bytes
from pooling.formats.columns import without_marks
from pooling.formats.files import BadFile, BadLine
from pooling.formats.grouping import may_repeat, repeated_rows
from pooling.formats.runs import BY_RANK, BY_SCORE, RunFile, RunLines
from pooling.intake.compare import Match, match_names
from pooling.intake.run_tables import run_lines
from pooling.intake.tables import AS_IT_IS, Reading, UnclearFields
from pooling.words import by_number, counted

CHOOSE_ORDER = "Choose another order of the run"
FIELD_ORDER = "The order is topic, Q0, docno, rank, score, tag"
MAX_ERRORS_SHOWN = 50
MAX_MALFORMED_LINES = 5000  # a file with more malformed lines is not read to its end
CONTRADICTION = "the rank column contradicts the scores"
ALL_EQUAL = "are equal in"
OUTSIDE_32_BITS = "scores are outside the range of 32-bit numbers"
ORDER_WARNINGS = (CONTRADICTION, ALL_EQUAL, OUTSIDE_32_BITS)  # the documents may stand in another order
EMPTY_ROWS: IntVector = np.empty(0, dtype=np.int64)


# Endings that say how a file is packed or what it is; what stands before them is the name of the run.
FILE_ENDINGS = re.compile(
    r"(\.(gz|bz2|xz|zip|txt|run|runs|res|results|trec|tsv|dat|out|input))+\Z", re.IGNORECASE
)


class RunFinding(NamedTuple):
    """One thing about a file. line: None when it is about the whole file. text: the line, cut."""

    what: str
    wish: str
    line: int | None = None
    text: str = ""


@dataclass(frozen=True)
class RunRequirements:
    """What a campaign expects of a run.

    topics: their numbers. depth: the most documents for one topic. in_collection: tells of docnos, shape
    (n,), which of them the collection holds; None where that is not known. matches_topics: topics whose
    numbers differ only in how they are written (`intake.compare`) are those of the campaign.
    """

    topics: frozenset[str]
    depth: int
    in_collection: Callable[[Docnos], Flags] | None = None
    matches_topics: bool = False


class RunRefused(BadFile):
    """A run file with errors. `errors` holds the first of them, `more` counts the others.

    cut: the file has so many malformed lines that it was not read to its end, so there may be more still.
    match: how its topics would be those of the campaign, if they are not.
    """

    def __init__(
        self,
        errors: list[RunFinding],
        more: int = 0,
        name: str = "",
        cut: bool = False,
        match: Match | None = None,
    ) -> None:
        first = errors[0]
        message = f"{first.what}. {first.wish}" if first.wish else first.what
        if match:
            message += f". {match.sentence('topic', 'of this campaign')}"
        super().__init__(message, first.line, name)
        self.errors, self.more, self.cut, self.match = errors, more, cut, match


def check_run_file(
    content: bytes,
    expected: RunRequirements,
    name: str = "",
    order: str = BY_SCORE,
    first_line: int = 1,
    reading: Reading = AS_IT_IS,
) -> tuple[RunFile, list[RunFinding]]:
    """Return the columns of an unpacked run file without errors, and its warnings.

    order: as in `RunLines.run`. first_line: as in `RunLines`. reading: what the fields of a table mean. The
    file is split once. Raises RunRefused, and UnclearFields for a table of which a field must be chosen.
    """
    errors = ErrorList()
    try:
        text = run_lines(content, name, reading)
    except UnclearFields:
        raise
    except BadFile as error:
        line = error.line and error.line + first_line - 1
        raise RunRefused([RunFinding(error.message, "", line)], name=error.name) from error
    errors.has_lines = text.has_lines
    lines = RunLines(text.content, name, with_ranks=True, first_line=first_line)
    try:
        lines.read(errors.malformed)
    except TooManyErrors:
        errors.cut = True
    if not lines.count and not errors.count:
        hint = "expected at least one line of six fields, found an empty file"
        raise RunRefused([RunFinding(hint, "")], name=name)
    match = match_names(lines.topic_names(), expected.topics) if lines.count else None
    if match and expected.matches_topics:
        lines.rename_topics(match.names)
    if lines.count:
        for kind in (_unknown_topics, _repeats, _too_deep, _outside_collection):
            rows, finding_of = kind(lines, expected)
            errors.add(lines, rows, finding_of)
    if errors.count:
        shown, offered = errors.first(), None if expected.matches_topics else match
        raise RunRefused(shown, errors.count - len(shown), name, errors.cut, offered)
    try:
        run = lines.run(order)
    except BadFile as error:
        raise RunRefused([RunFinding(error.message, CHOOSE_ORDER, error.line)], name=name) from error
    forms = [RunFinding(note, "Check that the fields are the right ones") for note in text.notes]
    if run.renamed and match:
        forms.append(RunFinding(match.note("topic"), "Check that they are the same topics"))
    return run, forms + list(_warnings(lines, run, expected, order))


class TooManyErrors(Exception):
    """So many lines are malformed that the file is not a run."""


class ErrorList:
    """The errors of a run file: the first few of every kind, and how many there are.

    has_lines: what `RunText` says.
    """

    def __init__(self) -> None:
        self.count, self.cut, self.has_lines = 0, False, True
        self._findings: list[RunFinding] = []

    def malformed(self, error: BadLine, line: bytes) -> None:
        """Add a line that could not be read. Raises TooManyErrors."""
        self.count += 1
        if self.count > MAX_MALFORMED_LINES:
            self.count -= 1
            raise TooManyErrors
        if self.count <= MAX_ERRORS_SHOWN:
            self._findings.append(RunFinding(error.message, FIELD_ORDER, error.line, _shown(line)))

    def add(self, lines: RunLines, rows: IntVector, finding_of: Callable[[int, int], RunFinding]) -> None:
        """Add one error for each of these rows. finding_of: (index in `rows`, row) -> what is wrong."""
        self.count += len(rows)
        numbers = lines.lines_of(rows)
        first = np.argsort(numbers, kind="stable")[:MAX_ERRORS_SHOWN]
        texts = _texts_of(lines, numbers[first])
        for index in first.tolist():
            number = int(numbers[index])
            finding = finding_of(index, int(rows[index]))
            self._findings.append(finding._replace(line=number, text=texts[number]))

    def first(self) -> list[RunFinding]:
        """Return the errors to show, in the order of their lines."""
        findings = sorted(self._findings, key=lambda finding: finding.line or 0)[:MAX_ERRORS_SHOWN]
        if self.has_lines:
            return findings
        return [each._replace(what=f"row {each.line}: {each.what}", line=None) for each in findings]


def _texts_of(lines: RunLines, numbers: IntVector) -> dict[int, str]:
    """Return the text of each of these lines, cut."""
    wanted = set(numbers.tolist())
    last = max(wanted, default=lines.first_line - 1)
    numbered = enumerate(io.BytesIO(without_marks(lines.content)), start=lines.first_line)
    return {
        number: _shown(line)
        for number, line in islice(numbered, last + 1 - lines.first_line)
        if number in wanted
    }


def _shown(line: bytes) -> str:
    return line.removesuffix(b"\n")[:120].decode("utf-8", "replace")


# Each kind of error: the rows that have it, and what to say of one of them.
ErrorRows = tuple[IntVector, Callable[[int, int], RunFinding]]


def _topic_of(lines: RunLines, row: int) -> str:
    return lines.topics[int(np.searchsorted(lines.offsets, row, side="right")) - 1]


def _unknown_topics(lines: RunLines, expected: RunRequirements) -> ErrorRows:
    """A topic that the campaign does not have, once, at its first line."""
    unknown = [index for index, topic in enumerate(lines.topics) if topic not in expected.topics]
    lengths = np.diff(lines.offsets)

    def finding(index: int, row: int) -> RunFinding:
        topic = unknown[index]
        others = f"; {lengths[topic]:,} lines name this one" if lengths[topic] > 1 else ""
        hint = f"It has {len(expected.topics):,} topics{others}"
        return RunFinding(f"topic {lines.topics[topic]} is not in this campaign", hint)

    return lines.offsets[:-1][unknown], finding


def _repeats(lines: RunLines, expected: RunRequirements) -> ErrorRows:
    rows, firsts = (
        repeated_rows(lines.docnos, lines.offsets)
        if may_repeat(lines.docnos, lines.offsets)
        else (EMPTY_ROWS, EMPTY_ROWS)
    )

    def finding(index: int, row: int) -> RunFinding:
        first = int(lines.lines_of(firsts[index : index + 1])[0])
        what = f"docno {lines.docno_of(row)} again in topic {_topic_of(lines, row)}, first on line {first:,}"
        return RunFinding(what, "Keep one line a document and topic")

    return rows, finding


def _too_deep(lines: RunLines, expected: RunRequirements) -> ErrorRows:
    """A topic with more documents than a run may have, once, at the first of those."""
    deep = np.diff(lines.offsets) > expected.depth

    def finding(index: int, row: int) -> RunFinding:
        what = f"more than {expected.depth:,} documents for topic {_topic_of(lines, row)}"
        return RunFinding(what, f"Keep the best {expected.depth:,}")

    return lines.offsets[:-1][deep] + expected.depth, finding


def _outside_collection(lines: RunLines, expected: RunRequirements) -> ErrorRows:
    outside = EMPTY_ROWS
    if expected.in_collection:
        outside = np.flatnonzero(~expected.in_collection(as_bytes(lines.docnos)))

    def finding(index: int, row: int) -> RunFinding:
        return RunFinding(
            f"docno {lines.docno_of(row)} is not in the collection",
            "Write docnos as the collection does",
        )

    return outside, finding


def tag_from_name(name: str) -> str:
    """Return the tag that a file's name gives: the name without known endings, blanks as underscores.

    >>> tag_from_name("runs/covidex.r3.t5_lr.txt.gz")
    'covidex.r3.t5_lr'
    """
    file = PurePath(name).name
    return (FILE_ENDINGS.sub("", file) or file).replace(" ", "_")


def _warnings(lines: RunLines, run: RunFile, expected: RunRequirements, order: str) -> Iterator[RunFinding]:
    """Yield the warnings about a run without errors."""
    ordered_by = "ranks" if order == BY_RANK else "scores"
    yield from _rank_warnings(lines, run)
    if lost := int(np.count_nonzero(_outside_32_bits(run.scores))):
        yield RunFinding(
            f"{lost:,} {OUTSIDE_32_BITS}",
            "Scoring compares 32-bit numbers, as trec_eval 9 does, and takes such scores as equal; pools"
            " compare 64 bits. Submit the logarithm of the scores",
        )
    if tied := [topic for topic, same in zip(run.topics, _all_tied(run), strict=True) if same]:
        yield RunFinding(
            f"all {ordered_by} {ALL_EQUAL} {_of_topics(tied, len(run.topics))}",
            "Ties are broken by docno, so the order says nothing",
        )
    if missing := sorted(expected.topics.difference(run.topics), key=by_number):
        yield RunFinding(
            f"no line for {_of_topics(missing, len(expected.topics))}", "A topic without a line scores 0"
        )


def _outside_32_bits(scores: Vector) -> Flags:
    sizes = np.abs(scores)
    limits = np.finfo(np.float32)
    outside: Flags = (sizes > limits.max) | ((sizes > 0) & (sizes < limits.smallest_subnormal))
    return outside


def order_warnings(warnings: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return what stored warnings say about the order of the documents: it may not be the intended one."""
    return [
        warning["what"] for warning in warnings if any(text in warning["what"] for text in ORDER_WARNINGS)
    ]


def _of_topics(topics: list[str], whole: int) -> str:
    named = ", ".join(topics[:5]) + (", …" if len(topics) > 5 else "")
    return f"{len(topics)} of {whole} topics ({named})"


def _all_tied(run: RunFile) -> list[bool]:
    scores = (run.scores[start:end] for start, end in zip(run.offsets, run.offsets[1:], strict=False))
    return [len(part) > 1 and bool((part == part[0]).all()) for part in scores]


def _rank_warnings(lines: RunLines, run: RunFile) -> Iterator[RunFinding]:
    """The rank column decides nothing, so it may say what it likes; but its author should know."""
    ranks = lines.ranks
    if np.isnan(ranks).any():
        yield RunFinding(
            "the rank column holds something that is not a number", "Scores decide; ranks are not read"
        )
    elif (ranks == ranks[0]).all() and len(ranks) > len(run.topics):
        yield RunFinding(f"every rank is {ranks[0]:g}", "Scores decide; ranks are not read")
    else:
        rows = _contradictions(ranks, run.scores, run.topic_of_rows())
        if len(rows):
            yield RunFinding(
                f"{CONTRADICTION} on {counted(len(rows), 'line')}",
                "Scores decide, highest first, as in trec_eval, unless another order is chosen: by the rank"
                " column, or the lowest score first",
                int(lines.lines_of(rows).min()),
            )


def _contradictions(ranks: Vector, scores: Vector, topics: IntVector) -> IntVector:
    """Return the rows whose score is higher than that of the row ranked just above. topics: of every row."""
    rising = ranks[1:] > ranks[:-1]
    order = np.arange(len(ranks))
    if not rising[topics[1:] == topics[:-1]].all():  # rows do not stand in the order of their ranks
        order = np.lexsort((ranks, topics))
        ranks, scores, topics = ranks[order], scores[order], topics[order]
    wrong = (scores[1:] > scores[:-1]) & (topics[1:] == topics[:-1]) & (ranks[1:] > ranks[:-1])
    rows: IntVector = order[1:][wrong]
    return rows
