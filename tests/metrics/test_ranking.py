"""Ranks: which values are better, and which are tied."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.measures.base import Direction
from metrics.rankings.ranking import is_best, levelled, ranks, tie_places, upward

SCORES = st.lists(st.sampled_from([0.0, 0.1, 0.1 + 0.2, 0.3, 0.7, -0.2]), min_size=1, max_size=9)


@given(SCORES, st.sampled_from(["higher", "lower"]))
def test_a_rank_counts_the_systems_that_are_better(scores: list[float], direction: Direction) -> None:
    sign = -1 if direction == "lower" else 1
    expected = [1 + sum(sign * (other - own) > 1e-6 for other in scores) for own in scores]
    assert ranks(np.array(scores), direction).tolist() == expected
    assert is_best(np.array(scores), direction).tolist() == [rank == 1 for rank in expected]


@given(SCORES)
def test_tie_groups_and_levels_agree_with_ranks(scores: list[float]) -> None:
    found = ranks(np.array(scores))
    above, size = tie_places(np.array(scores))
    assert above.tolist() == (found - 1).tolist()
    assert size.tolist() == [found.tolist().count(rank) for rank in found.tolist()]
    assert ranks(levelled(np.array(scores))).tolist() == found.tolist()


def test_topics_are_ranked_each_alone() -> None:
    values = np.array([[0.1 + 0.2, 1000.0], [0.3, 1000.00000001], [0.2, 0.0]])
    assert ranks(values).tolist() == [[1, 1], [1, 1], [3, 3]]
    assert ranks(values, "lower").tolist() == [[2, 2], [2, 2], [1, 1]]


def test_no_value_is_best_where_none_is_better() -> None:
    assert not is_best(np.array([1.0, 2.0]), "neither").any()


def test_no_systems_have_no_ranks() -> None:
    assert ranks(np.array([])).tolist() == []


@pytest.mark.parametrize(("direction", "expected"), [("higher", 0.25), ("lower", -0.25), ("neither", 0.25)])
def test_values_are_turned_where_lower_is_better(direction: Direction, expected: float) -> None:
    assert upward(np.array([0.25]), direction).tolist() == [expected]
