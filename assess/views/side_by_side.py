"""The screen on which a judge compares two texts: shared by the packages that have one."""

from __future__ import annotations

from typing import NamedTuple


class VoteButton(NamedTuple):
    """A button of the vote, and its keys."""

    value: str
    label: str
    key: str
    arrow: str = ""


class SideBySide(NamedTuple):
    """What a screen is about. place: of the navigation. noun: of what is voted on. key: of the set.

    page: the list to which the judge returns. outbox: where votes are sent. previous: the page of the last
    vote, or "". note: a sentence beside the buttons.
    """

    title: str
    place: str
    noun: str
    key: int
    page: str
    outbox: str
    previous: str
    note: str
