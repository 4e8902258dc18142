"""A campaign as large as a track, in small: every page answers, and the audit is clean."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.postgres import found, server
from tests.stress.scale import PEOPLE, Scale, scaled
from tests.test_roles import GET


def checked(weighed: Scale) -> None:
    assert weighed.faults == []
    assert "0 faults" in weighed.audit[1]
    seen = {page.name for page in weighed.pages}
    of_members = {name for name, statuses in GET.items() if 200 in statuses and ":" in name}
    left_out = {name for name in of_members - seen if not name.startswith(("accounts:", "admin:", "api:"))}
    assert left_out == set()
    assert {person for page in weighed.pages for person in page.first} == set(PEOPLE)


def test_every_page_of_a_track_answers_on_sqlite(tmp_path: Path) -> None:
    checked(scaled(tmp_path, 0.02, times=1))


def test_every_page_of_a_track_answers_on_postgresql(tmp_path: Path) -> None:
    if not found():
        pytest.skip("no PostgreSQL on this machine")
    with server(durable=True) as postgres:
        checked(scaled(tmp_path, 0.02, postgres.url, times=1))
