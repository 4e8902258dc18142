"""How many runs a group may have, and submit on a day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from pooling.campaign_states import StateRefused
from pooling.formats.files import BadFile
from pooling.models import Campaign, Run
from pooling.queries.schedule import submitted_runs
from pooling.services.campaign_states import change_schedule
from pooling.services.run_changes import withdraw_run
from pooling.services.runs import Submission, submit_run
from tests.support.factory import Factory
from tests.support.markup import markup

RUN = b"1 Q0 D%d 1 2.0 %s\n"


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_user("dave")
    return campaign


def submit(campaign: Campaign, make: Factory, number: int, who: str = "dave", group: str = "davelab") -> Run:
    tag = f"run{number}"
    content = RUN % (number, tag.encode())
    return submit_run(campaign, make.make_user(who), content, f"{tag}.run", Submission(group=group))


def test_a_group_has_no_more_runs_than_the_limit(campaign: Campaign, make: Factory) -> None:
    change_schedule(campaign, runs_per_group=2)
    first = submit(campaign, make, 1)
    submit(campaign, make, 2)
    with pytest.raises(StateRefused, match="has 2 of 2 runs. Withdraw or replace one first"):
        submit(campaign, make, 3)
    withdraw_run(first, make.make_user("dave"))
    submit(campaign, make, 3)
    submit(campaign, make, 4, who="carol", group="davelab")  # an organiser is not limited
    assert campaign.runs.active().filter(group="davelab").count() == 3


def test_a_run_in_the_place_of_another_is_accepted_at_the_limit(campaign: Campaign, make: Factory) -> None:
    change_schedule(campaign, runs_per_group=1)
    first = submit(campaign, make, 1)
    content = RUN % (2, b"run1")
    about = Submission(tag="run1", group="davelab")
    submit_run(campaign, make.make_user("dave"), content, "again.run", about, replaced=first)
    assert [run.tag for run in campaign.runs.active().filter(group="davelab")] == ["run1"]


def test_refused_files_do_not_count_and_withdrawn_ones_do(campaign: Campaign, make: Factory) -> None:
    change_schedule(campaign, runs_per_day=2)
    with pytest.raises(BadFile):
        submit_run(campaign, make.make_user("dave"), b"1 Q0 D1\n", "bad.run", Submission(group="davelab"))
    withdraw_run(submit(campaign, make, 1), make.make_user("dave"))
    submit(campaign, make, 2)
    with pytest.raises(StateRefused, match="submitted 2 of 2 runs today"):
        submit(campaign, make, 3)
    campaign.runs.filter(tag="run2").update(submitted_at=timezone.now() - timedelta(days=1))
    submit(campaign, make, 3)


def test_the_day_is_that_of_the_campaign(campaign: Campaign, make: Factory) -> None:
    change_schedule(campaign, runs_per_day=1, time_zone="Asia/Tokyo")
    run = submit(campaign, make, 1)
    Run.objects.filter(pk=run.pk).update(submitted_at=datetime(2026, 3, 4, 14, 59, tzinfo=UTC))
    dave = make.make_user("dave")
    assert submitted_runs(campaign, dave, datetime(2026, 3, 4, 14, 59, 30, tzinfo=UTC)).today == 1
    assert submitted_runs(campaign, dave, datetime(2026, 3, 4, 15, 0, tzinfo=UTC)).today == 0


def test_the_pages_say_the_limit(campaign: Campaign, make: Factory) -> None:
    organiser, dave = Client(), Client()
    organiser.force_login(make.make_user("carol"))
    dave.force_login(make.make_user("dave"))
    dates = {"time_zone": "UTC", "accepts_runs": "on", "late_runs": "refuse"}
    limits = {"runs_per_group": "1", "runs_per_day": "3"}
    organiser.post("/campaigns/tiny/settings/dates/", dates | limits)
    submit(campaign, make, 1)
    page = " ".join(markup(dave.get("/campaigns/tiny/participate/")).split())
    assert "at most 1, your group has 1" in page and "at most 3, today 1" in page
    assert "Your group has 1 of 1 runs." in page
    file = SimpleUploadedFile("run2.run", RUN % (2, b"run2"))
    data = {"run_files": file, "priority": "1", "tag_from": "column", "kind": "", "group": ""}
    assert "1 of 1 runs" in markup(dave.post("/campaigns/tiny/report/", data))
    assert organiser.post("/campaigns/tiny/settings/dates/", dates | {"runs_per_day": "0"}).status_code == 200
    assert Campaign.objects.get().runs_per_day == 3
