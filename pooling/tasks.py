"""What the ground floor does outside a request. A task is handed the key of a job; the rest stands there."""

from __future__ import annotations

from pooling import services
from pooling.services.jobs import job_task


@job_task
def import_documents(pk: int) -> None:
    services.work(pk, services.import_upload)


@job_task
def submit_runs(pk: int) -> None:
    services.work(pk, services.submit_upload)
