"""The background tasks of reviews."""

from __future__ import annotations

from django_tasks import TaskContext

from assess.active_learning.services.batches import freeze_batches_of_job
from assess.active_learning.services.collections import load_collection_of_job
from assess.active_learning.services.simulations import simulate_reviews_of_job
from pooling.services.jobs import job_task, run_attempt


@job_task
def load_collection(context: TaskContext, pk: int) -> None:
    """Load the collection of a job; pk: of the job."""
    run_attempt(pk, context.task_result.id, load_collection_of_job)


@job_task
def freeze_batches(context: TaskContext, pk: int) -> None:
    """Freeze the next batches of the reviews of a job; pk: of the job."""
    run_attempt(pk, context.task_result.id, freeze_batches_of_job)


@job_task
def simulate_reviews(context: TaskContext, pk: int) -> None:
    """Simulate the reviews of a job; pk: of the job."""
    run_attempt(pk, context.task_result.id, simulate_reviews_of_job)
