"""Where a coefficient has no value, the reason says why."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from assess.kappa.agreement import ALL_JUDGE_COEFFICIENTS, coefficients, coefficients_by_topic
from assess.kappa.bootstrap import Bootstrap
from assess.kappa.labels import labels_of
from assess.kappa.marginals import balance, bhapkar, mcnemar, stuart_maxwell
from assess.kappa.pairs import coefficients_of_table, coefficients_of_tables, pair_report
from assess.kappa.registry import REGISTRY

from .published import LECTURE, named, near, written

FEWER_THAN_TEN = "fewer than 10 topics have documents with labels of two judges"
ALL_THE_SAME = "every label is the same: chance alone could not disagree"


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (["0123"], "only one judge gave labels"),
        (["0123", "...."], "only one judge gave labels"),
        (["01..", "..23"], "no document has labels of two judges"),
        (["01..", ".123"], "fewer than 2 documents have labels of two judges"),
    ],
)
def test_every_coefficient_states_what_is_missing(rows: Sequence[str], reason: str) -> None:
    for found in coefficients(written(rows, "0123")):
        assert (found.value, found.reason, found.interval) == (None, reason, None)


def test_where_all_labels_are_the_same_only_what_corrects_for_chance_is_undefined() -> None:
    found = coefficients(written(["222", "222", "22."], "0123"))
    values = {each.key: value.value for each, value in zip(ALL_JUDGE_COEFFICIENTS, found, strict=True)}
    defined = {key for key, value in values.items() if value is not None}
    # S, AC1 and AC2 fix chance agreement below 1 whatever the labels are
    assert defined == {
        "percent", "percent-binary", "bennett", "ac1", "ac2-linear", "ac2-quadratic", "ac1-binary", "overlap",
    }  # fmt: skip
    assert {values[key] for key in defined} == {1.0}
    assert named(found, "Fleiss' kappa").reason == ALL_THE_SAME
    assert named(found, "Light's kappa").reason.startswith("in every pair of judges all labels are the same")
    assert named(found, "Fleiss' kappa").observed == 1


def test_two_judges_without_a_document_in_common_and_with_one() -> None:
    assert {each.reason for each in coefficients_of_table([[0, 0], [0, 0]], [0, 1])} == {
        "no document has labels of two judges"
    }
    assert {each.value for each in coefficients_of_table([[1, 0], [0, 0]], [0, 1])} == {None}
    assert named(coefficients_of_table([[5, 0], [0, 0]], [0, 1]), "Cohen's kappa").reason == ALL_THE_SAME


def test_no_relevant_document_is_no_overlap() -> None:
    found = named(coefficients(written(["000", "000"], "01")), "Overlap of relevant sets")
    assert found.reason == "no topic has a document that a judge found relevant"


def test_a_ratio_scale_has_a_zero_below_which_nothing_is() -> None:
    found = coefficients(labels_of([[0, 1, 2], [0, 1, 1]], [-2, 0, 1]))
    assert named(found, "Krippendorff's alpha, ratio").reason == "a ratio scale has no grades below 0"
    assert named(found, "Krippendorff's alpha, interval").value is not None


def test_one_topic_has_no_interval_and_says_why() -> None:
    for found in coefficients(written(["0123", "0122"], "0123"), bootstrap=Bootstrap(draws=10)):
        assert (found.value is not None, found.interval) == (True, None)
        assert (
            found.no_interval == "there is one topic only: a bootstrap over topics would draw it every time"
        )


@pytest.mark.parametrize("topics", [2, 9])
def test_fewer_than_ten_topics_have_no_interval_and_say_why(topics: int) -> None:
    topic = [f"t{item}" for item in range(topics) for _ in "0123"]
    found = coefficients(written(["0123" * topics, "0122" * topics], "0123", topic), bootstrap=Bootstrap())
    for each in found:
        assert (each.value is not None, each.interval) == (True, None)
        assert each.no_interval == FEWER_THAN_TEN


def test_topics_without_two_labels_of_a_document_do_not_make_up_ten() -> None:
    topic = [f"t{item}" for item in range(12) for _ in "0123"]
    shared = written(["0123" * 12, "0122" * 9 + "...." * 3], "0123", topic)
    for each in coefficients(shared, bootstrap=Bootstrap(draws=10)):
        assert (each.interval, each.no_interval) == (None, FEWER_THAN_TEN)
    pair = pair_report(shared, "judge 1", "judge 2", Bootstrap(draws=10))
    assert {each.no_interval for each in pair.coefficients.values()} == {FEWER_THAN_TEN}


def test_a_coefficient_that_is_seldom_defined_in_the_draws_has_no_interval() -> None:
    places = [*[0] * 18, 1]  # of nine topics with two documents and one with a single document
    labels = labels_of([places, places], [0, 1], topic=[f"t{item // 2}" for item in range(19)])
    found = coefficients(labels, bootstrap=Bootstrap(draws=200))
    kappa = named(found, "Fleiss' kappa")
    assert (kappa.value, kappa.interval) == (near(1), None)
    assert kappa.no_interval == "undefined in more than a tenth of the draws"
    assert named(found, "Percent agreement").interval == (1.0, 1.0)


def test_without_a_bootstrap_nothing_is_drawn() -> None:
    found = coefficients(written(["0123", "0122"], "0123"))
    assert {each.no_interval for each in found} == {"no bootstrap was asked for"}


def test_each_topic_has_its_own_reason() -> None:
    labels = labels_of([[0, 1, 0, 0], [0, 1, 0, 0]], [0, 1], topic=["a", "a", "b", "b"])
    found = coefficients_by_topic(labels, [REGISTRY["fleiss"]])
    assert found["a"][0].value == near(1)
    assert found["b"][0].reason == ALL_THE_SAME


def test_tests_of_marginals_say_why_there_is_none() -> None:
    for test in (mcnemar, stuart_maxwell, bhapkar):
        assert test([[0, 0], [0, 0]]).reason == "no document has labels of two judges"
        assert test([[5, 0], [0, 4]]).reason == "the judges never differ"
    assert bhapkar([[0, 5], [0, 0]]).reason == "every document differs, and in one direction"
    assert balance([[0, 0], [0, 0]]) is None


def test_tables_off_the_scale_are_refused() -> None:
    with pytest.raises(ValueError, match="tables of 3 x 3 grades"):
        coefficients_of_table(LECTURE, [0, 1, 2])
    with pytest.raises(ValueError, match="tables of 2 x 2"):
        coefficients_of_tables(written(["01"], "01").places.astype(float), [0, 1])
