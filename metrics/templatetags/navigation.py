"""The navigation of a campaign: the pages that a person may open, with one figure for each."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

from django import template
from django.template import Context
from django.utils.html import format_html

from accounts.models import User
from assess.queries.adjudication import count_unsettled
from assess.queries.campaign_reads import CampaignReads
from assess.queries.labels import LabelCounts, label_counts
from pooling.models import Campaign, Role
from pooling.queries.campaigns import visible_runs
from pooling.queries.schedule import acceptance_for

register = template.Library()

ALL = frozenset(Role)
STAFF = frozenset({Role.ORGANISER, Role.ADJUDICATOR, Role.READER})


class StepFigures:
    """The figures of the navigation for one person. A figure that two steps share is read once."""

    def __init__(self, reads: CampaignReads, user: User) -> None:
        self.reads, self.campaign, self.user = reads, reads.campaign, user

    @cached_property
    def counts(self) -> LabelCounts:
        return label_counts(self.reads)

    @cached_property
    def newest(self) -> int | None:
        """The number of the newest release that the person may see, without its manifest, which is long."""
        releases = self.campaign.releases.visible_to(self.campaign).standing()
        return releases.values_list("number", flat=True).first()

    def overview(self) -> str:
        return "in progress" if self.counts.labels else "not started"

    def participation(self) -> str:
        return "submission open" if acceptance_for(self.campaign, self.user).accepts else "submission closed"

    def topics(self) -> str:
        return f"{len(self.reads.topics) or 'none yet'}"

    def runs(self) -> str:
        """Count the runs that the person may see; participants may not learn how many others submitted."""
        return f"{visible_runs(self.user, self.campaign).count() or 'none yet'}"

    def pool(self) -> str:
        pooled = self.reads.count_to_judge
        return f"{pooled:,} documents" if pooled else "not frozen"

    def documents(self) -> str:
        """The number of pooled documents without text; a figure that needs no action once all have one."""
        texts = self.reads.texts
        if not texts.missing:
            return f"{texts.documents:,} with text" if texts.documents else "no pool yet"
        figure = f"{texts.missing:,} of {texts.documents:,} without text"
        return format_html('<span class="warning">{}</span>', figure)

    def judging(self) -> str:
        labels = self.counts.labels
        return f"{labels:,} labels" if labels else "no labels yet"

    def mine(self) -> str:
        return "to judge"

    def agreement(self) -> str:
        judges = self.counts.judges
        return f"{judges} judges" if judges > 1 else "needs 2 judges"

    def disputes(self) -> str:
        """The number of documents that wait for an adjudicator."""
        count = count_unsettled(self.campaign)
        return format_html('<span class="alert">{} waiting</span>', f"{count:,}") if count else "none waiting"

    def qrels(self) -> str:
        return f"v{self.newest}" if self.newest else "no release"

    def scores(self) -> str:
        return "available" if self.newest else "needs a release"


class NavigationStep(NamedTuple):
    name: str
    url: str
    roles: frozenset[str]
    figure: Callable[[StepFigures], str]


STEPS = [
    NavigationStep("Overview", "assess:overview", ALL - {Role.JUDGE, Role.PARTICIPANT}, StepFigures.overview),
    NavigationStep(
        "Participate", "assess:participate", frozenset({Role.PARTICIPANT}), StepFigures.participation
    ),
    NavigationStep("Topics", "pooling:topic_list", ALL, StepFigures.topics),
    NavigationStep("Runs", "pooling:run_list", STAFF | {Role.PARTICIPANT}, StepFigures.runs),
    NavigationStep("Pool", "pooling:pool", frozenset({Role.ORGANISER}), StepFigures.pool),
    NavigationStep("Documents", "pooling:document_list", frozenset({Role.ORGANISER}), StepFigures.documents),
    NavigationStep("Judging", "assess:judging", frozenset({Role.ORGANISER}), StepFigures.judging),
    NavigationStep("My topics", "assess:my_topics", frozenset({Role.JUDGE}), StepFigures.mine),
    NavigationStep("Agreement", "assess:agreement", STAFF, StepFigures.agreement),
    NavigationStep(
        "Adjudication",
        "assess:adjudication",
        frozenset({Role.ORGANISER, Role.ADJUDICATOR}),
        StepFigures.disputes,
    ),
    NavigationStep("Qrels", "assess:release_list", ALL - {Role.JUDGE}, StepFigures.qrels),
    NavigationStep("Scores", "metrics:scores", ALL - {Role.JUDGE}, StepFigures.scores),
]


@register.inclusion_tag("_navigation.html", takes_context=True)
def navigation(context: Context, campaign: Campaign, here: str) -> dict[str, Any]:
    """Show the pages that this person may open; `here` is the step of the current page."""
    reads = context.get("reads")
    if not isinstance(reads, CampaignReads):
        reads = CampaignReads(campaign)
    figures = StepFigures(reads, context["user"])
    steps = [(step, step.figure(figures)) for step in STEPS if step.roles & campaign.my_roles]
    return {"campaign": campaign, "steps": steps, "here": here}
