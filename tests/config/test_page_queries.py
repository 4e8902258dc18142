"""How often a page asks the database: no question more than twice, and not too many in all."""

from __future__ import annotations

from collections import Counter

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from pooling.models import Campaign
from tests.assess.test_outbox import press, send
from tests.config.test_roles import GET, PEOPLE
from tests.support.factory import Factory
from tests.support.finished_campaign import make_lived_campaign
from tests.support.places import URLS, place

MOST, MOST_OF_A_PRESS, MOST_OF_ONE = 40, 25, 2
DOCNOS_VERSION = "pooling_docnoblock"  # read anew after each reading of runs, so that it has their documents
PAGES = [name for name in GET if "slug" in URLS[name] and not name.startswith(("admin:", "api:"))]
CONTROL = ("SAVEPOINT", "RELEASE", "BEGIN", "ROLLBACK", "COMMIT", "SET ")


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make_lived_campaign(make)
    make.make_audit(campaign)
    make.make_labelling(campaign)
    return campaign


def questions(captured: CaptureQueriesContext) -> Counter[str]:
    """Return statement with its values -> how often it was sent."""
    statements = (query["sql"] for query in captured.captured_queries)
    return Counter(each for each in statements if not each.startswith(CONTROL) and DOCNOS_VERSION not in each)


def why_too_many(asked: Counter[str], most: int = MOST) -> str:
    repeated = [f"{count} times: {sql}" for sql, count in asked.items() if count > MOST_OF_ONE]
    total = [f"{asked.total()} queries"] if asked.total() > most else []
    return "\n".join([*total, *repeated])


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("person", [person for person in PEOPLE if person not in ("mallory", "")])
def test_no_page_repeats_a_question(campaign: Campaign, make: Factory, person: str) -> None:
    client, too_many = Client(), {}
    client.force_login(make.make_user(person))
    for name in PAGES:
        url = place(name, campaign, make)
        cache.clear()
        with CaptureQueriesContext(connection) as captured:
            response = client.get(url)
            if response.streaming:
                b"".join(response)
        if response.status_code == 200 and (why := why_too_many(questions(captured))):
            too_many[f"{name} {url}"] = why
    assert not too_many, "\n\n".join(f"{page}: {why}" for page, why in too_many.items())


@pytest.mark.django_db(transaction=True)
def test_a_press_asks_few_questions(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    for docno in ("D1", "D2", "D3"):
        make.make_document(campaign, docno, f"The text of {docno}.")
    client = Client()
    client.force_login(make.make_user("alice"))
    entry = make.entry(campaign, "alice", "1", "D1")
    send(client, press(entry))
    content = press(make.entry(campaign, "alice", "1", "D2"))
    with CaptureQueriesContext(connection) as captured:
        response = send(client, content)
    assert response.status_code == 200
    locks = connection.features.has_select_for_update  # one question more, which locks the document
    why = why_too_many(questions(captured), MOST_OF_A_PRESS + locks)
    assert not why, why
