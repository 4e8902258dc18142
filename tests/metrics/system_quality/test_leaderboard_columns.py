"""Figures of systems as columns of the leaderboard: chosen by the reader, sorted and marked by direction."""

from __future__ import annotations

import csv
import io
import re

import pytest
from django.test import Client

from metrics.system_quality.services import load_figures
from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.markup import markup

BOARD = "/campaigns/tiny/scores/1/"
TABLE = b"""run,latency_ms,index_bytes,throughput_qps
run,30,2e9,9
other,10,1e9,5
third,90,1e9,7
"""


def build_campaign(make: Factory) -> Campaign:
    """A release of four runs, of which `silent` has no figures."""
    campaign = make.make_pooled_campaign()
    make.make_run(campaign, "1 D2 3\n1 D1 2", tag="other", group="davelab")
    make.make_run(campaign, "1 D2 3\n1 D1 2\n1 D3 1", tag="third", group="davelab")
    make.make_run(campaign, "1 D3 3", tag="silent", group="")
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_release(campaign)
    return campaign


def board(make: Factory, query: str = "", name: str = "carol") -> str:
    client = Client()
    client.force_login(make.make_user(name))
    return markup(client.get(f"{BOARD}?measures=AP&{query}"))


def tags(page: str) -> list[str]:
    return re.findall(r'<th scope="row" class="tag" title="(\w+)"', page)


def cells(page: str, tag: str) -> list[str]:
    """The texts of the last two cells of a run; * marks the best of a column."""
    row = re.search(rf'title="{tag}">.*?</tr>', page, re.DOTALL)
    assert row
    found = re.findall(r'<td class="([^"]*)">([^<]*)</td>', row[0])[-2:]
    return [text.strip() + "*" * ("best" in kinds.split()) for kinds, text in found]


def load(campaign: Campaign, make: Factory) -> None:
    load_figures(campaign, make.make_user("carol"), TABLE, "costs.csv")


def test_a_campaign_without_figures_offers_none(campaign: Campaign, make: Factory) -> None:
    page = board(make, "figures=latency_ms&order=latency_ms")
    assert "Figures of systems" not in page and 'name="figures"' not in page


def test_figures_are_columns_where_the_reader_wants_them(campaign: Campaign, make: Factory) -> None:
    load(campaign, make)
    assert "Latency (ms)" in (page := board(make)) and page.count("Figures of systems") == 1  # the choice
    page = board(make, "figures=latency_ms&figures=throughput_qps&figures=unknown")
    assert page.count("Figures of systems") == 2
    assert cells(page, "run") == ["30", "9*"] and cells(page, "other") == ["10*", "5"]
    assert cells(page, "silent") == ["", ""]
    assert re.search(r"Lower is better:\s+Latency \(ms\)\.", page)
    assert "figures=latency_ms&amp;figures=throughput_qps" in page  # in the links of the page


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("figures=latency_ms&order=latency_ms", ["other", "run", "third", "silent"]),
        ("figures=latency_ms&order=latency_ms&direction=descending", ["third", "run", "other", "silent"]),
        ("figures=throughput_qps&order=throughput_qps", ["run", "third", "other", "silent"]),
        ("figures=index_bytes&order=index_bytes", ["other", "third", "run", "silent"]),
        ("figures=throughput_qps&order=latency_ms", ["run", "other", "third", "silent"]),
        ("figures=throughput_qps&order=group", ["silent", "run", "other", "third"]),
    ],
)
def test_rows_sort_by_a_figure_and_runs_without_it_stand_below(
    campaign: Campaign, make: Factory, query: str, order: list[str]
) -> None:
    load(campaign, make)
    assert tags(board(make, query)) == order


def test_the_file_has_the_chosen_figures_with_all_digits(campaign: Campaign, make: Factory) -> None:
    load(campaign, make)
    client = Client()
    client.force_login(make.make_user("carol"))
    text = client.get(f"{BOARD}csv/?figures=index_bytes&order=index_bytes").content.decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["run"], row["index_bytes"]) for row in rows] == [
        ("other", "1000000000.0"), ("third", "1000000000.0"), ("run", "2000000000.0"), ("silent", ""),
    ]  # fmt: skip
    assert "latency_ms" not in rows[0]


def test_a_participant_sees_the_figures_of_own_runs_alone(campaign: Campaign, make: Factory) -> None:
    load(campaign, make)
    page = board(make, "figures=latency_ms", "dave")
    assert set(tags(page)) == {"other", "third"} and cells(page, "other")[-1] == "10*"


def test_the_page_of_system_quality_leads_to_the_columns(campaign: Campaign, make: Factory) -> None:
    load(campaign, make)
    client = Client()
    client.force_login(make.make_user("carol"))
    page = markup(client.get("/campaigns/tiny/scores/system-quality/"))
    assert f"{BOARD}?figures=latency_ms&amp;figures=throughput_qps&amp;figures=index_bytes" in page
