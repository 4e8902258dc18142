"""Runs that had no part in the choice of the judged documents are named, with the sampled judgments."""

from __future__ import annotations

import pytest
from django.test import Client

from assess.queries.run_parts import runs_without_part
from assess.services.assignments import assign
from assess.services.releases import release_qrels
from metrics.services import score_release
from pooling.models import Campaign
from tests.assess.active_learning.test_release_statements import TEXTS, label_all
from tests.support.factory import Factory
from tests.support.markup import markup


def build_campaign(make: Factory) -> Campaign:
    """Topic 1 was reviewed, topic 2 pooled from one of two runs."""
    campaign = make.make_campaign()
    make.make_topic(campaign, "1", "sail and mast")
    make.make_topic(campaign, "2", "another topic")
    make.make_collection(campaign, TEXTS)
    make.make_run(campaign, "2 D01 2\n2 D02 1", tag="pooled")
    make.make_pool(campaign)
    assign([make.make_user("alice")], list(campaign.topics.filter(number="2")))
    make.make_run(campaign, "1 D01 2\n1 D02 1\n2 D05 1", tag="later")
    return campaign


def test_a_release_of_pools_alone_names_no_run(campaign: Campaign, make: Factory) -> None:
    make.make_judgment(campaign, "alice", "2", "D01", 2)
    release = release_qrels(campaign, make.make_user("carol"))
    assert runs_without_part(release, campaign.runs.all()) is None


@pytest.mark.parametrize("sample", [0, 3])
def test_runs_without_a_part_are_named(campaign: Campaign, make: Factory, sample: int) -> None:
    make.make_review(campaign, judges=["alice"], first_batch=6, sample_size=sample)
    label_all(campaign, make)
    make.make_judgment(campaign, "alice", "2", "D01", 2)
    release = release_qrels(campaign, make.make_user("carol"))
    score_release(release)
    found = runs_without_part(release, campaign.runs.order_by("tag"))
    assert found is not None and found.topics == ["1"] and found.tags == ["later", "pooled"]
    assert found.sample == ("prels-0" if sample else "")
    client = Client()
    client.force_login(make.make_user("carol"))
    for address in ("/campaigns/tiny/qrels/1/", "/campaigns/tiny/scores/1/"):
        page = " ".join(markup(client.get(address, follow=True)).split())
        assert "2 runs had no part in the choice of the documents of topic 1" in page
        assert "later, pooled. What they alone found" in page
        assert ("Sampled judgments</a>" in page) == bool(sample)
    make.publish(campaign)
    public = " ".join(markup(Client().get("/public/tiny/")).split())
    assert "2 runs had no part in the choice of the documents of topic 1" in public
    assert ('<a href="/public/tiny/1/files/prels-0/">Sampled judgments</a>' in public) == bool(sample)
    assert "Topic 1: continuous active learning over" in public
    if sample:
        response = client.get("/campaigns/tiny/qrels/1/files/prels-0/")
        assert response.status_code == 200 and b"1 0 D" in b"".join(response.streaming_content)  # type: ignore[attr-defined]


def test_a_run_of_a_pool_of_the_topic_had_a_part(campaign: Campaign, make: Factory) -> None:
    make.make_pool(campaign)  # of both runs, so that "later" is in a pool of topic 1
    make.make_review(campaign, judges=["alice"], first_batch=6, sample_size=0)
    label_all(campaign, make)
    release = release_qrels(campaign, make.make_user("carol"))
    found = runs_without_part(release, campaign.runs.filter(tag="later"))
    assert found is None
