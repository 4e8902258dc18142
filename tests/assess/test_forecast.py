from __future__ import annotations

from datetime import date, timedelta
from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assess.forecast import RemainingTopic, projected_finish, topics_within_budget

MONDAY = date(2025, 3, 3)


# seconds and the finish


def test_the_finish_is_that_of_the_slowest_judge() -> None:
    finish = projected_finish(
        {"ada": 480, "ben": 960, "cyd": 10, "dan": 0}, {"ada": 60, "ben": 30, "cyd": None}, MONDAY, 4
    )
    assert finish.hours == {"ada": 8, "ben": 8, "cyd": 0.125, "dan": 0}  # cyd at 45 s, between ada and ben
    assert finish.day["ada"] == MONDAY + timedelta(days=1)
    assert finish.day["cyd"] == finish.day["dan"] == MONDAY
    assert finish.last == MONDAY + timedelta(days=1)


def test_a_judge_without_times_takes_thirty_seconds() -> None:
    assert projected_finish({"ada": 120}, {}, MONDAY).hours == {"ada": 1}


def test_a_finish_beyond_the_calendar_is_its_last_day() -> None:
    assert projected_finish({"ada": 10**12}, {}, MONDAY).last == date.max
    assert projected_finish({}, {}, MONDAY).last is None


@given(st.integers(0, 5000), st.integers(1, 300), st.floats(0.5, 24))
def test_the_days_hold_the_hours_and_no_day_is_spare(left: int, seconds: int, hours_a_day: float) -> None:
    finish = projected_finish({"ada": left}, {"ada": seconds}, MONDAY, hours_a_day)
    days = (finish.day["ada"] - MONDAY).days + 1
    assert finish.hours["ada"] <= days * hours_a_day + 1e-6
    assert days == 1 or finish.hours["ada"] > (days - 1) * hours_a_day - 1e-6


@pytest.mark.parametrize("hours", [0, -1, 25, float("nan")])
def test_a_day_of_impossible_hours_is_refused(hours: float) -> None:
    with pytest.raises(ValueError, match="hours a day"):
        projected_finish({}, {}, MONDAY, hours)


# whole topics

some_topics = st.lists(
    st.builds(
        RemainingTopic, st.uuids().map(str), st.integers(0, 400), st.booleans(), st.sampled_from([30.0, 60.0])
    ),
    max_size=8,
)


@pytest.mark.parametrize(
    ("budget", "completed"),
    [(0, []), (1, ["b"]), (1.5, ["b", "c"]), (3.5, ["b", "a", "c"]), (4.5, ["b", "a", "c", "d"])],
)
def test_begun_topics_come_first_and_then_the_shortest(budget: float, completed: list[str]) -> None:
    topics = [  # at 30 seconds: 2, 1, a half, 1 hours
        RemainingTopic("a", 240, begun=True),
        RemainingTopic("b", 120, begun=True),
        RemainingTopic("c", 60, begun=False),
        RemainingTopic("d", 120, begun=False),
        RemainingTopic("done", 0, begun=True),
    ]
    plan = topics_within_budget(topics, budget)
    assert plan.completed == completed
    assert plan.others == [topic for topic in ("b", "a", "c", "d") if topic not in completed]


@given(some_topics, st.floats(0, 20))
def test_every_topic_with_work_left_is_planned_once_and_within_the_budget(
    topics: list[RemainingTopic], budget: float
) -> None:
    plan = topics_within_budget(topics, budget)
    by_name = {topic.topic: topic for topic in topics}
    assert sorted(plan.completed + plan.others) == sorted(name for name in by_name if by_name[name].left)
    assert plan.hours == pytest.approx(sum(by_name[name].hours for name in plan.completed))
    assert plan.hours <= budget + 1e-6
    assert all(plan.hours + by_name[name].hours > budget for name in plan.others)


@given(some_topics, st.floats(0, 20))
def test_no_other_choice_among_topics_not_begun_finishes_more(
    topics: list[RemainingTopic], budget: float
) -> None:
    assume(not any(topic.begun for topic in topics))
    plan = topics_within_budget(topics, budget)
    waiting = [topic.hours for topic in topics if topic.left]
    for count in range(len(plan.completed) + 1, len(waiting) + 1):
        assert all(sum(choice) > budget for choice in combinations(waiting, count))
