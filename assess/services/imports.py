from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from django.conf import settings
from django.db import transaction

from accounts.models import User
from assess.models import Judgment, JudgmentEvent, QueueEntry
from assess.services.assignments import assign
from assess.services.progress import Change, add_progress
from pooling import trec
from pooling.checksum import sha256_of, text_hash
from pooling.manifest import pairs_text
from pooling.models import Campaign, Role
from pooling.queries import pooled_before, pooled_in
from pooling.services import add_member, note, store_pool
from pooling.strategies import Found, Pooled
from pooling.textfile import BadFile, BadLine, unpack

BATCH = 1000  # rows in one statement


class Loaded(NamedTuple):
    judge: User
    labels: int
    newly_pooled: int


@transaction.atomic
def load_judgments(
    campaign: Campaign,
    organiser: User,
    content: bytes,
    name: str,
    judge_name: str,
    grades: Mapping[int, int] | None = None,
) -> Loaded:
    """Take the judgments of a qrels file as those of a named judge who cannot sign in.

    grades: the file's grade -> ours, where they differ. A negative grade means "cannot judge", as in qrels
    that NIST publishes. Documents that no pool holds yet make a pool of their own, so that every judgment
    counts. Raises BadFile, and then nothing is taken.
    """
    records = trec.read_judgments(unpack(content, name, settings.UPLOAD_LIMIT), name)
    records = [record._replace(grade=(grades or {}).get(record.grade, record.grade)) for record in records]
    check_records(campaign, records, name)
    judge = named_judge(campaign, judge_name)
    add_member(campaign, judge, Role.JUDGE, by=organiser)
    newly_pooled = _pool_judged(campaign, organiser, records, name)
    assign([judge], campaign.topics.filter(number__in={record.topic for record in records}), by=organiser)
    store_labels(campaign, judge, {(record.topic, record.docno): record.grade for record in records})
    told = f"{len(records):,} from {name}, as those of {judge}"
    note(campaign, organiser, "loaded judgments", told, judge=judge.username, sha256=sha256_of(content))
    return Loaded(judge, len(records), newly_pooled)


@transaction.atomic
def store_labels(campaign: Campaign, judge: User, grades: Mapping[tuple[str, str], int]) -> None:
    """Store grades, (topic, docno) -> grade, of a judge who has judged none of these pooled documents.

    A negative grade is stored as "cannot judge": it does not fit the scale.
    """
    pooled = {(p.topic.number, p.docno): p for p in pooled_in(campaign).select_related("topic")}
    hashes = dict(campaign.documents.values_list("docno", "text_hash"))
    no_text = text_hash("", "")
    events = JudgmentEvent.objects.bulk_create(
        (
            JudgmentEvent(
                uuid=uuid.uuid4(),
                judge=judge,
                pooled=pooled[pair],
                relevance=grade if grade >= 0 else None,
                reason="" if grade >= 0 else JudgmentEvent.Reason.SCALE,
                text_hash=hashes.get(pair[1], no_text),
                source="import",
            )
            for pair, grade in grades.items()
        ),
        batch_size=BATCH,
    )
    Judgment.objects.bulk_create(
        (Judgment(judge=judge, pooled=e.pooled, event=e, relevance=e.relevance) for e in events),
        batch_size=BATCH,
    )
    counts = Counter(pooled[pair].topic_id for pair in grades)
    add_progress({(judge.pk, topic): Change(labels=count) for topic, count in counts.items()})
    queue = QueueEntry.objects.filter(judge=judge, kind=QueueEntry.Kind.JUDGING)
    for start in range(0, len(events), BATCH):  # by key: no database has statistics of rows just stored
        labelled = [event.pooled_id for event in events[start : start + BATCH]]
        queue.filter(pooled__in=labelled).update(state=QueueEntry.State.DONE)


def check_records(campaign: Campaign, records: list[trec.JudgmentRecord], name: str) -> None:
    """Raise BadLine for a topic or a grade that the campaign does not have."""
    topics = set(campaign.topics.values_list("number", flat=True))
    scale = [grade.value for grade in campaign.grades]
    for record in records:
        if record.topic not in topics:
            raise BadLine(record.line, f"topic {record.topic} is not in this campaign", name)
        if record.grade not in scale and record.grade >= 0:
            wish = f"expected a grade of the scale {', '.join(map(str, scale))}, found {record.grade}"
            raise BadLine(record.line, f"{wish}; name the grade of the scale that it is", name)


def named_judge(campaign: Campaign, name: str) -> User:
    """Make the judge that stands for labels made elsewhere, who can never sign in. Raises BadFile."""
    judge = User(username=f"{campaign.slug}/{name}"[:150], name=name, is_active=False)
    if User.objects.filter(username=judge.username).exists():
        raise BadFile(f"expected a new name for these judgments, but {name} has judged here already")
    judge.set_unusable_password()
    judge.save()
    return judge


def _pool_judged(campaign: Campaign, organiser: User, records: list[trec.JudgmentRecord], name: str) -> int:
    before = pooled_before(campaign)
    pooled: Pooled = {}
    for record in records:
        if record.docno not in before.get(record.topic, ()):
            pooled.setdefault(record.topic, {})[record.docno] = Found(None, 0)
    if pooled:
        manifest = {
            "strategy": "judged elsewhere",
            "parameters": {"file": name},
            "runs": [],
            "documents": sum(map(len, pooled.values())),
            "topics": len(pooled),
            "sha256": sha256_of(pairs_text(pooled)),
        }
        store_pool(campaign, organiser, manifest, pooled)
    return sum(map(len, pooled.values()))
