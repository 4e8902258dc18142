"""What is wrong, and what is odd, with a run file that somebody submits: each finding with line and wish.

A file without errors is checked by columns in a few milliseconds; only a file that has one is read line by
line, to find them all.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from .columns import BOM, Block, Docnos, Flags, IntVector, Vector, blocks, changes, words
from .decimals import decimals
from .lines import checked_fields
from .runfile import FIELDS, SCORE, TOPIC, Run, checked_row, parse_run
from .textfile import BadFile, BadLine

RANK = 3
ERRORS_SHOWN = 50


class Finding(NamedTuple):
    """One thing about a file. line: None when it is about the whole file. text: the line, cut."""

    what: str
    wish: str
    line: int | None = None
    text: str = ""


@dataclass(frozen=True)
class Expected:
    """What a campaign expects of a run.

    topics: their numbers. depth: the most documents for one topic. in_collection: tells of docnos, shape
    (n,), which of them the collection holds; None where that is not known.
    """

    topics: frozenset[str]
    depth: int
    in_collection: Callable[[Docnos], Flags] | None = None


class Refused(BadFile):
    """A run file with errors. `errors` holds the first of them, `more` counts the others."""

    def __init__(self, errors: list[Finding], more: int = 0, name: str = "") -> None:
        first = errors[0]
        super().__init__(f"{first.what}. {first.wish}" if first.wish else first.what, first.line, name)
        self.errors, self.more = errors, more


def checked_run(content: bytes, expected: Expected, name: str = "") -> Run:
    """Return the columns of an unpacked run file in which nothing is wrong. Raises Refused."""
    try:
        run = parse_run(content, name)
    except BadFile as error:
        found = all_errors(content, expected) if error.line else iter([Finding(error.wish, "")])
        raise _refused(found, name, error) from error
    if not _as_expected(run, expected):
        raise _refused(all_errors(content, expected), name)
    return run


def _refused(findings: Iterator[Finding], name: str, cause: BadFile | None = None) -> Refused:
    errors = list(islice(findings, ERRORS_SHOWN))
    if not errors and cause:  # what only the whole file can tell
        errors = [Finding(cause.wish, "", cause.line)]
    return Refused(errors, sum(1 for _ in findings), name)


def _as_expected(run: Run, expected: Expected) -> bool:
    return (
        expected.topics.issuperset(run.topics)
        and int(run.lengths.max()) <= expected.depth
        and (expected.in_collection is None or bool(expected.in_collection(run.docnos).all()))
    )


def all_errors(content: bytes, expected: Expected) -> Iterator[Finding]:
    """Yield every error of a run file, in the order of its lines."""
    first_lines: dict[tuple[str, bytes], int] = {}
    counts: dict[str, int] = {}
    for number, whole in enumerate(io.BytesIO(content.removeprefix(BOM)), start=1):
        line = whole.removesuffix(b"\n")
        shown = line[:120].decode("utf-8", "replace")
        try:
            topic, docno, _, _ = checked_row(checked_fields(line, number, ""), number, "", False)
        except BadLine as error:
            yield Finding(error.wish, "The order is topic, Q0, docno, rank, score, tag", number, shown)
            continue
        counts[topic] = counts.get(topic, 0) + 1
        first = first_lines.setdefault((topic, docno), number)
        yield from (
            Finding(what, wish, number, shown)
            for what, wish in _row_errors(topic, docno, first, number, counts[topic], expected)
        )


def _row_errors(
    topic: str, docno: bytes, first: int, number: int, count: int, expected: Expected
) -> Iterator[tuple[str, str]]:
    if topic not in expected.topics:
        yield f"topic {topic} is not in this campaign", f"It has {len(expected.topics)} topics"
    if first != number:
        name = docno.decode("utf-8", "replace")
        yield (
            f"docno {name} again in topic {topic}, first on line {first:,}",
            "Keep one line a document and topic",
        )
    if count == expected.depth + 1:
        yield f"more than {expected.depth:,} documents for topic {topic}", f"Keep the best {expected.depth:,}"
    if expected.in_collection and not expected.in_collection(np.array([docno])).all():
        yield (
            f"docno {docno.decode('utf-8', 'replace')} is not in the collection",
            "Name documents as it does",
        )


def all_warnings(content: bytes, run: Run, expected: Expected, name: str = "") -> Iterator[Finding]:
    """Yield what is odd about a run without an error: what its group would want to know."""
    yield from _rank_warnings(content, run)
    if tied := [topic for topic, same in zip(run.topics, _all_tied(run), strict=True) if same]:
        yield Finding(
            f"all scores are equal in {_of_topics(tied, len(run.topics))}",
            "Ties are broken by docno, so the order says nothing",
        )
    if missing := sorted(expected.topics.difference(run.topics)):
        yield Finding(
            f"no line for {_of_topics(missing, len(expected.topics))}", "A topic without a line scores 0"
        )
    stem = PurePath(name).name.split(".")[0]
    if stem and stem != run.tag.split(".")[0]:
        yield Finding("the tag differs from the file's name", f"File {PurePath(name).name}, tag {run.tag}")


def _of_topics(topics: list[str], whole: int) -> str:
    named = ", ".join(topics[:5]) + (", …" if len(topics) > 5 else "")
    return f"{len(topics)} of {whole} topics ({named})"


def _all_tied(run: Run) -> list[bool]:
    scores = (run.scores[start:end] for start, end in zip(run.offsets, run.offsets[1:], strict=False))
    return [len(part) > 1 and bool((part == part[0]).all()) for part in scores]


def _rank_warnings(content: bytes, run: Run) -> Iterator[Finding]:
    """The rank column is not read, so it may say what it likes; but its author should know."""
    ranks, scores, topics = rank_columns(content)
    if not len(ranks) or np.isnan(ranks).any():
        yield Finding(
            "the rank column holds something that is not a number", "Scores decide; ranks are not read"
        )
    elif (ranks == ranks[0]).all() and len(ranks) > len(run.topics):
        yield Finding(f"every rank is {ranks[0]:g}", "Scores decide; ranks are not read")
    else:
        lines = _contradictions(ranks, scores, topics)
        if len(lines):
            yield Finding(
                f"the rank column contradicts the scores on {len(lines):,} lines",
                "Scores decide, as in trec_eval; ranks are not read",
                int(lines[0]),
            )


def _contradictions(ranks: Vector, scores: Vector, topics: IntVector) -> IntVector:
    """Return the lines, from 1, whose score is higher than that of the line ranked just above, ascending."""
    rising = ranks[1:] > ranks[:-1]
    order = np.arange(len(ranks))
    if not rising[topics[1:] == topics[:-1]].all():  # lines do not stand in the order of their ranks
        order = np.lexsort((ranks, topics))
        ranks, scores, topics = ranks[order], scores[order], topics[order]
    wrong = (scores[1:] > scores[:-1]) & (topics[1:] == topics[:-1]) & (ranks[1:] > ranks[:-1])
    return np.sort(order[1:][wrong]) + 1


def rank_columns(content: bytes) -> tuple[Vector, Vector, IntVector]:
    """Return ranks, scores and topic codes in the order of the lines of a run without errors, shape (lines,).

    A rank that is not a number is nan.
    """
    ranks: list[Vector] = []
    scores: list[Vector] = []
    topics: list[IntVector] = []
    codes: dict[bytes, int] = {}
    for block in blocks(content, FIELDS):
        if block is None:
            return np.empty(0), np.empty(0), np.empty(0, dtype=np.int64)
        for field, column in ((RANK, ranks), (SCORE, scores)):
            values, left = decimals(block, field)
            for line in left:
                values[line] = _number(block.field(line, field))
            column.append(values)
        topics.append(_topic_codes(block, codes))
    return np.concatenate(ranks), np.concatenate(scores), np.concatenate(topics)


def _topic_codes(block: Block, codes: dict[bytes, int]) -> IntVector:
    """Return the code of every line's topic; a topic that is new gets the next code."""
    found = words(block, TOPIC)
    lines = len(block.starts)
    first = changes(found) if found is not None else list(range(lines))
    code = [codes.setdefault(block.field(line, TOPIC), len(codes)) for line in first]
    return np.repeat(code, np.diff([*first, lines]))


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
