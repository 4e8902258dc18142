"""A click log is described, withdrawn with the labels that were made from it, restored, and replaced."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from assess.clicks.queries import labels_made
from assess.clicks.services.labels import ClickGrades, create_click_judge
from assess.clicks.services.withdrawals import (
    ClickLogRefused,
    describe_click_log,
    restore_click_log,
    withdraw_click_log,
)
from assess.models import ClickLabels, ClickLog, JudgmentEvent, Source
from assess.release.plan import ReleasePlan
from assess.services.plans import change_plan
from assess.services.releases import release_qrels
from assess.services.sources import SourceRefused, describe_source, restore_source, withdraw_source
from config.archives.campaigns import export_campaign, import_campaign
from pooling.models import Campaign
from tests.assess.clicks.test_click_pages import PAGE, campaign, carol, click_lines
from tests.assess.test_withdrawals import faults, figures
from tests.config.test_archives import wipe
from tests.support.factory import Factory
from tests.support.markup import markup

__all__ = ["campaign", "carol"]  # the fixtures

BY_COEC = ClickGrades("Clicks", "coec", 20, [0.7, 1, 1.3])
BY_PBM = ClickGrades("Clicks, PBM", "pbm", 20, [0.2, 0.4, 0.6])


@pytest.fixture
def organiser(make: Factory) -> User:
    return make.make_user("carol")


@pytest.fixture
def log(campaign: Campaign, make: Factory) -> ClickLog:
    return make.make_click_log(campaign, click_lines())


def made_from(log: ClickLog, organiser: User, grading: ClickGrades = BY_COEC) -> Source:
    return create_click_judge(log, organiser, grading)


def verbs(campaign: Campaign) -> list[str]:
    return list(campaign.audit_log.order_by("number").values_list("verb", flat=True))


def test_labels_are_withdrawn_and_restored_with_their_log(
    campaign: Campaign, log: ClickLog, organiser: User
) -> None:
    before = figures(campaign)
    made = made_from(log, organiser)
    after, events = figures(campaign), JudgmentEvent.objects.count()
    assert before["records"] != after["records"] and before["people"] == after["people"]
    assert withdraw_click_log(log, organiser, "Robots were counted.") == 15
    assert figures(campaign) == before and JudgmentEvent.objects.count() == events
    made.refresh_from_db()
    assert made.withdrawal_reason == "Click log 1 is withdrawn: Robots were counted."
    assert verbs(campaign)[-2:] == ["withdrew labels", "withdrew a click log"]
    entry = campaign.audit_log.latest("number")
    assert entry.sentence == "Click log 1, with 15 labels"
    assert entry.details["reason"] == "Robots were counted." and entry.details["judges"] == ["tiny/Clicks"]
    assert not faults(campaign)
    assert restore_click_log(log, organiser) == 15
    assert figures(campaign) == after and not faults(campaign)
    assert verbs(campaign)[-2:] == ["restored labels", "restored a click log"]


def test_labels_that_were_withdrawn_alone_stay_so(log: ClickLog, organiser: User) -> None:
    alone, other = made_from(log, organiser), made_from(log, organiser, BY_PBM)
    withdraw_source(alone, organiser, "Poor thresholds.")
    assert withdraw_click_log(log, organiser, "Robots were counted.") == 15
    restore_click_log(log, organiser)
    states = {made.source: bool(made.source.withdrawn_at) for made in labels_made(log)}
    assert states == {alone: True, other: False}
    assert restore_source(alone, organiser) == 15


def test_labels_of_a_withdrawn_log_are_not_restored_alone(log: ClickLog, organiser: User) -> None:
    made = made_from(log, organiser)
    withdraw_click_log(log, organiser, "Robots were counted.")
    with pytest.raises(SourceRefused, match="Click log 1, from which these labels were made, is withdrawn"):
        restore_source(made, organiser)
    assert Source.objects.withdrawn().get() == made


def test_what_a_state_does_not_allow_is_refused(log: ClickLog, organiser: User) -> None:
    with pytest.raises(ClickLogRefused, match="is not withdrawn"):
        restore_click_log(log, organiser)
    withdraw_click_log(log, organiser, "Robots were counted.")
    with pytest.raises(ClickLogRefused, match="withdrawn already"):
        withdraw_click_log(log, organiser, "Again.")
    with pytest.raises(ClickLogRefused, match="Click log 1 is withdrawn"):
        made_from(log, organiser)
    assert not Source.objects.exists() and not User.objects.filter(username="tiny/Clicks").exists()


def test_a_log_stays_while_judges_see_grades_from_it(
    campaign: Campaign, log: ClickLog, organiser: User
) -> None:
    change_plan(campaign, shown_machine=made_from(log, organiser))
    with pytest.raises(SourceRefused, match="Change the judging plan first"):
        withdraw_click_log(log, organiser, "Robots were counted.")
    log.refresh_from_db()
    assert log.withdrawn_at is None and not Source.objects.withdrawn().exists()


def test_a_log_stays_withdrawn_while_the_name_of_its_labels_is_in_use(
    campaign: Campaign, log: ClickLog, organiser: User, make: Factory
) -> None:
    made_from(log, organiser)
    withdraw_click_log(log, organiser, "Robots were counted.")
    other = make.make_machine(campaign, "1 0 D01 3\n")
    describe_source(other, organiser, "Clicks")
    with pytest.raises(SourceRefused, match="Another source is called Clicks now"):
        restore_click_log(log, organiser)
    log.refresh_from_db()
    assert log.withdrawn_at


def test_a_frozen_release_keeps_labels_of_a_log_that_is_withdrawn_later(
    campaign: Campaign, log: ClickLog, organiser: User
) -> None:
    made_from(log, organiser)
    release = release_qrels(campaign, organiser, ReleasePlan(machines=("tiny/Clicks",)))
    withdraw_click_log(log, organiser, "Robots were counted.")
    assert release.manifest["machines"] and not faults(campaign)


def test_a_log_is_named_and_described(campaign: Campaign, log: ClickLog, organiser: User) -> None:
    describe_click_log(log, organiser, name="March", note="Shop, Germany.")
    log.refresh_from_db()
    assert str(log) == "Click log 1 (March)"
    assert campaign.audit_log.latest("number").sentence == "Click log 1 (March): name, note"
    count = campaign.audit_log.count()
    describe_click_log(log, organiser, name="March", note="Shop, Germany.")
    assert campaign.audit_log.count() == count


def newer(sessions: int = 60) -> SimpleUploadedFile:
    return SimpleUploadedFile("newer.csv", click_lines(sessions).encode())


@pytest.mark.parametrize("background", [False, True])
def test_a_newer_log_replaces_an_older_one(
    campaign: Campaign, log: ClickLog, organiser: User, carol: Client, settings: Settings, background: bool
) -> None:
    settings.BACKGROUND_BYTES = 100 if background else 1 << 20
    describe_click_log(log, organiser, name="March", note="Shop, Germany.")
    made = made_from(log, organiser)
    page = markup(carol.post(f"{PAGE}1/replace/", {"file": newer(), "least_people": "5"}, follow=True))
    assert background or "Click log 2 (March) is loaded; Click log 1 (March) is withdrawn." in page
    log.refresh_from_db()
    made.refresh_from_db()
    later = campaign.click_logs.get(number=2)
    assert (later.name, later.note, later.counts["used_lists"]) == ("March", "Shop, Germany.", 60)
    assert log.withdrawal_reason == "Replaced by Click log 2." and made.withdrawn_at
    assert not later.withdrawn_at and not faults(campaign)


def test_a_newer_log_that_is_refused_replaces_nothing(
    campaign: Campaign, log: ClickLog, organiser: User, carol: Client
) -> None:
    made_from(log, organiser)
    bad = SimpleUploadedFile("bad.csv", b"topic,session,shown,clicks\nx\n")
    page = markup(carol.post(f"{PAGE}1/replace/", {"file": bad, "least_people": "5"}))
    assert "Line 2: expected 4 fields, found 1" in page
    assert campaign.click_logs.get() == log and not Source.objects.withdrawn().exists()
    withdraw_click_log(log, organiser, "Robots were counted.")
    page = markup(carol.post(f"{PAGE}1/replace/", {"file": newer(), "least_people": "5"}, follow=True))
    assert "Click log 1 is withdrawn already" in page and campaign.click_logs.count() == 1


def test_the_page_asks_before_labels_are_withdrawn(
    campaign: Campaign, log: ClickLog, organiser: User, carol: Client
) -> None:
    made = made_from(log, organiser)
    assert "This field is required." in markup(carol.post(f"{PAGE}1/withdraw/", {"reason": ""}))
    asked = markup(carol.post(f"{PAGE}1/withdraw/", {"reason": "Robots."}))
    assert "The labels of Clicks are withdrawn with the log." in asked and "15 labels" in asked
    assert not Source.objects.withdrawn().exists()
    sent = {"reason": "Robots.", "confirmed": "yes"}
    page = markup(carol.post(f"{PAGE}1/withdraw/", sent, follow=True))
    assert "Click log 1 is withdrawn, with 15 labels that were made from it." in page
    assert "Restore the click log" in page and "Store labels" not in page and "Robots." in page
    source = markup(carol.get(f"/campaigns/tiny/judging/sources/{made.pk}/"))
    assert "Click log 1" in source and "withdrawn with these labels" in source
    assert "withdrawn" in markup(carol.get(PAGE))
    page = markup(carol.post(f"{PAGE}1/restore/", follow=True))
    assert "Click log 1 is restored, with 15 labels." in page and "Store labels" in page
    page = markup(carol.post(f"{PAGE}1/describe/", {"name": "March", "note": "Shop."}, follow=True))
    assert "Click log 1 (March)" in page and "Shop." in page


def test_an_archive_keeps_a_withdrawn_log_and_its_labels(
    campaign: Campaign, log: ClickLog, organiser: User, settings: Settings, tmp_path: Path
) -> None:
    made_from(log, organiser)
    describe_click_log(log, organiser, name="March", note="Shop, Germany.")
    withdraw_click_log(log, organiser, "Robots were counted.")
    before = figures(campaign)
    export_campaign(campaign, tmp_path / "export.zip")
    wipe(settings)
    there = import_campaign(tmp_path / "export.zip", {}).campaign
    copy = there.click_logs.get()
    assert (copy.name, copy.withdrawal_reason) == ("March", "Robots were counted.")
    assert figures(there) == before and not faults(there)
    carol = User.objects.get(username="carol")
    assert copy.withdrawn_by == carol
    assert restore_click_log(copy, carol) == 15 and not faults(there)


def test_the_migration_links_labels_with_the_log_of_their_note(
    log: ClickLog, organiser: User, make: Factory
) -> None:
    other = make.make_click_log(log.campaign, click_lines(50))
    first, second = made_from(log, organiser), made_from(other, organiser, BY_PBM)
    ClickLabels.objects.all().delete()
    migration: Any = importlib.import_module("assess.migrations.0028_sources_of_click_logs")
    migration.link_sources(apps, None)
    assert {made.source: made.log for made in ClickLabels.objects.all()} == {first: log, second: other}
