"""Squashed migrations: an empty database uses them, an older one the migrations that they replace."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from config.archives.tables import APPS, software_version

Key = tuple[str, str]


class UnsquashedLoader(MigrationLoader):
    """The migrations without the squashed ones."""

    def load_disk(self) -> None:
        super().load_disk()
        migrations = (self.disk_migrations or {}).items()
        self.disk_migrations = {key: migration for key, migration in migrations if not migration.replaces}


def whole_plan(loader: MigrationLoader) -> list[Key]:
    keys = [key for leaf in loader.graph.leaf_nodes() for key in loader.graph.forwards_plan(leaf)]
    return list(dict.fromkeys(keys))


def states() -> Iterator[set[Key]]:
    """Yield the migrations of older databases: each step of an upgrade, and each app at an earlier one."""
    loader = UnsquashedLoader(None)
    plan = whole_plan(loader)
    parents = {key: {parent.key for parent in loader.graph.node_map[key].parents} for key in plan}
    yield from (set(plan[:end]) for end in range(len(plan) + 1))
    for app in APPS:
        for end in (number for number, key in enumerate(plan) if key[0] == app):
            late = {plan[end]}
            for key in plan[end + 1 :]:  # what depends on a missing migration is missing
                late |= {key} if parents[key] & late else set()
            yield set(plan) - late


@pytest.mark.django_db
def test_a_database_of_every_older_state_can_be_upgraded(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = set(whole_plan(UnsquashedLoader(None)))
    loader = MigrationLoader(connection)
    monkeypatch.setattr(loader, "load_disk", lambda: None)  # it is loaded, and each time takes long
    for applied in states():
        rows = dict.fromkeys(applied)
        monkeypatch.setattr(MigrationRecorder, "applied_migrations", lambda self, rows=rows: dict(rows))
        loader.build_graph()  # raises an exception for a circle
        loader.check_consistent_history(connection)
        missing: set[Key] = set()
        for key in whole_plan(loader):
            if key not in loader.applied_migrations:
                missing |= set(loader.graph.nodes[key].replaces or [key])
        assert applied | missing == everything and not applied & missing


def test_squashed_migrations_make_the_models_that_the_replaced_ones_make() -> None:
    squashed = MigrationLoader(None)
    assert any(squashed.graph.nodes[key].replaces for key in squashed.graph.nodes)
    assert squashed.project_state() == UnsquashedLoader(None).project_state()


@pytest.mark.django_db
def test_an_archive_names_its_state_by_the_replaced_migrations() -> None:
    """So that an archive of this version is of the same state as one made before they were squashed."""
    leaves = {app: name for app, name in UnsquashedLoader(None).graph.leaf_nodes() if app in APPS}
    assert software_version()["database"] == leaves


SCHEMA = {
    "sqlite": "SELECT tbl_name, type, name, sql FROM sqlite_master WHERE sql IS NOT NULL",
    "postgresql": """
        SELECT table_name, 'column', column_name, concat_ws(' ', data_type, character_maximum_length,
            numeric_precision, numeric_scale, is_nullable, column_default, is_identity)
        FROM information_schema.columns WHERE table_schema = 'public'
        UNION SELECT conrelid::regclass::text, 'constraint', conname, pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace
        UNION SELECT tablename, 'index', indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
    """,
}


def schema() -> set[tuple[str, ...]]:
    """Return (table, kind, name, definition) of each column, constraint and index.

    Columns stand in another order in an older database. Indexes of foreign keys and their constraints are
    named by Django; a table that was renamed keeps the names that it had, so they count without their names.
    """
    rows: set[tuple[str, ...]] = set()
    with connection.cursor() as cursor:
        cursor.execute(SCHEMA[connection.vendor])
        for table, kind, name, sql in cursor.fetchall():
            if kind == "table":
                parts = sql[sql.index("(") + 1 : sql.rindex(")")].split(", ")
                rows |= {(table, "part", "", part) for part in parts}
            elif has_name_of_django(name):
                rows.add((table, kind, "", sql.replace(name, "")))
            else:
                rows.add((table, kind, name, sql))
    return rows


def has_name_of_django(name: str) -> bool:
    """Whether a name has a hash, as in assess_label_pooled_id_0a1b2c3d, or an ending of PostgreSQL."""
    return bool(re.search(r"_[0-9a-f]{8}(_|$)|_(pkey|key|check|not_null)$", name))


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_squashed_migrations_make_the_tables_that_the_replaced_ones_make() -> None:
    tables = schema()
    assert len(tables) > 500
    executor = MigrationExecutor(connection)
    executor.migrate([(app, None) for app in reversed(APPS)])
    assert not {row for row in schema() if row[0].startswith(("assess_", "pooling_", "metrics_"))}
    executor = MigrationExecutor(connection)
    executor.loader = UnsquashedLoader(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())
    assert schema() ^ tables == set()
