"""A large release is frozen outside the request, once, and a new release is scored."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import Settings

from assess import tasks
from assess.models import QrelsRelease
from assess.release.plan import ReleasePlan, plan_to_json
from assess.services.releases import release_in_background, release_qrels
from metrics.models import Score
from metrics.queries.scores import scoring_job
from metrics.services import release_measures, score_in_background, score_release
from pooling.models import Campaign, Job
from pooling.services.jobs import cancel_job, run_attempt, start_job
from tests.support.factory import Factory
from tests.support.markup import markup


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    return campaign


@pytest.fixture
def carol(campaign: Campaign, make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


@pytest.fixture
def queue(settings: Settings) -> None:
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}


def begin(campaign: Campaign, make: Factory, number: int = 1) -> Job:
    about = {"plan": plan_to_json(ReleasePlan()), "number": number}
    return start_job(campaign, make.make_user("carol"), tasks.freeze_release, "Freeze", about)


@pytest.mark.parametrize("limit", [0, 20_000])
def test_freezing_on_the_page_makes_one_release_and_scores_it(
    campaign: Campaign, carol: Client, settings: Settings, limit: int
) -> None:
    settings.BACKGROUND_LABELS = limit
    page = carol.get("/campaigns/tiny/qrels/")
    data = {name: field.value() for name, field in ((f.name, f) for f in page.context["form"])}
    form = {k: v for k, v in data.items() if v}
    assert "Freeze a release" in markup(carol.post("/campaigns/tiny/qrels/", form))
    assert not campaign.releases.exists()
    answer = carol.post("/campaigns/tiny/qrels/", form | {"confirmed": "yes"}, follow=True)
    assert answer.status_code == 200
    release = campaign.releases.get()
    states = sorted((job.task, job.state) for job in campaign.jobs.all())
    freezing = [] if limit else [("assess.tasks.freeze_release", "done")]
    assert states == [*freezing, ("metrics.tasks.score_release", "done")]
    assert Score.objects.filter(release=release).count() == len(release_measures(release))
    assert score_release(release) == 0


@pytest.mark.usefixtures("queue")
def test_a_release_that_was_cancelled_in_the_making_does_not_exist(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = begin(campaign, make)
    monkeypatch.setattr(
        "assess.services.releases.announce_release", lambda release: pytest.fail("was announced")
    )
    monkeypatch.setattr("assess.services.release_files.REPORT_INTERVAL", 1)
    monkeypatch.setattr("assess.services.releases.report_progress", lambda *_: cancel_job(job))
    run_attempt(job.pk, job.task_id, release_in_background)
    assert not QrelsRelease.objects.exists()
    assert Job.objects.get(pk=job.pk).state == "cancelled"


@pytest.mark.usefixtures("queue")
def test_the_number_of_another_release_is_not_used_twice(campaign: Campaign, make: Factory) -> None:
    job = begin(campaign, make)
    release_qrels(campaign, make.make_user("carol"))
    run_attempt(job.pk, job.task_id, release_in_background)
    job.refresh_from_db()
    assert job.state == "failed"
    assert job.message.startswith("Release v1 was frozen in the meantime")
    assert campaign.releases.count() == 1


@pytest.mark.usefixtures("queue")
def test_while_a_release_is_scored_the_leaderboard_says_how_far_and_scores_nothing_itself(
    campaign: Campaign, make: Factory, carol: Client
) -> None:
    job = begin(campaign, make)
    run_attempt(job.pk, job.task_id, release_in_background)
    release = campaign.releases.get()
    scoring = scoring_job(release)
    assert scoring
    content = markup(carol.get("/campaigns/tiny/scores/1/"))
    assert 'id="scoring"' in content and "Runs are being scored" in content
    assert not Score.objects.exists()
    assert "HX-Refresh" not in carol.get("/campaigns/tiny/scores/1/scoring/").headers
    run_attempt(scoring.pk, scoring.task_id, score_in_background)
    scoring.refresh_from_db()
    assert (scoring.state, scoring.done, scoring.total) == ("done", 1, 1)
    assert carol.get("/campaigns/tiny/scores/1/scoring/").headers["HX-Refresh"] == "true"
    assert 'id="scoring"' not in markup(carol.get("/campaigns/tiny/scores/1/"))
