from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from django.db import transaction

from accounts.models import User
from pooling.models import Campaign, Membership, Role
from pooling.services.audit_log import log_change


@transaction.atomic
def change_rates(
    campaign: Campaign,
    rate: Decimal | None,
    currency: str,
    own_rates: Mapping[int, Decimal | None],
    by: User | None = None,
) -> None:
    """Set the hourly rate of a campaign, its currency, and the own rates of judges.

    own_rates: membership -> hourly rate of this judge; None for the rate of the campaign.
    """
    campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
    changes = []
    for field, name, value in (("hourly_rate", "rate per hour", rate), ("currency", "currency", currency)):
        before = getattr(campaign, field)
        if before != value:
            changes.append(f"{name} from {_shown(before)} to {_shown(value)}")
            setattr(campaign, field, value)
    campaign.save(update_fields=["hourly_rate", "currency"])
    judges = campaign.memberships.filter(role=Role.JUDGE, pk__in=own_rates).select_related("user")
    for membership in judges:
        changes += _set_own_rate(membership, own_rates[membership.pk])
    if changes:
        log_change(campaign, by, "changed the rates", ", ".join(changes), changes=changes)


def _set_own_rate(membership: Membership, rate: Decimal | None) -> list[str]:
    """Set the rate of one judge; return what changed, in words."""
    before = membership.hourly_rate
    if before == rate:
        return []
    membership.hourly_rate = rate
    membership.save(update_fields=["hourly_rate"])
    return [f"rate of {membership.user.username} from {_shown(before)} to {_shown(rate)}"]


def _shown(value: Decimal | str | None) -> str:
    return f"{value:.2f}" if isinstance(value, Decimal) else value or "none"
