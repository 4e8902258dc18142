from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from itertools import combinations, groupby

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assess.pace import (
    Flag,
    Press,
    TopicLeft,
    break_due,
    bursts,
    chance_of_run,
    constant_grades,
    drift_of,
    finish_whole_topics_first,
    flags,
    projected_finish,
)

NINE = datetime(2025, 3, 3, 9)
MONDAY = date(2025, 3, 3)


def stream_of(grades: Sequence[int | None], seconds: float | None = 20) -> list[Press]:
    """Return labels of these grades, one every half minute."""
    return [Press(NINE + timedelta(seconds=30 * n), seconds, grade) for n, grade in enumerate(grades)]


def timed(*seconds: float | None) -> list[Press]:
    """Return labels that took so many seconds."""
    return [Press(NINE + timedelta(minutes=n), each, n % 2) for n, each in enumerate(seconds)]


def working(*minutes: float) -> list[Press]:
    """Return labels given so many minutes after nine, each after 20 active seconds."""
    return [Press(NINE + timedelta(minutes=each), 20, 0) for each in minutes]


# bursts


@pytest.mark.parametrize(
    ("seconds", "found"),
    [
        ([1.0] * 10, [(0, 10)]),
        ([1.0] * 9, []),
        ([2.0] * 10, []),
        ([5.0, *[0.5] * 12, 5.0, *[1.9] * 10], [(1, 13), (14, 24)]),
        ([*[1.0] * 9, None, *[1.0] * 9], []),
        ([], []),
    ],
)
def test_ten_labels_in_a_row_under_two_seconds_are_a_burst(
    seconds: list[float | None], found: list[tuple[int, int]]
) -> None:
    assert [(flag.start, flag.stop) for flag in bursts(timed(*seconds))] == found


def test_a_burst_says_which_labels_it_means() -> None:
    (flag,) = bursts(timed(9, *[1.5] * 11))
    assert flag == Flag("burst", 1, 12, "11 labels in a row, numbers 2 to 12, took less than 2 s each.")


@given(st.lists(st.one_of(st.none(), st.floats(0, 4))), st.integers(1, 5))
def test_bursts_are_all_stretches_of_fast_labels_and_no_more(seconds: list[float | None], count: int) -> None:
    found = bursts(timed(*seconds), count)
    fast = [each is not None and each < 2 for each in seconds]
    assert all(all(fast[flag.start : flag.stop]) and flag.stop - flag.start >= count for flag in found)
    inside = {place for flag in found for place in range(flag.start, flag.stop)}
    for start in range(len(fast) - count + 1):
        assert not all(fast[start : start + count]) or start in inside


# constant grades


def exact_chance_of_run(length: int, given: int, labels: int) -> float:
    """Count the orders with such a run among all of them."""
    orders = [set(places) for places in combinations(range(labels), given)]
    with_run = [
        order
        for order in orders
        if any(
            in_order and sum(1 for _ in run) >= length
            for in_order, run in groupby(range(labels), order.__contains__)
        )
    ]
    return len(with_run) / len(orders)


@pytest.mark.parametrize("labels", range(1, 11))
def test_the_chance_of_a_run_bounds_the_share_of_orders_that_have_one(labels: int) -> None:
    for given_so in range(labels + 1):
        for length in range(1, labels + 1):
            exact = exact_chance_of_run(length, given_so, labels)
            bound = chance_of_run(length, given_so, labels)
            if given_so < 2 * length:
                assert bound == pytest.approx(exact)
            assert bound >= exact - 1e-12


@pytest.mark.parametrize(("length", "given_so", "labels"), [(0, 1, 2), (1, 3, 2), (1, -1, 2)])
def test_a_run_of_nothing_has_no_chance(length: int, given_so: int, labels: int) -> None:
    with pytest.raises(ValueError, match="expected a run of 1 or more"):
        chance_of_run(length, given_so, labels)


@pytest.mark.parametrize(
    ("grades", "found"),
    [
        ([0, 1, 2, 1] * 20 + [2] * 15 + [0, 1] * 10, [(80, 95)]),
        ([0, 1, 2, 1] * 20 + [None] * 12 + [0, 1] * 10, [(80, 92)]),
        ([0] * 200, []),  # one grade only
        ([0, 1, *[0] * 60] * 3, []),  # nearly one grade only
        ([0] * 50 + [1] * 9 + [0] * 50, [(50, 59)]),
        ([], []),
    ],
)
def test_a_run_of_one_grade_is_flagged_where_the_judges_own_grades_would_not_show_it(
    grades: Sequence[int | None], found: list[tuple[int, int]]
) -> None:
    assert [(flag.start, flag.stop) for flag in constant_grades(stream_of(grades), shortest=9)] == found


def test_a_constant_run_says_why_it_is_one() -> None:
    (flag,) = constant_grades(stream_of([0, 1] * 8 + [2] * 12 + [0, 1] * 8 + [2] * 2))
    assert flag.sentence == (
        "12 times grade 2 in a row, numbers 17 to 28; of all 46 labels 14 are grade 2, and in random order"
        " such a run has a chance of less than 1 in 10,000."
    )


def test_a_shuffled_stream_is_flagged_no_oftener_than_by_chance() -> None:
    chance, grades = random.Random(1), [0] * 120 + [1] * 50 + [2] * 30
    hits = 0
    for _ in range(1000):
        chance.shuffle(grades)
        hits += bool(constant_grades(stream_of(grades), shortest=1, alpha=0.01))
    assert 0 < hits <= 30  # three grades at 0.01 each


# drift


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [
        ((8, 10), (1, 10), 0.005477),  # 2 (45 * 10 + 10 * 1) / C(20, 9)
        ((3, 4), (1, 4), 0.485714),  # 34 / 70: Fisher's lady tasting tea
        ((0, 10), (0, 10), 1.0),
    ],
)
def test_drift_is_fishers_exact_test_of_the_two_halves(
    first: tuple[int, int], second: tuple[int, int], p: float
) -> None:
    grades = [int(n < yes) for yes, labels in (first, second) for n in range(labels)]
    drift = drift_of(stream_of(grades), threshold=1)
    assert drift is not None
    assert (drift.first, drift.second) == (first, second)
    assert drift.p == pytest.approx(p, abs=1e-6)
    assert (drift.flag is not None) == (p < 0.01)


def test_a_drift_says_from_what_to_what() -> None:
    drift = drift_of(stream_of([3, 3, 1, 3] * 10 + [0, None, 0, 3, 1] * 10), threshold=2)
    assert drift is not None and drift.flag is not None
    assert drift.flag.sentence == (
        "30 of the first 40 labels are relevant (75%), of the last 40 10 (25%); in random order so great a"
        " change has a chance of less than 1 in 10,000 (Fisher's exact test)."
    )


@given(st.lists(st.one_of(st.none(), st.integers(0, 3))), st.integers(0, 4))
def test_drift_counts_every_grade_once(grades: Sequence[int | None], threshold: int) -> None:
    drift = drift_of(stream_of(grades), threshold)
    given_grades = [grade for grade in grades if grade is not None]
    if drift is None:
        assert len(given_grades) < 2
    else:
        assert drift.first[1] + drift.second[1] == len(given_grades)
        assert drift.first[0] + drift.second[0] == sum(grade >= threshold for grade in given_grades)
        assert 0 <= drift.second[1] - drift.first[1] <= 1 and 0 <= drift.p <= 1 + 1e-9


def test_all_flags_of_a_stream_come_together() -> None:
    quick = [Press(NINE, 1.0, 1)] * 30
    steady = [Press(NINE, 20.0, 0)] * 30
    assert [flag.kind for flag in flags([*quick, *steady], threshold=1)] == [
        "burst", "constant", "constant", "drift",
    ]  # fmt: skip
    assert flags([], threshold=1) == []


# breaks


@pytest.mark.parametrize(
    ("minutes", "documents"),
    [
        ([n * 0.5 for n in range(49)], None),
        ([n * 0.5 for n in range(50)], 50),
        ([n * 0.5 for n in range(70)], 70),
        ([0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44], None),
        ([0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 45], 12),
        ([*[n * 0.5 for n in range(60)], 36], None),  # a pause of more than five minutes
        ([*[n * 0.5 for n in range(60)], 36, *[36 + n * 0.5 for n in range(1, 50)]], 50),
        ([], None),
    ],
)
def test_a_break_is_due_after_50_documents_or_45_minutes_since_the_last_pause(
    minutes: list[float], documents: int | None
) -> None:
    advice = break_due(working(*minutes))
    assert (advice.documents if advice else None) == documents


def test_reading_a_long_document_is_no_pause() -> None:
    minutes = [n * 0.5 for n in range(49)]
    long_read = Press(NINE + timedelta(minutes=34), 9 * 60, 1)
    away = long_read._replace(seconds=30)
    assert break_due([*working(*minutes), long_read]) is not None
    assert break_due([*working(*minutes), away]) is None


def test_the_advice_tells_the_judge_why() -> None:
    advice = break_due(working(*[n * 0.5 for n in range(50)]))
    assert advice is not None
    assert advice.sentence == "50 documents in 25 minutes since your last pause: time for another one."


# seconds and the finish


def test_the_finish_is_that_of_the_slowest_judge() -> None:
    finish = projected_finish(
        {"ada": 480, "ben": 960, "cyd": 10, "dan": 0}, {"ada": 60, "ben": 30, "cyd": None}, MONDAY, 4
    )
    assert finish.hours == {"ada": 8, "ben": 8, "cyd": 0.125, "dan": 0}  # cyd at 45 s, between ada and ben
    assert finish.day["ada"] == MONDAY + timedelta(days=1)
    assert finish.day["cyd"] == finish.day["dan"] == MONDAY
    assert finish.last == MONDAY + timedelta(days=1)


def test_a_judge_nobody_has_timed_takes_thirty_seconds() -> None:
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
        TopicLeft, st.uuids().map(str), st.integers(0, 400), st.booleans(), st.sampled_from([30.0, 60.0])
    ),
    max_size=8,
)


@pytest.mark.parametrize(
    ("budget", "finished"),
    [(0, []), (1, ["b"]), (1.5, ["b", "c"]), (3.5, ["b", "a", "c"]), (4.5, ["b", "a", "c", "d"])],
)
def test_begun_topics_come_first_and_then_the_shortest(budget: float, finished: list[str]) -> None:
    topics = [  # at 30 seconds: 2, 1, a half, 1 hours
        TopicLeft("a", 240, begun=True),
        TopicLeft("b", 120, begun=True),
        TopicLeft("c", 60, begun=False),
        TopicLeft("d", 120, begun=False),
        TopicLeft("done", 0, begun=True),
    ]
    plan = finish_whole_topics_first(topics, budget)
    assert plan.finished == finished
    assert plan.others == [topic for topic in ("b", "a", "c", "d") if topic not in finished]


@given(some_topics, st.floats(0, 20))
def test_every_topic_with_work_left_is_planned_once_and_within_the_budget(
    topics: list[TopicLeft], budget: float
) -> None:
    plan = finish_whole_topics_first(topics, budget)
    by_name = {topic.topic: topic for topic in topics}
    assert sorted(plan.finished + plan.others) == sorted(name for name in by_name if by_name[name].left)
    assert plan.hours == pytest.approx(sum(by_name[name].hours for name in plan.finished))
    assert plan.hours <= budget + 1e-6
    assert all(plan.hours + by_name[name].hours > budget for name in plan.others)


@given(some_topics, st.floats(0, 20))
def test_no_other_choice_among_topics_not_begun_finishes_more(topics: list[TopicLeft], budget: float) -> None:
    assume(not any(topic.begun for topic in topics))
    plan = finish_whole_topics_first(topics, budget)
    waiting = [topic.hours for topic in topics if topic.left]
    for count in range(len(plan.finished) + 1, len(waiting) + 1):
        assert all(sum(choice) > budget for choice in combinations(waiting, count))
