"""The agreement of a set of labels as plain data, as lines of text, and as rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from assess.kappa.against_rest import AgainstRest, against_the_rest
from assess.kappa.agreement import ALL_JUDGE_COEFFICIENTS, coefficients, coefficients_by_topic
from assess.kappa.benchmarks import BENCHMARK_SCALES, benchmark_label
from assess.kappa.bootstrap import Bootstrap
from assess.kappa.coefficient import Coefficient
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
from assess.kappa.pairs import PAIR_COEFFICIENTS, PairAgreement, compare_pairs
from assess.kappa.registry import REGISTRY, Definition
from assess.kappa.tables import binarised

FAMILY_COLUMNS = ("Grades as names", "Binary", "Linear weights", "Quadratic weights")
FAMILIES: tuple[tuple[str, tuple[str, str, str, str]], ...] = (
    ("Percent agreement", ("percent", "percent-binary", "", "")),
    ("Cohen's kappa", ("cohen", "cohen-binary", "cohen-linear", "cohen-quadratic")),
    ("Light's kappa, mean over pairs", ("light", "light-binary", "light-linear", "light-quadratic")),
    ("Conger's kappa", ("conger", "", "conger-linear", "conger-quadratic")),
    ("Scott's pi", ("scott", "scott-binary", "", "")),
    ("Fleiss' kappa", ("fleiss", "fleiss-binary", "", "")),
    ("Bennett's S", ("bennett", "", "", "")),
    ("Gwet's AC1; weighted, AC2", ("ac1", "ac1-binary", "ac2-linear", "ac2-quadratic")),
    ("Krippendorff's alpha", ("alpha-nominal", "alpha-nominal-binary", "", "")),
    ("Krippendorff's alpha, ordinal; interval", ("", "", "alpha-ordinal", "alpha-interval")),
    ("Overlap of relevant sets", ("", "overlap", "", "")),
)  # name, and registry keys in the order of COLUMNS


class FamilyRow(NamedTuple):
    """The coefficients of a family in table order, None where it has none. n: documents with two labels."""

    name: str
    n: int
    cells: list[Coefficient | None]


class BenchmarkLabels(NamedTuple):
    """A coefficient with its label on every benchmark scale."""

    coefficient: Coefficient
    words: list[str]


def rows_by_family(coefficients: Mapping[str, Coefficient]) -> list[FamilyRow]:
    """Return the families with at least one coefficient. coefficients: registry key -> coefficient."""
    rows = []
    for name, keys in FAMILIES:
        cells = [coefficients.get(key) for key in keys]
        if computed := [cell for cell in cells if cell]:
            rows.append(FamilyRow(name, computed[0].n, cells))
    return rows


def benchmark_labels(coefficients: Mapping[str, Coefficient]) -> list[BenchmarkLabels]:
    """Return every coefficient to which benchmark scales apply: defined, and corrected for chance."""
    return [
        BenchmarkLabels(value, [benchmark_label(value.value, scale) for scale in BENCHMARK_SCALES])
        for key, value in coefficients.items()
        if value.value is not None and REGISTRY[key].beyond_chance
    ]


MOST_PAIRS = 10_000


class Report(NamedTuple):
    """The agreement of a set of labels. `topics` is empty unless coefficients by topic were requested.

    pairs_left_out: the possible number of pairs of judges where there are too many to list; `pairs` and
    `overlaps` are then empty.
    """

    labels: Labels
    bootstrap: Bootstrap | None
    coefficients: list[Coefficient]
    pairs: list[PairAgreement]
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
    """Compute the report. topics: also the coefficients of every topic.

    every_pair: list all pairs of judges; else at most MOST_PAIRS, because each has a dozen coefficients and
    three tests.
    """
    judges = len(labels.judges)
    unlisted = judges * (judges - 1) // 2
    if every_pair or unlisted <= MOST_PAIRS:
        unlisted = 0
    return Report(
        labels, bootstrap, coefficients(labels, ALL_JUDGE_COEFFICIENTS, bootstrap),
        [] if unlisted else compare_pairs(labels), [] if unlisted else overlap_of_pairs(labels),
        overlap_by_topic(labels), relevant_rates(labels), against_the_rest(labels),
        rarest_grade(labels), coefficients_by_topic(labels) if topics else {}, unlisted,
    )  # fmt: skip


def report_to_json(report: Report) -> dict[str, Any]:
    """Return the report as plain data: numbers, strings, None, lists and dicts."""
    labels = report.labels
    return {
        "scale": list(labels.scale),
        "threshold": labels.threshold,
        "judges": list(labels.judges),
        "topics": list(labels.topics),
        "documents": labels.places.shape[1],
        "labels": int((labels.places >= 0).sum()),
        "bootstrap": report.bootstrap._asdict() if report.bootstrap else None,
        "coefficients": _keyed(ALL_JUDGE_COEFFICIENTS, report.coefficients),
        "pairs_left_out": report.pairs_left_out,
        "pairs": [_pair(labels, pair) for pair in report.pairs],
        "overlap_of_pairs": [each._asdict() for each in report.overlaps],
        "overlap_by_topic": [each._asdict() for each in report.overlap_by_topic],
        "relevant_rates": [each._asdict() for each in report.rates],
        "against_the_rest": [each._asdict() | {"majority": each.majority._asdict()} for each in report.rest],
        "rarest_grade": report.rarest._asdict() if report.rarest else None,
        "by_topic": {topic: _keyed(ALL_JUDGE_COEFFICIENTS, own) for topic, own in report.topics.items()},
    }


def _keyed(definitions: Iterable[Definition], coefficients: list[Coefficient]) -> dict[str, dict[str, Any]]:
    return {each.key: value._asdict() for each, value in zip(definitions, coefficients, strict=True)}


def _pair(labels: Labels, pair: PairAgreement) -> dict[str, Any]:
    binary = binarised(pair.counts, labels.scale, labels.threshold)
    indices = balance(binary)
    return {
        "first": pair.first,
        "second": pair.second,
        "counts": pair.counts.tolist(),
        "coefficients": _keyed(PAIR_COEFFICIENTS, pair.coefficients),
        "balance": indices._asdict() if indices else None,
        "homogeneity": [test._asdict() for test in homogeneity_tests(labels, pair)],
    }


def homogeneity_tests(labels: Labels, pair: PairAgreement) -> list[Homogeneity]:
    """Return McNemar's test at the threshold, and the tests of Stuart-Maxwell and Bhapkar of all grades."""
    binary = binarised(pair.counts, labels.scale, labels.threshold)
    return [mcnemar(binary), stuart_maxwell(pair.counts), bhapkar(pair.counts)]


PRINTED_PAIR_COEFFICIENTS = (
    "percent",
    "cohen",
    "cohen-linear",
    "cohen-quadratic",
    "cohen-binary",
    "scott",
    "bennett",
    "ac1",
)

PrintedRow = list[str]


def report_lines(report: Report) -> Iterator[str]:
    """Yield the lines of the report. A `-` replaces a missing number; the note says why."""
    yield from _headed(report)
    yield from ("", *_aligned(_coefficients(report.coefficients, report)))
    if report.pairs_left_out:
        yield from ("", f"{report.pairs_left_out:,} pairs of judges are not listed: --every-pair lists them")
    else:
        yield from ("", *_aligned(_pairs(report)))
    yield from ("", *_aligned(_judges(report)))
    for topic, own in report.topics.items():
        yield from ("", f"topic {topic}", *_aligned(_coefficients(own, report)))


def _headed(report: Report) -> Iterator[str]:
    labels = report.labels
    given = (labels.places >= 0).sum(axis=0)
    yield (
        f"{given.sum():,} labels by {len(labels.judges):,} judges, of {len(given):,} documents in "
        f"{len(labels.topics):,} topics; {(given > 1).sum():,} documents have two labels or more"
    )
    yield f"scale {' '.join(map(str, labels.scale))}; relevant from {labels.threshold}"
    if report.bootstrap:
        seed, draws, level = report.bootstrap
        how = f"expanded percentiles of {draws:,} bootstrap draws of topics, seed {seed}"
        yield f"intervals: {level:.0%}, {how}"
    if report.rarest and report.rarest.is_few:
        grade, documents = report.rarest
        yield f"few documents have grade {grade}: {documents}; intervals may be too narrow"


def _coefficients(overall: Iterable[Coefficient], report: Report) -> Iterator[PrintedRow]:
    scales = [scale.name for scale in BENCHMARK_SCALES]
    yield ["coefficient", "n", "value", "low", "high", "s.e.", "observed", "expected", *scales, "note"]
    for definition, each in zip(ALL_JUDGE_COEFFICIENTS, overall, strict=True):
        low, high = each.interval or (None, None)
        figures = each.value, low, high, each.standard_error, each.observed, each.expected
        note = each.reason or (each.no_interval if report.bootstrap and not report.topics else "")
        yield [each.name, f"{each.n:,}", *map(_figure, figures), *_spoken(definition, each), note]


def _spoken(definition: Definition, coefficient: Coefficient) -> PrintedRow:
    if coefficient.value is None or not definition.beyond_chance:
        return ["-"] * len(BENCHMARK_SCALES)
    return [benchmark_label(coefficient.value, scale) for scale in BENCHMARK_SCALES]


def _pairs(report: Report) -> Iterator[PrintedRow]:
    places = [place for place, each in enumerate(PAIR_COEFFICIENTS) if each.key in PRINTED_PAIR_COEFFICIENTS]
    names = [PAIR_COEFFICIENTS[place].key for place in places]
    yield ["judge", "with", "n", *names, "overlap", "McNemar p", "Stuart-Maxwell p", "Bhapkar p"]
    for pair, overlap in zip(report.pairs, report.overlaps, strict=True):
        values = [pair.coefficients[place].value for place in places]
        tests = [test.p_value for test in homogeneity_tests(report.labels, pair)]
        figures = map(_figure, (*values, overlap.value, *tests))
        yield [pair.first, pair.second, f"{pair.counts.sum():,}", *figures]


def _judges(report: Report) -> Iterator[PrintedRow]:
    yield ["judge", "labels", "relevant", "kappa with the others' majority", "n", "ties", "mean over pairs"]
    for rate, rest in zip(report.rates, report.rest, strict=True):
        majority = [_figure(rest.majority.value), f"{rest.majority.n:,}", f"{rest.ties:,}"]
        yield [rate.judge, f"{rate.labels:,}", _figure(rate.rate), *majority, _figure(rest.mean)]


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _aligned(rows: Iterable[PrintedRow]) -> Iterator[str]:
    listed = list(rows)
    widths = [max(map(len, column)) for column in zip(*listed, strict=True)]
    for row in listed:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
