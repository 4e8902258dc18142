"""Statistical checks of a judge's labels: flags, grades of training documents, hit rate on gold documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from assess.event_columns import Floats, Ints
from assess.kappa.tables import confusion
from assess.kappa.two_judges import cohen
from assess.no_grade import NoGrade

EQUAL_LIKELIHOOD = 1 + 1e-7  # tolerance for rounding of equally likely cases, as in R's fisher.test

Fraction = tuple[int, int]  # hits, cases


def fisher_exact(first: Fraction, second: Fraction) -> float:
    """Return the two-sided p of Fisher's exact test.

    It is the chance of a difference at least as unlikely as this one, given the totals. Raises ValueError for
    more hits than cases. Fisher, R. A. Statistical Methods for Research Workers, 1934.

    >>> round(fisher_exact((3, 4), (1, 4)), 6)
    0.485714
    """
    (yes, labels), (other_yes, other_labels) = first, second
    if not (0 <= yes <= labels and 0 <= other_yes <= other_labels):
        raise ValueError(f"expected numbers of hits from 0 to the cases, found {first} and {second}")
    both = yes + other_yes
    lowest = max(0, both - other_labels)
    cases = np.arange(lowest, min(labels, both) + 1)
    # log n!, so that the probabilities of 2,000 labels do not underflow
    factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, labels + other_labels + 1)))])
    ways = -(factorial[cases] + factorial[labels - cases])
    ways -= factorial[both - cases] + factorial[other_labels - (both - cases)]
    chances = np.exp(ways - ways.max())
    observed = chances[yes - lowest]
    return float(min(1.0, chances[chances <= observed * EQUAL_LIKELIHOOD].sum() / chances.sum()))


class LabelStream(NamedTuple):
    """One judge's labels on one topic, in the order of the presses. Topics are separate, because they differ.

    Both of shape (labels,). seconds: active seconds, nan where not measured. grades: or NoGrade.REFUSED.
    """

    seconds: Floats
    grades: Ints


class Flag(NamedTuple):
    """Labels [start, stop) of a stream that the organiser may want to look at, and the reason."""

    kind: str
    start: int
    stop: int
    sentence: str


def label_flags(stream: LabelStream, threshold: int) -> list[Flag]:
    """Return all flags of a stream. threshold: the lowest relevant grade."""
    drift = rate_change(stream, threshold)
    return [*bursts(stream), *constant_grades(stream), *([drift.flag] if drift and drift.flag else [])]


def bursts(stream: LabelStream, count: int = 10, seconds: float = 2.0) -> list[Flag]:
    """Return the stretches of `count` or more labels in a row that took less than `seconds` each.

    A label without a measured time ends a stretch.
    """
    fast = stream.seconds < seconds  # nan is not
    took = f"took less than {seconds:g} s each"
    return [
        Flag("burst", start, stop, f"{stop - start} labels in a row, {_numbered(start, stop)}, {took}.")
        for start, stop in _stretches(fast, count)
        if fast[start]
    ]


def constant_grades(stream: LabelStream, shortest: int = 10, alpha: float = 0.001) -> list[Flag]:
    """Return the runs of one grade that are very unlikely in a random order of the judge's grades.

    A run is flagged when it has at least `shortest` labels and its probability (`chance_of_run`) is below
    alpha. *Cannot judge* counts as a grade. A judge with one grade only is not flagged: there is no other
    order.
    """
    runs = []
    for start, stop in _stretches(stream.grades, shortest):
        grade, labels = int(stream.grades[start]), len(stream.grades)
        given = int((stream.grades == grade).sum())
        chance = chance_of_run(stop - start, given, labels)
        if chance < alpha:
            name = "cannot judge" if grade == NoGrade.REFUSED else f"grade {grade}"
            sentence = (
                f"{stop - start} times {name} in a row, {_numbered(start, stop)}; of all {labels} labels"
                f" {given} are {name}, and in random order such a run has a chance of {_at_most(chance)}."
            )
            runs.append(Flag("constant", start, stop, sentence))
    return runs


def chance_of_run(length: int, given: int, labels: int) -> float:
    """Return an upper bound for the probability of a run of `length` or more labels with the same grade.

    All orders of the labels are taken as equally likely; `given` of them have the grade. The bound is the
    expected number of such runs, (labels - given + 1) * prod (given - i) / (labels - i) for i < length: the
    probability itself where two runs are impossible (given < 2 * length), slightly more otherwise, at most 1.
    Raises ValueError for a length below 1, or more labels of the grade than labels.

    >>> chance_of_run(2, given=2, labels=4)
    0.5
    """
    if length < 1 or not 0 <= given <= labels:
        raise ValueError(f"expected a run of 1 or more, found {length} of {given} among {labels} labels")
    if given < length:
        return 0.0
    together = prod((given - i) / (labels - i) for i in range(length))
    return min(1.0, (labels - given + 1) * together)


class RateChange(NamedTuple):
    """The relevant rate in the first and second half of a stream, and whether it has changed.

    first, second: (relevant, labels). p: of Fisher's exact test, two-sided. flag: None where p is not small.
    """

    first: tuple[int, int]
    second: tuple[int, int]
    p: float
    flag: Flag | None


def rate_change(stream: LabelStream, threshold: int, alpha: float = 0.01) -> RateChange | None:
    """Return the change of a judge's relevant rate from the first half of the labels to the second.

    threshold: the lowest relevant grade. *Cannot judge* is left out; of an odd number the middle label is in
    the second half. None for fewer than two labels. There is a flag where p < alpha.
    """
    relevant = stream.grades[stream.grades != NoGrade.REFUSED] >= threshold
    if len(relevant) < 2:
        return None
    half = len(relevant) // 2
    first, second = ((int(part.sum()), len(part)) for part in (relevant[:half], relevant[half:]))
    p = fisher_exact(first, second)
    sentence = (
        f"{first[0]} of the first {first[1]} labels are relevant ({first[0] / first[1]:.0%}), of the last"
        f" {second[1]} {second[0]} ({second[0] / second[1]:.0%}); in random order so great a change has a"
        f" chance of {_at_most(p)} (Fisher's exact test)."
    )
    return RateChange(first, second, p, Flag("drift", 0, len(stream.grades), sentence) if p < alpha else None)


def _stretches(values: npt.NDArray[Any], shortest: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of every run of one value with at least `shortest` entries, in order."""
    ends = np.append(np.flatnonzero(values[1:] != values[:-1]) + 1, len(values))
    lengths = np.diff(ends, prepend=0)
    long = lengths >= max(1, shortest)
    yield from zip((ends - lengths)[long].tolist(), ends[long].tolist(), strict=True)


def _numbered(start: int, stop: int) -> str:
    return f"numbers {start + 1} to {stop}"


def _at_most(chance: float) -> str:
    return "less than 1 in 10,000" if chance < 0.0001 else f"1 in {1 / chance:,.0f}"


class TrainingAnswer(NamedTuple):
    """A judge's grade of a training document and the organiser's.

    steps: how many steps of the scale the judge is higher; negative is lower, 0 exact.
    """

    docno: str
    grade: int
    expected: int
    steps: int


class TrainingResult(NamedTuple):
    """The result of a judge's training so far.

    answers: in the organiser's order. left: documents without a grade of this judge. exact, off_by_one,
    higher, lower: shares of the answers; None without an answer. kappa: Cohen's, unweighted; None where it is
    undefined (no answer, or both gave one and the same grade throughout).
    """

    answers: list[TrainingAnswer]
    left: int
    exact: float | None
    off_by_one: float | None
    higher: float | None
    lower: float | None
    kappa: float | None


def training_result(
    grades: Mapping[str, int], expected: Mapping[str, int], scale: Sequence[int]
) -> TrainingResult:
    """Compare a judge's grades of the training documents with the organiser's.

    grades, expected: docno -> grade; documents without a grade of the organiser are left out. scale: all
    grades in order; one step is from a grade to the next, whatever their numbers. Raises ValueError for a
    grade that is not on the scale.

    >>> judged = training_result({"a": 2, "b": 0, "c": 1}, {"a": 2, "b": 1, "c": 1, "d": 0}, scale=[0, 1, 2])
    >>> round(judged.exact, 3), round(judged.off_by_one, 3), round(judged.kappa, 3), judged.left
    (0.667, 0.333, 0.5, 1)
    """
    pairs = {docno: (grades[docno], right) for docno, right in expected.items() if docno in grades}
    mine, correct = [mine for mine, _ in pairs.values()], [right for _, right in pairs.values()]
    kappa = cohen(confusion(mine, correct, scale))  # raises for grades that are not on the scale
    place = {grade: index for index, grade in enumerate(scale)}
    answers = [
        TrainingAnswer(docno, mine, right, place[mine] - place[right])
        for docno, (mine, right) in pairs.items()
    ]
    steps = [answer.steps for answer in answers]
    return TrainingResult(
        answers,
        left=len(expected) - len(answers),
        exact=_share([step == 0 for step in steps]),
        off_by_one=_share([abs(step) == 1 for step in steps]),
        higher=_share([step > 0 for step in steps]),
        lower=_share([step < 0 for step in steps]),
        kappa=kappa,
    )


def training_sentence(docno: str, grade: int | None, expected: int, why: str = "") -> str:
    """Return the feedback after a training document. grade: None for *cannot judge*.

    >>> training_sentence("D1", 1, 3, "It answers all of it.")
    "D1: your grade 1, the organiser's 3: It answers all of it."
    """
    mine = "your label “cannot judge”" if grade is None else f"your grade {grade}"
    theirs = "the organiser's too" if grade == expected else f"the organiser's {expected}"
    return f"{docno}: {mine}, {theirs}: {why}" if why else f"{docno}: {mine}, {theirs}."


class GoldHitRate(NamedTuple):
    """The share of gold documents graded correctly, with Wilson's interval; None where n is 0."""

    hits: int
    n: int
    rate: float | None
    interval: tuple[float, float] | None


def gold_hit_rate(
    grades: Mapping[str, int],
    gold: Mapping[str, int],
    threshold: int | None = None,
    confidence: float = 0.95,
) -> GoldHitRate:
    """Return the share of the gold documents labelled so far that have the correct grade.

    grades, gold: docno -> grade. threshold: the lowest relevant grade; with it a grade is correct on the
    correct side of the threshold, without it only if it is equal. Raises ValueError for a confidence outside
    0 to 1.

    >>> gold_hit_rate({"a": 1, "b": 3, "c": 0}, {"a": 1, "b": 2, "z": 1})[:3]
    (1, 2, 0.5)
    >>> gold_hit_rate({"a": 1, "b": 3, "c": 0}, {"a": 1, "b": 2, "z": 1}, threshold=1).hits
    2
    """
    labelled = [(grades[docno], right) for docno, right in gold.items() if docno in grades]
    hits = sum(
        mine == right if threshold is None else (mine >= threshold) == (right >= threshold)
        for mine, right in labelled
    )
    n = len(labelled)
    return GoldHitRate(hits, n, hits / n if n else None, wilson(hits, n, confidence))


def wilson(hits: float, n: float, confidence: float = 0.95) -> tuple[float, float] | None:
    """Return Wilson's score interval of a rate, without continuity correction (Wilson 1927).

    Its coverage is good for few gold documents, and it stays within 0 to 1. None where n is 0. Raises
    ValueError for hits outside 0 to n, or a confidence outside 0 to 1.

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
    # At 0 and n the bound is the rate itself; rounding may differ.
    return (low if hits else 0.0, high if hits < n else 1.0)


def _share(of: Sequence[bool]) -> float | None:
    return sum(of) / len(of) if of else None
