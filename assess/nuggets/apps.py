"""What this package adds to pages and refusals of the core, the integrity check and the demonstration."""

from __future__ import annotations

from assess.nuggets.queries.banks import why_not_deleted
from assess.nuggets.queries.integrity import CHECKS
from assess.nuggets.services.banks import delete_banks
from assess.queries.extensions import before_deletion, deletion_obstacles, integrity_checks


def register() -> None:
    deletion_obstacles.append(why_not_deleted)
    before_deletion.append(delete_banks)
    integrity_checks.extend(CHECKS)
