"""The tasks of this app: work outside a request, done by a worker. Each gets the key of its job."""

from __future__ import annotations

from django_tasks import TaskContext

from pooling.services.documents import import_upload
from pooling.services.jobs import job_task, run_attempt
from pooling.services.runs import submit_upload


@job_task
def import_documents(context: TaskContext, pk: int) -> None:
    run_attempt(pk, context.task_result.id, import_upload)


@job_task
def submit_runs(context: TaskContext, pk: int) -> None:
    run_attempt(pk, context.task_result.id, submit_upload)
