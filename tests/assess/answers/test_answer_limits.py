"""How many answer runs a group may have, and submit on a day: the limits of runs, counted apart."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from accounts.services import create_token
from assess.answers.queries import answer_acceptance
from assess.answers.services import (
    AnswerRunDetails,
    set_answer_rules,
    submit_answer_run,
    withdraw_answer_run,
)
from assess.models import AnswerRun
from pooling.campaign_states import StateRefused
from pooling.formats.files import BadFile
from pooling.models import Campaign
from pooling.queries.schedule import acceptance_for
from pooling.schedule import Acceptance
from pooling.services.campaign_states import change_schedule
from tests.assess.answers.files import answer_file
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/answer-runs/"


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1")
    make.make_topic(campaign, "2")
    make.make_user("dave")
    set_answer_rules(campaign, make.make_user("carol"), {"accepts": True})
    return campaign


def submit(campaign: Campaign, make: Factory, tag: str, who: str = "dave") -> AnswerRun:
    content = answer_file(tag=tag, group="davelab")
    about = AnswerRunDetails("davelab")
    return submit_answer_run(campaign, make.make_user(who), content, f"{tag}.jsonl", about)


def test_a_group_has_no_more_answer_runs_than_the_limit(campaign: Campaign, make: Factory) -> None:
    change_schedule(campaign, runs_per_group=2)
    first = submit(campaign, make, "one")
    submit(campaign, make, "two")
    with pytest.raises(StateRefused, match=r"^Your group has 2 of 2 answer runs. Withdraw one first\.$"):
        submit(campaign, make, "three")
    assert acceptance_for(campaign, make.make_user("dave")).accepts  # runs of documents are counted apart
    withdraw_answer_run(first, make.make_user("dave"))
    submit(campaign, make, "three")
    submit(campaign, make, "four", who="carol")  # an organiser is not limited
    assert campaign.answer_runs.active().filter(group="davelab").count() == 3


def test_refused_files_do_not_count_and_withdrawn_ones_do(campaign: Campaign, make: Factory) -> None:
    change_schedule(campaign, runs_per_day=2)
    dave = make.make_user("dave")
    for _ in range(3):
        with pytest.raises(BadFile):
            submit_answer_run(campaign, dave, b"{\n", "bad.jsonl", AnswerRunDetails("davelab"))
    withdraw_answer_run(submit(campaign, make, "one"), dave)
    submit(campaign, make, "two")
    with pytest.raises(StateRefused, match="submitted 2 of 2 answer runs today. Submit again tomorrow"):
        submit(campaign, make, "three")
    campaign.answer_runs.filter(tag="two").update(submitted_at=timezone.now() - timedelta(days=1))
    submit(campaign, make, "three")


def test_runs_of_documents_do_not_count(campaign: Campaign, make: Factory) -> None:
    change_schedule(campaign, runs_per_group=1, runs_per_day=1)
    make.make_run(campaign, "1 D1 2.0", "ranked", "davelab")
    assert submit(campaign, make, "one").tag == "one"


def test_the_limit_is_counted_again_under_the_lock(campaign: Campaign, make: Factory) -> None:
    """A submission that another one of the group overtakes while its file is read is refused."""
    change_schedule(campaign, runs_per_group=1)
    first = [Acceptance(True, False, "Submission is open.")]
    counted = answer_acceptance

    def overtaken(*arguments: Any) -> Acceptance:
        return first.pop() if first else counted(*arguments)

    submit(campaign, make, "one")
    with (
        patch("assess.answers.services.answer_acceptance", overtaken),
        pytest.raises(StateRefused, match="1 of 1 answer runs"),
    ):
        submit(campaign, make, "two")
    assert not first and campaign.answer_runs.count() == 1


def test_page_and_api_say_the_limit(campaign: Campaign, make: Factory) -> None:
    change_schedule(campaign, runs_per_group=2, runs_per_day=3)
    dave = Client()
    dave.force_login(make.make_user("dave"))
    submit(campaign, make, "one")
    page = " ".join(markup(dave.get(PAGE)).split())
    assert "Answer runs per group: at most 2, your group has 1" in page
    assert "Answer runs per group and day: at most 3, today 1." in page
    submit(campaign, make, "two")
    page = markup(dave.get(PAGE))
    assert "Your group has 2 of 2 answer runs. Withdraw one first." in page
    assert "<button>Submit answer runs" not in page
    file = SimpleUploadedFile("three.jsonl", answer_file(tag="three"))
    assert "2 of 2 answer runs" in markup(dave.post(PAGE, {"file": file, "kind": "", "description": ""}))
    token = create_token(make.make_user("dave"), "test", "submit")
    api = Client(headers={"Authorization": f"Bearer {token}"})
    file = SimpleUploadedFile("three.jsonl", answer_file(tag="three"))
    refused = api.post("/api/campaigns/tiny/answer-runs/", {"file": file})
    assert (refused.status_code, "2 of 2 answer runs" in refused.content.decode()) == (409, True)
    assert campaign.answer_runs.count() == 2
