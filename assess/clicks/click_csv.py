"""Click logs as CSV: one line a shown result, or one line a shown list; separated by comma or TAB.

The first line names the columns, in any order: `topic,session,rank,docno,click` for results, or
`topic,session,shown,clicks` for lists (docnos, and the ranks that were clicked, separated by blanks).
`topic` is the number of a topic, its title, or a query. An optional column `user` says who saw the list;
without it every session counts as a person. No message quotes a value.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import IO

from assess.clicks.click_table import MAX_RANK, ClickTable, Names
from pooling.formats.files import BadFile, BadLine, decode

RESULTS, LISTS = {"topic", "session", "rank", "docno", "click"}, {"topic", "session", "shown", "clicks"}
EXPECTED = "expected the columns topic, session, rank, docno, click; or topic, session, shown, clicks"
Row = Mapping[str, str]
_Lists = dict[tuple[str, int], dict[int, tuple[int, bool]]]


def read_click_csv(files: Iterable[tuple[str, IO[bytes]]]) -> ClickTable:
    """Return the lists of CSV files. Lines of a session's list need not stand together.

    Raises BadLine for a wrong number of columns, a rank that is not a whole number from 1, a click other
    than 0 and 1, and a rank twice in a list; BadFile where there is no list. A document twice in a list is
    two results (counts: `repeated_documents`).
    """
    table, sessions, people = ClickTable(), Names(), Names()
    lists: _Lists = {}
    person_of: dict[tuple[str, int], int] = {}
    name = ""
    for name, file in files:
        for number, row in _rows(file, name):
            session = sessions.number(row["session"])
            key = row["topic"], session
            person_of.setdefault(key, people.number(row.get("user") or f"\0{session}"))
            try:
                add = _add_result if "rank" in row else _add_results
                add(table, lists.setdefault(key, {}), row)
            except BadFile as error:
                raise BadLine(number, error.message, name) from None
    if not lists:
        raise BadFile("expected at least one shown list, found none", name=name)
    for key, ranks in lists.items():
        results = [(document, rank, clicked) for rank, (document, clicked) in ranks.items()]
        if len({document for document, _, _ in results}) < len(results):
            table.counts["repeated_documents"] += 1
        table.add_list(key[0], person_of[key], results)
    return table


def _rows(file: IO[bytes], name: str) -> Iterator[tuple[int, Row]]:
    """Yield (number of the line, column -> value) of every line but the first."""
    columns: list[str] = []
    separator = ","
    for number, line in enumerate(file, start=1):
        try:
            text = decode(line)
        except BadLine as error:
            raise BadLine(number, "expected UTF-8 text", name) from error
        if any(code < " " and code not in "\t\r\n" for code in text):
            raise BadLine(number, "expected text without control characters", name)
        if not columns:
            separator = "\t" if "\t" in text else ","
        try:
            fields = next(csv.reader(io.StringIO(text), delimiter=separator, strict=True), [])
        except csv.Error:
            raise BadLine(number, "expected CSV with each line complete, quotes closed", name) from None
        if not fields:
            continue
        if not columns:
            columns = [field.strip().lower() for field in fields]
            if set(columns) - {"user"} not in (RESULTS, LISTS) or len(set(columns)) < len(columns):
                raise BadLine(number, EXPECTED, name)
        elif len(fields) != len(columns):
            raise BadLine(number, f"expected {len(columns)} fields, found {len(fields)}", name)
        else:
            yield number, dict(zip(columns, (field.strip() for field in fields), strict=True))


def _add_result(table: ClickTable, ranks: dict[int, tuple[int, bool]], row: Row) -> None:
    if row["click"] not in ("0", "1"):
        raise BadFile("expected 0 or 1 in the column click")
    _add(table, ranks, _rank(row["rank"], "rank"), row["docno"], row["click"] == "1")


def _add_results(table: ClickTable, ranks: dict[int, tuple[int, bool]], row: Row) -> None:
    if ranks:
        raise BadFile("expected one line for a session and topic, found a second one")
    shown, clicked = row["shown"].split(), {_rank(word, "clicks") for word in row["clicks"].split()}
    if clicked and max(clicked) > len(shown):
        raise BadFile("expected clicks at ranks of shown documents")
    if not shown or len(shown) > MAX_RANK:
        raise BadFile(f"expected 1 to {MAX_RANK:,} documents in the column shown")
    for rank, docno in enumerate(shown, start=1):
        _add(table, ranks, rank, docno, rank in clicked)


def _rank(text: str, column: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 9 and 1 <= int(text) <= MAX_RANK):
        raise BadFile(f"expected whole numbers from 1 to {MAX_RANK:,} in the column {column}")
    return int(text)


def _add(table: ClickTable, ranks: dict[int, tuple[int, bool]], rank: int, docno: str, clicked: bool) -> None:
    if not docno:
        raise BadFile("expected a docno")
    if rank in ranks:
        raise BadFile("expected each rank once in the list of a session and topic")
    ranks[rank] = table.documents.number(docno), clicked
