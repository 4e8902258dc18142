"""A run's page, its list of a topic, its ties."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from pooling.models import Campaign
from tests.metrics.conftest import make_compared
from tests.support.factory import Factory
from tests.support.markup import markup

build_campaign = make_compared

URL = "/campaigns/tiny/scores/1/runs/"


def page(client: Client, place: str, query: str = "") -> str:
    response = client.get(f"{URL}{place}?{query}")
    assert response.status_code == 200
    return markup(response)


def plot(content: str, name: str) -> dict[str, Any]:
    found = re.search(rf'id="{name}".*?data-values="(.*?)"', content, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(unescape(found[1]))
    return data


def text(content: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", content).split())


def test_a_run_stands_among_the_others(compared: Campaign, carol: Client) -> None:
    content = page(carol, "ketch/", "measures=AP+P@5")
    assert "AP 0.7500 2nd of 4" in text(content)
    data = plot(content, "by-topic")
    assert data["columns"] == ["topic", "ketch", "lowest", "median", "highest"]
    rows = {row[0]: row[1:] for row in data["rows"]}
    assert rows["1"] == pytest.approx([1.0, 0.0, 0.5, 1.0])  # of 1, 5/6, 1/6 and 0
    assert rows["2"] == pytest.approx([0.5, 0.0, 0.75, 1.0])


def test_every_plot_names_its_axes_its_topics_and_has_a_table(compared: Campaign, carol: Client) -> None:
    compared.collection_size = 50
    compared.save()
    content = page(carol, "sloop/")
    names = ["precision-recall", "by-topic", "precision-recall-raw", "roc", "ndcg", "gain"]
    for name in names:
        data = plot(content, name)
        assert data["x"] and data["y"] and data["topics"] == 2
        section = content[content.index(f'id="{name}"') :]
        assert "2 topics</p>" in section[: section.index("</header>")]
        assert section[: section.index("</details>")].count("<tr>") == 1 + len(data["rows"])


def test_the_curve_at_each_rank_is_precision_and_recall(compared: Campaign, carol: Client) -> None:
    rows = plot(page(carol, "sloop/"), "precision-recall-raw")["rows"]
    assert rows[0] == pytest.approx([(1 / 2 + 1) / 2, 1.0, 1])  # A of A and C; A of A
    assert rows[2] == pytest.approx([1.0, (2 / 3 + 1 / 3) / 2, 3])


def test_an_unknown_collection_has_no_roc_and_the_page_says_why(compared: Campaign, carol: Client) -> None:
    content = page(carol, "sloop/")
    assert "No curve: the size of the collection is not known" in content
    assert ">unknown<" in content
    compared.collection_size = 2
    compared.save()
    assert "expected a collection of at least 3 documents" in page(carol, "sloop/")


def test_the_confusion_matrix_is_cut_where_one_asks(compared: Campaign, carol: Client) -> None:
    assert "Relevant 2 1" in text(page(carol, "sloop/", "k=1"))  # A and A; C is missed
    assert "Relevant 3 0" in text(page(carol, "sloop/", "k="))
    assert "all retrieved documents" in page(carol, "sloop/", "k=")
    assert "Confusion matrix: Enter a whole number." in page(carol, "sloop/", "k=nonsense")


def test_holes_are_read_both_ways(compared: Campaign, carol: Client) -> None:
    content = text(page(carol, "stone/", "measures=P@1"))
    assert "2 of 2 retrieved documents are not judged" in content
    assert "P@1 0.0000 0.0000 0.5000" in content


def test_tied_documents_are_tried_in_other_orders(compared: Campaign, carol: Client) -> None:
    content = text(page(carol, "wheel/ties/", "measures=RR"))
    assert "3 of 4 documents have the same score as another document of their topic" in content
    assert "1 group of tied documents, the largest with 3 documents" in content
    assert "RR 0.6667 0.6667 1.0000" in content
    assert "No two documents of a topic have the same score" in page(carol, "sloop/ties/")


def test_the_list_of_a_topic_shows_grades_holes_and_ties(compared: Campaign, carol: Client) -> None:
    content = page(carol, "wheel/topics/1/")
    documents = re.findall(r'<th scope="row" class="docno">(\w+)</th>', content)
    assert documents == ["X", "B", "A"]  # equal scores: docno descending
    assert content.count("not judged</span>") == 1
    assert content.count(">tied<") == 3
    assert (
        "3 documents retrieved, 1 of them relevant (2 relevant documents are known); 1 is not judged"
        in text(content)
    )
    raw = [row for row in plot(content, "precision-recall-topic")["rows"] if row[1] is not None]
    assert raw == [[0.5, pytest.approx(1 / 3), None]]


def test_a_topic_that_the_run_lacks_counts_zero(compared: Campaign, carol: Client) -> None:
    assert "The run has no documents for this topic, so the topic scores 0" in page(carol, "stone/topics/2/")


def test_a_long_list_comes_in_pages(compared: Campaign, carol: Client, make: Factory) -> None:
    lines = "\n".join(f"1 D{n:03d} {1000 - n}" for n in range(250))
    make.make_run(compared, lines, tag="long")
    content = page(carol, "long/topics/1/", "page=3")
    assert "Ranks 201 to 250 of 250" in text(content)
    assert ">D200<" in content and ">D199<" not in content
    assert "Ranks 201 to 250" in text(page(carol, "long/topics/1/", "page=99"))


@pytest.mark.parametrize("place", ["nobody/", "sloop/topics/9/", "nobody/ties/"])
def test_what_is_not_there_is_not_found(compared: Campaign, carol: Client, place: str) -> None:
    assert carol.get(URL + place).status_code == 404


def test_a_topic_of_the_campaign_that_the_release_lacks_is_not_found(
    compared: Campaign, carol: Client, make: Factory
) -> None:
    make.make_topic(compared, "3", "later")
    assert carol.get(URL + "sloop/topics/3/").status_code == 404
