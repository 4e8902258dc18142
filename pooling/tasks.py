"""What the ground floor does outside a request. A task is handed the key of a job; the rest stands there."""

from __future__ import annotations

from django_tasks import task

from pooling import services


@task
def import_documents(pk: int) -> None:
    services.work(pk, services.import_upload)


@task
def submit_runs(pk: int) -> None:
    services.work(pk, services.submit_upload)
