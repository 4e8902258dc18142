"""How well a judge has learnt the scale: a training set with feedback, and gold items hidden in the work.

Both compare a judge's grades with the organiser's. Neither belongs in qrels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

from assess.kappa.confusion import confusion
from assess.kappa.two_judges import cohen


class Answer(NamedTuple):
    """A judge's grade of a training document beside the organiser's.

    steps: how many steps of the scale the judge is higher; negative is lower, 0 exact.
    """

    docno: str
    grade: int
    expected: int
    steps: int


class Feedback(NamedTuple):
    """A judge's training so far.

    answers: in the organiser's order. left: documents without a grade of this judge. exact, off_by_one,
    higher, lower: shares of the answers; None where there is no answer. kappa: Cohen's, unweighted; None
    where it is undefined (no answer, or both gave one and the same grade throughout).
    """

    answers: list[Answer]
    left: int
    exact: float | None
    off_by_one: float | None
    higher: float | None
    lower: float | None
    kappa: float | None


def feedback(grades: Mapping[str, int], expected: Mapping[str, int], scale: Sequence[int]) -> Feedback:
    """Return how a judge's grades of the training documents compare with the organiser's.

    grades, expected: docno -> grade; what the organiser did not grade takes no part. scale: every grade, in
    order; one step is from a grade to the next, whatever their numbers. Raises ValueError for a grade that is
    not on the scale.

    >>> judged = feedback({"a": 2, "b": 0, "c": 1}, {"a": 2, "b": 1, "c": 1, "d": 0}, scale=[0, 1, 2])
    >>> round(judged.exact, 3), round(judged.off_by_one, 3), round(judged.kappa, 3), judged.left
    (0.667, 0.333, 0.5, 1)
    """
    pairs = {docno: (grades[docno], right) for docno, right in expected.items() if docno in grades}
    mine, theirs = [mine for mine, _ in pairs.values()], [right for _, right in pairs.values()]
    kappa = cohen(confusion(mine, theirs, scale))  # which refuses grades that are not on the scale
    place = {grade: index for index, grade in enumerate(scale)}
    answers = [
        Answer(docno, mine, right, place[mine] - place[right]) for docno, (mine, right) in pairs.items()
    ]
    steps = [answer.steps for answer in answers]
    return Feedback(
        answers,
        left=len(expected) - len(answers),
        exact=_share([step == 0 for step in steps]),
        off_by_one=_share([abs(step) == 1 for step in steps]),
        higher=_share([step > 0 for step in steps]),
        lower=_share([step < 0 for step in steps]),
        kappa=kappa,
    )


def sentence_of(docno: str, grade: int | None, expected: int, why: str = "") -> str:
    """Return what a judge reads after a training document. grade: None where they could not judge.

    >>> sentence_of("D1", 1, 3, "It answers all of it.")
    "D1: your grade 1, the organiser's 3: It answers all of it."
    """
    mine = "you could not judge" if grade is None else f"your grade {grade}"
    theirs = "the organiser's too" if grade == expected else f"the organiser's {expected}"
    return f"{docno}: {mine}, {theirs}: {why}" if why else f"{docno}: {mine}, {theirs}."


class HitRate(NamedTuple):
    """How many gold items a judge got right, with Wilson's interval; rate and interval None where n is 0."""

    hits: int
    n: int
    rate: float | None
    interval: tuple[float, float] | None


def hit_rate(
    grades: Mapping[str, int],
    gold: Mapping[str, int],
    threshold: int | None = None,
    confidence: float = 0.95,
) -> HitRate:
    """Return how many of the gold items that a judge has met were given the right grade.

    grades, gold: docno -> grade. threshold: the lowest relevant grade; with it a grade is right on the right
    side of it, without it only if it is the gold one. Raises ValueError for a confidence outside 0 to 1.

    >>> hit_rate({"a": 1, "b": 3, "c": 0}, {"a": 1, "b": 2, "z": 1})[:3]
    (1, 2, 0.5)
    >>> hit_rate({"a": 1, "b": 3, "c": 0}, {"a": 1, "b": 2, "z": 1}, threshold=1).hits
    2
    """
    met = [(grades[docno], right) for docno, right in gold.items() if docno in grades]
    hits = sum(
        mine == right if threshold is None else (mine >= threshold) == (right >= threshold)
        for mine, right in met
    )
    return HitRate(hits, len(met), hits / len(met) if met else None, wilson(hits, len(met), confidence))


def hit_rates(
    grades: Mapping[str, Mapping[str, int]], gold: Mapping[str, int], threshold: int | None = None
) -> dict[str, HitRate]:
    """Return judge -> hit rate on the gold items. grades: judge -> docno -> grade; the rest as `hit_rate`."""
    return {judge: hit_rate(given, gold, threshold) for judge, given in grades.items()}


def wilson(hits: int, n: int, confidence: float = 0.95) -> tuple[float, float] | None:
    """Return Wilson's score interval of a rate, without continuity correction (Wilson 1927).

    It keeps its promise for the few gold items a judge meets, and stays within 0 to 1. None where n is 0.
    Raises ValueError for hits outside 0 to n, or a confidence outside 0 to 1.

    >>> [round(bound, 3) for bound in wilson(8, 10)]
    [0.49, 0.943]
    """
    if not 0 <= hits <= n:
        raise ValueError(f"expected from 0 to {n} hits, found {hits}")
    if not 0 < confidence < 1:
        raise ValueError(f"expected a confidence between 0 and 1, found {confidence}")
    if not n:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate = hits / n
    centre = rate + z * z / (2 * n)
    reach = z * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    low, high = (centre - reach) / (1 + z * z / n), (centre + reach) / (1 + z * z / n)
    # At the ends the bound is the rate itself, which rounding may miss.
    return (low if hits else 0.0, high if hits < n else 1.0)


def _share(of: Sequence[bool]) -> float | None:
    return sum(of) / len(of) if of else None
