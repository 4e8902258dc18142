"""A campaign in the middle of its judging: 12 topics, 6 judges, everything an organiser may have to look at.

To look at it, with carol as organiser:
`python manage.py shell -c "from tests.support.campaign_in_judging import *; lived_in_campaign(Factory())"`
"""

from __future__ import annotations

import random
import uuid
from datetime import timedelta

from django.utils import timezone

from accounts.models import User
from assess.models import Assignment, JudgmentEvent, QueueEntry
from assess.queries.campaign_reads import CampaignReads
from assess.queries.labels import refusals
from assess.services.assignments import assign, distribute_topics
from assess.services.counters import repair_counters
from assess.services.gold import load_gold
from assess.services.judging import SubmittedJudgment, record_judgment
from assess.services.plans import change_plan
from assess.services.queues import next_documents, return_to_judges
from pooling.checksum import text_hash
from pooling.models import Campaign, Document, Role, Topic
from pooling.services.people import add_member
from tests.support.factory import Factory

JUDGES = {
    "okafor": "A. Okafor",
    "duarte": "I. Duarte",
    "brandt": "L. Brandt",
    "sato": "M. Sato",
    "chaudhry": "R. Chaudhry",
    "rieder": "T. Rieder",
}
TITLES = [
    "masks prevent coronavirus", "coronavirus quarantine", "how do people die from the coronavirus",
    "animal models of COVID-19", "coronavirus test rapid testing", "serological tests for coronavirus",
    "coronavirus under reporting", "coronavirus in Canada", "coronavirus social distancing impact",
    "coronavirus hospital rationing", "coronavirus response to weather changes", "coronavirus origin",
]  # fmt: skip
POOL = 60  # documents a topic


def lived_in_campaign(make: Factory, share: float = 0.7) -> Campaign:
    """Return a campaign of which about this share is judged, by judges who are not alike."""
    campaign = make.make_campaign("covid")
    campaign.memberships.filter(user__username__in=["alice", "bob"]).delete()
    judges = [_judge(make, campaign, username, name) for username, name in JUDGES.items()]
    topics = [make.make_topic(campaign, str(number), title) for number, title in enumerate(TITLES, start=1)]
    rows = [f"{topic.number} T{topic.number}-{n:03} {POOL - n}" for topic in topics for n in range(POOL)]
    make.make_run(campaign, "\n".join(rows))
    make.make_pool(campaign, depth=POOL)
    change_plan(campaign, seed=7, overlap="share", overlap_share=20, repeat_share=5)
    distribute_topics(judges, topics[:10], seconds=1)
    assign(judges[:2], topics[10:11], Assignment.Part.SHARED)  # the last topic is nobody's
    carol = make.make_user("carol")
    _load_probes(campaign, carol, topics)
    chance = random.Random(7)
    for place, judge in enumerate(judges):
        for topic in campaign.topics.filter(assignments__judge=judge).distinct():
            _work(judge, topic, share if place < 5 else share / 2, chance)
    rieder = JudgmentEvent.objects.filter(judge__username="rieder")
    days_ago = timezone.now() - timedelta(days=4, hours=3)
    rieder.update(at=days_ago, pressed_at=days_ago)
    repair_counters(campaign)
    return_to_judges(JudgmentEvent.objects.filter(pk=refusals(CampaignReads(campaign))[0].pk), carol)
    return campaign


def _judge(make: Factory, campaign: Campaign, username: str, name: str) -> User:
    judge = make.make_user(username)
    judge.name = name
    judge.save()
    add_member(campaign, judge, Role.JUDGE)
    return judge


def _load_probes(campaign: Campaign, carol: User, topics: list[Topic]) -> None:
    training = "".join(f"{topic.number} LEARN-{topic.number} 2 It answers a part.\n" for topic in topics)
    load_gold(campaign, carol, "training", training.encode())
    gold = "".join(f"{t.number} GOLD-{t.number}{n} {3 * n}\n" for t in topics for n in (0, 1))
    load_gold(campaign, carol, "gold", gold.encode())
    docnos = [f"T{topic.number}-{n:03}" for topic in topics for n in range(POOL)]
    docnos += [
        f"{kind}-{t.number}{n}" for t in topics for kind, n in (("LEARN", ""), ("GOLD", 0), ("GOLD", 1))
    ]
    texts = {docno: f"Text of {docno}." for docno in docnos}
    Document.objects.bulk_create(
        Document(campaign=campaign, docno=docno, text=text, text_hash=text_hash("", text))
        for docno, text in texts.items()
    )


def _work(judge: User, topic: Topic, share: float, chance: random.Random) -> None:
    """Label a share of what waits: fast ones, careful ones, and one who says 0 too often."""
    queue = QueueEntry.objects.filter(judge=judge, topic=topic, state=QueueEntry.State.OPEN)
    waiting = queue.count() or POOL // 2
    count = waiting if chance.random() < share / 2 else round(share * waiting)
    for nth in range(count):
        for entry in next_documents(judge, topic, 1):
            truth = int(text_hash("", entry.pooled.docno)[:4], 16) % 11
            grade: int | None = (0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3)[truth]
            if chance.random() < 0.25:
                grade = chance.choice([0, 1, 2, 3])
            if judge.username == "sato" and nth > count // 2:
                grade = 0
            if chance.random() < 0.02:
                grade = None
            fast = judge.username == "sato" and nth > count // 2
            seconds = 1.2 if fast else round(chance.lognormvariate(3, 0.5), 1)
            reason, comment = ("", "") if grade is not None else ("broken", "Only a cookie banner.")
            shown = text_hash("", f"Text of {entry.pooled.docno}.")
            record_judgment(
                entry,
                SubmittedJudgment(
                    uuid.uuid4(), entry.pooled.docno, shown, grade, reason, comment, "key", seconds
                ),
            )
