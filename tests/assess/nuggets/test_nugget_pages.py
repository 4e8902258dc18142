"""The pages of nugget banks: from an empty draft to a frozen version and its file."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from assess.models import Bank, BankNugget
from assess.nuggets.queries.integrity import bank_faults
from pooling.checksum import sha256_of
from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/judging/nuggets/"
BANK = HOME + "1/"
TOPIC = BANK + "topics/1/"


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    for number in ("1", "2"):
        make.make_topic(campaign, number, f"question {number}")
    make.make_document(campaign, "D1", "Ships float because they are light.")
    return campaign


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


@pytest.fixture
def carol(campaign: Campaign, make: Factory) -> Client:
    return signed_in(make, "carol")


def text_of(page: str) -> str:
    return " ".join(page.split())


def fields(text: str, **more: str) -> dict[str, str]:
    return {"text": text, "aggregator": "OR"} | more


def file_of(*nuggets: dict[str, Any], topic: str = "1") -> SimpleUploadedFile:
    row = {"qid": topic, "nuggets": list(nuggets)}
    return SimpleUploadedFile("banks.jsonl", json.dumps(row).encode())


def test_from_an_empty_draft_to_a_frozen_version(campaign: Campaign, carol: Client) -> None:
    assert "No nuggets yet" in markup(carol.get(HOME))
    assert carol.post(HOME, {"grading": "vital or okay"})["Location"] == BANK
    assert "is a draft. Freeze or discard it first" in text_of(markup(carol.get(HOME)))
    nugget = fields("Ships float", importance="vital", docno="D1", quotation="they are light")
    page = markup(carol.post(TOPIC, nugget, follow=True))
    assert "The nugget is added." in page and "D1" in page and "carol" in page
    carol.post(TOPIC, fields("Who sails?", answers="Ann\nBob"))
    page = markup(carol.get(BANK))
    assert "has no importance" in page and "Freeze 2 nuggets" not in page
    question = BankNugget.objects.get(text="Who sails?")
    page = markup(carol.post(f"{BANK}nuggets/{question.pk}/vote/", {"importance": "okay"}, follow=True))
    assert "Your vote is stored." in page and "1 okay" in page
    assert "Freeze 2 nuggets" in markup(carol.get(BANK))
    page = markup(carol.post(BANK + "freeze/"))
    assert "Freeze Nugget bank 1?" in page and Bank.objects.get().is_draft
    page = text_of(markup(carol.post(BANK + "freeze/", {"confirmed": "yes"}, follow=True)))
    assert "Nugget bank 1 is frozen, with 2 nuggets." in page
    content = carol.get(BANK + "file/").content
    assert sha256_of(content) == Bank.objects.get().sha256 and sha256_of(content) in page
    assert [*bank_faults(campaign)] == [[]]
    page = markup(carol.get(BANK + "file/?form=nuggets", follow=True))
    assert "No file of this form: expected statements only" in page
    page = markup(carol.post(TOPIC, fields("Iron sinks")))
    assert "is frozen and never changes" in page and BankNugget.objects.count() == 2
    assert "Add a nugget" not in markup(carol.get(TOPIC))


def test_a_topic_leads_to_the_next_one_and_to_its_bank(
    campaign: Campaign, carol: Client, make: Factory
) -> None:
    make.make_nugget_bank(campaign)
    first, last = (markup(carol.get(f"{BANK}topics/{number}/")) for number in ("1", "2"))
    for page in (first, last):
        assert f'href="{BANK}">Nugget bank 1</a>' in page.partition("<main")[2]
    assert f'href="{BANK}topics/2/">Next topic</a>' in first and "Next topic" not in last
    assert "Formats, with an example of each" in markup(carol.get(BANK))
    carol.post(BANK + "freeze/", {"confirmed": "yes"})
    assert "Next topic" not in markup(carol.get(f"{BANK}topics/1/"))


def test_the_examples_of_files_can_be_loaded(campaign: Campaign, carol: Client) -> None:
    carol.post(HOME, {"grading": "vital or okay"})
    examples = re.findall(r"<pre>(.*?)</pre>", carol.get(BANK).content.decode(), re.DOTALL)
    assert len(examples) == 3
    for example in examples:
        content = json.dumps(json.loads(unescape(example))).encode()
        page = carol.post(BANK, {"file": SimpleUploadedFile("nuggets_1.json", content)}, follow=True)
        assert re.search(r"\d nuggets? loaded", markup(page)), example


def test_a_draft_says_what_differs_before_it_is_frozen(
    campaign: Campaign, carol: Client, make: Factory
) -> None:
    make.make_nugget_bank(campaign)
    carol.post(BANK + "freeze/", {"confirmed": "yes"})
    carol.post(HOME, {"grading": "vital or okay", "based_on": "1"})
    copy = BankNugget.objects.get(bank__number=2)
    page = markup(carol.get(f"{HOME}2/"))
    assert "Since version 1" in page and "the same nuggets" in page
    carol.post(f"{HOME}2/nuggets/{copy.pk}/", fields("All ships float", importance="okay"))
    carol.post(f"{HOME}2/topics/2/", fields("Iron sinks", importance="okay"))
    for page in (markup(carol.get(f"{HOME}2/")), markup(carol.post(f"{HOME}2/freeze/"))):
        page = text_of(page)
        assert "1 new, 0 left out, 1 worded again, 1 with other importance" in page
        assert "<del>Ships float on water</del> <ins>All ships float</ins>" in page
        assert "vital to okay" in page
    carol.post(f"{HOME}2/freeze/", {"confirmed": "yes"})
    carol.post(HOME, {"grading": "vital or okay", "based_on": "2"})
    assert "Since version 1" in markup(carol.get(f"{HOME}3/?against=1"))
    assert "Since version 2" in markup(carol.get(f"{HOME}3/?against=9"))


def test_two_people_who_change_a_nugget_lose_nothing(
    campaign: Campaign, carol: Client, make: Factory
) -> None:
    nugget = make.make_nugget_bank(campaign).nuggets.get()
    address = f"{BANK}nuggets/{nugget.pk}/"
    shown = {f"initial-{name}": value for name, value in fields("Ships float on water").items()}
    shown |= {"initial-importance": "vital", "initial-answers": ""}
    signed_in(make, "ada").post(address, fields("Boats float", importance="vital"))
    page = markup(carol.post(address, fields("Ships swim", importance="okay") | shown))
    assert "Another person changed this meanwhile to “Boats float”" in page
    carol.post(address, fields("Ships float on water", importance="okay") | shown)
    nugget.refresh_from_db()
    assert (nugget.text, nugget.importance) == ("Boats float", "okay")


def test_a_refused_file_lists_its_lines(campaign: Campaign, carol: Client, make: Factory) -> None:
    make.make_nugget_bank(campaign)
    page = text_of(markup(carol.post(BANK, {"file": file_of({"text": "a"}, {"text": ""}, topic="9")})))
    assert "banks.jsonl was refused; nothing from it was stored" in page and "found an empty text" in page
    assert BankNugget.objects.count() == 1
    page = markup(carol.post(BANK, {"file": SimpleUploadedFile("a.json", b'{"Who?": ["OR", {"Ann": []}]}')}))
    assert "expected a topic, found none" in page
    file = SimpleUploadedFile("nuggets_2.json", b'{"Who?": ["OR", {"Ann": []}]}')
    assert "1 nugget loaded." in markup(carol.post(BANK, {"file": file}, follow=True))


def test_suggestions_are_closed_until_a_person_wrote_a_nugget(
    campaign: Campaign, carol: Client, make: Factory
) -> None:
    make.make_nugget_bank(campaign, "2")
    program = [{"is_human": False, "llm_model": "m-1"}]
    page = markup(
        carol.post(BANK, {"file": file_of({"text": "Wood floats", "creator": program})}, follow=True)
    )
    assert "1 of them suggestions of programs" in page
    page = text_of(markup(carol.get(TOPIC)))
    assert "1 suggestion</b> of programs is closed" in page and "Wood floats" not in page
    assert "Wood floats" in markup(carol.get(TOPIC + "?suggestions=show"))
    carol.post(TOPIC, fields("Ships float"))
    page = markup(carol.get(TOPIC))
    assert "Wood floats" in page and "suggestion</span>" in page and "m-1" in page


def test_nuggets_are_joined_side_by_side(campaign: Campaign, carol: Client, make: Factory) -> None:
    draft = make.make_nugget_bank(campaign)
    carol.post(TOPIC, fields("All ships float on water", docno="D1"))
    one, other = draft.nuggets.all()
    assert "3 words in common" not in markup(carol.get(TOPIC)) and "4 words in common" in markup(
        carol.get(TOPIC)
    )
    address = f"{BANK}nuggets/{one.pk}/join/"
    assert f"?other={other.pk}" in markup(carol.get(address))
    page = markup(carol.get(f"{address}?other={other.pk}"))
    assert "Same fact?" in page and page.count("Join, with this wording") == 2
    assert "Choose another nugget" in markup(carol.post(address, {"kept": one.pk, "other": one.pk}))
    page = markup(carol.post(address, {"kept": other.pk, "other": one.pk}, follow=True))
    assert "The nuggets are joined." in page
    assert draft.nuggets.get().text == "All ships float on water"
    assert carol.get(address).status_code == 404


def test_a_nugget_and_a_draft_are_deleted_once_confirmed(
    campaign: Campaign, carol: Client, make: Factory
) -> None:
    nugget = make.make_nugget_bank(campaign).nuggets.get()
    address = f"{BANK}nuggets/{nugget.pk}/delete/"
    assert "Delete this nugget?" in markup(carol.post(address)) and BankNugget.objects.exists()
    assert "The nugget is deleted." in markup(carol.post(address, {"confirmed": "yes"}, follow=True))
    assert "Discard Nugget bank 1?" in markup(carol.post(BANK + "discard/"))
    assert "is discarded" in markup(carol.post(BANK + "discard/", {"confirmed": "yes"}, follow=True))
    assert not Bank.objects.exists()


def test_an_adjudicator_weighs_and_does_not_freeze(campaign: Campaign, make: Factory) -> None:
    nugget, ada = make.make_nugget_bank(campaign).nuggets.get(), signed_in(make, "ada")
    page = markup(ada.get(BANK))
    assert "freeze/" not in page and "discard/" not in page
    assert ada.post(BANK + "freeze/", {"confirmed": "yes"}).status_code == 403
    assert "1 okay" in markup(
        ada.post(f"{BANK}nuggets/{nugget.pk}/vote/", {"importance": "okay"}, follow=True)
    )
    page = markup(ada.post(f"{BANK}nuggets/{nugget.pk}/vote/", {"importance": "must"}, follow=True))
    assert "Choose an importance of this bank" in page
    assert signed_in(make, "alice").get(BANK).status_code == 403


def test_a_page_of_many_nuggets_asks_few_questions(
    campaign: Campaign, carol: Client, make: Factory, django_assert_max_num_queries: object
) -> None:
    make.make_nugget_bank(campaign)
    nuggets = [{"text": f"Fact {number} of many", "importance": "okay"} for number in range(60)]
    carol.post(BANK, {"file": file_of(*nuggets)})
    for page in (BANK, TOPIC):
        with django_assert_max_num_queries(25):  # type: ignore[operator]
            assert carol.get(page).status_code == 200
