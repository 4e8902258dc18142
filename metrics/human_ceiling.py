"""A judge scored as if a run: how well a human does against other humans' qrels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pooling.runfile import Run, tie_groups

from .evaluate import deepest
from .hits import Setting, find_hits
from .index import QrelsIndex
from .measure import Measure
from .ties import SAMPLE, TieReport, Ties


class JudgeAsRun:
    """A judge scored as if a run, against other ones' grades of the same documents, or against agreed ones.

    Documents of one grade are tied, and a judge has few grades: trec_eval would order each grade by docno,
    which the judge never said. What the judge left unjudged is not retrieved.
    """

    def __init__(self, run: Run, documents: QrelsIndex, setting: Setting | None = None) -> None:
        """run: every document that the judge graded, the grade as its score. documents: those that others
        graded, found once; their grades do not count."""
        self.run, self._found = run, find_hits(run, documents, setting or Setting())
        self._starts = tie_groups(run, self._found.profile)

    def against(
        self,
        other: QrelsIndex,
        topics: Sequence[str],
        measures: Sequence[Measure],
        sample: int = SAMPLE,
        seed: int = 0,
    ) -> TieReport:
        """Score the judge by another one's grades.

        other: the same rows with these grades. topics: those that both share, so that a judge is not scored
        on what was never assigned. The report's `expected` is the mean over `sample` random orders of equal
        grades (seeded), the value to show; `worst` and `best` bound it, `scored` is trec_eval's order by
        docno.
        """
        hits = replace(self._found, index=other, grade=other.qrels.grades[self._found.documents], _kept={})
        ties = Ties(self.run, self._starts, hits, deepest(measures), np.isin(other.topics, topics))
        return ties.report(measures, sample, seed)
