"""The page of a run's results for a topic: what it shows, in which order, and to whom."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from assess.snippets.services import load_snippets
from pooling.models import Campaign, Role
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/"
PAGE = HOME + "runs/long/results/"


def build_campaign(make: Factory) -> Campaign:
    """A run with 12 results for topic 1, which have texts up to D11, 60 for topic 2, and none for topic 3."""
    campaign = make.make_campaign()
    for number, title in (("1", "boats"), ("2", "grain"), ("3", "mills")):
        make.make_topic(campaign, number, title)
    lines = [f"1 D{rank} {100 - rank}" for rank in range(1, 13)]
    lines += [f"2 E{rank} {100 - rank}" for rank in range(1, 61)]
    make.make_run(campaign, "\n".join(lines), "long", group="zebra")
    for rank in range(1, 12):
        text = "Much is said. " * 40 + f"Boat {rank} floats."
        make.make_document(campaign, f"D{rank}", text, title=f"On boats, part {rank}")
    campaign.documents.filter(docno="D2").update(url="https://example.org/boats")
    add_member(campaign, make.make_user("carol"), Role.ORGANISER)
    return campaign


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def items(page: str) -> list[str]:
    """Return the words of each result."""
    found = re.findall(r'<li id="rank-.*?</li>', page, re.DOTALL)
    return [" ".join(re.sub("<[^>]+>", " ", each).split()) for each in found]


def test_results_stand_in_the_order_of_the_run(campaign: Campaign, make: Factory) -> None:
    page = markup(signed_in(make, "carol").get(PAGE))
    shown = items(page)
    assert [each.split()[0] for each in shown] == [f"{rank}" for rank in range(1, 11)]
    assert shown[1].startswith("2 On boats , part 2 https://example.org/boats")
    assert "Boat 2 floats." in shown[1] and shown[1].endswith("D2")
    assert "<mark" in page
    assert "page=2" in page and "Results 1 to 10 of 12" in " ".join(page.split())


def test_the_next_page_names_what_has_no_text(campaign: Campaign, make: Factory) -> None:
    page = " ".join(markup(signed_in(make, "carol").get(PAGE + "?topic=1&page=2")).split())
    shown = items(page)
    assert shown[0].startswith("11 On boats , part 11") and shown[1] == "12 D12 D12 , no text here"
    assert "1 of these 2 documents has no text here." in page


def test_a_run_is_shown_with_the_snippets_that_it_brought(campaign: Campaign, make: Factory) -> None:
    run = campaign.runs.get()
    load_snippets(run, make.make_user("carol"), b"1 D1 Of topic 1\n* D2 Of every topic\n", "own.txt")
    page = " ".join(markup(signed_in(make, "carol").get(PAGE)).split())
    assert "Of topic 1" in items(page)[0] and "Of every topic" in items(page)[1]
    assert "Boat 3 floats." in items(page)[2] and "2 of these 10 snippets came with the run" in page


def test_only_the_first_results_are_paged_through(campaign: Campaign, make: Factory) -> None:
    page = " ".join(markup(signed_in(make, "carol").get(PAGE + "?topic=2&page=99")).split())
    assert items(page)[-1].startswith("50 E50") and "Results 41 to 50 of the first 50" in page
    assert "10 of these 10 documents have no text here." in page


def test_a_topic_without_results_says_so(campaign: Campaign, make: Factory) -> None:
    carol = signed_in(make, "carol")
    page = markup(carol.get(PAGE + "?topic=3"))
    assert "The run has no results for this topic" in page and items(page) == []
    assert "(no results)" in page
    assert carol.get(PAGE + "?topic=nothing").status_code == 404
    assert carol.get(PAGE + "?topic=%00").status_code == 404


@pytest.mark.parametrize("role", [Role.JUDGE, Role.PARTICIPANT, Role.READER])
def test_people_who_may_not_read_documents_see_no_results(
    campaign: Campaign, make: Factory, role: Role
) -> None:
    add_member(campaign, make.make_user("zoe"), role, group="zebra" if role is Role.PARTICIPANT else "")
    zoe = signed_in(make, "zoe")
    assert zoe.get(PAGE).status_code == 403
    assert PAGE not in markup(zoe.get(HOME + "runs/long/"))
