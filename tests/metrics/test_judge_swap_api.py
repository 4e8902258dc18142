"""The judge swap through the API: the figures of its page, and numbers for names where readers get them."""

from __future__ import annotations

from typing import Any

from django.test import Client

from assess.queries.agreement import agreement_scope
from assess.queries.campaign_reads import CampaignReads
from metrics.measures.names import parse_measure
from metrics.queries.judge_swap import NO_CHOICE, human_ceilings, judge_swap, scores_by_judge
from pooling.models import Campaign
from tests.config.test_api_writes import client_of
from tests.metrics.test_judge_swap_page import build_campaign as build_campaign
from tests.support.factory import Factory

SWAP = "/api/campaigns/tiny/judge-swap/"


def got(client: Client, path: str = "", **asked: Any) -> Any:
    answer = client.get(SWAP + path, asked)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_the_draws_are_those_of_the_page(campaign: Campaign, make: Factory) -> None:
    found = got(client_of(make, "carol", "read"))
    scope = agreement_scope(CampaignReads(campaign))
    scores = scores_by_judge(scope, parse_measure(found["measure"]))
    swap = judge_swap(scores)
    assert (found["reason"], found["topics"], found["varied"], found["draws"]) == ("", 2, 2, swap.draws)
    assert [each["mean"] for each in found["coefficients"]] == [
        each.mean for each in (swap.tau, swap.tau_ap, swap.rbo)
    ]
    ranks = dict(zip(scores.tags, swap.ranks.tolist(), strict=True))
    assert {run["run"]: run["rank"] for run in found["runs"]} == ranks
    assert [(each["better"], each["share"]) for each in found["swapped"]] == [
        (scores.tags[each.better], each.share) for each in swap.swapped
    ]
    assert [each["judge"] for each in found["judges"]] == ["alice", "bob"]
    assert got(client_of(make, "carol", "read")) == found  # from the cache


def test_judges_are_scored_as_runs(campaign: Campaign, make: Factory) -> None:
    asked = {"measure": "P@10"}
    rows = got(client_of(make, "carol", "read"), "ceilings/", **asked)
    found = human_ceilings(agreement_scope(CampaignReads(campaign)), parse_measure("P@10"))
    assert rows == [each._asdict() for each in found] and len(rows) == 2


def test_an_impossible_swap_says_why_and_a_wrong_measure_is_refused(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_run(campaign, "1 D3 1", tag="other")
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    client = client_of(make, "carol", "read")
    found = got(client)
    assert (found["reason"], found["runs"], found["draws"]) == (NO_CHOICE, [], 0)
    wrong = client.get(SWAP, {"measure": "P@1"})
    assert wrong.status_code == 422 and "measure: expected" in wrong.json()["title"]
    assert client.get(SWAP, {"draws": "7"}).status_code == 422
