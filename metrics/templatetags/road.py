"""The campaign's road: navigation whose steps carry a figure each. The top floor sees them all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from django import template
from django.template import Context
from django.utils.html import format_html

from accounts.models import User
from assess.models import AdjudicationEvent
from assess.queries import (
    count_labels,
    count_to_judge,
    judgments_in,
    kept,
    latest_release,
    mean_kappa,
    stamp_of,
    waiting,
)
from pooling.models import Campaign, Role
from pooling.queries import runs_seen_by
from pooling.templatetags.parts import coefficient

register = template.Library()

ALL = frozenset(Role)
STAFF = frozenset({Role.ORGANISER, Role.ADJUDICATOR, Role.READER})


class Step(NamedTuple):
    name: str
    url: str
    roles: frozenset[str]
    figure: Callable[[Campaign, User], str]


@register.inclusion_tag("_road.html", takes_context=True)
def road(context: Context, campaign: Campaign, here: str) -> dict[str, Any]:
    """Show the steps that this person may take; `here` is the name of the step that the page belongs to."""
    user = context["user"]
    steps = [(step, step.figure(campaign, user)) for step in STEPS if step.roles & campaign.my_roles]
    return {"campaign": campaign, "steps": steps, "here": here}


def overview(campaign: Campaign, user: User) -> str:
    return "open" if judgments_in(campaign).exists() else "new"


def topics(campaign: Campaign, user: User) -> str:
    return f"{campaign.topics.count() or 'none yet'}"


def runs(campaign: Campaign, user: User) -> str:
    """Only those that the person may see: how many others submitted is not a participant's to know."""
    return f"{runs_seen_by(user, campaign).count() or 'none yet'}"


def pool(campaign: Campaign, user: User) -> str:
    pooled = count_to_judge(campaign)
    return f"{pooled:,} frozen" if pooled else "not frozen"


def judging(campaign: Campaign, user: User) -> str:
    labels = count_labels(campaign)
    return f"{labels:,} labels" if labels else "no labels yet"


def kappa(campaign: Campaign, user: User) -> str:
    """The mean kappa over pairs of people; worked out anew only after a new label."""
    mean = mean_kappa(campaign).value
    return "needs two judges" if mean is None else f"κ {coefficient(mean)}"


def disputes(campaign: Campaign, user: User) -> str:
    """How many documents wait for an adjudicator; counted anew only after a label or a decision."""
    decision = AdjudicationEvent.objects.order_by("-pk").values_list("pk", flat=True).first()  # anywhere
    count = kept(campaign, "waiting", f"{stamp_of(campaign)}-{decision}", lambda: waiting(campaign))
    return format_html('<span class="want">{} waiting</span>', f"{count:,}") if count else "none waiting"


def qrels(campaign: Campaign, user: User) -> str:
    release = latest_release(campaign)
    return f"v{release.number}" if release else "none yet"


def scores(campaign: Campaign, user: User) -> str:
    return "ready" if latest_release(campaign) else "needs qrels"


STEPS = [
    Step("Overview", "assess:overview", ALL - {Role.JUDGE}, overview),
    Step("Topics", "pooling:topic_list", ALL, topics),
    Step("Runs", "pooling:run_list", STAFF | {Role.PARTICIPANT}, runs),
    Step("Pool", "pooling:pool", frozenset({Role.ORGANISER}), pool),
    Step("Judging", "assess:judging", frozenset({Role.ORGANISER}), judging),
    Step("My topics", "assess:my_topics", frozenset({Role.JUDGE}), lambda campaign, user: "judge"),
    Step("Agreement", "assess:agreement", STAFF, kappa),
    Step("Adjudication", "assess:adjudication", frozenset({Role.ORGANISER, Role.ADJUDICATOR}), disputes),
    Step("Qrels", "assess:release_list", ALL - {Role.JUDGE}, qrels),
    Step("Scores", "metrics:scores", ALL - {Role.JUDGE}, scores),
]
