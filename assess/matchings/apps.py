"""What this package adds to pages and refusals of the core, the integrity check and the demonstration."""

from __future__ import annotations

from assess.matchings.queries.integrity import CHECKS
from assess.matchings.queries.tasks import why_not_deleted
from assess.matchings.services import delete_matchings
from assess.queries.extensions import before_deletion, deletion_obstacles, integrity_checks


def register() -> None:
    deletion_obstacles.append(why_not_deleted)
    before_deletion.insert(0, delete_matchings)  # before nuggets: a matching protects its bank
    integrity_checks.extend(CHECKS)
