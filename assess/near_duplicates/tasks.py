"""The background task of near duplicates."""

from __future__ import annotations

from django_tasks import TaskContext

from assess.near_duplicates.services import find_in_background
from pooling.services.jobs import job_task, run_attempt


@job_task
def find_near_duplicates(context: TaskContext, pk: int) -> None:
    """Find the near duplicates of a job; pk: of the job."""
    run_attempt(pk, context.task_result.id, find_in_background)
