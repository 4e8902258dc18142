"""Leases of the documents of a shared topic."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from assess.models import Assignment, QueueEntry
from assess.queries.judging import next_entries, next_lease_end
from assess.services.assignments import assign
from assess.services.queue_entries import LEASE_DURATION, LEASE_RENEWAL_INTERVAL
from assess.services.queues import next_documents
from pooling.models import Topic
from tests.support.factory import Factory


@pytest.fixture
def topic(make: Factory) -> Topic:
    """A topic of forty pooled documents that no judge has yet."""
    return make.make_forty().topics.get()


@pytest.fixture
def alice(make: Factory) -> User:
    return make.make_user("alice")


@pytest.fixture
def bob(make: Factory) -> User:
    return make.make_user("bob")


def docnos(entries: list[QueueEntry]) -> list[str]:
    return sorted(entry.pooled.docno for entry in entries)


def test_documents_whose_lease_expired_go_to_the_next_judge_who_asks(
    topic: Topic, alice: User, bob: User
) -> None:
    assign([alice, bob], [topic], Assignment.Part.SHARED)
    leased = next_documents(alice, topic, 4)
    assert len(next_documents(bob, topic, 40)) == 36
    QueueEntry.objects.filter(judge=bob).update(state=QueueEntry.State.DONE)
    assert next_documents(bob, topic, 4) == []
    assert next_lease_end(bob, topic)
    QueueEntry.objects.filter(judge=alice).update(leased_until=timezone.now() - timedelta(minutes=1))
    assert docnos(next_documents(bob, topic, 4)) == docnos(leased)
    assert next_entries(alice, topic, 4) == []


def test_leases_are_renewed_while_the_judge_works(topic: Topic, alice: User) -> None:
    assign([alice], [topic], Assignment.Part.SHARED)
    (first, *_) = next_documents(alice, topic, 4)
    QueueEntry.objects.filter(judge=alice).update(leased_until=timezone.now() + timedelta(seconds=5))
    next_documents(alice, topic, 4)
    first.refresh_from_db()
    assert first.leased_until
    assert first.leased_until > timezone.now() + LEASE_DURATION - LEASE_RENEWAL_INTERVAL


def test_organisers_see_which_documents_two_judges_of_a_shared_topic_labelled(
    topic: Topic, alice: User, bob: User, make: Factory, client: Client
) -> None:
    client.force_login(make.make_user("carol"))
    page = reverse("assess:judging", args=[topic.campaign.slug])
    assign([alice, bob], [topic], Assignment.Part.SHARED)
    (hers, *_) = next_documents(alice, topic, 4)
    QueueEntry.objects.filter(judge=bob).update(state=QueueEntry.State.DONE)
    assert "labelled twice" not in client.get(page).content.decode()
    QueueEntry.objects.filter(pk=hers.pk).update(leased_until=timezone.now() - timedelta(minutes=1))
    (his,) = [each for each in next_documents(bob, topic, 40) if each.pooled_id == hers.pooled_id]
    QueueEntry.objects.filter(pk__in=[hers.pk, his.pk]).update(state=QueueEntry.State.DONE)
    text = client.get(page).content.decode()
    assert "1 document of shared topics labelled twice" in text
    assert hers.pooled.docno in text
