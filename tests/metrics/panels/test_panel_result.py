"""What a panel found: wins by topic and over all, with the sign test."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client
from scipy.stats import binomtest

from assess.models import Panel
from assess.panels.sides import shown_left, side_of_run
from assess.services.assignments import assign
from metrics.panels.queries import panel_result
from tests.metrics.conftest import signed_in
from tests.support.factory import Factory


@pytest.fixture
def voted(make: Factory) -> Panel:
    """Nine topics; alice and bob agree on seven for the first run, differ on one, and find one equal."""
    campaign = make.make_campaign()
    numbers = [str(number) for number in range(1, 10)]
    for number in numbers:
        make.make_topic(campaign, number, f"title {number}")
    make.make_run(campaign, "\n".join(f"{n} P1 1" for n in numbers), tag="zebra-left")
    make.make_run(campaign, "\n".join(f"{n} P2 1" for n in numbers), tag="zebra-right")
    panel = make.make_panel(campaign)
    for judge in ("alice", "bob"):
        left = shown_left(panel.seed, make.make_user(judge).pk, numbers)
        for number in numbers:
            choice = "second" if (judge, number) == ("bob", "8") else "equal" if number == "9" else "first"
            make.make_vote(panel, judge, number, side_of_run(choice, left[number]), f"{judge} on {number}")
    return panel


def text(content: bytes) -> str:
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", content.decode()).split()))


def test_wins_are_counted_by_topic_and_by_vote(voted: Panel) -> None:
    found = panel_result(voted)
    assert found.by_topic[:3] == (7, 0, 2)
    assert found.by_topic.test.p == pytest.approx(binomtest(7, 7).pvalue)
    assert found.votes[:3] == (15, 1, 2)
    assert found.votes.test.p == pytest.approx(binomtest(15, 16).pvalue)
    assert found.judges == 2
    assert [line.winner for line in found.lines] == ["zebra-left"] * 7 + ["", ""]
    assert found.lines[0].votes.test.p == pytest.approx(binomtest(2, 2).pvalue)
    assert found.sides.first + found.sides.second == 16


def test_only_the_last_vote_of_a_judge_and_topic_counts(voted: Panel, make: Factory) -> None:
    for _ in range(3):
        make.make_vote(voted, "alice", "1", "equal")
    found = panel_result(voted)
    assert found.votes[:3] == (14, 1, 3)
    assert found.by_topic[:3] == (7, 0, 2)  # bob's vote still wins the topic


def test_the_page_names_runs_tests_and_reasons(voted: Panel, carol: Client) -> None:
    shown = text(carol.get(f"/campaigns/tiny/scores/panels/{voted.pk}/").content)
    assert "zebra-left and zebra-right, side by side" in shown
    assert "Topics 7 0 2 0.0156" in shown
    assert "Votes 15 1 2 0.0005" in shown
    assert "9 title 9 : alice on 9 alice chose “equal”" in shown


def test_a_panel_without_votes_says_so(make: Factory, carol: Client) -> None:
    campaign = make.make_pooled_campaign()
    page = carol.get(f"/campaigns/tiny/scores/panels/{make.make_panel(campaign).pk}/")
    assert b"No votes yet" in page.content


def test_one_judge_and_one_topic_leave_the_tests_undefined_with_a_reason(
    make: Factory, carol: Client
) -> None:
    campaign = make.make_pooled_campaign()
    panel = make.make_panel(campaign)
    make.make_vote(panel, "alice", "1", "equal")
    shown = text(carol.get(f"/campaigns/tiny/scores/panels/{panel.pk}/").content)
    assert "undefined fewer than two topics" in shown


def test_who_sees_a_result(voted: Panel, make: Factory, client: Client) -> None:
    place = f"/campaigns/tiny/scores/panels/{voted.pk}/"
    assert client.get(place).status_code == 302
    statuses = {name: signed_in(make, name).get(place).status_code for name in ("alice", "mallory", "rita")}
    assert statuses == {"alice": 403, "mallory": 404, "rita": 200}
    assert signed_in(make, "dave").get(place).status_code == 404
    make.make_pool(voted.campaign)
    assign([make.make_user("alice")], voted.campaign.topics.all())
    make.make_judgment(voted.campaign, "alice", "1", "P1", 1)
    make.make_release(voted.campaign, "public")
    assert signed_in(make, "dave").get(place).status_code == 200
