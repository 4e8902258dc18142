"""The states of a campaign: which step leads where, and what each state refuses."""

from __future__ import annotations

from typing import NamedTuple

from pooling.refusals import Refused

DRAFT, OPEN, CLOSED, ARCHIVED = "draft", "open", "closed", "archived"


class StateRefused(Refused):
    """The state of the campaign does not allow the action; the message says why and what to do."""


class StateTransition(NamedTuple):
    """A step to another state. meaning: (who, what they may do afterwards), for each kind of member."""

    state: str
    button: str
    sentence: str
    meaning: tuple[tuple[str, str], ...]


OPENED = (
    ("Organisers", "add and change everything."),
    ("Participants", "submit runs, as far as the dates of submission allow it."),
    ("Judges", "label the documents that are assigned to them."),
)
OPENING = StateTransition(
    OPEN, "Open the campaign", "Participants can submit runs and judges can label documents.", OPENED
)
REOPENING = StateTransition(
    OPEN, "Reopen the campaign", "Participants can submit runs and judges can label documents again.", OPENED
)
CLOSING = StateTransition(
    CLOSED,
    "Close the campaign",
    "No runs and no labels are added any more. You can reopen the campaign.",
    (
        ("Organisers", "freeze pools, release qrels and change settings; they add no runs and no labels."),
        ("Adjudicators", "settle documents on which judges disagree."),
        ("Participants", "read what they could read before; they submit no runs."),
        ("Judges", "read topics and guidelines; their labels are refused."),
    ),
)
ARCHIVING = StateTransition(
    ARCHIVED,
    "Archive the campaign",
    "The campaign becomes read-only for everybody, organisers included. You can restore it.",
    (
        ("All members", "read what they could read before, and change nothing."),
        ("List of campaigns", "shows the campaign in the section “Archived” only."),
        ("Organisers", "can restore the campaign; it is closed then."),
    ),
)
RESTORING = StateTransition(
    CLOSED,
    "Restore the campaign",
    "The campaign can be changed again. It is closed: no runs and no labels are added until you reopen it.",
    CLOSING.meaning,
)
STEPS = {
    DRAFT: (OPENING, ARCHIVING),
    OPEN: (CLOSING, ARCHIVING),
    CLOSED: (REOPENING, ARCHIVING),
    ARCHIVED: (RESTORING,),
}
MEANINGS = {
    DRAFT: "Only organisers add anything. Members can read topics and guidelines.",
    OPEN: "Participants submit runs and judges label documents.",
    CLOSED: "No runs and no labels are added. Cases can be settled and qrels released.",
    ARCHIVED: "The campaign is read-only for everybody until an organiser restores it.",
}


def step_to(state: str, new: str) -> StateTransition:
    """Return the step from a state to another. Raises StateRefused if there is none.

    >>> step_to("draft", "open").button
    'Open the campaign'
    """
    if state == new:
        raise StateRefused(f"The campaign is {new} already.")
    for step in STEPS[state]:
        if step.state == new:
            return step
    possible = " or ".join(step.state for step in STEPS[state])
    raise StateRefused(f"The campaign is {state}, and only {possible} can follow; found {new}.")


def check_writable(state: str) -> None:
    """Raise StateRefused for an archived campaign, in which nobody changes anything."""
    if state == ARCHIVED:
        raise StateRefused(
            "The campaign is archived and read-only, so nothing was changed. "
            "An organiser can restore it on the page “Dates and state”."
        )


def why_no_labels(state: str, what: str = "label") -> str:
    """Return why a judge's input is refused in a state; "" if it is accepted. what: label, vote or change.

    >>> why_no_labels("open")
    ''
    """
    if state == OPEN:
        return ""
    if state == DRAFT:
        return f"The campaign has not been opened yet, so the {what} was not stored."
    return f"The campaign is {state}, so the {what} was not stored. Its organiser can reopen it."


def check_additions(state: str) -> None:
    """Raise StateRefused where an organiser may add neither runs nor labels."""
    check_writable(state)
    if state == CLOSED:
        raise StateRefused(
            "The campaign is closed: no runs and no labels are added. "
            "An organiser can reopen it on the page “Dates and state”."
        )
