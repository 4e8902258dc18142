"""Settings of a campaign that change how its documents are shown: the joining of lines, and the language."""

from __future__ import annotations

from django.test import Client

from assess.queries.judging import Card, cards_of
from pooling.models import Campaign, Document
from tests.support.factory import Factory

TEXT = "The committee was asked to con-\ntrol the well-known mea-\nsures of the pool."


def test_lines_are_joined_for_judges_and_the_checksum_stays(make: Factory) -> None:
    make.make_document(make.make_pooled_campaign(), "D1", TEXT)
    before = _card(make)
    Campaign.objects.update(joins_lines=True)
    after = _card(make)
    assert (before.text, after.text) == (TEXT, TEXT.replace("-\n", ""))
    assert before.text_hash == after.text_hash
    Document.objects.update(text=f"<html><pre>{TEXT}</pre>")
    assert _card(make).text == f"<html><pre>{TEXT}</pre>"


def test_a_document_has_the_language_of_its_fact_or_of_the_campaign(make: Factory) -> None:
    make.make_document(make.make_pooled_campaign(), "D1", TEXT)
    assert _card(make).language == ""
    Campaign.objects.update(language="pt-BR")
    assert _card(make).language == "pt-BR"
    Document.objects.update(facts=[["Lang", "ar"]])
    assert _card(make).language == "ar"
    Document.objects.update(facts=[["lang", '"><script>']])
    assert _card(make).language == "pt-BR"


def test_a_language_that_is_no_tag_is_refused(client: Client, make: Factory) -> None:
    make.make_pooled_campaign()
    client.force_login(make.make_user("carol"))
    page = client.get("/campaigns/tiny/settings/")
    fields = page.context["form"].initial | {"language": "German", "collection_size": ""}
    answer = client.post("/campaigns/tiny/settings/", fields)
    assert "Enter a BCP 47 language tag" in answer.content.decode()


def _card(make: Factory) -> Card:
    (card,) = cards_of([make.entry(Campaign.objects.get(), "alice", "1", "D1")])
    return card
