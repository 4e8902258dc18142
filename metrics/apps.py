from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from django.apps import AppConfig
from django.db import transaction
from django.db.models.signals import post_save

if TYPE_CHECKING:
    from assess.models import QrelsRelease
    from pooling.models import Run


FEATURES = (
    "judge_runs",
    "machine_audits",
    "interleaving",
    "ab_tests",
    "near_duplicates",
    "battles",
    "preferences",
    "magnitudes",
    "snippets",
    "gradings",
    "confusion",
    "generalisability",
    "reproducibility",
    "battle_programs",
    "pyramids",
    "matchings",
    "support",
    "argue",
    "matching_programs",
    "answer_releases",
    "system_quality",
)  # fmt: skip
"""The feature packages that add to the core, in the order in which pages show their parts."""


class Metrics(AppConfig):
    name = "metrics"

    def ready(self) -> None:
        from assess.services.releases import release_frozen

        release_frozen.connect(score_new_release, dispatch_uid="metrics.score_new_release")
        for feature in FEATURES:
            import_module(f"{self.name}.{feature}.apps").register()
        post_save.connect(score_new_run, sender="pooling.Run", dispatch_uid="metrics.score_new_run")


def score_new_release(release: QrelsRelease, **_: Any) -> None:
    """Start a job that scores every run against a new release."""
    from metrics.tasks import score_release
    from pooling.services.jobs import start_job

    about, title = {"release": release.number}, f"Score the runs against {release}"
    start_job(release.campaign, release.released_by, score_release, title, about)


def score_new_run(instance: Run, created: bool, raw: bool = False, **_: Any) -> None:
    """Score a run that is submitted after a release, once the run is committed.

    If the scoring fails the run is still stored: pages compute scores that are not stored.
    """
    from metrics.services import score_submitted_run

    if created and not raw:
        transaction.on_commit(lambda: score_submitted_run(instance), robust=True)
