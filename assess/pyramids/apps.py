"""What this package adds to the integrity check, to the deletion of campaigns and to the demonstration."""

from __future__ import annotations

from assess.pyramids.queries import CHECKS
from assess.pyramids.services import delete_pyramids
from assess.queries.extensions import before_deletion, integrity_checks


def register() -> None:
    before_deletion.append(delete_pyramids)
    integrity_checks.extend(CHECKS)
