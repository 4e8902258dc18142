"""Jobs in one process: which attempt may write, and when a job is requeued."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import OperationalError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.module_loading import import_string
from django_tasks import TaskResultStatus, default_task_backend
from django_tasks.base import Task
from django_tasks_db.models import DBTaskResult
from pytest_django import Settings

import assess.tasks
import metrics.tasks
from pooling import tasks
from pooling.management.commands import worker
from pooling.management.commands.worker import MINUTE, look_after_jobs, work_every_minute
from pooling.models import Campaign, Document, Job
from pooling.services import jobs
from pooling.services.documents import import_upload
from pooling.services.jobs import (
    Stopped,
    advance,
    cancel_job,
    finish,
    report_progress,
    run_attempt,
    start_job,
)
from pooling.services.runs import Submission, submit_upload
from tests.support.factory import Factory
from tests.support.markup import markup

SUBMIT = "pooling.tasks.submit_runs"
LONG_AGO = timezone.now() - timedelta(hours=1)


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    return make.make_campaign()


@pytest.fixture
def queue(settings: Settings) -> None:
    """A queue as in life: what is put in it stays until a worker comes."""
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}


@pytest.fixture
def shutdown() -> Iterator[None]:
    jobs.SHUTDOWN.set()
    yield
    jobs.SHUTDOWN.clear()


def collection(count: int) -> bytes:
    return "".join(json.dumps({"docno": f"D{n}", "text": "words"}) + "\n" for n in range(count)).encode()


def begin(campaign: Campaign, make: Factory, content: bytes = b"") -> Job:
    about = {"name": "d.jsonl", "form": "", "elements": "", "pooled_only": False}
    carol, title = make.make_user("carol"), "Load documents"
    return start_job(campaign, carol, tasks.import_documents, title, about, ContentFile(content))


def attempt(job: Job, service: Callable[[Job], None]) -> None:
    """Work on a job as the worker does that takes its task from the queue."""
    run_attempt(job.pk, Job.objects.get(pk=job.pk).task_id, service)


def abandon() -> None:
    """Let the lease of every job expire, and requeue them."""
    Job.objects.update(heartbeat_at=LONG_AGO)
    jobs.requeue_abandoned()


def test_an_import_stores_its_documents_and_says_so(campaign: Campaign, make: Factory) -> None:
    job = begin(campaign, make, collection(1200))
    assert (job.state, job.done, job.total) == ("done", 1200, 1200)
    assert job.message == "1,200 documents read, 1,200 stored"
    assert campaign.documents.count() == 1200


def test_a_refused_file_fails_its_job_with_its_line_and_stores_nothing(
    campaign: Campaign, make: Factory
) -> None:
    job = begin(campaign, make, collection(700) + b'{"docno": \n')
    assert job.state == "failed"
    assert job.message.startswith("d.jsonl, line 701: ")
    assert not campaign.documents.exists()


@pytest.mark.usefixtures("queue")
def test_the_next_attempt_goes_on_where_the_last_one_stood(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = begin(campaign, make, collection(1700))
    real, stored = advance, []

    def dies(job: Job, done: int, *more: Any) -> None:
        real(job, done, *more)
        stored.append(done)
        if done == 1000:
            raise OperationalError("as if the database had gone, after this was written")

    monkeypatch.setattr("pooling.services.documents.advance", dies)
    with pytest.raises(OperationalError):
        attempt(job, import_upload)
    job.refresh_from_db()
    assert (job.state, job.done, campaign.documents.count()) == ("running", 500, 500)
    abandon()
    monkeypatch.setattr("pooling.services.documents.advance", real)
    attempt(job, import_upload)
    job.refresh_from_db()
    assert (job.state, job.attempts, campaign.documents.count()) == ("done", 2, 1700)
    assert stored == [0, 500, 1000]


@pytest.mark.usefixtures("queue")
def test_a_worker_that_was_taken_for_dead_and_wakes_up_writes_nothing(
    campaign: Campaign, make: Factory
) -> None:
    job, wakes = begin(campaign, make), []

    def sleeps(mine: Job) -> None:
        abandon()
        attempt(job, works)  # another worker, meanwhile
        with transaction.atomic():
            make.make_document(campaign, "late")
            wakes.append(mine.attempts)
            advance(mine, 1, 2)

    def works(mine: Job) -> None:
        with transaction.atomic():
            make.make_document(campaign, "once")
            finish(mine, "Done")

    attempt(job, sleeps)
    job.refresh_from_db()
    assert wakes == [1]
    assert (job.state, job.attempts, job.message) == ("done", 2, "Done")
    assert list(campaign.documents.values_list("docno", flat=True)) == ["once"]


@pytest.mark.usefixtures("queue")
def test_an_attempt_writes_nothing_while_the_next_one_runs(campaign: Campaign, make: Factory) -> None:
    job = begin(campaign, make)

    def sleeps(first: Job) -> None:
        def works(second: Job) -> None:
            with pytest.raises(Stopped):
                advance(first, 1, 2)
            with pytest.raises(Stopped):
                finish(first, "Late")
            jobs.send_heartbeats()
            with pytest.raises(Stopped):
                report_progress(first, 1, 2)
            report_progress(second, 1, 2)
            finish(second, "Done")

        abandon()
        attempt(job, works)

    attempt(job, sleeps)
    job.refresh_from_db()
    assert (job.state, job.attempts, job.message) == ("done", 2, "Done")


@pytest.mark.usefixtures("queue")
def test_a_task_that_is_delivered_twice_does_its_work_once(campaign: Campaign, make: Factory) -> None:
    job, done = begin(campaign, make), []

    def effect(mine: Job) -> None:
        attempt(job, effect)  # again while it runs
        done.append(mine.attempts)
        finish(mine, "Done")

    attempt(job, effect)
    attempt(job, effect)
    assert done == [1]


@pytest.mark.usefixtures("queue")
def test_a_cancel_undoes_the_chunk_in_hand_and_keeps_those_before(campaign: Campaign, make: Factory) -> None:
    job = begin(campaign, make)

    def service(mine: Job) -> None:
        with transaction.atomic():
            make.make_document(campaign, "before")
            advance(mine, 1, 3)
        assert cancel_job(mine)
        with transaction.atomic():
            make.make_document(campaign, "after")
            advance(mine, 2, 3)

    attempt(job, service)
    job.refresh_from_db()
    assert (job.state, job.done) == ("cancelled", 1)
    assert list(campaign.documents.values_list("docno", flat=True)) == ["before"]
    assert not cancel_job(job)


@pytest.mark.usefixtures("queue")
def test_a_cancel_is_heard_while_nothing_is_stored(campaign: Campaign, make: Factory) -> None:
    job, told = begin(campaign, make), []

    def service(mine: Job) -> None:
        report_progress(mine, 1, 3, "one")
        jobs.send_heartbeats()
        told.append(Job.objects.get(pk=job.pk).message)
        cancel_job(mine)
        jobs.send_heartbeats()
        report_progress(mine, 2, 3, "two")
        told.append("went on")

    attempt(job, service)
    assert told == ["one"]
    assert Job.objects.get(pk=job.pk).state == "cancelled"


@pytest.mark.usefixtures("queue")
def test_what_waits_and_is_cancelled_is_never_begun(campaign: Campaign, make: Factory) -> None:
    job = begin(campaign, make, collection(3))
    cancel_job(job)
    attempt(job, import_upload)
    assert Job.objects.get(pk=job.pk).attempts == 0


@pytest.mark.usefixtures("queue")
def test_an_error_of_ours_fails_the_job_and_reaches_the_log(campaign: Campaign, make: Factory) -> None:
    job = begin(campaign, make)

    def service(mine: Job) -> None:
        raise KeyError("secret")

    with pytest.raises(KeyError):
        attempt(job, service)
    job.refresh_from_db()
    assert job.state == "failed"
    assert "KeyError" in job.message and "secret" not in job.message


@pytest.mark.usefixtures("queue")
def test_three_tries_without_progress_are_the_last(campaign: Campaign, make: Factory) -> None:
    job, begun = begin(campaign, make), []

    def kills(mine: Job) -> None:
        begun.append(mine.attempts)
        raise OperationalError("as if the worker had died")

    for _ in range(5):
        with pytest.raises(OperationalError) if len(begun) < 3 else transaction.atomic():
            attempt(job, kills)
        abandon()
    job.refresh_from_db()
    assert begun == [1, 2, 3]
    assert job.state == "failed"
    assert job.message.startswith("The job failed: 3 attempts")


@pytest.mark.usefixtures("queue")
def test_progress_gives_three_new_tries(campaign: Campaign, make: Factory) -> None:
    job = begin(campaign, make)

    def gets_on(mine: Job) -> None:
        advance(mine, mine.done + 1, 9)
        raise OperationalError

    for _ in range(5):
        with pytest.raises(OperationalError):
            attempt(job, gets_on)
        abandon()
    job.refresh_from_db()
    assert (job.state, job.done, job.attempts) == ("waiting", 5, 5)


@pytest.mark.usefixtures("queue")
def test_a_job_that_was_taken_out_of_the_queue_and_never_begun_is_queued_again(
    campaign: Campaign, make: Factory
) -> None:
    job = begin(campaign, make, collection(3))
    abandon()
    assert Job.objects.get(pk=job.pk).task_id == job.task_id  # it stands in the queue still
    taken = str(uuid4())
    Job.objects.update(task_id=taken)  # as if a worker had taken its task out of the queue
    abandon()
    job.refresh_from_db()
    assert default_task_backend.get_result(job.task_id).status == TaskResultStatus.READY
    assert (job.state, job.stalled_attempts) == ("waiting", 1)
    run_attempt(job.pk, taken, import_upload)  # that worker begins after all
    assert (Job.objects.get(pk=job.pk).attempts, campaign.documents.count()) == (0, 0)
    attempt(job, import_upload)
    assert campaign.documents.count() == 3


@pytest.mark.usefixtures("queue")
def test_a_job_whose_task_a_worker_has_just_claimed_is_left_to_that_worker(
    campaign: Campaign, make: Factory
) -> None:
    job = begin(campaign, make, collection(3))  # it waits in the queue for longer than a lease
    DBTaskResult.objects.get(pk=job.task_id).claim("worker")
    abandon()  # another worker looks, before the first one has started the job
    run_attempt(job.pk, job.task_id, import_upload)
    job.refresh_from_db()
    assert (job.state, job.attempts, campaign.documents.count()) == ("done", 1, 3)


@pytest.mark.usefixtures("queue")
def test_a_job_whose_task_was_claimed_longer_than_a_lease_ago_and_not_started_is_requeued(
    campaign: Campaign, make: Factory
) -> None:
    job = begin(campaign, make, collection(3))
    DBTaskResult.objects.get(pk=job.task_id).claim("worker")
    DBTaskResult.objects.update(started_at=LONG_AGO)
    abandon()
    job.refresh_from_db()
    assert default_task_backend.get_result(job.task_id).status == TaskResultStatus.READY
    assert (job.state, job.stalled_attempts) == ("waiting", 1)


@pytest.mark.usefixtures("queue")
@pytest.mark.parametrize("task", ["this.c", "pooling.tasks.renamed"])
def test_a_job_of_an_unknown_task_fails_with_a_message_and_imports_nothing(
    campaign: Campaign, make: Factory, task: str
) -> None:
    job = make.make_job(campaign, state="waiting", task=task)
    sys.modules.pop("this", None)
    jobs.requeue_abandoned()
    job.refresh_from_db()
    assert (job.state, job.task_id) == ("failed", "")
    assert f"does not know the task {task}" in job.message
    assert "this" not in sys.modules


@pytest.mark.usefixtures("queue")
def test_a_job_of_the_last_version_is_requeued_under_the_new_path_of_its_task(
    campaign: Campaign, make: Factory
) -> None:
    job = make.make_job(campaign, state="running", task="assess.tasks.load_clicks")
    abandon()
    job.refresh_from_db()
    assert job.state == "waiting"
    assert default_task_backend.get_result(job.task_id).task == assess.tasks.load_clicks


def test_a_task_that_the_last_version_queued_can_still_be_imported() -> None:
    former = {path: each for path, each in jobs.TASKS.items() if path != each.module_path}
    assert "assess.tasks.load_clicks" in former
    assert {path: import_string(path) for path in former} == former


@pytest.mark.usefixtures("queue")
def test_a_queued_job_whose_task_is_gone_after_an_upgrade_fails_and_the_others_are_requeued(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, other = begin(campaign, make), make.make_job(campaign, state="running", task=SUBMIT)
    monkeypatch.delattr(tasks, "import_documents")
    monkeypatch.delitem(jobs.TASKS, gone.task)
    abandon()
    gone.refresh_from_db()
    other.refresh_from_db()
    assert (gone.state, other.state) == ("failed", "waiting")
    assert f"does not know the task {gone.task}" in gone.message


def test_every_task_of_the_apps_except_a_mail_is_registered_as_a_job() -> None:
    found = {
        each.module_path
        for module in (tasks, assess.tasks, metrics.tasks)
        for each in vars(module).values()
        if isinstance(each, Task)
    }
    names = {each.module_path for each in jobs.TASKS.values()}
    registered = {name for name in names if not name.startswith("tests.")}  # chores of other tests
    assert found - registered == {"assess.tasks.mail_invitation"}  # a mail, without a job that a page shows
    assert registered <= found


@pytest.mark.usefixtures("queue", "shutdown")
def test_a_worker_that_is_asked_to_end_hands_back_what_it_has_in_hand(
    campaign: Campaign, make: Factory
) -> None:
    job = begin(campaign, make)
    attempt(job, lambda mine: advance(mine, 1, 2))
    again = Job.objects.get(pk=job.pk)
    assert (again.state, again.done, again.stalled_attempts) == ("waiting", 0, 0)
    assert again.task_id != job.task_id


def test_a_signed_hand_that_holds_nothing_may_not_finish(campaign: Campaign, make: Factory) -> None:
    with pytest.raises(Stopped):
        finish(make.make_job(campaign, state="cancelled"), "Done")


def test_an_upload_is_dropped_once_its_job_has_ended(campaign: Campaign, make: Factory) -> None:
    job = begin(campaign, make, collection(3))
    name, storage = str(job.upload.name), job.upload.storage
    jobs.delete_uploads()
    assert storage.exists(name)  # somebody may still read it
    Job.objects.update(finished_at=LONG_AGO)
    jobs.delete_uploads()
    assert not storage.exists(name)
    assert not Job.objects.get(pk=job.pk).upload


def test_only_uploads_are_dropped_with_a_job(campaign: Campaign, make: Factory) -> None:
    make.make_topic(campaign)
    name = str(make.make_run(campaign, "1 D1 1").original.name)
    make.make_job(campaign, state="done", upload=name, finished_at=LONG_AGO)
    jobs.delete_uploads()
    assert default_storage.exists(name)


@pytest.mark.parametrize("error", [OSError("the storage is away"), KeyError("a bug")])
def test_the_heartbeat_goes_on_after_an_error(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    beats = []

    def beat() -> None:
        beats.append(1)
        if len(beats) == 1:
            raise error

    monkeypatch.setattr(jobs, "send_heartbeats", beat)
    monkeypatch.setattr(jobs, "requeue_abandoned", lambda: None)
    monkeypatch.setattr(jobs, "delete_uploads", lambda: None)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setattr("os.getppid", lambda: 1 if len(beats) < 3 else 2)
    monkeypatch.setattr("os._exit", lambda status: None)
    look_after_jobs(1)
    assert len(beats) == 3


def test_the_work_of_every_minute_goes_on_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[str] = []
    pauses: list[float] = []

    def call(command: str) -> None:
        called.append(command)
        raise OSError("the network is away")

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(worker, "call_command", call)
    monkeypatch.setattr(worker, "close_old_connections", lambda: None)
    monkeypatch.setattr("time.sleep", pause)
    with pytest.raises(KeyboardInterrupt):
        work_every_minute()
    assert called == ["run_every_minute"] * 2 and pauses == [MINUTE] * 3


@pytest.fixture
def carol(campaign: Campaign, make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def test_a_large_upload_becomes_a_job_and_a_small_one_does_not(
    campaign: Campaign, carol: Client, settings: Settings
) -> None:
    settings.BACKGROUND_BYTES = 10_000
    for count, expected in ((3, 0), (600, 1)):
        file = ContentFile(collection(count), "d.jsonl")
        answer = carol.post("/campaigns/tiny/documents/report/", {"file": file, "keep": "all"})
        assert answer.status_code == 200
        assert Job.objects.count() == expected
        assert Document.objects.count() == count
    assert "loaded in the background" in markup(answer)


def archive(**files: str) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as packed:
        for name, content in files.items():
            packed.writestr(f"{name}.run", content)
    return kept.getvalue()


RUNS = {tag: f"1 Q0 D1 1 2.0 {tag}\n1 Q0 D2 2 1.0 {tag}\n" for tag in ("a", "b", "c")}


def test_an_archive_of_runs_becomes_a_job_that_lists_what_is_refused(
    campaign: Campaign, make: Factory, carol: Client, settings: Settings
) -> None:
    settings.BACKGROUND_BYTES = 100
    make.make_topic(campaign)
    file = ContentFile(archive(**RUNS, broken="1 Q0 D1 1 much broken\n"), "runs.zip")
    carol.post("/campaigns/tiny/report/", {"run_files": file, "priority": 2, "tag_from": "column"})
    job = campaign.jobs.get()
    assert (job.state, job.done) == ("done", 4)
    assert job.message == "3 runs stored, 1 refused"
    assert job.result_url == "/campaigns/tiny/runs/"
    assert sorted(campaign.runs.values_list("tag", "priority")) == [("a", 2), ("b", 2), ("c", 2)]
    content = markup(carol.get("/campaigns/tiny/jobs/"))
    assert "broken.run" in content and "line 1" in content


@pytest.mark.usefixtures("queue")
def test_runs_that_an_earlier_attempt_stored_are_not_submitted_again(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.make_topic(campaign)
    about = {"name": "runs.zip", "tag_from_name": True, "about": Submission(group="g")._asdict()}
    content = ContentFile(archive(**RUNS))
    job = start_job(campaign, make.make_user("carol"), tasks.submit_runs, "Submit", about, content)

    def dies(job: Job, done: int, *more: Any) -> None:
        advance(job, done, *more)
        if done == 2:
            raise OperationalError

    monkeypatch.setattr("pooling.services.runs.advance", dies)
    with pytest.raises(OperationalError):
        attempt(job, submit_upload)
    assert list(campaign.runs.values_list("tag", flat=True)) == ["a"]
    abandon()
    monkeypatch.setattr("pooling.services.runs.advance", advance)
    attempt(job, submit_upload)
    job.refresh_from_db()
    assert (job.state, job.message) == ("done", "3 runs stored, 0 refused")
    assert list(campaign.runs.values_list("tag", flat=True)) == ["a", "b", "c"]


@pytest.mark.usefixtures("queue")
def test_a_page_shows_progress_and_a_click_cancels(campaign: Campaign, make: Factory, carol: Client) -> None:
    job = begin(campaign, make, collection(3))
    Job.objects.filter(pk=job.pk).update(done=1500, total=3000, state="running")
    for place in ("jobs/", f"jobs/{job.pk}/", "documents/"):
        content = markup(carol.get(f"/campaigns/tiny/{place}"))
        assert f'id="job-{job.pk}"' in content
        assert 'value="1500" max="3000"' in content and "1,500 of 3,000" in content
    answer = carol.post(f"/campaigns/tiny/jobs/{job.pk}/cancel/", headers={"HX-Request": "true"}, follow=True)
    content = markup(answer)
    assert "Cancelled." in content and "hx-trigger" not in content and "<html" not in content
    assert carol.get("/campaigns/tiny/documents/").content.count(b'class="job"') == 0


def test_the_list_asks_no_more_of_the_database_with_more_jobs(
    campaign: Campaign, make: Factory, carol: Client
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as context:
            assert carol.get("/campaigns/tiny/jobs/").status_code == 200
        return len(context)

    make.make_job(campaign)
    carol.get("/campaigns/tiny/jobs/")  # what the navigation shows is cached
    of_one_job = queries()
    for _ in range(20):
        make.make_job(campaign)
    assert queries() == of_one_job
