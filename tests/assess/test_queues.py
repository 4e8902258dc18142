"""The queue of a judge: which documents it gets, and in which order."""

from __future__ import annotations

import pytest
from django.test import Client

from accounts.models import User
from assess.models import Assignment, JudgingPlan, Judgment, JudgmentEvent, QueueEntry, ReturnedLabel
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judge_progress import my_topics, topic_progress
from assess.queries.judging import cards_of, last_labels, next_entries
from assess.queries.own_labels import own_labels
from assess.queries.queues import current_refusals
from assess.services import queues
from assess.services.assignments import assign, unassign_topic
from assess.services.judging import SubmittedJudgment, record_judgment
from assess.services.queues import extend_queue, next_documents, return_to_judges
from pooling.manifest import PoolPlan
from pooling.models import Campaign, Role, Topic
from pooling.services.people import add_member
from pooling.services.pools import freeze_pool
from tests.support.factory import Factory
from tests.support.markup import markup

SHARED, SECOND = Assignment.Part.SHARED, Assignment.Part.SECOND


def build_campaign(make: Factory) -> Campaign:
    """One topic of forty documents in a pool, assigned to nobody."""
    return make.make_forty()


@pytest.fixture
def topic(campaign: Campaign) -> Topic:
    return campaign.topics.get()


@pytest.fixture
def alice(make: Factory) -> User:
    return make.make_user("alice")


@pytest.fixture
def bob(make: Factory) -> User:
    return make.make_user("bob")


def docnos(entries: list[QueueEntry]) -> list[str]:
    return [entry.pooled.docno for entry in entries]


def judge(entries: list[QueueEntry], relevance: int | None = 0) -> None:
    from uuid import uuid4

    for card in cards_of(entries):
        reason = "" if relevance is not None else "broken"
        record_judgment(card.entry, SubmittedJudgment(uuid4(), card.docno, card.text_hash, relevance, reason))


def test_an_order_is_fixed_and_every_document_comes_once(alice: User, topic: Topic) -> None:
    assign([alice], [topic])
    once = docnos(next_documents(alice, topic, 40))
    assert len(set(once)) == 40
    extend_queue(alice, topic, 40)
    assert docnos(next_documents(alice, topic, 99)) == once


def test_a_page_that_holds_cards_gets_the_following_ones(alice: User, topic: Topic) -> None:
    assign([alice], [topic])
    all_of_them = next_documents(alice, topic, 40)
    held = [entry.pk for entry in all_of_them[:3]]
    assert docnos(next_documents(alice, topic, 4, held)) == docnos(all_of_them[3:4])


@pytest.mark.parametrize("order", ["docno", "priority", "random-same"])
def test_the_plan_says_the_order(
    campaign: Campaign, topic: Topic, alice: User, bob: User, order: str
) -> None:
    JudgingPlan.objects.create(campaign=campaign, order=order, seed=7)
    assign([alice, bob], [topic])
    orders = [docnos(next_documents(judge, topic, 40)) for judge in (alice, bob)]
    assert orders[0] == orders[1]
    assert (orders[0] == sorted(orders[0])) == (order != "random-same")


def test_documents_that_join_come_behind_those_that_wait(
    campaign: Campaign, topic: Topic, alice: User, make: Factory
) -> None:
    assign([alice], [topic])
    before = docnos(next_documents(alice, topic, 40))
    make.make_run(campaign, "1 NEW 5", tag="late")
    make.make_pool(campaign)
    assign([alice], [topic])
    assert docnos(next_documents(alice, topic, 41)) == [*before, "NEW"]


def test_judges_who_share_a_topic_never_get_the_same_document(topic: Topic, alice: User, bob: User) -> None:
    assign([alice, bob], [topic], SHARED)
    seen: list[str] = []
    while entries := next_documents(alice, topic, 4) + next_documents(bob, topic, 4):
        seen += docnos(entries)
        judge(entries)
    assert sorted(seen) == [f"D{rank:02}" for rank in range(40)]


def test_a_second_judge_gets_a_share(campaign: Campaign, topic: Topic, alice: User, bob: User) -> None:
    JudgingPlan.objects.create(campaign=campaign, overlap="share", overlap_share=10)
    assign([alice], [topic])
    assign([bob], [topic], SECOND)
    assert len(next_documents(bob, topic, 40)) == 4
    assert topic_progress(bob, topic).total == 4


def test_a_second_judge_gets_as_many_relevant_as_not_by_the_primarys_labels(
    campaign: Campaign, topic: Topic, alice: User, bob: User
) -> None:
    JudgingPlan.objects.create(campaign=campaign, overlap="stratified", overlap_count=3)
    assign([alice], [topic])
    assign([bob], [topic], SECOND)
    assert next_documents(bob, topic, 40) == []
    entries = next_documents(alice, topic, 40)
    judge(entries[:10], 3)
    judge(entries[10:], 0)
    given = set(docnos(next_documents(bob, topic, 40)))
    assert len(given) == 6
    assert len(given & set(docnos(entries[:10]))) == 3


def test_a_live_pool_follows_the_labels(campaign: Campaign, alice: User, topic: Topic, make: Factory) -> None:
    make.make_run(campaign, "\n".join(f"1 E{rank:02} {100 - rank}" for rank in range(40)), tag="other")
    plan = PoolPlan("mtf", {"floor": 1, "deepest": 40, "budget": 20}, seed=3)
    campaign.pools.all().delete()
    freeze_pool(campaign, make.make_user("carol"), list(campaign.runs.all()), plan)
    assign([alice], [topic])
    client = Client()
    client.force_login(alice)
    # more than must lie ready would be chosen without the labels before them
    assert 'data-few="4" data-many="4"' in markup(client.get("/campaigns/tiny/judge/topics/1/"))
    judged = []
    while entries := next_documents(alice, topic, 1):
        judge(entries, 3 if entries[0].pooled.docno.startswith("E") else 0)
        judged += docnos(entries)
    assert len(judged) == 20
    assert sum(docno.startswith("E") for docno in judged) > 15
    assert topic_progress(alice, topic).left == 0


def test_cannot_judge_comes_back_when_the_organiser_returns_it(
    topic: Topic, alice: User, make: Factory
) -> None:
    assign([alice], [topic])
    entries = next_documents(alice, topic, 40)
    judge(entries[:1], None)
    events = JudgmentEvent.objects.all()
    assert len(current_refusals(events)) == 1
    assert return_to_judges(events, make.make_user("carol")) == 1
    assert docnos(next_documents(alice, topic, 40))[-1] == entries[0].pooled.docno
    assert ReturnedLabel.objects.count() == JudgmentEvent.objects.count() == 1
    assert return_to_judges(events, make.make_user("carol")) == 0


def test_hidden_repeats_come_back_unmarked_and_stay_out_of_the_labels(
    campaign: Campaign, topic: Topic, alice: User
) -> None:
    JudgingPlan.objects.create(campaign=campaign, repeat_share=20, seed=1)
    assign([alice], [topic])
    first: dict[str, int] = {}
    while entries := next_documents(alice, topic, 1):
        grade = 1 if entries[0].pooled.docno in first else 3
        first.setdefault(entries[0].pooled.docno, grade)
        judge(entries, grade)
    repeats = JudgmentEvent.objects.filter(kind="repeat")
    assert 0 < repeats.count() <= 8
    assert set(repeats.values_list("relevance", flat=True)) == {1}
    assert set(Judgment.objects.values_list("judge__username", "relevance")) == {("alice", 3)}


def test_a_page_that_has_all_cards_learns_the_place_of_a_hidden_repeat(
    campaign: Campaign, topic: Topic, alice: User, client: Client
) -> None:
    JudgingPlan.objects.create(campaign=campaign, repeat_share=20, seed=1)
    assign([alice], [topic])
    judge(next_documents(alice, topic, 28))
    have = [entry.pk for entry in next_entries(alice, topic, 12)]
    client.force_login(alice)
    payload = {"judge": alice.pk, "topic": "1", "have": have, "want": 50, "labels": []}
    page = markup(client.post("/campaigns/tiny/judge/outbox/", payload, "application/json"))
    repeats = QueueEntry.objects.filter(kind="repeat", state="open").values_list("pk", flat=True)
    assert repeats and page.count("<template>") == len(repeats)
    order = [*have[:4], *repeats, *have[4:]]
    assert f'data-order="{" ".join(map(str, order))}"' in page


@pytest.mark.parametrize("part", [Assignment.Part.PRIMARY, SHARED])
def test_the_total_of_a_topic_contains_the_repeats_from_the_start(
    campaign: Campaign, topic: Topic, alice: User, part: str
) -> None:
    JudgingPlan.objects.create(campaign=campaign, repeat_share=20, seed=1)
    assign([alice], [topic], part)
    topic.campaign.refresh_from_db()
    totals, judged = [topic_progress(alice, topic).total], [0]
    while entries := next_documents(alice, topic, 14):
        judge(entries[:1], 1)
        mine = topic_progress(alice, topic)
        assert [(mine.judged, mine.total)] == [
            (each.judged, each.total) for each in my_topics(alice, CampaignReads(topic.campaign))
        ]
        totals.append(mine.total)
        judged.append(mine.judged)
        listed = own_labels(alice, campaign).values_list("pooled", flat=True)
        recent = [label.event.pooled_id for label in last_labels(alice, topic, 50)]
        assert len(set(listed)) == len(listed) and len(set(recent)) == len(recent) == len(listed)
    assert set(totals) == {43} and judged == [*range(44)]
    assert QueueEntry.objects.filter(kind="repeat", state="done").count() == 3


def test_a_user_who_cannot_sign_in_has_no_queue(campaign: Campaign, topic: Topic, make: Factory) -> None:
    machine = User.objects.create(username="tiny/llm", is_active=False)
    add_member(campaign, machine, Role.JUDGE)
    assign([machine], [topic])
    assert not QueueEntry.objects.exists()


def test_a_document_that_is_labelled_while_it_comes_back_stays_done(
    make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = make.make_pooled_campaign()
    alice, topic = make.make_user("alice"), campaign.topics.get(number="1")
    unassign_topic(topic, alice)
    entry = make.entry(campaign, "alice", "1", "D1")
    assert entry.state == QueueEntry.State.AWAY
    heap = queues._available

    def labelled_meanwhile(assignment: Assignment) -> dict[str, queues._Candidate]:
        found = heap(assignment)
        make.make_judgment(campaign, "alice", "1", "D1", 2)
        return found

    monkeypatch.setattr(queues, "_available", labelled_meanwhile)
    assign([alice], [topic])
    states = dict(QueueEntry.objects.filter(judge=alice, topic=topic).values_list("pooled__docno", "state"))
    assert states == {"D1": "done", "D2": "open", "D3": "open"}
