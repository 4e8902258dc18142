"""What the first floor does outside a request."""

from __future__ import annotations

from assess import services
from pooling.services.jobs import job_task, work


@job_task
def freeze_release(pk: int) -> None:
    work(pk, services.release_in_background)
