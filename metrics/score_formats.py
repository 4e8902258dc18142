"""Scores of runs as files: a table, TSV, CSV, JSON, LaTeX, Parquet. Each states its settings.

Table and LaTeX round to four decimals, counts excepted; the others give every digit.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from assess.corrections import CORRECTIONS
from metrics.engine.evaluate import Scores
from metrics.measures.base import Measure
from metrics.rankings.ranking import is_best
from metrics.significance.all_pairs import ALPHA
from metrics.significance.paired import t_and_p
from pooling.spreadsheet import Table


class FileFormat(NamedTuple):
    """A file format. name: in URLs. meaning: what the file contains. needs: a package, "" for none."""

    name: str
    suffix: str
    content_type: str
    meaning: str
    needs: str = ""

    @property
    def is_available(self) -> bool:
        """Whether this server can write the format."""
        return not self.needs or find_spec(self.needs) is not None


CSV, TSV, JSON, LATEX, TREC_EVAL = "csv", "tsv", "json", "latex", "trec-eval"
PARQUET = "parquet"
FILE_FORMATS: dict[str, FileFormat] = {
    form.name: form
    for form in (
        FileFormat(CSV, ".csv", "text/csv; charset=utf-8", "CSV, long format, full precision"),
        FileFormat(
            TSV, ".tsv", "text/tab-separated-values; charset=utf-8", "TSV, long format, full precision"
        ),
        FileFormat(
            JSON,
            ".json",
            "application/json; charset=utf-8",
            "JSON: the mean and the topic values of each run",
        ),
        FileFormat(
            LATEX,
            ".tex",
            "text/x-tex; charset=utf-8",
            "LaTeX table: the best value in bold, a dagger for a significantly worse run",
        ),
        FileFormat(TREC_EVAL, ".txt", "text/plain; charset=utf-8", "output of trec_eval -q -c for each run"),
        FileFormat(
            PARQUET,
            ".parquet",
            "application/vnd.apache.parquet",
            "Parquet, long format, full precision",
            "pyarrow",
        ),
    )
}


def available_formats() -> list[FileFormat]:
    """Return the formats that this server can write."""
    return [form for form in FILE_FORMATS.values() if form.is_available]


COLUMNS = ("run", "topic", "measure", "value", "profile", "missing", "relevant_from")
TEX_ESCAPES = {
    **{letter: "\\" + letter for letter in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


class RunScores(NamedTuple):
    """One run's scores. name: of the run in the output. tag: the tag in the run file."""

    name: str
    tag: str
    scores: Scores


def score_rows(scored: Sequence[RunScores], by_topic: bool) -> Iterator[tuple[str, str, Sequence[float]]]:
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


def settings_line(scored: Sequence[RunScores]) -> str:
    """Return the profile, missing topics, the threshold of relevance and the number of topics, as text."""
    scores = scored[0].scores
    missing = "a topic that a run lacks scores 0" if scores.missing == "all" else "topics in both files only"
    counts = sorted({len(run.scores.topics) for run in scored})
    topics = f"{counts[0]} topics" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} topics"
    return f"profile {scores.profile_name}; {missing}; relevant from grade {scores.relevance}; {topics}"


def as_table(scored: Sequence[RunScores], by_topic: bool) -> Iterator[str]:
    """Yield the lines of an aligned table, runs (and topics) down, measures across."""
    measures = scored[0].scores.measures
    head = ["run", *(["topic"] if by_topic else []), *(measure.name for measure in measures)]
    body = [
        [name, *([topic] if by_topic else []), *map(rounded, values, measures)]
        for name, topic, values in score_rows(scored, by_topic)
    ]
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    words = 2 if by_topic else 1
    for line in (head, *body):
        cells = [
            cell.ljust(width) if index < words else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip() + "\n"
    yield f"({settings_line(scored)})\n"


def long_lines(scored: Sequence[RunScores], by_topic: bool) -> Iterator[tuple[str | float, ...]]:
    """Yield one line per value, with the fields of COLUMNS."""
    scores = scored[0].scores
    counts = [measure.kind.average == "sum" for measure in scores.measures]
    for name, topic, values in score_rows(scored, by_topic):
        for measure, value, is_count in zip(scores.measures, values, counts, strict=True):
            setting = scores.profile_name, scores.missing, scores.relevance
            yield name, topic, measure.name, exact(value, is_count), *setting


def as_tsv(scored: Sequence[RunScores], by_topic: bool) -> Iterator[str]:
    """Yield tab-separated lines under a heading, one per value."""
    return _separated(scored, by_topic, "\t")


def as_csv(scored: Sequence[RunScores], by_topic: bool) -> Iterator[str]:
    """Yield comma-separated lines under a heading, one per value."""
    return _separated(scored, by_topic, ",")


def _separated(scored: Sequence[RunScores], by_topic: bool, delimiter: str) -> Iterator[str]:
    yield delimiter.join(COLUMNS) + "\n"
    for run in scored:  # one at a time: memory does not grow with the number of runs
        text = io.StringIO(newline="")
        Table(text, delimiter, "\n").writerows(long_lines([run], by_topic))
        yield text.getvalue()


def as_json(scored: Sequence[RunScores], by_topic: bool) -> Iterator[str]:
    """Yield one JSON object: the settings, and for each run its means and, by_topic, its topics' values."""
    scores = scored[0].scores
    names = [measure.name for measure in scores.measures]
    settings = {
        "profile": scores.profile_name,
        "missing": scores.missing,
        "relevant_from": scores.relevance,
        "measures": names,
    }
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


def as_latex(scored: Sequence[RunScores], by_topic: bool) -> Iterator[str]:
    """Yield the lines of a LaTeX table, runs (and topics) down, measures across."""
    measures = scored[0].scores.measures
    body = (
        [name, *([topic] if by_topic else []), *map(rounded, values, measures)]
        for name, topic, values in score_rows(scored, by_topic)
    )
    yield from latex_lines(scored, ["Run", "Topic"] if by_topic else ["Run"], (map(tex, row) for row in body))


def latex_lines(
    scored: Sequence[RunScores], words: Sequence[str], body: Iterable[Iterable[str]], note: str = ""
) -> Iterator[str]:
    """Yield the lines of a LaTeX table with a column for each measure; it needs the package booktabs.

    words: the heads of the columns before those of the measures. body: rows of cells, already as TeX. note:
    a last row, as TeX.
    """
    measures = scored[0].scores.measures
    yield f"% {settings_line(scored)}; \\usepackage{{booktabs}}\n"
    yield f"\\begin{{tabular}}{{{'l' * len(words)}{'r' * len(measures)}}}\n\\toprule\n"
    yield _latex_row([*words, *(tex(measure.name) for measure in measures)]) + "\\midrule\n"
    for cells in body:
        yield _latex_row(cells)
    yield f"\\bottomrule\n{note}\\end{{tabular}}\n"


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + " \\\\\n"


def tex(text: str) -> str:
    """Return a text with TeX's special characters escaped."""
    return "".join(TEX_ESCAPES.get(letter, letter) for letter in text)


FORMATS: dict[str, Callable[[Sequence[RunScores], bool], Iterator[str]]] = {
    "table": as_table,
    "tsv": as_tsv,
    "csv": as_csv,
    "json": as_json,
    "latex": as_latex,
}


MARK = r"$^{\dagger}$"
TEST = "paired t-test against the best, two-sided, Holm over the runs of a column"


def latex_table(scored: Sequence[RunScores], alpha: float = ALPHA) -> Iterator[str]:
    r"""Yield the lines of a LaTeX table; it needs the package booktabs. Four decimals, as trec_eval prints.

    scored: runs over the same topics. A dagger marks a mean that is significantly worse than the column's
    best (paired t-test, Holm's correction for the other runs). A measure that is not a mean over topics, such
    as a count or a geometric mean, is not tested; nor is any measure over fewer than two topics. A measure
    that says nothing of quality has no best value.
    """
    width = len(scored[0].scores.measures)
    columns = [_column(scored, index, alpha) for index in range(width)]
    note = (
        f"\\multicolumn{{{width + 1}}}{{l}}{{\\footnotesize "
        f"Bold: best. {MARK} worse than the best, $p \\leq {alpha:g}$ ({TEST}).}}\n"
    )
    body = ([tex(run.name), *cells] for run, *cells in zip(scored, *columns, strict=True))
    yield from latex_lines(scored, ["Run"], body, note)


def _column(scored: Sequence[RunScores], index: int, alpha: float) -> list[str]:
    """Return the cells of one measure, one for each run."""
    measure = scored[0].scores.measures[index]
    means = [float(run.scores.means[index]) for run in scored]
    best = np.flatnonzero(is_best(np.array(means), measure.direction)).tolist()
    worse = worse_than(scored, index, best[0], alpha) if best and measure.is_mean else set()
    cells = []
    for row, mean in enumerate(means):
        figure = rounded(mean, measure)
        figure = f"\\textbf{{{figure}}}" if row in best else figure
        cells.append(figure + (MARK if row in worse else ""))
    return cells


def worse_than(scored: Sequence[RunScores], index: int, best: int, alpha: float) -> set[int]:
    """Return which runs differ significantly from the best on a measure, as places in `scored`."""
    values = np.stack([run.scores.values[:, index] for run in scored], axis=1)
    if min(values.shape) < 2:
        return set()
    others = [system for system in range(len(scored)) if system != best]
    _, p = t_and_p(values[:, others] - values[:, [best]])
    corrected = CORRECTIONS["holm"](p).p
    return {system for system, p in zip(others, corrected, strict=True) if p is not None and p <= alpha}


def as_parquet(scored: Sequence[RunScores]) -> bytes:
    """Return a Parquet file with one row group per run. Raises ImportError if pyarrow is not installed."""
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    word = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    numbers = {"value": pyarrow.float64(), "relevant_from": pyarrow.int64()}
    schema = pyarrow.schema([(name, numbers.get(name, word)) for name in COLUMNS])
    file = io.BytesIO()
    with ParquetWriter(file, schema) as writer:
        for run in scored:
            writer.write_table(pyarrow.table(_columns(run), schema=schema))
    return file.getvalue()


def _columns(run: RunScores) -> dict[str, list[Any]]:
    """Return the columns of one run, with one row per value."""
    measures, scores = run.scores.measures, run.scores
    setting = scores.profile_name, scores.missing, scores.relevance
    lines = [
        (name, topic, measure.name, value, *setting)
        for name, topic, values in score_rows([run], by_topic=True)
        for measure, value in zip(measures, values, strict=True)
    ]
    return dict(zip(COLUMNS, map(list, zip(*lines, strict=True)), strict=True))
