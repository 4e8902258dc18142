from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.test import Client

from assess.models import Assignment, Judgment, JudgmentEvent
from assess.queries import card_of, labels_of_earlier_texts
from pooling.models import Campaign, PooledDocument
from pooling.services import import_documents
from pooling.trec import read_documents
from tests.factory import Factory


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_document(campaign, "D1", "What alice reads.")
    return campaign


@pytest.fixture
def pooled(campaign: Campaign, make: Factory) -> PooledDocument:
    return make.pooled(campaign, "1", "D1")


@pytest.fixture
def alice(make: Factory, campaign: Campaign) -> Client:
    client = Client(headers={"HX-Request": "true"})
    client.force_login(make.make_user("alice"))
    return client


def press(pooled: PooledDocument, make: Factory, **changed: Any) -> dict[str, Any]:
    shown = card_of(make.make_user("alice"), pooled)
    return {
        "uuid": str(uuid.uuid4()),
        "docno": pooled.docno,
        "text_hash": shown.text_hash,
        "relevance": 2,
        "source": "key",
    } | changed


def url(pooled: PooledDocument) -> str:
    return f"/campaigns/tiny/judge/{pooled.pk}/"


def test_a_press_records_the_label_and_answers_with_another_document(
    alice: Client, pooled: PooledDocument, make: Factory
) -> None:
    response = alice.post(url(pooled), press(pooled, make, comment="well said"))
    event = JudgmentEvent.objects.get()
    assert (event.pooled, event.relevance, event.source, event.comment) == (pooled, 2, "key", "well said")
    assert Judgment.objects.get().event == event
    assert response.status_code == 200
    assert b'name="docno" value="D1"' not in response.content
    assert b"Saved 1" in response.content


def test_the_same_press_twice_is_one_event(alice: Client, pooled: PooledDocument, make: Factory) -> None:
    once = press(pooled, make)
    alice.post(url(pooled), once)
    assert b"Saved 1" in alice.post(url(pooled), once).content
    assert JudgmentEvent.objects.count() == 1


def test_a_second_thought_is_a_second_event_and_the_label_that_counts(
    alice: Client, pooled: PooledDocument, make: Factory
) -> None:
    alice.post(url(pooled), press(pooled, make, relevance=3))
    alice.post(url(pooled), press(pooled, make, relevance=0))
    assert list(JudgmentEvent.objects.values_list("relevance", flat=True)) == [3, 0]
    assert Judgment.objects.get().relevance == 0


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"relevance": 9}, "9 is not a grade of this campaign"),
        ({"relevance": ""}, "Expected a grade, or a reason"),
        ({"relevance": 1, "reason": "broken"}, "Expected a grade, or a reason"),
        ({"uuid": "no"}, "valid UUID"),
        ({"docno": "D2"}, "meant for another document"),
        ({"text_hash": "0" * 64}, "text of this document has changed"),
    ],
)
def test_a_press_that_does_not_fit_keeps_the_card_and_records_nothing(
    alice: Client, pooled: PooledDocument, make: Factory, changed: dict[str, Any], said: str
) -> None:
    response = alice.post(url(pooled), press(pooled, make, **changed))
    assert response.status_code == 200
    assert said in response.content.decode()
    assert b'name="docno" value="D1"' in response.content
    assert not JudgmentEvent.objects.exists()


def test_a_text_that_changed_meanwhile_is_offered_anew(
    alice: Client, campaign: Campaign, pooled: PooledDocument, make: Factory
) -> None:
    stale = press(pooled, make)
    changed = b'{"docno": "D1", "text": "Something else entirely."}\n'
    import_documents(campaign, lambda: read_documents(changed, "new.jsonl"))
    response = alice.post(url(pooled), stale)
    assert b"has changed since you saw it" in response.content
    assert b"Something else entirely." in response.content
    assert not Judgment.objects.exists()


def test_a_press_cannot_be_moved_to_another_document(
    alice: Client, campaign: Campaign, pooled: PooledDocument, make: Factory
) -> None:
    once = press(pooled, make)
    alice.post(url(pooled), once)
    other = make.pooled(campaign, "2", "D1")
    response = alice.post(url(other), once)
    assert b"already recorded for another document" in response.content
    assert Judgment.objects.get().pooled == pooled


def test_a_topic_that_was_taken_away_takes_no_label(
    alice: Client, pooled: PooledDocument, make: Factory
) -> None:
    taken = press(pooled, make)
    Assignment.objects.filter(judge__username="alice").delete()
    assert alice.post(url(pooled), taken).status_code == 404
    assert not JudgmentEvent.objects.exists()


def test_cannot_judge_is_an_event_with_a_reason_and_no_grade(
    alice: Client, pooled: PooledDocument, make: Factory
) -> None:
    alice.post(url(pooled), press(pooled, make, relevance="", reason="language"))
    event = JudgmentEvent.objects.get()
    assert (event.relevance, event.reason) == (None, "language")
    assert Judgment.objects.get().relevance is None


def test_a_document_is_shown_escaped(alice: Client, campaign: Campaign, make: Factory) -> None:
    Document = campaign.documents.model
    Document.objects.filter(docno="D1").update(title="<b>bold</b>", text="<script>alert(1)</script>")
    content = alice.get(url(make.pooled(campaign, "1", "D1"))).content.decode()
    assert "<script>alert" not in content and "<b>bold" not in content
    assert "&lt;script&gt;alert(1)" in content


def test_two_judges_have_labels_of_their_own(alice: Client, pooled: PooledDocument, make: Factory) -> None:
    make.make_judgment(pooled.pool.campaign, "bob", "1", "D1", 0)
    alice.post(url(pooled), press(pooled, make, relevance=3))
    assert dict(Judgment.objects.values_list("judge__username", "relevance")) == {"bob": 0, "alice": 3}


def test_a_label_of_an_earlier_text_is_marked_and_counted(
    alice: Client, campaign: Campaign, pooled: PooledDocument, make: Factory
) -> None:
    alice.post(url(pooled), press(pooled, make))
    assert labels_of_earlier_texts(campaign) == 0
    import_documents(
        campaign, lambda: read_documents(b'{"docno": "D1", "text": "Another text."}\n', "new.jsonl")
    )
    assert labels_of_earlier_texts(campaign) == 1
    assert "new since you labelled it" in alice.get(url(pooled)).content.decode()
    organiser = Client()
    organiser.force_login(make.make_user("carol"))
    assert "1 label of an earlier text" in organiser.get("/campaigns/tiny/judging/").content.decode()
