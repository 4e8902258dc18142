"""The lines that trec_eval prints, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np

from metrics.engine.evaluate import means_of, topic_values
from metrics.engine.hits import Hits
from metrics.measures.base import BadMeasure, Measure
from metrics.measures.registry import make_measure
from metrics.trec_eval.names import ORDER, measures_of
from metrics.trec_eval.options import Options, Stop
from pooling.arrays import Flags, IntVector, Matrix


def relstrings(hits: Hits, length: int = 10, missing: bool = False) -> list[str]:
    """Return for each topic the grades of its first `length` documents.

    0 to 9 are grades, `>` is a grade above 9, `.` is pooled and not judged, `-` was not pooled. missing: also
    of the one unjudged document that profile trec_eval-10 puts in the place of a topic that the run lacks.
    """
    counts = np.minimum(hits.retrieved, length)
    if not missing:
        counts = np.where(hits.in_run, counts, 0)
    letters = [["-"] * count for count in counts.tolist()]
    top = hits.rank <= length
    for topic, rank, grade in zip(
        hits.topic[top].tolist(), hits.rank[top].tolist(), hits.grade[top].tolist(), strict=True
    ):
        letters[topic][rank - 1] = "." if grade < 0 else str(grade) if grade < 10 else ">"
    return ["".join(word) for word in letters]


MISSING_ZSCORE = -1000000.0
ZScores = dict[tuple[str, str], tuple[float, float]]  # (topic, measure) -> mean, standard deviation


class Line(NamedTuple):
    """One line that is printed for each topic or for all: a measure, or the run's tag or relevance string."""

    label: str
    measure: Measure | None = None

    @property
    def of_topics(self) -> bool:
        """Whether it is printed for every topic."""
        if self.measure is None:
            return self.label.startswith("relstring")
        return self.measure.kind.average != "geometric" and self.measure.kind.name != "NumQ"

    @property
    def of_all(self) -> bool:
        """Whether it is printed in the summary."""
        return not self.label.startswith("relstring")


def printed_lines(options: Options) -> list[Line]:
    """Return the lines that the options ask for, in trec_eval's order. Raises BadMeasure."""
    lines = []
    for name, parameters in sorted(options.measures.items(), key=lambda item: ORDER[item[0]]):
        if name == "runid":
            lines.append(Line(name))
        elif name == "relstring":
            if parameters and not (parameters.isascii() and parameters.isdecimal() and len(parameters) < 9):
                raise BadMeasure(f"relstring.{parameters}: expected a whole number")
            lines.append(Line(f"relstring_{parameters}" if parameters else name))
        else:
            lines += [_line(measure, name, options) for measure in measures_of(name, parameters)]
    return lines


def _line(measure: Measure, name: str, options: Options) -> Line:
    label = measure.trec_eval or name
    if name == "utility" and options.collection:
        given = {**dict(measure.parameters), "N": options.collection}
        measure = make_measure(measure.kind, given.items(), label=measure.label)
    return Line(label, measure)


def printed_report(hits: Hits, tag: str, options: Options, zscores: ZScores | None = None) -> Iterator[str]:
    """Yield what trec_eval prints for the judged hits of a run with this tag. Raises Stop, BadMeasure."""
    lines, index = printed_lines(options), hits.index
    chosen = chosen_topics(hits, options)
    measures = [line.measure for line in lines if line.measure]
    values = topic_values(hits, measures)
    labels = [line.label for line in lines if line.measure]
    if zscores is not None:
        values = as_zscores(values, index.topics, labels, zscores)
    if options.by_topic:
        printed = np.flatnonzero(chosen & hits.in_run if options.profile == "trec_eval-9" else chosen)
        yield from topic_lines(hits, lines, values, printed, zscores is not None)
    if options.summary:
        yield from summary_lines(tag, lines, values[chosen], zscores is not None)


def chosen_topics(hits: Hits, options: Options) -> Flags:
    """Return which topics are averaged."""
    chosen: Flags = np.ones(hits.topics, dtype=bool) if options.complete else hits.in_run.copy()
    if options.topic is not None:
        chosen &= np.array([topic == options.topic for topic in hits.index.topics])
    nothing = not chosen.any() or (options.profile == "trec_eval-9" and not hits.in_run.any())
    if nothing:
        raise Stop("trec_eval: no topics with both results and relevance info\n", 7)
    return chosen


def as_zscores(values: Matrix, topics: Sequence[str], labels: Sequence[str], zscores: ZScores) -> Matrix:
    """Return the values as deviations from the mean, in standard deviations; MISSING_ZSCORE where not
    known."""
    deviations: Matrix = np.full(values.shape, MISSING_ZSCORE)
    for row, topic in enumerate(topics):
        for column, label in enumerate(labels):
            average, deviation = zscores.get((topic, label), (np.nan, 0.0))
            if deviation:
                deviations[row, column] = (values[row, column] - average) / deviation
            elif values[row, column] == average:
                deviations[row, column] = 0.0
    return deviations


def topic_lines(hits: Hits, lines: list[Line], values: Matrix, rows: IntVector, as_z: bool) -> Iterator[str]:
    """Yield the lines of the topics in `rows`, those of a topic together."""
    words = {
        line.label: relstrings(hits, int(length or 10), missing=bool(length))
        for line in lines
        for name, _, length in [line.label.partition("_")]
        if name == "relstring"
    }
    columns = np.cumsum([line.measure is not None for line in lines]) - 1
    printed = [(line, column) for line, column in zip(lines, columns.tolist(), strict=True) if line.of_topics]
    form = "".join(print_format(line, as_z) for line, _ in printed)
    for row, numbers in zip(rows.tolist(), values[rows].tolist(), strict=True):
        cells = [
            words[line.label][row] if line.measure is None else numbers[column] for line, column in printed
        ]
        yield form % tuple(chain.from_iterable(zip(repeat(hits.index.topics[row]), cells, strict=False)))


def summary_lines(tag: str, lines: list[Line], values: Matrix, as_z: bool) -> Iterator[str]:
    """Yield the lines of all topics together. values: of the topics that are averaged."""
    means = iter(means_of(values, [line.measure for line in lines if line.measure], logs=as_z).tolist())
    for line in lines:
        if line.measure is None:
            if line.of_all:
                yield f"{line.label:<22}\tall\t{tag}\n"
        elif line.measure.kind.name == "NumQ":
            next(means)  # z-scores know none
            yield print_format(line, as_z) % ("all", len(values))
        else:
            yield print_format(line, as_z) % ("all", next(means))


def print_format(line: Line, as_z: bool) -> str:
    """Return how a line is printed, of a topic and a value. Counts are whole numbers, z-scores never."""
    if line.measure is None:
        return f"{line.label:<22}\t%s\t'%s'\n"
    if as_z:
        return f"Z{line.label:<22}\t%s\t%6.4f\n"
    counted = line.measure.kind.average == "sum"
    return f"{line.label:<22}\t%s\t%{'.0' if counted else '6.4'}f\n"
