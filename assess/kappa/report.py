"""Everything about the agreement of a set of labels, at once and as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from assess.kappa.agreement import OF_ALL, by_topic, coefficients
from assess.kappa.bootstrap import Bootstrap
from assess.kappa.coefficient import Coefficient
from assess.kappa.confusion import binarised
from assess.kappa.definition import Definition
from assess.kappa.labels import Labels
from assess.kappa.marginals import (
    Homogeneity,
    RarestGrade,
    RelevantRate,
    balance,
    bhapkar,
    mcnemar,
    rarest_grade,
    relevant_rates,
    stuart_maxwell,
)
from assess.kappa.overlap import PairOverlap, TopicOverlap, overlap_by_topic, overlap_of_pairs
from assess.kappa.pairs import OF_PAIRS, Comparison, compare_pairs
from assess.kappa.rest import AgainstRest, against_the_rest

MOST_PAIRS = 10_000


class Report(NamedTuple):
    """The agreement of a set of labels; `topics` is empty unless every topic was asked for.

    pairs_left_out: how many pairs of judges there are at most, where they are too many to be listed; `pairs`
    and `overlaps` are then empty.
    """

    labels: Labels
    bootstrap: Bootstrap | None
    coefficients: list[Coefficient]
    pairs: list[Comparison]
    overlaps: list[PairOverlap]
    overlap_by_topic: list[TopicOverlap]
    rates: list[RelevantRate]
    rest: list[AgainstRest]
    rarest: RarestGrade | None
    topics: dict[str, list[Coefficient]]
    pairs_left_out: int = 0


def report_of(
    labels: Labels, bootstrap: Bootstrap | None = None, topics: bool = False, every_pair: bool = False
) -> Report:
    """Compute all of it. topics: every topic's coefficients as well. every_pair: list the pairs of judges
    however many there are; else at most MOST_PAIRS, as each has a dozen coefficients and three tests."""
    judges = len(labels.judges)
    left_out = judges * (judges - 1) // 2
    if every_pair or left_out <= MOST_PAIRS:
        left_out = 0
    return Report(
        labels, bootstrap, coefficients(labels, OF_ALL, bootstrap),
        [] if left_out else compare_pairs(labels), [] if left_out else overlap_of_pairs(labels),
        overlap_by_topic(labels), relevant_rates(labels), against_the_rest(labels),
        rarest_grade(labels), by_topic(labels) if topics else {}, left_out,
    )  # fmt: skip


def as_json(report: Report) -> dict[str, Any]:
    """Return the report as plain data: numbers, texts, None, lists and dicts."""
    labels = report.labels
    return {
        "scale": list(labels.scale),
        "threshold": labels.threshold,
        "judges": list(labels.judges),
        "topics": list(labels.topics),
        "documents": labels.places.shape[1],
        "labels": int((labels.places >= 0).sum()),
        "bootstrap": report.bootstrap._asdict() if report.bootstrap else None,
        "coefficients": _keyed(OF_ALL, report.coefficients),
        "pairs_left_out": report.pairs_left_out,
        "pairs": [_pair(labels, pair) for pair in report.pairs],
        "overlap_of_pairs": [each._asdict() for each in report.overlaps],
        "overlap_by_topic": [each._asdict() for each in report.overlap_by_topic],
        "relevant_rates": [each._asdict() for each in report.rates],
        "against_the_rest": [each._asdict() | {"majority": each.majority._asdict()} for each in report.rest],
        "rarest_grade": report.rarest._asdict() if report.rarest else None,
        "by_topic": {topic: _keyed(OF_ALL, own) for topic, own in report.topics.items()},
    }


def _keyed(definitions: Iterable[Definition], found: list[Coefficient]) -> dict[str, dict[str, Any]]:
    return {each.key: value._asdict() for each, value in zip(definitions, found, strict=True)}


def _pair(labels: Labels, pair: Comparison) -> dict[str, Any]:
    binary = binarised(pair.counts, labels.scale, labels.threshold)
    indices = balance(binary)
    return {
        "first": pair.first,
        "second": pair.second,
        "counts": pair.counts.tolist(),
        "coefficients": _keyed(OF_PAIRS, pair.coefficients),
        "balance": indices._asdict() if indices else None,
        "homogeneity": [test._asdict() for test in homogeneity_of(labels, pair)],
    }


def homogeneity_of(labels: Labels, pair: Comparison) -> list[Homogeneity]:
    """Return McNemar's test at the threshold, and Stuart and Maxwell's and Bhapkar's of all grades."""
    binary = binarised(pair.counts, labels.scale, labels.threshold)
    return [mcnemar(binary), stuart_maxwell(pair.counts), bhapkar(pair.counts)]
