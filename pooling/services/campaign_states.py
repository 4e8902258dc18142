"""Change the state and the dates of a campaign."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.models import User
from pooling.campaign_states import ARCHIVED, step_to
from pooling.models import Campaign
from pooling.schedule import shown_time
from pooling.services.audit_log import log_change

SCHEDULE_FIELDS = (
    "time_zone", "accepts_runs", "accepts_judge_runs", "runs_per_group", "runs_per_day",
    "submission_opens_at", "submission_closes_at",
    "late_runs", "judging_ends_at", "release_planned_at",
)  # fmt: skip


@transaction.atomic
def change_state(campaign: Campaign, state: str, by: User | None = None) -> None:
    """Take a campaign to another state. Raises StateRefused if that cannot follow its present state."""
    stored = Campaign.objects.select_for_update().get(pk=campaign.pk)
    step_to(stored.state, state)
    about = f"from {stored.state} to {state}", {"was": stored.state, "is": state}
    if state == ARCHIVED:  # the log of an archived campaign takes no entries
        log_change(campaign, by, "changed the state", about[0], **about[1])
    Campaign.objects.filter(pk=campaign.pk).update(state=state)
    if state != ARCHIVED:
        log_change(campaign, by, "changed the state", about[0], **about[1])
    campaign.state = state


@transaction.atomic
def change_schedule(campaign: Campaign, by: User | None = None, **fields: Any) -> None:
    """Change dates and rules of submission: fields of SCHEDULE_FIELDS. Nothing is logged without a change."""
    stored = Campaign.objects.select_for_update().get(pk=campaign.pk)
    changes = {
        name: {"was": getattr(stored, name), "is": value}
        for name, value in fields.items()
        if getattr(stored, name) != value
    }
    if not changes:
        return
    for name, value in fields.items():
        setattr(campaign, name, value)
    campaign.save(update_fields=list(fields))
    log_change(campaign, by, "changed the dates", _sentence(campaign, changes), **changes)


def _sentence(campaign: Campaign, changes: Mapping[str, Mapping[str, Any]]) -> str:
    def shown(value: Any) -> str:
        return shown_time(value, campaign.time_zone) if isinstance(value, datetime) else f"{value}"

    return ", ".join(
        f"{name} from {shown(pair['was'])} to {shown(pair['is'])}" for name, pair in changes.items()
    )
