"""What the first floor does outside a request."""

from __future__ import annotations

from django_tasks import task

from assess import services
from pooling.services import work


@task
def freeze_release(pk: int) -> None:
    work(pk, services.release_in_background)
