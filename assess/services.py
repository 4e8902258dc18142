"""The only writers of the first floor. They never see a request."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from assess import queries
from assess.consensus import MAJORITY
from assess.models import Assignment, Judgment, JudgmentEvent, QrelsRelease
from pooling import trec
from pooling.checksum import sha256_of, text_hash
from pooling.manifest import pairs_text
from pooling.models import Campaign, Pool, PooledDocument, Role, Topic
from pooling.quality import holes
from pooling.queries import pooled_before, pooled_in, ranked_runs
from pooling.scale import Grade, scale_to_json
from pooling.services import PoolRefused, add_member, keep_file, store_pool
from pooling.strategies import Found, Pooled
from pooling.textfile import BadFile, BadLine, unpack


class LabelRefused(ValueError):
    """A label that would not belong to what the judge saw; says why."""


class ScaleLocked(ValueError):
    """A scale that cannot change any more, because judgments stand on it."""


class NothingToRelease(ValueError):
    """There is no grade to release."""


@transaction.atomic
def change_settings(
    campaign: Campaign, grades: tuple[Grade, ...], threshold: int, **fields: str | int | None
) -> None:
    """Change what a campaign says of itself. Raises ScaleLocked when judged grades would change.

    After the first judgment the values, gains and threshold stay; names and definitions may be reworded.
    """
    kept = [(grade.value, grade.gain) for grade in campaign.grades], campaign.threshold
    wanted = [(grade.value, grade.gain) for grade in grades], threshold
    if kept != wanted and queries.judgments_in(campaign).exists():
        raise ScaleLocked("Judgments stand on this scale: names and definitions may change, values may not.")
    campaign.scale, campaign.threshold = scale_to_json(grades), threshold
    for field, value in fields.items():
        setattr(campaign, field, value)
    campaign.save()


# assignments


@transaction.atomic
def assign(judges: Iterable[User], topics: Iterable[Topic]) -> int:
    """Give each of these topics, in all its pools, to each of these judges; return how many are new.

    Whoever has a topic already keeps it.
    """
    topics = list(topics)
    pools = PooledDocument.objects.filter(topic__in=topics).values_list("topic", "pool").distinct()
    wanted = [
        Assignment(judge=judge, topic_id=topic, pool_id=pool)
        for judge in judges
        for topic, pool in pools.order_by("topic", "pool")
    ]
    before = Assignment.objects.count()
    Assignment.objects.bulk_create(wanted, ignore_conflicts=True)
    return Assignment.objects.count() - before


@transaction.atomic
def top_up(campaign: Campaign, user: User, k: int) -> Pool:
    """Pool what stands unjudged and unpooled among the first k of any run. Raises PoolRefused."""
    runs = list(campaign.runs.select_related("columns"))
    before = pooled_before(campaign)
    pooled = holes(ranked_runs(campaign, runs, k), before, k)
    if not pooled:
        raise PoolRefused(f"The first {k} documents of every run are pooled already.")
    manifest = {
        "strategy": "holes",
        "parameters": {"k": k},
        "runs": [{"tag": run.tag, "group": run.group, "sha256": run.sha256} for run in runs],
        "documents": sum(map(len, pooled.values())),
        "topics": len(pooled),
        "sha256": sha256_of(pairs_text(pooled)),
    }
    return store_pool(campaign, user, manifest, pooled, runs)


# labels


class Press(NamedTuple):
    """What a judge did, as the screen sends it: which card, which text, which grade or reason."""

    uuid: uuid.UUID
    docno: str
    text_hash: str
    relevance: int | None
    reason: str = ""
    comment: str = ""
    source: str = "click"


def record_judgment(pooled: PooledDocument, judge: User, press: Press) -> Judgment:
    """Store a label for good; the same press again changes nothing. Raises LabelRefused."""
    try:
        with transaction.atomic():
            return _record(pooled, judge, press)
    except IntegrityError:  # the same press came twice at once: the other one was first
        return Judgment.objects.get(pooled=pooled, judge=judge)


def _record(pooled: PooledDocument, judge: User, press: Press) -> Judgment:
    if known := JudgmentEvent.objects.filter(uuid=press.uuid).first():
        if (known.pooled_id, known.judge_id) != (pooled.pk, judge.pk):
            raise LabelRefused("This label was already recorded for another document.")
        return Judgment.objects.get(pooled=pooled, judge=judge)
    _check_press(pooled, judge, press)
    event = JudgmentEvent.objects.create(
        uuid=press.uuid,
        judge=judge,
        pooled=pooled,
        relevance=press.relevance,
        reason=press.reason,
        comment=press.comment,
        text_hash=press.text_hash,
        source=press.source,
    )
    judgment, _ = Judgment.objects.update_or_create(
        judge=judge, pooled=pooled, defaults={"event": event, "relevance": event.relevance}
    )
    return judgment


def _check_press(pooled: PooledDocument, judge: User, press: Press) -> None:
    if not Assignment.objects.filter(judge=judge, topic=pooled.topic_id, pool=pooled.pool_id).exists():
        raise LabelRefused("This topic is not assigned to you any more. Your label was not recorded.")
    if press.docno != pooled.docno:
        raise LabelRefused("This label was meant for another document. It was not recorded.")
    if press.text_hash != queries.card_of(judge, pooled).text_hash:
        raise LabelRefused(
            "The text of this document has changed since you saw it. Read it anew and label it."
        )


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

    grades: the file's grade -> ours, where they differ. Documents that no pool holds yet make a pool of their
    own, so that every judgment counts. Raises BadFile, and then nothing is taken.
    """
    records = trec.read_judgments(unpack(content, name, settings.UPLOAD_LIMIT), name)
    records = [record._replace(grade=(grades or {}).get(record.grade, record.grade)) for record in records]
    _check_records(campaign, records, name)
    judge = _named_judge(campaign, judge_name)
    newly_pooled = _pool_judged(campaign, organiser, records, name)
    assign([judge], campaign.topics.filter(number__in={record.topic for record in records}))
    store_labels(campaign, judge, {(record.topic, record.docno): record.grade for record in records})
    return Loaded(judge, len(records), newly_pooled)


@transaction.atomic
def store_labels(campaign: Campaign, judge: User, grades: Mapping[tuple[str, str], int]) -> None:
    """Store grades, (topic, docno) -> grade, of a judge who has judged none of these pooled documents."""
    pooled = {(p.topic.number, p.docno): p for p in pooled_in(campaign).select_related("topic")}
    hashes = dict(campaign.documents.values_list("docno", "text_hash"))
    no_text = text_hash("", "")
    events = JudgmentEvent.objects.bulk_create(
        (
            JudgmentEvent(
                uuid=uuid.uuid4(),
                judge=judge,
                pooled=pooled[pair],
                relevance=grade,
                text_hash=hashes.get(pair[1], no_text),
                source="import",
            )
            for pair, grade in grades.items()
        ),
        batch_size=1000,
    )
    Judgment.objects.bulk_create(
        (Judgment(judge=judge, pooled=e.pooled, event=e, relevance=e.relevance) for e in events),
        batch_size=1000,
    )


def _check_records(campaign: Campaign, records: list[trec.JudgmentRecord], name: str) -> None:
    topics = set(campaign.topics.values_list("number", flat=True))
    scale = [grade.value for grade in campaign.grades]
    for record in records:
        if record.topic not in topics:
            raise BadLine(record.line, f"topic {record.topic} is not in this campaign", name)
        if record.grade not in scale:
            wish = f"expected a grade of the scale {', '.join(map(str, scale))}, found {record.grade}"
            raise BadLine(record.line, wish, name)


def _named_judge(campaign: Campaign, name: str) -> User:
    judge = User(username=f"{campaign.slug}/{name}"[:150], name=name, is_active=False)
    if User.objects.filter(username=judge.username).exists():
        raise BadFile(f"expected a new name for these judgments, but {name} has judged here already")
    judge.set_unusable_password()
    judge.save()
    add_member(campaign, judge, Role.JUDGE)
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


# qrels


@transaction.atomic
def release_qrels(campaign: Campaign, user: User, rule: str = MAJORITY) -> QrelsRelease:
    """Freeze the agreed grades as the next numbered release. Raises NothingToRelease."""
    agreed = queries.agreed_grades(campaign, rule)
    if not agreed:
        raise NothingToRelease("Nothing has been judged yet, so there are no qrels to release.")
    content = "".join(f"{row.topic} 0 {row.docno} {row.relevance}\n" for row in agreed).encode()
    sha256 = sha256_of(content)
    release = QrelsRelease(
        campaign=campaign,
        number=campaign.releases.count() + 1,
        rule=rule,
        sha256=sha256,
        file=keep_file(f"qrels/{sha256}.txt", content),
        line_count=len(agreed),
        released_by=user,
        released_at=timezone.now(),
    )
    release.manifest = _release_manifest(release, agreed)
    release.save()
    return release


def _release_manifest(release: QrelsRelease, agreed: list[queries.Agreed]) -> dict[str, Any]:
    campaign = release.campaign
    judges = queries.grades_by_judge(campaign)
    return {
        "campaign": campaign.slug,
        "release": release.number,
        "rule": release.rule,
        "scale": campaign.scale,
        "threshold": campaign.threshold,
        "judgments": len(agreed),
        "topics": len({row.topic for row in agreed}),
        "relevant": sum(row.relevance >= campaign.threshold for row in agreed),
        "judged_by_several": sum(row.votes > 1 for row in agreed),
        "pooled_without_a_grade": pooled_in(campaign).count() - len(agreed),
        "judges": {name: len(grades) for name, grades in judges.items()},
        "pools": [pool.manifest["sha256"] for pool in campaign.pools.all()],
        "sha256": release.sha256,
        "released_at": release.released_at.isoformat(),
        "released_by": release.released_by.username,
        "software": f"Jurypool {settings.VERSION}",
    }
