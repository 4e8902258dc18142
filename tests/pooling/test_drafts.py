"""What the pool page tells before anything is committed is what freezing then stores."""

from __future__ import annotations

import random
from statistics import fmean
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from pooling.manifest import PoolPlan
from pooling.models import Campaign
from pooling.quality.coverage import size_of
from pooling.queries.drafts import candidates_by_plan, compare_plans, draft_of, overlap_of
from pooling.queries.reads import PoolingReads
from pooling.queries.runs import ranked_ids, ranked_runs, run_columns
from pooling.services.pools import freeze_pool, store_pool
from pooling.strategies.candidates import PoolEntry
from pooling.strategies.registry import STRATEGIES
from tests.oracles import pools as by_loops
from tests.oracles.contributions import contributions, mean_unjudged, overlap, unjudged_at
from tests.oracles.pools import depth_pool
from tests.support.factory import Factory
from tests.support.markup import markup

BEFORE_JUDGING = [name for name, each in STRATEGIES.items() if not each.live]
SMALL: dict[str, dict[str, Any]] = {"depth": {"k": 4}, "stratified": {"strata": "2:1 5:0.5 9:0.3"}}


def build_campaign(make: Factory) -> Campaign:
    """Six runs of three groups, up to 12 documents for each of three topics, many scores tied."""
    campaign, chance = make.make_campaign(), random.Random(7)
    for number in "123":
        make.make_topic(campaign, number)
    for run in range(6):
        lines = [
            f"{topic} D{docno:02} {12 - rank // 2}"
            for topic in "123"[: 3 - run % 2]
            for rank, docno in enumerate(chance.sample(range(30), 12))
        ]
        make.make_run(campaign, "\n".join(lines), tag=f"run{run}", group=f"g{run % 3}")
    return campaign


def small(name: str) -> PoolPlan:
    return PoolPlan(name, SMALL.get(name, {"budget": 9, "floor": 1}), seed=3)


@pytest.mark.parametrize("name", BEFORE_JUDGING)
def test_a_draft_counts_what_freezing_stores(campaign: Campaign, make: Factory, name: str) -> None:
    draft = draft_of(PoolingReads(campaign), campaign.runs.all(), small(name))
    pool = freeze_pool(campaign, make.make_user("carol"), list(campaign.runs.all()), small(name))
    assert draft.size.total == pool.documents.count()
    assert draft.size.found_once == pool.documents.filter(run_count=1).count()
    assert dict(draft.by_topic) == {topic: topic.pooled.count() for topic in campaign.topics.all()}
    assert draft.complete_depth == pool.manifest["complete_depth"]


@pytest.mark.parametrize("name", BEFORE_JUDGING)
def test_the_next_draft_leaves_out_what_is_frozen(campaign: Campaign, make: Factory, name: str) -> None:
    make.make_pool(campaign, depth=2)
    runs = list(campaign.runs.all())
    first = draft_of(PoolingReads(campaign), runs, small(name))
    assert first.by_depth[0] == (1, 0) and first.by_depth[1] == (2, 0) and first.by_depth[2][1] > 0
    pool = freeze_pool(campaign, make.make_user("carol"), runs, small(name))
    assert first.size.total == pool.documents.count()
    assert draft_of(PoolingReads(campaign), runs, small(name)).size.total == 0


def test_strategies_are_compared_by_the_pools_that_they_would_make(campaign: Campaign) -> None:
    runs = list(campaign.runs.all())
    ranked = ranked_runs(campaign, runs, 100)
    rows = compare_plans(PoolingReads(campaign), runs, small("rrf"))
    assert rows[0].plan == small("rrf")
    assert {row.plan.parameters["budget"] for row in rows[4:]} == {9}
    for row in rows:
        pool = by_loops.build(row.plan.strategy, ranked, row.plan.parameters, row.plan.seed)
        assert row.size[:5] == size_of(pool)[:5]
        unjudged = [fmean(mean_unjudged(unjudged_at(ranked, pool, k)).values()) for k in (5, 10, 20)]
        assert row.unjudged == pytest.approx(unjudged)


def test_the_overlap_is_that_of_depth_pools(campaign: Campaign) -> None:
    ranked = ranked_runs(campaign, campaign.runs.all(), 12)
    pool = depth_pool([run.rankings for run in ranked], 10)
    shared = overlap(contributions(pool, ranked, {run.tag: 10 for run in ranked})).shared
    for row, (tag, shares) in enumerate(overlap_of(PoolingReads(campaign), campaign.runs.all())):
        assert tag == f"run{row}"
        assert shares == [count / shared[row][row] for count in shared[row]]


def test_a_draft_takes_few_queries_however_many_runs_there_are(
    campaign: Campaign, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    draft_of(PoolingReads(campaign), campaign.runs.all(), small("combsum"))
    with django_assert_max_num_queries(7):  # runs, topics, pools, last docnos twice, columns by depth
        draft_of(PoolingReads(campaign), campaign.runs.all(), small("rrf"))


def test_what_is_submitted_meanwhile_is_in_the_next_draft(campaign: Campaign, make: Factory) -> None:
    before = draft_of(PoolingReads(campaign), campaign.runs.all(), small("depth")).size.total
    make.make_run(campaign, "1 NEW 1", tag="late")
    assert draft_of(PoolingReads(campaign), campaign.runs.all(), small("depth")).size.total == before + 1


def test_a_document_that_was_pooled_before_any_run_had_it_stays_left_out(
    campaign: Campaign, make: Factory
) -> None:
    pooled = {"1": {"NEW": PoolEntry(1, 1)}}
    store_pool(campaign, make.make_user("carol"), {"strategy": "depth", "parameters": {"k": 1}}, pooled)
    before = draft_of(PoolingReads(campaign), campaign.runs.all(), small("depth"))
    make.make_run(campaign, "1 NEW 1", tag="late")
    after = draft_of(PoolingReads(campaign), campaign.runs.all(), small("depth"))
    assert (after.size.total, after.by_depth[0]) == (before.size.total, before.by_depth[0])


def test_the_fragments_follow_the_controls(campaign: Campaign, make: Factory) -> None:
    client = Client()
    client.force_login(make.make_user("carol"))
    controls = {"strategy": "rrf", "budget": "9", "floor": "1", "seconds": "30"}
    text = markup(client.get("/campaigns/tiny/pool/strategies/", controls))
    assert "This draft: " in text and "budget 9, minimum per run 3" in text
    refused = client.get("/campaigns/tiny/pool/strategies/", controls | {"budget": "many"})
    assert "The settings above do not define a pool" in markup(refused)
    deeper = client.get("/campaigns/tiny/pool/strategies/", controls | {"floor": "200"})
    assert "The settings above do not define a pool" in markup(deeper)
    assert "run5" in markup(client.get("/campaigns/tiny/pool/overlap/"))


def test_a_live_draft_says_what_its_budget_allows_and_how_many_it_chooses_from(
    client: Client, make: Factory
) -> None:
    campaign = make.make_campaign()
    make.make_topic(campaign)
    make.make_run(campaign, "\n".join(f"1 D{rank:02} {100 - rank}" for rank in range(40)))
    client.force_login(make.make_user("carol"))
    plan = {"strategy": "hedge", "budget": "10", "floor": "2", "deepest": "30", "seconds": "30"}
    page = markup(client.get("/campaigns/tiny/pool/draft/", plan))
    assert "10 <small>at most, from 30 candidates" in page
    client.post("/campaigns/tiny/pool/", plan | {"confirmed": "yes"})
    pool = campaign.pools.get()
    assert (pool.strategy, pool.manifest["documents"]) == ("hedge", 30)


def test_runs_come_with_scores_where_they_are_asked_for(campaign: Campaign) -> None:
    runs = list(campaign.runs.all())
    for run, found in zip(runs, ranked_ids(runs, "123", with_scores=True), strict=True):
        whole = run_columns(run)
        assert found.ids.tolist() == whole.ids.tolist() and found.offsets.tolist() == whole.offsets.tolist()
        assert found.scores.tolist() == whole.scores.tolist() and len(found.scores)
    assert not any(len(found.scores) for found in ranked_ids(runs, "123"))  # these take twice the room


def test_scores_of_no_runs_are_none(campaign: Campaign) -> None:
    of_plan = candidates_by_plan(PoolingReads(campaign), [])
    for name in ("rrf", "combsum"):
        assert not len(of_plan(small(name)).scores)


def test_plans_of_the_same_depths_share_their_candidates(campaign: Campaign) -> None:
    of_plan = candidates_by_plan(PoolingReads(campaign), campaign.runs.all())
    without, with_scores = of_plan(small("rrf")), of_plan(small("combsum"))
    assert of_plan(small("borda")) is without and not len(without.scores)
    assert len(with_scores.scores) == len(with_scores.postings.ranks)
