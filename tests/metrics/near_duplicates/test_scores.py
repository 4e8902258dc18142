"""Scores with propagated labels, and with later members of a class counted non-relevant."""

from __future__ import annotations

import csv
import io
import re

import ir_measures
import numpy as np
import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from assess.near_duplicates.services import split_member
from assess.release.plan import ReleasePlan
from assess.services.releases import release_qrels
from metrics.near_duplicates.novelty import novel_grades
from pooling.models import Campaign
from tests.assess.near_duplicates.conftest import frozen as frozen
from tests.assess.near_duplicates.conftest import pooled as pooled
from tests.assess.near_duplicates.test_services import member
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/scores/1/near-duplicates/"
RANKINGS = {"copies": ("D2", "D3", "D1", "D6", "D5"), "varied": ("D2", "D6", "D5", "D4", "D1")}


@pytest.fixture
def released(frozen: Campaign, make: Factory) -> Campaign:
    """D1 is 3 and stands for D2, D3 and D4; D5 is 0, D6 is 2; topic 2: D1 is 1, D5 is 2."""
    for tag, docnos in RANKINGS.items():
        lines = [f"1 {docno} {9 - rank}" for rank, docno in enumerate(docnos)] + ["2 D5 2", "2 D1 1"]
        make.make_run(frozen, "\n".join(lines), tag)
    for topic, docno, grade in (
        ("1", "D1", 3),
        ("1", "D5", 0),
        ("1", "D6", 2),
        ("2", "D1", 1),
        ("2", "D5", 2),
    ):
        make.make_judgment(frozen, "alice", topic, docno, grade)
    release_qrels(frozen, make.make_user("carol"), ReleasePlan(propagated=True))
    return frozen


def table(make: Factory, measure: str) -> dict[str, list[float]]:
    client = Client()
    client.force_login(make.make_user("carol"))
    answer = client.get(f"{PAGE}csv/", {"measure": measure}).content.decode()
    return {
        row["tag"]: [float(value) for value in list(row.values())[3:]]
        for row in csv.DictReader(io.StringIO(answer))
    }


def expected(measure: str, grades: dict[str, dict[str, int]], tag: str) -> float:
    """Return the score by ir_measures. grades: topic -> docno -> grade."""
    rankings = {"1": RANKINGS[tag], "2": ("D5", "D1")}
    run = {topic: {d: 9.0 - rank for rank, d in enumerate(docnos)} for topic, docnos in rankings.items()}
    value = ir_measures.calc_aggregate([ir_measures.parse_measure(measure)], grades, run)
    return float(next(iter(value.values())))


@pytest.mark.parametrize(
    ("ours", "theirs"), [("nDCG@10", "nDCG@10"), ("AP", "AP(rel=2)"), ("P@5", "P(rel=2)@5")]
)
def test_three_readings_are_those_of_three_qrels(
    released: Campaign, make: Factory, ours: str, theirs: str
) -> None:
    found, second = table(make, ours), {"D1": 1, "D5": 2}
    judged = {"1": {"D1": 3, "D5": 0, "D6": 2}, "2": second}
    propagated = {"1": {**judged["1"], "D2": 3, "D3": 3, "D4": 3}, "2": second}
    for tag in RANKINGS:  # both rank D2 before the others of its class
        novel = {"1": {**judged["1"], "D2": 3, "D1": 0, "D3": 0, "D4": 0}, "2": second}
        assert found[tag] == pytest.approx(
            [expected(theirs, each, tag) for each in (judged, propagated, novel)]
        )
    assert found["copies"][2] <= found["varied"][2]


def test_a_document_split_from_its_class_is_no_later_member(frozen: Campaign, make: Factory) -> None:
    split_member(member("D2"), make.make_user("alice"))
    make.make_run(frozen, "1 D1 3\n1 D2 2", "both")
    for docno in ("D1", "D2"):
        make.make_judgment(frozen, "alice", "1", docno, 3)
    release_qrels(frozen, make.make_user("carol"), ReleasePlan(propagated=True))
    assert table(make, "P@5")["both"] == pytest.approx([0.4, 0.4, 0.4])


def test_the_page_and_the_leaderboard_say_which_scores_these_are(released: Campaign, make: Factory) -> None:
    client = Client()
    client.force_login(make.make_user("carol"))
    assert PAGE in markup(client.get("/campaigns/tiny/scores/1/"))
    page = " ".join(markup(client.get(PAGE)).split())
    assert "With propagated labels (3) they count" in page
    scores = {tag: row[1] for tag, row in table(make, "nDCG@10").items()}
    best_first = sorted(scores, key=lambda tag: (-scores[tag], tag))
    assert re.findall(r'<th scope="row" class="tag" title="(\w+)"', page) == best_first
    release_qrels(released, make.make_user("carol"), ReleasePlan(cannot="-1"))
    other = PAGE.replace("/1/", "/2/")
    assert "without propagated labels" in markup(client.get(other))
    assert client.get(f"{other}csv/").status_code == 404
    assert other not in markup(client.get("/campaigns/tiny/scores/2/"))


def plain(grades: list[int], classes: list[int], retrieved: list[int]) -> list[int]:
    """One class after the other."""
    novel = list(grades)
    for number in set(classes) - {-1}:
        places = [place for place, each in enumerate(classes) if each == number]
        ranked = [place for place in retrieved if place in places]
        kept = ranked[0] if ranked else max(places, key=lambda place: (grades[place], place))
        for place in places:
            if place != kept:
                novel[place] = min(0, grades[place])
    return novel


@given(st.lists(st.tuples(st.integers(-1, 3), st.integers(-1, 3)), max_size=12), st.randoms())
def test_novel_grades_are_those_of_a_plain_loop(rows: list[tuple[int, int]], draw: object) -> None:
    grades, classes = [grade for grade, _ in rows], [each for _, each in rows]
    retrieved = draw.sample(range(len(rows)), draw.randint(0, len(rows)))  # type: ignore[attr-defined]
    vectors = (np.array(each, dtype=np.int64) for each in (grades, classes, retrieved))
    assert novel_grades(*vectors).tolist() == plain(grades, classes, retrieved)
