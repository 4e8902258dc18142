"""All coefficients of a set of labels: over everything, and by topic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from assess.kappa.bootstrap import ONE_TOPIC, ROOM, SELDOM_DEFINED, TOO_LARGE, Bootstrap, too_few
from assess.kappa.coefficient import (
    BELOW_ZERO,
    LEAST,
    NO_LABELS,
    NO_OVERLAP,
    ONE_JUDGE,
    TOO_FEW,
    Coefficient,
    Floats,
    boxed,
)
from assess.kappa.confusion import Counts, PairTables, no_tables, pair_tables, topic_totals
from assess.kappa.definition import Definition
from assess.kappa.labels import Labels
from assess.kappa.patterns import patterns_of
from assess.kappa.registry import REGISTRY
from assess.kappa.tally import Tally, tally_of
from assess.kappa.weights import Values
from assess.no_grade import NoGrade
from pooling.arrays import IntVector

BINARY = (0, 1)
FLEISS, LIGHT = REGISTRY["fleiss"], REGISTRY["light"]
OF_ALL = tuple(each for each in REGISTRY.values() if each.of_tally)


class Evidence(NamedTuple):
    """What coefficients are computed from, of one or more sets of labels: their axis comes first.

    counts: see `Patterns`. items: how many items of each set have each pattern, shape (sets, patterns).
    judges: how many gave labels, shape (sets,).
    """

    counts: Counts
    items: Floats
    tally: Tally
    judges: IntVector

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """Items with two labels and judges with labels, of each set."""
        return list(zip(self.tally.pairable.astype(int).tolist(), self.judges.tolist(), strict=True))

    def folded(self, cut: int) -> Evidence:
        """Return what labels folded at a place on the scale give; the same pattern may come twice."""
        counts = np.add.reduceat(self.counts, [0, cut], axis=1)
        return self._replace(counts=counts, tally=self.tally.folded(cut))


def coefficients(
    labels: Labels, definitions: Iterable[Definition] = OF_ALL, bootstrap: Bootstrap | None = None
) -> list[Coefficient]:
    """Return coefficients of all judges, each a value or a reason; with intervals where a bootstrap is given.

    definitions: from the registry; one without `of_tally` is left out.
    """
    chosen = [each for each in definitions if each.of_tally]
    count_pairs = pair_tables if any(each.from_pairs for each in chosen) else no_tables
    patterns, pairs = patterns_of(labels), count_pairs(labels)
    parted = bootstrap is not None and len(labels.topics) > 1 and _fits(labels, pairs)
    tally = tally_of(labels, patterns, count_pairs(labels, by_topic=True) if parted else pairs)
    total = Tally(*(field.sum(axis=0, keepdims=True) for field in tally))
    judges = (labels.places >= 0).any(axis=1).sum(keepdims=True)
    evidence = Evidence(patterns.counts, patterns.total[None], total, judges)
    values = [_values(each, labels, evidence)[0] for each in chosen]
    if bootstrap is None:
        return values
    drawable = tally.of_topics(tally.pairable > 0) if parted else tally
    topics = len(drawable.pairable)
    why = (
        too_few(len(labels.topics), topics) if parted else TOO_LARGE if len(labels.topics) > 1 else ONE_TOPIC
    )
    if why:
        return [each._replace(no_interval=each.reason or why) for each in values]
    drawn = _drawn(chosen, labels, drawable, bootstrap)
    return [bounded(value, draws, bootstrap, topics) for value, draws in zip(values, drawn, strict=True)]


def light_of_tables(tables: Floats, scale: Values, n: int, judges: int) -> Coefficient:
    """Return Light's kappa of judges from the confusion matrices of all pairs, (pairs, grades, grades).

    n: items with two labels. judges: those who gave labels.
    """
    if why := _missing(LIGHT, scale, n, judges):
        return Coefficient(LIGHT.name, None, why, n, judges=judges)
    assert LIGHT.of_tally
    nothing = np.zeros(0)
    tally = Tally._make([nothing] * len(Tally._fields))._replace(tables=tables)
    return boxed(LIGHT.name, LIGHT.of_tally(tally, scale), np.nan, LIGHT.undefined, (n, judges))


def by_topic(labels: Labels, definitions: Iterable[Definition] = OF_ALL) -> dict[str, list[Coefficient]]:
    """Return topic -> its coefficients, as `coefficients` gives them of that topic's labels alone.

    All topics at once, as long as the confusion matrices of all their pairs of judges can be held.
    """
    chosen = [each for each in definitions if each.of_tally]
    paired, patterns = any(each.from_pairs for each in chosen), patterns_of(labels)
    count_pairs = pair_tables if paired else no_tables
    cells = (len(labels.judges) * len(labels.scale)) ** 2 if paired else 1
    step = max(1, ROOM // max(1, cells, patterns.counts.size))
    found: list[list[Coefficient]] = []
    for begin in range(0, len(labels.topics), step):
        some, own = labels.of_topics(begin, begin + step), patterns.of_topics(begin, begin + step)
        tally = tally_of(some, own, count_pairs(some, by_topic=True))
        judges = (topic_totals(some).sum(axis=-1) > 0).sum(axis=-1)
        evidence = Evidence(own.counts, own.by_topic(len(some.topics)), tally, judges)
        of_topics = zip(*(_values(each, labels, evidence) for each in chosen), strict=True)
        found += [[each._replace(no_interval=each.reason or ONE_TOPIC) for each in own] for own in of_topics]
    return dict(zip(labels.topics, found, strict=True))


def fleiss_by_grade(labels: Labels) -> list[Coefficient]:
    """Return Fleiss' kappa of each grade against all others: which one judges find hard to tell (1971)."""
    found = []
    for place, grade in enumerate(labels.scale):
        places = np.where(labels.places < 0, NoGrade.MISSING, labels.places == place)
        (one,) = coefficients(
            replace(labels, places=places.astype(np.int8), scale=BINARY, threshold=1), [FLEISS]
        )
        found.append(one._replace(name=f"{one.name}, grade {grade}"))
    return found


def _values(definition: Definition, labels: Labels, evidence: Evidence) -> list[Coefficient]:
    """Return one coefficient of each set of labels. labels: whose scale and threshold theirs are."""
    scale, sizes = _scale(definition, labels), evidence.sizes
    counts, items, tally, _ = evidence.folded(labels.cut) if definition.binary else evidence
    errors = np.full(len(sizes), np.nan)
    if definition.error_of_patterns:
        errors = definition.error_of_patterns(counts, items, scale)
    assert definition.of_tally
    estimate = definition.of_tally(tally, scale)
    missing = [_missing(definition, labels.scale, *size) for size in sizes]
    return [
        Coefficient(definition.name, None, why, size[0], judges=size[1])
        if why
        else boxed(definition.name, estimate.of(place), errors[place], definition.undefined, size)
        for place, (size, why) in enumerate(zip(sizes, missing, strict=True))
    ]


def _missing(definition: Definition, scale: Values, n: int, judges: int) -> str:
    """Return what is missing for any coefficient at all, "" where nothing is."""
    if not judges:
        return NO_LABELS
    if judges == 1:
        return ONE_JUDGE
    if n < LEAST:
        return TOO_FEW if n else NO_OVERLAP
    return BELOW_ZERO if definition.from_zero and min(scale) < 0 else ""


def _scale(definition: Definition, labels: Labels) -> Values:
    return BINARY if definition.binary else labels.scale


def _fits(labels: Labels, pairs: PairTables) -> bool:
    """Whether every pair's tables of every topic can be held at once."""
    return len(labels.topics) * pairs.counts.size <= 8 * ROOM


def _drawn(
    definitions: Sequence[Definition], labels: Labels, tally: Tally, bootstrap: Bootstrap
) -> list[Floats]:
    """Return each coefficient's values over the draws, a few draws at a time."""
    weights = bootstrap.weights(len(tally.pairable))
    step = max(1, ROOM // tally.size)
    found: list[list[Floats]] = [[] for _ in definitions]
    for begin in range(0, len(weights), step):
        some = tally.drawn(weights[begin : begin + step])
        binary = some.folded(labels.cut)
        for each, values in zip(definitions, found, strict=True):
            assert each.of_tally
            values.append(each.of_tally(binary if each.binary else some, _scale(each, labels)).value)
    return [np.concatenate(values) for values in found]


def bounded(coefficient: Coefficient, drawn: Floats, bootstrap: Bootstrap, topics: int) -> Coefficient:
    """Return the coefficient with its interval, or why it has none. drawn: its value in every draw."""
    if coefficient.value is None:
        return coefficient._replace(no_interval=coefficient.reason)
    interval = bootstrap.interval(drawn, topics)
    return coefficient._replace(interval=interval, no_interval="" if interval else SELDOM_DEFINED)
