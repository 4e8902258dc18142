"""The campaign's road: navigation whose steps carry a figure each. The top floor sees them all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from django import template
from django.core.cache import cache

from assess.models import JudgmentEvent
from assess.queries import agreement, judgments_in, latest_release
from pooling.models import Campaign, Role
from pooling.queries import pooled_in

register = template.Library()

ALL = frozenset(Role)
STAFF = frozenset({Role.ORGANISER, Role.ADJUDICATOR, Role.READER})


class Step(NamedTuple):
    name: str
    url: str
    roles: frozenset[str]
    figure: Callable[[Campaign], str]


@register.inclusion_tag("_road.html")
def road(campaign: Campaign, here: str) -> dict[str, Any]:
    """Show the steps that this person may take; `here` is the name of the step that the page belongs to."""
    steps = [(step, step.figure(campaign)) for step in STEPS if step.roles & campaign.my_roles]
    return {"campaign": campaign, "steps": steps, "here": here}


def overview(campaign: Campaign) -> str:
    return "open" if judgments_in(campaign).exists() else "new"


def topics(campaign: Campaign) -> str:
    return f"{campaign.topics.count() or 'none yet'}"


def runs(campaign: Campaign) -> str:
    return f"{campaign.runs.count() or 'none yet'}"


def pool(campaign: Campaign) -> str:
    pooled = pooled_in(campaign).count()
    return f"{pooled:,} frozen" if pooled else "not frozen"


def judging(campaign: Campaign) -> str:
    labels = judgments_in(campaign).count()
    return f"{labels:,} labels" if labels else "no labels yet"


def kappa(campaign: Campaign) -> str:
    """The mean kappa over pairs; worked out anew only after a new label."""
    last = (
        JudgmentEvent.objects.filter(pooled__pool__campaign=campaign)
        .order_by("-pk")
        .values_list("pk", flat=True)
    )
    return str(cache.get_or_set(f"kappa-{campaign.pk}-{last.first()}", lambda: mean_kappa(campaign)))


def mean_kappa(campaign: Campaign) -> str:
    mean = agreement(campaign).mean
    return "needs two judges" if mean is None else f"κ {mean:.3f}"


def qrels(campaign: Campaign) -> str:
    release = latest_release(campaign)
    return f"v{release.number}" if release else "none yet"


def scores(campaign: Campaign) -> str:
    return "ready" if latest_release(campaign) else "needs qrels"


STEPS = [
    Step("Overview", "assess:overview", ALL - {Role.JUDGE}, overview),
    Step("Topics", "pooling:topic_list", ALL, topics),
    Step("Runs", "pooling:run_list", STAFF | {Role.PARTICIPANT}, runs),
    Step("Pool", "pooling:pool", frozenset({Role.ORGANISER}), pool),
    Step("Judging", "assess:judging", frozenset({Role.ORGANISER}), judging),
    Step("My topics", "assess:my_topics", frozenset({Role.JUDGE}), lambda campaign: "judge"),
    Step("Agreement", "assess:agreement", STAFF, kappa),
    Step("Qrels", "assess:release_list", ALL - {Role.JUDGE}, qrels),
    Step("Scores", "metrics:scores", ALL - {Role.JUDGE}, scores),
]
