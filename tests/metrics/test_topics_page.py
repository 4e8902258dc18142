"""The topics of a release, as the runs found them."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
from django.test import Client

from assess.services.assignments import assign
from pooling.models import Campaign
from tests.metrics.conftest import make_compared
from tests.support.factory import Factory
from tests.support.markup import markup

build_campaign = make_compared

URL = "/campaigns/tiny/scores/1/topics/"


def page(client: Client, query: str = "", url: str = URL) -> str:
    response = client.get(f"{url}?{query}")
    assert response.status_code == 200
    return markup(response)


def order(content: str) -> list[str]:
    table = content[content.index('aria-label="Scores of all topics" tabindex') :]
    return re.findall(r'<th scope="row" class="tag"><a [^>]*>([^<]+)</a>', table)


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("topic", ["1", "2"]),
        ("mean", ["1", "2"]),  # hardest first
        ("relevant", ["1", "2"]),
        ("judged", ["1", "2"]),
        ("spread", ["2", "1"]),
        ("nonsense", ["1", "2"]),
    ],
)
def test_topics_are_sorted_by_a_column(
    compared: Campaign, carol: Client, by: str, expected: list[str]
) -> None:
    content = page(carol, f"measures=R@1&by={by}")
    assert order(content) == expected
    assert len(re.findall('aria-sort="(?:ascending|descending)"', content)) == 1


def test_plots_say_how_many_runs_and_topics_they_show(compared: Campaign, carol: Client) -> None:
    content = page(carol, "measures=AP")
    found = re.search(r'id="difficulty".*?data-values="(.*?)"', content, re.DOTALL)
    assert found
    data = json.loads(unescape(found[1]))
    assert (data["y"], data["topics"]) == ("AP", 2)
    assert {row[0] for row in data["rows"]} == {"1", "2"}
    assert "AP of 4 runs; box: middle half; 2 topics" in content


def test_a_topic_without_relevant_documents_is_pointed_out(
    compared: Campaign, carol: Client, make: Factory
) -> None:
    make.make_topic(compared, "3", "nothing there")
    make.make_run(compared, "3 Z 1", tag="third")
    make.make_pool(compared)
    assign([make.make_user("alice")], compared.topics.filter(number="3"))
    make.make_judgment(compared, "alice", "3", "Z", 0)
    make.make_release(compared)
    content = page(carol, "", URL.replace("/1/", "/2/"))
    assert "no relevant document: every run scores 0, and the mean counts it" in content
    assert "all equal" in content
    assert "no relevant document" not in page(carol)
