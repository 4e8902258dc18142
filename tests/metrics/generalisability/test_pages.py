"""The page of generalisability: figures of the study on it, its file, and what it says without one."""

from __future__ import annotations

import re

import numpy as np
import pytest

from assess.services.imports import load_judgments
from metrics.generalisability.mappings import indicators
from metrics.generalisability.studies import among_best, g_study
from metrics.measures.names import parse_measure
from metrics.queries.scores import score_table
from pooling.arrays import Matrix
from pooling.models import Campaign
from pooling.scale import BINARY
from tests.metrics.conftest import signed_in
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/scores/1/significance/generalisability/"
RUNS = {"best": (1, 2, 1, 1, 3, 1), "fair": (2, 3, 1, 4, 3, 2), "poor": (4, 3, 5, 4, 5, 2), "last": (5,) * 6}


def build_campaign(make: Factory) -> Campaign:
    """Four runs on six topics, each with one relevant document, which runs rank at the places of RUNS."""
    campaign, carol = make.make_campaign(grades=BINARY, threshold=1), make.make_user("carol")
    for number in range(1, 7):
        make.make_topic(campaign, str(number), f"title {number}")
    for tag, ranks in RUNS.items():
        lines = [
            f"{topic} {'R' if place == rank else f'N{place}'} {9 - place}"
            for topic, rank in enumerate(ranks, start=1)
            for place in range(1, 6)
        ]
        make.make_run(campaign, "\n".join(lines), tag=tag, group=f"{tag}lab")
    make.make_pool(campaign)
    qrels = "".join(f"{topic} 0 R 1\n" for topic in range(1, 7))
    load_judgments(campaign, carol, qrels.encode(), "all.qrels", "elsewhere", extend_pool=True)
    make.make_release(campaign)
    return campaign


def reciprocal_ranks() -> Matrix:
    return 1 / np.array(list(RUNS.values()), dtype=np.float64).T


def rows_of(page: str, caption: str) -> list[list[str]]:
    """Return the cells of the table with this caption, heads of rows first."""
    table = page.partition(f"<caption>{caption}</caption>")[2] or page.partition(f'aria-label="{caption}"')[2]
    assert table, caption
    body = table.partition("<tbody>")[2].partition("</tbody>")[0]
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", body)
    return [
        [re.sub(r"<[^>]*>", "", cell).strip() for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
        for row in rows
    ]


def test_the_study_of_the_scores_stands_on_the_page(campaign: Campaign, make: Factory) -> None:
    page = markup(signed_in(make, "carol").get(PAGE, {"measures": "RR"}))
    study = g_study(reciprocal_ranks())
    assert study.variances and study.shares and study.mean_squares
    components = rows_of(page, "Variance components")
    assert [row[1] for row in components] == [f"{value:.5f}" for value in study.variances]
    assert [row[2] for row in components] == [f"{100 * share:.1f} %" for share in study.shares]
    assert [row[3] for row in components] == [f"{square:.5f}" for square in study.mean_squares]
    needed = {row[0]: row[1:] for row in rows_of(page, "Topics needed")}
    wanted = study.topics_needed(0.9)
    assert needed["0.90"][0] == str(wanted.relative.value)
    assert needed["0.90"][2] == f"{wanted.absolute.value:,}"
    numbers = {row[0]: row[1:] for row in rows_of(page, "Stability of numbers of topics")}
    assert numbers["6"][0] == f"{study.stability(6).relative.value:.3f}"
    assert numbers["50"][2] == f"{study.stability(50).absolute.value:.3f}"
    answer = page.partition('id="answer"')[2].partition("</p>")[0]
    wanted = study.topics_needed(0.95)
    assert f"A stable order of these 4 runs by RR needs {wanted.relative.value} topics." in answer
    assert f"{study.stability(6).relative.value:.3f} (95 % interval" in answer


def test_the_indicators_of_stabilities_stand_on_the_page(campaign: Campaign, make: Factory) -> None:
    page = markup(signed_in(make, "carol").get(PAGE, {"measures": "RR"}))
    found = {row[0]: row[1:] for row in rows_of(page, "Indicators of numbers of topics")}
    stability = g_study(reciprocal_ranks()).stability(50)
    expected = indicators(stability.relative.value, stability.absolute.value)
    assert found["50"][0] == f"{expected.tau:.3f}" and found["50"][-1] == f"{expected.rmse:.4f}"
    assert "not measured here" in page


def test_the_page_has_the_plot_with_its_band(campaign: Campaign, make: Factory) -> None:
    page = markup(signed_in(make, "carol").get(PAGE, {"measures": "RR"}))
    assert 'data-plot="lines"' in page and "relative (Eρ²)" in page
    plot = rows_of(page, "Stability by number of topics, as a table")
    assert (len(plot), plot[0][0], plot[-1][0]) == (40, "5", "200")
    assert plot[0][1] == f"{g_study(reciprocal_ranks()).stability(5).relative.value:.4f}"


def test_the_lowest_quarter_is_left_out(campaign: Campaign, make: Factory) -> None:
    page = markup(signed_in(make, "carol").get(PAGE, {"measures": "RR", "leave_out": "0.25"}))
    values = reciprocal_ranks()
    study = g_study(np.ascontiguousarray(values[:, among_best(values, 0.25)]))
    assert study.variances and study.systems == 3
    components = rows_of(page, "Variance components")
    assert components[0][1] == f"{study.variances.systems:.5f}"
    assert "1 run with the worst means left out" in page


def test_the_file_has_all_digits(campaign: Campaign, make: Factory) -> None:
    content = signed_in(make, "carol").get(f"{PAGE}tsv/", {"measures": "RR"}).content.decode()
    head, *lines = [line.split("\t") for line in content.splitlines()]
    assert head[:3] == ["topics", "relative", "relative_low"]
    by_topics = {line[0]: line[1:] for line in lines}
    expected = g_study(reciprocal_ranks()).stability(6)
    found = [float(cell) for cell in by_topics["6"]]
    elsewhere = indicators(expected.relative.value, expected.absolute.value)
    assert head[7:9] == ["tau", "tau_ap"]
    assert found == pytest.approx([*expected.relative, *expected.absolute, *elsewhere], abs=1e-12)


def test_the_scores_of_the_study_are_those_of_the_release(campaign: Campaign) -> None:
    release = campaign.releases.get()
    runs = [campaign.runs.get(tag=tag) for tag in RUNS]
    values = score_table(release, runs, [parse_measure("RR")]).of("RR")[0].T
    assert values == pytest.approx(reciprocal_ranks())


def test_unknown_words_in_the_address_are_as_none(campaign: Campaign, make: Factory) -> None:
    client = signed_in(make, "carol")
    odd = markup(client.get(PAGE, {"leave_out": "7", "order": "colour"}))
    assert rows_of(odd, "Topics needed") == rows_of(markup(client.get(PAGE)), "Topics needed")


def test_significance_leads_to_the_page(campaign: Campaign, make: Factory) -> None:
    client = signed_in(make, "carol")
    page = markup(client.get("/campaigns/tiny/scores/1/significance/", {"measures": "RR"}))
    link = re.search(rf'href="({PAGE}[^"]*)"[^>]*>\s*Generalisability', page)
    assert link and client.get(link[1].replace("&amp;", "&")).status_code == 200


def test_with_one_run_there_is_no_study(campaign: Campaign, make: Factory) -> None:
    participant = make.make_user("solo")
    campaign.memberships.create(user=participant, role="participant", group="bestlab")
    client = signed_in(make, "solo")
    assert "Too few runs" in markup(client.get(PAGE))
    assert len(client.get(f"{PAGE}tsv/").content.decode().splitlines()) == 1
