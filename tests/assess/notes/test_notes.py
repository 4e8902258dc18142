"""Notes of judges on topics: the same on all devices, beside a case, hidden from other judges."""

from __future__ import annotations

import pytest
from django.test import Client

from assess.models import TopicNote
from assess.services.assignments import assign
from pooling.models import Campaign, Role
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/"
NOTE = f"{HOME}judge/topics/1/note/"


def build_campaign(make: Factory) -> Campaign:
    """D1 of topic 1 is 3 to alice and 0 to bob."""
    campaign = make.make_pooled_campaign()
    add_member(campaign, make.make_user("ada"), Role.ADJUDICATOR)
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_judgment(campaign, "bob", "1", "D1", 0)
    return campaign


def client_of(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def write(client: Client, text: str, based_on: str = "") -> int:
    return client.post(NOTE, {"text": text, "based_on": based_on}).status_code


def test_a_note_is_the_same_on_every_device(campaign: Campaign, make: Factory) -> None:
    desk, phone = client_of(make, "alice"), client_of(make, "alice")
    assert 'id="topic-note"' in markup(desk.get(f"{HOME}judge/topics/1/"))
    assert write(desk, "Dates count.\r\n<b>Only</b> those.") == 200
    assert "Dates count.\n&lt;b&gt;Only&lt;/b&gt; those." in phone.get(NOTE).content.decode()
    assert write(phone, "Other.", based_on="Dates count.\n<b>Only</b> those.") == 200
    assert TopicNote.objects.get().text == "Other."
    assert write(phone, " ", based_on="Other.") == 200
    assert not TopicNote.objects.exists()


def test_two_devices_do_not_put_each_others_text_back(campaign: Campaign, make: Factory) -> None:
    desk, phone = client_of(make, "alice"), client_of(make, "alice")
    write(desk, "From the desk.")
    answer = phone.post(NOTE, {"text": "From the phone.", "based_on": ""})
    assert (answer.status_code, answer.json()) == (409, {"stored": "From the desk."})
    assert TopicNote.objects.get().text == "From the desk."
    assert write(desk, "From the desk.") == 200  # the same request again


def test_other_judges_and_other_topics_see_nothing_of_it(campaign: Campaign, make: Factory) -> None:
    write(client_of(make, "alice"), "Dates count.")
    bob = client_of(make, "bob")
    assert "Dates count." not in bob.get(NOTE).content.decode()
    assert "Dates count." not in markup(client_of(make, "alice").get(NOTE.replace("/1/", "/2/")))
    assert client_of(make, "ada").get(NOTE).status_code == 403


def test_an_adjudicator_reads_notes_beside_a_case_without_names(campaign: Campaign, make: Factory) -> None:
    write(client_of(make, "alice"), "Dates count.")
    write(client_of(make, "bob"), "Titles count.")
    key = make.pooled(campaign, "1", "D1").pk
    ada = client_of(make, "ada")
    assert "Notes of the judges" in markup(ada.get(f"{HOME}adjudication/?document={key}"))
    page = markup(ada.get(f"{HOME}adjudication/{key}/notes/"))
    assert "Dates count." in page and "Titles count." in page
    assert "Judge A" in page and "Judge B" in page and "alice" not in page.lower()


def test_an_adjudicator_who_still_judges_the_topic_reads_none(campaign: Campaign, make: Factory) -> None:
    write(client_of(make, "alice"), "Dates count.")
    ada = make.make_user("ada")
    add_member(campaign, ada, Role.JUDGE)
    assign([ada], campaign.topics.filter(number="1"))
    make.make_judgment(campaign, "ada", "1", "D1", 2)  # the case is hers no more, other documents are
    key = make.pooled(campaign, "1", "D1").pk
    page = markup(client_of(make, "ada").get(f"{HOME}adjudication/{key}/notes/"))
    assert "Dates count." not in page


@pytest.mark.parametrize("data", [{"text": "x" * 10_001}, {"text": "a", "based_on": "x" * 10_001}])
def test_too_long_a_note_is_refused_with_a_reason(
    campaign: Campaign, make: Factory, data: dict[str, str]
) -> None:
    answer = client_of(make, "alice").post(NOTE, data)
    assert answer.status_code == 400 and "10000" in answer.json()["problem"]
    assert not TopicNote.objects.exists()
