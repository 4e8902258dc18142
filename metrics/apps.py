from __future__ import annotations

from typing import TYPE_CHECKING

from django.apps import AppConfig

if TYPE_CHECKING:
    from assess.models import QrelsRelease


class Metrics(AppConfig):
    name = "metrics"

    def ready(self) -> None:
        from assess.services.releases import AFTERWARDS

        AFTERWARDS.append(score_new_release)


def score_new_release(release: QrelsRelease) -> None:
    """Have every run scored on the first measures, before anybody opens the leaderboard."""
    from metrics.tasks import score_release
    from pooling.services import start_job

    about, title = {"release": release.number}, f"Score the runs against {release}"
    start_job(release.campaign, release.released_by, score_release, title, about)
