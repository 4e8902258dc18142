"""Jobs that create the requests of large labellings and load large result files."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from assess.machines import tasks
from assess.machines.queries.requests import counts
from assess.machines.services import results as machine_results
from assess.machines.services.endpoints import AskingRefused, send_again
from assess.machines.services.labellings import LabellingDetails, create_in_background, start_creation
from assess.machines.services.prompts import MachineRefused
from assess.machines.services.requests import ServerAnswer, store_answer, store_failure, store_machine_labels
from assess.machines.services.results import LoadedResults, load_results_in_background, start_loading
from assess.models import MachineLabelling, MachinePrompt, MachineRequest
from pooling.formats.files import BadLine
from pooling.models import Campaign, Job
from pooling.services.jobs import JobTask, Stopped, cancel_job
from tests.assess.machines.test_labellings import (
    answer,
    build_campaign,
    carol,
    lines_of,
    prompt,
    results_of,
    start,
)
from tests.assess.machines.test_pages import HOME, LABELLING
from tests.support.factory import Factory
from tests.support.markup import markup

__all__ = ["build_campaign", "carol", "prompt"]


@pytest.fixture
def queue(settings: Settings) -> None:
    """Tasks wait: a test calls the service of a job."""
    settings.TASKS = {"default": {"BACKEND": "django_tasks.backends.dummy.DummyBackend"}}


@pytest.fixture
def client(campaign: Campaign, carol: User) -> Client:
    client = Client()
    client.force_login(carol)
    return client


def running(job: Job) -> Job:
    job.state = Job.State.RUNNING
    job.save()
    return job


def test_many_requests_and_large_files_are_jobs(
    client: Client, campaign: Campaign, prompt: MachinePrompt, settings: Settings
) -> None:
    settings.BACKGROUND_REQUESTS, settings.BACKGROUND_RESULTS = 2, 10
    sent = LABELLING | {"confirmed": "yes"}
    assert client.post(f"{HOME}labellings/", sent)["Location"] == f"{HOME}labellings/"
    job, labelling = campaign.jobs.get(), campaign.labellings.get()
    assert (job.state, job.message) == ("done", "3 requests created. Nothing has been sent.")
    assert job.result_url == f"{HOME}labellings/1/"
    assert (labelling.input_price, labelling.created_by) == (Decimal("2.5"), prompt.created_by)
    content = results_of(lines_of(labelling), ["3", "0", "no idea"])
    page = client.post(job.result_url, {"file": SimpleUploadedFile("r.jsonl", content)}, follow=True)
    assert "3 answers stored, 1 without a readable grade." in markup(page)
    assert counts(labelling).answered == 3
    assert campaign.audit_log.filter(verb="loaded results").count() == 1
    client.post(f"{HOME}labellings/", sent)  # the name is in use: refused before a job starts
    assert list(campaign.jobs.values_list("state", flat=True)) == ["done", "done"]


@pytest.mark.usefixtures("queue")
def test_a_cancelled_creation_stores_nothing(client: Client, prompt: MachinePrompt, carol: User) -> None:
    campaign = prompt.campaign
    details = LabellingDetails(prompt, "judge", "m-1", {"samples": 1}, {})
    job = running(start_creation(campaign, carol, details, tasks.create_requests))
    assert "Create the requests of judge" in markup(client.get(f"{HOME}labellings/"))
    cancel_job(job)
    with pytest.raises(Stopped):
        create_in_background(job)
    assert not campaign.labellings.exists()


@pytest.fixture
def loading(prompt: MachinePrompt, monkeypatch: pytest.MonkeyPatch, queue: None) -> Iterator[Job]:
    """A job that loads three results in three transactions."""
    monkeypatch.setattr(machine_results, "CHUNK", 1)
    labelling = start(prompt)
    content = results_of(lines_of(labelling), ["3", "0", "!"])
    file = ContentFile(content, "r.jsonl")
    yield running(start_loading(labelling, prompt.created_by, file, tasks.load_results))


@pytest.mark.parametrize("task", [tasks.load_results, tasks.ask_endpoint])
def test_while_a_job_works_the_page_shows_it_and_offers_nothing_that_collides(
    loading: Job, client: Client, task: JobTask
) -> None:
    Job.objects.filter(pk=loading.pk).update(task=task.module_path)
    MachineRequest.objects.filter(pk=MachineRequest.objects.earliest("pk").pk).update(state="answered")
    page = markup(client.get(f"{HOME}labellings/1/"))
    assert str(loading.title) in page and "While a job works on this labelling" in page
    assert "Store labels" not in page and "Batch files" not in page and ">Load results<" not in page
    Job.objects.update(state=Job.State.DONE)
    page = markup(client.get(f"{HOME}labellings/1/"))
    assert "Store labels" in page and "Batch files" in page and ">Load results<" in page


def test_a_job_continues_after_the_results_that_are_stored(
    loading: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored: list[int] = []
    store_chunk = machine_results._store_chunk

    def interrupted(labelling: MachineLabelling, values: dict[str, Any]) -> LoadedResults:
        stored.append(len(values))
        if len(stored) == 3:
            raise Stopped
        return store_chunk(labelling, values)

    monkeypatch.setattr(machine_results, "_store_chunk", interrupted)
    with pytest.raises(Stopped):
        load_results_in_background(loading)
    labelling = loading.campaign.labellings.get()
    assert (counts(labelling).answered, counts(labelling).failed) == (1, 1)
    load_results_in_background(Job.objects.get())
    job = Job.objects.get()
    assert (job.state, job.done, job.message) == ("done", 3, "2 answers stored; 1 failed.")
    assert len(stored) == 4
    assert loading.campaign.audit_log.filter(verb="loaded results").count() == 1


def test_a_job_with_a_bad_line_stores_nothing(prompt: MachinePrompt, queue: None) -> None:
    labelling = start(prompt)
    file = ContentFile(results_of(lines_of(labelling), "012") + b"{}\n", "r.jsonl")
    job = running(start_loading(labelling, prompt.created_by, file, tasks.load_results))
    with pytest.raises(BadLine):
        load_results_in_background(job)
    assert counts(labelling).waiting == 3


def test_no_labels_are_stored_while_a_job_works_on_the_labelling(loading: Job, carol: User) -> None:
    labelling = loading.campaign.labellings.get()
    store_answer(labelling.requests.all()[0], ServerAnswer("3"))
    with pytest.raises(MachineRefused, match="A job is sending the requests"):
        store_machine_labels(labelling, carol)
    carol.is_superuser = True
    with pytest.raises(AskingRefused, match="or storing results"):
        send_again(labelling, carol, "failed")
    cancel_job(loading)
    assert store_machine_labels(labelling, carol).user.judgments.count() == 1


def test_the_labels_of_many_requests_are_stored_by_a_job(
    client: Client, prompt: MachinePrompt, settings: Settings
) -> None:
    settings.BACKGROUND_REQUESTS = 2
    labelling = start(prompt)
    answer(labelling, "3", "0", "1")
    client.post(f"{HOME}labellings/1/labels/", {"confirmed": "yes"})
    job = labelling.campaign.jobs.get()
    assert (job.state, job.message) == ("done", "3 labels of judge stored.")
    labelling.refresh_from_db()
    assert labelling.machine and labelling.machine.user.judgments.count() == 3


def test_answers_do_not_change_after_the_labels(prompt: MachinePrompt, carol: User) -> None:
    labelling = start(prompt)
    first, second, _ = labelling.requests.all()
    store_answer(first, ServerAnswer("3"))
    store_machine_labels(labelling, carol)
    before = list(labelling.requests.values())
    assert not store_answer(second, ServerAnswer("2"))
    store_failure(second, "Time-out.")
    assert list(labelling.requests.values()) == before


def test_answers_without_a_refused_parameter_are_not_reused(prompt: MachinePrompt, make: Factory) -> None:
    earlier = start(prompt)
    answer(earlier, "3", "0", "1")
    earlier.adjustments = {"temperature": ""}
    earlier.save()
    assert counts(start(prompt, "second")).reused == 0
    earlier.adjustments = {}
    earlier.save()
    assert counts(start(prompt, "third")).reused == 3
