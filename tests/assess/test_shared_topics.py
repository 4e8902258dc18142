"""A topic that several judges share: who takes a document, and what the others see of it."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from accounts.models import User
from assess.models import Assignment, Judgment, QueueEntry
from assess.queries.judging import cards_of
from assess.services.assignments import assign
from assess.services.judging import SubmittedJudgment, record_judgment
from assess.services.queues import next_documents
from pooling.models import Campaign, Role, Topic
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE, OUTBOX = "/campaigns/tiny/judge/topics/1/", "/campaigns/tiny/judge/outbox/"
SHARED = Assignment.Part.SHARED


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """One topic of forty documents in a pool, shared by alice and bob."""
    campaign = make.make_forty()
    assign([make.make_user("alice"), make.make_user("bob")], [campaign.topics.get()], SHARED)
    return campaign


@pytest.fixture
def topic(campaign: Campaign) -> Topic:
    return campaign.topics.get()


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def alice(campaign: Campaign, make: Factory) -> User:
    return make.make_user("alice")


@pytest.fixture
def bob(campaign: Campaign, make: Factory) -> User:
    return make.make_user("bob")


def press(entry: QueueEntry) -> dict[str, Any]:
    (card,) = cards_of([entry])
    fields = {"docno": card.docno, "text_hash": card.text_hash, "relevance": 1, "source": "click"}
    return fields | {"uuid": str(uuid.uuid4()), "entry": entry.pk}


def ask(judge: User, *labels: dict[str, Any], have: tuple[int, ...] = (), want: int = 4) -> HttpResponse:
    content = {"judge": judge.pk, "topic": "1", "have": have, "want": want, "labels": labels}
    return client_of(judge).post(OUTBOX, json.dumps(content), "application/json")  # type: ignore[return-value]


def label(entries: list[QueueEntry]) -> None:
    for card in cards_of(entries):
        record_judgment(card.entry, SubmittedJudgment(uuid.uuid4(), card.docno, card.text_hash, 0))


def expire(judge: User) -> None:
    leases = QueueEntry.objects.filter(judge=judge, leased_until__isnull=False)
    leases.update(leased_until=timezone.now() - timedelta(minutes=1))


# taking documents


def test_opening_a_shared_topic_takes_no_document(alice: User, bob: User) -> None:
    for judge in (alice, bob):
        page = markup(client_of(judge).get(PAGE))
        assert "judgment-card" not in page
        assert 'id="begin" method="post"' in page
    assert not QueueEntry.objects.exists()


def test_a_form_of_the_page_takes_documents(alice: User, bob: User) -> None:
    response = client_of(alice).post(PAGE)
    assert (response.status_code, response["Location"]) == (302, PAGE)
    taken = QueueEntry.objects.filter(judge=alice, leased_until__gt=timezone.now())
    assert taken.count() == 4
    assert "judgment-card" in markup(client_of(alice).get(PAGE))
    assert not QueueEntry.objects.filter(judge=bob).exists()


def test_the_outbox_takes_documents(alice: User) -> None:
    assert markup(ask(alice)).count("<template>") == 4
    assert QueueEntry.objects.filter(judge=alice, leased_until__gt=timezone.now()).count() == 4


def test_a_page_of_a_shared_topic_gets_no_more_documents_for_the_time_offline(alice: User, bob: User) -> None:
    client_of(alice).post(PAGE)
    assert 'data-few="14" data-many="14"' in markup(client_of(alice).get(PAGE))
    ask(alice, want=50)
    assert QueueEntry.objects.filter(judge=alice).count() == 24
    assert markup(ask(bob, want=50)).count("<template>") == 16


def test_opening_a_shared_topic_again_shows_what_was_taken_and_prolongs_nothing(
    alice: User, topic: Topic
) -> None:
    (first, *_) = next_documents(alice, topic, 2)
    until = timezone.now() + timedelta(minutes=1)
    QueueEntry.objects.update(leased_until=until)
    page = markup(client_of(alice).get(PAGE))
    assert f'data-docno="{first.pooled.docno}"' in page
    assert [entry.leased_until for entry in QueueEntry.objects.all()] == [until, until]


def test_opening_a_shared_topic_takes_nothing_from_a_judge_whose_lease_ended(
    alice: User, bob: User, topic: Topic
) -> None:
    label(next_documents(bob, topic, 36))
    next_documents(alice, topic, 4)
    expire(alice)
    assert 'id="begin" method="post"' in markup(client_of(bob).get(PAGE))
    assert not QueueEntry.objects.filter(state=QueueEntry.State.AWAY).exists()
    assert client_of(bob).post(PAGE).status_code == 302
    assert QueueEntry.objects.filter(judge=alice, state=QueueEntry.State.AWAY).count() == 4


def test_a_form_that_can_take_nothing_says_so(alice: User, bob: User, topic: Topic) -> None:
    next_documents(bob, topic, 40)
    for response in (client_of(alice).get(PAGE), client_of(alice).post(PAGE)):
        assert response.status_code == 200
        assert "No document is free now" in markup(response)
        assert 'id="begin"' not in markup(response)


def test_the_plain_form_of_a_shared_topic_goes_on_until_it_is_done(alice: User) -> None:
    client = client_of(alice)
    client.post(PAGE)
    for _ in range(40):
        entry = QueueEntry.objects.filter(judge=alice, state=QueueEntry.State.OPEN).first()
        assert entry
        assert client.post(f"/campaigns/tiny/judge/{entry.pk}/", press(entry)).status_code == 302
    assert "Topic 1 is finished" in markup(client.get(PAGE))
    assert Judgment.objects.count() == 40


def test_opening_a_topic_of_ones_own_puts_documents_into_the_queue(make: Factory, topic: Topic) -> None:
    eve = make.make_user("eve")
    add_member(topic.campaign, eve, Role.JUDGE)
    assign([eve], [topic])
    QueueEntry.objects.filter(judge=eve).delete()
    assert "judgment-card" in markup(client_of(eve).get(PAGE))


# after a lease


def test_a_judge_whose_lease_ended_reads_that_another_judge_labelled_the_document(
    alice: User, bob: User, topic: Topic
) -> None:
    (entry,) = next_documents(alice, topic, 1)
    pressed = press(entry)
    expire(alice)
    label(next_documents(bob, topic, 40))
    answer = markup(ask(alice, pressed))
    assert Judgment.objects.filter(pooled=entry.pooled).count() == 2
    docno = entry.pooled.docno
    assert f"<p data-feedback>{docno}: your time for this document was over" in answer
    assert "another judge has labelled it too. Both labels are stored." in answer
    assert "data-problem" not in answer


def test_a_judge_whose_lease_ended_reads_that_another_judge_has_the_document_open(
    alice: User, bob: User, topic: Topic
) -> None:
    (entry,) = next_documents(alice, topic, 1)
    expire(alice)
    next_documents(bob, topic, 40)
    client = client_of(alice)
    client.post(f"/campaigns/tiny/judge/{entry.pk}/", press(entry))
    page = markup(client.get(PAGE))
    assert "another judge has it open now. Your label is stored." in page


def test_a_judge_whose_lease_ended_reads_nothing_as_long_as_nobody_took_the_document(
    alice: User, bob: User, topic: Topic
) -> None:
    (entry,) = next_documents(alice, topic, 1)
    expire(alice)
    next_documents(bob, topic, 2)  # frees what expired
    entry.refresh_from_db()
    QueueEntry.objects.filter(judge=bob, pooled=entry.pooled).delete()
    assert entry.state == QueueEntry.State.AWAY
    assert "data-feedback" not in markup(ask(alice, press(entry)))


def test_a_shared_topic_that_is_done_says_how_many_documents_each_side_judged(
    alice: User, bob: User, topic: Topic
) -> None:
    label(next_documents(alice, topic, 1))
    label(next_documents(bob, topic, 40))
    for judge, sentence in (
        (alice, "You judged 1 document of “one”, and other judges 39."),
        (bob, "You judged 39 documents of “one”, and other judges 1."),
    ):
        page = markup(client_of(judge).get(PAGE))
        assert "Topic 1 is finished" in page
        assert sentence in " ".join(page.split())
