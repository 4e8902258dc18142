"""The table of a paper: runs down, measures across, the best in bold, and who is significantly below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from metrics.ranking import is_best
from metrics.score_formats import Scored, rounded, setting, tex
from metrics.significance.all_pairs import ALPHA
from metrics.significance.corrections import CORRECTIONS
from metrics.significance.t_test import t_and_p

MARK = r"$^{\dagger}$"
TEST = "paired t-test against the best, two-sided, Holm over the runs of a column"


def latex_table(scored: Sequence[Scored], alpha: float = ALPHA) -> Iterator[str]:
    r"""Yield the lines of a LaTeX table; it needs the package booktabs. Four decimals, as trec_eval prints.

    scored: runs over the same topics. A dagger marks a mean that is significantly worse than the column's
    best (paired t-test, Holm's correction for the other runs). A measure that is no mean over topics, such as
    a count or a geometric mean, is not tested; neither is one over fewer than two topics. A measure that says
    nothing of quality has no best.
    """
    measures, width = scored[0].scores.measures, len(scored[0].scores.measures)
    columns = [_column(scored, place, alpha) for place in range(width)]
    yield f"% {setting(scored)}; \\usepackage{{booktabs}}\n"
    yield f"\\begin{{tabular}}{{l{'r' * width}}}\n\\toprule\n"
    yield " & ".join(["Run", *(tex(measure.name) for measure in measures)]) + " \\\\\n\\midrule\n"
    for run, *cells in zip(scored, *columns, strict=True):
        yield " & ".join([tex(run.name), *cells]) + " \\\\\n"
    yield f"\\bottomrule\n\\multicolumn{{{width + 1}}}{{l}}{{\\footnotesize "
    yield f"Bold: best. {MARK} worse than the best, $p \\leq {alpha:g}$ ({TEST}).}}\n\\end{{tabular}}\n"


def _column(scored: Sequence[Scored], place: int, alpha: float) -> list[str]:
    """Return the cells of a measure, a run each."""
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
