"""Adjudication: which disputed documents are listed, letters for judges, and the effect of settled grades."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from assess.consensus import majority, most_frequent

DISPUTE_KINDS = {
    "differ": "any difference",
    "cross": "crosses the threshold",
    "cannot": "a label “cannot judge”",
}
DISPUTE_ORDERS = {"distance": "largest difference first", "crossing": "across the threshold first"}


class DisputeFilter(NamedTuple):
    """A filter of disputed documents. show: a key of DISPUTE_KINDS. order: a key of DISPUTE_ORDERS.

    grades: only documents that were given all of these. There is no filter by judge: with it an adjudicator
    could find out who the judges of a document are, whose names are hidden.
    """

    show: str = "differ"
    order: str = "distance"
    grades: frozenset[int] = frozenset()


def judge_letters(judges: Iterable[str], document: int) -> dict[str, str]:
    """Return judge -> the letter by which the adjudicator of one document sees them.

    The document's key decides the order: it is the same each time, and no judge has the same letter
    throughout.

    >>> sorted(judge_letters(["ann", "bo"], document=1).values())
    ['A', 'B']
    """
    drawn = sorted(judges, key=lambda judge: hashlib.sha256(f"{document} {judge}".encode()).digest())
    return {judge: nth_letter(place) for place, judge in enumerate(drawn)}


def nth_letter(place: int) -> str:
    """Return A to Z, then A2 to Z2 and so on.

    >>> nth_letter(0), nth_letter(25), nth_letter(26)
    ('A', 'Z', 'A2')
    """
    again, of_alphabet = divmod(place, 26)
    return chr(ord("A") + of_alphabet) + (str(again + 1) if again else "")


class SettledCase(NamedTuple):
    """One adjudicated document: the grades of its judges, without *cannot judge*, and the settled grade."""

    grades: Mapping[str, int]
    settled: int


class Share(NamedTuple):
    """The number of matching grades, and of all grades."""

    matching: int
    total: int


class JudgeShares(NamedTuple):
    """How often a judge agrees with others, over the adjudicated documents that the judge graded.

    before: same grade as the majority, ties to the lower. after: same as the settled grade. side: on the same
    side of the threshold as the settled grade.
    """

    judge: str
    before: Share
    after: Share
    side: Share


class GradeChanges(NamedTuple):
    """Settled grades compared with the grades of the majority, ties to the lower.

    added: no judge had given a grade. into, out: of the relevant documents, at the threshold; an added
    relevant one counts as into.
    """

    up: int
    down: int
    same: int
    added: int
    into: int
    out: int


class AdjudicationEffect(NamedTuple):
    """The effect of all settled grades of a campaign.

    majority: settled grades equal to the most frequent one, where there is exactly one. higher, lower: equal
    to the highest or lowest grade, where grades differ. before, after: over all grades given, those equal to
    the majority, and to the settled grade.
    """

    settled: int
    majority: Share
    higher: Share
    lower: Share
    before: Share
    after: Share
    judges: list[JudgeShares]
    moves: GradeChanges


def adjudication_effect(cases: Iterable[SettledCase], threshold: int) -> AdjudicationEffect:
    """Return the effect of these cases. threshold: the lowest relevant grade."""
    cases = list(cases)
    graded = [case for case in cases if case.grades]
    clear = [case for case in graded if len(most_frequent([*case.grades.values()])) == 1]
    differing = [case for case in graded if len(set(case.grades.values())) > 1]
    judges = _shares_of_judges(graded, threshold)
    return AdjudicationEffect(
        len(cases),
        _share(case.settled == _majority(case) for case in clear),
        _share(case.settled == max(case.grades.values()) for case in differing),
        _share(case.settled == min(case.grades.values()) for case in differing),
        _sum(each.before for each in judges),
        _sum(each.after for each in judges),
        judges,
        _moves(cases, threshold),
    )


def _majority(case: SettledCase) -> int:
    return majority([*case.grades.values()])


def _share(values: Iterable[bool]) -> Share:
    values = list(values)
    return Share(sum(values), len(values))


def _sum(shares: Iterable[Share]) -> Share:
    parts = list(shares)
    return Share(sum(each.matching for each in parts), sum(each.total for each in parts))


def _shares_of_judges(cases: Sequence[SettledCase], threshold: int) -> list[JudgeShares]:
    """Return the shares of every judge, in alphabetical order."""
    given, before, after, side = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for case in cases:
        agreed = _majority(case)
        for judge, grade in case.grades.items():
            given[judge] += 1
            before[judge] += grade == agreed
            after[judge] += grade == case.settled
            side[judge] += (grade >= threshold) == (case.settled >= threshold)
    return [
        JudgeShares(judge, *(Share(count[judge], given[judge]) for count in (before, after, side)))
        for judge in sorted(given)
    ]


def _moves(cases: Sequence[SettledCase], threshold: int) -> GradeChanges:
    steps = [(_majority(case) if case.grades else None, case.settled) for case in cases]
    known = [(old, new) for old, new in steps if old is not None]
    return GradeChanges(
        up=sum(new > old for old, new in known),
        down=sum(new < old for old, new in known),
        same=sum(new == old for old, new in known),
        added=len(steps) - len(known),
        into=sum(new >= threshold and (old is None or old < threshold) for old, new in steps),
        out=sum(old is not None and old >= threshold > new for old, new in steps),
    )
