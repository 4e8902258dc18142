"""Figures follow every label as soon as it is visible, whatever was read while its transaction was open."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.core.cache import cache
from django.db import OperationalError, connection, connections, transaction

from assess.models import Judgment, JudgmentEvent
from assess.queries.agreement import agreement_scope, overall_agreement
from assess.queries.campaign_reads import CampaignReads
from assess.queries.integrity import release_faults
from assess.queries.label_matrix import label_matrix
from assess.queries.labels import label_counts
from assess.queries.progress import progress_grid
from assess.services import judging, releases
from assess.services.adjudications import NotSettled, Settlement, settle
from assess.services.assignments import assign
from assess.services.releases import release_qrels
from pooling.models import Campaign
from tests.support.factory import Factory

postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")


def make_judged_campaign(make: Factory) -> Campaign:
    """Two topics of six documents; alice and bob have judged all but D5."""
    campaign = make.make_campaign()
    topics = [make.make_topic(campaign, str(n)) for n in (1, 2)]
    make.make_run(campaign, "\n".join(f"{t} D{place} {9 - place}" for t in (1, 2) for place in range(6)))
    make.make_pool(campaign)
    for place in range(6):
        make.make_document(campaign, f"D{place}")
    assign([make.make_user(name) for name in ("alice", "bob")], topics)
    for place in range(5):
        for topic in "12":
            make.make_judgment(campaign, "alice", topic, f"D{place}", place % 4)
            make.make_judgment(campaign, "bob", topic, f"D{place}", (place + (topic == "2")) % 4)
    return campaign


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    return make_judged_campaign(make)


def shown(campaign: Campaign) -> tuple[int, int, float | None]:
    kappa = overall_agreement(agreement_scope(CampaignReads(campaign))).coefficients["fleiss"].value
    return label_counts(CampaignReads(campaign)).labels, progress_grid(CampaignReads(campaign)).done, kappa


@contextmanager
def press_in_flight(monkeypatch: pytest.MonkeyPatch, press: Callable[[], object]) -> Iterator[None]:
    """Hold a press of alice between its INSERT and its COMMIT while the block runs; then let it commit."""
    stored, go = threading.Event(), threading.Event()
    hold = judging.make_current

    def slow_hold(event: JudgmentEvent, before: Judgment | None = None) -> None:
        hold(event, before)
        if event.judge.username == "alice":
            stored.set()
            go.wait(20)

    def run() -> None:
        press()
        connections.close_all()

    monkeypatch.setattr(judging, "make_current", slow_hold)
    thread = threading.Thread(target=run)
    thread.start()
    assert stored.wait(20)
    yield
    go.set()
    thread.join()


@postgresql
@pytest.mark.django_db(transaction=True)
def test_a_label_that_commits_behind_a_later_one_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Factory()
    campaign = make_judged_campaign(make)
    with press_in_flight(monkeypatch, lambda: make.make_judgment(campaign, "alice", "1", "D5", 0)):
        make.make_judgment(campaign, "bob", "2", "D5", 3)
        cache.clear()
        assert shown(campaign)[0] == 21
    after = shown(campaign)
    cache.clear()
    assert after == shown(campaign) and after[:2] == (22, 22)


@postgresql
@pytest.mark.django_db(transaction=True)
def test_a_release_beside_a_press_is_derived_again_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Factory()
    campaign = make_judged_campaign(make)
    frozen: list[object] = []

    def freeze() -> None:
        frozen.append(release_qrels(campaign, make.make_user("carol")))
        connections.close_all()

    with press_in_flight(monkeypatch, lambda: make.make_judgment(campaign, "alice", "1", "D5", 3)):
        make.make_judgment(campaign, "bob", "2", "D5", 1)
        thread = threading.Thread(target=freeze)
        thread.start()
        thread.join(0.5)
    thread.join(20)
    assert len(frozen) == 1
    assert [fault for looked in release_faults(campaign) for fault in looked] == []


@postgresql
@pytest.mark.django_db(transaction=True)
def test_no_release_is_frozen_beside_a_label_that_is_being_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Factory()
    campaign = make_judged_campaign(make)
    carol = make.make_user("carol")
    monkeypatch.setattr(releases, "LOCK_MILLISECONDS", 50)
    monkeypatch.setattr(releases, "LOCK_ATTEMPTS", 3)
    with press_in_flight(monkeypatch, lambda: make.make_judgment(campaign, "alice", "1", "D5", 3)):
        with pytest.raises(releases.NothingToRelease, match="because labels are being loaded"):
            release_qrels(campaign, carol)
        assert not campaign.releases.exists()
    assert release_qrels(campaign, carol).line_count == 11


def test_each_lock_that_times_out_is_tried_again_and_then_nothing_is_frozen(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On any database: the statements that PostgreSQL would run end as they end there beside a load."""
    statements: list[str] = []

    def time_out(execute: Callable[..., object], sql: str, *rest: object) -> object:
        if "lock_timeout" not in sql and "LOCK TABLE" not in sql:
            return execute(sql, *rest)
        statements.append(sql)
        raise OperationalError("canceling statement due to lock timeout")

    monkeypatch.setattr(connection, "vendor", "postgresql")
    monkeypatch.setattr(releases, "LOCK_ATTEMPTS", 3)
    with connection.execute_wrapper(time_out), pytest.raises(releases.NothingToRelease, match="being loaded"):
        releases.locked_cutoff(campaign)
    assert len(statements) == 3


@postgresql
@pytest.mark.django_db(transaction=True)
def test_a_case_is_not_settled_beside_a_label_that_is_being_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Factory()
    campaign = make_judged_campaign(make)
    bobs = make.make_judgment(campaign, "bob", "1", "D5", 3)
    ada, outcome = make.make_user("ada"), list[str]()

    def settle_it() -> None:
        text = campaign.documents.get(docno="D5").text_hash
        try:
            settle(bobs.pooled, ada, Settlement(uuid.uuid4(), "D5", text, bobs.event_id, 3))
            outcome.append("settled")
        except NotSettled as error:
            outcome.append(str(error))
        connections.close_all()

    with press_in_flight(monkeypatch, lambda: make.make_judgment(campaign, "alice", "1", "D5", 0)):
        thread = threading.Thread(target=settle_it)
        thread.start()
        thread.join(0.5)
        assert outcome == []
    thread.join(20)
    assert len(outcome) == 1 and "A judge changed a label after you opened" in outcome[0]


def test_a_label_with_an_earlier_key_is_counted(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL draws keys before it commits: a lower key may become visible later."""
    make.make_judgment(campaign, "bob", "1", "D5", 3)
    assert shown(campaign)[:2] == (21, 21)
    create = JudgmentEvent.objects.create
    monkeypatch.setattr(JudgmentEvent.objects, "create", lambda **fields: create(pk=-1, **fields))
    assert make.make_judgment(campaign, "alice", "1", "D5", 0).event_id == -1
    after = shown(campaign)
    cache.clear()
    assert after == shown(campaign) and after[:2] == (22, 22)


def test_a_new_name_of_a_judge_is_shown_at_once(campaign: Campaign, make: Factory) -> None:
    alice = make.make_user("alice")
    assert label_matrix(CampaignReads(campaign)).names["alice"] == "alice"
    alice.name = "Alice Renamed"
    alice.save()
    assert label_matrix(CampaignReads(campaign)).names["alice"] == "Alice Renamed"


def test_figures_follow_a_database_that_was_set_back(campaign: Campaign, make: Factory) -> None:
    """As after restoring a backup under a running process, where then another label comes in."""
    before = shown(campaign)
    with transaction.atomic():
        make.make_judgment(campaign, "bob", "1", "D5", 3)
        assert shown(campaign)[:2] == (21, 21)
        transaction.set_rollback(True)
    assert shown(campaign) == before
    make.make_judgment(campaign, "bob", "1", "D5", 0)
    make.make_judgment(campaign, "alice", "1", "D5", 3)
    after = shown(campaign)
    cache.clear()
    assert after == shown(campaign) and after[:2] == (22, 22)
