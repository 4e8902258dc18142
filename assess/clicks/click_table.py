"""A click log as columns. It holds no identity: people and lists are numbers that mean nothing elsewhere."""

from __future__ import annotations

import unicodedata
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from assess.clicks.shown_results import ShownResults
from pooling.arrays import Flags, IntVector

MAX_RANK = 10_000  # of a shown result


class Names:
    """Numbers for texts, from 0, in the order in which they occur."""

    def __init__(self) -> None:
        self.number_of: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self.number_of.setdefault(text, len(self.number_of))


class ClickTable:
    """Shown lists with their clicks. Readers add a list at a time.

    queries: normalised texts. query, person: the numbers of every list. The rows of `results` are (list,
    document, rank, clicked). counts: what a reader left out or had to guess. days: first and last day, ISO.
    """

    def __init__(self) -> None:
        self.queries, self.documents = Names(), Names()
        self.query, self.person, self.results = array("q"), array("q"), array("q")
        self.counts: Counter[str] = Counter()
        self.days: tuple[str, str] | None = None

    def add_list(self, query: str, person: int, results: Iterable[tuple[int, int, bool]]) -> None:
        """Add a list that was shown for a query. results: document, rank, whether it was clicked."""
        number = len(self.query)
        self.query.append(self.queries.number(normalised_query(query)))
        self.person.append(person)
        for document, rank, clicked in sorted(results, key=lambda result: result[1]):
            self.results.extend((number, document, rank, clicked))


def normalised_query(text: str) -> str:
    """Return a query in the form in which queries and titles are compared: NFC, case-folded, single blanks.

    >>> normalised_query("  Black  BEAR\\tattacks ")
    'black bear attacks'
    """
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold()


class Selection(NamedTuple):
    """The lists that count, as results of pairs.

    pairs: (topic, docno), by number. counts: lists, queries, impressions and clicks that were used or not.
    """

    shown: ShownResults
    pairs: list[tuple[str, str]]
    counts: dict[str, int]


def select_lists(table: ClickTable, topic_of: Mapping[str, str], least_people: int) -> Selection:
    """Return the results of lists whose query is that of a topic and was asked by enough people.

    topic_of: normalised query -> number of the topic. A query asked by fewer than `least_people` different
    people (sessions, where the log names no people) is left out, with all its lists.
    """
    query = np.frombuffer(table.query, dtype=np.int64)
    people = _people_of_queries(table)
    topics = Names()
    topic_of_query = np.array(
        [topics.number(topic_of[text]) if text in topic_of else -1 for text in table.queries.number_of],
        dtype=np.int64,
    )
    matched = topic_of_query >= 0
    rare = matched & (people < least_people)
    used = matched & ~rare
    lists_of = np.bincount(query, minlength=len(people))
    shown, pairs = _results(table, used[query], topic_of_query, list(topics.number_of))
    counts = {
        "lists": len(query),
        "queries": len(people),
        "matched_queries": int(used.sum()),
        "unmatched_queries": int((~matched).sum()),
        "unmatched_lists": int(lists_of[~matched].sum()),
        "rare_queries": int(rare.sum()),
        "rare_lists": int(lists_of[rare].sum()),
        "used_lists": shown.lists,
        "used_topics": len({topic for topic, _ in pairs}),
        "impressions": len(shown.pair),
        "clicks": int(shown.clicked.sum()),
    }
    return Selection(shown, pairs, counts)


def _people_of_queries(table: ClickTable) -> IntVector:
    """Return how many different people asked each query."""
    query, person = (np.frombuffer(column, dtype=np.int64) for column in (table.query, table.person))
    people = int(person.max(initial=0)) + 1
    return np.bincount(np.unique(query * people + person) // people, minlength=len(table.queries.number_of))


def _results(
    table: ClickTable, used: Flags, topic: IntVector, topics: list[str]
) -> tuple[ShownResults, list[tuple[str, str]]]:
    rows = np.frombuffer(table.results, dtype=np.int64).reshape(-1, 4)
    rows = rows[used[rows[:, 0]]]
    number = np.cumsum(used) - 1
    documents = list(table.documents.number_of)
    query = np.frombuffer(table.query, dtype=np.int64)
    codes = topic[query[rows[:, 0]]] * len(documents) + rows[:, 1]
    unique, pair = np.unique(codes, return_inverse=True)
    pairs = [(topics[code // len(documents)], documents[code % len(documents)]) for code in unique.tolist()]
    shown = ShownResults(
        number[rows[:, 0]], pair, rows[:, 2], rows[:, 3].astype(bool), int(used.sum()), len(pairs)
    )
    return shown, pairs
