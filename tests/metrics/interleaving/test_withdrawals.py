"""A file of clicks is described, withdrawn from the figures of its comparison, restored, and replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from config.archives.campaigns import export_campaign, import_campaign
from metrics.interleaving.queries import interleaving_result, interleavings_with_clicks
from metrics.interleaving.services import (
    ClicksRefused,
    describe_clicks,
    load_clicks,
    restore_clicks,
    withdraw_clicks,
)
from metrics.models import Interleaving, InterleavingClicks
from metrics.queries.integrity import every_fault
from pooling.campaign_states import ARCHIVED, StateRefused
from pooling.formats.files import BadFile
from pooling.models import Campaign
from tests.config.test_archives import wipe
from tests.metrics.conftest import signed_in
from tests.metrics.interleaving.test_pages import HOME, campaign, clicks_on, lists, merged, with_roles
from tests.support.factory import Factory
from tests.support.markup import markup

__all__ = ["campaign"]  # the fixture


@pytest.fixture
def carol(make: Factory) -> User:
    return make.make_user("carol")


@pytest.fixture
def client(make: Factory) -> Client:
    return signed_in(make, "carol")


@pytest.fixture
def compared(campaign: Campaign, make: Factory) -> Interleaving:
    return merged(make, campaign)


def load(compared: Interleaving, carol: User, client: Client, docno: str = "D1") -> InterleavingClicks:
    return load_clicks(compared, carol, clicks_on(docno, lists(client)), f"{docno}.csv")


def figures(compared: Interleaving, client: Client) -> list[Any]:
    """Return all that the clicks say, and the file of results."""
    result = interleaving_result(compared, with_roles(compared.campaign))
    (row,) = interleavings_with_clicks(compared.campaign)
    stated = result._replace(files=[], counted=[])
    return [stated, row.file_count, client.get(f"{HOME}1/csv/").content]


def faults(campaign: Campaign) -> list[Any]:
    return [fault for fault in every_fault(campaign, {}) if not fault.note]


def test_withdrawn_clicks_leave_every_figure_and_restored_ones_count_again(
    compared: Interleaving, carol: User, client: Client
) -> None:
    load(compared, carol, client)
    before = figures(compared, client)
    other = load(compared, carol, client, "D2")
    after = figures(compared, client)
    assert before != after
    withdraw_clicks(other, carol, "Robots were counted.")
    assert figures(compared, client) == before
    restore_clicks(other, carol)
    assert figures(compared, client) == after
    log = compared.campaign.audit_log.order_by("-number")[:2]
    assert [(entry.verb, entry.sentence) for entry in log] == [
        ("restored interleaving clicks", "21 sessions of Clicks D2.csv of Interleaving 1"),
        ("withdrew interleaving clicks", "21 sessions of Clicks D2.csv of Interleaving 1"),
    ]
    assert log[1].details["reason"] == "Robots were counted." and not faults(compared.campaign)


def test_a_comparison_without_a_file_that_counts_has_no_result(
    compared: Interleaving, carol: User, client: Client
) -> None:
    none = figures(compared, client)
    withdraw_clicks(load(compared, carol, client), carol, "Robots were counted.")
    assert figures(compared, client) == none
    page = markup(client.get(f"{HOME}1/"))
    assert "No clicks yet" in page and "withdrawn" in page and "What users prefer" not in page


def test_what_a_state_does_not_allow_is_refused(compared: Interleaving, carol: User, client: Client) -> None:
    clicks = load(compared, carol, client)
    with pytest.raises(ClicksRefused, match="are not withdrawn"):
        restore_clicks(clicks, carol)
    withdraw_clicks(clicks, carol, "Robots were counted.")
    with pytest.raises(ClicksRefused, match="are withdrawn already"):
        withdraw_clicks(clicks, carol, "Again.")
    with pytest.raises(BadFile, match="it is withdrawn; restore it"):
        load(compared, carol, client)
    Campaign.objects.update(state=ARCHIVED)
    with pytest.raises(StateRefused):
        restore_clicks(clicks, carol)
    assert InterleavingClicks.objects.get().withdrawn_at


def test_a_newer_file_replaces_an_older_one(compared: Interleaving, carol: User, client: Client) -> None:
    newer = figures_of_only(compared, carol, client, "D2")
    older = load(compared, carol, client)
    describe_clicks(older, carol, name="Week 12", note="Shop, Germany.")
    file = SimpleUploadedFile("again.csv", clicks_on("D2", lists(client)))
    page = markup(client.post(f"{HOME}1/clicks/{older.pk}/replace/", {"file": file}, follow=True))
    assert "The newer file is counted; the older is withdrawn." in page and "Shop, Germany." in page
    assert figures(compared, client) == newer
    older.refresh_from_db()
    assert older.withdrawal_reason.startswith("Replaced by again.csv, SHA-256 ")


def figures_of_only(compared: Interleaving, carol: User, client: Client, docno: str) -> list[Any]:
    """Return the figures of one file, which is deleted again."""
    clicks = load(compared, carol, client, docno)
    alone = figures(compared, client)
    clicks.delete()
    return alone


def test_a_newer_file_that_is_refused_replaces_nothing(
    compared: Interleaving, carol: User, client: Client
) -> None:
    clicks = load(compared, carol, client)
    url, before = f"{HOME}1/clicks/{clicks.pk}/replace/", figures(compared, client)
    bad = SimpleUploadedFile("bad.csv", b"list_id,clicks\nelse,1\n")
    assert "Line 2: expected the list_id of a list" in markup(client.post(url, {"file": bad}))
    same = SimpleUploadedFile("same.csv", clicks_on("D1", lists(client)))
    assert "its sessions are counted already" in markup(client.post(url, {"file": same}))
    assert figures(compared, client) == before
    withdraw_clicks(clicks, carol, "Robots were counted.")
    other = SimpleUploadedFile("other.csv", clicks_on("D2", lists(client)))
    assert "are withdrawn already" in markup(client.post(url, {"file": other}, follow=True))
    assert InterleavingClicks.objects.count() == 1


def test_the_page_asks_before_sessions_are_withdrawn(
    compared: Interleaving, carol: User, client: Client
) -> None:
    clicks = load(compared, carol, client)
    url = f"{HOME}1/clicks/{clicks.pk}/"
    assert url in markup(client.get(f"{HOME}1/"))
    assert "This field is required." in markup(client.post(f"{url}withdraw/", {"reason": ""}))
    assert "Withdraw 21 sessions" in markup(client.post(f"{url}withdraw/", {"reason": "Robots."}))
    clicks.refresh_from_db()
    assert clicks.withdrawn_at is None
    sent = {"reason": "Robots.", "confirmed": "yes"}
    page = markup(client.post(f"{url}withdraw/", sent, follow=True))
    assert "Clicks D1.csv of Interleaving 1 are withdrawn." in page and "Robots." in page
    assert "count again." in markup(client.post(f"{url}restore/", follow=True))
    page = markup(client.post(url, {"name": "Week 12", "note": "Shop."}, follow=True))
    assert "Clicks Week 12 of Interleaving 1" in page and "Shop." in page


def test_a_file_of_another_comparison_is_not_found(
    campaign: Campaign, compared: Interleaving, carol: User, client: Client, make: Factory
) -> None:
    clicks = load(compared, carol, client)
    other = merged(make, campaign, seed="8")
    assert client.get(f"{HOME}{other.number}/clicks/{clicks.pk}/").status_code == 404


def test_an_archive_keeps_a_withdrawn_file(
    compared: Interleaving, carol: User, client: Client, settings: Settings, tmp_path: Path
) -> None:
    clicks = load(compared, carol, client)
    describe_clicks(clicks, carol, name="Week 12", note="Shop, Germany.")
    withdraw_clicks(clicks, carol, "Robots were counted.")
    export_campaign(compared.campaign, tmp_path / "export.zip")
    client.logout()
    wipe(settings)
    there = import_campaign(tmp_path / "export.zip", {}).campaign
    copy = InterleavingClicks.objects.get()
    assert (copy.name, copy.withdrawal_reason) == ("Week 12", "Robots were counted.")
    assert interleaving_result(copy.interleaving, with_roles(there)).counted == []
    restore_clicks(copy, User.objects.get(username="carol"))
    assert not faults(there)
