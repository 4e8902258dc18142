"""A report of agreement as lines of text, its columns aligned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assess.kappa.agreement import OF_ALL
from assess.kappa.coefficient import Coefficient
from assess.kappa.definition import Definition
from assess.kappa.pairs import OF_PAIRS
from assess.kappa.report import Report, homogeneity_of
from assess.kappa.verbal import VERBAL_SCALES, words

OF_TWO = ("percent", "cohen", "cohen-linear", "cohen-quadratic", "cohen-binary", "scott", "bennett", "ac1")

Row = list[str]


def printout(report: Report) -> Iterator[str]:
    """Yield the lines of the report. A `-` stands where there is no number; the note says why."""
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


def _coefficients(found: Iterable[Coefficient], report: Report) -> Iterator[Row]:
    scales = [scale.name for scale in VERBAL_SCALES]
    yield ["coefficient", "n", "value", "low", "high", "s.e.", "observed", "expected", *scales, "note"]
    for definition, each in zip(OF_ALL, found, strict=True):
        low, high = each.interval or (None, None)
        figures = each.value, low, high, each.standard_error, each.observed, each.expected
        note = each.reason or (each.no_interval if report.bootstrap and not report.topics else "")
        yield [each.name, f"{each.n:,}", *map(_figure, figures), *_spoken(definition, each), note]


def _spoken(definition: Definition, coefficient: Coefficient) -> Row:
    if coefficient.value is None or not definition.beyond_chance:
        return ["-"] * len(VERBAL_SCALES)
    return [words(coefficient.value, scale) for scale in VERBAL_SCALES]


def _pairs(report: Report) -> Iterator[Row]:
    places = [place for place, each in enumerate(OF_PAIRS) if each.key in OF_TWO]
    names = [OF_PAIRS[place].key for place in places]
    yield ["judge", "with", "n", *names, "overlap", "McNemar p", "Stuart-Maxwell p", "Bhapkar p"]
    for pair, overlap in zip(report.pairs, report.overlaps, strict=True):
        values = [pair.coefficients[place].value for place in places]
        tests = [test.p_value for test in homogeneity_of(report.labels, pair)]
        figures = map(_figure, (*values, overlap.value, *tests))
        yield [pair.first, pair.second, f"{pair.counts.sum():,}", *figures]


def _judges(report: Report) -> Iterator[Row]:
    yield ["judge", "labels", "relevant", "kappa with the others' majority", "n", "ties", "mean over pairs"]
    for rate, rest in zip(report.rates, report.rest, strict=True):
        majority = [_figure(rest.majority.value), f"{rest.majority.n:,}", f"{rest.ties:,}"]
        yield [rate.judge, f"{rate.labels:,}", _figure(rate.rate), *majority, _figure(rest.mean)]


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _aligned(rows: Iterable[Row]) -> Iterator[str]:
    listed = list(rows)
    widths = [max(map(len, column)) for column in zip(*listed, strict=True)]
    for row in listed:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
