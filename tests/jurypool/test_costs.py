"""Effectiveness against cost in the library."""

from __future__ import annotations

from typing import Any

import pytest

import jurypool as jp

SCORES = {"a": 0.2, "b": 0.5, "c": 0.4, "d": 0.5}
COSTS = {"a": 1, "b": 8, "c": 9, "d": 8}


def test_the_front_has_the_best_cost_first_and_equal_systems_together() -> None:
    assert jp.undominated(SCORES, COSTS) == ["a", "b", "d"]
    assert jp.undominated(SCORES, COSTS, better_cost="higher") == ["c", "b", "d"]
    assert jp.undominated(SCORES, COSTS, better="lower") == ["a"]
    assert jp.undominated({}, {}) == []


@pytest.mark.parametrize(
    ("scores", "costs", "options", "message"),
    [
        ({"a": 1.0}, {}, {}, "found one of them for 'a'"),
        ({"a": 1.0}, {"a": 1.0, "b": 2.0}, {}, "found one of them for 'b'"),
        ({"a": float("nan")}, {"a": 1.0}, {}, "expected finite values"),
        ({"a": 1.0}, {"a": 1.0}, {"better": "best"}, "expected 'higher' or 'lower', found 'best'"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    scores: dict[str, float], costs: dict[str, float], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(jp.Refused, match=message):
        jp.undominated(scores, costs, **options)
