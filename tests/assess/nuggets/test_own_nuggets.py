"""Judges write nuggets from documents that they labelled, and see their own ones only."""

from __future__ import annotations

import pytest
from django.test import Client

from assess.models import BankNugget
from assess.nuggets.apps import demonstrate
from assess.nuggets.queries.banks import difference_of, nuggets_of
from assess.nuggets.queries.integrity import bank_faults
from assess.nuggets.services.banks import freeze_bank
from assess.nuggets.services.loads import load_banks
from pooling.models import Campaign, Document
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/"
TOPIC = HOME + "nuggets/topics/1/"
QUOTE = "Ships float because they are light."


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    Document.objects.filter(campaign=campaign, docno="D1").delete()
    make.make_document(campaign, "D1", f"On ships.\n\n{QUOTE}")
    make.make_judgment(campaign, "alice", "1", "D1", 2)
    make.make_nugget_bank(campaign)
    return campaign


@pytest.fixture
def alice(campaign: Campaign, make: Factory) -> Client:
    return signed_in(make, "alice")


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def fields(**changed: str) -> dict[str, str]:
    return {"docno": "D1", "quotation": "they are light", "text": "Ships are light"} | changed


def test_a_judge_writes_a_nugget_from_a_labelled_document(campaign: Campaign, alice: Client) -> None:
    assert "Write facts from the documents" in " ".join(markup(alice.get(HOME + "judge/")).split())
    assert "nuggets/topics/1/" in markup(alice.get(HOME + "nuggets/"))
    page = markup(alice.get(TOPIC))
    assert "On ships." in page and QUOTE in page and "None yet" in page
    page = markup(alice.post(TOPIC, fields(), follow=True))
    assert "The nugget is stored." in page and "Ships are light" in page
    nugget = BankNugget.objects.get(author__username="alice")
    (reference,) = nugget.references
    text = Document.objects.get(docno="D1").text
    assert text[reference["start"] : reference["end"]] == "they are light" and nugget.importance is None
    page = markup(alice.post(f"{HOME}nuggets/{nugget.pk}/delete/", follow=True))
    assert "The nugget is deleted." in page and not BankNugget.objects.filter(pk=nugget.pk).exists()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"docno": "D2"}, "You have not labelled this document"),
        ({"docno": "D99"}, "You have not labelled this document"),
        ({"quotation": "they are heavy"}, "does not have these words"),
        ({"text": "a " * 13}, "this one has 13"),
        ({"quotation": ""}, "This field is required"),
    ],
)
def test_a_nugget_of_a_judge_is_refused(alice: Client, changed: dict[str, str], message: str) -> None:
    assert message in markup(alice.post(TOPIC, fields(**changed)))
    assert not BankNugget.objects.filter(author__username="alice").exists()


def test_a_judge_sees_neither_nuggets_of_others_nor_suggestions(
    campaign: Campaign, alice: Client, make: Factory
) -> None:
    draft = campaign.nugget_banks.get()
    others = make.make_nugget(draft, "bob", "Bob says zebra")
    content = b'{"qid": "1", "nuggets": [{"text": "A zebra program", "creator": [{"is_human": false}]}]}'
    load_banks(draft, make.make_user("carol"), content, "a.jsonl")
    alice.post(TOPIC, fields())
    for address in (TOPIC, HOME + "nuggets/", HOME + "judge/"):
        page = markup(alice.get(address))
        assert "zebra" not in page and "Ships float on water" not in page
    assert alice.post(f"{HOME}nuggets/{others.pk}/delete/").status_code == 404
    BankNugget.objects.filter(author__username="alice").update(is_suggestion=True)  # joined with one
    assert "Ships are light" not in markup(alice.get(TOPIC))


def test_without_a_label_or_a_draft_there_is_nothing_to_write(
    campaign: Campaign, alice: Client, make: Factory
) -> None:
    bob = signed_in(make, "bob")
    assert bob.get(TOPIC).status_code == 404 and "No topics yet" in markup(bob.get(HOME + "nuggets/"))
    assert "Write facts" not in markup(bob.get(HOME + "judge/"))
    freeze_bank(campaign.nugget_banks.get(), make.make_user("carol"))
    assert alice.get(TOPIC).status_code == 404 and "No topics yet" in markup(alice.get(HOME + "nuggets/"))


def test_a_closed_campaign_takes_no_nuggets(campaign: Campaign, alice: Client) -> None:
    Campaign.objects.update(state="closed")
    assert "The campaign is closed, so the nugget was not stored" in markup(alice.post(TOPIC, fields()))


def test_the_demonstration_has_a_frozen_bank_and_a_draft_that_differs(make: Factory) -> None:
    campaign, carol = make.make_pooled_campaign(), make.make_user("carol")
    run = campaign.runs.get()
    for docno, text in {"D1": QUOTE, "D2": f"{QUOTE} And long.", "D3": "", "D4": QUOTE}.items():
        make.make_document(campaign, docno, text)
    demonstrate(campaign, carol, (run, run))
    draft, frozen = campaign.nugget_banks.all()
    assert (draft.is_draft, draft.based_on, frozen.is_draft) == (True, 1, False)
    assert difference_of(frozen, nuggets_of(draft)).reworded
    assert [*bank_faults(campaign)] == [[]]


def test_words_of_a_web_page_are_stored_without_a_place(
    campaign: Campaign, alice: Client, make: Factory
) -> None:
    page = "<!DOCTYPE html><html><body><p>Ships <b>float</b> because they are light.</p></body></html>"
    Document.objects.filter(campaign=campaign, docno="D1").update(text=page)
    alice.post(TOPIC, fields(quotation="Ships float because"))
    (reference,) = BankNugget.objects.get(author__username="alice").references
    assert (reference["text"], reference["start"]) == ("Ships float because", None)
