"""What this package adds to queues, cards, releases, checks and the navigation of the core."""

from __future__ import annotations

from assess.near_duplicates.queries.cards import parts_beside
from assess.near_duplicates.queries.classes import withheld_members, withheld_near_duplicate
from assess.near_duplicates.queries.integrity import propagation_faults
from assess.near_duplicates.queries.propagation import has_frozen_classes, propagate
from assess.queries.extensions import (
    NavigationPage,
    Propagator,
    card_parts,
    integrity_checks,
    navigation_pages,
    propagators,
)
from assess.queries.withheld import Withholding, withholding
from pooling.integrity import Check
from pooling.models import Role

PAGE = NavigationPage(
    "Near duplicates",
    "assess:near_duplicates",
    frozenset({Role.ORGANISER}),
    ("judging/near-duplicates",),
    group="Documents",
)


def register() -> None:
    navigation_pages["Judge"].append(PAGE)
    withholding.append(Withholding(withheld_near_duplicate, withheld_members))
    card_parts.append(parts_beside)
    propagators.append(Propagator(has_frozen_classes, propagate))
    integrity_checks.append(Check("propagated labels", propagation_faults))
