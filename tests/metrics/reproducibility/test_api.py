"""Reproducibility through the API: the figures of the files of the page."""

from __future__ import annotations

from typing import Any

import pytest

from metrics.reproducibility.replicas import rmse
from pooling.models import Campaign
from tests.config.test_api_writes import client_of
from tests.metrics.conftest import make_compared
from tests.metrics.reproducibility.test_pages import values_of
from tests.support.factory import Factory

PLACE = "/api/campaigns/tiny/releases/1/reproducibility/"
ASKED = {"original": "sloop", "replica": "ketch", "measures": "AP P@5"}


build_campaign = make_compared


def asked(make: Factory, status: int = 200, **changes: str) -> Any:
    answer = client_of(make, "carol", "read").get(PLACE, ASKED | changes)
    assert answer.status_code == status, answer.content
    return answer.json()


def test_the_figures_are_those_of_the_runs(compared: Campaign, make: Factory) -> None:
    found = asked(make)
    first, second = (values_of(compared, tag, "AP") for tag in ("sloop", "ketch"))
    line = found["measures"][0]
    assert [each["measure"] for each in found["measures"]] == ["AP", "P@5"]
    assert (line["original"], line["replica"]) == (first.mean(), second.mean())
    assert line["rmse"] == rmse(first, second) and line["effect_ratio"] is None
    scores = {each["topic"]: (each["original"], each["replica"]) for each in found["topics"]}
    assert scores == {"1": (first[0], second[0]), "2": (first[1], second[1])}
    assert (found["original"], found["replica"], found["depth"]) == ("sloop", "ketch", 100)


def test_baselines_are_of_both_runs(compared: Campaign, make: Factory) -> None:
    both = asked(make, original_baseline="wheel", replica_baseline="wheel")
    assert both["original_baseline"] == both["replica_baseline"] == "wheel"
    assert "baseline" in asked(make, 422, original_baseline="wheel")["title"]


@pytest.mark.parametrize(
    "changes",
    [
        {"replica": "none"},
        {"original_baseline": "none", "replica_baseline": "wheel"},
        {"measures": "nothing@3"},
    ],
)
def test_what_cannot_be_compared_is_refused(
    changes: dict[str, str], compared: Campaign, make: Factory
) -> None:
    asked(make, 422, **changes)
