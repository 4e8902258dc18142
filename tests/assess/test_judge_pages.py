"""The pages of a judge around the judging screen: home, My topics, a finished topic, My labels."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.models import User
from assess.models import QueueEntry
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judge_progress import my_topics, own_grades
from assess.services.assignments import assign
from pooling.models import Campaign, Role
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

BASE = "/campaigns/tiny/judge/"


def build_campaign(make: Factory) -> Campaign:
    """Two topics of alice's; she has judged one document of the second and put a comment on it."""
    campaign = make.make_campaign()
    topics = [make.make_topic(campaign, number, f"title {number}") for number in ("1", "2")]
    make.make_run(campaign, "1 D1 9\n1 D2 8\n2 D1 9\n2 D3 8\n2 D4 7")
    make.make_pool(campaign)
    make.make_document(campaign, "D3", "A text.")
    assign([make.make_user("alice")], topics)
    make.make_judgment(campaign, "alice", "2", "D1", 3)
    return campaign


@pytest.fixture
def alice(campaign: Campaign, make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("alice"))
    return client


def user(make: Factory) -> User:
    return make.make_user("alice")


def test_home_of_a_judge_leads_to_the_campaign_with_open_documents(
    alice: Client, campaign: Campaign, make: Factory
) -> None:
    other = make.make_campaign("other")
    assert alice.get("/").headers["Location"] == BASE
    make.make_topic(other, "7")
    make.make_run(other, "7 D1 9")
    make.make_pool(other)
    assign([user(make)], list(other.topics.all()))
    page = markup(alice.get("/"))
    assert "/campaigns/tiny/judge/topics/2/" in page and "/campaigns/other/judge/topics/7/" in page
    add_member(other, user(make), Role.READER)
    assert "The campaigns that you are a member of." in markup(alice.get("/"))


def test_my_topics_continues_with_the_topic_of_the_last_label(alice: Client) -> None:
    page = " ".join(markup(alice.get(BASE)).split())
    assert "<b>4 documents left</b> in 2 topics" in page
    assert ", 2 left.</span>" in page
    assert page.index(f'href="{BASE}topics/2/" autofocus') > 0


def test_a_finished_topic_leads_to_the_next_one(alice: Client, campaign: Campaign, make: Factory) -> None:
    for docno in ("D3", "D4"):
        make.make_judgment(campaign, "alice", "2", docno, 0)
    page = " ".join(markup(alice.get(f"{BASE}topics/2/")).split())
    assert "Topic 2 is finished" in page and f'href="{BASE}topics/1/" autofocus' in page
    assert "(2 left)" in page
    for docno in ("D1", "D2"):
        make.make_judgment(campaign, "alice", "1", docno, 0)
    assert "All your topics are finished." in markup(alice.get(f"{BASE}topics/1/"))
    assert "All your topics are finished." in markup(alice.get(BASE))


def repeat(make: Factory, campaign: Campaign) -> QueueEntry:
    entry = make.entry(campaign, "alice", "2", "D1")
    return QueueEntry.objects.create(
        judge=entry.judge, topic=entry.topic, pooled=entry.pooled, kind="repeat", place=entry.place
    )


def test_own_grades_add_up_to_the_judged_documents(campaign: Campaign, make: Factory) -> None:
    repeat(make, campaign)
    QueueEntry.objects.filter(kind="repeat").update(state="done")
    repeated = QueueEntry.objects.get(kind="repeat")
    event = repeated.pooled.events.get()
    event.pk, event.kind, event.relevance = None, "repeat", 2
    event.uuid = "6f1e7c1e-3c52-4e57-9f06-7d0f3c1c2f11"
    event.save()
    grades = own_grades(user(make), campaign)
    assert grades == {3: 1, 2: 1}
    assert sum(grades.values()) == sum(mine.judged for mine in my_topics(user(make), CampaignReads(campaign)))


@pytest.mark.parametrize(
    ("query", "listed"),
    [
        ("", ["D1", "D3"]),
        ("?topic=2&grade=3", ["D1"]),
        ("?grade=0", ["D3"]),
        ("?grade=none", []),
        ("?grade=x&topic=99&page=9", ["D1", "D3"]),
        ("?text=d3", ["D3"]),
        ("?remarks=on", []),
    ],
)
def test_my_labels_are_searched(
    alice: Client, campaign: Campaign, make: Factory, query: str, listed: list[str]
) -> None:
    make.make_judgment(campaign, "alice", "2", "D3", 1)
    make.make_judgment(campaign, "alice", "2", "D3", 0)
    page = markup(alice.get(f"{BASE}labels/{query}"))
    assert [docno for docno in ("D1", "D2", "D3", "D4") if f">{docno}</a>" in page] == listed
    assert page.count(">D3</a>") <= 1


def test_my_labels_do_not_show_the_earlier_label_of_an_open_repeat(
    alice: Client, campaign: Campaign, make: Factory
) -> None:
    last = f"{BASE}topics/2/recent/"
    assert ">D1</a>" in markup(alice.get(f"{BASE}labels/?text=D1"))
    assert ">D1</span>" in markup(alice.get(last))
    repeat(make, campaign)
    assert ">D1</a>" not in markup(alice.get(f"{BASE}labels/?text=D1"))
    assert ">D1</span>" not in markup(alice.get(last))
