"""The campaign's road: navigation whose steps carry a figure each. The top floor sees them all."""

from __future__ import annotations

from typing import Any, NamedTuple

from django import template

from assess.queries import agreement, judgments_in, latest_release
from pooling.models import Campaign, Role
from pooling.queries import pooled_in

register = template.Library()

ALL = frozenset(Role)
STAFF = frozenset({Role.ORGANISER, Role.ADJUDICATOR, Role.READER})


class Step(NamedTuple):
    name: str
    url: str
    figure: str
    roles: frozenset[str]


@register.inclusion_tag("_road.html")
def road(campaign: Campaign, here: str) -> dict[str, Any]:
    """Show the steps that this person may take; `here` is the name of the step that the page belongs to."""
    steps = [step for step in steps_of(campaign) if step.roles & campaign.my_roles]
    return {"campaign": campaign, "steps": steps, "here": here}


def steps_of(campaign: Campaign) -> list[Step]:
    """Return every step with its figure, or with what it still needs."""
    runs, topics = campaign.runs.count(), campaign.topics.count()
    pooled, judged = pooled_in(campaign).count(), judgments_in(campaign).count()
    release = latest_release(campaign)
    mean = agreement(campaign).mean if judged else None
    kappa = "" if mean is None else f"κ {mean:.3f}"
    organiser = frozenset({Role.ORGANISER})
    return [
        Step("Overview", "assess:overview", "open" if judged else "new", ALL - {Role.JUDGE}),
        Step("Topics", "pooling:topic_list", f"{topics:,}" if topics else "none yet", ALL),
        Step("Runs", "pooling:run_list", f"{runs:,}" if runs else "none yet", STAFF | {Role.PARTICIPANT}),
        Step("Pool", "pooling:pool", f"{pooled:,} frozen" if pooled else "not frozen", organiser),
        Step("Judging", "assess:judging", f"{judged:,} labels" if judged else "no labels yet", organiser),
        Step("My topics", "assess:my_topics", "judge", frozenset({Role.JUDGE})),
        Step("Agreement", "assess:agreement", kappa or "needs two judges", STAFF),
        Step(
            "Qrels",
            "assess:release_list",
            f"v{release.number}" if release else "none yet",
            ALL - {Role.JUDGE},
        ),
        Step("Scores", "metrics:scores", "ready" if release else "needs qrels", ALL - {Role.JUDGE}),
    ]
