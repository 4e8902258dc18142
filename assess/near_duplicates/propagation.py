"""Labels that near duplicates get from the representative of their class, and how often that is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from assess.judge_checks import wilson
from assess.release.propagated import PropagatedLine

Decided = Mapping[tuple[str, str], int | None]
"""(topic, docno) -> the grade of a labelled document, None for a document whose labels give no grade."""


class Member(NamedTuple):
    """A document whose class has another representative. is_sampled: it is judged on purpose."""

    topic: str
    docno: str
    representative: str
    is_sampled: bool = False


class ErrorRate(NamedTuple):
    """How many of n are wrong; interval: Wilson's, for 95 %; rate and interval are None where n is 0."""

    wrong: int
    n: int

    @property
    def rate(self) -> float | None:
        return self.wrong / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        return wilson(self.wrong, self.n)

    def __str__(self) -> str:
        """The rate as text.

        >>> str(ErrorRate(1, 20)), str(ErrorRate(0, 0))
        ('1 of 20 (5 %; 95 % interval 1 % to 24 %)', 'none measured')
        """
        if self.interval is None or self.rate is None:
            return "none measured"
        rate, low, high = (f"{100 * value:.0f} %" for value in (self.rate, *self.interval))
        return f"{self.wrong:,} of {self.n:,} ({rate}; 95 % interval {low} to {high})"


class PropagationErrors(NamedTuple):
    """Of the members that were judged on purpose: how many have another grade than their representative.

    grade: another grade. relevance: another side of the threshold.
    """

    grade: ErrorRate
    relevance: ErrorRate


def propagated_lines(decided: Decided, members: Iterable[Member]) -> list[PropagatedLine]:
    """Return the members that get the grade of their representative, in the order of topic and docno given.

    A member with a label of its own keeps it, also one whose labels give no grade. A member that is judged on
    purpose gets none, and none is given where the representative has no grade.

    >>> members = [Member("1", "B", "A"), Member("1", "C", "A"), Member("1", "D", "Z")]
    >>> propagated_lines({("1", "A"): 2, ("1", "C"): 0}, members)
    [PropagatedLine(topic='1', docno='B', relevance=2, representative='A')]
    """
    lines = []
    for member in members:
        grade = decided.get((member.topic, member.representative))
        if grade is None or member.is_sampled or (member.topic, member.docno) in decided:
            continue
        lines.append(PropagatedLine(member.topic, member.docno, grade, member.representative))
    return lines


def propagation_errors(decided: Decided, members: Iterable[Member], threshold: int) -> PropagationErrors:
    """Return how often the sampled members have another grade than their representative.

    Only members count that have a grade and whose representative has one. threshold: the lowest relevant
    grade. Members of one class are counted as independent.

    >>> decided = {("1", "A"): 2, ("1", "B"): 1, ("1", "C"): 3}
    >>> sampled = [Member("1", "B", "A", True), Member("1", "C", "A", True)]
    >>> [rate.wrong for rate in propagation_errors(decided, sampled, threshold=2)]
    [2, 1]
    """
    pairs = [
        (own, propagated)
        for member in members
        if member.is_sampled
        if (own := decided.get((member.topic, member.docno))) is not None
        if (propagated := decided.get((member.topic, member.representative))) is not None
    ]
    other_grade = sum(own != propagated for own, propagated in pairs)
    other_side = sum((own >= threshold) != (propagated >= threshold) for own, propagated in pairs)
    return PropagationErrors(ErrorRate(other_grade, len(pairs)), ErrorRate(other_side, len(pairs)))
