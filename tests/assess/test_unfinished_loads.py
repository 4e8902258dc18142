"""Labels and requests are stored in short transactions: nothing shows them before the last one."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.models import User
from assess.machines.services.labellings import LabellingDetails, create_labelling
from assess.machines.services.requests import ServerAnswer, store_answer, store_machine_labels
from assess.models import JudgmentEvent, MachineLabelling, MachineRequest, UnfinishedLoad
from assess.queries.agreement import agreement_scope, overall_agreement
from assess.queries.campaign_reads import CampaignReads
from assess.queries.labels import judges_of, label_counts, label_records, machines_with_labels
from assess.queries.progress import progress_grid
from assess.services import unfinished_loads
from assess.services.imports import load_judgments, load_judgments_in_background
from assess.services.releases import release_qrels
from assess.services.unfinished_loads import LoadReplaced
from config.archives.campaigns import export_campaign
from metrics.queries.integrity import every_fault
from pooling.models import Campaign, Job
from tests.support.factory import Factory
from tests.support.markup import markup

LINES = "1 0 D1 3\n1 0 D2 0\n1 0 D3 1\n2 0 D1 2\n"
Load = Callable[[], object]


class Killed(BaseException):
    """Ends a load as kill -9 does: no handler of exceptions cleans up."""


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """A label of alice, and a labelling of topic 1 whose requests are answered."""
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 2)
    labelling = make.make_labelling(campaign)
    for request in labelling.requests.exclude(state=MachineRequest.State.ANSWERED):
        store_answer(request, ServerAnswer("##final score: 1"))
    return campaign


@pytest.fixture
def loads(campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch) -> dict[str, Load]:
    """What is stored in several transactions, of one row each."""
    monkeypatch.setattr(unfinished_loads, "CHUNK", 1)
    carol, labelling = make.make_user("carol"), campaign.labellings.get()
    details = LabellingDetails(labelling.prompt, "other", "model-2", {"max_tokens": 60}, {})
    return {
        "judgments": lambda: load_judgments(campaign, carol, LINES.encode(), "q", "NIST"),
        "machine file": lambda: make.make_machine(campaign, LINES),
        "machine labels": lambda: store_machine_labels(campaign.labellings.get(number=1), carol),
        "requests": lambda: create_labelling(campaign, carol, details),
    }


SIZES = {"judgments": 4, "machine file": 4, "machine labels": 3, "requests": 4}
KINDS = pytest.mark.parametrize("kind", SIZES)


def before_chunk(monkeypatch: pytest.MonkeyPatch, number: int, act: Callable[[], object]) -> None:
    """Call `act` once, before the transaction that stores this chunk."""
    calls = iter(range(1_000))  # the first creates the judge or the labelling

    def atomic() -> Any:
        if next(calls) == number:
            monkeypatch.setattr(unfinished_loads, "transaction", transaction)
            act()
        return transaction.atomic()

    monkeypatch.setattr(unfinished_loads, "transaction", SimpleNamespace(atomic=atomic))


def kill() -> None:
    raise Killed


def seen(campaign: Campaign, tmp_path: Path) -> dict[str, Any]:
    """Return what readers find: labels, judges, agreement, machines, requests, pages, API, archive, audit."""
    client, archive = Client(), tmp_path / "campaign.zip"
    client.force_login(User.objects.get(username="carol"))
    export_campaign(campaign, archive)
    with zipfile.ZipFile(archive) as packed:
        rows = {name: packed.read(name).count(b"\n") for name in packed.namelist() if "assess." in name}
    archive.unlink()
    home = f"/campaigns/{campaign.slug}/"
    return {
        "rows": list(label_records(campaign)),
        "counts": label_counts(CampaignReads(campaign)),
        "current": len(CampaignReads(campaign).labels.all.judge),
        "judges": list(judges_of(campaign)),
        "agreement": repr(overall_agreement(agreement_scope(CampaignReads(campaign)))),
        "grid": repr(progress_grid(CampaignReads(campaign))),
        "machines": list(machines_with_labels(campaign).values()),
        "requests": [(each.number, each.requests.count()) for each in campaign.labellings.all()],
        "pages": [
            "NIST" in markup(client.get(home + page)) or "other" in markup(client.get(home + page))
            for page in ("judging/", "judging/machines/", "judging/labellings/", "agreement/", "people/")
        ],
        "API": client.get(f"/api/campaigns/{campaign.slug}/labels/").getvalue(),
        "archive": rows,
        "faults": [str(fault) for fault in every_fault(campaign, {}) if not fault.note],
    }


def stored(campaign: Campaign) -> dict[str, Any]:
    """Return all rows without keys and times, with those that nothing shows."""
    events = JudgmentEvent.with_unfinished.filter(pooled__pool__campaign=campaign)
    requests = MachineRequest.with_unfinished.filter(labelling__campaign=campaign)
    return {
        "events": sorted(
            events.values_list("judge__username", "pooled__topic__number", "pooled__docno", "relevance")
        ),
        "rows": sorted(each[:6] for each in label_records(campaign)),
        "requests": sorted(requests.values_list("labelling__name", "pooled", "sample", "key", "relevance")),
        "numbers": list(MachineLabelling.with_unfinished.values_list("number", flat=True)),
        "audit log": list(campaign.audit_log.values_list("verb", "sentence")),
        "loads": UnfinishedLoad.objects.count(),
    }


@KINDS
def test_nothing_shows_a_killed_load_and_the_next_one_is_complete(
    kind: str, campaign: Campaign, loads: dict[str, Load], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with transaction.atomic():
        loads[kind]()
        expected = stored(campaign)
        transaction.set_rollback(True)
    before = seen(campaign, tmp_path)
    before_chunk(monkeypatch, 2, kill)
    with pytest.raises(Killed):
        loads[kind]()
    rows = (JudgmentEvent.with_unfinished.count() - 1) + (MachineRequest.with_unfinished.count() - 3)
    assert rows == 1 and UnfinishedLoad.objects.count() == 1
    assert seen(campaign, tmp_path) == before
    assert before["faults"] == []
    loads[kind]()
    assert stored(campaign) == expected
    assert len(expected["events"]) + len(expected["requests"]) == 4 + SIZES[kind]
    assert seen(campaign, tmp_path)["faults"] == []


@KINDS
def test_a_load_that_fails_leaves_nothing(
    kind: str, campaign: Campaign, loads: dict[str, Load], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise OSError

    before, people = stored(campaign), User.objects.count()
    before_chunk(monkeypatch, 2, fail)
    with pytest.raises(OSError):
        loads[kind]()
    assert (stored(campaign), User.objects.count()) == (before, people)


@KINDS
def test_a_second_load_of_the_same_name_ends_the_first(
    kind: str, campaign: Campaign, loads: dict[str, Load], monkeypatch: pytest.MonkeyPatch
) -> None:
    before_chunk(monkeypatch, 2, loads[kind])
    with pytest.raises(LoadReplaced, match="another load of the same name was started"):
        loads[kind]()
    found = stored(campaign)
    assert found["loads"] == 0
    assert len(found["events"]) + len(found["requests"]) == 4 + SIZES[kind]


@KINDS
def test_a_release_during_a_load_has_none_of_its_labels_and_stays_derivable(
    kind: str, campaign: Campaign, loads: dict[str, Load], make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    carol = make.make_user("carol")

    def release() -> None:
        make.make_judgment(campaign, "alice", "2", "D1", 1)  # newer than the labels that are stored
        release_qrels(campaign, carol)

    before_chunk(monkeypatch, 2, release)
    loads[kind]()
    assert campaign.releases.get().line_count == 2
    assert [str(fault) for fault in every_fault(campaign, {}) if not fault.note] == []
    lines = release_qrels(campaign, carol).line_count
    assert lines == (4 if kind == "judgments" else 2)


@pytest.mark.django_db(transaction=True)
@KINDS
def test_each_transaction_stores_one_chunk_and_judges_work_between_them(
    kind: str, campaign: Campaign, loads: dict[str, Load], make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts, insert = [], unfinished_loads._lock

    def counted(load: UnfinishedLoad) -> None:
        insert(load)
        counts.append(JudgmentEvent.with_unfinished.count() + MachineRequest.with_unfinished.count())
        assert connection.in_atomic_block

    monkeypatch.setattr(unfinished_loads, "_lock", counted)
    loads[kind]()
    assert counts == list(range(4, 4 + len(counts)))  # one more row in each
    assert len(counts) == SIZES[kind]


def test_the_audit_finds_an_abandoned_load_and_repairs_it(
    campaign: Campaign, loads: dict[str, Load], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = stored(campaign)
    for kind in ("judgments", "requests"):
        before_chunk(monkeypatch, 2, kill)
        with pytest.raises(Killed):
            loads[kind]()
    call_command("audit", "tiny", stdout=StringIO())  # they may still go on
    UnfinishedLoad.objects.update(written_at=timezone.now() - timedelta(hours=2))
    said = StringIO()
    with pytest.raises(CommandError, match="2 faults"):
        call_command("audit", "tiny", stdout=said)
    assert "FAULT: unfinished load, NIST: expected all rows, found interrupted at" in said.getvalue()
    said = StringIO()
    call_command("audit", "tiny", "--repair", stdout=said)
    assert "tiny: 2 unfinished loads removed" in said.getvalue()
    assert stored(campaign) == before


def test_many_judgments_are_a_job_that_a_kill_does_not_double(
    campaign: Campaign, client: Client, make: Factory, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.BACKGROUND_JUDGMENTS = 2
    settings.TASKS = {"default": {"BACKEND": "django_tasks.backends.dummy.DummyBackend"}}
    monkeypatch.setattr(unfinished_loads, "CHUNK", 1)
    client.force_login(make.make_user("carol"))
    file = SimpleUploadedFile("x.qrels", f"{LINES}1 0 NEW 9\n".encode())
    page = markup(
        client.post("/campaigns/tiny/judging/load/", {"file": file, "judge": "NIST", "grades": "9=3"})
    )
    assert "Preview of 5 judgments" in page and not campaign.jobs.exists()
    sent = {"file": SimpleUploadedFile("x.qrels", f"{LINES}1 0 NEW 9\n".encode()), "judge": "NIST"}
    sent |= {"grades": "9=3", "extend_pool": "yes", "confirmed": "yes"}
    assert "Load judgments from x.qrels" in markup(
        client.post("/campaigns/tiny/judging/load/", sent, follow=True)
    )
    job = campaign.jobs.get()
    job.state = Job.State.RUNNING
    job.save()
    before_chunk(monkeypatch, 2, kill)
    with pytest.raises(Killed):
        load_judgments_in_background(job)
    load_judgments_in_background(job)
    job.refresh_from_db()
    assert (job.state, job.message) == ("done", "5 judgments of NIST loaded.")
    assert User.objects.get(name="NIST").judgments.count() == 5
    assert campaign.pools.count() == 2
