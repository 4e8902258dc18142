from __future__ import annotations

import os
from typing import Any

import pytest
from django.conf import settings
from django.db import connection


@pytest.mark.django_db(transaction=True)
def test_the_database_is_the_one_that_was_asked_for_and_keeps_what_it_acknowledged() -> None:
    if os.environ.get("DATABASE_URL"):
        assert connection.vendor == "postgresql"
        return
    with connection.cursor() as cursor:
        pragmas = {
            name: cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")
        }
    assert pragmas == {"journal_mode": "wal", "synchronous": 2}  # 2 is FULL
    options: Any = settings.DATABASES["default"]["OPTIONS"]
    assert (options["transaction_mode"], options["timeout"]) == ("IMMEDIATE", 20)


def test_the_policy_allows_no_inline_script_or_style() -> None:
    directives: Any = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    assert directives["script-src"] == directives["style-src"] == ["'self'"]
    assert "unsafe" not in str(directives)
