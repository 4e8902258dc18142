"""What this package adds to pages of the core, and what it takes from runs that are submitted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models.signals import post_save

from assess.queries.extensions import NavigationPage, navigation_pages
from metrics.queries.leaderboard import figure_columns
from metrics.system_quality.services import take_header_figures
from pooling.models import Role

if TYPE_CHECKING:
    from metrics.leaderboard import FigureColumn
    from pooling.models import Run

PAGE = NavigationPage(
    "System quality",
    "metrics:system_quality",
    frozenset({Role.ORGANISER, Role.ADJUDICATOR, Role.READER, Role.PARTICIPANT}),
    ("scores/system-quality",),
)


def take_figures(instance: Run, created: bool, raw: bool = False, **_: Any) -> None:
    """Take the figures of the header of a new run, once the run is committed; it is stored in any case."""
    if created and not raw:
        transaction.on_commit(lambda: take_header_figures(instance), robust=True)


def columns_of(runs: Sequence[Run]) -> Sequence[FigureColumn]:
    from metrics.system_quality.queries import leaderboard_columns

    return leaderboard_columns(runs)


def register() -> None:
    figure_columns.append(columns_of)
    navigation_pages["Results"].append(PAGE)
    post_save.connect(take_figures, sender="pooling.Run", dispatch_uid="metrics.system_quality.take_figures")
