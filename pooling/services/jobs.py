"""Work outside a request: start it, cancel it, report its progress, requeue it after a crash.

The queue is `django-tasks`: it holds a task for each attempt at a job, and hands each task to one worker. The
`Job` row holds what the page shows and what a restart needs. Its task_id is the id of the task of the current
attempt, and names the attempt: an attempt writes only while the job is running under its task_id.

The worker sends heartbeats for its attempts. When the last heartbeat is older than the lease
(`settings.JOB_LEASE` seconds), the job is requeued with a new task_id, and the next attempt continues from
the cursor. If the first worker was only slow, its next write finds another task_id and raises Stopped, which
rolls its transaction back: every effect is stored once.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import IO, Any, TypeAlias
from uuid import uuid4

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import OperationalError, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce, Greatest, Now
from django.utils import timezone
from django_tasks import TaskContext, TaskResultStatus, default_task_backend, task
from django_tasks.base import Task
from django_tasks.exceptions import TaskResultDoesNotExist

from accounts.models import User
from accounts.services import make_once
from pooling.campaign_states import check_writable
from pooling.checksum import sha256_of_parts
from pooling.log_fields import logged_with
from pooling.models import Campaign, Job
from pooling.refusals import Refused
from pooling.services.audit_log import log_change

log = logging.getLogger("jurypool.jobs")

MAX_STALLED_ATTEMPTS = 3  # attempts without progress, after which a job fails
NO_PROGRESS_MESSAGE = (
    f"The job failed: {MAX_STALLED_ATTEMPTS} attempts ended without progress. "
    "The log of the worker may say why; often it is memory."
)
ERROR_MESSAGE = "An internal error ended this job ({}). It was logged; the log of the worker says where."

UNKNOWN_TASK_MESSAGE = (
    "This version of Jurypool does not know the task {}. Start the work again from its page."
)
UPLOAD_FOLDER = "uploads/"  # the folder of the storage for files that jobs need

State = Job.State
JobTask: TypeAlias = Task[[int], None]
TASKS: dict[str, JobTask] = {}  # by module path; filled by the `tasks` modules of the apps


class Stopped(Exception):
    """The attempt must end: its job was cancelled or requeued, or this process is shutting down."""


@dataclass
class Attempt:
    """An attempt at a job by this process.

    progress: columns of the job to store with the next heartbeat. lost: whether the job was cancelled or
    requeued, as of the last heartbeat.
    """

    job: Job
    progress: dict[str, Any] = field(default_factory=dict)
    lost: bool = False


ATTEMPTS: dict[str, Attempt] = {}  # task_id -> attempt, of this process
SHUTDOWN = threading.Event()  # set when this process is asked to end


def job_task(function: Callable[[TaskContext, int], None]) -> JobTask:
    """Register a task that jobs may name. The function gets the task's context and the key of the job."""
    registered: JobTask = task(takes_context=True)(function)
    TASKS[registered.module_path] = registered
    return registered


def formerly(path: str) -> Callable[[JobTask], JobTask]:
    """Register a task under the module path of an earlier version, too: jobs that it queued name it."""

    def register(kind: JobTask) -> JobTask:
        TASKS[path] = kind
        return kind

    return register


def start_job(
    campaign: Campaign,
    user: User,
    kind: JobTask,
    title: str,
    arguments: Mapping[str, Any],
    upload: IO[bytes] | None = None,
    key: str = "",
    held_message: str = "",
) -> Job:
    """Create a job and enqueue it, or return the unfinished job with the same work.

    upload: a file that the work needs, stored until the job has ended. key: see `make_once`; for work that
    may be repeated once it has ended. held_message: if there is one and the campaign has no pool, hold
    the job with this message until a pool is frozen. Raises StateRefused for an archived campaign.
    """
    check_writable(campaign.state)
    content = _name_of(upload) if upload else ""
    name = default_storage.save(f"{content}{uuid4().hex}", File(upload)) if upload else ""
    work = {
        "campaign": campaign,
        "task": kind.module_path,
        "title": title[:300],
        "arguments": dict(arguments),
    }

    def create() -> Job:  # the job and its task: both or neither
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)  # one job at a time
        same = Job.objects.filter(**work, state__in=Job.UNFINISHED)
        same = same.filter(upload__startswith=content) if content else same.filter(upload="")
        if unfinished_job := same.first():
            return unfinished_job
        if held_message and not campaign.pools.exists():
            return Job.objects.create(user=user, upload=name, state=State.HELD, message=held_message, **work)
        job = Job.objects.create(user=user, upload=name, **work)
        _enqueue(job)
        return job

    job = make_once(user, key, Job, create)
    if name and job.upload.name != name:
        default_storage.delete(name)
    job.refresh_from_db()
    return job


def _name_of(upload: IO[bytes]) -> str:
    """Return how the names of uploads with this content begin."""
    return f"{UPLOAD_FOLDER}{sha256_of_parts(File(upload).chunks())[:32]}-"


@transaction.atomic
def cancel_job(job: Job, by: User | None = None) -> bool:
    """Cancel a job unless it has ended; what it has stored stays. Returns whether it was cancelled."""
    unfinished = Job.objects.filter(pk=job.pk, state__in=Job.UNFINISHED)
    cancelled = unfinished.update(state=State.CANCELLED, message="Cancelled.", finished_at=Now())
    if cancelled:
        log_change(job.campaign, by, "cancelled a job", job.title, job=job.pk)
    return bool(cancelled)


def start_held_jobs(campaign: Campaign) -> None:
    """Enqueue the jobs that are held until a pool is frozen. Call it in the transaction that stores it."""
    for job in campaign.jobs.filter(state=State.HELD).order_by("pk"):
        Job.objects.filter(pk=job.pk).update(state=State.WAITING, task_id="", message="")
        _enqueue(job)


@transaction.atomic
def hold_until_pool(job: Job, message: str) -> bool:
    """Hold a running job until a pool is frozen. Returns False if the campaign has one. Raises Stopped."""
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=job.campaign_id)  # no pool meanwhile
    if campaign.pools.exists():
        return False
    held = {"state": State.HELD, "message": message, "done": 0, "total": 0, "stalled_attempts": 0}
    if not _current(job).update(**held):
        raise Stopped
    return True


def run_attempt(pk: int, task_id: str, service: Callable[[Job], None]) -> None:
    """Run an attempt at a job that waits under this task_id: call `service`, which ends with `finish`.

    task_id: the id of the task that calls this. A refusal (of a file, say) fails the job with its message;
    any other error is logged, and the job's message says only that there was one. When the database is not
    reachable nothing can be stored: the lease expires, and the job is requeued.
    """
    job = _start(pk, task_id)
    if job is None:
        return
    ATTEMPTS[task_id] = Attempt(job)
    with logged_with(job=pk, campaign=job.campaign.slug):
        log.info("begun: %s, attempt %s", job, job.attempts)
        try:
            service(job)
            log.info("done")
        except Stopped:
            log.info("stopped")
            if SHUTDOWN.is_set():
                _hand_back(job)
        except Refused as error:
            log.info("refused: %s", error)
            _end(job, State.FAILED, str(error))
        except OperationalError:
            log.exception("the database went away")
            raise
        except Exception as error:
            log.exception("failed")
            _end(job, State.FAILED, ERROR_MESSAGE.format(type(error).__name__))
            raise
        finally:
            ATTEMPTS.pop(task_id, None)


def advance(
    job: Job, done: int, total: int, message: str = "", cursor: Mapping[str, Any] | None = None
) -> None:
    """Store the progress of a job. Call it in the transaction that stores the work it counts.

    cursor: where the next attempt continues. Raises Stopped, which rolls the transaction back.
    """
    progress = {"done": done, "total": total, "message": message, "cursor": dict(cursor or {})}
    if SHUTDOWN.is_set() or not _current(job).update(stalled_attempts=0, heartbeat_at=Now(), **progress):
        raise Stopped
    for name, value in progress.items():
        setattr(job, name, value)
    if attempt := ATTEMPTS.get(job.task_id):
        attempt.progress = {}


def report_progress(job: Job, done: int, total: int, message: str = "") -> None:
    """Report progress while nothing is stored yet: the next heartbeat writes it.

    It makes no query, so it may be called while rows are being read. Raises Stopped.
    """
    attempt = ATTEMPTS.get(job.task_id)
    if SHUTDOWN.is_set() or (attempt and attempt.lost):
        raise Stopped
    if attempt:
        attempt.progress = {"done": done, "total": total, "message": message}


def finish(job: Job, message: str, result_url: str = "") -> None:
    """Mark a job as done. Call it in the transaction that stores its last effect. Raises Stopped."""
    if not _end(job, State.DONE, message, result_url=result_url, done=Greatest("done", "total")):
        raise Stopped


def send_heartbeats() -> None:
    """Store a heartbeat and the reported progress of every attempt of this process; note which are lost."""
    for attempt in list(ATTEMPTS.values()):
        attempt.lost = not _current(attempt.job).update(heartbeat_at=Now(), **attempt.progress)


def requeue_abandoned() -> None:
    """Requeue jobs whose lease expired; fail a job after three attempts without progress."""
    for job in _abandoned():
        if job.state == State.WAITING and _is_pending(job):
            continue
        unchanged = _abandoned().filter(pk=job.pk, task_id=job.task_id, state=job.state)
        if job.stalled_attempts >= MAX_STALLED_ATTEMPTS:
            unchanged.update(state=State.FAILED, message=NO_PROGRESS_MESSAGE, finished_at=Now())
            continue
        with transaction.atomic():
            not_started = int(job.state == State.WAITING)  # its worker ended between the claim and `_start`
            if unchanged.update(state=State.WAITING, stalled_attempts=F("stalled_attempts") + not_started):
                _enqueue(job)


def delete_uploads() -> None:
    """Delete the uploads of jobs that ended more than a lease ago, so that no attempt still reads them."""
    ended = Job.objects.exclude(state__in=Job.UNFINISHED).filter(upload__startswith=UPLOAD_FOLDER)
    for job in ended.filter(finished_at__lt=_lease_limit()):
        job.upload.delete(save=False)
        Job.objects.filter(pk=job.pk).update(upload="")


def _start(pk: int, task_id: str) -> Job | None:
    """Store that an attempt has started, and return its job; None if it does not wait under this id.

    The immediate backend of `django-tasks` runs a task before `enqueue` returns its id: a new job, which has
    no task_id yet, gets it here.
    """
    waiting = Job.objects.filter(pk=pk, state=State.WAITING, task_id__in=["", task_id])
    with transaction.atomic():
        if not waiting.update(
            state=State.RUNNING,
            task_id=task_id,
            attempts=F("attempts") + 1,
            stalled_attempts=F("stalled_attempts") + 1,
            started_at=Coalesce("started_at", Now()),
            heartbeat_at=Now(),
        ):
            return None
        return Job.objects.select_related("campaign", "user").get(pk=pk)


def _current(job: Job) -> QuerySet[Job]:
    """Return the row of the job while the attempt that `job` was loaded for may write it, else no row."""
    return Job.objects.filter(pk=job.pk, state=State.RUNNING, task_id=job.task_id)


def _end(job: Job, state: str, message: str, **more: Any) -> bool:
    return bool(_current(job).update(state=state, message=message, finished_at=Now(), **more))


def _hand_back(job: Job) -> None:
    with transaction.atomic():
        if _current(job).update(state=State.WAITING, stalled_attempts=0):
            _enqueue(job)


def _enqueue(job: Job) -> None:
    """Give a job a new task in the queue, and with it a new task_id. Call it in a transaction.

    The job fails if its task is not registered, as after an upgrade.
    """
    stored = Job.objects.filter(pk=job.pk)
    registered = TASKS.get(job.task)
    if registered is None:
        log.error("job %s: unknown task %r", job.pk, job.task)
        stored.update(state=State.FAILED, message=UNKNOWN_TASK_MESSAGE.format(job.task), finished_at=Now())
        return
    stored.update(task_id=registered.enqueue(job.pk).id, heartbeat_at=Now())


def _abandoned() -> QuerySet[Job]:
    expired = Q(heartbeat_at__lt=_lease_limit()) | Q(heartbeat_at=None)
    return Job.objects.filter(expired, state__in=Job.QUEUED)


def _lease_limit() -> Any:
    """Return the database's time before which a heartbeat has expired."""
    return Now() - timedelta(seconds=settings.JOB_LEASE)


def _is_pending(job: Job) -> bool:
    """Return whether a worker will start a waiting job: its task is in the queue, or a worker has claimed it
    less than a lease ago. A task that is unknown here is not: the backend would have to import it.
    """
    if job.task not in TASKS:
        return False
    try:
        result = default_task_backend.get_result(job.task_id)
    except TaskResultDoesNotExist:
        return False
    if result.status == TaskResultStatus.RUNNING and result.last_attempted_at:
        return timezone.now() - result.last_attempted_at < timedelta(seconds=settings.JOB_LEASE)
    return bool(result.status == TaskResultStatus.READY)
