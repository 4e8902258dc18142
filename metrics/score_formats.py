"""Scores of runs as text: a table, TSV, CSV, JSON, LaTeX. Each states the profile.

Table and LaTeX round to four decimals, counts excepted; the others give every digit.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from metrics.evaluate import Scores
from metrics.measure import Measure
from pooling.spreadsheet import Table

LONG = ("run", "topic", "measure", "value", "profile", "missing")
SPECIAL = {
    **{letter: "\\" + letter for letter in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


class Scored(NamedTuple):
    """One run's scores. name: of the run in the output. tag: the tag in the run file."""

    name: str
    tag: str
    scores: Scores


def rows(scored: Sequence[Scored], by_topic: bool) -> Iterator[tuple[str, str, Sequence[float]]]:
    """Yield run, topic and one value per measure; the topic is "all" for the mean, which comes last."""
    for run in scored:
        if by_topic:
            for topic, values in zip(run.scores.topics, run.scores.values.tolist(), strict=True):
                yield run.name, topic, values
        yield run.name, "all", run.scores.means.tolist()


def rounded(value: float, measure: Measure) -> str:
    """Return a value to four decimals, as printf rounds; a count as a whole number."""
    return f"{value:.0f}" if measure.kind.average == "sum" and not value % 1 else f"{value:.4f}"


def exact(value: float, is_count: bool) -> float:
    """Return a value with all its digits; a count as a whole number."""
    return int(value) if is_count and not value % 1 else value


def setting(scored: Sequence[Scored]) -> str:
    """Return the profile, the treatment of missing topics and the number of topics, as text."""
    scores = scored[0].scores
    missing = "a topic that a run lacks scores 0" if scores.missing == "all" else "topics in both files only"
    counts = sorted({len(run.scores.topics) for run in scored})
    topics = f"{counts[0]} topics" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} topics"
    return f"profile {scores.profile}; {missing}; {topics}"


def table(scored: Sequence[Scored], by_topic: bool) -> Iterator[str]:
    """Yield the lines of an aligned table, runs (and topics) down, measures across."""
    measures = scored[0].scores.measures
    head = ["run", *(["topic"] if by_topic else []), *(measure.name for measure in measures)]
    body = [
        [name, *([topic] if by_topic else []), *map(rounded, values, measures)]
        for name, topic, values in rows(scored, by_topic)
    ]
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    words = 2 if by_topic else 1
    for line in (head, *body):
        cells = [
            cell.ljust(width) if place < words else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip() + "\n"
    yield f"({setting(scored)})\n"


def long_lines(scored: Sequence[Scored], by_topic: bool) -> Iterator[tuple[str | float, ...]]:
    """Yield one line per value: run, topic, measure, value, profile, missing."""
    scores = scored[0].scores
    counts = [measure.kind.average == "sum" for measure in scores.measures]
    for name, topic, values in rows(scored, by_topic):
        for measure, value, is_count in zip(scores.measures, values, counts, strict=True):
            yield name, topic, measure.name, exact(value, is_count), scores.profile, scores.missing


def tsv(scored: Sequence[Scored], by_topic: bool) -> Iterator[str]:
    """Yield tab-separated lines under a heading, one per value."""
    return _separated(scored, by_topic, "\t")


def comma_separated(scored: Sequence[Scored], by_topic: bool) -> Iterator[str]:
    """Yield comma-separated lines under a heading, one per value."""
    return _separated(scored, by_topic, ",")


def _separated(scored: Sequence[Scored], by_topic: bool, delimiter: str) -> Iterator[str]:
    yield delimiter.join(LONG) + "\n"
    for run in scored:  # one at a time: memory does not grow with the number of runs
        text = io.StringIO(newline="")
        Table(text, delimiter, "\n").writerows(long_lines([run], by_topic))
        yield text.getvalue()


def as_json(scored: Sequence[Scored], by_topic: bool) -> Iterator[str]:
    """Yield one JSON object: the settings, and for each run its means and, by_topic, its topics' values."""
    scores = scored[0].scores
    names = [measure.name for measure in scores.measures]
    settings = {"profile": scores.profile, "missing": scores.missing, "measures": names}
    yield json.dumps(settings, ensure_ascii=False)[:-1] + ', "runs": [\n'
    for nth, run in enumerate(scored):
        content = {
            "run": run.name,
            "tag": run.tag,
            "topics_scored": len(run.scores.topics),
            "means": dict(zip(names, run.scores.means.tolist(), strict=True)),
            **({"topics": _of_topics(run.scores, names)} if by_topic else {}),
        }
        yield (",\n" if nth else "") + json.dumps(content, ensure_ascii=False)
    yield "\n]}\n"


def _of_topics(scores: Scores, names: Sequence[str]) -> dict[str, dict[str, float]]:
    lines = zip(scores.topics, scores.values.tolist(), strict=True)
    return {topic: dict(zip(names, values, strict=True)) for topic, values in lines}


def latex(scored: Sequence[Scored], by_topic: bool) -> Iterator[str]:
    """Yield the lines of a LaTeX table, runs (and topics) down, measures across."""
    measures = scored[0].scores.measures
    body = (
        [name, *([topic] if by_topic else []), *map(rounded, values, measures)]
        for name, topic, values in rows(scored, by_topic)
    )
    yield from latex_lines(scored, ["Run", "Topic"] if by_topic else ["Run"], (map(tex, row) for row in body))


def latex_lines(
    scored: Sequence[Scored], words: Sequence[str], body: Iterable[Iterable[str]], note: str = ""
) -> Iterator[str]:
    """Yield the lines of a LaTeX table with a column for each measure; it needs the package booktabs.

    words: the heads of the columns before those of the measures. body: rows of cells, already as TeX. note:
    a last row, as TeX.
    """
    measures = scored[0].scores.measures
    yield f"% {setting(scored)}; \\usepackage{{booktabs}}\n"
    yield f"\\begin{{tabular}}{{{'l' * len(words)}{'r' * len(measures)}}}\n\\toprule\n"
    yield _latex_row([*words, *(tex(measure.name) for measure in measures)]) + "\\midrule\n"
    for cells in body:
        yield _latex_row(cells)
    yield f"\\bottomrule\n{note}\\end{{tabular}}\n"


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + " \\\\\n"


def tex(text: str) -> str:
    """Return a text with TeX's special characters escaped."""
    return "".join(SPECIAL.get(letter, letter) for letter in text)


FORMATS: dict[str, Callable[[Sequence[Scored], bool], Iterator[str]]] = {
    "table": table,
    "tsv": tsv,
    "csv": comma_separated,
    "json": as_json,
    "latex": latex,
}
