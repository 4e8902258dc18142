"""Derive which label is current from the events of judges."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

Key = tuple[str, str, str]
"""judge, docno and kind, within a topic."""


class LabelEvent(NamedTuple):
    """One event of a topic.

    relevance: None for *cannot judge*, which has a reason. returned: whether the organiser returned it to the
    judge.
    """

    judge: str
    docno: str
    kind: str
    uuid: str
    relevance: int | None
    reason: str
    source: str
    returned: bool

    @property
    def key(self) -> Key:
        return self.judge, self.docno, self.kind

    def __str__(self) -> str:
        return f"{label_text(self.relevance, self.reason)} of event {self.uuid}"


def label_text(relevance: int | None, reason: str = "") -> str:
    """Return a label in words.

    >>> label_text(2), label_text(None, "broken")
    ('grade 2', 'cannot judge (broken)')
    """
    return f"cannot judge ({reason})" if relevance is None else f"grade {relevance}"


def current_events(events: Iterable[LabelEvent]) -> dict[Key, LabelEvent]:
    """Return the current event of each judge and document: the last one. events: of one topic, in order.

    There is none where the last event was returned: the judge was asked again and has not answered yet.

    >>> first = LabelEvent("ada", "D1", "judging", "u1", 2, "", "key", False)
    >>> last = first._replace(uuid="u2", relevance=None, reason="broken")
    >>> list(current_events([first, last]).values()) == [last]
    True
    >>> current_events([first, last._replace(returned=True)])
    {}
    """
    last = {event.key: event for event in events}
    return {key: event for key, event in last.items() if not event.returned}
