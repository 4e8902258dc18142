"""The page of results and its files."""

from __future__ import annotations

import json
import uuid

from django.test import Client

from assess.matchings.services import take_back_label
from assess.models import Matching
from assess.nuggets.assignments import Assignment, read_assignments
from tests.assess.matchings.test_matching_pages import signed_in
from tests.assess.matchings.test_matchings import campaign, matching, own
from tests.support.factory import Factory
from tests.support.markup import markup

__all__ = ["campaign", "matching"]
PAGE = "/campaigns/tiny/scores/matchings/1/"
S, P, N, C = Assignment


def label_all(matching: Matching, make: Factory) -> None:  # noqa: F811
    """Alice finds all in zebra-two and half in the others; bob says none of the second nugget of topic 1."""
    for judge in ("alice", "bob"):
        for task in own(matching, judge):
            best = task.answer.run.tag == "zebra-two"
            make.make_nugget_label(task, 1, S if best else P, 1)
            if task.answer.topic.number == "1":
                make.make_nugget_label(task, 2, S if best and judge == "alice" else N)


def test_the_page_of_results(matching: Matching, make: Factory) -> None:  # noqa: F811
    carol = signed_in(make, "carol")
    assert "No labels yet" in markup(carol.get(PAGE))
    make.make_nugget_label(own(matching)[0], 1, S)
    assert "No topic has labels of all nuggets" in markup(carol.get(PAGE))
    label_all(matching, make)
    page = " ".join(markup(carol.get(PAGE)).split())
    assert "zebra-two has the highest mean vital score, 1.000 over 2 topics." in page
    assert "6 <small>of 6</small>" in page and "It floats" in page
    assert "fewer than 10 topics" in page and "randomised Tukey HSD" in page
    assert "alice" not in page and "bob" not in page
    assert "Matching 1" in markup(carol.get("/campaigns/tiny/scores/matchings/"))
    assert signed_in(make, "alice").get(PAGE).status_code == 403
    assert Client().get(PAGE).status_code == 302


def test_the_files(matching: Matching, make: Factory) -> None:  # noqa: F811
    carol = signed_in(make, "carol")
    label_all(matching, make)
    content = carol.get(PAGE + "assignments/").content
    answers = read_assignments(content)
    assert len(answers) == 6
    first = next(each for each in answers if (each.topic, each.tag) == ("1", "zebra-two"))
    assert [(each.text, each.importance, each.assignment) for each in first.nuggets] == [
        ("It floats", "vital", S),
        ("It is light", "okay", S),  # alice, who was the first
    ]
    row = json.loads(content.splitlines()[0])
    assert row["answer_text"].startswith("Answer ") and row["response_length"] > 5
    lines = [line.split("\t") for line in carol.get(PAGE + "scores/").content.decode().splitlines()]
    assert lines[0][:4] == ["topic", "run", "judges", "vital"] and len(lines) == 7
    named = {(line[0], line[1]): dict(zip(lines[0], line, strict=True)) for line in lines[1:]}
    assert named["1", "zebra-two"]["all"] == "0.750000"  # mean of 1 and 0.5
    assert named["1", "zebra-one"]["vital_strict"] == "0.000000"
    labels = carol.get(PAGE + "labels/").content.decode().splitlines()
    assert len(labels) == 1 + 18 and "alice" not in "".join(labels)
    task = own(matching)[0]
    last = task.labels.latest("pk")
    take_back_label(task, task.judge, uuid.uuid4(), last.uuid)
    assert len(carol.get(PAGE + "labels/").content.decode().splitlines()) == 18
