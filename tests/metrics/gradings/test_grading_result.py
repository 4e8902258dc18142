"""Results of gradings: means by hand, agreement as the library has it, pages and the file."""

from __future__ import annotations

import uuid

import numpy as np
import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from assess.gradings.services import take_back_grades
from assess.kappa.agreement import coefficients
from assess.kappa.labels import labels_of_records
from assess.kappa.registry import REGISTRY
from assess.models import Grading
from metrics.gradings.result import GradedAnswer, Scale, grading_result
from tests.assess.gradings.test_gradings import campaign, grading, own, signed_in
from tests.support.factory import Factory
from tests.support.markup import markup

__all__ = ["campaign", "grading"]
SCALES = [Scale("Helpful", ["no", "partly", "yes"]), Scale("Sound", ["no", "yes"])]
PAGE = "/campaigns/tiny/scores/gradings/1/"


def test_means_are_over_topics_with_all_runs_and_over_judges_within() -> None:
    graded = [
        GradedAnswer("1", "a", "ada", [2, 1]),
        GradedAnswer("1", "a", "ben", [1, 1]),
        GradedAnswer("1", "b", "ada", [0, 0]),
        GradedAnswer("2", "a", "ada", [0, 1]),
        GradedAnswer("2", "b", "ada", [2, 1]),
        GradedAnswer("3", "a", "ada", [2, 1]),  # b has none
    ]
    result = grading_result(graded, SCALES, ["b", "a"])
    means = {run: [each.mean for each in own] for run, own in result.rows}
    assert means == {"a": [0.75, 1.0], "b": [1.0, 0.5]}
    assert [run for run, _ in result.rows] == ["b", "a"]
    assert [each.rank for each in result.rows[1][1]] == [2, 1]
    assert (result.topics, result.left_out, result.answers, result.judges) == (2, 1, 5, 2)
    helpful, sound = result.checks
    assert (helpful.counts, helpful.doubled, helpful.same) == ([2, 1, 3], 1, 0)
    assert (sound.counts, sound.doubled, sound.share) == ([1, 5], 1, 1.0)
    assert result.correlation and result.correlation.tau[0][1] == -1
    assert "fewer than 10 topics" in result.rows[0][1][0].no_interval


def test_without_grades_of_all_runs_there_are_no_rows() -> None:
    result = grading_result([GradedAnswer("1", "a", "ada", [2, 1])], SCALES, ["a", "b"])
    assert result.rows == [] and result.correlation is None and result.left_out == 1


GRADES = st.lists(st.integers(0, 2), min_size=60, max_size=60)


@given(GRADES)
def test_agreement_and_intervals_are_those_of_the_library(values: list[int]) -> None:
    keys = [(str(topic), run, judge) for topic in range(15) for run in "ab" for judge in ("ada", "ben")]
    graded = [GradedAnswer(*key, [grade]) for key, grade in zip(keys, values, strict=True)]
    result = grading_result(graded, SCALES[:1], ["a", "b"])
    records = [(topic, run, judge, grade) for (topic, run, judge), grade in zip(keys, values, strict=True)]
    (alpha,) = coefficients(labels_of_records(records, range(3)), [REGISTRY["alpha-ordinal"]])
    assert result.checks[0].alpha == alpha
    for run, (mean,) in result.rows:
        own = [grade for key, grade in zip(keys, values, strict=True) if key[1] == run]
        assert mean.mean == pytest.approx(np.mean(own))
        assert mean.low is None or 0 <= mean.low <= mean.mean <= (mean.high or 0) <= 2


def test_the_page_and_its_file(grading: Grading, make: Factory) -> None:  # noqa: F811
    carol = signed_in(make, "carol")
    assert "No grades yet" in markup(carol.get(PAGE))
    for judge in ("alice", "bob"):
        for task in own(grading, judge):
            make.make_grades(task, [2 if task.answer.run.tag == "zebra-two" else 1, 0], "because of it")
    page = markup(carol.get(PAGE))
    assert "zebra-two" in page and "2.00" in page and "Krippendorff" in page and "because of it" in page
    lines = carol.get(f"{PAGE}grades/").content.decode().splitlines()
    assert lines[0].split("\t")[:6] == ["topic", "run", "judge", "criterion", "grade", "level"]
    assert len(lines) == 1 + 2 * 6 * 2 and "alice" not in "".join(lines)
    task = own(grading)[0]
    take_back_grades(task, task.judge, uuid.uuid4(), task.given.get().uuid)
    assert len(carol.get(f"{PAGE}grades/").content.decode().splitlines()) == len(lines) - 2
    assert "Grading 1" in markup(carol.get("/campaigns/tiny/scores/gradings/"))
    assert signed_in(make, "alice").get(PAGE).status_code == 403
    assert Client().get(PAGE).status_code == 302
