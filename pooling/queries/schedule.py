"""Whether a campaign accepts runs from a person now."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from pooling.models import Campaign, Role
from pooling.queries.campaigns import runs_of_group
from pooling.schedule import Acceptance, SubmissionWindow, acceptance, may_change_runs, zone_of


def submission_window(campaign: Campaign) -> SubmissionWindow:
    return SubmissionWindow(
        campaign.state,
        campaign.accepts_runs,
        campaign.submission_opens_at,
        campaign.submission_closes_at,
        campaign.late_runs == Campaign.LateRuns.MARK,
        campaign.time_zone,
    )


def acceptance_for(
    campaign: Campaign, user: User, now: datetime | None = None, replaces: bool = False
) -> Acceptance:
    """Return whether the campaign accepts runs from this person.

    now: by default the present time. replaces: whether the run takes the place of another one of the group.
    """
    now = now or timezone.now()
    window = submission_window(campaign)
    return limited_acceptance(
        campaign, user, window, now, lambda: submitted_runs(campaign, user, now), replaces
    )


def limited_acceptance(
    campaign: Campaign,
    user: User,
    window: SubmissionWindow,
    now: datetime,
    submitted: Callable[[], SubmittedRuns],
    replaces: bool = False,
) -> Acceptance:
    """Return whether runs of a kind are accepted from this person, within the limits of groups.

    window: of this kind. submitted: returns what the group has of it; organisers are not limited.
    """
    is_organiser = campaign.memberships.filter(user=user, role=Role.ORGANISER).exists()
    accepted = acceptance(window, now, is_organiser)
    if is_organiser or not accepted.accepts:
        return accepted
    why = submitted().why_no_more(replaces)
    return accepted._replace(accepts=False, sentence=why) if why else accepted


class SubmittedRuns(NamedTuple):
    """The runs of a person's group, and the limits. today: submitted today, also those withdrawn since.

    kind: of the runs, in the plural. way_out: what a group at its limit can do.
    """

    runs: int
    today: int
    per_group: int | None
    per_day: int | None
    kind: str = "runs"
    way_out: str = "Withdraw or replace one first."

    def why_no_more(self, replaces: bool = False) -> str:
        """Return the limit that the group has reached, as a sentence; "" if it may submit another run.

        >>> SubmittedRuns(3, 1, 3, None).why_no_more()
        'Your group has 3 of 3 runs. Withdraw or replace one first.'
        >>> SubmittedRuns(3, 1, 3, None).why_no_more(replaces=True)
        ''
        """
        if self.per_group and self.runs - replaces >= self.per_group:
            return f"Your group has {self.runs:,} of {self.per_group:,} {self.kind}. {self.way_out}"
        if self.per_day and self.today >= self.per_day:
            submitted = f"{self.today:,} of {self.per_day:,} {self.kind} today"
            return f"Your group submitted {submitted}. Submit again tomorrow."
        return ""


def submitted_runs(campaign: Campaign, user: User, now: datetime) -> SubmittedRuns:
    """Return how many runs the group of a participant has; the day is that of the campaign's time zone."""
    return count_of_group(campaign, runs_of_group(user, campaign), now)


def count_of_group(campaign: Campaign, runs: QuerySet[Any], now: datetime) -> SubmittedRuns:
    """Return how many of a group's runs of one kind count, with the limits. runs: also withdrawn ones."""
    zone = zone_of(campaign.time_zone)
    midnight = now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    return SubmittedRuns(
        runs.filter(withdrawn_at=None).count() if campaign.runs_per_group else 0,
        runs.filter(submitted_at__gte=midnight).count() if campaign.runs_per_day else 0,
        campaign.runs_per_group,
        campaign.runs_per_day,
    )


def why_runs_are_fixed(campaign: Campaign, user: User) -> str:
    """Return why this person cannot withdraw, replace or change own runs now; "" if they can."""
    if campaign.is_archived:
        return "The campaign is archived and read-only."
    if campaign.memberships.filter(user=user, role=Role.ORGANISER).exists():
        return ""
    window, now = submission_window(campaign), timezone.now()
    if may_change_runs(window, now):
        return ""
    said = acceptance(window, now).sentence
    return f"{said} Runs can be withdrawn and changed only before the deadline. Ask an organiser."
