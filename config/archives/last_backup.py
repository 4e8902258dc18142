"""What is known of the last backup that was made with this data folder, for `jurypool upgrade-check`."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings

KEYS = ("made_at", "software", "database")


class Backup(NamedTuple):
    """A backup. database: the last migration of each app, as in the manifest of the archive."""

    file: Path
    made_at: datetime
    software: str
    database: dict[str, str]


def record_backup(file: Path, manifest: dict[str, Any]) -> None:
    """Store where the archive with this manifest was written."""
    about = {"file": str(file.resolve())} | {key: manifest[key] for key in KEYS}
    _record().write_text(json.dumps(about))


def last_backup() -> Backup | None:
    """Return the last backup; None if none is recorded, or its archive is no longer there."""
    if not _record().exists():
        return None
    about = json.loads(_record().read_text())
    file = Path(about["file"])
    if not file.exists():
        return None
    return Backup(file, datetime.fromisoformat(about["made_at"]), about["software"], about["database"])


def _record() -> Path:
    return Path(settings.DATA_DIR) / "last-backup.json"
