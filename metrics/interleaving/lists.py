"""The merged lists of a comparison of two runs, and their files."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256 as hash_of
from typing import NamedTuple

from metrics.interleaving.merging import DEPTH, METHODS, Ranking
from pooling.spreadsheet import Table
from pooling.strategies.draws import draw_source

COLUMNS = ("list_id", "topic", "run_a", "run_b", "method", "documents", "teams")


class ListPlan(NamedTuple):
    """All that decides the lists, with the rankings. lists: the number of lists of a topic."""

    run_a: str
    run_b: str
    method: str
    length: int
    seed: int
    lists: int


class MergedList(NamedTuple):
    """One list. teams: for each document the run that added it, A or B; empty for balanced interleaving."""

    list_id: str
    topic: str
    documents: list[str]
    teams: list[str]


Rankings = Mapping[str, Ranking]
"""topic -> the documents of a run, best first."""


def topics_that_differ(a: Rankings, b: Rankings, length: int) -> list[str]:
    """Return the topics on which users can prefer a run: both have documents, and their tops differ."""
    return [
        topic for topic, ranking in a.items() if topic in b and [*ranking[:length]] != [*b[topic][:length]]
    ]


def merged_lists(plan: ListPlan, a: Rankings, b: Rankings, topics: Iterable[str]) -> Iterator[MergedList]:
    """Yield the lists of each topic. Two lists of a topic may be the same: they are drawn independently.

    Leaving out repeated lists would make rare lists as frequent as others, and the comparison would be
    biased.
    """
    merge = METHODS[plan.method]
    for topic in topics:
        for number in range(1, plan.lists + 1):
            draw = draw_source(plan.seed, f"{topic}\0{number}")
            merged = merge(a[topic][:DEPTH], b[topic][:DEPTH], plan.length, draw)
            yield MergedList(list_id(plan, topic, number), topic, *merged)


def list_id(plan: ListPlan, topic: str, number: int) -> str:
    """Return the identifier of a list, from which neither the runs nor the topic can be read."""
    words = (plan.run_a, plan.run_b, plan.method, plan.length, plan.seed, topic, number)
    return hash_of("\0".join(map(str, words)).encode()).hexdigest()[:16]


def as_json_lines(plan: ListPlan, lists: Iterable[MergedList]) -> bytes:
    """Return the lists as JSON Lines: one object a line, with the fields of COLUMNS."""
    rows = (
        dict(
            zip(
                COLUMNS,
                (
                    merged_list.list_id,
                    merged_list.topic,
                    plan.run_a,
                    plan.run_b,
                    plan.method,
                    *merged_list[2:],
                ),
                strict=True,
            )
        )
        for merged_list in lists
    )
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def as_csv(plan: ListPlan, lists: Iterable[MergedList]) -> str:
    """Return the lists as CSV, documents and teams separated by spaces."""
    stream = io.StringIO()
    table = Table(stream)
    table.writerow(COLUMNS)
    for merged_list in lists:
        words = " ".join(merged_list.documents), " ".join(merged_list.teams)
        table.writerow([merged_list.list_id, merged_list.topic, plan.run_a, plan.run_b, plan.method, *words])
    return stream.getvalue()


def stored_lists(content: bytes) -> Iterator[MergedList]:
    """Yield the lists of a file that `as_json_lines` wrote."""
    for line in filter(None, content.split(b"\n")):
        row = json.loads(line)
        yield MergedList(row["list_id"], row["topic"], row["documents"], row["teams"])
