"""The agreed grades of a campaign as qrels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assess.consensus import majorities
from assess.models import QrelsRelease
from assess.queries.agreement import AgreementScope
from assess.queries.campaign_reads import CampaignReads
from assess.queries.release_draft import AgreedColumns, agreed_columns, released_columns
from assess.release.plan import ReleasePlan
from pooling.arrays import Flags, IntVector
from pooling.formats.docnos import UNKNOWN
from pooling.formats.qrels import Qrels


def qrels_of_columns(reads: CampaignReads, agreed: AgreedColumns) -> Qrels:
    """Return the agreed grades as qrels, one row each in the same order; topics in campaign order."""
    rows, numbers = reads.pooled.where(agreed.documents), reads.topic_numbers
    topics, starts = np.unique(rows.topic, return_index=True)
    return Qrels(
        tuple(numbers[index] for index in topics.tolist()),
        np.append(starts, len(rows.docno)),
        rows.docno,
        agreed.grades,
        np.zeros(len(rows.docno), dtype="S8"),
    )


COVERED = 0.9  # the share of a topic's official documents that a judge must have labelled to cover the topic

COMBINED = "majority", "union", "intersection"
LOWEST, HIGHEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


class OfficialQrels(NamedTuple):
    """The official qrels: the latest release, or the majority of the labels so far.

    documents: the row in `CampaignReads.pooled` of every row.
    """

    name: str
    qrels: Qrels
    documents: IntVector

    @property
    def topic(self) -> IntVector:
        """The position in the qrels' topics of every row."""
        return self.qrels.topic_of_rows()


class JudgeQrels(NamedTuple):
    """The grades of each judge. judges: those who cover a topic.

    grades: of the official documents; a document that a judge did not label has its official grade. covered:
    which topics each judge covers, shape (judges, topics).
    """

    judges: tuple[str, ...]
    grades: IntVector
    covered: Flags


def official_qrels(reads: CampaignReads, release: QrelsRelease | None) -> OfficialQrels:
    """Return the latest release's grades; without a release, the majority of people's labels."""
    if release is None:
        agreed = agreed_columns(reads, ReleasePlan())
        qrels = qrels_of_columns(reads, agreed)
        return OfficialQrels("the majority of people's labels so far", qrels, agreed.documents)
    released = released_columns(reads, release)
    return OfficialQrels(
        f"{release}", _judged(released.qrels), released.documents[released.qrels.grades >= 0]
    )


def _judged(qrels: Qrels) -> Qrels:
    """Return the qrels without negative grades, which mark documents that were pooled but not judged."""
    rows = qrels.grades >= 0
    counts = np.bincount(qrels.topic_of_rows()[rows], minlength=len(qrels.topics))
    topics = tuple(topic for topic, count in zip(qrels.topics, counts.tolist(), strict=True) if count)
    offsets = np.concatenate([[0], np.cumsum(counts[counts > 0])])
    return Qrels(topics, offsets, qrels.docnos[rows], qrels.grades[rows], qrels.iterations[rows])


def judge_qrels(scope: AgreementScope, official: OfficialQrels) -> JudgeQrels:
    """Return the qrels of every judge who covers a topic."""
    labels, topic = scope.labels, official.topic
    documents = scope.reads.pooled
    row_of = np.full(len(documents.pk), UNKNOWN)
    row_of[official.documents] = np.arange(len(topic))
    rows = row_of[np.searchsorted(documents.pk, np.array(labels.items, dtype=np.int64))]
    scale, needed = np.array(labels.scale), COVERED * np.diff(official.qrels.offsets)
    judges, grades, covered = [], [], []
    for judge, places in zip(labels.judges, labels.places, strict=True):
        given = (places >= 0) & (rows >= 0)
        enough = np.bincount(topic[rows[given]], minlength=len(needed)) >= needed
        if enough.any():
            own = official.qrels.grades.copy()
            own[rows[given]] = scale[places[given]]
            judges.append(judge)
            grades.append(np.where(enough[topic], own, official.qrels.grades))
            covered.append(enough)
    return JudgeQrels(
        tuple(judges),
        np.array(grades, dtype=np.int64).reshape(len(judges), len(topic)),
        np.array(covered, dtype=bool).reshape(len(judges), len(needed)),
    )


def combined_grades(
    grades: IntVector, counted: Flags, official: IntVector, topic: IntVector, threshold: int
) -> dict[str, IntVector]:
    """Return majority, union and intersection of the judges who cover a topic; elsewhere the official grades.

    Where a rule gives a topic no relevant document, the union is used, as Voorhees (2000) does for empty
    intersections. counted: whether the judge covers the topic, in the shape of `grades`.
    """
    if not counted.any():
        return dict.fromkeys(COMBINED, official)
    union = np.where(counted, grades, LOWEST).max(axis=0)
    judges, documents = np.nonzero(counted)
    scale = np.unique(grades[counted]).tolist()
    combinations = {
        "majority": majorities(documents, grades[judges, documents], len(topic), scale),
        "union": union,
        "intersection": np.where(counted, grades, HIGHEST).min(axis=0),
    }
    covered = counted.any(axis=0)
    for name, agreed in combinations.items():
        best = np.full(int(topic.max()) + 1, LOWEST)
        np.maximum.at(best, topic, agreed)
        combinations[name] = np.where(covered, np.where(best[topic] < threshold, union, agreed), official)
    return combinations
