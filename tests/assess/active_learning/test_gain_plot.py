"""The drawing of a gain curve: in its box, and where the numbers say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assess.active_learning.gain_plot import BOTTOM, LEFT, RIGHT, TOP, gain_plot
from assess.active_learning.recall import SampleEstimate

NONE = SampleEstimate(None, None, None, "no sample")


def test_the_curve_rises_with_each_relevant_document() -> None:
    plot = gain_plot([True, False, True, True], NONE, {})
    assert plot is not None
    assert plot.points == "62.0,250.0 227.0,175.0 392.0,175.0 557.0,100.0 722.0,25.0"
    assert [tick.number for tick in plot.rows] == [0, 1, 2, 3]
    assert (plot.expected, plot.band_top) == (None, None)


def test_the_band_is_that_of_the_estimate_and_is_cut_above() -> None:
    plot = gain_plot([True] * 10, SampleEstimate(20, 10, 90), {"Knee": 5, "Budget": 5, "CHM": 10})
    assert plot is not None and plot.band_top is not None and plot.band_height is not None
    assert plot.above and plot.band_top == TOP
    assert plot.expected is not None and TOP < plot.expected < plot.now_y
    assert plot.band_top + plot.band_height == plot.now_y  # 10 are found, and 10 is the lower end
    assert [(stop.x, stop.names) for stop in plot.stops] == [(392.0, "Knee, Budget"), (722.0, "CHM")]


def test_nothing_is_drawn_before_a_document_is_reviewed() -> None:
    assert gain_plot([], NONE, {}) is None


@given(st.lists(st.booleans(), min_size=1, max_size=700), st.floats(0, 1000), st.floats(0, 3000))
def test_all_stands_in_the_box(labels: list[bool], value: float, more: float) -> None:
    estimate = SampleEstimate(max(value, sum(labels)), float(sum(labels)), max(value, sum(labels)) + more)
    plot = gain_plot(labels, estimate, {"Knee": 1})
    assert plot is not None
    points = [tuple(map(float, point.split(","))) for point in plot.points.split()]
    assert all(LEFT <= x <= RIGHT and TOP <= y <= BOTTOM for x, y in points)
    assert points[-1] == (RIGHT, plot.now_y) and len(points) <= 202
    assert plot.band_height is not None and plot.band_height >= 0
    assert len(plot.rows) <= 6 and len(plot.columns) <= 6
