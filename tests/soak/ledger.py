"""What judges pressed against what the database holds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from tests.support.judges import Label
from tests.support.names import SHARED, SLUG
from tests.support.server import Server

Row = tuple[str, ...]  # uuid, judge, topic, docno, relevance


def stored(server: Server) -> dict[str, list[Row]]:
    """Return the events in their order, the current labels, and the finished queue entries."""
    found: dict[str, list[Row]] = {"event": [], "label": [], "done": []}
    for line in server.shell("from tests.soak.scene import dump; dump()").splitlines():
        kind, *fields = json.loads(line)
        found[kind].append(tuple(fields))
    return found


def audit_faults(server: Server, slug: str = SLUG) -> list[str]:
    """Return what `manage.py audit` finds: it derives everything anew that the application stores."""
    found = server.attempt("audit", slug)
    return (found.stdout.splitlines() or ["the audit itself failed"]) if found.returncode else []


def faults(labels: Iterable[Label], found: dict[str, list[Row]]) -> list[str]:
    """Return what is lost, doubled, misplaced or not by anybody. Every label is of another document."""
    given = {label.uuid: label for label in labels}
    events = {row[0]: row for row in found["event"]}
    wrong = [f"lost: {label}" for key, label in given.items() if label.acknowledged and key not in events]
    for key, row in events.items():
        label = given.get(key)
        if not label:
            wrong.append(f"nobody's: {row}")
        elif row[1:] != (label.judge, label.topic, label.docno, str(label.relevance)):
            wrong.append(f"misplaced: {row}, pressed as {label}")
    times = Counter(row[1:4] for row in found["event"])
    wrong += [f"{count} events: {place}" for place, count in times.items() if count > 1]
    takers = Counter(row[2:4] for row in found["event"] if row[2] == SHARED)
    wrong += [f"{count} judges: {place}" for place, count in takers.items() if count > 1]
    return wrong + derived_faults(found)


def derived_faults(found: dict[str, list[Row]]) -> list[str]:
    """Return where the current labels, or the queue, are not what the events say."""
    last = {row[1:4]: row for row in found["event"]}
    held = {row[1:4]: row for row in found["label"]}
    wrong = [
        f"label is not the last event: {held.get(at)}, {row}"
        for at, row in last.items()
        if held.get(at) != row
    ]
    wrong += [f"label without an event: {held[at]}" for at in held.keys() - last.keys()]
    done = set(found["done"])
    wrong += [f"labelled but not done: {at}" for at in last.keys() - done]
    return wrong + [f"done but not labelled: {at}" for at in done - last.keys()]
