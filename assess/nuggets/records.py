"""The columns of a stored nugget: plain values, from which the same nugget is made again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from assess.nuggets.banks import Creator, Importance, Nugget, NuggetAnswer, Reference

Record = dict[str, Any]


class Columns(Protocol):
    """What `nugget_of` reads."""

    text: str
    importance: Any
    aggregator: str
    answers: Any
    references: Any
    creators: Any
    extra: Any


COLUMNS = ("text", "importance", "aggregator", "answers", "references", "creators", "extra")


def columns_of(nugget: Nugget) -> Record:
    """Return column -> value, from which `nugget_of` makes the same nugget.

    >>> columns_of(Nugget("It rains.", "vital"))["importance"]
    'vital'
    """
    return {
        "text": nugget.text,
        "importance": nugget.importance,
        "aggregator": nugget.aggregator,
        "answers": [
            {"text": answer.text, "references": _references(answer.references), "extra": dict(answer.extra)}
            for answer in nugget.answers
        ],
        "references": _references(nugget.references),
        "creators": [
            {"is_human": creator.is_human, "name": creator.name, "extra": dict(creator.extra)}
            for creator in nugget.creators
        ],
        "extra": dict(nugget.extra),
    }


def nugget_of(stored: Columns, importance: Importance = None) -> Nugget:
    """Return a nugget from its columns. importance: if the column has none.

    The keys of `extra` are sorted, because databases do not keep their order.
    """
    nugget = nugget_in({column: getattr(stored, column) for column in COLUMNS})
    return nugget._replace(importance=importance) if nugget.importance is None else nugget


def nugget_in(record: Record) -> Nugget:
    """Return the nugget of which `columns_of` made a record."""
    return Nugget(
        record["text"],
        record["importance"],
        tuple(
            NuggetAnswer(answer["text"], references_of(answer["references"]), _sorted(answer["extra"]))
            for answer in record["answers"]
        ),
        record["aggregator"],
        references_of(record["references"]),
        tuple(creators_of(record["creators"])),
        _sorted(record["extra"]),
    )


def references_of(records: Iterable[Record]) -> tuple[Reference, ...]:
    return tuple(Reference(**{**record, "extra": _sorted(record["extra"])}) for record in records)


def creators_of(records: Iterable[Record]) -> list[Creator]:
    return [Creator(**{**record, "extra": _sorted(record["extra"])}) for record in records]


def _references(references: Iterable[Reference]) -> list[Record]:
    return [{**reference._asdict(), "extra": dict(reference.extra)} for reference in references]


def _sorted(extra: Mapping[str, Any]) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(extra, sort_keys=True))
    return copy
