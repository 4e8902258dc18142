"""Nothing changes in an archived campaign, whatever form is sent."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client

from accounts.services import create_token
from pooling.models import Campaign
from tests.assess.test_campaign_states import put, signed_in
from tests.config.test_audit_authors import ACTS, allowed_host, build_campaign, filled_in
from tests.support.factory import Factory
from tests.support.places import place

__all__ = ["allowed_host", "build_campaign"]  # a fixture, and what one asks for


def rows_of_the_database() -> dict[str, list[Any]]:
    """Return all rows but those of sessions and of sign-in."""
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            if table.startswith(("pooling_", "assess_", "metrics_")):
                cursor.execute(f'SELECT * FROM "{table}"')
                found[table] = sorted(map(repr, cursor.fetchall()))
    return found


OTHER_CAMPAIGNS = {"pooling:campaign_new", "assess:campaign_clone"}  # these create another campaign


@pytest.mark.parametrize("name", sorted(ACTS.keys() - OTHER_CAMPAIGNS - {"assess:campaign_state"}))
def test_nobody_changes_an_archived_campaign(name: str, campaign: Campaign, make: Factory) -> None:
    """Every form that changes something, filled in rightly, changes no row."""
    who = make.make_user(ACTS[name].who)
    client = Client(headers={"Authorization": f"Bearer {create_token(who, 'test')}"})
    client.force_login(who)
    address, answers = place(name, campaign, make), filled_in(name, campaign, make)
    put(campaign, "archived")
    before = rows_of_the_database()
    assert client.post(address, answers).status_code in (200, 302, 404, 409)
    assert rows_of_the_database() == before


@pytest.mark.parametrize("name", ["assess:claim", "assess:judge"])
def test_nobody_takes_a_case_or_a_document_of_an_archived_campaign(
    name: str, campaign: Campaign, make: Factory
) -> None:
    address = place(name, campaign, make)
    put(campaign, "archived")
    before = rows_of_the_database()
    for person in ("ada", "alice"):
        signed_in(make, person).post(address)
    assert rows_of_the_database() == before
