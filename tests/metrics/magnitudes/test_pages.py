"""The page of results of magnitudes, and its files."""

from __future__ import annotations

import math
import re

import pytest
from django.test import Client

import jurypool as jp
from assess.models import Magnitude, MagnitudeSet
from metrics.magnitudes.queries import found_result, runs_by_gains
from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/scores/magnitudes/1/"
NUMBERS = {"alice": {"D1": "10", "D2": "40", "D3": "5"}, "bob": {"D1": "50", "D2": "400", "D3": "1/2"}}


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    for docno, grade in (("D1", 2), ("D2", 3), ("D3", 0)):
        make.make_judgment(campaign, "alice", "1", docno, grade)
    make.make_run(campaign, "1 D2 3\n1 D1 2\n1 D3 1\n2 D1 1", "best")
    return campaign


@pytest.fixture
def about(campaign: Campaign, make: Factory) -> MagnitudeSet:
    return make.make_magnitudes(campaign)


def give(about: MagnitudeSet, judge: str, make: Factory, factor: int = 1) -> None:
    """Give the numbers of a judge, times a factor."""
    for task in about.tasks.filter(judge__username=judge).select_related(
        "judge", "pooled", "magnitude_set__campaign"
    ):
        number = NUMBERS[judge][task.pooled.docno]
        above, _, below = number.partition("/")
        make.make_magnitude(task, f"{int(above) * factor}/{below or 1}")


@pytest.fixture
def carol(about: MagnitudeSet, make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def words(page: str) -> str:
    return " ".join(re.sub("<[^>]+>", " ", page).split())


def test_a_judge_counts_once_all_documents_of_the_topic_have_a_number(
    about: MagnitudeSet, carol: Client, make: Factory
) -> None:
    page = markup(carol.get(PAGE))
    assert "No topic is finished yet" in page and PAGE + "qrels/" not in page
    give(about, "alice", make)
    first = about.tasks.filter(judge__username="bob").select_related(
        "judge", "pooled", "magnitude_set__campaign"
    )[0]
    make.make_magnitude(first, "7")
    result = found_result(about)
    assert (result.judges, result.numbers, result.agreement.documents) == (1, 3, 0)
    assert {each.docno: round(each.gain, 9) for each in result.documents} == {"D1": 10, "D2": 40, "D3": 5}
    assert len(carol.get(PAGE + "numbers/").content.splitlines()) == 1 + 4


def test_a_document_that_cannot_be_judged_has_no_gain(about: MagnitudeSet, make: Factory) -> None:
    give(about, "alice", make)
    task = about.tasks.filter(judge__username="alice", pooled__docno="D3").select_related("judge", "pooled")[
        0
    ]
    make.make_magnitude(task, Magnitude.CANNOT)
    result = found_result(about)
    assert [each.docno for each in result.documents] == ["D2", "D1"] and result.cannot == 1


def test_the_page_has_gains_grades_agreement_and_runs(
    about: MagnitudeSet, carol: Client, campaign: Campaign, make: Factory
) -> None:
    give(about, "alice", make)
    give(about, "bob", make)
    assert "Runs are scored once there is a release" in words(markup(carol.get(PAGE)))
    make.make_release(campaign)
    page = words(markup(carol.get(PAGE)))
    assert "1 topic finished by a judge, 0 open" in page and "Documents with two judges 3" in page
    result = found_result(about)
    assert [(each.docno, each.grade) for each in result.documents] == [("D2", 3), ("D1", 2), ("D3", 0)]
    assert "higher gain in 100 % of 3 pairs of one topic" in page
    logs = [[math.log(float(eval(own[docno]))) for docno in ("D1", "D2", "D3")] for own in NUMBERS.values()]
    one, other = ([value - sum(own) / 3 for value in own] for own in logs)
    expected = sum(a * b for a, b in zip(one, other, strict=True)) / math.sqrt(
        sum(a * a for a in one) * sum(b * b for b in other)
    )
    assert result.agreement.correlation == pytest.approx(expected)
    assert f"{expected:.3f}" in page and "best 1.0000 1.0000" in page


def test_runs_are_scored_by_ndcg_with_real_gains(
    about: MagnitudeSet, campaign: Campaign, make: Factory
) -> None:
    give(about, "alice", make)
    release = make.make_release(campaign)
    gains = {"D1": 10.0, "D2": 40.0, "D3": 5.0}
    dcg = sum(gains[docno] / math.log2(rank + 1) for rank, docno in enumerate(("D1", "D2", "D3"), start=1))
    ideal = sum(gain / math.log2(rank + 1) for rank, gain in enumerate((40.0, 10.0, 5.0), start=1))
    rows = {row.run.tag: row for row in runs_by_gains(make.make_user("carol"), release, found_result(about))}
    assert rows["run"].magnitudes == pytest.approx(dcg / ideal) and rows["best"].magnitudes == 1
    coded = jp.code_gains(found_result(about).gains)
    run = {"1": {"D1": 3.0, "D2": 2.0, "D3": 1.0}}
    library = jp.evaluate(run, coded.grades, f"nDCG(gains='{coded.gains}')@10").means
    assert [*library.values()] == pytest.approx([dcg / ideal])


def test_a_factor_of_a_judge_does_not_change_the_page(
    about: MagnitudeSet, carol: Client, campaign: Campaign, make: Factory
) -> None:
    give(about, "alice", make)
    give(about, "bob", make)
    make.make_release(campaign)
    before = words(markup(carol.get(PAGE))).split(" Documents each judge ")[0]
    give(about, "bob", make, factor=7)
    assert words(markup(carol.get(PAGE))).split(" Documents each judge ")[0] == before


def test_the_files_have_the_gains_and_all_numbers(about: MagnitudeSet, carol: Client, make: Factory) -> None:
    give(about, "alice", make)
    result = found_result(about)
    lines = carol.get(PAGE + "qrels/").content.decode().splitlines()
    fields = [line.split() for line in lines]
    assert [(topic, zero, docno) for topic, zero, docno, _ in fields] == [
        ("1", "0", docno) for docno in ("D2", "D1", "D3")
    ]
    assert [float(gain) for *_, gain in fields] == [each.gain for each in result.documents]
    head, *rows = carol.get(PAGE + "gains/").content.decode().splitlines()
    assert head.split("\t") == ["topic", "docno", "gain", "relative", "judges", "lowest", "highest", "grade"]
    assert [row.split("\t")[-1] for row in rows] == ["3", "2", "0"]
    head, *rows = carol.get(PAGE + "numbers/").content.decode().splitlines()
    assert head.split("\t")[:5] == ["topic", "docno", "judge", "number", "value"]
    assert sorted(row.split("\t")[3] for row in rows) == ["10/1", "40/1", "5/1"]
    assert "alice" not in "".join(rows)


def test_the_list_leads_to_the_results(about: MagnitudeSet, carol: Client) -> None:
    assert PAGE in markup(carol.get("/campaigns/tiny/scores/magnitudes/"))
