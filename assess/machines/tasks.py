"""The background tasks of labellings by language models."""

from __future__ import annotations

from django_tasks import TaskContext

from assess.machines.services.labellings import create_in_background
from assess.machines.services.requests import store_labels_in_background
from assess.machines.services.results import load_results_in_background
from assess.machines.services.sending import ask_in_background
from pooling.services.jobs import formerly, job_task, run_attempt


@formerly("assess.tasks.ask_endpoint")
@job_task
def ask_endpoint(context: TaskContext, pk: int) -> None:
    """Send the requests of a labelling to an endpoint; pk: of the job."""
    run_attempt(pk, context.task_result.id, ask_in_background)


@formerly("assess.tasks.create_requests")
@job_task
def create_requests(context: TaskContext, pk: int) -> None:
    """Create the requests of a labelling; pk: of the job."""
    run_attempt(pk, context.task_result.id, create_in_background)


@formerly("assess.tasks.load_results")
@job_task
def load_results(context: TaskContext, pk: int) -> None:
    """Load the result file of a job; pk: of the job."""
    run_attempt(pk, context.task_result.id, load_results_in_background)


@formerly("assess.tasks.store_labels")
@job_task
def store_labels(context: TaskContext, pk: int) -> None:
    """Store the labels of a labelling; pk: of the job."""
    run_attempt(pk, context.task_result.id, store_labels_in_background)
