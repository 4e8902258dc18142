"""A judge scored as if a run, against the qrels of other judges: the human ceiling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from metrics.engine.evaluate import deepest_cutoff
from metrics.engine.hits import Hits, Settings, find_hits
from metrics.engine.qrels_index import QrelsIndex, index_qrels
from metrics.engine.ties import SAMPLE, TiedHits, TieReport
from metrics.measures.base import Measure
from pooling.arrays import IntVector
from pooling.formats.qrels import Qrels
from pooling.formats.run_order import tie_groups
from pooling.formats.runs import RunFile


class JudgeAsRun:
    """A judge scored as if a run, by other ones' grades of the same documents, or by agreed ones.

    Documents of the same grade are tied, so that a judge has many ties; trec_eval would order them by docno,
    which is not the judge's opinion. Documents that the judge did not label are not retrieved.
    """

    def __init__(self, run: RunFile, documents: QrelsIndex, setting: Settings | None = None) -> None:
        """run: the documents that the judge graded, with the grade as score. documents: those with other
        grades, indexed once; their grades are ignored."""
        self.run, self._run_hits = run, find_hits(run, documents, setting or Settings())
        self._starts = tie_groups(run, self._run_hits.profile)

    def against(
        self,
        other: Qrels,
        topics: Sequence[str],
        measures: Sequence[Measure],
        sample: int = SAMPLE,
        seed: int = 0,
    ) -> TieReport:
        """Score the judge by another one's grades.

        other: the same rows with these grades. topics: those that both cover, so that a judge is not scored
        on topics without an assignment. The report's `expected` is the mean over `sample` random orders of
        equal grades (seeded), the value to show; `worst` and `best` bound it, `scored` is trec_eval's order
        by docno.
        """
        ties = TiedHits(self.run, self._starts, self._hits(other, topics), deepest_cutoff(measures))
        return ties.report(measures, sample, seed)

    def _hits(self, other: Qrels, topics: Sequence[str]) -> Hits:
        """Return the judge's hits on some topics under these grades."""
        run_hits, (rows, offsets) = self._run_hits, _rows_on(other, topics)
        columns = {name: getattr(other, name)[rows] for name in ("docnos", "grades", "iterations")}
        index = index_qrels(replace(other, topics=tuple(topics), offsets=offsets, strata=None, **columns))
        before = run_hits.index.codes_of(index.topics)
        topic, document = np.full(run_hits.topics, -1), np.full(len(other.grades), -1)
        topic[before], document[rows] = np.arange(len(before)), np.arange(len(rows))
        selected = run_hits.take(np.flatnonzero(topic[run_hits.topic] >= 0))
        return replace(
            selected,
            index=index,
            topic=topic[selected.topic],
            document=document[selected.documents],
            grade=other.grades[selected.documents],
            retrieved=run_hits.retrieved[before],
            in_run=run_hits.in_run[before],
        )


def _rows_on(qrels: Qrels, topics: Sequence[str]) -> tuple[IntVector, IntVector]:
    """Return the rows of some topics, one topic after the other, and where each begins among them."""
    index_of = {topic: index for index, topic in enumerate(qrels.topics)}
    indices = [index_of[topic] for topic in topics]
    rows = [np.arange(qrels.offsets[index], qrels.offsets[index + 1]) for index in indices]
    lengths = np.diff(qrels.offsets)[indices]
    return np.concatenate(rows), np.concatenate([[0], np.cumsum(lengths)])
