"""Participants from before groups were required get one of their own when the database is migrated."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import AbstractBaseUser
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import StateApps
from django.utils import timezone

BEFORE = [("pooling", "0005_job"), ("accounts", "0002_sign_in_and_sessions")]


def migrate(targets: list[tuple[str, str]]) -> StateApps:
    executor = MigrationExecutor(connection)
    return executor.migrate(targets).apps


@pytest.fixture
def old_apps(transactional_db: None) -> Iterator[StateApps]:
    latest = MigrationExecutor(connection).loader.graph.leaf_nodes()
    migrate(BEFORE)
    # The state of one app's target names no model of the apps that depend on it.
    yield MigrationExecutor(connection).loader.project_state(BEFORE).apps
    migrate(latest)


def make_user(apps: StateApps, name: str) -> AbstractBaseUser:
    user: AbstractBaseUser = apps.get_model("accounts", "User").objects.create(username=name)
    return user


@pytest.mark.slow
def test_a_participant_without_a_group_gets_one_that_nobody_else_has(old_apps: StateApps) -> None:
    campaign = old_apps.get_model("pooling", "Campaign").objects.create(
        name="Old", slug="old", scale=[], threshold=1
    )
    invitation = campaign.invitations.create(role="reader", token_hash="0", expires_at=timezone.now())
    members = {"eve": "", "frank": "eve", "okapi": "", "rita": ""}
    for name, group in members.items():
        role = "reader" if name == "rita" else "participant"
        campaign.memberships.create(user=make_user(old_apps, name), role=role, group=group)
    latest = MigrationExecutor(connection).loader.graph.leaf_nodes()
    migrate(latest)
    rows = old_apps.get_model("pooling", "Membership").objects.values_list("user__username", "group")
    assert dict(rows) == {"eve": "eve-2", "frank": "eve", "okapi": "okapi", "rita": ""}
    new_apps = MigrationExecutor(connection).loader.project_state().apps
    dated = new_apps.get_model("pooling", "Invitation").objects.get(pk=invitation.pk)
    assert dated.expires_at - dated.created_at == timedelta(days=14)
