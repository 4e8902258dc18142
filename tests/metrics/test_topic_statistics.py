"""Minimum, median and maximum of all ranked runs by topic, beside the scores of a run, without names."""

from __future__ import annotations

import csv
import io
from statistics import median

import pytest
from django.test import Client

from metrics.measures.names import parse_measure
from metrics.queries.scores import score_table
from metrics.queries.topic_statistics import topic_statistics
from pooling.models import Campaign, Run
from tests.metrics.conftest import RUNS, make_compared
from tests.support.factory import Factory
from tests.support.markup import markup

build_campaign = make_compared

URL = "/campaigns/tiny/scores/1/runs/wheel/"
OTHERS = ("sloop", "ketch", "stone", "harbour", "mill")


@pytest.fixture
def shown(compared: Campaign, make: Factory) -> Campaign:
    """Four ranked runs of three groups, before the release was shared; one run after it, one hidden one."""
    compared.runs.update(submitted_at=compared.created_at)
    make.make_run(compared, RUNS["sloop"][1], tag="late", group="davelab")
    make.make_run(compared, "1 A 3\n1 C 2\n2 A 1", tag="hidden", group="mill")
    compared.runs.filter(tag="hidden").update(is_hidden=True, submitted_at=compared.created_at)
    Campaign.objects.update(shows_topic_statistics=True)
    compared.refresh_from_db()
    return compared


def rows_of(client: Client, url: str = URL, measure: str = "nDCG@10") -> list[dict[str, str]]:
    response = client.get(f"{url}statistics/csv/", {"measures": measure, "order": measure})
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def plain_loop(campaign: Campaign, tags: list[str], name: str) -> dict[str, tuple[float, float, float]]:
    """Return topic -> minimum, median, maximum, from the scores of each run alone."""
    release = campaign.releases.get(number=1)
    scores: dict[str, list[float]] = {}
    for tag in tags:
        table = score_table(release, [campaign.runs.get(tag=tag)], [parse_measure(name)])
        for topic, value in zip(table.topics, table.values[0, 0].tolist(), strict=True):
            scores.setdefault(topic, []).append(value)
    return {topic: (min(each), median(each), max(each)) for topic, each in scores.items()}


@pytest.mark.parametrize("name", ["nDCG@10", "AP", "RR", "FP", "RBPResidual"])
def test_the_file_equals_a_plain_loop(shown: Campaign, dave: Client, name: str) -> None:
    """Also where lower is better, and for stone, which lacks topic 2: it counts as trec_eval counts it."""
    expected = plain_loop(shown, list(RUNS), name)
    own = plain_loop(shown, ["wheel"], name)
    rows = rows_of(dave, measure=name)
    assert [row["topic"] for row in rows] == ["1", "2"]
    for row in rows:
        found = tuple(float(row[column]) for column in ("minimum", "median", "maximum"))
        assert found == pytest.approx(expected[row["topic"]], abs=1e-12)
        assert float(row["run"]) == pytest.approx(own[row["topic"]][0], abs=1e-12)
        assert row["measure"] == name
        assert row["better"] == ("lower" if name in ("FP", "RBPResidual") else "higher")


def test_the_page_has_the_figures_and_no_names(shown: Campaign, dave: Client) -> None:
    page = markup(dave.get(URL))
    section = page.split('id="topic-statistics"')[1].split("</section>")[0]
    assert "Minimum" in section and "Maximum" in section and "lower values are better" not in section
    low, middle, high = plain_loop(shown, list(RUNS), "nDCG@10")["1"]
    for value in (low, middle, high):
        assert f"{value:.4f}" in section
    text = page + dave.get(f"{URL}statistics/csv/").content.decode()
    assert not [name for name in OTHERS if name in text]
    assert "lower values are better" in markup(dave.get(URL, {"measures": "FP"}))


def test_a_run_that_is_not_ranked_is_not_counted(shown: Campaign, dave: Client) -> None:
    rows = rows_of(dave, "/campaigns/tiny/scores/1/runs/late/")
    counted = plain_loop(shown, list(RUNS), "nDCG@10")
    own = plain_loop(shown, ["late"], "nDCG@10")
    for row in rows:
        assert float(row["maximum"]) == pytest.approx(counted[row["topic"]][2])
        assert float(row["run"]) == pytest.approx(own[row["topic"]][0])


@pytest.mark.parametrize(
    ("left_out", "is_shown"),
    [
        (["sloop"], True),
        (["sloop", "ketch"], False),  # two runs
        (["sloop", "wheel"], False),  # two runs of one group
    ],
)
def test_few_runs_have_no_statistics(
    shown: Campaign, dave: Client, left_out: list[str], is_shown: bool
) -> None:
    shown.runs.filter(tag__in=left_out).update(is_hidden=True)
    page = markup(dave.get(URL))
    assert ("from 3 ranked runs of at least 2 groups on" in page) != is_shown
    assert (dave.get(f"{URL}statistics/csv/").status_code == 200) == is_shown


def test_three_runs_of_one_group_have_no_statistics(shown: Campaign, dave: Client) -> None:
    Run.objects.update(group="davelab")
    assert "from 3 ranked runs of at least 2 groups on" in markup(dave.get(URL))
    shown.runs.filter(tag="sloop").update(group="")  # a run without a group is of no other group
    assert dave.get(f"{URL}statistics/csv/").status_code == 404


def test_they_are_shown_only_where_the_organiser_allows_it_and_the_release_is_shared(
    shown: Campaign, dave: Client, carol: Client
) -> None:
    assert 'id="topic-statistics"' in markup(carol.get(URL))
    shown.releases.update(state="internal")
    assert 'id="topic-statistics"' not in markup(carol.get(URL))
    assert dave.get(f"{URL}statistics/csv/").status_code == 404
    shown.releases.update(state="shared")
    Campaign.objects.update(shows_topic_statistics=False)
    assert 'id="topic-statistics"' not in markup(dave.get(URL))
    assert dave.get(f"{URL}statistics/csv/").status_code == 404
    assert carol.get("/campaigns/tiny/scores/1/runs/sloop/statistics/csv/").status_code == 404


def test_a_participant_gets_them_for_own_runs_alone(shown: Campaign, dave: Client) -> None:
    assert dave.get("/campaigns/tiny/scores/1/runs/sloop/statistics/csv/").status_code == 404


def test_a_measure_that_cannot_be_computed_is_refused(shown: Campaign) -> None:
    found = topic_statistics(shown.releases.get(), shown.runs.get(tag="wheel"), parse_measure("Fallout(N=1)"))
    assert found.lines == [] and "cannot be computed" in found.refusal
