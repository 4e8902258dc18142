"""Backup and restore, and a campaign on its way to another server."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import Settings

from accounts.models import ApiToken, User
from accounts.services import create_token
from assess.models import JudgmentEvent, QueueEntry, ReleaseFile
from assess.queries.adjudication import changed_in, dispute_in, settled_in
from assess.queries.campaign_reads import CampaignReads
from assess.services.adjudications import Settlement, settle
from assess.services.assignments import assign
from assess.services.releases import release_qrels
from config.archives.campaigns import export_campaign, import_campaign, read_people_map
from config.archives.installation import back_up, restore
from config.archives.tables import campaign_models, stored_models
from config.archives.zip_file import BadArchive
from metrics.models import Score
from metrics.services import score_release
from pooling.models import Campaign, Document, Invitation, Pool, Role, Run
from pooling.services.people import invite
from tests.support.factory import Factory
from tests.support.finished_campaign import make_lived_campaign

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make_lived_campaign(make)
    create_token(make.make_user("carol"), "a script")
    invite(campaign, Role.READER)
    return campaign


def wipe(settings: Settings) -> None:
    """Leave nothing, as on an empty machine."""
    for model in reversed(stored_models()):
        model._base_manager.all()._raw_delete("default")
    shutil.rmtree(settings.MEDIA_ROOT)
    cache.clear()


def assert_clean(*words: str) -> None:
    said = StringIO()
    call_command("audit", *words, stdout=said)
    assert " 0 faults, 0 notes" in said.getvalue()


def tables(path: Path) -> dict[str, list[Any]]:
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.startswith("tables/")]
        return {name: [json.loads(line) for line in archive.read(name).splitlines()] for name in names}


def test_what_is_restored_is_what_was_there(campaign: Campaign, settings: Settings, tmp_path: Path) -> None:
    before = back_up(tmp_path / "one.zip")
    wipe(settings)
    restore(tmp_path / "one.zip")
    after = back_up(tmp_path / "two.zip")
    assert (after["tables"], after["files"]) == (before["tables"], before["files"])
    assert before["tables"]["assess.JudgmentEvent"]["rows"] == 8
    assert len([name for name in before["files"] if name.startswith("runs/")]) == 2
    assert {each.file.name for each in ReleaseFile.objects.all()} <= before["files"].keys()
    assert before["lost"] == []
    assert_clean("--all")
    assert User.objects.get(username="carol").check_password("correct horse battery")


def test_a_restored_campaign_goes_on(
    campaign: Campaign, settings: Settings, tmp_path: Path, make: Factory
) -> None:
    back_up(tmp_path / "one.zip")
    wipe(settings)
    restore(tmp_path / "one.zip")
    campaign = Campaign.objects.get()
    make.make_judgment(campaign, "alice", "1", "D3", 2)
    make.make_run(campaign, "1 D5 1\n1 D1 0", tag="after")
    make.make_pool(campaign)
    score_release(release_qrels(campaign, make.make_user("carol")))
    assert_clean("tiny")


def test_every_table_is_of_a_campaign_or_of_a_person() -> None:
    alone = [model._meta.label for model in stored_models() if model not in campaign_models()]
    assert alone == [
        "accounts.User", "accounts.ApiToken", "accounts.RequestKey", "accounts.ExternalIdentity",
        "pooling.Invitation", "pooling.Job", "assess.Webhook", "assess.InvitedTopics",
        "assess.UnfinishedLoad",
    ]  # fmt: skip


def test_a_backup_takes_no_name_that_is_taken_and_is_for_its_owner_alone(
    campaign: Campaign, tmp_path: Path
) -> None:
    back_up(tmp_path / "one.zip")
    assert (tmp_path / "one.zip").stat().st_mode & 0o777 == 0o600
    with pytest.raises(CommandError, match="exists already"):
        call_command("backup", tmp_path / "one.zip")
    assert [path.name for path in tmp_path.glob("*.zip*")] == ["one.zip"]


def test_a_backup_without_a_lost_file_names_it_and_has_everything_else(
    campaign: Campaign, tmp_path: Path
) -> None:
    Path(Run.objects.get(tag="run").original.path).unlink()
    with pytest.raises(CommandError, match="the storage lacks 1 file, the first is runs/"):
        call_command("backup", tmp_path / "one.zip", stdout=StringIO())
    assert len(tables(tmp_path / "one.zip")["tables/pooling.Run.jsonl"]) == 2


def flip(path: Path) -> None:
    """Change one byte in the middle of a member that is stored as it is."""
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        member = next(info for info in archive.infolist() if info.filename.endswith(".gz"))
    content[member.header_offset + 30 + len(member.filename) + 40] ^= 1
    path.write_bytes(content)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def rewrite(path: Path, change: dict[str, bytes | None], **about: Any) -> None:
    """Write the archive anew with members changed, or left out, and the manifest changed."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members["manifest.json"]) | about
    found = {**members, "manifest.json": json.dumps(manifest).encode(), **change}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in found.items():
            if content is not None:
                archive.writestr(name, content)


LABELS = "tables/assess.Judgment.jsonl"
DAMAGE = {
    "a byte": (flip, "Bad CRC-32|expected SHA-256"),
    "the end": (cut, "not a whole zip archive"),
    "a row": (lambda path: rewrite(path, {LABELS: b"{}\n"}), "Judgment.jsonl: expected SHA-256"),
    "a table": (lambda path: rewrite(path, {LABELS: None}), "Judgment.jsonl is missing"),
    "a stranger": (lambda path: rewrite(path, {"files/x": b""}), "files/x is not in the manifest"),
    "the kind": (lambda path: rewrite(path, {}, kind="cake"), "a whole installation, found 'cake'"),
    "the version": (lambda path: rewrite(path, {}, database={"pooling": "0"}), "one is at"),
    "the manifest": (lambda path: rewrite(path, {"manifest.json": b"[}"}), "expected a manifest.json"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_archive_leaves_nothing_behind(
    campaign: Campaign, settings: Settings, tmp_path: Path, damage: str
) -> None:
    path, (change, complaint) = tmp_path / "one.zip", DAMAGE[damage]
    back_up(path)
    wipe(settings)
    change(path)
    with pytest.raises(BadArchive, match=complaint):
        restore(path)
    assert not any(model._base_manager.exists() for model in stored_models())
    assert not Path(settings.MEDIA_ROOT).exists()


@pytest.mark.parametrize("size", [0, 10])
def test_a_restore_that_broke_off_within_a_file_can_be_repeated(
    campaign: Campaign, settings: Settings, tmp_path: Path, size: int
) -> None:
    before = back_up(tmp_path / "one.zip")
    wipe(settings)
    for number, name in enumerate(before["files"]):
        if number < 2:  # as far as it came: one file whole, the next cut short
            place = Path(settings.MEDIA_ROOT) / name
            place.parent.mkdir(parents=True, exist_ok=True)
            with zipfile.ZipFile(tmp_path / "one.zip") as archive:
                place.write_bytes(archive.read(f"files/{name}")[: None if number == 0 else size])
    restore(tmp_path / "one.zip")
    assert back_up(tmp_path / "two.zip")["files"] == before["files"]
    assert_clean("--all")


def test_a_restore_does_not_replace_another_file(
    campaign: Campaign, settings: Settings, tmp_path: Path
) -> None:
    name = next(iter(back_up(tmp_path / "one.zip")["files"]))
    wipe(settings)
    place = Path(settings.MEDIA_ROOT) / name
    place.parent.mkdir(parents=True)
    place.write_bytes(b"something else")
    with pytest.raises(BadArchive, match=f"the storage has another file of the name {name}"):
        restore(tmp_path / "one.zip")
    assert place.read_bytes() == b"something else"
    assert not User.objects.exists()


def test_a_run_that_is_here_compressed_otherwise_is_the_same_run(elsewhere: Path, settings: Settings) -> None:
    with zipfile.ZipFile(elsewhere) as archive:
        name = next(name for name in archive.namelist() if name.startswith("files/runs/"))
        text = gzip.decompress(archive.read(name))
    place = Path(settings.MEDIA_ROOT) / name.removeprefix("files/")
    place.write_bytes(gzip.compress(text, compresslevel=9, mtime=1))
    import_campaign(elsewhere, {})
    assert gzip.decompress(place.read_bytes()) == text


def test_an_installation_that_holds_something_is_left_alone(campaign: Campaign, tmp_path: Path) -> None:
    back_up(tmp_path / "one.zip")
    with pytest.raises(
        CommandError, match=r"expected an empty installation, found \d+ rows of accounts.User"
    ):
        call_command("restore", tmp_path / "one.zip")


def manage(folder: Path, *words: str, url: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command of an installation of its own, as on another machine."""
    environment = {**os.environ, "JURYPOOL_DATA": str(folder), "DATABASE_URL": url}
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_backup_while_judges_work_is_of_one_moment(tmp_path: Path, settings: Settings) -> None:
    """Rows are written all the time by a thread; the archive is read by a process on an empty folder."""
    make = Factory()
    campaign = make.make_campaign()
    make.make_topic(campaign, "1")
    make.make_run(campaign, "".join(f"1 D{number} {-number}\n" for number in range(400)))
    make.make_pool(campaign, depth=400)

    assign([make.make_user("alice")], campaign.topics.all())
    stop, labelled = threading.Event(), []

    def label() -> None:
        try:
            for number in range(400):
                if stop.is_set():
                    return
                make.make_judgment(campaign, "alice", "1", f"D{number}", number % 4)
                labelled.append(number)
        finally:
            connection.close()

    judge = threading.Thread(target=label)
    judge.start()
    try:
        while len(labelled) < 5:
            judge.join(0.01)
        counts = []
        for number in range(5):
            begun = len(labelled)
            manifest = back_up(tmp_path / f"{number}.zip")
            ended = len(labelled)
            counts.append(manifest["tables"]["assess.JudgmentEvent"]["rows"])
            assert begun <= counts[-1] <= ended + 1
            assert manifest["tables"]["assess.Judgment"]["rows"] == counts[-1]
    finally:
        stop.set()
        judge.join()
    assert counts[0] < counts[-1] <= len(labelled)  # nobody waited for the backups

    there = tmp_path / "there"
    done = manage(there, "restore", str(tmp_path / "4.zip"))
    assert done.returncode == 0, done.stderr
    assert "0 faults, 0 notes" in done.stdout
    assert QueueEntry.objects.count() == 400
    again = manage(there, "backup", str(tmp_path / "again.zip"))
    assert again.returncode == 0, again.stderr
    assert tables(tmp_path / "again.zip") == tables(tmp_path / "4.zip")


@pytest.mark.skipif("DATABASE_URL" not in os.environ, reason="no PostgreSQL: `make test-postgres` has one")
@pytest.mark.django_db(transaction=True)
def test_an_installation_moves_to_postgres(tmp_path: Path) -> None:
    make = Factory()
    make_lived_campaign(make)
    back_up(tmp_path / "one.zip")
    server = os.environ["DATABASE_URL"]
    with psycopg.connect(server, autocommit=True) as database:
        database.execute("CREATE DATABASE moved")
    url = server.rpartition("/")[0] + "/moved"
    there = tmp_path / "there"
    assert manage(there, "restore", str(tmp_path / "one.zip")).returncode == 0  # on SQLite
    moved = manage(there, "move_to_postgres", url)
    assert moved.returncode == 0, moved.stderr
    assert "0 faults, 0 notes" in moved.stdout
    assert manage(there, "backup", str(tmp_path / "two.zip"), url=url).returncode == 0
    assert tables(tmp_path / "two.zip") == tables(tmp_path / "one.zip")
    twice = manage(there, "move_to_postgres", url, "--backup", str(tmp_path / "three.zip"))
    assert twice.returncode == 1
    assert "expected an empty installation" in twice.stderr


# a campaign on its way


@pytest.fixture
def elsewhere(campaign: Campaign, settings: Settings, tmp_path: Path, make: Factory) -> Path:
    """The archive of a campaign, on a server that has other people and another campaign."""
    path = tmp_path / "tiny.zip"
    export_campaign(campaign, path)
    wipe(settings)
    for name in ("zoe", "alice", "yuri"):
        make.make_user(name)
    other = make.make_campaign("other")
    make.make_topic(other)
    make.make_run(other, "1 A 2\n1 B 1")
    return path


def test_a_campaign_arrives_whole(elsewhere: Path, tmp_path: Path) -> None:
    alice = User.objects.get(username="alice")
    campaign, people, looked = import_campaign(elsewhere, {})
    assert looked["runs"] == 2
    assert people["alice"] == ("alice", False)
    assert people["tiny/elsewhere"] == ("tiny/elsewhere", True)
    assert_clean("tiny")
    export_campaign(campaign, tmp_path / "again.zip")
    before, after = tables(elsewhere), tables(tmp_path / "again.zip")
    assert {name: len(rows) for name, rows in after.items()} == {
        name: len(rows) + (name == "tables/pooling.AuditLogEntry.jsonl") for name, rows in before.items()
    }
    assert [row["uuid"] for row in after["tables/assess.JudgmentEvent.jsonl"]] == [
        row["uuid"] for row in before["tables/assess.JudgmentEvent.jsonl"]
    ]
    assert JudgmentEvent.objects.filter(judge=alice).count() == 4
    assert Score.objects.filter(release__campaign=campaign).count() == 3 * 8
    assert Pool.objects.get(campaign=campaign, number=1).runs.get().tag == "run"


def test_a_decision_arrives_after_the_labels_that_it_saw(
    make: Factory, settings: Settings, tmp_path: Path
) -> None:
    campaign, ada = make.make_pooled_campaign(), make.make_user("ada")
    make.make_judgment(campaign, "alice", "1", "D1", 0)
    label, pooled = make.make_judgment(campaign, "bob", "1", "D1", 2), make.pooled(campaign, "1", "D1")
    card = dispute_in(CampaignReads(campaign), ada, pooled.pk)
    assert card
    settle(pooled, ada, Settlement(uuid4(), "D1", card.text_hash, label.event_id, 2))
    export_campaign(campaign, tmp_path / "settled.zip")
    wipe(settings)
    campaign, *_ = import_campaign(tmp_path / "settled.zip", {})
    assert settled_in(campaign).count() == 1
    assert changed_in(settled_in(campaign)).count() == 0


def test_nobody_gets_in_by_an_archive(elsewhere: Path) -> None:
    with zipfile.ZipFile(elsewhere) as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist())
    assert b"md5$" not in everything and b"token_hash" not in everything
    import_campaign(elsewhere, {})
    assert not User.objects.get(username="tiny/elsewhere").has_usable_password()
    assert not Invitation.objects.exists() and not ApiToken.objects.exists()


def test_people_are_who_the_file_says(elsewhere: Path, tmp_path: Path) -> None:
    said = StringIO()
    (tmp_path / "people.csv").write_text("there,here\nalice,zoe\nbob,robert\n")
    call_command("import_campaign", elsewhere, users=tmp_path / "people.csv", slug="small", stdout=said)
    assert "alice is zoe\n" in said.getvalue()
    assert "bob is robert, who is new here\n" in said.getvalue()
    assert "small: 3 documents" in said.getvalue()
    assert not JudgmentEvent.objects.filter(judge__username="alice").exists()
    assert Document.objects.filter(campaign__slug="small").count() == 3


@pytest.mark.parametrize(
    ("people", "slug", "complaint"),
    [
        ({"alice": "zoe", "bob": "zoe"}, "", "cannot both be zoe"),
        ({"nobody": "zoe"}, "", "people in the archive, found nobody"),
        ({}, "other", "campaign other here already"),
    ],
)
def test_a_campaign_that_does_not_fit_leaves_nothing_behind(
    elsewhere: Path, people: dict[str, str], slug: str, complaint: str
) -> None:
    users = User.objects.count()
    with pytest.raises(BadArchive, match=complaint):
        import_campaign(elsewhere, people, slug)
    assert (Campaign.objects.count(), User.objects.count()) == (1, users)


def test_one_campaign_does_not_arrive_twice(elsewhere: Path) -> None:
    import_campaign(elsewhere, {})
    with pytest.raises(BadArchive, match="here already"):
        import_campaign(elsewhere, {}, "again")
    assert Campaign.objects.filter(slug="again").count() == 0


def test_a_file_of_people_needs_its_columns(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("from,to\na,b\n")
    with pytest.raises(BadArchive, match="expected the columns there and here"):
        read_people_map(tmp_path / "people.csv")


def test_a_command_exports_by_name(campaign: Campaign, tmp_path: Path) -> None:
    said = StringIO()
    call_command("export_campaign", "tiny", tmp_path / "tiny.zip", stdout=said)
    with zipfile.ZipFile(tmp_path / "tiny.zip") as archive:
        files = [name for name in archive.namelist() if name.startswith("files/")]
    assert f"{len(files)} files" in said.getvalue() and len(files) > 1
    with pytest.raises(CommandError, match="exists already"):
        call_command("export_campaign", "tiny", tmp_path / "tiny.zip")
