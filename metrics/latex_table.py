"""The LaTeX table of a paper: the best in bold, a dagger where a run is significantly worse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from metrics.ranking import is_best
from metrics.score_formats import Scored, latex_lines, rounded, tex
from metrics.significance.all_pairs import ALPHA
from metrics.significance.corrections import CORRECTIONS
from metrics.significance.t_test import t_and_p

MARK = r"$^{\dagger}$"
TEST = "paired t-test against the best, two-sided, Holm over the runs of a column"


def latex_table(scored: Sequence[Scored], alpha: float = ALPHA) -> Iterator[str]:
    r"""Yield the lines of a LaTeX table; it needs the package booktabs. Four decimals, as trec_eval prints.

    scored: runs over the same topics. A dagger marks a mean that is significantly worse than the column's
    best (paired t-test, Holm's correction for the other runs). A measure that is not a mean over topics, such
    as a count or a geometric mean, is not tested; nor is any measure over fewer than two topics. A measure
    that says nothing of quality has no best value.
    """
    width = len(scored[0].scores.measures)
    columns = [_column(scored, place, alpha) for place in range(width)]
    note = (
        f"\\multicolumn{{{width + 1}}}{{l}}{{\\footnotesize "
        f"Bold: best. {MARK} worse than the best, $p \\leq {alpha:g}$ ({TEST}).}}\n"
    )
    body = ([tex(run.name), *cells] for run, *cells in zip(scored, *columns, strict=True))
    yield from latex_lines(scored, ["Run"], body, note)


def _column(scored: Sequence[Scored], place: int, alpha: float) -> list[str]:
    """Return the cells of one measure, one for each run."""
    measure = scored[0].scores.measures[place]
    means = [float(run.scores.means[place]) for run in scored]
    best = np.flatnonzero(is_best(np.array(means), measure.direction)).tolist()
    worse = worse_than(scored, place, best[0], alpha) if best and measure.is_mean else set()
    cells = []
    for row, mean in enumerate(means):
        figure = rounded(mean, measure)
        figure = f"\\textbf{{{figure}}}" if row in best else figure
        cells.append(figure + (MARK if row in worse else ""))
    return cells


def worse_than(scored: Sequence[Scored], place: int, best: int, alpha: float) -> set[int]:
    """Return which runs differ significantly from the best on a measure, as places in `scored`."""
    values = np.stack([run.scores.values[:, place] for run in scored], axis=1)
    if min(values.shape) < 2:
        return set()
    others = [system for system in range(len(scored)) if system != best]
    _, p = t_and_p(values[:, others] - values[:, [best]])
    corrected = CORRECTIONS["holm"](p).p
    return {system for system, p in zip(others, corrected, strict=True) if p is not None and p <= alpha}
