"""The campaign that is judged under load, and what its database holds then. Run inside `manage.py shell`."""

from __future__ import annotations

import json
import random

from django.contrib.auth.hashers import make_password
from django.db import transaction

from accounts.models import User
from assess.models import Assignment, JudgingPlan, Judgment, JudgmentEvent, QueueEntry
from assess.services.assignments import assign
from pooling.checksum import text_hash
from pooling.manifest import PoolPlan
from pooling.models import Campaign, Document, Role, Topic
from pooling.scale import FOUR_STEPS
from pooling.services.people import add_member, create_campaign
from pooling.services.pools import freeze_pool
from pooling.services.runs import Submission, submit_run
from tests.support.names import PASSWORD, SHARED, SLUG, TRACK, run_file

VOCABULARY = (
    "flow wing pressure mach layer boundary supersonic heat transfer shock body velocity lift drag "
    "plate cone cylinder theory experiment results method solution buckling stress shell panel "
    "flutter jet nozzle wake stream turbulent laminar compressible blunt slender angle attack "
    "gradient edge ratio temperature equations numerical of the a in and for with on by is are to at "
    "an from which that this be was were"
)


@transaction.atomic
def build(judges: int, documents: int, topics: int = 1) -> None:
    """Make a campaign whose documents all stand in every topic's pool.

    Everybody judges all of the numbered topics, and all of them share the topic `shared`.
    """
    password = make_password(PASSWORD)  # once: it is slow on purpose
    people = [User(username=f"judge{number:02}", password=password) for number in range(judges)]
    User.objects.bulk_create([User(username="olga", password=password), *people])
    olga = User.objects.get(username="olga")
    campaign = create_campaign(olga, "Load", SLUG, FOUR_STEPS, 2, state="open")
    JudgingPlan.objects.create(campaign=campaign)
    everybody = list(User.objects.filter(username__startswith="judge"))
    for judge in everybody:
        add_member(campaign, judge, Role.JUDGE)
    names = [str(number) for number in range(1, topics + 1)] + [SHARED]
    for place, name in enumerate(names, start=1):
        title = f"aerodynamics, part {name}"
        Topic.objects.create(
            campaign=campaign, number=name, title=title, place=place, narrative="As asked. " * 30
        )
    docnos = [f"C{number:04}" for number in range(1, documents + 1)]
    Document.objects.bulk_create(_document(campaign, docno) for docno in docnos)
    submit_run(campaign, olga, run_file(names, docnos, "load"), "load.run", Submission(group="load"))
    freeze_pool(campaign, olga, list(campaign.runs.all()), PoolPlan("depth", {"k": documents}))
    assign(everybody, campaign.topics.exclude(number=SHARED))
    assign(everybody, campaign.topics.filter(number=SHARED), Assignment.Part.SHARED)


def build_track(topics: int) -> None:
    """Make a second campaign of olga's, of so many topics: runs are submitted to it while others judge."""
    campaign = create_campaign(User.objects.get(username="olga"), "Track", TRACK, FOUR_STEPS, 2, state="open")
    Topic.objects.bulk_create(
        Topic(campaign=campaign, number=str(number), title=f"topic {number}", place=number)
        for number in range(1, topics + 1)
    )


def _document(campaign: Campaign, docno: str) -> Document:
    """As long as an abstract of the Cranfield collection: a title and about 170 words."""
    draw, words = random.Random(docno), VOCABULARY.split()
    title = " ".join(draw.choices(words, k=12)).capitalize()
    sentences = [" ".join(draw.choices(words, k=24)).capitalize() + "." for _ in range(7)]
    text = " ".join(sentences[:4]) + "\n\n" + " ".join(sentences[4:])
    return Document(campaign=campaign, docno=docno, title=title, text=text, text_hash=text_hash(title, text))


def dump() -> None:
    """Print what is stored, a JSON array a line: every event, current label and finished queue entry."""
    events = JudgmentEvent.objects.order_by("pk").values_list(
        "uuid", "judge__username", "pooled__topic__number", "pooled__docno", "relevance"
    )
    labels = Judgment.objects.values_list(
        "event__uuid", "judge__username", "pooled__topic__number", "pooled__docno", "relevance"
    )
    done = QueueEntry.objects.filter(state=QueueEntry.State.DONE)
    for kind, rows in (
        ("event", events),
        ("label", labels),
        ("done", done.values_list("judge__username", "topic__number", "pooled__docno")),
    ):
        for row in rows.iterator():
            print(json.dumps([kind, *map(str, row)]))


def dump_typed(judge: str) -> None:
    """Print a JSON object a line: every event of a judge, and whether it is the current label."""
    current = set(Judgment.objects.filter(judge__username=judge).values_list("event", flat=True))
    for event in JudgmentEvent.objects.filter(judge__username=judge).select_related("pooled").order_by("pk"):
        row: dict[str, object] = {
            "uuid": f"{event.uuid}",
            "docno": event.pooled.docno,
            "comment": event.comment,
            "unsure": event.unsure,
        }
        row |= {"relevance": event.relevance, "reason": event.reason, "current": event.pk in current}
        print(json.dumps(row | {"evidence": (event.evidence or {}).get("quote", "")}))
