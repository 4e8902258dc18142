"""Extension points: what feature packages add to the pages, checks and refusals of the core.

The core imports no feature package. `AppConfig.ready` of an app calls `register` in the `apps.py` of each of
its packages, and that fills these lists. A package that is not there adds nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from accounts.models import User
from assess.models import Source
from assess.queries.campaign_reads import CampaignReads
from assess.release.machine_use import MachineUse
from assess.release.plan import ReleasePlan
from pooling.integrity import Check
from pooling.models import Campaign, Run


class PagePart(NamedTuple):
    """A part of a page. context: for the template, beside the context of the page."""

    template: str
    context: Mapping[str, Any] = {}


page_parts: defaultdict[str, list[Callable[[User, Campaign], PagePart | None]]] = defaultdict(list)
"""Place in a page -> functions that return its parts for a person and a campaign, or None for no part."""

integrity_checks: list[Check] = []
"""Checks of `manage.py audit`."""

deletion_obstacles: list[Callable[[Campaign], str]] = []
"""Functions that return why a campaign cannot be deleted; "" if it can."""

before_deletion: list[Callable[[Campaign], object]] = []
"""Functions that delete rows that protect others, in the transaction that deletes their campaign."""

replacement_obstacles: list[Callable[[Run], str]] = []
"""Functions that return why a run cannot be replaced; "" if it can."""

restoration_obstacles: list[Callable[[Source], str]] = []
"""Functions that return why the labels of a withdrawn source cannot count again; "" if they can."""

use_verdicts: list[Callable[[CampaignReads, Source, ReleasePlan], MachineUse | None]] = []
"""Functions that return what is known of the use that a release makes of a machine judge, or None."""

demonstrations: list[Callable[[Campaign, User, tuple[Run, Run]], object]] = []
"""Functions that add to the demonstration campaign, as its organiser, with two runs that differ."""


def parts_at(place: str, user: User, campaign: Campaign) -> list[PagePart]:
    """Return the parts that feature packages add at a place in a page."""
    return [part for part_of in page_parts[place] if (part := part_of(user, campaign))]
