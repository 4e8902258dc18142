"""What settling did: with whom the settled grades side, and how the qrels change by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from assess.consensus import majority, most_frequent


class SettledCase(NamedTuple):
    """One settled document: the grades of its judges, without those who could not judge, and the settled."""

    grades: Mapping[str, int]
    settled: int


class Share(NamedTuple):
    """A part of so many."""

    part: int
    whole: int


class JudgeShares(NamedTuple):
    """How often a judge's grade is another's, over the settled documents that the judge graded.

    before: the grade of the majority, ties to the lower. after: the settled grade. side: on the same side of
    the threshold as the settled grade.
    """

    judge: str
    before: Share
    after: Share
    side: Share


class Moves(NamedTuple):
    """Settled grades against the majority's, ties to the lower, which the qrels would hold without them.

    added: nobody had given a grade. into, out: of the relevant ones, at the threshold; an added one that is
    relevant counts as into.
    """

    up: int
    down: int
    same: int
    added: int
    into: int
    out: int


class Effect(NamedTuple):
    """What the settled grades of a campaign come to.

    majority: settled as most judges graded, of the documents where one grade has the most. higher, lower: as
    the highest or lowest grade given, of the documents with different grades. before, after: over all grades
    given, how many are the majority's, and the settled one.
    """

    settled: int
    majority: Share
    higher: Share
    lower: Share
    before: Share
    after: Share
    judges: list[JudgeShares]
    moves: Moves


def effect_of(cases: Iterable[SettledCase], threshold: int) -> Effect:
    """Return what settling these cases did. threshold: the lowest grade that counts as relevant."""
    cases = list(cases)
    graded = [case for case in cases if case.grades]
    clear = [case for case in graded if len(most_frequent([*case.grades.values()])) == 1]
    differing = [case for case in graded if len(set(case.grades.values())) > 1]
    judges = _shares_of_judges(graded, threshold)
    return Effect(
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


def _share(held: Iterable[bool]) -> Share:
    found = list(held)
    return Share(sum(found), len(found))


def _sum(shares: Iterable[Share]) -> Share:
    parts = list(shares)
    return Share(sum(each.part for each in parts), sum(each.whole for each in parts))


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
        JudgeShares(judge, *(Share(found[judge], given[judge]) for found in (before, after, side)))
        for judge in sorted(given)
    ]


def _moves(cases: Sequence[SettledCase], threshold: int) -> Moves:
    steps = [(_majority(case) if case.grades else None, case.settled) for case in cases]
    known = [(old, new) for old, new in steps if old is not None]
    return Moves(
        up=sum(new > old for old, new in known),
        down=sum(new < old for old, new in known),
        same=sum(new == old for old, new in known),
        added=len(steps) - len(known),
        into=sum(new >= threshold and (old is None or old < threshold) for old, new in steps),
        out=sum(old is not None and old >= threshold > new for old, new in steps),
    )
