"""The background tasks of this app. Each one gets the primary key of its job."""

from __future__ import annotations

from django_tasks import TaskContext

from metrics import services
from pooling.services.jobs import job_task, run_attempt


@job_task
def score_release(context: TaskContext, pk: int) -> None:
    run_attempt(pk, context.task_result.id, services.score_in_background)
