"""A campaign as large as a TREC track, in the middle of its judging. Run inside `manage.py shell`.

At full size: 100 runs of 50 topics and 1,000 documents each, two pools of 90,000 documents, 300,000 labels by
six judges, or by six and a crowd whose labels come from files, with some of every topic. Made by the services
that make every campaign; labels alone are written in bulk, as events and what follows from them, because so
many presses would take an hour.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.hashers import make_password
from django.db import connection, transaction
from django.utils import timezone

from accounts.models import User
from accounts.services import create_token
from assess.adjudication import DisputeFilter
from assess.consensus import MAJORITY
from assess.models import Judgment, JudgmentEvent, Probe, QueueEntry
from assess.panels.services import create_panel
from assess.queries.adjudication import dispute_in, dispute_queue
from assess.queries.campaign_reads import CampaignReads
from assess.release.plan import ReleasePlan
from assess.services.adjudications import Settlement, settle
from assess.services.assignments import distribute_topics
from assess.services.audiences import change_audience
from assess.services.bulk_labels import store_labels
from assess.services.counters import repair_counters
from assess.services.gold import load_gold
from assess.services.plans import change_plan
from assess.services.releases import release_qrels
from metrics.services import release_measures, score_release
from pooling.checksum import NO_TEXT, text_hash
from pooling.manifest import PoolPlan
from pooling.models import Campaign, Document, Job, PooledDocument, Role, Run, Topic
from pooling.queries.documents import pooled_in
from pooling.scale import FOUR_STEPS
from pooling.services.people import add_member, create_campaign
from pooling.services.pools import freeze_pool
from pooling.services.runs import Submission, submit_run
from tests.soak.scene import VOCABULARY
from tests.soak.track_features import add_features
from tests.soak.track_runs import docno, track_run
from tests.support.names import PASSWORD, SLUG

JUDGES = 6
LABELLED = (1, 2 / 3)  # of a topic's queues: every other topic is done
IN_A_CROWD = 0.1  # of that, where a crowd labels too
LABELS = 270_000  # of a crowd
BATCH = 2_000  # rows
Kind, State = QueueEntry.Kind, QueueEntry.State


@dataclass(frozen=True)
class Shape:
    runs: int
    topics: int
    depth: int  # documents a run has for a topic


def shape_of(size: float) -> Shape:
    """Return the shape at a part of the full size; never so small that a page would be empty."""
    return Shape(max(6, round(100 * size)), max(3, round(50 * size)), max(40, round(1000 * size)))


def build(size: float, crowd: int = 0) -> str:
    """Make the campaign, and return a token for olga, who organises it. crowd: judges besides the six."""
    shape = shape_of(size)
    campaign, olga = _people(shape)
    _submit(campaign, olga, shape)
    for part in (20, 10):
        runs = list(campaign.runs.all())
        freeze_pool(campaign, olga, runs, PoolPlan("depth", {"k": shape.depth // part}))
    _texts(campaign)
    judges = list(User.objects.filter(username__startswith="judge"))
    topics = list(campaign.topics.all())
    change_plan(campaign, seed=7, overlap="all", repeat_share=5)
    probes = "".join(f"{topic.number} {docno(topic.number, -1)} 2 It answers a part.\n" for topic in topics)
    load_gold(campaign, olga, Probe.Kind.TRAINING, probes.encode())
    distribute_topics(judges, topics, seconds=3)
    _label(campaign, timezone.now() - timedelta(days=30), IN_A_CROWD if crowd else 1)
    _label_by_crowd(campaign, crowd, round(LABELS * size * size))
    repair_counters(campaign)
    _settle(campaign, User.objects.get(username="ada"), 4 * shape.topics)
    for rule in (MAJORITY, "maximum"):
        release = release_qrels(campaign, olga, ReleasePlan(rule))
        score_release(release, release_measures(release))
        change_audience(release, release.State.PUBLIC, olga)
    first, second = campaign.runs.all()[:2]
    panel = create_panel(campaign, olga, (first, second), 10, topics, seed=7)
    add_features(campaign, olga, panel)
    Job.objects.create(campaign=campaign, user=olga, task="none", title="Done", state=Job.State.DONE)
    return create_token(olga, "scale")


@transaction.atomic
def _people(shape: Shape) -> tuple[Campaign, User]:
    password = make_password(PASSWORD)  # once: it is slow on purpose
    names = ["olga", "ada", "dave", "rita", *(f"judge{number:02}" for number in range(JUDGES))]
    User.objects.bulk_create(User(username=name, password=password) for name in names)
    people = User.objects.in_bulk(field_name="username")
    campaign = create_campaign(
        people["olga"], "Track", SLUG, FOUR_STEPS, 2, run_depth=shape.depth, state="open"
    )
    add_member(campaign, people["ada"], Role.ADJUDICATOR)
    add_member(campaign, people["dave"], Role.PARTICIPANT, group="group00")
    add_member(campaign, people["rita"], Role.READER)
    for name in names[4:]:
        add_member(campaign, people[name], Role.JUDGE)
    draw, words = random.Random(7), VOCABULARY.split()
    Topic.objects.bulk_create(
        Topic(
            campaign=campaign,
            number=str(number),
            title=" ".join(draw.choices(words, k=3)),
            narrative="As asked. " * 30,
            place=number,
        )
        for number in range(1, shape.topics + 1)
    )
    return campaign, people["olga"]


def _submit(campaign: Campaign, olga: User, shape: Shape) -> None:
    """Submit runs that know the best ranking more or less well, four of a group."""
    topics = list(campaign.topics.values_list("number", flat=True))
    for number in range(shape.runs):
        tag = f"run{number:03}"
        about = Submission(tag=tag, group=f"group{number // 4:02}")
        content = track_run(number, shape.runs, topics, shape.depth)
        submit_run(campaign, olga, content, f"{tag}.run", about)


@transaction.atomic
def _texts(campaign: Campaign) -> None:
    words = VOCABULARY.split()

    def documents() -> Iterator[Document]:
        pooled = PooledDocument.objects.filter(pool__campaign=campaign).order_by()
        for name in pooled.values_list("docno", flat=True).distinct():
            draw = random.Random(name)
            title, text = (" ".join(draw.choices(words, k=length)).capitalize() for length in (8, 60))
            yield Document(
                campaign=campaign, docno=name, title=title, text=text, text_hash=text_hash(title, text)
            )

    Document.objects.bulk_create(documents(), batch_size=BATCH)


def _label(campaign: Campaign, begun: datetime, part: float) -> None:
    """Let every judge label most of the queues, or a part of that; of a hundred documents one twice, and one
    is refused."""
    hashes = dict(campaign.documents.values_list("docno", "text_hash"))
    for topic in campaign.topics.all():
        for judge in User.objects.filter(assignments__topic=topic).distinct():
            queue = QueueEntry.objects.filter(judge=judge, topic=topic).select_related("pooled")
            entries = list(queue)[: round(part * LABELLED[topic.place % 2] * queue.count())]
            with transaction.atomic():
                _store(judge, entries, hashes, begun)
            begun += timedelta(minutes=5)


def _store(judge: User, entries: list[QueueEntry], hashes: dict[str, str], begun: datetime) -> None:
    draw = random.Random(f"{judge.pk} {entries[0].topic_id}")

    def event_of(place: int, entry: QueueEntry) -> JudgmentEvent:
        refused = draw.random() < 0.01
        return JudgmentEvent(
            uuid=uuid.UUID(int=draw.getrandbits(128), version=4),
            judge=judge,
            pooled=entry.pooled,
            relevance=None if refused else _grade(entry.pooled.docno, draw),
            reason="broken" if refused else "",
            text_hash=hashes.get(entry.pooled.docno, NO_TEXT),
            source="key",
            kind=entry.kind,
            position=place,
            active_seconds=round(draw.lognormvariate(3, 0.5), 1),
            at=begun + timedelta(seconds=20 * place),
            pressed_at=begun + timedelta(seconds=20 * place),
        )

    pressed = list(enumerate(entries, start=1))
    pressed += draw.sample(pressed, len(pressed) // 100)
    events = [event_of(*each) for each in pressed]
    JudgmentEvent.objects.bulk_create(events, batch_size=BATCH)
    last = {event.pooled_id: event for event in events if event.kind == Kind.JUDGING}
    Judgment.objects.bulk_create(
        (Judgment(judge=judge, pooled=e.pooled, event=e, relevance=e.relevance) for e in last.values()),
        batch_size=BATCH,
    )
    done = QueueEntry.objects.filter(judge=judge, topic=entries[0].topic_id, place__lte=entries[-1].place)
    done.update(state=State.DONE)


def _label_by_crowd(campaign: Campaign, judges: int, labels: int) -> None:
    """Store so many labels of so many judges, each with some of every topic."""
    draw = random.Random(7)
    pairs = list(pooled_in(campaign).order_by("pk").values_list("topic__number", "docno"))
    for number in range(judges):
        judge = User.objects.create(username=f"crowd{number:02}", is_active=False)
        chosen = draw.sample(pairs, min(len(pairs), labels // judges))
        store_labels(campaign, judge, {pair: _grade(pair[1], draw) for pair in chosen})


def _grade(docno: str, draw: random.Random) -> int:
    """What a judge says: what stands high in the best ranking is relevant, but judges differ."""
    place = int(docno.rpartition("-")[2]) if docno.startswith("doc") else 50
    truth = 3 if place < 20 else 2 if place < 100 else 1 if place < 300 else 0
    return truth if draw.random() < 0.8 else draw.choice([0, 0, 1, 1, 2, 3])


def _settle(campaign: Campaign, ada: User, count: int) -> None:
    for pk in dispute_queue(campaign, ada, DisputeFilter())[:count]:
        card = dispute_in(CampaignReads(campaign), ada, pk)
        assert card
        said = Settlement(uuid.uuid4(), card.pooled.docno, card.text_hash, card.last_label, 1)
        settle(card.pooled, ada, said)


def told() -> dict[str, int]:
    """Return how large it has become."""
    models = (Run, Topic, PooledDocument, Document, QueueEntry, JudgmentEvent, Judgment)
    return {model._meta.verbose_name_plural: model.objects.count() for model in models}  # type: ignore[misc]


def database_size() -> float:
    """Return the room that the database takes, in MB."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_database_size(current_database())")
        else:
            cursor.execute("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
        return float(cursor.fetchone()[0]) / 1e6
