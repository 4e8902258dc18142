from __future__ import annotations

from typing import Any

from django.db import transaction

from accounts.models import User
from assess import queries
from pooling.models import Campaign
from pooling.scale import Grade, scale_to_json
from pooling.services import note


class ScaleLocked(ValueError):
    """A scale that cannot change any more, because judgments stand on it."""


@transaction.atomic
def change_settings(
    campaign: Campaign,
    grades: tuple[Grade, ...],
    threshold: int,
    by: User | None = None,
    **fields: str | int | None,
) -> None:
    """Change what a campaign says of itself. Raises ScaleLocked when judged grades would change.

    After the first judgment the values, gains and threshold stay; names and definitions may be reworded.
    """
    kept = [(grade.value, grade.gain) for grade in campaign.grades], campaign.threshold
    wanted = [(grade.value, grade.gain) for grade in grades], threshold
    if kept != wanted and queries.judgments_with_machines(campaign).exists():
        raise ScaleLocked("Judgments stand on this scale: names and definitions may change, values may not.")
    changed: dict[str, Any] = {"scale": scale_to_json(grades), "threshold": threshold, **fields}
    before = {field: getattr(campaign, field) for field in changed}
    for field, value in changed.items():
        setattr(campaign, field, value)
    campaign.save()
    differ = {field: {"was": before[field], "is": changed[field]} for field in changed}
    differ = {field: pair for field, pair in differ.items() if pair["was"] != pair["is"]}
    if differ:
        note(campaign, by, "changed settings", ", ".join(differ), **differ)
