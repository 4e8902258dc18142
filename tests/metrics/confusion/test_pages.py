"""The page of confusion: the lecture's table on it, its cells, its file, and what it leaves out."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from assess.models import QueueEntry
from assess.services.imports import load_judgments
from pooling.models import Campaign
from pooling.scale import BINARY
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/scores/confusion/"
LECTURE = {"1": (1, 1, 1, 97), "2": (9, 1, 1, 89)}  # a tenth of the lecture's tp, fp, fn, tn


def lines(side: int) -> bytes:
    """Return qrels of the expert (0) or of the system (1)."""
    rows = []
    for topic, counts in LECTURE.items():
        kinds = [kind for kind, count in zip("pfnt", counts, strict=True) for _ in range(count)]
        said = ("pn", "pf")[side]
        rows += [f"{topic} 0 D{n} {int(kind in said)}\n" for n, kind in enumerate(kinds)]
    return "".join(rows).encode()


@pytest.fixture
def lecture(make: Factory) -> Campaign:
    campaign = make.make_campaign(grades=BINARY, threshold=1)
    carol = make.make_user("carol")
    for number in LECTURE:
        make.make_topic(campaign, number, f"class {number}")
    make.make_run(campaign, "1 D0 3")
    make.make_pool(campaign)
    for side, name in enumerate(("expert", "system")):
        load_judgments(campaign, carol, lines(side), f"{name}.qrels", name, extend_pool=True)
    return campaign


def signed_in(make: Factory, name: str = "carol") -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def keys(page: str, field: str) -> list[str]:
    """Return the values that a select offers."""
    select = re.search(rf'<select name="{field}">(.*?)</select>', page)
    assert select
    return re.findall(r'value="([^"]*)"', select[1])


def row_of(page: str, head: str) -> list[str]:
    """Return the cells of the row with this head."""
    row = re.search(rf'<th scope="row">{head}.*?</th>(.*?)</tr>', page)
    assert row, head
    return re.findall(r"<td[^>]*>(.*?)</td>", row[1])


def test_micro_and_macro_of_the_lecture_stand_on_the_page(lecture: Campaign, make: Factory) -> None:
    client = signed_in(make)
    expert, system = (key for key in keys(markup(client.get(PAGE)), "expert"))
    page = markup(client.get(PAGE, {"expert": expert, "system": system, "classes": "topics"}))
    assert row_of(page, "1 class 1")[:6] == ["1", "1", "1", "97", "0.500", "0.500"]
    assert row_of(page, "2 class 2")[:6] == ["9", "1", "1", "89", "0.900", "0.900"]
    assert row_of(page, "Micro")[:6] == ["10", "2", "2", "186", "0.833", "0.833"]
    assert row_of(page, "Macro")[:6] == ["", "", "", "", "0.700", "0.700"]


def test_rows_are_the_expert_and_a_cell_lists_its_documents(lecture: Campaign, make: Factory) -> None:
    client = signed_in(make)
    expert, system = keys(markup(client.get(PAGE)), "expert")
    asked = {"expert": expert, "system": system}
    page = markup(client.get(PAGE, asked))
    cells = re.findall(r'aria-label="(\d+) documents: (\d) in the row, (\d) in the column"', page)
    assert cells == [("186", "0", "0"), ("2", "0", "1"), ("2", "1", "0"), ("10", "1", "1")]
    cell = markup(client.get(PAGE, asked | {"row": "0", "column": "1"}))
    assert re.findall(r'<a class="docno"[^>]*>(\w+)</a>', cell) == ["D1", "D9"]
    assert client.get(PAGE, asked | {"row": "0", "column": "7"}).status_code == 404
    many = markup(client.get(PAGE, asked | {"row": "0", "column": "0", "page": "2"}))
    assert "page 2 of 4" in many


def test_the_file_has_all_digits_and_undefined_values_are_empty(lecture: Campaign, make: Factory) -> None:
    client = signed_in(make)
    expert, system = keys(markup(client.get(PAGE)), "expert")
    said = client.get(
        f"{PAGE}tsv/", {"expert": expert, "system": system, "classes": "topics"}
    ).content.decode()
    rows = {line.split("\t")[0]: line.split("\t")[1:] for line in said.splitlines()}
    assert rows["class"][4] == "precision"
    assert float(rows["micro"][4]) == pytest.approx(10 / 12, abs=1e-15)
    assert rows["macro"][:4] == [""] * 4 and float(rows["macro"][4]) == 0.7


def test_unknown_words_in_the_address_are_as_none(lecture: Campaign, make: Factory) -> None:
    client = signed_in(make)
    odd = {"expert": "judge:nobody", "system": "v9", "classes": "colours", "beta": "7"}
    assert markup(client.get(PAGE, odd)) == markup(client.get(PAGE))


def test_with_one_source_there_is_nothing_to_compare(make: Factory) -> None:
    make.make_judgment(make.make_pooled_campaign(), "alice", "1", "D1", 2)
    client = signed_in(make)
    assert "Fewer than two sources of labels" in markup(client.get(PAGE))
    assert client.get(f"{PAGE}tsv/").status_code == 404


def test_documents_that_the_reader_is_still_to_judge_are_left_out(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    for docno, grade in (("D1", 2), ("D2", 0), ("D3", 1)):
        make.make_judgment(campaign, "alice", "1", docno, grade)
    make.make_judgment(campaign, "bob", "1", "D1", 2)
    make.make_release(campaign)
    bob, carol = make.make_user("bob"), signed_in(make)
    asked = {"expert": "judge:alice", "system": "v1"}
    assert "<dd>3</dd>" in markup(carol.get(PAGE, asked))
    campaign.memberships.create(user=bob, role="adjudicator")
    waiting = QueueEntry.objects.filter(judge=bob, state=QueueEntry.State.OPEN, topic__number="1")
    assert waiting.count() == 2
    page = markup(signed_in(make, "bob").get(PAGE, asked))
    assert "<dd>1</dd>" in page and "<dd>3</dd>" not in page


def test_the_page_draws_the_roc_curve_of_the_grades(lecture: Campaign, make: Factory) -> None:
    page = markup(signed_in(make).get(PAGE))
    # 10 of 12 relevant and 2 of 188 other documents have grade 1: (1 + 10/12 - 2/188) / 2
    assert "AUC 0.9113; grades of system as scores, a point for each, highest first: 1, 0" in page
    assert "<h2>ROC</h2>" in page
