"""Django's commands: `python manage.py` in a checkout, `jurypool manage` where the package is installed."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from django.core.management import execute_from_command_line
from django.db import DatabaseError


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a management command. arguments: without the program's name; those of the process by default."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        execute_from_command_line([sys.argv[0], *words])
    except DatabaseError:
        if "migrate" in words:
            raise
        from config.operations.health import migrations_are_applied

        try:
            migrations_are_applied()
        except LookupError:
            from pooling.queries.installation import describe_installation

            sys.exit(
                f"The database has not the tables of this version ({describe_installation()})."
                " First run: python manage.py migrate"
            )
        raise


if __name__ == "__main__":
    main()
