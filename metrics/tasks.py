"""What the top floor does outside a request."""

from __future__ import annotations

from metrics import services
from pooling.services.jobs import job_task, work


@job_task
def score_release(pk: int) -> None:
    work(pk, services.score_in_background)
