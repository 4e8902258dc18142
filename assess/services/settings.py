from __future__ import annotations

from typing import Any

from django.db import transaction

from accounts.models import User
from assess.queries.campaign_reads import CampaignReads
from pooling.models import Campaign
from pooling.refusals import Conflict
from pooling.scale import Grade, scale_to_json
from pooling.services.audit_log import log_change

ACTIONS = {"changed the scale": ("scale", "threshold")}
FIELDS_WITH_VALUES = {
    "threshold",
    "collection_size",
    "run_depth",
    "language",
    "joins_lines",
}  # fields whose values are short enough for the sentence of the audit log


class ScaleLocked(Conflict):
    """The scale cannot change, because judgments use its grades."""


@transaction.atomic
def change_settings(
    campaign: Campaign,
    grades: tuple[Grade, ...],
    threshold: int,
    by: User | None = None,
    **fields: str | int | None,
) -> None:
    """Change the settings of a campaign. Raises ScaleLocked if values, gains or threshold change after the
    first judgment. Names, definitions and examples of grades may always
    change.
    """
    current = [(grade.value, grade.gain) for grade in campaign.grades], campaign.threshold
    wanted = [(grade.value, grade.gain) for grade in grades], threshold
    if current != wanted and CampaignReads(campaign).judgments_of_all().exists():
        raise ScaleLocked(
            "Judgments use this scale, so only names, definitions and examples of grades can change."
        )
    values: dict[str, Any] = {"scale": scale_to_json(grades), "threshold": threshold, **fields}
    before = {field: getattr(campaign, field) for field in values}
    for field, value in values.items():
        setattr(campaign, field, value)
    changes = {
        field: {"was": before[field], "is": value}
        for field, value in values.items()
        if before[field] != value
    }
    if changes:
        campaign.save(update_fields=list(changes))
    for verb, named in ACTIONS.items():
        if own := {field: changes.pop(field) for field in named if field in changes}:
            _note(campaign, by, verb, own)
    if changes:
        _note(campaign, by, "changed settings", changes)


def _note(campaign: Campaign, by: User | None, verb: str, changes: dict[str, Any]) -> None:
    shown = {
        f: f"{f} from {pair['was']} to {pair['is']}" for f, pair in changes.items() if f in FIELDS_WITH_VALUES
    }
    log_change(campaign, by, verb, ", ".join(shown.get(field, field) for field in changes), **changes)
