"""One judge against the others, pairs of judges, and how strict each judge is."""

from __future__ import annotations

from collections import Counter
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.kappa.against_rest import against_the_rest, majority_without
from assess.kappa.labels import labels_of
from assess.kappa.marginals import RarestGrade, mcnemar, rarest_grade, rarest_of_table, stuart_maxwell
from assess.kappa.overlap import overlap_by_topic, overlap_of_pairs
from assess.kappa.pairs import coefficients_of_table, compare_pairs
from assess.kappa.registry import REGISTRY
from assess.kappa.tables import confusion
from assess.kappa.two_judges import cohen, scott

from .published import named, near, written


def test_the_majority_is_that_of_the_others_and_a_split_is_none() -> None:
    own = np.array([0, 0, 0, 0], dtype=np.int8)
    counts = np.array([[2, 1], [1, 0], [2, 2], [1, 3]])  # the judge's own label among them
    assert majority_without(own, counts).tolist() == [-1, -1, 1, 1]


def test_each_judge_beside_the_rest() -> None:
    odd = written(["0011", "0011", "1100"], "01")
    first, second, third = against_the_rest(odd)
    assert (third.majority.value, third.majority.n, third.ties) == (-1, 4, 0)
    assert (first.majority.n, first.ties, first.majority.value) == (0, 4, None)
    assert (first.mean, third.mean, first.pairs) == (0, -1, 2)
    assert second.labels == 4


def beside_the_majority(places: list[list[int]], judge: int) -> tuple[list[tuple[int, int]], int]:
    """The judge's grades beside those of the others' majority, and how many documents have none: by hand."""
    pairs, ties = [], 0
    for own, *others in (
        [row[item] for row in (places[judge], *places[:judge], *places[judge + 1 :])]
        for item in range(len(places[0]))
    ):
        often = Counter(place for place in others if place >= 0).most_common(2)
        if own < 0 or not often:
            continue
        if len(often) > 1 and often[0][1] == often[1][1]:
            ties += 1
        else:
            pairs.append((own, often[0][0]))
    return pairs, ties


@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.tuples(*[st.integers(-1, 2)] * n), min_size=1)))
def test_the_rest_is_what_counting_document_by_document_gives(documents: list[tuple[int, ...]]) -> None:
    places = [list(row) for row in zip(*documents, strict=True)]
    for judge, found in enumerate(against_the_rest(labels_of(places, [0, 1, 2]))):
        pairs, ties = beside_the_majority(places, judge)
        table = confusion([own for own, _ in pairs], [other for _, other in pairs], [0, 1, 2])
        assert (found.ties, found.majority.n) == (ties, len(pairs))
        assert found.majority == coefficients_of_table(table, [0, 1, 2], None, [REGISTRY["cohen"]])[0]


def test_a_judge_who_shares_nothing_has_no_rest() -> None:
    alone = against_the_rest(written(["01..", "01..", "..01"], "01"))[2]
    assert (alone.majority.reason, alone.ties) == ("no document has labels of two judges", 0)
    assert (alone.mean, alone.pairs) == (None, 0)


def test_only_a_coefficient_of_two_judges_compares_one_with_the_rest() -> None:
    with pytest.raises(ValueError, match="of two judges, found fleiss"):
        against_the_rest(written(["01", "01"], "01"), REGISTRY["fleiss"])


def test_pairs_are_compared_on_the_documents_of_both() -> None:
    (pair,) = compare_pairs(labels_of([[0, 1, 1, 0, -1], [-1, 1, 0, 0, -1], [-1, -1, -1, -1, 1]], [0, 1]))
    assert pair.counts.tolist() == [[1, 0], [1, 1]]
    assert cohen(pair.counts) == near(named(pair.coefficients, "Cohen's kappa").value)
    assert scott(pair.counts) == near(named(pair.coefficients, "Scott's pi").value)


def test_overlap_is_of_what_two_judges_both_saw() -> None:
    labels = labels_of(
        [[1, 1, 0, 1, 0, 1, 1], [1, 0, 0, -1, 0, 1, 1], [1, 1, 0, -1, 0, -1, 0]],
        [0, 1],
        topic=["a", "a", "a", "a", "b", "c", "c"],
    )
    assert [(each.both, each.either, each.value) for each in overlap_by_topic(labels)] == [
        (1, 2, 0.5), (0, 0, None), (1, 2, 0.5),
    ]  # fmt: skip
    first, second, third = overlap_of_pairs(labels)
    assert (first.value, first.topics, first.empty) == (near((1 / 2 + 1) / 2), 2, 1)
    assert (second.value, third.value) == (near((1 + 0) / 2), near((1 / 2 + 0) / 2))


def test_the_stricter_judge_is_found() -> None:
    test = mcnemar([[40, 20], [5, 20]])  # the second found more relevant
    assert (test.name, test.degrees, test.statistic) == ("McNemar", 1, near(9))
    assert test.p_value == near(0.0026997961)


def test_few_documents_on_which_two_judges_differ_are_tested_exactly() -> None:
    few, enough = mcnemar([[40, 18], [6, 20]]), mcnemar([[40, 18], [7, 20]])
    assert (few.name, few.statistic, enough.name) == ("McNemar, exact", None, "McNemar")
    assert few.p_value == near(2 * sum(comb(24, k) for k in range(7)) / 2**24)


def test_the_rarest_grade_is_that_on_the_fewest_documents_with_two_labels() -> None:
    labels = written(["0001112..", "00111.2.2", "0011...2."], "0123")
    assert rarest_grade(labels) == RarestGrade(2, 1)  # grade 3 was never given; two of grade 2 have one label
    assert rarest_grade(written(["01", ".."], "01")) is None
    assert rarest_of_table(np.array([[60, 5, 0], [4, 70, 0], [0, 0, 0]]), (0, 1, 2)) == RarestGrade(0, 69)
    assert rarest_of_table(np.zeros((2, 2), dtype=np.int64), (0, 1)) is None
    assert RarestGrade(0, 49).is_few and not RarestGrade(0, 50).is_few


def test_grades_that_are_never_confused_with_each_other_are_compared_in_their_groups() -> None:
    separate = np.zeros((4, 4))
    separate[:2, :2], separate[2:, 2:] = [[5, 6], [2, 5]], [[7, 1], [9, 3]]
    found = stuart_maxwell(separate)
    assert (found.degrees, found.statistic) == (2, near(4**2 / 8 + 8**2 / 10))


def test_grades_that_nobody_used_change_nothing() -> None:
    small = np.array([[5, 6], [2, 5]])
    large = np.zeros((4, 4))
    large[np.ix_([0, 2], [0, 2])] = small
    assert stuart_maxwell(large).statistic == near(stuart_maxwell(small).statistic)
    assert stuart_maxwell(large).degrees == 1
