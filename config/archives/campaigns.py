"""One campaign, on its way from one server to another."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Model
from django.utils import timezone

from accounts.models import User
from config.archives.installation import add_stored, check_version, keep
from config.archives.rows import instance_of, lines_of, steps
from config.archives.tables import campaign_models, files_of, label_of, links_of, rows_in, version
from config.archives.zipped import Archive, BadArchive, opened, written
from pooling.models import Campaign
from pooling.queries import snapshot
from pooling.services import note

KIND = "campaign"
PEOPLE = label_of(User)
Numbers = dict[type[Model], dict[Any, Any]]
"""model -> number there -> number here."""


class Arrived(NamedTuple):
    """What became of an archive. people: name there -> (name here, whether the account is new)."""

    campaign: Campaign
    people: dict[str, tuple[str, bool]]


def export_campaign(campaign: Campaign, path: Path) -> dict[str, Any]:
    """Write a campaign as of one moment, with its files; return the manifest.

    Of people it holds the names alone: no password, no address, no token. Raises BadArchive where the path is
    taken.
    """
    with written(path) as archive, snapshot():
        people: set[int] = set()
        lost = []
        for model in campaign_models():
            rows = rows_in(model, campaign)
            archive.add_table(label_of(model), lines_of(rows))
            for name in files_of(rows):
                lost += add_stored(archive, name)
            for field, target in links_of(model):
                if target is User:
                    people |= set(rows.order_by().values_list(field.attname, flat=True).distinct())
        archive.add_table(PEOPLE, _people_lines(people))
        about = {"kind": KIND, "slug": campaign.slug, "made_at": timezone.now().isoformat(), **version()}
        return archive.finish(about | {"lost": lost})


def _people_lines(people: set[int]) -> Iterator[str]:
    for user in User.objects.filter(pk__in=people).order_by("pk"):
        told = {"id": user.pk, "username": user.username, "name": user.name, "is_active": user.is_active}
        yield json.dumps(told, ensure_ascii=False)


def people_map(path: Path) -> dict[str, str]:
    """Read a CSV with the columns `there` and `here`: sign-in names. Raises BadArchive."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = csv.DictReader(file)
        if not {"there", "here"} <= set(rows.fieldnames or ()):
            raise BadArchive(f"{path}: expected the columns there and here, found {rows.fieldnames}")
        return {row["there"]: row["here"] for row in rows}


def import_campaign(path: Path, people: Mapping[str, str], slug: str = "") -> Arrived:
    """Add a campaign from another server. Every row gets a new number; names decide who is who.

    people: sign-in name there -> here, where they differ. Who is not here gets an account without a password,
    which signs in nobody until it is given one. slug: another short name for it here. Raises BadArchive for a
    damaged archive, one of another version, names that do not fit, and what is here already.
    """
    with opened(path, KIND) as archive:
        check_version(archive)
        slug = slug or archive.manifest["slug"]
        if Campaign.objects.filter(slug=slug).exists():
            raise BadArchive(f"There is a campaign {slug} here already; expected another short name")
        try:
            with transaction.atomic():
                found = _people(archive, people)
                numbers: Numbers = {User: {there: user.pk for there, (user, _) in found.items()}}
                for model in campaign_models():
                    numbers[model] = dict(_added(archive, model, numbers, slug))
                campaign = Campaign.objects.get(slug=slug)
                made = archive.manifest["made_at"]
                note(campaign, None, "brought the campaign", f"from another server, as of {made}")
                for name in archive.files:
                    keep(archive, name)
        except IntegrityError as error:
            raise BadArchive(f"something of this campaign is here already: {error}") from error
        names = {row["id"]: row["username"] for row in archive.rows(PEOPLE)}
        return Arrived(campaign, {names[pk]: (user.username, new) for pk, (user, new) in found.items()})


def _people(archive: Archive, people: Mapping[str, str]) -> dict[int, tuple[User, bool]]:
    """Return number there -> the person here, and whether they are new."""
    rows = list(archive.rows(PEOPLE))
    if unknown := people.keys() - {row["username"] for row in rows}:
        raise BadArchive(f"expected names of people in the archive, found {min(unknown)}")
    here = {row["id"]: people.get(row["username"], row["username"]) for row in rows}
    if twice := [name for name in here.values() if list(here.values()).count(name) > 1]:
        raise BadArchive(f"two people of the archive cannot both be {twice[0]}")
    found = {}
    for row in rows:
        user = User.objects.filter(username=here[row["id"]]).first()
        new = user is None
        if user is None:
            user = User(username=here[row["id"]], name=row["name"], is_active=row["is_active"])
            user.set_unusable_password()
            user.save()
        found[row["id"]] = user, new
    return found


def _added(archive: Archive, model: type[Model], numbers: Numbers, slug: str) -> Iterator[tuple[Any, Any]]:
    """Store the rows of a table; yield number there and here of each."""
    key = model._meta.pk
    assert key is not None
    if label_of(model) not in archive.tables:
        raise BadArchive(f"expected a table {label_of(model)}")
    for step in steps(model, (instance_of(model, row) for row in archive.rows(label_of(model)))):
        there = [row.pk for row in step]
        for row in step:
            for field, target in links_of(model):
                number = getattr(row, field.attname)
                setattr(row, field.attname, None if number is None else numbers[target][number])
            if not key.remote_field:
                row.pk = None
            if isinstance(row, Campaign):
                row.slug = slug
        model._base_manager.bulk_create(step)
        yield from zip(there, (row.pk for row in step), strict=True)
