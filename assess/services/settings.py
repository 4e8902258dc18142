from __future__ import annotations

from typing import Any

from django.db import transaction

from accounts.models import User
from assess.queries.labels import judgments_with_machines
from pooling.models import Campaign
from pooling.refusals import Refused
from pooling.scale import Grade, scale_to_json
from pooling.services.trail import note

VERBS = {"changed the scale": ("scale", "threshold"), "changed the visibility": ("visibility",)}
SHORT = {"threshold", "visibility", "collection_size", "run_depth"}  # a sentence has room for these


class ScaleLocked(Refused):
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
    if kept != wanted and judgments_with_machines(campaign).exists():
        raise ScaleLocked("Judgments stand on this scale: names and definitions may change, values may not.")
    changed: dict[str, Any] = {"scale": scale_to_json(grades), "threshold": threshold, **fields}
    before = {field: getattr(campaign, field) for field in changed}
    for field, value in changed.items():
        setattr(campaign, field, value)
    campaign.save()
    differ = {field: {"was": before[field], "is": changed[field]} for field in changed}
    differ = {field: pair for field, pair in differ.items() if pair["was"] != pair["is"]}
    for verb, named in VERBS.items():
        if told := {field: differ.pop(field) for field in named if field in differ}:
            _note(campaign, by, verb, told)
    if differ:
        _note(campaign, by, "changed settings", differ)


def _note(campaign: Campaign, by: User | None, verb: str, changes: dict[str, Any]) -> None:
    shown = {f: f"{f} from {pair['was']} to {pair['is']}" for f, pair in changes.items() if f in SHORT}
    note(campaign, by, verb, ", ".join(shown.get(field, field) for field in changes), **changes)
