"""What the top floor does outside a request."""

from __future__ import annotations

from django_tasks import task

from metrics import services
from pooling.services import work


@task
def score_release(pk: int) -> None:
    work(pk, services.score_in_background)
