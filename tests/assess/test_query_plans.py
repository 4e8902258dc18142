"""No query on the judging path walks through a whole table, however large the campaign becomes."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import QuerySet
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from assess.models import Assignment, JudgingPlan, QueueEntry
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judging import cards_of, closed_cards, last_labels
from assess.services.assignments import assign
from assess.services.counters import lock_documents
from assess.services.gold import load_gold
from assess.services.queues import next_documents
from pooling.checksum import text_hash
from pooling.manifest import PoolPlan
from pooling.models import Campaign, Document, Topic
from pooling.services.pools import freeze_pool
from tests.support.factory import Factory

BASE = "/campaigns/tiny/judge/"
GROWING = (
    "assess_judgment",
    "assess_judgmentevent",
    "assess_queueentry",
    "pooling_document",
    "pooling_pooleddocument",
    "pooling_auditlogentry",
)
ALL = PoolPlan("depth", {"k": 2000})
NEWEST = re.compile(r'SELECT "\w+"."id" AS "pk" FROM "\w+" ORDER BY 1 DESC LIMIT 1$')  # one step from the end
FROM_GROWING = re.compile(rf'FROM "({"|".join(GROWING)})"')


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
    for rank in range(40):
        make.make_document(campaign, f"D{rank}")
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
    """Return the steps of the database's plan that walk through a whole table, or through a whole index."""
    return sqlite_scans(sql) if connection.vendor == "sqlite" else postgresql_scans(sql)


def sqlite_scans(sql: str) -> list[str]:
    """SQLite plans alike for tables of any size: it knows none. A sort counts, too, of what grows."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
        steps = [row[3] for row in cursor.fetchall()]
    sorts = "|USE TEMP B-TREE" if FROM_GROWING.search(sql) else ""
    return [step for step in steps if re.match(r"SCAN (?!CONSTANT|\(|subquery)" + sorts, step)]


def postgresql_scans(sql: str) -> list[str]:
    """PostgreSQL walks through small tables: its statistics say that these are large."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE pg_class SET relpages = 1, reltuples = 1e6 WHERE relname = ANY(%s)", [list(GROWING)]
        )
        cursor.execute("DELETE FROM pg_statistic WHERE starelid = ANY(%s::regclass[])", [list(GROWING)])
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}")
        (((plan, *_),),) = cursor.fetchall()
    nodes = list(nodes_of(plan["Plan"]))
    return [
        f"{node['Node Type']} on {node['Relation Name']}"
        for node in nodes
        if node.get("Relation Name") in GROWING
        and node["Node Type"] in ("Seq Scan", "Index Scan", "Index Only Scan")
        and "Index Cond" not in node
    ]


def plan_of(sql: str) -> str:
    """Return the database's plan, in its words; with statistics of large tables in PostgreSQL."""
    scans("SELECT 1")
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {'QUERY PLAN' if connection.vendor == 'sqlite' else ''} {sql}")
        return "\n".join(f"{row[-1]}" for row in cursor.fetchall())


def nodes_of(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", ()):
        yield from nodes_of(child)


def walked(captured: CaptureQueriesContext) -> dict[str, list[str]]:
    """Return query -> its scans, for those that have any."""
    queries = [query["sql"] for query in captured.captured_queries if not NEWEST.match(query["sql"])]
    found = {sql: scans(sql) for sql in queries if sql.startswith(("SELECT", "UPDATE", "DELETE"))}
    return {sql: steps for sql, steps in found.items() if steps}


def test_a_scan_would_be_seen(db: None) -> None:
    assert scans("SELECT * FROM assess_queueentry WHERE leased_until IS NULL")


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


def test_a_label_locks_its_document_and_not_the_topic(campaign: Campaign) -> None:
    """PostgreSQL locks the rows of all tables of the query: labels of one topic would wait for each other."""
    keys = list(campaign.topics.get(number="1").pooled.values_list("pk", flat=True)[:1])
    with transaction.atomic(), CaptureQueriesContext(connection) as captured:
        lock_documents(keys)
    if connection.vendor == "sqlite":  # the transaction holds the only write lock
        assert captured.captured_queries == []
        return
    *_, lock = captured.captured_queries
    assert "pooling_pooleddocument" in lock["sql"] and "pooling_topic" not in lock["sql"]


@pytest.mark.parametrize("number", ["1", "2"], ids=["own", "shared"])
def test_every_page_of_a_judge_is_found_by_indexes(
    client: Client, campaign: Campaign, make: Factory, number: str
) -> None:
    topic, alice = campaign.topics.get(number=number), make.make_user("alice")
    entries = next_documents(alice, topic, 4)
    client.post(f"{BASE}outbox/", parcel(entries), "application/json")
    pages = [f"topics/{number}/", f"topics/{number}/?document={entries[0].pk}"]
    pages += [f"topics/{number}/recent/", f"topics/{number}/recent/?grade=2", f"{entries[0].pk}/"]
    for page in pages:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(f"{BASE}{page}").status_code == 200
        assert walked(captured) == {}


@pytest.mark.parametrize("part", [Assignment.Part.SECOND, Assignment.Part.PRIMARY])
def test_gold_documents_and_second_judges_are_read_by_indexes(
    client: Client, campaign: Campaign, make: Factory, part: str
) -> None:
    topic, alice = make.make_topic(campaign, "3"), make.make_user("alice")
    make.make_run(campaign, "\n".join(f"3 D{rank} {99 - rank}" for rank in range(40)), tag="third")
    make.make_pool(campaign, depth=40)
    JudgingPlan.objects.update(overlap="stratified", overlap_count=10)
    lines = b"3 LEARN 2 It answers a part.\n", b"3 GOLD 0\n"
    for kind, line in zip(("training", "gold"), lines, strict=True):
        load_gold(campaign, make.make_user("carol"), kind, line)
    assign([alice], [topic], part)
    for _ in range(4):
        content = parcel(next_documents(alice, topic, 5))
        with CaptureQueriesContext(connection) as captured:
            assert client.post(f"{BASE}outbox/", content, "application/json").status_code == 200
        assert walked(captured) == {}


def test_a_judges_list_of_topics_walks_through_no_table(client: Client, campaign: Campaign) -> None:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(BASE).status_code == 200
    found = walked(captured)  # it sums up what one judge did: that is sorted, and may be
    steps = {step for steps in found.values() for step in steps if "TEMP B-TREE" not in step}
    assert steps - {"SCAN assess_probe", "SCAN assess_return"} == set()  # of the whole site, they are few


def test_the_last_labels_are_found_along_the_index_of_their_judge(campaign: Campaign, make: Factory) -> None:
    topic, alice = campaign.topics.get(number="1"), make.make_user("alice")
    for docno in ("D1", "D2", "D3"):
        make.make_judgment(campaign, "alice", "1", docno, 2)
    with CaptureQueriesContext(connection) as captured:
        assert len(last_labels(alice, topic, 1)) == 1
    walk, *_ = captured.captured_queries
    assert walked(captured) == {}
    plan = plan_of(walk["sql"])
    assert "events_of_a_judge" in plan and not re.search("Sort|B-TREE", plan), plan


def test_the_last_labels_of_a_topic_left_long_ago_are_found_by_its_documents(
    campaign: Campaign, make: Factory
) -> None:
    topic, alice = campaign.topics.get(number="1"), make.make_user("alice")
    for docno in ("D1", "D2", "D3"):
        make.make_judgment(campaign, "alice", "1", docno, 2)
    for entry in next_documents(alice, campaign.topics.get(number="2"), 5):
        make.make_judgment(campaign, "alice", "2", entry.pooled.docno, 0)
    with CaptureQueriesContext(connection) as captured:
        assert [label.entry.pooled.docno for label in last_labels(alice, topic, 1)] == ["D3"]
    _, _, older, *_ = captured.captured_queries
    assert walked(captured) == {}
    assert "pooled_id" in (plan := plan_of(older["sql"])) and "events_of_a_judge" not in plan, plan


def test_a_label_that_lies_far_back_is_among_the_last_of_its_grade(campaign: Campaign, make: Factory) -> None:
    topic, alice = campaign.topics.get(number="1"), make.make_user("alice")
    for number in range(12):
        make.make_judgment(campaign, "alice", "1", f"D{number}", 3 if number < 2 else 0)
    make.make_judgment(campaign, "alice", "1", "D1", 1)  # corrected
    assert [label.entry.pooled.docno for label in last_labels(alice, topic, 1, "3")] == ["D0"]
    assert [label.entry.pooled.docno for label in last_labels(alice, topic, 3)] == ["D1", "D11", "D10"]


def test_the_cards_of_a_page_are_found_by_their_keys(campaign: Campaign, make: Factory) -> None:
    topic, alice = campaign.topics.get(number="1"), make.make_user("alice")
    first, *others = next_documents(alice, topic, 5)
    have = [first.pk, *(entry.pk for entry in others)]
    make.make_judgment(campaign, "alice", "1", first.pooled.docno, 2)
    with CaptureQueriesContext(connection) as captured:
        assert closed_cards(alice, have) == [first.pk]
    (query,) = captured.captured_queries
    assert walked(captured) == {}
    assert re.search("INTEGER PRIMARY KEY|assess_queueentry_pkey", plan_of(query["sql"]))
    assert closed_cards(make.make_user("bob"), have) == []  # they are not his


def counted(client: Client, judge: User, topic: Topic) -> list[int]:
    """Return how many queries each step of judging takes: open, press, later, next, undo, recent."""
    counts = []

    def took(method: str, address: str, *content: Any) -> None:
        with CaptureQueriesContext(connection) as captured:
            assert getattr(client, method)(f"{BASE}{address}", *content).status_code == 200
        counts.append(len(captured))

    took("get", f"topics/{topic.number}/")
    entries = next_documents(judge, topic, 5)
    pressed = parcel(entries)
    took("post", "outbox/", pressed, "application/json")
    later = parcel(entries[1:])
    later["labels"] = [{**later["labels"][0], "relevance": "", "later": True, "postponed": 0}]
    took("post", "outbox/", later, "application/json")
    took("get", f"topics/{topic.number}/")
    took("get", f"{entries[0].pk}/")
    took("get", f"topics/{topic.number}/?document={entries[0].pk}")
    took("get", f"topics/{topic.number}/recent/")
    return counts


@pytest.mark.parametrize("part", [Assignment.Part.PRIMARY, Assignment.Part.SHARED])
def test_judging_takes_as_many_queries_at_2000_pooled_documents_as_at_40(
    client: Client, campaign: Campaign, make: Factory, part: str
) -> None:
    Campaign.objects.update(run_depth=2000)
    campaign.refresh_from_db()
    alice, found = make.make_user("alice"), []
    text = {"text": "Some text.", "text_hash": text_hash("", "Some text.")}
    later = [Document(campaign=campaign, docno=f"D{rank}", **text) for rank in range(40, 2000)]
    Document.objects.bulk_create(later)  # a document without a text takes a query less
    for size in (40, 2000):  # both have hidden repeats to come
        topic = make.make_topic(campaign, f"of-{size}")
        rows = "\n".join(f"{topic.number} D{rank} {size - rank}" for rank in range(size))
        make.make_run(campaign, rows, tag=topic.number)
        freeze_pool(campaign, make.make_user("carol"), [campaign.runs.get(tag=topic.number)], ALL)
        assign([alice], [topic], part)
        found.append(counted(client, alice, topic))
        assert topic.pooled.count() == size
    assert found[0] == found[1]


def test_a_label_takes_no_more_queries_when_more_is_judged(
    client: Client, campaign: Campaign, make: Factory
) -> None:
    JudgingPlan.objects.update(repeat_share=0)
    topic, alice = campaign.topics.get(number="1"), make.make_user("alice")
    client.post(f"{BASE}outbox/", parcel(next_documents(alice, topic, 5)), "application/json")
    counts = set()
    for _ in range(12):
        content = parcel(next_documents(alice, topic, 5))
        with CaptureQueriesContext(connection) as captured:
            client.post(f"{BASE}outbox/", content, "application/json")
        counts.add(len(captured))
    locks = connection.vendor == "postgresql"  # it locks the row of the document, too
    assert len(counts) == 1 and counts.pop() <= 26 + locks


def expected_rows(rows: QuerySet[Any]) -> float:
    """Return how many rows PostgreSQL expects, with statistics of a few gold documents only."""
    sql, values = rows.order_by().query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE assess_probe, pooling_pool, assess_source")
        tables = [name for name in GROWING if name != "pooling_auditlogentry"]
        cursor.execute("UPDATE pg_class SET relpages = 1, reltuples = 1e6 WHERE relname = ANY(%s)", [tables])
        cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", values)
        (((plan, *_),),) = cursor.fetchall()
    return float(plan["Plan"]["Plan Rows"])


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite expects nothing: it knows no table's size")
@pytest.mark.parametrize("read", ["documents_to_judge", "judgments_of_people", "events"])
def test_most_documents_are_expected_to_be_neither_gold_nor_training(
    campaign: Campaign, make: Factory, read: str
) -> None:
    topic = make.make_topic(campaign, "3")
    lines = "".join(f"{topic.number} P{number} 2 It answers a part.\n" for number in range(50))
    load_gold(campaign, make.make_user("carol"), "training", lines.encode())
    make.make_judgment(campaign, "alice", "1", "D1", 2)
    make.make_judgment(campaign, "alice", "1", "D2", 0)
    rows = getattr(CampaignReads(campaign), read)()
    assert expected_rows(rows) > 20  # of a million, and one at most as a join that finds nothing
