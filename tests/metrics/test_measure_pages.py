"""The registry as pages: every kind has one, and its example follows the link."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from metrics.measures.registry import KINDS
from tests.metrics.conftest import signed_in
from tests.support.factory import Factory
from tests.support.markup import markup


def text(content: bytes) -> str:
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", content.decode()).split()))


def test_every_kind_has_its_page(make: Factory) -> None:
    mallory = signed_in(make, "mallory")  # no campaign is asked for
    listed = markup(mallory.get("/measures/"))
    assert set(re.findall(r'href="/measures/([^/"]+)/"', listed)) == set(KINDS)
    for kind in KINDS.values():
        page = text(mallory.get(f"/measures/{kind.name}/").content)
        assert kind.meaning in page and kind.citation in page


def test_the_example_is_worked_out_live(carol: Client) -> None:
    page = text(carol.get("/measures/AP/").content)
    assert "1 d1 3 yes 0.2500 2 d2 0 no 0.2500 3 d3 2 yes 0.4167 4 d4 not judged no" in page
    assert "trec_eval map map_cut_k" in page
    page = text(carol.get("/measures/AP/", {"ranking": "0 1", "missed": ""}).content)
    assert "1 d1 0 no 0.0000 2 d2 1 yes 0.5000 AP 0.5000" in page


@pytest.mark.parametrize("ranking", ["", "3 x", "- -", "1 " * 40, "<b>"])
def test_a_bad_example_is_said_and_the_usual_one_shown(carol: Client, ranking: str) -> None:
    response = carol.get("/measures/AP/", {"ranking": ranking, "missed": ""})
    assert response.status_code == 200
    assert "The table shows the default example instead" in text(response.content)
    assert b"<b>" not in response.content


def test_an_unknown_measure_has_no_page_and_a_stranger_none_at_all(carol: Client, client: Client) -> None:
    assert carol.get("/measures/nDGC/").status_code == 404
    assert client.get("/measures/AP/").status_code == 302


@pytest.mark.parametrize(
    ("kind", "name", "shown"),
    [
        ("DCG", "DCG(dcg='jk-log2')", "DCG(dcg='jk-log2') 8.0972"),
        ("DCG", "DCG@2", "DCG@2 4.2619"),
        ("DCG", "ndcg", "Expected DCG with a cut-off or parameters, found nDCG"),
        ("DCG", "DCG(dcg='x')", "The table shows the default example instead"),
        ("DCG", "<b>", "The table shows the default example instead"),
    ],
)
def test_the_example_takes_a_cut_off_and_parameters(carol: Client, kind: str, name: str, shown: str) -> None:
    asked = {"ranking": "3 2 3 0 1 2", "missed": "", "measure": name}
    assert shown in text(carol.get(f"/measures/{kind}/", asked).content)
