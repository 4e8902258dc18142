"""Who is to judge the sampled documents of an audit, and which labels are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from accounts.models import User
from assess.allocation import share_documents
from assess.models import Judgment, MachineAudit, QueueEntry
from assess.queries.sources import of_people
from metrics.machine_audits.queries.samples import AuditedSample
from pooling.arrays import IntVector


def labels_to_give(
    pooled: Sequence[int],
    grades: IntVector,
    judges: Sequence[int],
    per_document: int,
    given: Collection[tuple[int, int]] = frozenset(),
) -> list[tuple[int, int]]:
    """Return (document, judge) of the labels that judges are to give to sampled documents.

    A document lacks the labels that neither exist, as independent grades, nor are to be given by a judge who
    has it open. A judge who has labelled a document does not get it. grades: the independent grade of each
    document, below 0 for none. given: of earlier calls.
    """
    labelled, waiting = labelled_by_people(pooled), open_in_queues(pooled)
    have = Counter(document for document, _ in waiting.intersection(given))
    graders = Counter(document for document, _ in labelled)
    needed = {
        document: per_document - have[document] - (graders[document] if grade >= 0 else 0)
        for document, grade in zip(pooled, grades.tolist(), strict=True)
    }
    lacking = {document: count for document, count in needed.items() if count > 0}
    return share_documents(lacking, judges, labelled.union(given), waiting)


def open_in_queues(pooled: Collection[int]) -> set[tuple[int, int]]:
    """Return (document, judge) of documents that are open in the queue of a judge."""
    entries = QueueEntry.objects.filter(kind=QueueEntry.Kind.JUDGING, state=QueueEntry.State.OPEN)
    return set(entries.filter(pooled__in=pooled).order_by().values_list("pooled", "judge"))


def labelled_by_people(pooled: Collection[int]) -> set[tuple[int, int]]:
    """Return (document, judge) of the current labels of people, also *cannot judge*."""
    labels = Judgment.objects.filter(of_people(), pooled__in=pooled).order_by()
    return set(labels.values_list("pooled", "judge"))


class AuditJudge(NamedTuple):
    """given: sampled documents of the judge; judged: those with a label; waiting: open in the queue."""

    judge: User
    given: int
    judged: int
    waiting: int


class AuditWork(NamedTuple):
    """Who is to judge the sampled documents of an audit, by name.

    without_judge: documents without a grade that are open in the queue of none of them.
    """

    judges: list[AuditJudge]
    without_judge: int


def work_of_audit(audit: MachineAudit, sample: AuditedSample) -> AuditWork:
    """Return what the judges of an audit have done and have to do."""
    pairs = set(audit.documents.filter(judges__isnull=False).values_list("pooled", "judges"))
    pooled = {document for document, _ in pairs}
    labelled, waiting = pairs & labelled_by_people(pooled), pairs & open_in_queues(pooled)
    counts = [Counter(judge for _, judge in pair_set) for pair_set in (pairs, labelled, waiting)]
    people = User.objects.filter(pk__in=counts[0]).order_by("username")
    without_grade = set(sample.pooled[sample.human < 0].tolist())
    return AuditWork(
        [AuditJudge(person, *(count[person.pk] for count in counts)) for person in people],
        len(without_grade - {document for document, _ in waiting}),
    )
