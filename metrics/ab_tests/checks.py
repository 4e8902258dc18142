"""What decides whether an A/B test can be believed: read before the table of outcomes."""

from __future__ import annotations

from typing import NamedTuple

from metrics.ab_tests.result import Result
from metrics.ab_tests.split import ALPHA
from pooling.words import counted

GOOD, WARNING, ALERT = "", "warning", "alert"


class Finding(NamedTuple):
    """A sentence of the checks. style: GOOD, WARNING or ALERT."""

    style: str
    lead: str
    text: str

    @property
    def icon(self) -> str:
        return self.style or "check"


def checks_of(result: Result, looks: int, is_end: bool) -> list[Finding]:
    """Return the checks. looks: files that were loaded before the end, with this one unless it is the end."""
    return [_split(result), _looks(looks, is_end), _size(result, is_end), _both(result)]


def _split(result: Result) -> Finding:
    split = result.split
    if split.p is None:
        return Finding(WARNING, "No users.", "The split cannot be checked.")
    shown = "p < 0.0001" if split.p < 0.0001 else f"p = {split.p:.4f}"
    if split.is_mismatch:
        text = f"{split.test.capitalize()}, {shown}: users of a variant were lost, or others came."
        return Finding(ALERT, "Not split as planned.", text)
    if split.shift is None or split.shift > 1:  # a variant cannot lose more users than it has
        text = f"{split.test.capitalize()}, {shown}. With so few users, no loss of users would be noticed."
        return Finding(WARNING, "Too few users to check the split.", text)
    shift = f"{100 * split.shift:.1f} %"
    text = (
        f"{split.test.capitalize()}, {shown}. A variant with {shift} more or fewer users than planned would "
    )
    return Finding(GOOD, "Split as planned.", f"{text}have been found with power 0.8 (p below {ALPHA:g}).")


def _looks(looks: int, is_end: bool) -> Finding:
    if not looks:
        return Finding(GOOD, "Not looked at early.", "One look, at the planned end: the usual tests hold.")
    when = counted(looks, "look") + " before the end"
    text = (
        "p and intervals are those of a sequential test, which hold however often one looks; they are wider. "
        "The usual test, read until it is significant, finds differences where there are none."
    )
    return Finding(WARNING, f"{when}{'' if is_end else ', this one among them'}.", text)


def _size(result: Result, is_end: bool) -> Finding:
    share = f"{result.users:,} of {result.plan.planned:,} planned users"
    if result.users >= result.plan.planned:
        return Finding(GOOD, "As many users as planned.", f"{share}.")
    if is_end:
        return Finding(WARNING, "Fewer users than planned.", f"{share}: less can be found than was planned.")
    return Finding(WARNING, "The test still runs.", f"{share}.")


def _both(result: Result) -> Finding:
    both = result.population.both
    if not both:
        return Finding(GOOD, "Nobody saw two variants.", "Every user counts once.")
    return Finding(
        WARNING, f"{counted(both, 'user')} saw several variants.", "They are left out of all figures."
    )
