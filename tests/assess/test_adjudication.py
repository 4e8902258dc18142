"""Adjudication: works / anonymous / outsider / judge / wrong input / twice / two at once."""

from __future__ import annotations

import re
import threading
import uuid
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.utils import timezone

from assess.adjudication import Share
from assess.models import Adjudication, AdjudicationClaim, AdjudicationEvent, Judgment, JudgmentEvent
from assess.queries.adjudication import (
    DisputeCard,
    count_unsettled,
    dispute_in,
    dispute_lines,
    settled_effect,
)
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judging import cards_of
from assess.queries.release_draft import release_preview
from assess.release.plan import ReleasePlan
from assess.services.adjudications import NotSettled, Settlement, claim_case, claim_first, reopen_case, settle
from assess.services.assignments import assign
from assess.services.judging import SubmittedJudgment, record_judgment
from pooling.checksum import text_hash
from pooling.models import Campaign, Role
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

URL = "/campaigns/tiny/adjudication/"


WAITING = '>{}<span class="visually-hidden"> documents wait<'  # in the navigation


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """Topic 1: D1 is 3 to alice and 1 to bob, D2 0 and 3, D3 1 and 1. Topic 2: D1 is 1 and 2."""
    campaign = make.make_pooled_campaign()
    make.make_document(campaign, "D1", "The heart of it.\n\nAnd more of the heart.", title="A heart")
    for topic, docno, alice, bob in (
        ("1", "D1", 3, 1),
        ("1", "D2", 0, 3),
        ("1", "D3", 1, 1),
        ("2", "D1", 1, 2),
    ):
        make.make_judgment(campaign, "alice", topic, docno, alice)
        make.make_judgment(campaign, "bob", topic, docno, bob)
    return campaign


def say(campaign: Campaign, make: Factory, judge: str, docno: str, **label: Any) -> JudgmentEvent:
    entry = make.entry(campaign, judge, "1", docno)
    (card,) = cards_of([entry])
    return record_judgment(entry, SubmittedJudgment(uuid.uuid4(), docno, card.text_hash, **label))


def client_of(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def shown(client: Client, query: str = "") -> str:
    response = client.get(URL + query)
    assert response.status_code == 200
    return markup(response)


def taken(client: Client, query: str = "") -> str:
    """Claim the first case, or the one asked for; return the page with it."""
    response = client.post(f"{URL}claim/{query}")
    assert response.status_code == 302
    return shown(client, response["Location"].removeprefix(URL))


def opened(page: str) -> str:
    found = re.search(r'document <span class="docno">(.*?)</span>', page)
    return found[1] if found else ""


def queued(page: str) -> list[tuple[str, str]]:
    queue = page.partition("<h2>Queue</h2>")[2].partition("<details>")[0]
    return re.findall(r'<b>Topic (\S+)</b> <span class="docno">(\S+)</span>', queue)


def fields(page: str, relevance: object, **others: object) -> dict[str, object]:
    """What the form on the page sends."""
    form = page.partition('id="settle"')[2].partition("</form>")[0]
    hidden = dict(re.findall(r'name="(uuid|docno|text_hash|last_label)" value="(.*?)"', form))
    return {**hidden, "relevance": relevance, "why": "", **others}


def place(campaign: Campaign, make: Factory, topic: str, docno: str) -> str:
    return f"{URL}{make.pooled(campaign, topic, docno).pk}/"


def settlement(campaign: Campaign, make: Factory, docno: str, relevance: int, topic: str = "1") -> Settlement:
    card = dispute_in(CampaignReads(campaign), make.make_user("ada"), make.pooled(campaign, topic, docno).pk)
    assert card
    return Settlement(uuid.uuid4(), docno, card.text_hash, card.last_label, relevance, "read twice")


def test_the_widest_gap_comes_first_and_what_agrees_not_at_all(campaign: Campaign, make: Factory) -> None:
    page = taken(client_of(make, "ada"))
    assert queued(page) == [("1", "D2"), ("1", "D1"), ("2", "D1")]
    assert opened(page) == "D2" and WAITING.format(3) in page


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?topic=2", [("2", "D1")]),
        ("?grades=3", [("1", "D2"), ("1", "D1")]),
        ("?grades=1+3", [("1", "D1")]),
        ("?show=cross", [("1", "D2"), ("1", "D1"), ("2", "D1")]),
        ("?first=alice&second=alice", [("1", "D2"), ("1", "D1"), ("2", "D1")]),  # it would tell who judged
        ("?show=cannot", []),
        ("?show=all&order=x&topic=99&grades=a+b&first=x&second=%00", [("1", "D2"), ("1", "D1"), ("2", "D1")]),
    ],
)  # fmt: skip
def test_filters(campaign: Campaign, make: Factory, query: str, expected: list[tuple[str, str]]) -> None:
    assert queued(shown(client_of(make, "ada"), query)) == expected


def test_a_case_shows_grades_comments_and_evidence_and_no_name(campaign: Campaign, make: Factory) -> None:
    evidence = {"quote": "more of the heart", "paragraph": 1, "start": 4}
    say(
        campaign,
        make,
        "alice",
        "D1",
        relevance=3,
        comment="the aorta",
        evidence=evidence,
        active_seconds=48.2,
    )
    say(campaign, make, "bob", "D1", relevance=None, reason="expertise")
    pooled = make.pooled(campaign, "1", "D1")
    page = shown(client_of(make, "ada"), f"?document={pooled.pk}")
    case = page.partition("<section")[2].partition("</section>")[0]
    assert "the aorta" in case and "Beyond my expertise" in case and "48 s" in case
    assert re.search(r">more of the heart</mark><sup[^>]*>[AB]</sup>", case)
    assert "alice" not in case and "bob" not in case
    part = markup(client_of(make, "ada").get(f"{place(campaign, make, '1', 'D1')}parts/0/"))
    assert "more of the heart</mark>" in part and "alice" not in part
    assert client_of(make, "ada").get(f"{place(campaign, make, '1', 'D1')}parts/1/").status_code == 404


def test_machines_are_left_out(campaign: Campaign, make: Factory) -> None:
    make.make_machine(campaign, "1 0 D3 3\n1 0 D1 0\n")
    page = shown(client_of(make, "ada"), f"?document={make.pooled(campaign, '1', 'D1').pk}")
    assert ("1", "D3") not in queued(page)
    assert "Judge B" in page and "Judge C" not in page


def test_a_filter_selects_documents_labelled_cannot_judge(campaign: Campaign, make: Factory) -> None:
    say(campaign, make, "bob", "D3", relevance=None, reason="broken")
    assert queued(shown(client_of(make, "ada"), "?show=cannot")) == [("1", "D3")]


def test_settling_goes_on_to_the_next_document_and_the_labels_stay(campaign: Campaign, make: Factory) -> None:
    before = list(Judgment.objects.order_by("pk").values_list("judge", "pooled", "relevance", "event"))
    client = client_of(make, "ada")
    page = taken(client, "?show=cross")
    action = re.search(r'id="settle" method="post" action="(.*?)"', page)
    assert action
    response = client.post(action[1].replace("&amp;", "&"), fields(page, 2, why="the aorta is the point"))
    assert response.status_code == 302 and "show=cross" in response["Location"]
    page = markup(client.get(response["Location"]))
    assert opened(page) == "D1" and queued(page) == [("1", "D1"), ("2", "D1")]
    settled = Adjudication.objects.get()
    assert (settled.relevance, settled.by.username, settled.why) == (2, "ada", "the aorta is the point")
    event = AdjudicationEvent.objects.get()
    newest = JudgmentEvent.objects.filter(pooled=event.pooled).latest("pk")
    assert (event.relevance, event.last_label) == (2, newest.pk)
    assert before == list(
        Judgment.objects.order_by("pk").values_list("judge", "pooled", "relevance", "event")
    )


def test_the_same_press_twice_is_one_decision(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "ada")
    decision = fields(taken(client), 2)
    for _ in range(2):
        response = client.post(place(campaign, make, "1", "D2"), decision)
        assert response.status_code == 302 and "document=" not in response["Location"]
    assert AdjudicationEvent.objects.count() == Adjudication.objects.count() == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"relevance": 7}, "7 is not a grade of the scale"),
        ({"relevance": ""}, "This field is required"),
        ({"relevance": "2; drop"}, "is not a grade"),
        ({"docno": "D9"}, "names another document"),
        ({"text_hash": "0" * 64}, "text of this document was replaced"),
        ({"last_label": 1}, "A judge changed a label"),
        ({"uuid": "no"}, "valid UUID"),
        ({"why": "x" * 2001}, "at most 2000 characters"),
    ],
)
def test_a_wrong_press_settles_nothing_and_says_why(
    campaign: Campaign, make: Factory, change: dict[str, object], message: str
) -> None:
    client = client_of(make, "ada")
    decision = fields(taken(client), 2) | change
    response = client.post(place(campaign, make, "1", "D2"), decision, follow=True)
    assert message in markup(response)
    assert Adjudication.objects.count() == AdjudicationEvent.objects.count() == 0


def test_a_label_or_a_text_that_changed_meanwhile_is_noticed(campaign: Campaign, make: Factory) -> None:
    ada, pooled = make.make_user("ada"), make.pooled(campaign, "1", "D1")
    seen = settlement(campaign, make, "D1", 2)
    say(campaign, make, "bob", "D1", relevance=2)
    with pytest.raises(NotSettled, match="changed a label"):
        settle(pooled, ada, seen)
    seen = settlement(campaign, make, "D1", 2)
    campaign.documents.update(text="Another.", text_hash=text_hash("A heart", "Another."))
    with pytest.raises(NotSettled, match="text of this document was replaced"):
        settle(pooled, ada, seen)
    assert "Label for an earlier text" in shown(client_of(make, "ada"), f"?document={pooled.pk}")


def test_a_reason_is_asked_for_where_the_organiser_says_so(campaign: Campaign, make: Factory) -> None:
    ada, carol = client_of(make, "ada"), client_of(make, "carol")
    carol.post(f"{URL}reasons/", {"required": "on"})
    page = taken(ada)
    assert re.search(r"<textarea [^>]* required>", page)
    response = ada.post(place(campaign, make, "1", "D2"), fields(page, 2), follow=True)
    assert "This campaign requires a reason" in markup(response) and not Adjudication.objects.exists()
    ada.post(place(campaign, make, "1", "D2"), fields(page, 2, why="so"))
    assert Adjudication.objects.count() == 1
    carol.post(f"{URL}reasons/")
    assert not re.search(r"<textarea [^>]* required>", shown(ada))


@pytest.mark.parametrize(("name", "status"), [("", 302), ("mallory", 404), ("alice", 403), ("rita", 403)])
def test_only_adjudicators_settle_or_reopen(
    campaign: Campaign, make: Factory, name: str, status: int
) -> None:
    client = client_of(make, name) if name else Client()
    decision = settlement(campaign, make, "D2", 1)._asdict()
    for url in ("", "reopen/"):
        response = client.post(place(campaign, make, "1", "D2") + url, decision | {"adjudication": 1})
        assert response.status_code == status
    assert not AdjudicationEvent.objects.exists()


def test_a_document_of_another_campaign_or_without_labels_is_not_there(
    campaign: Campaign, make: Factory
) -> None:
    make.make_campaign("other")
    ada = client_of(make, "ada")
    pooled = make.pooled(campaign, "1", "D2")
    assert ada.get(f"/campaigns/other/adjudication/?document={pooled.pk}").status_code == 404
    assert ada.get(f"{URL}?document=999999").status_code == 404
    assert ada.get(f"{URL}?document={'9' * 30}&next=x").status_code == 200
    Judgment.objects.filter(pooled=pooled).delete()
    assert ada.get(f"{URL}?document={pooled.pk}").status_code == 404


def test_who_is_to_judge_a_document_does_not_get_to_see_its_labels(campaign: Campaign, make: Factory) -> None:
    ada = make.make_user("ada")
    add_member(campaign, ada, Role.JUDGE)
    assign([ada], campaign.topics.filter(number="1"))
    client_of(make, "ada").get("/campaigns/tiny/judge/topics/1/")  # fills her queue
    page = shown(client_of(make, "ada"))
    assert queued(page) == [("2", "D1")]
    assert (
        client_of(make, "ada").get(f"{URL}?document={make.pooled(campaign, '1', 'D1').pk}").status_code == 404
    )
    make.make_judgment(campaign, "ada", "1", "D1", 2)
    assert queued(shown(client_of(make, "ada"))) == [("1", "D1"), ("2", "D1")]


# two adjudicators


def test_a_case_that_one_has_open_is_not_opened_for_another(campaign: Campaign, make: Factory) -> None:
    ada, carol = client_of(make, "ada"), client_of(make, "carol")
    assert opened(taken(ada)) == opened(shown(ada)) == "D2"
    assert opened(taken(carol)) == "D1"
    held = make.pooled(campaign, "1", "D2")
    for page in (shown(carol, f"?document={held.pk}"), taken(carol, f"?document={held.pk}")):
        assert "Another adjudicator has reserved this document" in page and 'id="settle"' not in page
    Campaign.objects.update(time_zone="Asia/Kolkata")
    decision = settlement(campaign, make, "D2", 1)._asdict()
    response = carol.post(place(campaign, make, "1", "D2"), decision, follow=True)
    assert re.search(r"has reserved this document until \d\d:\d\d IST\.", markup(response))
    assert not Adjudication.objects.exists()
    assert opened(taken(ada, "?topic=2")) == "D1"  # with another case open, the first is free again
    assert 'id="settle"' in taken(carol, f"?document={held.pk}")


def test_looking_at_the_queue_or_at_a_case_claims_nothing(campaign: Campaign, make: Factory) -> None:
    ada, key = client_of(make, "ada"), make.pooled(campaign, "1", "D2").pk
    page = shown(ada)
    assert opened(page) == "" and "3 documents to settle" in page and "Take first document" in page
    page = shown(ada, f"?document={key}")
    assert opened(page) == "D2" and "Take document" in page and 'id="settle"' not in page
    assert opened(shown(ada, f"?next={key}")) == ""
    assert not AdjudicationClaim.objects.exists()
    held = taken(ada, f"?document={key}")
    assert "Reserved for you until" in held and 'id="settle"' in held
    before = AdjudicationClaim.objects.values().get()
    shown(ada), shown(ada, f"?document={make.pooled(campaign, '1', 'D1').pk}")
    assert AdjudicationClaim.objects.values().get() == before


def test_to_skip_a_case_claims_the_next(campaign: Campaign, make: Factory) -> None:
    ada = client_of(make, "ada")
    skip = re.search(r'id="skip".*?action="(.*?)"', taken(ada), re.DOTALL)
    assert skip
    ada.post(skip[1].replace("&amp;", "&"))
    assert opened(shown(ada)) == AdjudicationClaim.objects.get().pooled.docno == "D1"


def test_a_claim_that_ran_out_is_anybodys(campaign: Campaign, make: Factory) -> None:
    ada, carol, pooled = make.make_user("ada"), make.make_user("carol"), make.pooled(campaign, "1", "D2")
    claim = claim_case(pooled, ada)
    assert timedelta(minutes=14) < claim.until - timezone.now() <= timedelta(minutes=15)
    assert claim_case(pooled, carol).by == ada
    AdjudicationClaim.objects.update(until=timezone.now() - timedelta(seconds=1))
    assert claim_case(pooled, carol).by == carol
    assert claim_first(campaign, ada, [pooled.pk]) is None


def test_the_second_to_settle_sees_what_was_settled(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "ada")
    decision = fields(taken(client), 2)
    AdjudicationClaim.objects.all().delete()
    settle(make.pooled(campaign, "1", "D2"), make.make_user("carol"), settlement(campaign, make, "D2", 3))
    response = client.post(place(campaign, make, "1", "D2"), decision, follow=True)
    page = markup(response)
    assert "D2 was settled as 3 Complete by carol" in page and "read twice" in page
    assert "Your decision was not recorded" in page and "Reopen document" in page
    assert Adjudication.objects.get().relevance == 3 and AdjudicationEvent.objects.count() == 1


def at_once(*actions: Callable[[], object]) -> list[object]:
    """Run actions in threads that start together; return what each gave, or raised."""
    barrier = threading.Barrier(len(actions))
    results: list[object] = [None] * len(actions)

    def run(place: int, action: Callable[[], Any]) -> None:
        barrier.wait()
        try:
            results[place] = action()
        except Exception as error:
            results[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(actions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.mark.django_db(transaction=True)
def test_of_two_who_settle_at_once_one_sees_the_grade_of_the_other(campaign: Campaign, make: Factory) -> None:
    ada, carol, pooled = make.make_user("ada"), make.make_user("carol"), make.pooled(campaign, "1", "D2")
    for _ in range(5):
        first, second = settlement(campaign, make, "D2", 1), settlement(campaign, make, "D2", 3)
        results = at_once(partial(settle, pooled, ada, first), partial(settle, pooled, carol, second))
        settled = Adjudication.objects.get()
        refused = [each for each in results if isinstance(each, NotSettled)]
        assert len(refused) == 1 and settled in results
        assert f"was settled as {settled.relevance}" in str(refused[0])
        assert AdjudicationEvent.objects.latest("pk").relevance == settled.relevance
        again = at_once(
            partial(reopen_case, pooled, ada, settled.pk), partial(reopen_case, pooled, carol, settled.pk)
        )
        assert sorted(map(str, again)) == [
            "None",
            "This grade is no longer the settled grade. Nothing was changed.",
        ]
    assert AdjudicationEvent.objects.count() == 10


@pytest.mark.django_db(transaction=True)
def test_the_same_press_in_two_threads_and_two_claims_at_once(campaign: Campaign, make: Factory) -> None:
    ada, carol, pooled = make.make_user("ada"), make.make_user("carol"), make.pooled(campaign, "1", "D2")
    claims = at_once(partial(claim_case, pooled, ada), partial(claim_case, pooled, carol))
    assert len({claim.by for claim in claims}) == AdjudicationClaim.objects.count() == 1  # type: ignore[attr-defined]
    AdjudicationClaim.objects.all().delete()
    press = settlement(campaign, make, "D2", 1)
    results = at_once(*[partial(settle, pooled, ada, press)] * 3)
    assert results == [Adjudication.objects.get()] * 3 and AdjudicationEvent.objects.count() == 1


# the outbox of the page


def deliver(client: Client, judge: str, make: Factory, have: list[int], *labels: dict[str, object]) -> str:
    """Send decisions as the page does; return the response."""
    payload = {"judge": make.make_user(judge).pk, "topic": "", "have": have, "want": 3, "labels": labels}
    response = client.post(f"{URL}outbox/", payload, "application/json")
    assert response.status_code == 200
    return markup(response)


def decision(card: DisputeCard, relevance: int) -> dict[str, object]:
    pressed: dict[str, object] = {
        "uuid": f"{uuid.uuid4()}",
        "entry": card.pooled.pk,
        "docno": card.pooled.docno,
    }
    return pressed | {"text_hash": card.text_hash, "last_label": card.last_label, "relevance": relevance}


def ahead(page: str) -> list[int]:
    return [int(key) for key in re.findall(r'data-entry="(\d+)"', page)]


def test_two_pages_have_different_cases_ahead(campaign: Campaign, make: Factory) -> None:
    ada, carol = client_of(make, "ada"), client_of(make, "carol")
    first = ahead(deliver(ada, "ada", make, []))
    second = ahead(deliver(carol, "carol", make, []))
    assert len(first) == 2 and len(second) == 1 and not {*first} & {*second}
    assert ahead(deliver(ada, "ada", make, first)) == []  # near the end, half of the cases stay free
    closed = deliver(ada, "ada", make, [*first, *second])
    assert f'data-closed="{second[0]}"' in closed


def test_decisions_of_the_outbox_are_stored_once_and_revoked(campaign: Campaign, make: Factory) -> None:
    ada, user = client_of(make, "ada"), make.make_user("ada")
    card = dispute_in(CampaignReads(campaign), user, make.pooled(campaign, "1", "D2").pk)
    assert card
    settled = decision(card, 2)
    for _ in range(2):
        page = deliver(ada, "ada", make, [], settled)
        assert "data-problem" not in page and "2 documents to settle, 1 settled" in page
    revoked = {"uuid": f"{uuid.uuid4()}", "entry": card.pooled.pk, "docno": "D2", "revokes": settled["uuid"]}
    page = deliver(ada, "ada", make, [card.pooled.pk], settled, revoked, decision(card, 1))
    page = deliver(ada, "ada", make, [card.pooled.pk], settled, revoked)
    assert "data-problem" not in page
    assert [event.relevance for event in AdjudicationEvent.objects.all()] == [2, None, 1]


def test_a_decision_on_a_changed_case_is_refused_by_name(campaign: Campaign, make: Factory) -> None:
    ada, card = (
        client_of(make, "ada"),
        dispute_in(CampaignReads(campaign), make.make_user("ada"), make.pooled(campaign, "1", "D1").pk),
    )
    assert card
    say(campaign, make, "bob", "D1", relevance=2)
    page = deliver(ada, "ada", make, [], decision(card, 2), {"entry": "x", "docno": "D9"})
    assert "D1: A judge changed a label" in page and "D9: This document is not in dispute" in page
    settle(card.pooled, make.make_user("carol"), settlement(campaign, make, "D1", 3))
    assert "D1 was settled as 3 Complete by carol" in deliver(ada, "ada", make, [], decision(card, 2))


# opening again, and what settling did


def test_a_settled_case_can_be_opened_again_and_its_history_stays(campaign: Campaign, make: Factory) -> None:
    client, pooled = client_of(make, "ada"), make.pooled(campaign, "1", "D2")
    client.post(place(campaign, make, "1", "D2"), fields(taken(client), 2, why="first thought"))
    page = shown(client, f"?document={pooled.pk}")
    assert "first thought" in page and 'id="settle"' not in page
    settled = Adjudication.objects.get().pk
    client.post(place(campaign, make, "1", "D2") + "reopen/", {"adjudication": settled})
    page = shown(client, f"?document={pooled.pk}")
    assert 'id="settle"' in page and "first thought" in page and "reopened" in page
    client.post(place(campaign, make, "1", "D2"), fields(page, 0, why="second thought"))
    assert Adjudication.objects.get().relevance == 0
    assert [event.relevance for event in AdjudicationEvent.objects.all()] == [2, None, 0]
    stale = client.post(place(campaign, make, "1", "D2") + "reopen/", {"adjudication": settled}, follow=True)
    assert "no longer the settled grade" in markup(stale)
    wrong = client.post(place(campaign, make, "1", "D2") + "reopen/", {"adjudication": "x"}, follow=True)
    assert "Nothing was changed" in markup(wrong)
    assert Adjudication.objects.get().relevance == 0


def test_undo_opens_the_last_that_this_adjudicator_settled(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "ada")
    assert 'id="undo"' not in shown(client)
    client.post(place(campaign, make, "1", "D2"), fields(taken(client), 2))
    settle(
        make.pooled(campaign, "1", "D1"), make.make_user("carol"), settlement(campaign, make, "D1", 2)
    ) if (AdjudicationClaim.objects.all().delete()) else None
    undo = re.search(
        r'<form id="undo" method="post" action="(.*?)".*?name="adjudication" value="(\d+)"',
        shown(client),
    )
    assert undo
    response = client.post(undo[1], {"adjudication": undo[2]})
    assert opened(markup(client.get(response["Location"]))) == "D2"
    assert [settled.pooled.docno for settled in Adjudication.objects.all()] == ["D1"]


def test_a_release_takes_what_stands_and_the_page_says_what_settling_did(
    campaign: Campaign, make: Factory
) -> None:
    ada, plan = make.make_user("ada"), ReleasePlan("adjudicated, else majority")
    assert release_preview(CampaignReads(campaign), plan).relevant == 0
    assert count_unsettled(campaign) == 3
    settle(make.pooled(campaign, "1", "D2"), ada, settlement(campaign, make, "D2", 3))
    settle(make.pooled(campaign, "1", "D1"), ada, settlement(campaign, make, "D1", 2))
    assert release_preview(CampaignReads(campaign), plan).relevant == 2 and count_unsettled(campaign) == 1
    effect = settled_effect(CampaignReads(campaign))
    assert (effect.higher, effect.lower, effect.majority) == (Share(1, 2), Share(0, 2), Share(0, 0))
    assert (effect.moves.up, effect.moves.into, effect.moves.out) == (2, 2, 0)
    page = shown(client_of(make, "ada"))
    assert "2 settled documents" in page and "1 of 2" in page and WAITING.format(1) in page
    settled = Adjudication.objects.get(pooled__docno="D2")
    reopen_case(settled.pooled, ada, settled.pk)
    assert release_preview(CampaignReads(campaign), plan).relevant == 1 and count_unsettled(campaign) == 2


def test_a_label_that_comes_after_settling_is_pointed_out(campaign: Campaign, make: Factory) -> None:
    pooled = make.pooled(campaign, "1", "D2")
    settle(pooled, make.make_user("ada"), settlement(campaign, make, "D2", 3))
    assert "changed a label since" not in shown(client_of(make, "ada"), f"?document={pooled.pk}")
    say(campaign, make, "bob", "D2", relevance=0)
    assert "changed a label since" in shown(client_of(make, "ada"), f"?document={pooled.pk}")


@pytest.mark.parametrize("is_seen_known", [True, False])
def test_decisions_before_a_change_of_a_label_are_counted_and_listed(
    campaign: Campaign, make: Factory, is_seen_known: bool
) -> None:
    ada, plan = make.make_user("ada"), ReleasePlan("adjudicated, else majority")
    for docno, grade in (("D1", 1), ("D2", 0)):
        settle(make.pooled(campaign, "1", docno), ada, settlement(campaign, make, docno, grade))
    if not is_seen_known:  # decisions of early versions and of imported campaigns
        AdjudicationEvent.objects.update(last_label=None)
    before = settled_effect(CampaignReads(campaign))
    assert before.lower == Share(2, 2)
    assert release_preview(CampaignReads(campaign), plan).changed == 0
    client = client_of(make, "ada")
    assert "changed since the decision" not in shown(client)
    say(campaign, make, "bob", "D2", relevance=0)
    assert settled_effect(CampaignReads(campaign)) == before  # 0 and 3 were on screen, now it is 0 and 0
    assert release_preview(CampaignReads(campaign), plan).changed == 1
    assert '<a class="warning" href="?show=changed">1 changed since the decision</a>' in shown(client)
    page = shown(client, "?show=changed")
    assert re.findall(r'<span class="docno">(\S+)</span>', page.partition("<h2>Queue</h2>")[2]) == ["D2"]
    assert "Label changed since the decision: 1" in page
    assert "D2" not in shown(client, "?show=changed&topic=2").partition("<h2>Queue</h2>")[2]
    organiser, qrels = client_of(make, "carol"), "/campaigns/tiny/qrels/"
    sentence = "1 settled grade was decided before a judge changed a label"
    assert sentence in markup(organiser.get(qrels))
    assert sentence in markup(organiser.post(qrels, {"rule": plan.rule}))
    assert sentence not in markup(organiser.get(qrels, {"rule": "majority"}))
    case = dispute_in(CampaignReads(campaign), ada, make.pooled(campaign, "1", "D2").pk)
    assert case and case.changed_since
    settled = Adjudication.objects.get(pooled__docno="D2")
    reopen_case(settled.pooled, ada, settled.pk)
    settle(settled.pooled, ada, settlement(campaign, make, "D2", 0))
    assert release_preview(CampaignReads(campaign), plan).changed == 0


def test_an_empty_campaign_says_what_would_come(make: Factory) -> None:
    make.make_pooled_campaign()
    page = shown(client_of(make, "carol"))
    assert "No disagreement" in page and "documents wait" not in page


def test_lists_read_the_database_equally_often_however_long_they_are(
    campaign: Campaign, make: Factory, django_assert_num_queries: Any
) -> None:
    keys = [
        make.pooled(campaign, topic, docno).pk for topic, docno in (("1", "D1"), ("1", "D2"), ("2", "D1"))
    ]
    for count in (1, 3):
        with django_assert_num_queries(6):  # pools and machines by their keys
            lines = dispute_lines(CampaignReads(campaign), keys[:count])
    assert [sorted(line.grades, key=str) for line in lines] == [[1, 3], [0, 3], [1, 2]]


def test_what_was_settled_before_there_was_a_log_gets_its_event(campaign: Campaign, make: Factory) -> None:
    ada, pooled = make.make_user("ada"), make.pooled(campaign, "1", "D2")
    settled = Adjudication.objects.create(pooled=pooled, relevance=1, by=ada, why="by hand")
    import_module("assess.migrations.0005_adjudication").write_events(apps, None)
    event = AdjudicationEvent.objects.get()
    assert (event.pooled, event.relevance, event.by, event.why, event.at) == (
        pooled,
        1,
        ada,
        "by hand",
        settled.at,
    )
