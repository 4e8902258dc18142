"""Generalisability through the API: the study of the page."""

from __future__ import annotations

import pytest
from django.utils import timezone

from metrics.generalisability.queries import collection_study
from metrics.measures.names import parse_measure
from metrics.queries.scores import score_table
from pooling.models import Campaign
from tests.config.test_api_writes import client_of
from tests.metrics.generalisability.test_pages import build_campaign as build_campaign
from tests.support.factory import Factory

PLACE = "/api/campaigns/tiny/releases/1/generalisability/"


@pytest.mark.parametrize("leave_out", ["0", "0.25"])
def test_the_study_is_that_of_the_page(leave_out: str, campaign: Campaign, make: Factory) -> None:
    answer = client_of(make, "carol", "read").get(PLACE, {"measures": "RR", "leave_out": leave_out})
    assert answer.status_code == 200, answer.content
    found = answer.json()
    runs = list(campaign.runs.order_by("tag"))
    table = score_table(campaign.releases.get(), runs, [parse_measure("RR")])
    study = collection_study(table, parse_measure("RR"), float(leave_out))
    assert (found["measure"], found["runs"], found["left_out"]) == ("RR", study.runs, study.left_out)
    assert [each["variance"] for each in found["components"]] == [each.variance for each in study.components]
    assert found["now"]["relative"]["value"] == study.now.relative.value
    assert [each["relative"]["value"] for each in found["needed"]] == [
        each.relative.value for each in study.needed
    ]
    taus = [expected.tau for _, expected in study.indicators]
    assert [each["expected"]["tau"] for each in found["numbers"]] == taus


def test_one_run_has_no_study_and_a_wrong_measure_is_refused(campaign: Campaign, make: Factory) -> None:
    campaign.runs.exclude(tag="best").update(withdrawn_at=timezone.now())
    client = client_of(make, "carol", "read")
    found = client.get(PLACE).json()
    assert (found["runs"], found["reason"], found["now"]) == (1, "there are fewer than two runs", None)
    assert client.get(PLACE, {"measures": "nothing@3"}).status_code == 422
    assert client.get(PLACE, {"leave_out": "0.5"}).status_code == 422
