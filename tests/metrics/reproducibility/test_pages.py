"""The page of reproducibility: its figures by measure and topic, the baselines, its files, its place."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from metrics.measures.names import parse_measure
from metrics.queries.scores import score_table
from metrics.rankings.rank_overlap import rbo_of_lists
from metrics.reproducibility.replicas import rmse, tau_of_union
from pooling.arrays import Vector
from pooling.models import Campaign
from tests.metrics.conftest import RUNS, make_compared, signed_in
from tests.metrics.generalisability.test_pages import rows_of
from tests.support.factory import Factory
from tests.support.markup import markup

build_campaign = make_compared

PAGE = "/campaigns/tiny/scores/1/compare/reproducibility/"
ASKED = {"original": "sloop", "replica": "ketch", "measures": ["AP", "P@5"], "order": "AP"}


def values_of(campaign: Campaign, tag: str, name: str) -> Vector:
    table = score_table(campaign.releases.get(), [campaign.runs.get(tag=tag)], [parse_measure(name)])
    values: Vector = table.of(name)[0][0]
    return values


def ranked(tag: str, topic: str) -> list[str]:
    """Return the documents of a run as trec_eval ranks them."""
    rows = [line.split() for line in RUNS[tag][1].splitlines()]
    own = [(float(score), docno) for number, docno, score in rows if number == topic]
    return [docno for _, docno in sorted(own, reverse=True)]


def test_measures_and_topics_of_a_replica(compared: Campaign, carol: Client) -> None:
    page = markup(carol.get(PAGE, ASKED))
    first, second = (values_of(compared, tag, "AP") for tag in ("sloop", "ketch"))
    by_measure = {row[0]: row[1:] for row in rows_of(page, "Reproducibility by measure")}
    assert list(by_measure) == ["AP", "P@5"]
    assert by_measure["AP"][:2] == [f"{first.mean():.4f}", f"{second.mean():.4f}"]
    assert by_measure["AP"][3] == f"{rmse(first, second):.4f}"
    by_topic = {row[0].split()[0]: row[1:] for row in rows_of(page, "Reproducibility by topic")}
    for at, topic in enumerate(("1", "2")):
        lists = ranked("sloop", topic), ranked("ketch", topic)
        tau, overlap = tau_of_union(*lists), rbo_of_lists(*lists, 0.8).extrapolated
        assert by_topic[topic][:2] == [f"{first[at]:.4f}", f"{second[at]:.4f}"]
        assert by_topic[topic][4:] == [f"{tau:.3f}".replace("-", "−"), f"{overlap:.3f}"]
    assert f"ketch scores AP {second.mean():.4f}, sloop {first.mean():.4f}" in page
    assert "Effect ratio" not in page


def test_the_effect_over_baselines(compared: Campaign, carol: Client) -> None:
    asked = {**ASKED, "original_baseline": "stone", "replica_baseline": "wheel"}
    page = markup(carol.get(PAGE, asked))
    means = {tag: values_of(compared, tag, "AP").mean() for tag in ("sloop", "ketch", "stone", "wheel")}
    ratio = (means["ketch"] - means["wheel"]) / (means["sloop"] - means["stone"])
    row = next(row for row in rows_of(page, "Reproducibility by measure") if row[0] == "AP")
    assert row[6] == f"{ratio:.4f}".replace("-", "−")
    said = carol.get(f"{PAGE}tsv/", asked).content.decode()
    line = next(line.split("\t") for line in said.splitlines() if line.startswith("AP\t"))
    assert float(line[5]) == pytest.approx(ratio, abs=1e-12)


def test_a_measure_that_is_no_mean_has_no_test_and_no_effect(compared: Campaign, carol: Client) -> None:
    asked = {**ASKED, "measures": ["NumRel", "AP"], "order": "NumRel"}
    effect = {**asked, "original_baseline": "stone", "replica_baseline": "wheel"}
    for each in (asked, effect):
        rows = rows_of(markup(carol.get(PAGE, each)), "Reproducibility by measure")
        assert next(row for row in rows if row[0] == "NumRel")[-1] == "not a mean over topics"
    said = carol.get(f"{PAGE}tsv/", effect).content.decode().splitlines()
    assert [line.split("\t")[4:] for line in said if line.startswith("NumRel")] == [["", "", ""]]


def test_one_baseline_alone_is_named(compared: Campaign, carol: Client) -> None:
    page = markup(carol.get(PAGE, {**ASKED, "original_baseline": "stone"}))
    assert "Choose the baseline of both runs, or of neither." in page and "Effect ratio" not in page


def test_files_have_all_digits_and_undefined_figures_are_empty(compared: Campaign, carol: Client) -> None:
    lines = carol.get(f"{PAGE}topics/tsv/", {**ASKED, "replica": "stone"}).content.decode().splitlines()
    head, *rows = [line.split("\t") for line in lines]
    assert head == ["topic", "original", "replica", "common_documents", "tau_union", "rbo"]
    by_topic = {row[0]: row[1:] for row in rows}
    assert by_topic["2"][2:] == ["", "", ""]  # stone has no documents there
    assert float(by_topic["1"][3]) == pytest.approx(tau_of_union(ranked("sloop", "1"), ranked("stone", "1")))
    measures = carol.get(f"{PAGE}tsv/", ASKED).content.decode().splitlines()
    assert measures[0].split("\t")[:4] == ["measure", "original", "replica", "rmse"]
    assert measures[1].split("\t")[5:] == ["", ""]


def test_a_run_reproduces_itself(compared: Campaign, carol: Client) -> None:
    page = markup(carol.get(PAGE, {**ASKED, "replica": "sloop"}))
    assert "every difference is zero" in page and "lie 0.0000 apart" in page
    assert {row[5] for row in rows_of(page, "Reproducibility by topic")} == {"1.000"}


def test_unknown_words_in_the_address_are_as_none(compared: Campaign, carol: Client) -> None:
    odd = {
        "original": "nobody",
        "replica": "<b>",
        "depth": "7",
        "original_baseline": "x",
        "replica_baseline": "y",
    }
    assert rows_of(markup(carol.get(PAGE, odd)), "Reproducibility by topic") == rows_of(
        markup(carol.get(PAGE)), "Reproducibility by topic"
    )


def test_the_depth_cuts_the_lists(compared: Campaign, carol: Client) -> None:
    for depth in ("10", "1000"):
        assert f"first {depth} documents" in markup(carol.get(PAGE, {**ASKED, "depth": depth}))


def test_compare_leads_to_the_page_for_everybody_who_sees_it(
    compared: Campaign, carol: Client, make: Factory
) -> None:
    asked = {"runs": ["ketch", "sloop"], "measure": "AP", "baseline": "sloop"}
    for client in (carol, signed_in(make, "rita")):
        page = markup(client.get("/campaigns/tiny/scores/1/compare/", asked))
        link = re.search(rf'href="({PAGE}[^"]*)"[^>]*>\s*Reproducibility', page)
        assert link and link[1].endswith("?original=sloop&amp;replica=ketch")
        assert ("side by side with judges" in page) == (client is carol)


def test_a_participant_compares_own_runs_only(compared: Campaign, dave: Client, make: Factory) -> None:
    page = markup(dave.get(PAGE))
    assert "Fewer than two runs" in page and "sloop" not in page
    assert len(dave.get(f"{PAGE}tsv/").content.decode().splitlines()) == 1
    make.make_run(compared, "1 A 3\n2 B 2", tag="again", group="davelab")
    page = markup(dave.get(PAGE))
    offered = page.partition('name="replica"')[2].partition("</select>")[0]
    assert re.findall(r"<option[^>]*>(\w+)</option>", offered) == ["again", "wheel"]
    assert "sloop" not in page
