"""All coefficients of a set of labels, over everything and by topic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from assess.kappa.bootstrap import (
    MAX_NUMBERS,
    ONE_TOPIC,
    SELDOM_DEFINED,
    TOO_LARGE,
    Bootstrap,
    why_no_interval,
)
from assess.kappa.coefficient import (
    BELOW_ZERO,
    MIN_DOCUMENTS,
    NO_LABELS,
    NO_OVERLAP,
    ONE_JUDGE,
    TOO_FEW,
    Coefficient,
    Floats,
    to_coefficient,
)
from assess.kappa.labels import Labels
from assess.kappa.registry import REGISTRY, Definition
from assess.kappa.statistics import Statistics, statistics_of
from assess.kappa.tables import Counts, PairTables, empty_tables, pair_tables, patterns_of, topic_totals
from assess.kappa.weights import Values
from pooling.arrays import IntVector

BINARY = (0, 1)
FLEISS, LIGHT = REGISTRY["fleiss"], REGISTRY["light"]
ALL_JUDGE_COEFFICIENTS = tuple(each for each in REGISTRY.values() if each.from_statistics)


class CoefficientInputs(NamedTuple):
    """Input of the coefficients, for one or more sets of labels (the first axis).

    counts: see `Patterns`. items: number of items of each set with each pattern, shape (sets, patterns).
    judges: number of judges with labels, shape (sets,).
    """

    counts: Counts
    items: Floats
    statistics: Statistics
    judges: IntVector

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """For each set: the number of items with two or more labels, and the number of judges with labels."""
        return list(zip(self.statistics.pairable.astype(int).tolist(), self.judges.tolist(), strict=True))

    def folded(self, cut: int) -> CoefficientInputs:
        """Return the input for labels folded into two classes. Patterns may then repeat."""
        counts = np.add.reduceat(self.counts, [0, cut], axis=1)
        return self._replace(counts=counts, statistics=self.statistics.folded(cut))


def coefficients(
    labels: Labels,
    definitions: Iterable[Definition] = ALL_JUDGE_COEFFICIENTS,
    bootstrap: Bootstrap | None = None,
) -> list[Coefficient]:
    """Return coefficients over all judges, each a value or a reason; with intervals if a bootstrap is given.

    definitions: entries of the registry; those for two judges only are left out.
    """
    chosen = [each for each in definitions if each.from_statistics]
    count_pairs = pair_tables if any(each.needs_pair_tables for each in chosen) else empty_tables
    patterns, pairs = patterns_of(labels), count_pairs(labels)
    by_topics = bootstrap is not None and len(labels.topics) > 1 and _fits(labels, pairs)
    statistics = statistics_of(labels, patterns, count_pairs(labels, by_topic=True) if by_topics else pairs)
    total = Statistics(*(field.sum(axis=0, keepdims=True) for field in statistics))
    judges = (labels.places >= 0).any(axis=1).sum(keepdims=True)
    evidence = CoefficientInputs(patterns.counts, patterns.total[None], total, judges)
    values = [_values(each, labels, evidence)[0] for each in chosen]
    if bootstrap is None:
        return values
    drawable = statistics.of_topics(statistics.pairable > 0) if by_topics else statistics
    topics = len(drawable.pairable)
    if by_topics:
        why = why_no_interval(len(labels.topics), topics)
    else:
        why = TOO_LARGE if len(labels.topics) > 1 else ONE_TOPIC
    if why:
        return [each._replace(no_interval=each.reason or why) for each in values]
    drawn = _drawn(chosen, labels, drawable, bootstrap)
    return [
        with_interval(value, draws, bootstrap, topics) for value, draws in zip(values, drawn, strict=True)
    ]


def coefficients_by_topic(
    labels: Labels, definitions: Iterable[Definition] = ALL_JUDGE_COEFFICIENTS
) -> dict[str, list[Coefficient]]:
    """Return topic -> its coefficients, as `coefficients` computes them from the labels of that topic alone.

    Topics are computed in blocks, so that the confusion matrices of all pairs of judges fit into memory.
    """
    chosen = [each for each in definitions if each.from_statistics]
    needs_pairs, patterns = any(each.needs_pair_tables for each in chosen), patterns_of(labels)
    count_pairs = pair_tables if needs_pairs else empty_tables
    cells = (len(labels.judges) * len(labels.scale)) ** 2 if needs_pairs else 1
    step = max(1, MAX_NUMBERS // max(1, cells, patterns.counts.size))
    of_every_topic: list[list[Coefficient]] = []
    for begin in range(0, len(labels.topics), step):
        some, own = labels.of_topics(begin, begin + step), patterns.of_topics(begin, begin + step)
        statistics = statistics_of(some, own, count_pairs(some, by_topic=True))
        judges = (topic_totals(some).sum(axis=-1) > 0).sum(axis=-1)
        evidence = CoefficientInputs(own.counts, own.by_topic(len(some.topics)), statistics, judges)
        of_topics = zip(*(_values(each, labels, evidence) for each in chosen), strict=True)
        of_every_topic += [
            [each._replace(no_interval=each.reason or ONE_TOPIC) for each in own] for own in of_topics
        ]
    return dict(zip(labels.topics, of_every_topic, strict=True))


def _values(definition: Definition, labels: Labels, evidence: CoefficientInputs) -> list[Coefficient]:
    """Return one coefficient of each set of labels. labels: their scale and threshold are used."""
    scale, sizes = _scale(definition, labels), evidence.sizes
    counts, items, statistics, _ = evidence.folded(labels.cut) if definition.binary else evidence
    errors = np.full(len(sizes), np.nan)
    if definition.error_of_patterns:
        errors = definition.error_of_patterns(counts, items, scale)
    assert definition.from_statistics
    estimate = definition.from_statistics(statistics, scale)
    missing = [_missing(definition, labels.scale, *size) for size in sizes]
    return [
        Coefficient(definition.name, None, why, size[0], judges=size[1])
        if why
        else to_coefficient(definition.name, estimate.of(place), errors[place], definition.undefined, size)
        for place, (size, why) in enumerate(zip(sizes, missing, strict=True))
    ]


def _missing(definition: Definition, scale: Values, n: int, judges: int) -> str:
    """Return why no coefficient can be computed, or an empty string."""
    if not judges:
        return NO_LABELS
    if judges == 1:
        return ONE_JUDGE
    if n < MIN_DOCUMENTS:
        return TOO_FEW if n else NO_OVERLAP
    return BELOW_ZERO if definition.needs_grades_from_zero and min(scale) < 0 else ""


def _scale(definition: Definition, labels: Labels) -> Values:
    return BINARY if definition.binary else labels.scale


def _fits(labels: Labels, pairs: PairTables) -> bool:
    """Whether the confusion matrices of all pairs and topics fit into memory at once."""
    return len(labels.topics) * pairs.counts.size <= 8 * MAX_NUMBERS


def _drawn(
    definitions: Sequence[Definition], labels: Labels, statistics: Statistics, bootstrap: Bootstrap
) -> list[Floats]:
    """Return the values of each coefficient over the bootstrap draws, computed in blocks of draws."""
    weights = bootstrap.weights(len(statistics.pairable))
    step = max(1, MAX_NUMBERS // statistics.size)
    values_in_draws: list[list[Floats]] = [[] for _ in definitions]
    for begin in range(0, len(weights), step):
        some = statistics.drawn(weights[begin : begin + step])
        binary = some.folded(labels.cut)
        for each, values in zip(definitions, values_in_draws, strict=True):
            assert each.from_statistics
            values.append(each.from_statistics(binary if each.binary else some, _scale(each, labels)).value)
    return [np.concatenate(values) for values in values_in_draws]


def with_interval(coefficient: Coefficient, drawn: Floats, bootstrap: Bootstrap, topics: int) -> Coefficient:
    """Return the coefficient with its interval, or with the reason for having none.

    drawn: its value in each draw.
    """
    if coefficient.value is None:
        return coefficient._replace(no_interval=coefficient.reason)
    interval = bootstrap.interval(drawn, topics)
    return coefficient._replace(interval=interval, no_interval="" if interval else SELDOM_DEFINED)
