#!/usr/bin/env python
"""Jurypool's command line: `python manage.py help`."""

import os
import sys

from django.core.management import execute_from_command_line
from django.db import DatabaseError


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        execute_from_command_line(sys.argv)
    except DatabaseError:
        if "migrate" in sys.argv:
            raise
        from config.operations.health import migrations_are_applied

        try:
            migrations_are_applied()
        except LookupError:
            sys.exit("The database has not the tables of this version. First run: python manage.py migrate")
        raise


if __name__ == "__main__":
    main()
