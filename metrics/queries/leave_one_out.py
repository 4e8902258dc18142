"""Leave-one-out scores: runs scored without the judgments of documents that they alone contributed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assess.queries.campaign_reads import CampaignReads
from assess.queries.release_draft import AgreedColumns
from metrics.engine.evaluate import means_of
from metrics.engine.hits import RankedHits
from metrics.engine.stored_runs import RegradedQrels
from metrics.measures.average_precision import average_precision_of
from metrics.measures.names import parse_measure
from metrics.queries.judge_qrels import qrels_of_columns
from metrics.queries.scores import stored_runs
from pooling.arrays import IntVector, Matrix
from pooling.models import Run
from pooling.quality.contribution import NO_OWNER

QUALITY_MEASURE = "AP"
MEASURES = [parse_measure(QUALITY_MEASURE)]
SCORES = 3  # all judgments; without documents of this run alone; without documents of its group alone


class SoleContributors(NamedTuple):
    """The only run and group that contributed each document of `CampaignReads.pooled`, or NOBODY.

    run, group: positions, shape (documents,). group_of_run: shape (runs,).
    """

    run: IntVector
    group: IntVector
    group_of_run: IntVector


def leave_one_out_scores(
    reads: CampaignReads, runs: Sequence[Run], agreed: AgreedColumns, alone: SoleContributors
) -> Matrix:
    """Return the scores of the runs in three ways, shape (SCORES, runs).

    With all judgments, without those of documents that the run alone contributed, and without those of
    documents that its group alone contributed. Every score is a mean over the topics that then have a
    judgment; 0 without such a topic.
    """
    numbers, documents = reads.topic_numbers, reads.pooled
    in_order = sorted(
        range(len(numbers)), key=lambda topic: numbers[topic].encode()
    )  # the order of a qrels index
    relevant = agreed.documents[agreed.grades >= reads.campaign.threshold]
    values = np.zeros((len(numbers), SCORES, len(runs)))
    if len(relevant):
        values = leave_one_out_precisions(reads, runs, relevant, alone)
    values = values[in_order]
    remaining = remaining_counts(documents.topic, agreed.documents, alone, len(numbers))[in_order] > 0
    scores = np.empty((SCORES, len(runs)))
    for index in np.ndindex(scores.shape):
        column = values[:, *index][remaining[:, *index]]
        scores[index] = means_of(column[:, None], MEASURES)[0]
    return scores


def leave_one_out_precisions(
    reads: CampaignReads, runs: Sequence[Run], relevant: IntVector, alone: SoleContributors
) -> Matrix:
    """Return the average precision of each run on each topic of the campaign, in the three ways of
    `leave_one_out_scores`; shape (topics, SCORES, runs); 0 on a topic without a relevant document.

    relevant: rows of `CampaignReads.pooled`, by topic, at least one. All runs are scored at once: every pair
    of a run and a topic is treated as a topic.
    """
    numbers, documents = reads.topic_numbers, reads.pooled
    index_of = {number: index for index, number in enumerate(numbers)}
    qrels = qrels_of_columns(reads, AgreedColumns(relevant, np.ones_like(relevant)))
    regraded = RegradedQrels(qrels, reads.docnos)
    run_hits = [regraded.hits_of(run, 1) for run in stored_runs(runs)]
    topics = [index_of[topic] for topic in run_hits[0].index.topics]
    run = np.repeat(np.arange(len(runs)), [len(hits.rank) for hits in run_hits])
    topic, rank, row = (
        np.concatenate([getattr(hits, field) for hits in run_hits]) for field in ("topic", "rank", "grade")
    )
    key, document = run * len(topics) + topic, relevant[row]
    totals = remaining_counts(documents.topic, relevant, alone, len(numbers))[topics]
    stays = (
        np.ones(len(run), dtype=bool),
        alone.run[document] != run,
        alone.group[document] != alone.group_of_run[run],
    )
    values = np.zeros((len(numbers), SCORES, len(runs)))
    for index, chosen in enumerate(stays):
        hits = RankedHits(key[chosen], rank[chosen], len(runs) * len(topics))
        precision = average_precision_of(hits, hits.counts, totals[:, index].T.ravel())
        values[topics, index] = precision.reshape(len(runs), len(topics)).T
    return values


def remaining_counts(topic: IntVector, chosen: IntVector, alone: SoleContributors, topics: int) -> IntVector:
    """Return the number of chosen documents of each topic in the three ways of `leave_one_out_scores`.

    Shape (topics, SCORES, runs). topic: of every document in `CampaignReads.pooled`. chosen: rows there.
    """
    runs, groups = len(alone.group_of_run), int(alone.group_of_run.max(initial=-1)) + 1

    def removed(owner: IntVector, owners: int) -> IntVector:
        own = chosen[owner[chosen] != NO_OWNER]
        cells = topic[own] * owners + owner[own]
        return np.bincount(cells, minlength=topics * owners).reshape(topics, owners)

    counts = np.bincount(topic[chosen], minlength=topics)
    by_run, by_group = removed(alone.run, runs), removed(alone.group, groups)[:, alone.group_of_run]
    return counts[:, None, None] - np.stack([np.zeros_like(by_run), by_run, by_group], axis=1)
