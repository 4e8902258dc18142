"""Runs that were submitted after qrels were shared are marked, and are not ranked with the others."""

from __future__ import annotations

import csv
import io

import pytest
from django.test import Client

from accounts.services import create_token
from assess.services.audiences import change_audience
from pooling.models import Campaign
from tests.metrics.conftest import make_compared, signed_in
from tests.support.factory import Factory
from tests.support.markup import markup

build_campaign = make_compared

URL = "/campaigns/tiny/scores/1/"
ORACLE = "1 A 3\n1 C 2\n2 A 1"  # what the qrels say


@pytest.fixture
def oracle(compared: Campaign, make: Factory) -> Campaign:
    """A perfect run, submitted by somebody who could read the qrels."""
    make.make_run(compared, ORACLE, tag="oracle", group="davelab")
    return compared


def test_the_run_stands_below_the_ranked_ones_with_a_mark(oracle: Campaign, carol: Client) -> None:
    page = carol.get(URL)
    lines = page.context["board"].lines
    assert [line.run.tag for line in lines][-1] == "oracle" and lines[-1].rank is None
    assert sorted(line.rank for line in lines[:-1]) == [1, 2, 3, 4]
    assert not lines[-1].lead.best
    assert "submitted after qrels v1" in markup(page)
    best = [line.run.tag for line in carol.get(f"{URL}?groups=best").context["board"].lines]
    assert "oracle" not in best and "wheel" in best
    assert "Submitted after qrels v1: not ranked." in markup(carol.get(f"{URL}runs/oracle/"))
    rows = csv.DictReader(io.StringIO(carol.get(f"{URL}csv/").content.decode()))
    assert {row["run"]: row["after_release"] for row in rows if row["after_release"]} == {"oracle": "1"}


def test_significance_and_topics_leave_it_out_and_a_chosen_comparison_has_it(
    oracle: Campaign, carol: Client
) -> None:
    for place in ("significance/", "topics/", "measures/"):
        assert "oracle" not in [run.tag for run in carol.get(URL + place).context["score_table"].runs], place
    assert "oracle" in markup(carol.get(f"{URL}compare/?runs=oracle&runs=sloop"))


def test_the_api_and_the_public_page_say_so(oracle: Campaign, make: Factory) -> None:
    make.publish(oracle)
    token = create_token(make.make_user("dave"), "test")
    client = Client(headers={"Authorization": f"Bearer {token}"})
    items = client.get("/api/campaigns/tiny/releases/1/scores/").json()["items"]
    assert {item["run"]: item["submitted_after_release"] for item in items} == {
        "oracle": 1, "sloop": None, "ketch": None, "wheel": None, "stone": None,
    }  # fmt: skip
    assert "submitted after qrels v1" in markup(Client().get("/public/tiny/"))


def test_a_run_before_the_first_sharing_is_ranked(compared: Campaign, make: Factory, carol: Client) -> None:
    compared.releases.update(state="internal", shared_at=None)
    make.make_run(compared, ORACLE, tag="oracle", group="davelab")
    change_audience(compared.releases.get(), "shared", None)
    assert "oracle" in [line.run.tag for line in carol.get(URL).context["board"].lines if line.rank == 1]


def test_hidden_and_withdrawn_runs_are_on_no_leaderboard(compared: Campaign, make: Factory) -> None:
    compared.runs.filter(tag="wheel").update(is_hidden=True)
    make.publish(compared)
    for client in (signed_in(make, "carol"), signed_in(make, "dave")):
        assert "wheel" not in [line.run.tag for line in client.get(URL).context["board"].lines]
        assert client.get(f"{URL}runs/wheel/").status_code == 200  # dave is of its group
    assert "wheel" not in markup(Client().get("/public/tiny/"))


def test_a_release_is_chosen_on_the_leaderboard(compared: Campaign, make: Factory, carol: Client) -> None:
    make.make_judgment(compared, "alice", "1", "A", 1)
    make.make_release(compared)
    page = markup(carol.get(f"{URL}?order=AP&measures=AP"))
    assert '<select name="release">' in page
    answer = carol.get("/campaigns/tiny/scores/", {"release": "1", "measures": "AP", "order": "AP"})
    assert answer["Location"] == "/campaigns/tiny/scores/1/?measures=AP&order=AP"
    assert carol.get("/campaigns/tiny/scores/", {"release": "9"})["Location"] == "/campaigns/tiny/scores/2/"
