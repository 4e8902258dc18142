"""Full-text search in a collection: a file of the collection, written and read by SQLite's own FTS5.

It is a file, and no table of the database, because it changes as rarely as the other files of a collection
and goes with them, and because writing it holds no lock for which a label would wait.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple
from urllib.parse import quote

MOST_FOUND = 50  # documents of a page of results
SNIPPET_WORDS = 32
START, END = "\x02", "\x03"  # around a word of the search, in a snippet
BUFFERED = 500  # documents


class FoundDocument(NamedTuple):
    """A document that was found. row: in the collection. snippet: parts, and whether each is asked for."""

    row: int
    docno: str
    title: str
    snippet: Sequence[tuple[str, bool]]


class SearchResults(NamedTuple):
    """Documents, best first by BM25. has_all: whether each has all words; otherwise each has some."""

    documents: Sequence[FoundDocument]
    has_all: bool


class IndexWriter:
    """Writes the index of a collection to a new file, document by document, rows from 0."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = OFF")  # a file that is not finished is thrown away
        self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.execute(
            "CREATE VIRTUAL TABLE documents USING fts5"
            " (docno UNINDEXED, title, text, tokenize = 'porter unicode61')"
        )
        self._connection.execute("BEGIN")
        self._rows: list[tuple[int, str, str, str]] = []
        self._count = 0

    def add(self, docno: str, title: str, text: str) -> None:
        self._rows.append((self._count, docno, title, text))
        self._count += 1
        if len(self._rows) == BUFFERED:
            self._flush()

    def _flush(self) -> None:
        insert = "INSERT INTO documents (rowid, docno, title, text) VALUES (?, ?, ?, ?)"
        self._connection.executemany(insert, self._rows)
        self._rows.clear()

    def __enter__(self) -> IndexWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._flush()
            self._connection.execute("COMMIT")
        self._connection.close()


def search_words(text: str) -> list[str]:
    """Return the words and the quoted phrases of a search.

    >>> search_words('heat "cast iron" - pump')
    ['heat', 'cast iron', 'pump']
    """
    words = (quoted or word for quoted, word in re.findall(r'"([^"]*)"|([^\s"]+)', text.replace("\0", " ")))
    return [word for word in words if re.search(r"\w", word)]


def search_index(path: Path, text: str, most: int = MOST_FOUND) -> SearchResults:
    """Return the documents that have all words of a search; if none has, those that have some of them.

    Words are stemmed (Porter), without case and accents; a phrase in quotes is found as it stands.
    """
    words = [f'"{word}"' for word in search_words(text)]
    if not words:
        return SearchResults([], True)
    connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True)
    try:
        rows = _matching(connection, " AND ".join(words), most)
        if rows or len(words) == 1:
            return SearchResults(rows, True)
        return SearchResults(_matching(connection, " OR ".join(words), most), False)
    finally:
        connection.close()


def _matching(connection: sqlite3.Connection, query: str, most: int) -> list[FoundDocument]:
    rows = connection.execute(
        "SELECT rowid, docno, title, snippet(documents, 2, ?, ?, '…', ?) FROM documents"
        " WHERE documents MATCH ? ORDER BY rank, rowid LIMIT ?",
        (START, END, SNIPPET_WORDS, query, most),
    )
    return [FoundDocument(row, docno, title, marked(snippet)) for row, docno, title, snippet in rows]


def marked(snippet: str) -> list[tuple[str, bool]]:
    """Return the parts of a snippet, and whether each is a word of the search.

    >>> marked("a \x02mast\x03 and")
    [('a ', False), ('mast', True), (' and', False)]
    """
    first, *others = snippet.split(START)
    parts = [(first, False)]
    for other in others:
        word, _, after = other.partition(END)
        parts += [(word, True), (after, False)]
    return [(part, is_marked) for part, is_marked in parts if part]
