"""Labels of machine judges change neither what people get to judge nor any figure of their work."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from accounts.models import User
from assess.consensus import ONE_JUDGE
from assess.models import Assignment, JudgingPlan, QueueEntry
from assess.queries.assignments import unassigned_documents
from assess.queries.campaign_reads import CampaignReads
from assess.queries.cost import campaign_cost
from assess.queries.forecast import forecast, idle_judges_in
from assess.queries.independence import hidden_keys
from assess.queries.judge_progress import my_topics, pace_of
from assess.queries.label_totals import label_totals
from assess.queries.mailings import campaign_digest
from assess.queries.progress import progress_grid
from assess.queries.queues import has_begun, judging_plan_of, live_state, overlap_docnos
from assess.release.plan import FILL, ReleasePlan
from assess.services.assignments import assign
from assess.services.queues import next_documents
from assess.services.releases import release_qrels
from pooling.manifest import PoolPlan
from pooling.models import Campaign, Pool, Topic
from pooling.services.pools import freeze_pool
from tests.support.factory import Factory

NOW = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)
Part = Assignment.Part
MACHINE_LABELS = "".join(f"1 0 {run}{rank:02} {3 * (run == 'E')}\n" for run in "DE" for rank in range(40))


def build_campaign(make: Factory) -> Campaign:
    """One topic, documents D00 to D39 in the first pool; E00 to E39 are in a run and in no pool yet."""
    campaign = make.make_forty()
    make.make_run(campaign, "\n".join(f"1 E{rank:02} {100 - rank}" for rank in range(40)), tag="other")
    return campaign


@pytest.fixture
def topic(campaign: Campaign) -> Topic:
    return campaign.topics.get()


@pytest.fixture
def people(make: Factory) -> list[User]:
    return [make.make_user("alice"), make.make_user("bob")]


def freeze_live(campaign: Campaign, make: Factory) -> Pool:
    campaign.pools.all().delete()
    plan = PoolPlan("mtf", {"floor": 1, "deepest": 40, "budget": 20}, seed=3)
    return freeze_pool(campaign, make.make_user("carol"), list(campaign.runs.all()), plan)


@pytest.mark.parametrize("part", [Part.SHARED, Part.PRIMARY])
def test_a_live_order_ignores_machines(
    campaign: Campaign, topic: Topic, people: list[User], make: Factory, part: Part
) -> None:
    freeze_live(campaign, make)
    assign(people[:1] if part == Part.PRIMARY else people, [topic], part)
    for entry in next_documents(people[0], topic, 2):
        make.make_judgment(campaign, "alice", "1", entry.pooled.docno, 0)
    assignment = Assignment.objects.select_related("pool", "topic__campaign", "judge").first()
    assert assignment is not None
    _, labels, passed = live_state(assignment)
    make.make_machine(campaign, MACHINE_LABELS)
    assert live_state(assignment)[1:] == (labels, passed) and len(labels) == 2


def test_the_overlap_by_labels_ignores_machines(
    campaign: Campaign, topic: Topic, people: list[User], make: Factory
) -> None:
    JudgingPlan.objects.create(campaign=campaign, overlap="stratified", overlap_count=3)
    alice, bob = people
    assign([alice], [topic])
    assign([bob], [topic], Part.SECOND)
    make.make_machine(campaign, MACHINE_LABELS)
    assert next_documents(bob, topic, 40) == []
    for rank in range(40):
        make.make_judgment(campaign, "alice", "1", f"D{rank:02}", 3 if rank < 10 else 0)
    assignment = Assignment.objects.get(part=Part.SECOND)
    chosen = overlap_docnos(assignment, judging_plan_of(campaign))
    assert {entry.pooled.docno for entry in next_documents(bob, topic, 40)} == chosen
    assert len(chosen) == 6 and len(chosen & {f"D{rank:02}" for rank in range(10)}) == 3


def figures(campaign: Campaign, people: list[User]) -> dict[str, Any]:
    """Everything about the work of people that a page shows."""
    campaign = Campaign.objects.get(pk=campaign.pk)
    grid = progress_grid(CampaignReads(campaign))
    return {
        "grid": grid,
        "forecast": forecast(grid, NOW, 4, 1),
        "idle": idle_judges_in(grid, NOW),
        "cost": campaign_cost(campaign, grid, NOW),
        "unassigned": unassigned_documents(CampaignReads(campaign)),
        "totals": label_totals(CampaignReads(campaign)),
        "begun": has_begun(campaign),
        "digest": campaign_digest(campaign, NOW, ""),
        "hidden": [hidden_keys(judge, campaign) for judge in people],
        "mine": [(my_topics(judge, CampaignReads(campaign)), pace_of(judge, campaign)) for judge in people],
        "queues": list(QueueEntry.objects.order_by("pk").values_list("judge", "pooled", "state", "place")),
    }


@pytest.mark.parametrize("pressed", [0, 3])
def test_the_figures_of_judging_ignore_machines(
    campaign: Campaign, topic: Topic, people: list[User], make: Factory, pressed: int
) -> None:
    assign(people, [topic], Part.SHARED)
    taken = next_documents(people[0], topic, 4)
    for entry in taken[:pressed]:
        make.make_judgment(campaign, "alice", "1", entry.pooled.docno, 3)
    make.make_pool(campaign, depth=40)
    before = figures(campaign, people)
    assert before["unassigned"].documents == 40 and before["grid"].judged == pressed
    make.make_machine(campaign, MACHINE_LABELS)
    after = figures(campaign, people)
    for name, value in before.items():
        assert after[name] == value, name
    mine = {entry.pooled.docno for entry in taken}
    others = {entry.pooled.docno for entry in next_documents(people[1], topic, 40)}
    assert len(others) == 36 and not others & mine


@pytest.mark.parametrize(
    "plan",
    [
        ReleasePlan(machines=("tiny/robot",), machine_use=FILL),
        ReleasePlan(rule=ONE_JUDGE, judge="tiny/robot"),
    ],
    ids=["fill", "one judge"],
)
def test_progress_ignores_the_machines_of_the_last_release(
    campaign: Campaign, topic: Topic, people: list[User], make: Factory, plan: ReleasePlan
) -> None:
    assign(people, [topic], Part.SHARED)
    for entry in next_documents(people[0], topic, 4)[:3]:
        make.make_judgment(campaign, "alice", "1", entry.pooled.docno, 3)
    make.make_machine(campaign, "".join(f"1 0 D{rank:02} 3\n" for rank in range(40)))
    before = figures(campaign, people)
    assert before["totals"].relevant.total() == 3
    release_qrels(campaign, people[0], plan)
    after = figures(campaign, people)
    for name, value in before.items():
        assert after[name] == value, name
