"""Coefficients of agreement by loops over labels, as their papers define them.

`Rows` are the labels of each judge, one of each document, None for none; `scale` the grades. A coefficient
raises ZeroDivisionError where it is undefined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, permutations, product
from statistics import fmean

Rows = Sequence[Sequence[int | None]]
Scale = Sequence[int]
Agreement = Callable[[int, int, Scale], float]
"""How far two grades agree, from 0 to 1."""


def nominal(one: int, other: int, scale: Scale) -> float:
    return float(one == other)


def linear(one: int, other: int, scale: Scale) -> float:
    """Grades are numbered: the distance is in places of the scale."""
    return 1 - abs(scale.index(one) - scale.index(other)) / (len(scale) - 1)


def quadratic(one: int, other: int, scale: Scale) -> float:
    return 1 - ((scale.index(one) - scale.index(other)) / (len(scale) - 1)) ** 2


def documents(rows: Rows) -> list[list[int]]:
    """Return the labels of each document that has two or more."""
    columns = ([label for label in column if label is not None] for column in zip(*rows, strict=True))
    return [column for column in columns if len(column) > 1]


def mean(values: Iterator[float]) -> float:
    """Return the mean. Raises ZeroDivisionError for no value."""
    given = list(values)
    return sum(given) / len(given)


def observed(rows: Rows, scale: Scale, agree: Agreement) -> float:
    """The agreement of two labels of a document, averaged over its pairs, then over documents."""
    return mean(
        mean(agree(one, other, scale) for one, other in permutations(labels, 2)) for labels in documents(rows)
    )


def shares(rows: Rows, scale: Scale) -> dict[int, float]:
    """Return the share of each grade; documents have equal weight."""
    return {grade: mean(labels.count(grade) / len(labels) for labels in documents(rows)) for grade in scale}


def beyond(part: float, chance: float) -> float:
    """Return (part - chance) / (1 - chance). Raises ZeroDivisionError where chance is 1 up to rounding."""
    return (part - chance) / (0 if abs(1 - chance) < 1e-12 else 1 - chance)


def percent(rows: Rows, scale: Scale) -> float:
    return observed(rows, scale, nominal)


def cohen(rows: Rows, scale: Scale, agree: Agreement = nominal) -> float:
    """Of two judges; chance takes each judge's own share of every grade."""
    first, second = zip(*documents(rows), strict=True) if documents(rows) else ((), ())
    chance = mean(agree(one, other, scale) for one, other in product(first, second))
    return beyond(observed(rows, scale, agree), chance)


def scott(rows: Rows, scale: Scale) -> float:
    """Of two judges; chance takes the labels of both together."""
    pooled = [label for labels in documents(rows) for label in labels]
    chance = mean(float(one == other) for one, other in product(pooled, pooled))
    return beyond(observed(rows, scale, nominal), chance)


def light(rows: Rows, scale: Scale, agree: Agreement = nominal) -> float:
    """The mean of Cohen's kappa over the pairs of judges that have one, with two common documents or more."""
    values = []
    for pair in combinations(rows, 2):
        if len(documents(pair)) > 1:
            try:
                values.append(cohen(pair, scale, agree))
            except ZeroDivisionError:
                continue
    return mean(iter(values))


def conger(rows: Rows, scale: Scale, agree: Agreement = nominal) -> float:
    """Chance draws two labels of two different judges; a label weighs 1 over those of its document.

    Where no label is missing, all weigh the same, as in the paper, which has no gaps.
    """
    drawn = []
    for column in zip(*rows, strict=True):
        given = [(judge, label) for judge, label in enumerate(column) if label is not None]
        if len(given) > 1:
            drawn += [(judge, label, 1 / len(given)) for judge, label in given]
    part = whole = 0.0
    for (judge, one, weight), (other_judge, other, other_weight) in product(drawn, drawn):
        if judge != other_judge:
            part += agree(one, other, scale) * weight * other_weight
            whole += weight * other_weight
    return beyond(observed(rows, scale, agree), part / whole)


def fleiss(rows: Rows, scale: Scale) -> float:
    """Chance takes the share of every grade."""
    return beyond(observed(rows, scale, nominal), sum(share**2 for share in shares(rows, scale).values()))


def bennett(rows: Rows, scale: Scale) -> float:
    """Chance takes every grade of the scale alike."""
    return beyond(observed(rows, scale, nominal), 1 / len(scale))


def gwet(rows: Rows, scale: Scale, agree: Agreement = nominal) -> float:
    """Chance is the agreement of two random grades, times how evenly the labels are mixed."""
    mixed = sum(share * (1 - share) for share in shares(rows, scale).values())
    random = mean(agree(one, other, scale) for one, other in product(scale, scale))
    return beyond(observed(rows, scale, agree), random * mixed * len(scale) / (len(scale) - 1))


Difference = Callable[[int, int, Mapping[int, int]], float]
"""How far two grades are apart; the mapping counts the labels of each grade."""


def unequal(one: int, other: int, counts: Mapping[int, int]) -> float:
    return float(one != other)


def ordinal(one: int, other: int, counts: Mapping[int, int]) -> float:
    """How many labels lie between the two grades, those of the two themselves by half."""
    low, high = sorted((one, other))
    between = sum(count for grade, count in counts.items() if low <= grade <= high)
    return (between - (counts[low] + counts[high]) / 2) ** 2


def interval(one: int, other: int, counts: Mapping[int, int]) -> float:
    return float((one - other) ** 2)


def ratio(one: int, other: int, counts: Mapping[int, int]) -> float:
    return ((one - other) / (one + other)) ** 2 if one + other else 0.0


def alpha(rows: Rows, scale: Scale, apart: Difference) -> float:
    """1 less the observed over the expected disagreement of two labels drawn without replacement."""
    units = documents(rows)
    pooled = [label for labels in units for label in labels]
    counts = {grade: pooled.count(grade) for grade in scale}
    found = sum(
        sum(apart(one, other, counts) for one, other in permutations(labels, 2)) / (len(labels) - 1)
        for labels in units
    )
    expected = sum(apart(one, other, counts) for one, other in permutations(pooled, 2)) / (len(pooled) - 1)
    return 1 - found / expected


def overlap(rows: Rows, scale: Scale, topics: Sequence[str], threshold: int) -> float:
    """Documents that all of their judges found relevant over those that any did, averaged over topics."""
    values = []
    for topic in dict.fromkeys(topics):
        places = [place for place, name in enumerate(topics) if name == topic]
        units = documents([[row[place] for place in places] for row in rows])
        relevant = [[label >= threshold for label in labels] for labels in units]
        if either := sum(map(any, relevant)):
            values.append(sum(map(all, relevant)) / either)
    return fmean(values) if values else 1 / 0


WEIGHTS = {"": nominal, "-linear": linear, "-quadratic": quadratic}
COEFFICIENTS: dict[str, Callable[[Rows, Scale], float]] = {
    "percent": percent,
    "scott": scott,
    "fleiss": fleiss,
    "bennett": bennett,
    **{f"cohen{key}": partial(cohen, agree=agree) for key, agree in WEIGHTS.items()},
    **{f"light{key}": partial(light, agree=agree) for key, agree in WEIGHTS.items()},
    **{f"conger{key}": partial(conger, agree=agree) for key, agree in WEIGHTS.items()},
    **{f"ac2{key}" if key else "ac1": partial(gwet, agree=agree) for key, agree in WEIGHTS.items()},
    "alpha-nominal": partial(alpha, apart=unequal),
    "alpha-ordinal": partial(alpha, apart=ordinal),
    "alpha-interval": partial(alpha, apart=interval),
    "alpha-ratio": partial(alpha, apart=ratio),
}
"""key -> the coefficient of labels; `overlap` takes topics and the threshold beside them."""
BINARY = ("percent", "cohen", "scott", "light", "fleiss", "ac1", "alpha-nominal")
