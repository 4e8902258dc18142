from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.consensus import majority


@pytest.mark.parametrize(
    ("grades", "agreed"), [([1], 1), ([0, 2, 2], 2), ([3, 0], 0), ([1, 1, 3, 3, 0], 1), ([0, 1, 2], 0)]
)
def test_the_majority_decides_and_a_tie_goes_to_the_lower_grade(grades: list[int], agreed: int) -> None:
    assert majority(grades) == agreed


@given(st.lists(st.integers(0, 4), min_size=1))
def test_the_order_of_the_judges_does_not_matter(grades: list[int]) -> None:
    assert majority(grades) == majority(sorted(grades)) in grades


def test_nobody_has_no_majority() -> None:
    with pytest.raises(ValueError, match="empty"):
        majority([])
