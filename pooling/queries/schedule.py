"""Whether a campaign accepts runs from a person now."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from accounts.models import User
from pooling.models import Campaign, Role
from pooling.schedule import Acceptance, SubmissionWindow, acceptance, may_change_runs


def submission_window(campaign: Campaign) -> SubmissionWindow:
    return SubmissionWindow(
        campaign.state,
        campaign.accepts_runs,
        campaign.submission_opens_at,
        campaign.submission_closes_at,
        campaign.late_runs == Campaign.LateRuns.MARK,
        campaign.time_zone,
    )


def acceptance_for(campaign: Campaign, user: User, now: datetime | None = None) -> Acceptance:
    """Return whether the campaign accepts runs from this person. now: by default the present time."""
    is_organiser = campaign.memberships.filter(user=user, role=Role.ORGANISER).exists()
    return acceptance(submission_window(campaign), now or timezone.now(), is_organiser)


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
