"""`jurypool upgrade-check`: what the next start of this version would do to the data. It writes nothing."""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import django
from django.conf import settings
from django.core.checks import ERROR, run_checks
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from config.data_folder import CHECKOUT, usual_data_folder
from pooling.version import VERSION

RECENT = timedelta(days=1)  # an older backup does not count before an upgrade
START = "start Jurypool; it applies the migrations first"


Kind: TypeAlias = Literal["ok", "note", "FAULT"]


class Finding(NamedTuple):
    """A line of the report. A fault makes an upgrade unsafe; a note does not."""

    kind: Kind
    text: str


class State(NamedTuple):
    """The migrations of the database: not applied, in order; of a newer version; the last one of each app.

    is_empty: there is no account and no campaign, so `backup` has nothing to write.
    """

    pending: list[str]
    unknown: list[str]
    last: dict[str, str]
    is_empty: bool


def main(arguments: Sequence[str], program: str = "jurypool upgrade-check") -> int:
    """Print the report; return 0 if an upgrade is safe now, 1 if it is not."""
    parser = argparse.ArgumentParser(program, description="Say whether this version can take over the data.")
    parser.add_argument("--data", type=Path, help="the folder of the data")
    if folder := parser.parse_args(arguments).data:
        os.environ["JURYPOOL_DATA"] = str(folder.absolute())
    data = Path(os.environ.get("JURYPOOL_DATA") or usual_data_folder())
    if not (data / "secret-key").exists() and not os.environ.get(
        "DATABASE_URL"
    ):  # the settings would make it
        print(f"There are no data in {data}: nothing to upgrade. Next: {START}.")
        return 0
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    return report()


def report() -> int:
    """Print every finding and what to do next; return the exit code."""
    print(f"Jurypool {VERSION}, data in {settings.DATA_DIR}, {connection.display_name}")
    try:
        with closing(connection):
            refuse_writes()
            state = state_of_database()
            findings = [finding for check in CHECKS for finding in check(state)]
    except DatabaseError as error:
        state = State([], [], {}, is_empty=True)
        findings = [Finding("FAULT", f"the database does not answer: {error}")]
    for finding in findings:
        print(f"{finding.kind:<6} {finding.text}")
    is_safe = all(finding.kind != "FAULT" for finding in findings)
    print("\nAn upgrade is safe now." if is_safe else "\nDo not upgrade yet: see each FAULT above.")
    print(f"Next: {next_step(state, is_safe)}.")
    return 0 if is_safe else 1


def refuse_writes() -> None:
    with connection.cursor() as cursor:
        on_sqlite = connection.vendor == "sqlite"
        cursor.execute("PRAGMA query_only = ON" if on_sqlite else "SET default_transaction_read_only = on")


def state_of_database() -> State:
    """Compare the migrations of this version with those that are applied."""
    loader = MigrationLoader(connection)
    graph, applied = loader.graph, set(loader.applied_migrations)
    plan = [key for leaf in graph.leaf_nodes() for key in graph.forwards_plan(leaf)]
    pending = [".".join(key) for key in dict.fromkeys(plan) if key not in applied]
    unknown = applied - set(loader.disk_migrations or {})
    ours = {app for app, _ in graph.leaf_nodes()}
    last = {
        app: max(name for other, name in applied if other == app) for app in ours & {a for a, _ in applied}
    }
    newer = sorted(".".join(key) for key in unknown if key[0] in ours)
    return State(pending, newer, last, is_database_empty())


def is_database_empty() -> bool:
    from accounts.models import User
    from pooling.models import Campaign

    tables = connection.introspection.table_names()
    return not any(model._meta.db_table in tables and model.objects.exists() for model in (User, Campaign))


def check_migrations(state: State) -> Iterator[Finding]:
    if state.unknown:
        names = ", ".join(state.unknown)
        yield Finding("FAULT", f"the data are of a newer version of Jurypool; not known here: {names}")
    if not state.last:
        yield Finding("ok", "the database is empty")
    elif state.pending:
        count = f"{len(state.pending)} migration{'' if len(state.pending) == 1 else 's'}"
        yield Finding("note", f"{count} would be applied: {', '.join(state.pending)}")
    else:
        yield Finding("ok", "every migration is applied; an upgrade changes no table")


def check_space(state: State) -> Iterator[Finding]:
    """A backup needs at most the size of the data, and a migration of SQLite may copy a table."""
    needed, free = size_of_data(), shutil.disk_usage(settings.DATA_DIR).free
    text = f"{free / 1e6:,.0f} MB are free on the disk of the data; a copy needs {needed / 1e6:,.0f} MB"
    yield Finding("ok" if free > 2 * needed else "FAULT", text)


def size_of_data() -> int:
    """Return the bytes of the database, and of the files in the data folder."""
    places = [path for path in Path(settings.DATA_DIR).rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in places)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            size += cursor.fetchone()[0]
    return size


def check_backup(state: State) -> Iterator[Finding]:
    from config.archives.last_backup import last_backup

    if state.is_empty:
        yield Finding("ok", "there is nothing to back up: no account, no campaign")
        return
    backup = last_backup()
    without: Kind = "FAULT" if state.pending else "note"
    if backup is None:
        yield Finding(without, "no backup by `manage backup` is recorded in this data folder")
        return
    hours = (timezone.now() - backup.made_at) / timedelta(hours=1)
    text = f"the last backup is {backup.file}, {hours:.0f} hours old, by {backup.software}"
    if any(state.last.get(app) != name for app, name in backup.database.items()):
        yield Finding(without, f"{text}; it is of another state of the tables")
    else:
        is_recent = hours <= RECENT / timedelta(hours=1)
        yield Finding("ok" if is_recent else without, text)


def check_settings(state: State) -> Iterator[Finding]:
    messages = run_checks(include_deployment_checks=True)
    errors = [str(message.msg) for message in messages if message.level >= ERROR]
    yield from (Finding("FAULT", f"settings: {error}") for error in errors)
    if warnings := sorted(str(message.id) for message in messages if message.level < ERROR):
        hint = "they concern sites that others reach; explained by `manage check --deploy`"
        yield Finding("note", f"settings: {', '.join(warnings)} ({hint})")
    elif not errors:
        yield Finding("ok", "settings: `check --deploy` has no remarks")


def check_integrity(state: State) -> Iterator[Finding]:
    """Check the file of SQLite; and the data, as far as this version can read the tables."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            result = cursor.execute("PRAGMA quick_check(1)").fetchone()[0]
            orphans = len(cursor.execute("PRAGMA foreign_key_check").fetchall())
        is_whole = result == "ok" and not orphans
        text = (
            "the file of the database is intact"
            if is_whole
            else f"{result}; {orphans} rows without their parent"
        )
        yield Finding("ok" if is_whole else "FAULT", text)
    if state.pending or state.unknown:
        yield Finding("note", "labels, releases and scores: run `manage audit --all` with the version in use")
        return
    yield from check_campaigns()


def check_campaigns() -> Iterator[Finding]:
    from metrics.queries.integrity import every_fault
    from pooling.models import Campaign

    for campaign in Campaign.objects.order_by("slug"):
        faults = sum(not fault.note for fault in every_fault(campaign, {}))
        advice = f"; run `manage audit {campaign.slug}`" if faults else ""
        text = f"campaign {campaign.slug}: {faults:,} faults in labels, releases and scores{advice}"
        yield Finding("FAULT" if faults else "ok", text)


CHECKS: tuple[Callable[[State], Iterator[Finding]], ...] = (
    check_migrations,
    check_space,
    check_backup,
    check_settings,
    check_integrity,
)


def next_step(state: State, is_safe: bool) -> str:
    """Return the command of the next step. `backup` reads the tables of its own version only."""
    if state.unknown:
        return "install the version of Jurypool that the data were last used with, or a newer one"
    if state.is_empty or (state.pending and is_safe):  # there is nothing to lose, or a backup of it
        return START
    manage = "python manage.py" if CHECKOUT else "jurypool manage"
    if not state.pending:
        return f"`{manage} backup before-the-upgrade.zip`, then {START}"
    folder = Path(settings.DATA_DIR)
    copy = f"`cp -a {folder} {folder.with_name(folder.name + '-before-' + VERSION)}`"
    if connection.vendor == "postgresql":
        copy = f'`pg_dump --format=custom --file=before-{VERSION}.dump "$DATABASE_URL"` and {copy}'
    return f"stop Jurypool, make a backup with the version in use, or copy the data: {copy}; then {START}"
