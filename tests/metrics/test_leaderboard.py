"""A leaderboard's look, its order, and where its intervals are drawn."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import parse_qs

import numpy as np
import pytest

from metrics.leaderboard import (
    NO_MEAN,
    UNJUDGED,
    LeaderboardState,
    axis_of,
    best_of_groups,
    column_heads,
    interval_bars,
    shown_ranks,
)
from metrics.measures.names import parse_measure
from metrics.significance.intervals import TOO_FEW

LOOK = LeaderboardState(("AP", "P@5"), "P@5", descending=True)


class Row(NamedTuple):
    name: str
    group: str
    mean: float


def test_a_second_click_turns_the_order_and_another_column_begins_its_own_way() -> None:
    assert LOOK.by("AP") == LeaderboardState(("AP", "P@5"), "AP", descending=True)
    assert LOOK.by("P@5").by("P@5") == LOOK
    assert not LOOK.by("group").descending
    assert not LOOK.by(UNJUDGED).descending  # few unjudged documents are better than many
    assert not LOOK.by("SetError").descending


def test_a_link_says_the_whole_look() -> None:
    turned = LeaderboardState(("AP", "P@5"), "P@5", descending=False, best_only=True)
    assert parse_qs(turned.query) == {
        "measures": ["AP", "P@5"], "order": ["P@5"], "direction": ["ascending"], "groups": ["best"],
    }  # fmt: skip
    assert "direction" not in parse_qs(LOOK.query)
    assert parse_qs(LOOK.by("run").by("run").query)["direction"] == ["descending"]


def test_the_measure_that_orders_leads_and_else_the_first() -> None:
    assert LOOK.lead == "P@5"
    assert LOOK.by("run").lead == LOOK.by(UNJUDGED).lead == "AP"


def test_heads_tell_which_way_a_column_is_sorted() -> None:
    heads = column_heads(LOOK, [("run", ""), ("P@5", "Precision")])
    assert [head.sorted for head in heads] == ["none", "descending"]
    assert [head.sorted for head in column_heads(LOOK.by("P@5"), [("P@5", "")])] == ["ascending"]


def test_a_group_is_shown_by_its_best_run_and_runs_without_a_group_all_are() -> None:
    rows = [Row("a", "x", 0.1), Row("b", "x", 0.4), Row("c", "", 0.2), Row("d", "", 0.0), Row("e", "x", 0.4)]
    found = best_of_groups(rows, lambda row: row.group, lambda row: round(10 - 10 * row.mean))
    assert [row.name for row in found] == ["b", "c", "d"]


@pytest.mark.parametrize(
    ("lows", "highs", "expected"),
    [([0.1, 0.2], [0.3, 0.71], (0.0, 0.8)), ([-0.31], [0.2], (-0.4, 0.2)), ([0.0], [0.0], (0.0, 0.1))],
)
def test_the_axis_of_intervals_ends_at_whole_tenths(
    lows: list[float], highs: list[float], expected: tuple[float, float]
) -> None:
    assert tuple(axis_of(np.array(lows), np.array(highs))) == pytest.approx(expected)


def test_what_is_no_mean_over_topics_has_no_interval() -> None:
    values = np.array([[0.1, 0.2], [0.3, 0.4]])
    assert interval_bars(parse_measure("NumRelRet"), values, [1, 2]) == NO_MEAN
    assert interval_bars(parse_measure("gm_map"), values, [0.1, 0.2]) == NO_MEAN
    assert interval_bars(parse_measure("MicroP"), values, [0.1, 0.2]) == NO_MEAN
    assert interval_bars(parse_measure("AP"), values, [0.1, 0.3]) == TOO_FEW


def test_an_interval_is_drawn_where_it_lies() -> None:
    values = np.random.default_rng(7).beta(2, 3, (2, 30))
    found = interval_bars(parse_measure("AP"), values, values.mean(axis=1).tolist())
    assert not isinstance(found, str)
    spans, scale = found
    assert scale.low == 0.0
    for span, mean in zip(spans, values.mean(axis=1).tolist(), strict=True):
        assert span and 0 < span.low < mean < span.high < scale.high
        places = float(span.start), float(span.middle), float(span.end)
        shares = [112 * value / scale.high for value in (span.low, mean, span.high)]
        assert places == pytest.approx(shares, abs=0.06)


def test_a_run_with_equal_scores_has_no_interval_and_does_not_widen_the_axis() -> None:
    values = np.stack([np.linspace(0.1, 0.3, 12), np.full(12, 0.9)])
    found = interval_bars(parse_measure("AP"), values, [0.2, 0.9])
    assert not isinstance(found, str)
    spans, scale = found
    assert spans[0] and spans[1] is None
    assert scale.high == pytest.approx(0.3)


def test_the_ends_of_an_interval_stay_in_the_range_of_the_measure() -> None:
    values = np.array([[0.0] * 7 + [1.0, 0.9, 0.1, 1.0, 0.8]])
    found = interval_bars(parse_measure("AP"), values, [0.3])
    assert not isinstance(found, str) and found[0][0]
    assert found[0][0].low >= 0 and found[0][0].high <= 1


def test_means_that_differ_by_rounding_share_a_rank_and_a_bold_figure() -> None:
    means = [0.2, 0.1 + 0.2, 0.3]
    assert shown_ranks(means, parse_measure("AP")) == [3, 1, 1]
    assert shown_ranks(means, parse_measure("FN")) == [1, 2, 2]
    assert shown_ranks(means, parse_measure("NumRet")) == [None, None, None]
