"""Draw the sample of an audit of a machine judge, and give it to judges."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from django.db import transaction
from django.template.defaultfilters import pluralize

from accounts.models import User
from accounts.services import make_once
from assess.models import Assignment, AuditedDocument, MachineAudit
from assess.queries.audits import why_no_audit
from assess.queries.campaign_reads import CampaignReads
from assess.services.assignments import store_assignments
from assess.services.queues import extend_queue, put_first
from metrics.machine_audits.queries.judges import labels_to_give
from metrics.machine_audits.queries.samples import (
    SampleDraft,
    SamplePlan,
    draft_sample,
    independent_grades,
)
from pooling.campaign_states import check_additions
from pooling.models import Campaign, PooledDocument, Topic
from pooling.refusals import Refused
from pooling.services.audit_log import log_change


class DrawnAudit(NamedTuple):
    """audit: as stored. given: how many labels its judges are to give."""

    audit: MachineAudit
    given: int


def draw_audit(
    campaign: Campaign,
    organiser: User,
    plan: SamplePlan,
    judges: Collection[User],
    per_document: int = 1,
    key: str = "",
) -> DrawnAudit:
    """Store the sample of a plan and give its documents to judges. Raises Refused. key: see `make_once`.

    The sample is computed before the transaction starts; it never changes after it is stored.
    """
    check_additions(campaign.state)
    draft = draft_sample(CampaignReads(campaign), plan)

    def store() -> MachineAudit:
        _check_no_grades_on_screen(campaign)
        audit = _store(campaign, organiser, plan, draft, per_document)
        summary = f"{audit}: {len(draft.chosen):,} of {draft.population.size:,} documents, seed {plan.seed}"
        log_change(campaign, organiser, "drew an audit", summary, audit=audit.number, **audit.design)
        return audit

    audit = make_once(organiser, key, MachineAudit, store)
    return DrawnAudit(audit, give_sample(audit, judges, per_document, organiser))


def _check_no_grades_on_screen(campaign: Campaign) -> None:
    """Raise Refused if judges would recognise sampled documents. Locks the campaign against another plan."""
    Campaign.objects.select_for_update().get(pk=campaign.pk)
    if why := why_no_audit(campaign):
        raise Refused(why)


def _store(
    campaign: Campaign, organiser: User, plan: SamplePlan, draft: SampleDraft, per_document: int
) -> MachineAudit:
    last = campaign.machine_audits.first()
    audit = MachineAudit.objects.create(
        campaign=campaign,
        machine=plan.machine,
        number=last.number + 1 if last else 1,
        created_by=organiser,
        design={
            "seed": plan.seed,
            "allocation": "Neyman" if plan.earlier else "proportional",
            "earlier": plan.earlier.number if plan.earlier else None,
            "group": plan.group,
            "depth": plan.depth if plan.group else None,
            "documents": draft.population.size,
            "sampled": len(draft.chosen),
            "labels_per_document": per_document,
            "strata": [stratum._asdict() for stratum in draft.strata],
        },
    )
    grades: list[int] = draft.population.grades[draft.chosen].tolist()
    AuditedDocument.objects.bulk_create(
        [
            AuditedDocument(
                audit=audit,
                pooled_id=pooled,
                stratum=index,
                machine_grade=grade,
                probability=draft.strata[index].sampled / draft.strata[index].documents,
            )
            for pooled, index, grade in zip(draft.pooled, draft.stratum.tolist(), grades, strict=True)
        ],
        batch_size=1000,
    )
    return audit


def give_sample(
    audit: MachineAudit, judges: Collection[User], per_document: int, by: User | None = None
) -> int:
    """Give the sampled documents that lack labels to judges; return how many labels they are to give.

    A document lacks the labels that neither exist nor are to be given by a judge who has it open. A judge
    who has labelled a document does not get it. Queues are filled afterwards, a topic and judge at a time;
    the sample comes before a judge's other documents of a topic, so that the verdict does not wait for them.
    Raises Refused while judges see the grades of a machine judge.
    """
    people = {judge.pk: judge for judge in judges}
    given = set(audit.documents.filter(judges__isnull=False).values_list("pooled", "judges"))
    pooled = list(audit.documents.values_list("pooled", flat=True))
    grades, _ = independent_grades(CampaignReads(audit.campaign), np.array(pooled, dtype=np.int64))
    pairs = labels_to_give(pooled, grades, list(people), per_document, given)
    if not pairs:
        return 0
    documents = dict(audit.documents.values_list("pooled", "pk"))
    rows = [
        AuditedDocument.judges.through(auditeddocument_id=documents[pooled], user_id=judge)
        for pooled, judge in pairs
    ]
    wanted = _assignments(pairs)
    with transaction.atomic():
        _check_no_grades_on_screen(audit.campaign)
        AuditedDocument.judges.through.objects.bulk_create(rows, batch_size=1000, ignore_conflicts=True)
        store_assignments(wanted)
        names = sorted(people[judge].username for judge in {judge for _, judge in pairs})
        summary = f"{len(pairs):,} document{pluralize(len(pairs))} of {audit} to {', '.join(names)}"
        log_change(audit.campaign, by, "gave an audit", summary, audit=audit.number, judges=names)
    topics = Topic.objects.select_related("campaign").in_bulk({assignment.topic_id for assignment in wanted})
    documents_of: dict[int, set[int]] = {}
    for document, judge in pairs:
        documents_of.setdefault(judge, set()).add(document)
    for judge, topic in dict.fromkeys((assignment.judge_id, assignment.topic_id) for assignment in wanted):
        extend_queue(people[judge], topics[topic], want=0)
        put_first(people[judge], topics[topic], documents_of[judge])
    return len(pairs)


def _assignments(pairs: Sequence[tuple[int, int]]) -> list[Assignment]:
    """Return an assignment for every judge, topic and pool among (document, judge)."""
    rows = PooledDocument.objects.filter(pk__in={document for document, _ in pairs})
    place_of = {pk: (topic, pool) for pk, topic, pool in rows.values_list("pk", "topic", "pool")}
    places = dict.fromkeys((judge, *place_of[document]) for document, judge in pairs)
    return [
        Assignment(judge_id=judge, topic_id=topic, pool_id=pool, part=Assignment.Part.AUDIT)
        for judge, topic, pool in places
    ]
