"""No query on the judging path walks through a whole table, however large the campaign becomes."""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from assess.models import Assignment, JudgingPlan, QueueEntry
from assess.queries import cards_of
from assess.services import assign, next_documents
from pooling.models import Campaign
from tests.factory import Factory

pytestmark = pytest.mark.skipif(
    connection.vendor != "sqlite", reason="EXPLAIN QUERY PLAN is SQLite's; PostgreSQL scans tables this small"
)
BASE = "/campaigns/tiny/judge/"


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """Topic 1 is alice's own, topic 2 she shares with bob; documents return for self-agreement."""
    campaign = make.make_campaign()
    JudgingPlan.objects.create(campaign=campaign, repeat_share=20, seed=1)
    topics = [make.make_topic(campaign, number) for number in ("1", "2")]
    make.make_run(
        campaign, "\n".join(f"{topic} D{rank} {99 - rank}" for topic in (1, 2) for rank in range(40))
    )
    make.make_pool(campaign, depth=40)
    alice, bob = make.make_user("alice"), make.make_user("bob")
    assign([alice], topics[:1])
    assign([alice, bob], topics[1:], Assignment.Part.SHARED)
    return campaign


@pytest.fixture
def client(campaign: Campaign, make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("alice"))
    return client


def parcel(entries: list[QueueEntry]) -> dict[str, Any]:
    """What alice's page sends when she labelled the first of these."""
    card, *rest = cards_of(entries)
    label = {
        "uuid": str(uuid.uuid4()),
        "entry": card.entry.pk,
        "docno": card.docno,
        "text_hash": card.text_hash,
        "relevance": 2,
        "source": "key",
    }
    have = [other.entry.pk for other in rest]
    topic = card.entry.topic.number
    return {"judge": card.entry.judge_id, "topic": topic, "want": 5, "have": have, "labels": [label]}


def scans(sql: str) -> list[str]:
    """Return the steps of SQLite's plan that walk through a whole table, or through a whole index."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        steps = [row[3] for row in cursor.fetchall()]
    return [step for step in steps if re.match(r"SCAN (?!CONSTANT|\(|subquery)", step)]


def walked(captured: CaptureQueriesContext) -> dict[str, list[str]]:
    """Return query -> its scans, for those that have any."""
    queries = [query["sql"] for query in captured.captured_queries]
    found = {sql: scans(sql) for sql in queries if sql.startswith(("SELECT", "UPDATE", "DELETE"))}
    return {sql: steps for sql, steps in found.items() if steps}


def test_a_scan_would_be_seen(db: None) -> None:
    assert scans("SELECT * FROM assess_queueentry WHERE leased_until > 0")


@pytest.mark.parametrize("number", ["1", "2"], ids=["own", "shared"])
def test_a_label_is_stored_and_answered_by_indexes(
    client: Client, campaign: Campaign, make: Factory, number: str
) -> None:
    topic, alice = campaign.topics.get(number=number), make.make_user("alice")
    for _ in range(36):  # far enough for a document to return
        content = parcel(next_documents(alice, topic, 5))
        with CaptureQueriesContext(connection) as captured:
            assert client.post(f"{BASE}outbox/", content, "application/json").status_code == 200
        assert walked(captured) == {}
    assert QueueEntry.objects.filter(kind=QueueEntry.Kind.REPEAT).exists()


@pytest.mark.parametrize("number", ["1", "2"], ids=["own", "shared"])
def test_every_page_of_a_judge_is_found_by_indexes(
    client: Client, campaign: Campaign, make: Factory, number: str
) -> None:
    topic, alice = campaign.topics.get(number=number), make.make_user("alice")
    entries = next_documents(alice, topic, 4)
    client.post(f"{BASE}outbox/", parcel(entries), "application/json")
    pages = ["", f"topics/{number}/", f"topics/{number}/?document={entries[0].pk}"]
    pages += [f"topics/{number}/recent/", f"topics/{number}/recent/?grade=2", f"{entries[0].pk}/"]
    for page in pages:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(f"{BASE}{page}").status_code == 200
        assert walked(captured) == {}


def test_a_label_takes_no_more_queries_when_more_is_judged(
    client: Client, campaign: Campaign, make: Factory
) -> None:
    JudgingPlan.objects.update(repeat_share=0)
    topic, alice = campaign.topics.get(number="1"), make.make_user("alice")
    counts = set()
    for _ in range(12):
        content = parcel(next_documents(alice, topic, 5))
        with CaptureQueriesContext(connection) as captured:
            client.post(f"{BASE}outbox/", content, "application/json")
        counts.add(len(captured))
    assert len(counts) == 1 and counts.pop() <= 20
