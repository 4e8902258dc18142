"""The file that says why each document was judged: the recall of the page can be computed from it alone."""

from __future__ import annotations

import csv
from io import StringIO

import pytest
from django.test import Client
from scipy.stats import binomtest

from assess.active_learning.batches import sample_rows
from assess.active_learning.progress import ReviewProgress
from assess.active_learning.queries.reviews import progress_of
from assess.active_learning.services.searches import add_found_documents
from pooling.models import Campaign
from tests.assess.active_learning.test_reviews import RELEVANT, begun, freeze_next, fresh, label
from tests.assess.active_learning.test_reviews import campaign as campaign
from tests.support.factory import Factory

Counts = tuple[int, int, int, int]
FILE = "/campaigns/tiny/judging/high-recall/topics/1/tsv/"


@pytest.fixture
def carol(campaign: Campaign, make: Factory, client: Client) -> Client:
    """The client of the organiser."""
    client.force_login(make.make_user("carol"))
    return client


def lines_of(client: Client) -> list[dict[str, str]]:
    text = client.get(FILE).content.decode()
    return list(csv.DictReader(StringIO(text), delimiter="\t"))


def counts_by_file(lines: list[dict[str, str]]) -> Counts:
    """Return size, relevant, reached and found of the sample, as the documentation says to compute them."""
    gaps = [int(line["round"]) for line in lines if line["place"] and not line["relevant"]]
    ended = min(gaps, default=10**9)  # rounds before this one are labelled

    def is_reached(line: dict[str, str]) -> bool:
        return line["round"] != "" and int(line["round"]) < ended

    places = {int(line["sample_place"]): line for line in lines if line["sample_place"] and line["relevant"]}
    judged: list[dict[str, str]] = []
    while len(judged) + 1 in places:
        judged.append(places[len(judged) + 1])
    relevant = [line for line in judged if line["relevant"] == "1"]
    return len(judged), len(relevant), sum(map(is_reached, judged)), sum(map(is_reached, relevant))


def check_file(client: Client, progress: ReviewProgress) -> None:
    counts = counts_by_file(lines_of(client))
    assert counts == progress.sample
    _, relevant, _, found = counts
    if not relevant:
        assert progress.recall.value is None
        return
    interval = binomtest(found, relevant).proportion_ci(0.95, method="exact")
    assert progress.recall[:3] == pytest.approx((found / relevant, interval.low, interval.high))


@pytest.mark.parametrize("cap", [None, 4])
def test_the_recall_of_the_page_is_that_of_the_file(
    campaign: Campaign, make: Factory, carol: Client, cap: int | None
) -> None:
    review = begun(campaign, make, sample_size=40, cap=cap)
    founds = []
    for _ in range(9):
        check_file(carol, progress_of(fresh(review)))  # a batch waits for labels
        label(campaign, make)
        progress = progress_of(fresh(review))
        check_file(carol, progress)
        founds.append((progress.sample.found, progress.sample.relevant))
        freeze_next(review, make)
    assert progress.is_sample_complete and progress.recall.value
    assert any(0 < found < relevant for found, relevant in founds)


def test_every_document_of_the_sample_has_its_place(campaign: Campaign, make: Factory, carol: Client) -> None:
    """Whether the model chose it before the sample gave it to judges, or a judge found it by search."""
    review, alice = begun(campaign, make), make.make_user("alice")
    known = set(review.documents.values_list("row", flat=True))
    sample = sample_rows(7, 120, 20).tolist()
    add_found_documents(review, alice, [next(row for row in sample if row not in known)], "sail")
    for _ in range(8):
        label(campaign, make)
        freeze_next(review, make)
    lines = lines_of(carol)
    places = {line["docno"]: int(line["sample_place"]) for line in lines if line["sample_place"]}
    assert places == {f"D{row:03}": place for place, row in enumerate(sample, start=1)}
    of_sample = [line for line in lines if line["sample_place"]]
    assert {line["reason"] for line in of_sample} == {"model", "sample", "search"}
    assert any(not line["sample_round"] for line in of_sample if line["reason"] == "model")
    assert all(line["relevant"] == f"{int(line['docno'] in RELEVANT)}" for line in of_sample)
