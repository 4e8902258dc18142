"""The tasks of this app: work outside a request, done by a worker. Each gets the key of its job."""

from __future__ import annotations

from django_tasks import TaskContext

from pooling import services
from pooling.services.jobs import job_task


@job_task
def import_documents(context: TaskContext, pk: int) -> None:
    services.work(pk, context.task_result.id, services.import_upload)


@job_task
def submit_runs(context: TaskContext, pk: int) -> None:
    services.work(pk, context.task_result.id, services.submit_upload)
