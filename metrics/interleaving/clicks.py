"""The file of clicks on interleaved lists: one session a line, as CSV or JSON Lines.

A line names a list of the comparison (`list_id`, or `query_id`) and the ranks that were clicked. A line of a
list
that was merged elsewhere has all that it needs: `topic`, `run_a`, `run_b`, `documents`, `teams`, `clicks`.
Other
fields, such as identifiers of users and sessions, are not read.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from metrics.interleaving.credit import (
    Credit,
    balanced_credit,
    probabilistic_credit,
    team_chances,
    team_draft_credit,
)
from metrics.interleaving.lists import MergedList, Rankings
from metrics.interleaving.merging import DEPTH, A, B, Ranking
from metrics.interleaving.outcome import OutcomeCounts
from pooling.formats.files import BadFile, BadLine, decode
from pooling.formats.text import json_rows, naming_file, quoted

FIELDS = ("list_id", "query_id", "topic", "run_a", "run_b", "documents", "teams", "clicks")
SEQUENCES = ("documents", "teams", "clicks")
MOST_RANK_DIGITS = 6


class Session(NamedTuple):
    """A session: the list that was shown, and the ranks that were clicked, from 1."""

    shown: MergedList
    clicks: frozenset[int]


class Comparison:
    """What clicks are compared with: the runs, their rankings, and the lists that were merged of them."""

    def __init__(
        self,
        runs: tuple[str, str],
        method: str,
        rankings: tuple[Rankings, Rankings],
        lists: Sequence[MergedList],
    ) -> None:
        self.runs, self.method, self.rankings = runs, method, rankings
        self.lists = {merged_list.list_id: merged_list for merged_list in lists}
        self._chances: dict[tuple[str, tuple[str, ...]], list[float]] = {}

    def ranking_of(self, topic: str) -> tuple[Ranking, Ranking]:
        """Return the documents of both runs that lists can hold; empty for a topic that a run does not
        have."""
        a, b = self.rankings
        return a.get(topic, ())[:DEPTH], b.get(topic, ())[:DEPTH]

    def credit(self, session: Session) -> Credit:
        shown, clicks = session
        if self.method == "team-draft":
            return team_draft_credit(shown.teams, clicks)
        a, b = self.ranking_of(shown.topic)
        if self.method == "balanced":
            return balanced_credit(shown.documents, a, b, clicks)
        key = shown.topic, tuple(shown.documents)
        if key not in self._chances:
            self._chances[key] = team_chances(shown.documents, a, b)
        return probabilistic_credit(self._chances[key], clicks)


def read_clicks(content: bytes, comparison: Comparison, name: str = "") -> dict[str, OutcomeCounts]:
    """Return topic -> the outcomes of its sessions. Raises BadFile, and BadLine for the first bad line."""
    counts: dict[str, OutcomeCounts] = {}
    with naming_file(name):
        for line, row in _rows(content):
            session = _session(line, row, comparison)
            topic = session.shown.topic
            before = counts.get(topic, OutcomeCounts())
            counts[topic] = before.plus(comparison.credit(session), bool(session.clicks))
        if not counts:
            raise BadFile("expected a line for each session, found none")
    return counts


class Row:
    """The fields of a line. Texts are stripped; a field that is missing is empty."""

    def __init__(self, line: int, values: Mapping[str, Any]) -> None:
        self.line = line
        self.values = {name.strip().lower(): value for name, value in values.items()}

    def refused(self, message: str) -> BadLine:
        return BadLine(self.line, message)

    def text(self, name: str) -> str:
        value = self.values.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if value is not None and not isinstance(value, str):
            raise self.refused(f'expected text for "{name}", found something else')
        return (value or "").strip()

    def words(self, name: str) -> list[str]:
        """Return a list of a JSON object, or the words of a text."""
        value = self.values.get(name)
        if not isinstance(value, list):
            return self.text(name).split()
        if any(isinstance(item, bool) or not isinstance(item, str | int) for item in value):
            raise self.refused(f'expected texts and whole numbers in the list "{name}", found something else')
        return [str(item) for item in value]

    @cached_property
    def ranks(self) -> list[int]:
        if "clicks" not in self.values or self.values["clicks"] is None:
            raise self.refused('expected the clicked ranks, if any, in "clicks"; the field is missing')
        words = self.words("clicks")
        for word in words:
            if not (word.isascii() and word.isdecimal() and len(word) <= MOST_RANK_DIGITS):
                raise self.refused(f"expected ranks as whole numbers in clicks, found {quoted(word)}")
        return [int(word) for word in words]


def _rows(content: bytes) -> Iterator[tuple[int, Row]]:
    text = decode(content)
    lines = enumerate(text.split("\n"), start=1)
    rows = json_rows(lines) if text.lstrip().startswith("{") else _csv_rows(text)
    return ((line, Row(line, values)) for line, values in rows)


def _csv_rows(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] | None = None
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise BadLine(reader.line_num, f"expected a line of CSV, found a fault ({error})") from error
        if cells is None:
            return
        if not any(cell.strip() for cell in cells):
            continue
        if header is None:
            header = _header(reader.line_num, cells)
        elif len(cells) != len(header):
            message = f"expected {len(header)} fields, as in the header, found {len(cells)}"
            raise BadLine(reader.line_num, message)
        else:
            yield reader.line_num, dict(zip(header, cells, strict=True))


def _header(line: int, cells: Sequence[str]) -> list[str]:
    header = [cell.strip().lower() for cell in cells]
    if "clicks" not in header or not {"list_id", "query_id", "documents"} & {*header}:
        raise BadLine(line, "expected a header with list_id and clicks, found another first line")
    twice = next((name for name in FIELDS if header.count(name) > 1), None)
    if twice:
        raise BadLine(line, f"expected each field once in the header, found {twice} twice")
    return header


def _session(line: int, row: Row, comparison: Comparison) -> Session:
    named, query = row.text("list_id"), row.text("query_id")
    stored = comparison.lists.get(named or query)
    if stored:
        _check_same(row, stored, comparison)
    elif named:
        raise row.refused(f"expected the list_id of a list of this comparison, found {quoted(named)}")
    shown = stored or _merged_elsewhere(row, comparison)
    length = len(shown.documents)
    for rank in row.ranks:
        if not 1 <= rank <= length:
            raise row.refused(f"expected clicked ranks from 1 to {length}, found {rank}")
    return Session(shown, frozenset(row.ranks))


def _check_same(row: Row, stored: MergedList, comparison: Comparison) -> None:
    """Raise BadLine if the line states something of its list that is not so."""
    _check_runs(row, comparison)
    if row.text("topic") not in ("", stored.topic):
        raise row.refused(f"expected topic {stored.topic} of this list, found {quoted(row.text('topic'))}")
    for name, words in (("documents", stored.documents), ("teams", stored.teams)):
        stated_words = row.words(name)
        if stated_words and stated_words != words:
            raise row.refused(f"expected the {name} of this list as they were written, found others")


def _check_runs(row: Row, comparison: Comparison) -> None:
    for name, tag in zip(("run_a", "run_b"), comparison.runs, strict=True):
        if row.text(name) not in ("", tag):
            raise row.refused(f"expected the run {tag} as {name}, found {quoted(row.text(name))}")


def _merged_elsewhere(row: Row, comparison: Comparison) -> MergedList:
    """Return the list that a line holds itself. Raises BadLine."""
    missing = [name for name in ("topic", "run_a", "run_b", "documents") if not row.words(name)]
    if missing:
        raise row.refused(f"expected list_id, or a list with its {', '.join(missing)}; found neither")
    _check_runs(row, comparison)
    topic, documents, teams = row.text("topic"), row.words("documents"), row.words("teams")
    a, b = comparison.ranking_of(topic)
    if not a or not b:
        raise row.refused(f"expected a topic that both runs have, found {quoted(topic)}")
    _check_documents(row, documents, {*a}, {*b})
    if comparison.method == "team-draft":
        _check_teams(row, documents, teams, {A: {*a}, B: {*b}})
    return MergedList("", topic, documents, teams)


def _check_documents(row: Row, documents: Sequence[str], a: set[str], b: set[str]) -> None:
    if len(set(documents)) < len(documents):
        raise row.refused("expected each document once in the list, found one twice")
    other = next((docno for docno in documents if docno not in a and docno not in b), None)
    if other is not None:
        raise row.refused(f"expected documents in the top {DEPTH} of either run, found {quoted(other)}")


def _check_teams(
    row: Row, documents: Sequence[str], teams: Sequence[str], runs: Mapping[str, set[str]]
) -> None:
    if len(teams) != len(documents):
        raise row.refused(f"expected a team for each of {len(documents)} documents, found {len(teams)}")
    for docno, team in zip(documents, teams, strict=True):
        if team not in runs:
            raise row.refused(f"expected the teams {A} and {B}, found {quoted(team)}")
        if docno not in runs[team]:
            raise row.refused(f"expected a document of run {team} from team {team}, found {quoted(docno)}")
