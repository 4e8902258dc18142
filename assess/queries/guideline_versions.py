"""Versions of the guidelines and the scale, from the audit log, and the labels that were given under each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Count, Max, Q

from accounts.models import User
from assess.models import JudgmentEvent, Progress
from pooling.models import AuditLogEntry, Campaign
from pooling.scale import Grade, scale_from_json, scale_to_json

SETTINGS_CHANGED, SCALE_CHANGED = VERBS = ("changed settings", "changed the scale")
ONE_SAVE = timedelta(seconds=5)
FIELDS = ("guidelines", "scale", "threshold")


class GuidelineVersion(NamedTuple):
    """What judges were told from `begins` on, until the next version began. begins: None for the first.

    changed: fields that differ from the version before.
    """

    number: int
    begins: datetime | None
    who: str
    changed: tuple[str, ...]
    guidelines: str
    grades: tuple[Grade, ...]
    threshold: int


def guideline_versions(campaign: Campaign) -> list[GuidelineVersion]:
    """Return every version, oldest first; the last one is in force."""
    entries = campaign.audit_log.filter(verb__in=VERBS).order_by("-number")
    now: dict[str, Any] = {
        "guidelines": campaign.guidelines,
        "scale": scale_to_json(campaign.grades),
        "threshold": campaign.threshold,
    }
    versions: list[tuple[datetime | None, str, tuple[str, ...], dict[str, Any]]] = []
    later: AuditLogEntry | None = None  # the entry that made the version found last
    for entry in entries:
        changed = tuple(field for field in FIELDS if field in entry.details)
        if not changed:
            continue
        if later and _of_one_save(entry, later):
            _, who, others, told = versions.pop()
            versions.append((entry.at, who, (*others, *changed), told))
        else:
            versions.append((entry.at, entry.who, changed, dict(now)))
        later = entry
        now |= {field: entry.details[field]["was"] for field in changed}
    versions.append((None, "", (), now))
    return [
        GuidelineVersion(
            number, at, who, changed, told["guidelines"], scale_from_json(told["scale"]), told["threshold"]
        )
        for number, (at, who, changed, told) in enumerate(reversed(versions), start=1)
    ]


def _of_one_save(entry: AuditLogEntry, later: AuditLogEntry) -> bool:
    """Whether one save wrote both entries: it notes the scale first, then the other settings."""
    in_turn = (entry.verb, later.verb) == (SCALE_CHANGED, SETTINGS_CHANGED)
    return in_turn and later.number == entry.number + 1 and later.at - entry.at < ONE_SAVE


def version_at(versions: Sequence[GuidelineVersion], moment: datetime) -> int:
    """Return the number of the version that was in force at a moment."""
    return 1 + bisect_right([version.begins for version in versions[1:] if version.begins], moment)


def labels_by_version(campaign: Campaign, versions: Sequence[GuidelineVersion]) -> list[int]:
    """Return how many labels people gave on the site under each version, by the time of the press."""
    events = JudgmentEvent.objects.filter(pooled__pool__campaign=campaign).exclude(source="import")
    begins = [version.begins for version in versions[1:] if version.begins]
    since = {f"since_{place}": Count("pk", filter=Q(pressed_at__gte=at)) for place, at in enumerate(begins)}
    counts = events.order_by().aggregate(everything=Count("pk"), **since)
    at_least = [counts["everything"], *(counts[name] for name in since), 0]
    return [now - later for now, later in zip(at_least, at_least[1:], strict=False)]


def version_to_read(campaign: Campaign, judge: User) -> GuidelineVersion | None:
    """Return the version in force if it began after the judge's last label; None otherwise."""
    latest = guideline_versions(campaign)[-1]
    if latest.begins is None:
        return None
    own = Progress.objects.filter(topic__campaign=campaign, judge=judge)
    last = own.aggregate(last=Max("last_at"))["last"]
    return latest if last and last < latest.begins else None
