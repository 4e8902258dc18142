"""Whether a campaign accepts runs from a person now."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

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
    is_organiser = campaign.memberships.filter(user=user, role=Role.ORGANISER).exists()
    accepted = acceptance(submission_window(campaign), now, is_organiser)
    if is_organiser or not accepted.accepts:
        return accepted
    why = submitted_runs(campaign, user, now).why_no_more(replaces)
    return accepted._replace(accepts=False, sentence=why) if why else accepted


class SubmittedRuns(NamedTuple):
    """The runs of a person's group, and the limits. today: submitted today, also those withdrawn since."""

    runs: int
    today: int
    per_group: int | None
    per_day: int | None

    def why_no_more(self, replaces: bool = False) -> str:
        """Return the limit that the group has reached, as a sentence; "" if it may submit another run."""
        if self.per_group and self.runs - replaces >= self.per_group:
            return f"Your group has {self.runs:,} of {self.per_group:,} runs. Withdraw or replace one first."
        if self.per_day and self.today >= self.per_day:
            return (
                f"Your group submitted {self.today:,} of {self.per_day:,} runs today. Submit again tomorrow."
            )
        return ""


def submitted_runs(campaign: Campaign, user: User, now: datetime) -> SubmittedRuns:
    """Return how many runs the group of a participant has; the day is that of the campaign's time zone."""
    runs, zone = runs_of_group(user, campaign), zone_of(campaign.time_zone)
    midnight = now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    return SubmittedRuns(
        runs.active().count() if campaign.runs_per_group else 0,
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
