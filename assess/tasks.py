"""Background tasks, run by a worker. Each gets the primary key of its job."""

from __future__ import annotations

from django_tasks import TaskContext

from assess.services.releases import release_in_background
from pooling.services.jobs import job_task, work


@job_task
def freeze_release(context: TaskContext, pk: int) -> None:
    work(pk, context.task_result.id, release_in_background)
