"""What a judge's page sends, and what becomes of it."""

from __future__ import annotations

import uuid
from importlib import import_module
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client

from assess.forms.judging import parse_payload
from assess.models import Assignment, Judgment, JudgmentEvent, QueueEntry
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judge_progress import with_new_text
from assess.queries.judging import cards_of
from assess.queries.labels import labels_of_earlier_texts
from assess.services.assignments import move_topic, unassign_topic
from pooling.formats.documents.reading import read_documents
from pooling.models import Campaign, PooledDocument
from pooling.services.documents import import_documents
from tests.support.factory import Factory
from tests.support.markup import markup

views = import_module("assess.views.judging")  # the package has a function of that name
OUTBOX = "/campaigns/tiny/judge/outbox/"


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_document(campaign, "D1", "What alice reads.")
    return campaign


@pytest.fixture
def entry(campaign: Campaign, make: Factory) -> QueueEntry:
    return make.entry(campaign, "alice", "1", "D1")


@pytest.fixture
def alice(make: Factory, campaign: Campaign) -> Client:
    client = Client()
    client.force_login(make.make_user("alice"))
    return client


def press(entry: QueueEntry, /, **changed: Any) -> dict[str, Any]:
    (card,) = cards_of([entry])
    return {
        "uuid": str(uuid.uuid4()),
        "entry": entry.pk,
        "docno": card.docno,
        "text_hash": card.text_hash,
        "relevance": 2,
        "source": "key",
    } | changed


def send(client: Client, *labels: dict[str, Any], **changed: Any) -> HttpResponse:
    parcel = {"judge": int(client.session["_auth_user_id"]), "topic": "1", "have": [], "want": 4}
    content = parcel | {"labels": labels} | changed
    response: HttpResponse = client.post(OUTBOX, content, "application/json")  # type: ignore[assignment]
    return response


def replace_text(campaign: Campaign, text: str) -> None:
    content = b'{"docno": "D1", "text": "%s"}\n' % text.encode()
    import_documents(campaign, lambda: read_documents(content, "new.jsonl"))


def test_a_press_is_recorded_with_all_that_it_says(alice: Client, entry: QueueEntry) -> None:
    evidence = {"quote": "alice", "paragraph": 0, "start": 5}
    more = {"comment": "well said", "active_seconds": 3.5, "highlighted": True, "evidence": evidence}
    response = send(alice, press(entry, **more))
    event = JudgmentEvent.objects.get()
    assert (event.pooled, event.relevance, event.source) == (entry.pooled, 2, "key")
    assert (event.comment, event.active_seconds, event.highlighted) == ("well said", 3.5, True)
    assert (event.evidence, event.position, event.kind) == (evidence, 1, "judging")
    assert Judgment.objects.get().event == event
    assert 'data-judged="1" data-total="3"' in markup(response)


@pytest.mark.parametrize("place", [0, -1], ids=["text", "title"])
def test_evidence_that_the_document_lacks_is_not_stored_but_its_label_is(
    alice: Client, entry: QueueEntry, place: int
) -> None:
    pressed = press(entry, evidence={"quote": "Words of a translation", "paragraph": place, "start": 0})
    for _ in range(2):  # a repeated request is answered alike
        response = send(alice, pressed)
        assert "D1: the label was stored without its evidence" in markup(response)
        event = JudgmentEvent.objects.get()
        assert (event.relevance, event.evidence) == (2, None)


def test_labels_beyond_the_limit_are_to_be_sent_again(
    alice: Client, entry: QueueEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "LOCK_TIMEOUT", 0.01)
    with views.STORE_LOCK:
        refused = send(alice, press(entry))
    assert (refused.status_code, refused["Retry-After"]) == (503, "2")
    assert "sent again" in markup(refused) and not JudgmentEvent.objects.exists()
    assert send(alice, press(entry)).status_code == 200  # and the place is free again
    assert send(alice, press(entry)).status_code == 200


def test_an_answer_brings_the_cards_that_the_page_lacks(
    alice: Client, entry: QueueEntry, make: Factory, campaign: Campaign
) -> None:
    others = [make.entry(campaign, "alice", "1", docno) for docno in ("D2", "D3")]
    content = markup(send(alice, press(entry), have=[others[0].pk]))
    assert "data-problem" not in content
    assert f'data-entry="{others[1].pk}"' in content
    assert f'data-entry="{others[0].pk}"' not in content and f'data-entry="{entry.pk}"' not in content


def test_a_request_for_no_cards_gets_none_and_the_number_of_judged_documents(
    alice: Client, entry: QueueEntry, make: Factory, campaign: Campaign
) -> None:
    content = markup(send(alice, press(entry), want=0))
    assert JudgmentEvent.objects.count() == 1
    assert 'data-judged="1"' in content
    assert "data-total" not in content and "<template>" not in content
    other = press(make.entry(campaign, "alice", "2", "D1"))  # of another topic than the one on screen
    assert "data-judged" not in markup(send(alice, other, want=0))


def test_an_answer_says_which_cards_were_labelled_elsewhere(
    alice: Client, entry: QueueEntry, make: Factory, campaign: Campaign
) -> None:
    make.make_judgment(campaign, "alice", "1", "D2", 1)
    other = make.entry(campaign, "alice", "1", "D2").pk
    assert f'data-closed="{other}"' in markup(send(alice, have=[entry.pk, other]))


def test_an_answer_counts_past_a_thousand_in_digits_alone(
    alice: Client, entry: QueueEntry, campaign: Campaign
) -> None:
    first = entry.pooled
    pooled = PooledDocument.objects.bulk_create(
        PooledDocument(pool=first.pool, topic=first.topic, docno=f"E{number}") for number in range(1200)
    )
    QueueEntry.objects.bulk_create(
        QueueEntry(judge=entry.judge, topic=entry.topic, pooled=each, place=9, state="done")
        for each in pooled
    )
    content = markup(send(alice, press(entry)))
    assert 'data-judged="1201" data-total="1203"' in content


def test_the_same_press_twice_is_one_event(alice: Client, entry: QueueEntry) -> None:
    once = press(entry)
    send(alice, once)
    assert "data-problem" not in markup(send(alice, once, once))
    assert JudgmentEvent.objects.count() == 1


def test_a_second_thought_is_a_second_event_and_the_label_that_counts(
    alice: Client, entry: QueueEntry
) -> None:
    send(alice, press(entry, relevance=3), press(entry, relevance=0))
    assert list(JudgmentEvent.objects.values_list("relevance", "position")) == [(3, 1), (0, 1)]
    assert Judgment.objects.get().relevance == 0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"relevance": 9}, "9 is not a grade of the scale"),
        ({"relevance": ""}, "Send exactly one of these: a grade"),
        ({"relevance": 1, "reason": "broken"}, "Send exactly one of these: a grade"),
        ({"relevance": 1, "later": True}, "Send exactly one of these: a grade"),
        ({"uuid": "no"}, "valid UUID"),
        ({"docno": "D2"}, "names another document"),
        ({"text_hash": "0" * 64}, "text of this document was replaced"),
        ({"entry": 10**12}, "not in your queue"),
        ({"entry": "one"}, "not in your queue"),
        ({"evidence": {"quote": 1}}, "Evidence must have a quote"),
    ],
)
def test_a_press_that_does_not_fit_is_refused_in_words_and_the_document_offered_anew(
    alice: Client, entry: QueueEntry, changed: dict[str, Any], message: str
) -> None:
    response = send(alice, press(entry, **changed))
    assert response.status_code == 200
    assert message in markup(response)
    assert f'data-entry="{entry.pk}"' in markup(response)
    assert not JudgmentEvent.objects.exists()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"labels": "all"}, "labels: expected a list"),
        ({"have": ["x"]}, "have: expected a list of int"),
        ({"want": None}, "want: expected int"),
        ({"judge": True}, "judge: expected int"),
        ({"labels": [{}] * 101}, "at most 100 labels"),
        ({"have": [1] * 501}, "at most 500 cards"),
    ],
)
def test_a_parcel_that_is_none_is_refused(
    alice: Client, entry: QueueEntry, changed: dict[str, Any], message: str
) -> None:
    response = send(alice, **changed)
    assert response.status_code == 400
    assert message in markup(response)


def test_a_parcel_that_is_no_json_is_refused(alice: Client) -> None:
    assert alice.post(OUTBOX, b"{", "application/json").status_code == 400
    assert alice.post(OUTBOX, b"[]", "application/json").status_code == 400


@pytest.mark.parametrize("text", [b"cut \\ud83d", b"cut \\ufffd", "cut \ufffd".encode()])
def test_half_a_character_is_shown_as_a_missing_one(text: bytes) -> None:
    body = b'{"judge": 1, "topic": "%b", "have": [], "want": 0, "labels": [{"comment": "%b"}]}' % (text, text)
    parcel = parse_payload(body)
    assert (parcel.topic, *parcel.labels) == ("cut \ufffd", {"comment": "cut \ufffd"})


def test_what_is_no_character_is_no_json() -> None:
    with pytest.raises(ValueError, match="expected JSON"):
        parse_payload(b'{"topic": "\xed\xa0\xbd"}')


def test_the_labels_of_one_judge_never_become_those_of_another(alice: Client, entry: QueueEntry) -> None:
    """Somebody else signed in in the same browser, and the first judge's page is still open."""
    response = send(alice, press(entry), judge=entry.judge_id + 1)
    assert response.status_code == 409
    assert not JudgmentEvent.objects.exists()


def test_a_judge_cannot_label_a_document_in_another_judges_queue(
    alice: Client, campaign: Campaign, make: Factory
) -> None:
    bobs = make.entry(campaign, "bob", "1", "D1")
    assert "not in your queue" in markup(send(alice, press(bobs)))
    assert not JudgmentEvent.objects.exists()


def test_a_text_that_changed_meanwhile_is_offered_anew(
    alice: Client, campaign: Campaign, entry: QueueEntry
) -> None:
    stale = press(entry)
    replace_text(campaign, "Something else entirely.")
    response = send(alice, stale)
    assert b"<p data-problem>D1: The text of this document was replaced while you read it" in response.content
    assert b"Something else entirely." in response.content
    assert not Judgment.objects.exists()


def test_a_press_cannot_be_moved_to_another_document(
    alice: Client, campaign: Campaign, entry: QueueEntry, make: Factory
) -> None:
    once = press(entry)
    other = make.entry(campaign, "alice", "2", "D1")
    response = send(alice, once, once | {"entry": other.pk})
    assert b"already recorded for another document" in response.content
    assert Judgment.objects.get().pooled == entry.pooled


def test_a_label_under_way_while_its_topic_moves_to_another_judge_still_counts(
    alice: Client, entry: QueueEntry, make: Factory
) -> None:
    label = press(entry)
    assert move_topic(entry.topic, entry.judge, make.make_user("ada")) == 3
    assert not Assignment.objects.filter(judge=entry.judge, topic=entry.topic).exists()
    send(alice, label)
    assert Judgment.objects.get().judge == entry.judge


def test_a_judge_whose_topic_went_to_another_judge_sees_a_message(alice: Client, entry: QueueEntry) -> None:
    send(alice, press(entry))
    unassign_topic(entry.topic, entry.judge)
    response = alice.get("/campaigns/tiny/judge/topics/1/", follow=True)
    assert response.redirect_chain == [("/campaigns/tiny/judge/", 302)]
    assert "Topic 1 is no longer assigned to you. All your labels are stored." in markup(response)


def test_a_judge_who_has_not_judged_in_the_topic_yet_sees_it_too(alice: Client, entry: QueueEntry) -> None:
    unassign_topic(entry.topic, entry.judge)
    response = alice.get("/campaigns/tiny/judge/topics/1/", follow=True)
    assert "Topic 1 is no longer assigned to you." in markup(response)


def test_a_topic_that_never_was_the_judges_is_not_found(
    alice: Client, campaign: Campaign, make: Factory
) -> None:
    make.make_topic(campaign, "3")
    assert alice.get("/campaigns/tiny/judge/topics/3/").status_code == 404
    assert alice.get("/campaigns/tiny/judge/topics/99/").status_code == 404


def test_cannot_judge_is_an_event_with_a_reason_and_no_grade(alice: Client, entry: QueueEntry) -> None:
    send(alice, press(entry, relevance=None, reason="language"))
    event = JudgmentEvent.objects.get()
    assert (event.relevance, event.reason) == (None, "language")
    assert Judgment.objects.get().relevance is None


def test_later_puts_a_document_at_the_end_and_a_retry_does_nothing_more(
    alice: Client, entry: QueueEntry
) -> None:
    later = press(entry, relevance=None, later=True, postponed=0)
    send(alice, later, later)
    queue = QueueEntry.objects.filter(judge=entry.judge, topic=entry.topic)
    assert queue.last() == entry
    assert queue.get(pk=entry.pk).postponed == 1
    assert not JudgmentEvent.objects.exists()


def test_the_plain_form_records_and_goes_on(alice: Client, entry: QueueEntry) -> None:
    response = alice.post(f"/campaigns/tiny/judge/{entry.pk}/", press(entry, source="click"))
    assert response["Location"] == "/campaigns/tiny/judge/topics/1/"
    assert Judgment.objects.get().relevance == 2


def test_the_plain_form_says_what_is_wrong(alice: Client, entry: QueueEntry) -> None:
    wrong = press(entry, relevance=9)
    page = markup(alice.post(f"/campaigns/tiny/judge/{entry.pk}/", wrong, follow=True))
    assert "9 is not a grade of the scale" in page


def test_a_document_is_shown_escaped(alice: Client, campaign: Campaign, entry: QueueEntry) -> None:
    campaign.documents.filter(docno="D1").update(title="<b>bold</b>", text="<script>alert(1)</script>")
    content = markup(alice.get(f"/campaigns/tiny/judge/{entry.pk}/"))
    assert "<script>alert" not in content and "<b>bold" not in content
    assert "&lt;script&gt;alert(1)" in content


def test_two_judges_have_labels_of_their_own(alice: Client, entry: QueueEntry, make: Factory) -> None:
    make.make_judgment(entry.topic.campaign, "bob", "1", "D1", 0)
    send(alice, press(entry, relevance=3))
    assert dict(Judgment.objects.values_list("judge__username", "relevance")) == {"bob": 0, "alice": 3}


def test_a_label_of_an_earlier_text_is_marked_and_counted(
    alice: Client, campaign: Campaign, entry: QueueEntry, make: Factory
) -> None:
    send(alice, press(entry))
    assert len(labels_of_earlier_texts(CampaignReads(campaign))) == 0
    replace_text(campaign, "Another text.")
    assert len(labels_of_earlier_texts(CampaignReads(campaign))) == 1
    assert "has changed since you labelled it" in markup(alice.get(f"/campaigns/tiny/judge/{entry.pk}/"))
    assert len(labels_of_earlier_texts(CampaignReads(campaign))) == 1
    make.make_judgment(campaign, "bob", "1", "D1", 0)
    assert len(labels_of_earlier_texts(CampaignReads(campaign))) == 1
    replace_text(campaign, "And another.")
    assert len(labels_of_earlier_texts(CampaignReads(campaign))) == 2
    organiser = Client()
    organiser.force_login(make.make_user("carol"))
    assert "2 labels for earlier texts" in markup(organiser.get("/campaigns/tiny/judging/"))


def test_a_judge_is_shown_their_own_labels_of_earlier_texts_alone(
    alice: Client, campaign: Campaign, entry: QueueEntry, make: Factory
) -> None:
    send(alice, press(entry))
    replace_text(campaign, "Another text.")

    assert with_new_text(make.make_user("bob"), CampaignReads(campaign)) == []
    assert with_new_text(entry.judge, CampaignReads(campaign)) == [entry]


def test_the_own_labels_can_be_looked_through_by_grade(
    alice: Client, campaign: Campaign, make: Factory
) -> None:
    for docno, relevance in (("D1", 3), ("D2", 0)):
        make.make_judgment(campaign, "alice", "1", docno, relevance)
    make.make_judgment(campaign, "bob", "1", "D3", 3)
    recent = "/campaigns/tiny/judge/topics/1/recent/"
    assert [docno in markup(alice.get(recent)) for docno in ("D1", "D2", "D3")] == [
        True,
        True,
        False,
    ]
    of_three = markup(alice.get(recent, {"grade": "3"}))
    assert [docno in of_three for docno in ("D1", "D2", "D3")] == [True, False, False]


def test_a_label_asks_the_database_a_number_of_questions_that_does_not_grow(
    alice: Client, campaign: Campaign, make: Factory, django_assert_max_num_queries: Any
) -> None:
    first, second = (press(make.entry(campaign, "alice", "1", docno)) for docno in ("D1", "D2"))
    send(alice, first)
    locks = connection.features.has_select_for_update  # one question more, which locks the document
    with django_assert_max_num_queries(26 + locks):
        send(alice, second)
