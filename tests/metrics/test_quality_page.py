"""What the judgments can carry, and one click that fills the holes."""

from __future__ import annotations

import pytest
from django.test import Client

from assess.services import assign
from metrics.queries.quality import pool_quality
from pooling.models import Campaign
from pooling.queries import pooled_in
from tests.factory import Factory


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """Two groups pooled at depth 1; harbour alone found the relevant A, mill alone the irrelevant B."""
    campaign = make.make_campaign()
    make.make_topic(campaign, "1")
    make.make_run(campaign, "1 A 3\n1 C 2\n1 B 1", tag="sloop", group="harbour")
    make.make_run(campaign, "1 B 3\n1 A 2\n1 D 1", tag="wheel", group="mill")
    make.make_pool(campaign, depth=1)
    assign([make.make_user("alice")], campaign.topics.all())
    make.make_judgment(campaign, "alice", "1", "A", 3)
    make.make_judgment(campaign, "alice", "1", "B", 0)
    return campaign


def test_holes_contributions_and_what_a_newcomer_loses(campaign: Campaign) -> None:
    found = pool_quality(campaign)
    assert found
    lines = {line.run.tag: line for line in found.runs}
    assert lines["sloop"].unjudged[0] == pytest.approx(
        1 / 5
    )  # C among the first 5; short lists count as judged
    assert (lines["sloop"].brought.unique, lines["sloop"].brought.unique_relevant) == (1, 1)
    assert (lines["sloop"].score, lines["sloop"].without_run, lines["sloop"].without_group) == (
        1.0,
        0.0,
        0.0,
    )  # without A nothing is relevant
    assert (lines["wheel"].score, lines["wheel"].without_group) == (0.5, 0.5)  # B's removal changes no AP
    assert (lines["sloop"].rank, lines["sloop"].rank_without) == (1, 2)
    assert found.groups["harbour"].unique_relevant == 1
    assert found.curve == [0, 1, 1]
    assert found.levels[0] == (1, 2, 1)


def test_one_click_pools_the_holes(campaign: Campaign, make: Factory) -> None:
    client = Client()
    client.force_login(make.make_user("carol"))
    page = client.post("/campaigns/tiny/pool/top-up/", {"k": 3}, follow=True).content.decode()
    assert "Pool 2 holds 2 documents that were missing" in page
    assert set(pooled_in(campaign).values_list("docno", flat=True)) == {"A", "B", "C", "D"}
    again = client.post("/campaigns/tiny/pool/top-up/", {"k": 3}, follow=True).content.decode()
    assert "pooled already" in again
    assert (
        "Expected a whole number"
        in client.post("/campaigns/tiny/pool/top-up/", {}, follow=True).content.decode()
    )


def test_before_anything_is_judged_there_is_nothing_to_say(make: Factory) -> None:
    assert pool_quality(make.make_pooled_campaign()) is None
