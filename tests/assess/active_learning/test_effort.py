"""Measures of recall effort: worked by hand, by definition, and where they are undefined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.active_learning.effort import recall_effort
from pooling.refusals import Refused


def test_worked_numbers() -> None:
    labels = np.zeros(100, dtype=bool)
    labels[[0, 1, 2, 3, 9, 19, 29, 49, 69, 98]] = True
    effort = recall_effort(labels, 10, 100)
    assert (effort.effort_for(0.8), effort.effort_for(0.9), effort.effort_for(0.95)) == (50, 70, 99)
    assert effort.wss(0.9) == pytest.approx((100 - 70) / 100 - 0.1)
    assert effort.wss() == pytest.approx((100 - 99) / 100 - 0.05)
    assert [effort.recall_at(a, b) for a, b in ((1, 0), (2, 0), (2, 100), (0.5, 2), (0, 0))] == [
        0.5, 0.6, 1.0, 0.4, 0.0,
    ]  # fmt: skip
    assert effort.gain_curve[:3] == [(0, 0), (1, 1), (2, 2)] and effort.gain_curve[-2:] == [
        (99, 10),
        (100, 10),
    ]


@given(
    labels=st.lists(st.booleans(), min_size=1, max_size=60),
    missed=st.integers(0, 5),
    percent=st.integers(1, 100),
)
def test_measures_are_those_of_the_definition(labels: list[bool], missed: int, percent: int) -> None:
    relevant, collection = sum(labels) + missed, len(labels) + missed + 3
    effort = recall_effort(np.array(labels), relevant, collection)
    counts = [count for count in range(1, len(labels) + 1) if 100 * sum(labels[:count]) >= percent * relevant]
    expected = counts[0] if counts and relevant else None
    assert effort.effort_for(percent / 100) == expected
    if expected is None:
        assert effort.wss(percent / 100) is None
    else:
        saved = (collection - expected) / collection - (100 - percent) / 100
        assert effort.wss(percent / 100) == pytest.approx(saved, abs=1e-12)
    if relevant:
        assert effort.recall_at(1, 2) == sum(labels[: relevant + 2]) / relevant
    assert effort.gain_curve[-1] == (len(labels), sum(labels))
    assert all(sum(labels[:place]) == found for place, found in effort.gain_curve)


def test_what_is_undefined() -> None:
    none = recall_effort(np.array([False, False]), 0, 5)
    assert (none.recall_at(1, 1), none.effort_for(0.5), none.wss()) == (None, None, None)
    empty = recall_effort(np.zeros(0, dtype=bool), 2, 5)
    assert (empty.recall_at(2), empty.effort_for(0.5), empty.gain_curve) == (0.0, None, [(0, 0)])


def test_contradictions_are_refused() -> None:
    labels = np.array([True, True, False])
    with pytest.raises(Refused, match="at least 2 relevant documents, as many as were found, found 1"):
        recall_effort(labels, 1, 10)
    with pytest.raises(Refused, match="a collection of at least 4 documents, found 3"):
        recall_effort(labels, 3, 3)
    effort = recall_effort(labels, 2, 10)
    for recall in (0, -0.5, 1.01):
        with pytest.raises(Refused, match="recall above 0 and at most 1"):
            effort.effort_for(recall)
    with pytest.raises(Refused, match="0 or more, found -1"):
        effort.recall_at(1, -3)
