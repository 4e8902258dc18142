"""An adjudicator sends a label back to its judge with a remark."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from assess.adjudication import DisputeFilter
from assess.models import Judgment, Progress, QueueEntry, ReturnedLabel
from assess.queries.adjudication import dispute_queue
from assess.services.adjudications import claim_case
from assess.services.assignments import assign, unassign_topic
from assess.services.queues import NotAsked, ask_again, next_documents
from pooling.models import Campaign, PooledDocument, Role
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

URL = "/campaigns/tiny/adjudication/"
REMARK = "Read the <b>second</b> paragraph."


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """D1 of topic 1 is 3 to alice and 0 to bob."""
    campaign = make.make_pooled_campaign()
    add_member(campaign, make.make_user("ada"), Role.ADJUDICATOR)
    assign([make.make_user("alice"), make.make_user("bob")], campaign.topics.all())
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_judgment(campaign, "bob", "1", "D1", 0)
    return campaign


@pytest.fixture
def pooled(campaign: Campaign, make: Factory) -> PooledDocument:
    return make.pooled(campaign, "1", "D1")


def event_of(pooled: PooledDocument, judge: str) -> int:
    return Judgment.objects.get(pooled=pooled, judge__username=judge).event_id


def sign_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def test_the_label_counts_no_more_and_the_judge_reads_the_remark(
    campaign: Campaign, pooled: PooledDocument, make: Factory
) -> None:
    ada = make.make_user("ada")
    claim_case(pooled, ada)
    client = sign_in(make, "ada")
    assert "Ask judge A again" in markup(client.get(f"{URL}?document={pooled.pk}"))
    data = {"event": event_of(pooled, "alice"), "remark": REMARK}
    page = markup(client.post(f"{URL}{pooled.pk}/ask/", data, follow=True))
    assert "The judge gets D1 again, with your remark." in page
    assert [each.judge.username for each in Judgment.objects.filter(pooled=pooled)] == ["bob"]
    assert ReturnedLabel.objects.get().by == ada
    assert dispute_queue(campaign, ada, DisputeFilter()) == []
    assert Progress.objects.get(judge__username="alice", topic=pooled.topic).labels == 0
    entry = QueueEntry.objects.get(judge__username="alice", pooled=pooled)
    assert entry.state == "open"
    card = markup(sign_in(make, "alice").get(f"/campaigns/tiny/judge/{entry.pk}/"))
    assert "Read the &lt;b&gt;second&lt;/b&gt; paragraph." in card
    other = QueueEntry.objects.get(judge__username="bob", pooled=pooled)
    assert "second" not in markup(sign_in(make, "bob").get(f"/campaigns/tiny/judge/{other.pk}/"))
    assert campaign.audit_log.latest("pk").verb == "asked a judge again"


def test_the_new_label_counts_and_the_remark_is_shown_no_more(
    campaign: Campaign, pooled: PooledDocument, make: Factory
) -> None:
    ask_again(pooled, event_of(pooled, "alice"), make.make_user("ada"), REMARK)
    make.make_judgment(campaign, "alice", "1", "D1", 1)
    entry = QueueEntry.objects.get(judge__username="alice", pooled=pooled)
    assert entry.state == "done"
    assert "second" not in markup(sign_in(make, "alice").get(f"/campaigns/tiny/judge/{entry.pk}/"))
    assert Judgment.objects.get(pooled=pooled, judge__username="alice").relevance == 1
    assert dispute_queue(campaign, make.make_user("ada"), DisputeFilter()) == [pooled.pk]


def test_what_cannot_be_asked_again(campaign: Campaign, pooled: PooledDocument, make: Factory) -> None:
    ada, alice = make.make_user("ada"), make.make_user("alice")
    old = event_of(pooled, "alice")
    make.make_judgment(campaign, "alice", "1", "D1", 2)
    with pytest.raises(NotAsked, match="changed this label"):
        ask_again(pooled, old, ada, REMARK)
    unassign_topic(pooled.topic, alice)
    with pytest.raises(NotAsked, match="does not have the topic"):
        ask_again(pooled, event_of(pooled, "alice"), ada, REMARK)
    assert Judgment.objects.filter(pooled=pooled).count() == 2


@pytest.mark.parametrize("data", [{}, {"event": "x", "remark": "a"}, {"event": 10**30, "remark": "a"}])
def test_without_a_label_or_a_remark_nothing_is_sent_back(
    campaign: Campaign, pooled: PooledDocument, make: Factory, data: dict[str, object]
) -> None:
    assert sign_in(make, "ada").post(f"{URL}{pooled.pk}/ask/", data).status_code == 302
    no_remark = {"event": event_of(pooled, "alice"), "remark": " "}
    page = markup(sign_in(make, "ada").post(f"{URL}{pooled.pk}/ask/", no_remark, follow=True))
    assert "Say what the judge should read again." in page
    assert Judgment.objects.filter(pooled=pooled).count() == 2


def test_a_document_of_a_shared_topic_stays_with_the_judge_who_was_asked(make: Factory) -> None:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1", "first things")
    make.make_run(campaign, "1 D1 3")
    make.make_pool(campaign)
    topic, (alice, bob) = campaign.topics.get(), (make.make_user("alice"), make.make_user("bob"))
    assign([alice, bob], [topic], "shared")
    assert next_documents(alice, topic, 1)
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    pooled = make.pooled(campaign, "1", "D1")
    QueueEntry.objects.update(leased_until=timezone.now() - timedelta(days=1))
    ask_again(pooled, event_of(pooled, "alice"), make.make_user("ada"), REMARK)
    assert next_documents(bob, topic, 1) == []
    assert [entry.pooled for entry in next_documents(alice, topic, 1)] == [pooled]
