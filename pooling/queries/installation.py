from __future__ import annotations

from django.conf import settings
from django.db import connection


def describe_installation() -> str:
    """Return the database and the data folder of this process, without a password."""
    about = connection.settings_dict
    name = f"{about['NAME']}"
    if connection.vendor != "sqlite":
        name = f"{connection.display_name} {name} on {about['HOST'] or 'this host'}"
    return f"database {name}, data folder {settings.DATA_DIR}"
