"""Work outside a request: begun, told how far it is, cancelled, taken over from the dead; each effect once.

A job is a row that says what is to be done and how far it is; the queue carries its key. Whoever works on it
writes under the number of its attempt and within a lease. A worker that falls silent is taken for dead when
the lease has run out: the job is queued again, and goes on from its cursor under the next number. The silent
one may wake up: it finds the number gone, and its transaction is undone.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import IO, Any, TypeAlias
from uuid import uuid4

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import OperationalError, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce, Greatest, Now
from django_tasks import TaskResultStatus, default_task_backend, task
from django_tasks.base import Task
from django_tasks.exceptions import TaskResultDoesNotExist

from accounts.models import User
from pooling.log_fields import logged_with
from pooling.models import Campaign, Job
from pooling.refusals import Refused
from pooling.services.trail import note

log = logging.getLogger("jurypool.jobs")

TRIES = 3  # attempts that get no further, until a job is given up
DIED = (
    f"Given up: {TRIES} times the worker ended here without getting any further. Its log may say why; "
    "often it is memory."
)
ERROR = "An internal error ended this job ({}). It was logged; the log of the worker says where."

UNKNOWN_TASK = "This version of Jurypool does not know the task {}. Start the work again from its page."
UPLOADS = "uploads/"  # the folder of the storage for files that jobs need

State = Job.State
JobTask: TypeAlias = Task[[int], None]
TASKS: dict[str, JobTask] = {}  # by module path; filled by the `tasks` modules of the apps


class Stopped(Exception):
    """The job is not this attempt's any more: cancelled, taken over, or the worker is asked to end."""


@dataclass
class Hold:
    """A job that this process works on, and what was told of it since the last beat of the heart."""

    attempt: int
    told: dict[str, Any]
    lost: bool = False


HELD: dict[int, Hold] = {}  # by key of the job; the worker's heart beats for these
LEAVING = threading.Event()  # set when this process is asked to end


def job_task(function: Callable[[int], None]) -> JobTask:
    """Register a function, which is called with the key of a job, as a task that jobs may name."""
    found: JobTask = task(function)
    TASKS[found.module_path] = found
    return found


def start_job(
    campaign: Campaign,
    user: User,
    kind: JobTask,
    title: str,
    arguments: Mapping[str, Any],
    upload: IO[bytes] | None = None,
) -> Job:
    """Queue work. upload: a file that the work needs, kept until the job has ended."""
    kept = default_storage.save(f"{UPLOADS}{uuid4()}", File(upload)) if upload else ""
    with transaction.atomic():  # the row and its place in the queue: both or neither
        job = Job.objects.create(
            campaign=campaign,
            user=user,
            task=kind.module_path,
            title=title[:300],
            arguments=dict(arguments),
            upload=kept,
        )
        _enqueue(job)
    job.refresh_from_db()
    return job


@transaction.atomic
def cancel_job(job: Job, by: User | None = None) -> bool:
    """Cancel what has not ended; what is stored of it stays. Returns whether it had not."""
    unfinished = Job.objects.filter(pk=job.pk, state__in=Job.UNFINISHED)
    cancelled = unfinished.update(state=State.CANCELLED, message="Cancelled.", finished_at=Now())
    if cancelled:
        note(job.campaign, by, "cancelled a job", job.title, job=job.pk)
    return bool(cancelled)


def work(pk: int, service: Callable[[Job], None]) -> None:
    """Do a job with the service that knows how, if it waits; the service ends with `finish`.

    A refusal (of a file, say) fails the job with its message; any other error is logged, and the job says
    only that there was one. When the database went away nothing can be noted: the lease runs out, and the
    job is tried again.
    """
    job = _take(pk)
    if job is None:
        return
    HELD[pk] = Hold(job.attempts, {})
    with logged_with(job=pk, campaign=job.campaign.slug):
        log.info("begun: %s, attempt %s", job, job.attempts)
        try:
            service(job)
            log.info("done")
        except Stopped:
            log.info("stopped")
            if LEAVING.is_set():
                _hand_back(job)
        except Refused as error:
            log.info("refused: %s", error)
            _end(job, State.FAILED, str(error))
        except OperationalError:
            log.exception("the database went away")
            raise
        except Exception as error:
            log.exception("failed")
            _end(job, State.FAILED, ERROR.format(type(error).__name__))
            raise
        finally:
            HELD.pop(pk, None)


def advance(
    job: Job, done: int, total: int, message: str = "", cursor: Mapping[str, Any] | None = None
) -> None:
    """Note how far a job is, in the transaction that stores what is counted: both are there or neither.

    cursor: from where the next attempt goes on. Raises Stopped, which undoes the transaction.
    """
    told = {"done": done, "total": total, "message": message, "cursor": dict(cursor or {})}
    if LEAVING.is_set() or not _held(job).update(tries=0, beat_at=Now(), **told):
        raise Stopped
    for name, value in told.items():
        setattr(job, name, value)
    if hold := HELD.get(job.pk):
        hold.told = {}


def tell(job: Job, done: int, total: int, message: str = "") -> None:
    """Say how far a job is where nothing is stored yet: the heart writes it with its next beat.

    It is cheap, and safe while rows are being read. Raises Stopped.
    """
    hold = HELD.get(job.pk)
    if LEAVING.is_set() or (hold and hold.lost):
        raise Stopped
    if hold:
        hold.told = {"done": done, "total": total, "message": message}


def finish(job: Job, message: str, result_url: str = "") -> None:
    """End a job, in the transaction of its last effect if that must happen once. Raises Stopped."""
    if not _end(job, State.DONE, message, result_url=result_url, done=Greatest("done", "total")):
        raise Stopped


def beat() -> None:
    """Give a sign of life for each job in hand, with what was told of it; note which are lost."""
    for pk, hold in list(HELD.items()):
        ours = Job.objects.filter(pk=pk, state=State.RUNNING, attempts=hold.attempt)
        hold.lost = not ours.update(beat_at=Now(), **hold.told)


def revive() -> None:
    """Queue again what the dead left, or give it up after three tries that got no further."""
    for job in _silent():
        if job.state == State.WAITING and _is_queued(job):
            continue
        ours = _silent().filter(pk=job.pk, attempts=job.attempts, state=job.state)
        if job.tries >= TRIES:
            ours.update(state=State.FAILED, message=DIED, finished_at=Now())
            continue
        with transaction.atomic():
            tried = int(job.state == State.WAITING)  # whoever had it did not even begin
            if ours.update(state=State.WAITING, tries=F("tries") + tried):
                _enqueue(job)


def drop_uploads() -> None:
    """Drop the files of jobs that ended: a lease ago, when nobody can be reading them any more."""
    ended = Job.objects.exclude(state__in=Job.UNFINISHED).filter(upload__startswith=UPLOADS)
    for job in ended.filter(finished_at__lt=_a_lease_ago()):
        job.upload.delete(save=False)
        Job.objects.filter(pk=job.pk).update(upload="")


def _take(pk: int) -> Job | None:
    """Begin the next attempt at a job that waits; None when it does not, as after a cancel."""
    waiting = Job.objects.filter(pk=pk, state=State.WAITING)
    with transaction.atomic():
        if not waiting.update(
            state=State.RUNNING,
            attempts=F("attempts") + 1,
            tries=F("tries") + 1,
            started_at=Coalesce("started_at", Now()),
            beat_at=Now(),
        ):
            return None
        return Job.objects.select_related("campaign", "user").get(pk=pk)


def _held(job: Job) -> QuerySet[Job]:
    """Return the job as long as it is this attempt's; an update of it waits for whoever else writes it."""
    return Job.objects.filter(pk=job.pk, state=State.RUNNING, attempts=job.attempts)


def _end(job: Job, state: str, message: str, **more: Any) -> bool:
    return bool(_held(job).update(state=state, message=message, finished_at=Now(), **more))


def _hand_back(job: Job) -> None:
    with transaction.atomic():
        if _held(job).update(state=State.WAITING, tries=0):
            _enqueue(job)


def _enqueue(job: Job) -> None:
    """Put a job into the queue; fail it if its task is not registered, as after an upgrade."""
    stored = Job.objects.filter(pk=job.pk)
    registered = TASKS.get(job.task)
    if registered is None:
        log.error("job %s: unknown task %r", job.pk, job.task)
        stored.update(state=State.FAILED, message=UNKNOWN_TASK.format(job.task), finished_at=Now())
        return
    stored.update(beat_at=Now())
    stored.update(ticket=registered.enqueue(job.pk).id)


def _silent() -> QuerySet[Job]:
    return Job.objects.filter(Q(beat_at__lt=_a_lease_ago()) | Q(beat_at=None), state__in=Job.UNFINISHED)


def _a_lease_ago() -> Any:
    return Now() - timedelta(seconds=settings.JOB_LEASE)


def _is_queued(job: Job) -> bool:
    """Whether the job still stands in the queue. What is taken out is lost with whoever took it."""
    try:
        return default_task_backend.get_result(job.ticket).status == TaskResultStatus.READY
    except TaskResultDoesNotExist:
        return False
