"""A judge scored as if a run: how well a human does against other humans' qrels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pooling.columns import IntVector
from pooling.qrels import Qrels
from pooling.runfile import Run

from .hits import Setting
from .index import index_qrels
from .measure import Measure
from .ties import SAMPLE, TieReport, tie_report


def human_ceiling(
    judge: Run,
    others: Mapping[str, Qrels],
    measures: Sequence[Measure],
    setting: Setting | None = None,
    sample: int = SAMPLE,
    seed: int = 0,
) -> dict[str, TieReport]:
    """Score a judge as if a run against each other one's grades, or against agreed ones.

    judge: every document that the judge graded, the grade as its score. Documents of one grade are tied, and
    a judge has few grades: trec_eval would order each grade by docno, which the judge never said. others:
    name -> grades. Both are cut to the topics that they share, so that a judge is not scored on what was
    never assigned; documents are not cut: what the judge left unjudged is not retrieved. The report's
    `expected` is the mean over `sample` random orders of equal grades (seeded), the value to show; `worst`
    and `best` bound it, `scored` is trec_eval's order by docno. Names that share no topic with the judge are
    absent from the answer.
    """
    found = {}
    for name, other in others.items():
        shared = tuple(topic for topic in other.topics if topic in judge.topics)
        if shared:
            index = index_qrels(qrels_on(other, shared))
            found[name] = tie_report(_run_on(judge, shared), index, measures, setting, sample, seed)
    return found


def _run_on(run: Run, topics: Sequence[str]) -> Run:
    """Return a run on some of its topics."""
    rows, offsets = _rows(run.topics, run.offsets, topics)
    return Run(run.tag, tuple(topics), offsets, run.docnos[rows], run.scores[rows])


def qrels_on(qrels: Qrels, topics: Sequence[str]) -> Qrels:
    """Return the qrels of some of their topics."""
    rows, offsets = _rows(qrels.topics, qrels.offsets, topics)
    columns = {name: getattr(qrels, name)[rows] for name in ("docnos", "grades", "iterations")}
    return replace(qrels, topics=tuple(topics), offsets=offsets, strata=None, **columns)


def _rows(names: Sequence[str], offsets: IntVector, topics: Sequence[str]) -> tuple[IntVector, IntVector]:
    """Return the rows of some topics, one topic after the other, and where each begins among them."""
    places = [names.index(topic) for topic in topics]
    rows = np.concatenate([np.arange(offsets[place], offsets[place + 1]) for place in places])
    return rows, np.concatenate([[0], np.cumsum(np.diff(offsets)[places])])
