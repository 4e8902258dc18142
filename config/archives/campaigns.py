"""Export one campaign to an archive, and import it on another server."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Model
from django.utils import timezone

from accounts.models import User
from assess.models import AdjudicationEvent
from config.archives.checks import CLONE_HINT, check_rows, is_stored_run
from config.archives.installation import STORAGE_ERRORS, add_stored, check_version, store_file
from config.archives.rows import batches, instance_of, json_lines_of
from config.archives.tables import (
    campaign_models,
    files_of,
    label_of,
    links_of,
    rows_in,
    software_version,
    too_large,
)
from config.archives.zip_file import Archive, BadArchive, create_archive, open_archive
from metrics.queries.integrity import every_fault
from pooling.models import Campaign
from pooling.queries.snapshots import snapshot
from pooling.services.audit_log import append_entry

KIND = "campaign"
PEOPLE_TABLE = label_of(User)
PERSON_FIELDS = {"id": int, "username": str, "name": str, "is_active": bool}  # of each of them
SLUG = r"[-a-zA-Z0-9_]{1,60}"
FAULTS_SHOWN = 3
Numbers = dict[type[Model], dict[Any, Any]]
"""model -> number in the archive -> number here."""


class ImportedCampaign(NamedTuple):
    """What became of an archive.

    people: name there -> (name here, whether the account is new). checked_counts: check -> the number of
    items that it examined.
    """

    campaign: Campaign
    people: dict[str, tuple[str, bool]]
    checked_counts: dict[str, int]


def export_campaign(campaign: Campaign, path: Path) -> dict[str, Any]:
    """Write a campaign as of one moment, with its files; return the manifest.

    Of people it holds the names alone: no password, no address, no token. Background jobs are left out, and
    files of rows that say that they are too large; those stand under "left_out" in the manifest.
    Raises BadArchive where the path is taken.
    """
    with create_archive(path) as archive, snapshot():
        people: set[int] = set()
        missing_files, left_out = [], []
        for model in campaign_models():
            rows = rows_in(model, campaign)
            large = too_large(rows)
            left_out += [{"row": row, "bytes": size} for row, size in large.values()]
            archive.add_table(label_of(model), json_lines_of(rows, large))
            for name in files_of(rows.exclude(pk__in=large)):
                missing_files += add_stored(archive, name)
            for field, target in links_of(model):
                if target is User:
                    people |= set(rows.order_by().values_list(field.attname, flat=True).distinct())
        archive.add_table(PEOPLE_TABLE, _people_lines(people))
        about = {
            "kind": KIND,
            "slug": campaign.slug,
            "made_at": timezone.now().isoformat(),
            **software_version(),
        }
        return archive.finish(about | {"lost": missing_files, "left_out": left_out})


def _people_lines(people: set[int]) -> Iterator[str]:
    for user in User.objects.filter(pk__in=people).order_by("pk"):
        person = {"id": user.pk, "username": user.username, "name": user.name, "is_active": user.is_active}
        yield json.dumps(person, ensure_ascii=False)


def read_people_map(path: Path) -> dict[str, str]:
    """Read a CSV with the columns `there` and `here`: sign-in names. Raises BadArchive."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            rows, names = list(reader), reader.fieldnames or ()
    except (csv.Error, ValueError) as error:
        raise BadArchive(f"{path}: expected CSV in UTF-8 ({error})") from error
    if not {"there", "here"} <= {*names}:
        raise BadArchive(f"{path}: expected the columns there and here, found {names!r:.200}")
    if wrong := [row for row in rows if not (row["there"] and row["here"])]:
        raise BadArchive(f"{path}: expected two names in every row, found {wrong[0]!r:.200}")
    return {row["there"]: row["here"] for row in rows}


def import_campaign(path: Path, people: Mapping[str, str], slug: str = "") -> ImportedCampaign:
    """Add a campaign from another server. Every row gets a new number; names decide who is who.

    people: sign-in name there -> here, where they differ. Who is not here gets an account without a password,
    which cannot sign in until it is given one. slug: another short name for it here. Raises BadArchive for a
    damaged archive, one of another version, rows or names that do not fit, what is here already, and a
    campaign with faults. No row is stored then; files, whose names are their checksums, may be.
    """
    with open_archive(path, KIND) as archive:
        check_version(archive)
        made_at = archive.manifest.get("made_at")
        slug = slug or str(archive.manifest.get("slug"))
        if not (re.fullmatch(SLUG, slug) and isinstance(made_at, str)):
            shown = f"{slug!r:.80}, {made_at!r:.80}"
            raise BadArchive(f"expected a short name and a time in the manifest, found {shown}")
        if Campaign.objects.filter(slug=slug).exists():
            raise BadArchive(
                f"There is a campaign {slug} here already; expected another short name. {CLONE_HINT}"
            )
        rows = _people_rows(archive)
        here = _names_here(rows, people)
        try:
            for name in check_rows(archive, {User: set(here)}):
                if not is_stored_run(name):
                    store_file(archive, name)
            with transaction.atomic():
                users = {row["id"]: _account(row, here[row["id"]]) for row in rows}
                campaign = _stored(archive, {there: user.pk for there, (user, _) in users.items()}, slug)
                text = f"from another server, as of {made_at}"
                append_entry(campaign, None, "imported the campaign", text, {})
                checked_counts = _audited(campaign)
        except BadArchive:
            raise
        except IntegrityError as error:
            raise BadArchive(f"something of this campaign is here already ({error}). {CLONE_HINT}") from error
        except STORAGE_ERRORS as error:
            raise BadArchive(f"something in the archive cannot be stored: {error}") from error
        accounts = {row["username"]: (users[row["id"]][0].username, users[row["id"]][1]) for row in rows}
        return ImportedCampaign(campaign, accounts, checked_counts)


def _people_rows(archive: Archive) -> list[dict[str, Any]]:
    if PEOPLE_TABLE not in archive.tables:
        raise BadArchive(f"expected a table {PEOPLE_TABLE}")
    rows = list(archive.rows(PEOPLE_TABLE))
    for row in rows:
        if {name: type(value) for name, value in row.items()} != PERSON_FIELDS:
            raise BadArchive(
                f"{PEOPLE_TABLE}: expected {', '.join(PERSON_FIELDS)} of every person, found {row!r:.200}"
            )
    return rows


def _names_here(rows: list[dict[str, Any]], people: Mapping[str, str]) -> dict[int, str]:
    """Return number there -> sign-in name here. Raises BadArchive for names that do not fit."""
    if unknown := people.keys() - {row["username"] for row in rows}:
        raise BadArchive(f"expected names of people in the archive, found {min(unknown)}")
    here = {row["id"]: people.get(row["username"], row["username"]) for row in rows}
    if twice := [name for name, count in Counter(here.values()).items() if count > 1]:
        raise BadArchive(f"two people of the archive cannot both be {twice[0]}")
    return here


def _account(row: Mapping[str, Any], username: str) -> tuple[User, bool]:
    """Return the account of a person here, and whether it is new."""
    if user := User.objects.filter(username=username).first():
        return user, False
    user = User(username=username, name=row["name"], is_active=row["is_active"])
    user.set_unusable_password()
    user.save()
    return user, True


def _stored(archive: Archive, people: dict[Any, Any], slug: str) -> Campaign:
    """Store the rows of an archive that was checked."""
    numbers: Numbers = {User: people}
    for model in campaign_models():
        numbers[model] = dict(_added(archive, model, numbers, slug))
    return Campaign.objects.get(slug=slug)


def _added(archive: Archive, model: type[Model], numbers: Numbers, slug: str) -> Iterator[tuple[Any, Any]]:
    """Store the rows of a table; yield number there and here of each."""
    key = model._meta.pk
    assert key is not None
    for step in batches(model, (instance_of(model, row) for row in archive.rows(label_of(model)))):
        there = [row.pk for row in step]
        for row in step:
            for field, target in links_of(model):
                setattr(row, field.attname, numbers[target].get(getattr(row, field.attname)))
            if not key.remote_field:
                row.pk = None
            if isinstance(row, Campaign):
                row.slug = slug
            if isinstance(row, AdjudicationEvent):
                row.last_label = None  # a key there; without it the time of the labels decides
        model._base_manager.bulk_create(step)
        yield from zip(there, (row.pk for row in step), strict=True)


def _audited(campaign: Campaign) -> dict[str, int]:
    """Run the integrity check; return how many things were looked at. Raises BadArchive for faults."""
    checked_counts: dict[str, int] = {}
    try:
        faults = [fault for fault in every_fault(campaign, checked_counts) if not fault.note]
    except Exception as error:  # a column of JSON may hold anything; the cause is in the traceback
        reason = f"{type(error).__name__}: {error!s:.300}"
        raise BadArchive(f"the integrity check cannot read the campaign in the archive ({reason})") from error
    if faults:
        shown = "; ".join(map(str, faults[:FAULTS_SHOWN]))
        raise BadArchive(f"the campaign in the archive has {len(faults):,} faults: {shown:.1000}")
    return checked_counts
