"""One campaign, every page: the number of relevant documents is the same, and its rule is named."""

from __future__ import annotations

import re
import uuid

import pytest
from django.test import Client

from assess.consensus import ADJUDICATED, MAJORITY
from assess.queries.adjudication import dispute_in
from assess.queries.campaign_reads import CampaignReads
from assess.services.adjudications import Settlement, settle
from assess.services.releases import release_qrels
from metrics.queries.quality import pool_quality, saturation_by_topic
from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.markup import markup

LABELS = {  # docno -> grades of alice and bob; relevant from grade 2
    "D1": (3, 0),
    "D2": (2, 2),
    "D3": (3, 1),
}


def build_campaign(make: Factory) -> Campaign:
    """Topic 1 with two disputed documents and one on which the judges agree."""
    campaign = make.make_pooled_campaign()
    for docno, grades in LABELS.items():
        for judge, grade in zip(("alice", "bob"), grades, strict=True):
            make.make_judgment(campaign, judge, "1", docno, grade)
    return campaign


def figure(page: str, name: str) -> tuple[int, str]:
    """Return the number and the remark of a figure in the tally of a page."""
    found = re.search(rf"<dt>{name}</dt> ?<dd> ?(\d+) ?<small>(.*?)</small>", page)
    assert found, name
    return int(found[1]), found[2]


def settle_first(campaign: Campaign, make: Factory, grade: int) -> None:
    ada = make.make_user("ada")
    card = dispute_in(CampaignReads(campaign), ada, make.pooled(campaign, "1", "D1").pk)
    assert card
    settle(card.pooled, ada, Settlement(uuid.uuid4(), "D1", card.text_hash, card.last_label, grade))


@pytest.mark.parametrize(("settled", "relevant", "rule"), [(False, 1, MAJORITY), (True, 2, ADJUDICATED)])
def test_every_page_counts_relevant_documents_by_the_same_named_rule(
    campaign: Campaign, make: Factory, settled: bool, relevant: int, rule: str
) -> None:
    if settled:
        settle_first(campaign, make, 3)
    client = Client()
    client.force_login(make.make_user("carol"))

    def page(path: str) -> str:
        return markup(client.get(f"/campaigns/tiny/{path}"))

    for path, name in (
        ("progress/", "Relevant documents"), ("qrels/", "Relevant"),
    ):  # fmt: skip
        count, remark = figure(page(path), name)
        assert (path, count) == (path, relevant)
        assert f"rule: {rule}" in remark
    grid = page("progress/")
    totals = re.findall(r"<tfoot>.*</tfoot>", grid)[0]
    assert re.findall(r'<td class="number">(\d+)</td>', totals)[1] == str(relevant)
    assert f"3 of 3 pooled documents are judged; {relevant} of them are relevant (rule: {rule})" in page(
        "judging/topics/1/"
    )
    assert f"Rule for grades: {rule}" in page("pool/quality/")
    found = pool_quality(CampaignReads(campaign))
    assert found and sum(level.relevant for level in found.levels) == relevant
    assert sum(int(curve[-1]) for curve in saturation_by_topic(CampaignReads(campaign)).values()) == relevant

    release_qrels(campaign, make.make_user("carol"))
    count, remark = figure(page("qrels/1/"), "Relevant")
    assert count == relevant
    assert f"rule: {rule}" in remark
    assert f"by the rule “{rule}”" in page("scores/1/")


def test_pages_distinguish_documents_and_labels(campaign: Campaign, make: Factory) -> None:
    client = Client()
    client.force_login(make.make_user("carol"))
    grid = markup(client.get("/campaigns/tiny/progress/"))
    assert "A pooled document is one document of one topic." in grid
    for head in ("Pooled documents", "Judged documents", "Relevant documents", "Remaining labels"):
        assert re.search(rf"<th[^>]*>{head}</th>", grid), head
    assert "Labels of people</dt><dd><b>6</b>" in markup(client.get("/campaigns/tiny/"))
    assert "pairs of topic and document" in markup(client.get("/campaigns/tiny/documents/"))
