"""Click logs in the form of User Behavior Insights (UBI 1.3.0): JSON lines of queries and of events.

A line is a record, or `{"_index": ..., "_source": record}` as exports of a search engine have it. A record
with `action_name` is an event, another one is a query. Queries and events are joined by `query_id`, in any
order and in any number of files. Ids of people and sessions are numbered and then forgotten; no message
quotes a value.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import IO, Any

from assess.clicks.click_table import MAX_RANK, ClickTable, Names
from pooling.formats.files import BadFile, BadLine

Files = Iterable[tuple[str, IO[bytes]]]

SEEN_WITHOUT_CLICK = 10  # hits that count as seen where no impressions were logged
PEOPLE = ("client_id", "user_id", "session_id")  # the first of them that a record has counts as the person
NONE = -1


class _Query:
    """What is known of one query_id. events: (document, ordinal, is a click) of each, flat."""

    def __init__(self) -> None:
        self.text: str | None = None
        self.person = NONE
        self.hits, self.events = array("q"), array("q")


class _Reading:
    def __init__(self) -> None:
        self.table, self.people = ClickTable(), Names()
        self.queries: dict[str, _Query] = {}
        self.lowest_ordinal = 1
        self.first, self.last = datetime.max.replace(tzinfo=UTC), datetime.min.replace(tzinfo=UTC)


def read_ubi(files: Files) -> ClickTable:
    """Return the lists of UBI records. Raises BadLine, and BadFile where there is no query.

    Where a query has impressions, these were shown; else its first ten hits, or all hits down to its last
    click. A result stands at `position.ordinal`, from 1, or else at its place among the hits. If an ordinal
    is 0 anywhere, all are counted from 0 (counts: `ordinals_from_0`).
    """
    reading, name = _Reading(), ""
    for name, file in files:
        for number, line in enumerate(file, start=1):
            if line.strip():
                _read_line(reading, line.removeprefix(b"\xef\xbb\xbf"), number, name)
    table = reading.table
    if not any(query.text is not None for query in reading.queries.values()):
        raise BadFile("expected UBI queries (records with query_id and user_query), found none", name=name)
    table.counts["ordinals_from_0"] = int(reading.lowest_ordinal < 1)
    for query in reading.queries.values():
        _add_query(reading, query)
    if not table.query:
        raise BadFile("expected a query with hits, impressions or clicks, found none", name=name)
    if reading.last >= reading.first:
        table.days = reading.first.date().isoformat(), reading.last.date().isoformat()
    return table


def _read_line(reading: _Reading, line: bytes, number: int, name: str) -> None:
    try:
        record = json.loads(line)
        source = record.get("_source", record)
        is_event = "action_name" in source
        read = _read_event if is_event else _read_query
        read(reading, source)
    except BadFile as error:
        raise BadLine(number, error.message, name) from None
    except (ValueError, AttributeError, TypeError, RecursionError):
        # no cause: its text may quote the line
        raise BadLine(number, "expected a UBI query or event as a JSON object on one line", name) from None


def _read_query(reading: _Reading, record: Mapping[str, Any]) -> None:
    query_id, text = _text(record, "query_id"), _text(record, "user_query")
    hits = record.get("query_response_hit_ids") or []
    if not isinstance(hits, list) or not all(isinstance(hit, str | int) for hit in hits):
        raise BadFile("expected query_response_hit_ids to be a list of document ids")
    if len(hits) > MAX_RANK:
        raise BadFile(f"expected at most {MAX_RANK:,} query_response_hit_ids")
    _note_time(reading, record)
    query = reading.queries.setdefault(query_id, _Query())
    if query.text is not None:
        reading.table.counts["repeated_queries"] += 1
    query.text = text
    query.hits = array("q", (reading.table.documents.number(str(hit)) for hit in hits)) or query.hits
    _note_person(reading, query, record)


def _read_event(reading: _Reading, record: Mapping[str, Any]) -> None:
    counts, action = reading.table.counts, _text(record, "action_name")
    if "timestamp" not in record:
        raise BadFile("expected an event with a timestamp")
    _note_time(reading, record)
    if action not in ("click", "impression"):
        counts["other_events"] += 1
        return
    if record.get("query_id") in (None, ""):
        counts["events_without_query"] += 1
        return
    query = reading.queries.setdefault(_text(record, "query_id"), _Query())
    attributes = record.get("event_attributes") or {}
    document = (attributes.get("object") or {}).get("object_id")
    if document is not None and not isinstance(document, str | int):
        raise BadFile("expected object_id to be a text or a number")
    ordinal = _ordinal((attributes.get("position") or {}).get("ordinal"))
    if ordinal != NONE:
        reading.lowest_ordinal = min(reading.lowest_ordinal, ordinal)
    known = NONE if document is None else reading.table.documents.number(str(document))
    query.events.extend((known, ordinal, action == "click"))
    _note_person(reading, query, record)


def _text(record: Mapping[str, Any], field: str) -> str:
    value = record.get(field)
    if not isinstance(value, str) or (not value and field == "query_id"):
        raise BadFile(f"expected {field} to be a text")
    return value


def _ordinal(value: Any) -> int:
    if value is None:
        return NONE
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_RANK:
        raise BadFile(f"expected position.ordinal to be a whole number up to {MAX_RANK:,}")
    return value


def _note_person(reading: _Reading, query: _Query, record: Mapping[str, Any]) -> None:
    if query.person == NONE:
        identity = next((f"{kind} {record[kind]}" for kind in PEOPLE if record.get(kind)), None)
        query.person = NONE if identity is None else reading.people.number(identity)


def _note_time(reading: _Reading, record: Mapping[str, Any]) -> None:
    value = record.get("timestamp")
    if value is None:
        return
    try:
        if isinstance(value, str) and not value.isdecimal():
            time = datetime.fromisoformat(value)
            time = time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
        else:
            time = datetime.fromtimestamp(float(value) / 1000, UTC)
    except (ValueError, TypeError, OverflowError, OSError):
        raise BadFile("expected timestamp as ISO 8601 or as milliseconds since 1970") from None
    reading.first, reading.last = min(reading.first, time), max(reading.last, time)


def _add_query(reading: _Reading, query: _Query) -> None:
    """Add the list of a query to the table, or count why there is none."""
    table, events = reading.table, len(query.events) // 3
    if query.text is None:
        table.counts["events_of_unknown_queries"] += events
        return
    results = _results(reading, query)
    if not results:
        table.counts["queries_without_results"] += 1
        return
    if query.person == NONE:
        table.counts["lists_without_person"] += 1
        query.person = reading.people.number(f"list {len(table.query)}")
    table.add_list(query.text, query.person, ((doc, rank, hit) for doc, (rank, hit) in results.items()))


def _results(reading: _Reading, query: _Query) -> dict[int, tuple[int, bool]]:
    """Return document -> (rank, whether it was clicked) of what was shown for a query."""
    counts = reading.table.counts
    place: dict[int, int] = {}
    for rank, document in enumerate(query.hits, start=1):
        place.setdefault(document, rank)
    clicks: dict[int, int] = {}
    impressions: dict[int, int] = {}
    for at in range(0, len(query.events), 3):
        document, ordinal, is_click = query.events[at : at + 3]
        rank = ordinal + (1 - reading.lowest_ordinal) if ordinal != NONE else place.get(document, NONE)
        if document == NONE and 1 <= rank <= len(query.hits):
            document = query.hits[rank - 1]
        if document == NONE:
            counts["events_without_place"] += 1
        elif is_click:
            clicks[document] = rank
        elif rank == NONE:
            counts["events_without_place"] += 1
        else:
            impressions.setdefault(document, rank)
    if not impressions:
        counts["lists_without_impressions"] += bool(place or clicks)
        deepest = max([SEEN_WITHOUT_CLICK, *clicks.values()])
        impressions = {document: rank for document, rank in place.items() if rank <= deepest}
    for document, rank in clicks.items():
        if document not in impressions and rank == NONE:
            counts["events_without_place"] += 1
        elif document not in impressions:
            impressions[document] = rank
    return {document: (rank, document in clicks) for document, rank in impressions.items()}
