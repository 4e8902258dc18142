"""Background tasks, run by a worker. Each gets the primary key of its job."""

from __future__ import annotations

from django_tasks import TaskContext

from assess.services.releases import release_in_background
from pooling.services.jobs import job_task, run_attempt


@job_task
def freeze_release(context: TaskContext, pk: int) -> None:
    run_attempt(pk, context.task_result.id, release_in_background)
