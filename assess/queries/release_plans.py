"""What the next release starts from: the newest release, settled grades, primary judges."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from django.db.models import QuerySet

from assess.consensus import ADJUDICATED, MAJORITY, RULES, USES_SETTLED
from assess.models import AdjudicationEvent, Assignment, QrelsRelease
from assess.release.lines import SettledGrade
from assess.release.plan import ReleasePlan, plan_from_json
from pooling.models import Campaign, Pool, Topic

KEPT_FIELDS = (
    "judges",
    "machines",
    "machine_use",
    "cannot",
    "threshold",
)  # of the last plan, beside its rule and judge


def latest_release(campaign: Campaign) -> QrelsRelease | None:
    """Return the newest release that is not withdrawn, whoever may see it."""
    return campaign.releases.standing().first()


def latest_visible_release(campaign: Campaign) -> QrelsRelease | None:
    """Return the newest release that is not withdrawn and that `campaign.my_roles` may see."""
    return campaign.releases.visible_to(campaign).standing().first()


def default_plan(
    campaign: Campaign, settled: Mapping[int, SettledGrade], withdrawn: Collection[str] = ()
) -> ReleasePlan:
    """Return the default plan: that of the last release, or majority before there is one.

    withdrawn: usernames of the judges whose labels are withdrawn; the plan no longer names them.
    As soon as a document is settled, a rule that does not use settled grades is replaced by one that does.
    Topics and pools of the last release are not kept, because more of both are judged later.
    """
    plan = _without(_last_plan(campaign), withdrawn)
    if plan.rule not in USES_SETTLED and settled:
        return replace(plan, rule=ADJUDICATED, judge="")
    return plan


def without_machines(plan: ReleasePlan, machines: list[str]) -> ReleasePlan:
    """Return a plan for the labels of people alone. machines: usernames of the machine judges."""
    return _without(replace(plan, machines=()), machines)


def _without(plan: ReleasePlan, judges: Collection[str]) -> ReleasePlan:
    """Return a plan that names none of these judges."""
    people = tuple(judge for judge in plan.judges if judge not in judges)
    machines = tuple(machine for machine in plan.machines if machine not in judges)
    plan = replace(plan, judges=people, machines=machines)
    return replace(plan, rule=MAJORITY, judge="") if plan.judge in judges else plan


def _last_plan(campaign: Campaign) -> ReleasePlan:
    """Return the plan of the last release for all topics and pools; the usual plan before there is one."""
    last = campaign.releases.values_list("rule", "parameters").first()  # without the long manifest
    if last is None or last[0] not in RULES:
        return ReleasePlan()
    stored = {"rule": last[0], "judge": last[1].get("judge", "")}
    return plan_from_json(stored | {name: last[1][name] for name in KEPT_FIELDS if name in last[1]})


def topics_in(campaign: Campaign, plan: ReleasePlan) -> QuerySet[Topic]:
    """Return the topics in the scope of a plan, in campaign order."""
    topics = campaign.topics.order_by("place")
    return topics.filter(number__in=plan.topics) if plan.topics else topics


def pools_in(campaign: Campaign, plan: ReleasePlan) -> QuerySet[Pool]:
    pools = campaign.pools.exclude(strategy=Pool.PROBES)
    return pools.filter(number__in=plan.pools) if plan.pools else pools


def is_in_scope(pool: Pool, plan: ReleasePlan) -> bool:
    """Whether a pool is among `pools_in`."""
    return pool.strategy != Pool.PROBES and (not plan.pools or pool.number in plan.pools)


def primary_judges(campaign: Campaign) -> dict[tuple[str, int], str]:
    """Return (topic, number of the pool) -> its primary judge: of several, the earliest assigned."""
    assignments = Assignment.objects.filter(topic__campaign=campaign, part=Assignment.Part.PRIMARY)
    rows = assignments.order_by("-assigned_at", "-pk").values_list(
        "topic__number", "pool__number", "judge__username"
    )
    return {(topic, pool): judge for topic, pool, judge in rows}  # the earliest is written last


def settled_grades(events: QuerySet[AdjudicationEvent]) -> dict[int, SettledGrade]:
    """Return pooled document -> settled grade after these events; reopened documents have none."""
    rows = events.order_by("pk").values_list("pooled", "relevance", "by__username", "why", "at", "rule")
    last = {pooled: (relevance, by, why, at, rule) for pooled, relevance, by, why, at, rule in rows}
    return {
        pooled: SettledGrade(relevance, by, why, at.isoformat(), rule)
        for pooled, (relevance, by, why, at, rule) in last.items()
        if relevance is not None
    }
