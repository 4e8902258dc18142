"""What this package adds to the navigation and the checks of the core, and to what is done every minute."""

from __future__ import annotations

from assess.active_learning.queries.integrity import collection_faults
from assess.active_learning.services.reviews import start_ready_batches
from assess.queries.extensions import NavigationPage, every_minute, integrity_checks, navigation_pages
from pooling.integrity import Check
from pooling.models import Role

PAGE = NavigationPage(
    "High recall",
    "assess:review_list",
    frozenset({Role.ORGANISER}),
    ("judging/high-recall",),
    group="Documents",
)


def register() -> None:
    navigation_pages["Judge"].append(PAGE)
    every_minute.append(start_ready_batches)
    integrity_checks.append(Check("collections of reviews", collection_faults))
