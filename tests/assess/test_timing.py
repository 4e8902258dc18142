from __future__ import annotations

from statistics import fmean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.timing import Timing, merged


def timed(seconds: list[int]) -> Timing:
    timing = Timing()
    for second in seconds:
        timing.add(second, 1, second)
    return timing


@given(st.lists(st.integers(0, 4000), min_size=1))
def test_counts_give_the_median_and_mean_of_the_list(seconds: list[int]) -> None:
    assert timed(seconds).median == median(seconds)
    assert timed(seconds).mean == pytest.approx(fmean(seconds))


@given(st.lists(st.lists(st.integers(0, 90)), max_size=5))
def test_merged_is_the_timing_of_all_labels(lists: list[list[int]]) -> None:
    together = [second for seconds in lists for second in seconds]
    assert merged(map(timed, lists)).median == (median(together) if together else None)


def test_nothing_timed_has_no_median() -> None:
    assert Timing().median is None and Timing().mean is None
