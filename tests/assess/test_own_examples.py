"""My examples: the last document of each grade, without those that come a second time."""

from __future__ import annotations

import pytest
from django.test import Client

from assess.models import QueueEntry
from assess.services.assignments import assign
from pooling.models import Campaign
from tests.assess.test_outbox import press, send
from tests.support.factory import Factory
from tests.support.markup import markup

EXAMPLES = "/campaigns/tiny/judge/topics/1/examples/"


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_forty()
    assign([make.make_user("alice"), make.make_user("bob")], campaign.topics.all())
    return campaign


@pytest.fixture
def alice(make: Factory, campaign: Campaign) -> Client:
    client = Client()
    client.force_login(make.make_user("alice"))
    return client


def test_the_last_document_of_each_grade_stands_with_what_decided(
    alice: Client, campaign: Campaign, make: Factory
) -> None:
    assert "no grade in this topic yet" in markup(alice.get(EXAMPLES))
    make.make_document(campaign, "D03", "After a heart attack, first aid.")
    for docno, grade in (("D01", 0), ("D02", 3), ("D04", 0)):
        make.make_judgment(campaign, "alice", "1", docno, grade)
    evidence = {"quote": "heart attack", "paragraph": 0, "start": 8}
    send(alice, press(make.entry(campaign, "alice", "1", "D03"), relevance=2, evidence=evidence))
    page = markup(alice.get(EXAMPLES))
    assert page.index("D02") < page.index("D03") < page.index("D04") and "D01" not in page
    assert '<q dir="auto">heart attack</q>' in page and page.count("no evidence and no comment") == 2
    make.make_judgment(campaign, "bob", "1", "D05", 1)
    assert "D05" not in markup(alice.get(EXAMPLES))


def test_a_document_that_comes_a_second_time_is_no_example_before(
    alice: Client, campaign: Campaign, make: Factory
) -> None:
    for docno in ("D01", "D02"):
        make.make_judgment(campaign, "alice", "1", docno, 2)
    assert "D02" in markup(alice.get(EXAMPLES))
    first = make.entry(campaign, "alice", "1", "D02")
    first.pk, first.kind, first.state = None, QueueEntry.Kind.REPEAT, QueueEntry.State.OPEN
    first.save()
    page = markup(alice.get(EXAMPLES))
    assert "D01" in page and "D02" not in page
