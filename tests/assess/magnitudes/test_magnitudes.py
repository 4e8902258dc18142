"""Magnitudes: which documents judges get and in which order, what is stored, and the screen."""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from django.test import Client

from assess.magnitudes.queries.integrity import magnitude_faults
from assess.magnitudes.queries.plan import PlannedMagnitudes, preview_of
from assess.magnitudes.queries.tasks import (
    MAGNITUDES,
    magnitude_progress,
    standing_magnitudes,
    why_not_deleted,
)
from assess.magnitudes.services import create_magnitudes, discard_magnitudes, take_back_magnitude
from assess.models import Magnitude, MagnitudeSet, MagnitudeTask
from assess.services.assignments import assign
from assess.services.judged_sets import SetRefused, give_open_tasks
from assess.services.judging import LabelRefused
from pooling.models import Campaign, Role
from pooling.refusals import Refused
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/"
SETUP = HOME + "judging/magnitudes/"
OUTBOX = HOME + "magnitudes/outbox/"
DOCNOS = [f"D{number}" for number in range(1, 9)]


def build_campaign(make: Factory) -> Campaign:
    """Topics of eight, two and one documents; alice and bob graded most of topic 1 alike."""
    campaign = make.make_campaign()
    topics = [make.make_topic(campaign, number, f"question {number}") for number in ("1", "2", "3")]
    lines = [f"1 {docno} {9 - place}" for place, docno in enumerate(DOCNOS)]
    make.make_run(campaign, "\n".join([*lines, "2 D1 2", "2 D2 1", "3 D1 1"]), "zebra-run")
    make.make_pool(campaign, depth=10)
    assign([make.make_user("alice"), make.make_user("bob")], topics)
    for docno in DOCNOS:
        make.make_document(campaign, docno, f"This is {docno}, on boats.")
    for docno, grade in zip(DOCNOS, (3, 3, 3, 2, 2, 1, 0), strict=False):
        make.make_judgment(campaign, "alice", "1", docno, grade)
    return campaign


@pytest.fixture
def about(campaign: Campaign, make: Factory) -> MagnitudeSet:
    return make.make_magnitudes(campaign)


@pytest.fixture
def alice(campaign: Campaign, make: Factory) -> Client:
    return signed_in(make, "alice")


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def own(about: MagnitudeSet, judge: str = "alice") -> list[MagnitudeTask]:
    related = ("judge", "pooled__topic", "magnitude_set__campaign")
    return list(about.tasks.filter(judge__username=judge).select_related(*related))


def fields_of(task: MagnitudeTask, number: str = "40", **changed: Any) -> dict[str, Any]:
    document = task.magnitude_set.campaign.documents.get(docno=task.pooled.docno)
    return {
        "uuid": f"{uuid.uuid4()}",
        "number": number,
        "text_hash": document.text_hash,
        "source": "key",
    } | changed


def send(client: Client, judge: int, about: MagnitudeSet, labels: list[dict[str, Any]], want: int = 3) -> str:
    payload = {"judge": judge, "topic": f"{about.pk}", "have": [], "want": want, "labels": labels}
    return markup(client.post(OUTBOX, payload, content_type="application/json"))


def chosen(campaign: Campaign, make: Factory, kind: str, most: int, seed: int = 7) -> dict[str, list[str]]:
    """Return topic -> docnos of a set for alice."""
    people, topics = [make.make_user("alice")], list(campaign.topics.all())
    rows = preview_of(PlannedMagnitudes(campaign, people, topics, kind, most, 0, seed)).rows
    pooled = {
        each.pk: each for pool in campaign.pools.all() for each in pool.documents.select_related("topic")
    }
    found: dict[str, list[str]] = {}
    for _, _, key in rows:
        found.setdefault(pooled[key].topic.number, []).append(pooled[key].docno)
    return found


def test_the_documents_are_relevant_ones_or_some_of_each_grade_or_any(
    campaign: Campaign, make: Factory
) -> None:
    everything = chosen(campaign, make, "all", 20)
    assert {topic: sorted(docnos) for topic, docnos in everything.items()} == {"1": DOCNOS, "2": ["D1", "D2"]}
    assert len(chosen(campaign, make, "all", 5)["1"]) == 5
    assert campaign.threshold == 2
    relevant = chosen(campaign, make, "relevant", 20)
    assert {topic: sorted(docnos) for topic, docnos in relevant.items()} == {"1": DOCNOS[:5]}
    of_each = chosen(campaign, make, "grades", 1)["1"]
    assert len(of_each) == 4 and {"D6", "D7"} < set(of_each) and "D8" not in of_each
    draws = {tuple(sorted(chosen(campaign, make, "grades", 1, seed)["1"])) for seed in range(20)}
    assert len(draws) > 1


def test_each_judge_sees_the_same_documents_in_an_order_of_their_own(
    about: MagnitudeSet, make: Factory
) -> None:
    orders = [
        [(task.pooled.topic.number, task.pooled.docno) for task in own(about, name)]
        for name in ("alice", "bob")
    ]
    assert sorted(orders[0]) == sorted(orders[1]) and orders[0] != orders[1]
    assert [topic for topic, _ in orders[0]] == ["1"] * 8 + ["2"] * 2
    again = preview_of(
        PlannedMagnitudes(
            about.campaign, [make.make_user("alice")], list(about.campaign.topics.all()), "all", 20, 0, 7
        )
    )
    assert [key for _, _, key in again.rows] == [task.pooled_id for task in own(about)]
    assert again.without == ["3"] and again.without_text == 0
    assert [each for faults in magnitude_faults(about.campaign) for each in faults] == []


def test_a_set_without_two_documents_is_refused(campaign: Campaign, make: Factory) -> None:
    topics, carol = list(campaign.topics.filter(number="3")), make.make_user("carol")
    asked = PlannedMagnitudes(campaign, [make.make_user("alice")], topics, "all", 20, 0, 1)
    with pytest.raises(SetRefused, match="two such documents"):
        create_magnitudes(campaign, carol, asked)
    assert not MagnitudeSet.objects.exists()


def test_a_number_counts_until_it_is_replaced_or_taken_back(about: MagnitudeSet, make: Factory) -> None:
    task, alice = own(about)[0], make.make_user("alice")
    make.make_magnitude(task, "40")
    last = make.make_magnitude(task, "1/3", reason="less than I thought")
    assert [(each.number, each.value) for each in standing_magnitudes([task]).values()] == [("1/3", 1 / 3)]
    assert magnitude_progress(about).done == 1
    take_back_magnitude(task, alice, uuid.uuid4(), last.uuid)
    assert standing_magnitudes([task]) == {} and Magnitude.objects.count() == 3
    take_back_magnitude(task, alice, uuid.uuid4(), last.uuid)  # it does not stand any more
    assert Magnitude.objects.count() == 3
    assert "3 magnitudes of judges" in why_not_deleted(about.campaign)
    with pytest.raises(SetRefused, match="never deleted"):
        discard_magnitudes(about, make.make_user("carol"))


def test_a_number_for_an_older_text_and_a_number_of_zero_are_refused(
    about: MagnitudeSet, make: Factory
) -> None:
    task = own(about)[0]
    about.campaign.documents.filter(docno=task.pooled.docno).update(text="Other words.", text_hash="f" * 64)
    with pytest.raises(LabelRefused, match=f"text of {task.pooled.docno} has changed. Read it again"):
        make.make_magnitude(task, "40", text_hash="e" * 64)
    with pytest.raises(Refused, match="above 0"):
        make.make_magnitude(task, "0")
    assert not Magnitude.objects.exists()


def test_the_check_finds_values_that_are_not_those_of_the_numbers(about: MagnitudeSet, make: Factory) -> None:
    make.make_magnitude(own(about)[0], "40")
    make.make_magnitude(own(about)[1], Magnitude.CANNOT)
    assert [each for faults in magnitude_faults(about.campaign) for each in faults] == []
    Magnitude.objects.filter(number="40").update(value=4)
    assert len([each for faults in magnitude_faults(about.campaign) for each in faults]) == 1


def test_a_topic_that_was_begun_stays_with_its_judge(about: MagnitudeSet, make: Factory) -> None:
    add_member(about.campaign, make.make_user("zoe"), Role.JUDGE)
    make.make_magnitude(own(about)[3], "40")
    alice, zoe = make.make_user("alice"), make.make_user("zoe")
    given = give_open_tasks(MAGNITUDES, about, alice, [zoe], make.make_user("carol"))
    assert given.kept == 7 and {task.pooled.topic.number for task in own(about, "zoe")} == {"2"}
    assert {task.pooled.topic.number for task in own(about)} == {"1"}


def test_an_organiser_makes_a_set_on_the_page(campaign: Campaign, make: Factory) -> None:
    carol = signed_in(make, "carol")
    people = [make.make_user(name).pk for name in ("alice", "bob")]
    fields = {"judges": people, "topics": "all", "chosen": "grades", "most": 2, "double": 100, "seed": 5}
    page = " ".join(markup(carol.post(SETUP, fields)).split())
    assert "Ask for magnitudes of 6 documents?" in page and "6 documents of 1 topic" in page
    assert "2 topics with fewer than two such documents left out: 2, 3." in page
    assert not MagnitudeSet.objects.exists()
    page = markup(carol.post(SETUP, fields | {"confirmed": "yes"}, follow=True))
    assert "Magnitudes 1: judges see 12 documents." in page and "2 of each grade of a topic" in page
    assert "Magnitudes 1" in markup(carol.get(SETUP))
    page = markup(carol.post(SETUP + "1/discard/", {"confirmed": "yes"}, follow=True))
    assert "Discarded: Magnitudes 1" in page and not MagnitudeSet.objects.exists()


def test_the_screen_has_an_empty_field_and_no_run_or_grade(about: MagnitudeSet, alice: Client) -> None:
    first, second, *_ = own(about)
    page = markup(alice.get(f"{HOME}magnitudes/{first.pk}/"))
    text = " ".join(re.sub("<[^>]+>", "", page).split())
    assert "Document 1 of 8: begin this topic with any number above 0 that suits you." in text
    assert f"This is {first.pooled.docno}, on boats." in text and "zebra" not in page
    assert re.search(r'name="number"\s+value=""', page) and 'aria-pressed="true"' not in page
    alice.post(f"{HOME}magnitudes/{first.pk}/", fields_of(first, "37"))
    page = markup(alice.get(f"{HOME}magnitudes/{second.pk}/"))
    text = " ".join(re.sub("<[^>]+>", "", page).split())
    assert "Document 2 of 8: how relevant is it, compared with those of this topic before it?" in text
    assert "37" not in text and re.search(r'name="number"\s+value=""', page)
    page = markup(alice.get(f"{HOME}magnitudes/{first.pk}/"))
    assert "You gave this document 37. A new number replaces it." in page
    assert re.search(r'name="number"\s+value=""', page)
    assert "9 documents to give a number to" in markup(alice.get(HOME + "judge/"))


def test_a_form_with_a_wrong_number_keeps_it_and_stores_nothing(about: MagnitudeSet, alice: Client) -> None:
    task = own(about)[0]
    page = markup(alice.post(f"{HOME}magnitudes/{task.pk}/", fields_of(task, "much")))
    assert "expected a number above 0, such as 40, 0.5 or 1/3" in page
    assert re.search(r'name="number"\s+value="much"', page) and not Magnitude.objects.exists()


def test_a_number_leads_to_the_next_document_and_at_last_to_the_list(
    about: MagnitudeSet, alice: Client
) -> None:
    mine = own(about)
    for task, following in zip(mine, mine[1:], strict=False):
        address = alice.post(f"{HOME}magnitudes/{task.pk}/", fields_of(task, "2.5"))["Location"]
        assert address == f"{HOME}magnitudes/{following.pk}/"
    last = fields_of(mine[-1], "") | {"cannot": "cannot"}
    assert alice.post(f"{HOME}magnitudes/{mine[-1].pk}/", last)["Location"] == HOME + "magnitudes/"
    assert "You have finished Magnitudes 1." in markup(alice.get(HOME + "magnitudes/"))
    given = standing_magnitudes([mine[-1]])[mine[-1].pk]
    assert (given.number, given.value) == (Magnitude.CANNOT, None)


def test_numbers_of_the_outbox_are_stored_once_and_wrong_ones_named(
    about: MagnitudeSet, alice: Client, make: Factory
) -> None:
    (first, second, *_), key = own(about), make.make_user("alice").pk
    label = fields_of(first, "1/4", entry=first.pk)
    for _ in range(2):
        page = send(alice, key, about, [label])
        assert "data-problem" not in page and f'data-entry="{second.pk}"' in page
    assert Magnitude.objects.get().value == 0.25
    wrong = [fields_of(second, number, entry=second.pk) for number in ("0", "-3", "", "1,5")]
    wrong += [fields_of(first, entry=0), label | {"number": "5"}]
    assert send(alice, key, about, wrong).count("data-problem") == len(wrong)
    assert "is not yours any more" in send(signed_in(make, "bob"), make.make_user("bob").pk, about, [label])
    assert Magnitude.objects.count() == 1
    send(alice, key, about, [{"uuid": f"{uuid.uuid4()}", "revokes": label["uuid"], "entry": first.pk}])
    assert standing_magnitudes([first]) == {}
