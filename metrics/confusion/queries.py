"""Labels of two sources on the same documents, and how they are confused."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from accounts.models import User
from assess.event_columns import Ints
from assess.kappa.tables import confusion
from assess.kappa.two_judges import cohen
from assess.queries.campaign_reads import CampaignReads
from assess.queries.independence import hidden_keys
from assess.queries.release_draft import released_columns
from metrics.confusion.classes import (
    Averages,
    ConfusedPair,
    averages,
    binary_tables,
    confused_pairs,
    used_tables,
)
from metrics.confusion.roc import GradeRoc, grade_roc
from metrics.engine.confusion import ConfusionMatrix

GRADES, TOPICS = "grades", "topics"
CLASSES = {GRADES: "the grades", TOPICS: "the topics, relevant or not"}


class LabelSource(NamedTuple):
    """A release, or a person or a program with labels. key: in addresses."""

    key: str
    name: str
    is_program: bool = False


class CommonLabels(NamedTuple):
    """The documents that both have labelled, and the grades of each, all of shape (documents,).

    pooled: places in `CampaignReads.pooled`. expert, system: places on the scale. hidden: documents left out,
    because the reader is still to judge them.
    """

    pooled: Ints
    expert: Ints
    system: Ints
    hidden: int


class Confusion(NamedTuple):
    """How two sources of labels are confused.

    matrix: of grades, None if the classes are topics. kappa: Cohen's over the grades. right: documents with
    the same class. roc: of grades, see `grade_roc`.
    """

    expert: LabelSource
    system: LabelSource
    labels: CommonLabels
    matrix: ConfusionMatrix | None
    averages: Averages
    pairs: list[ConfusedPair]
    kappa: float | None
    right: int
    roc: GradeRoc | None = None

    @property
    def documents(self) -> int:
        return len(self.labels.pooled)

    @property
    def share(self) -> float | None:
        return self.right / self.documents if self.documents else None


def label_sources(reads: CampaignReads) -> list[LabelSource]:
    """Return the standing releases, newest first, then people and programs with labels, by name."""
    releases = reads.campaign.releases.filter(withdrawn_at=None)
    released = [LabelSource(f"v{each.number}", f"{each}") for each in releases]
    having = set(reads.labels.all.judge.tolist())
    sources = [
        LabelSource(
            f"judge:{each.user.username}",
            f"{each.user} (program)" if each.is_program else f"{each.user}",
            each.is_program,
        )
        for each in reads.sources
        if each.user_id in having
    ]
    return [*released, *sources]


def compared_sources(
    sources: list[LabelSource], expert: str, system: str
) -> tuple[LabelSource | None, LabelSource | None]:
    """Return the sources of two keys; None where there are fewer than two sources.

    Without a known key, the expert is the first source, and the system the last one of people: a program is
    compared only if somebody asks for it.
    """
    by_key = {source.key: source for source in sources}
    first = by_key.get(expert, sources[0] if sources else None)
    others = [source for source in sources if source != first]
    if not others:
        return None, None
    people = [source for source in others if not source.is_program]
    return first, by_key.get(system, (people or others)[-1])


def confusion_of(
    reads: CampaignReads, reader: User, expert: LabelSource, system: LabelSource, classes: str, beta: float
) -> Confusion:
    """Return the confusion of two sources. classes: GRADES or TOPICS. beta: of F."""
    labels, campaign = common_labels(reads, reader, expert, system), reads.campaign
    names = tuple(f"{grade.value} {grade.label}" for grade in campaign.grades)
    counts = confusion(labels.expert.tolist(), labels.system.tolist(), range(len(names)))
    matrix = ConfusionMatrix(names, counts)
    relevant = np.array([grade.value >= campaign.threshold for grade in campaign.grades], dtype=bool)
    right, kappa = int(np.trace(counts)), cohen(counts)
    if classes == GRADES:
        averaged = averages(used_tables(matrix), beta)
        up = np.argsort([grade.value for grade in campaign.grades])
        roc = grade_roc(counts[up][:, up], relevant[up], [str(campaign.grades[place].value) for place in up])
        return Confusion(expert, system, labels, matrix, averaged, confused_pairs(matrix), kappa, right, roc)
    topics = tuple(f"{topic.number} {topic.title}" for topic in reads.topics)
    yes, said = relevant[labels.expert], relevant[labels.system]
    tables = binary_tables(yes, said, reads.pooled.topic[labels.pooled], topics)
    return Confusion(
        expert, system, labels, None, averages(tables, beta), [], kappa, int((yes == said).sum())
    )


def common_labels(
    reads: CampaignReads, reader: User, expert: LabelSource, system: LabelSource
) -> CommonLabels:
    """Return the documents with a grade of both that the reader may see."""
    first, second = _grades(reads, expert), _grades(reads, system)
    both = np.flatnonzero((first >= 0) & (second >= 0))
    hidden = np.isin(reads.pooled.pk[both], list(hidden_keys(reader, reads.campaign)))
    seen = both[~hidden]
    return CommonLabels(seen, first[seen], second[seen], int(hidden.sum()))


def _grades(reads: CampaignReads, source: LabelSource) -> Ints:
    """Return for each document of `reads.pooled` the place on the scale of its grade, -1 without one."""
    places, grades = _labels(reads, source)
    scale = np.array([grade.value for grade in reads.campaign.grades], dtype=np.int64)
    graded = np.isin(grades, scale)
    indexes: Ints = np.full(len(reads.pooled.pk), -1, dtype=np.int64)
    order = np.argsort(scale)
    indexes[places[graded]] = order[np.searchsorted(scale[order], grades[graded])]
    return indexes


def _labels(reads: CampaignReads, source: LabelSource) -> tuple[Ints, Ints]:
    """Return the places of the labelled documents, and their grades."""
    if not source.key.startswith("judge:"):
        lines = released_columns(reads, reads.campaign.releases.get(number=source.key[1:]))
        return lines.documents, np.asarray(lines.qrels.grades, dtype=np.int64)
    name = source.key.removeprefix("judge:")
    judge = next(each.user_id for each in reads.sources if each.user.username == name)
    own = reads.labels.all.where(reads.labels.all.judge == judge)
    return np.searchsorted(reads.pooled.pk, own.pooled), own.relevance
