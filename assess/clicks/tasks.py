"""The background task of click logs."""

from __future__ import annotations

from django_tasks import TaskContext

from assess.clicks.services.loading import load_in_background
from pooling.services.jobs import formerly, job_task, run_attempt


@formerly("assess.tasks.load_clicks")
@job_task
def load_clicks(context: TaskContext, pk: int) -> None:
    """Load the click log of a job; pk: of the job."""
    run_attempt(pk, context.task_result.id, load_in_background)
