from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.allocation import Allocation, TopicJudges, allocate_topics, spread_topics
from pooling.refusals import Refused

NAMES = [f"judge-{place}" for place in range(7)]


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[str], int]:
    judges = NAMES[: draw(st.integers(1, 7))]
    topics = [str(number) for number in range(draw(st.integers(0, 40)))]
    return topics, judges, draw(st.integers(0, len(judges) - 1))


@given(tables())
def test_every_topic_gets_one_primary_and_so_many_second_judges_all_different(
    table: tuple[list[str], list[str], int],
) -> None:
    topics, judges, seconds = table
    dealt = allocate_topics(topics, judges, seconds)
    for topic in topics:
        who = [each for each in dealt if each.topic == topic]
        assert [each.primary for each in who] == [True] + [False] * seconds
        assert len({each.judge for each in who}) == 1 + seconds


@given(tables())
def test_nobody_gets_more_than_one_topic_more_than_another(table: tuple[list[str], list[str], int]) -> None:
    topics, judges, seconds = table
    dealt = allocate_topics(topics, judges, seconds)
    primary = Counter(each.judge for each in dealt if each.primary)
    assert max(primary[judge] for judge in judges) - min(primary[judge] for judge in judges) <= 1
    second = Counter(each.judge for each in dealt if not each.primary)
    assert max(second[judge] for judge in judges) - min(second[judge] for judge in judges) <= 2


def as_held(dealt: list[Allocation]) -> dict[str, TopicJudges]:
    topics = {each.topic for each in dealt}
    return {
        topic: TopicJudges(
            [each.judge for each in dealt if each.topic == topic and each.primary],
            [each.judge for each in dealt if each.topic == topic and not each.primary],
        )
        for topic in topics
    }


@given(tables())
def test_dealing_again_deals_nothing(table: tuple[list[str], list[str], int]) -> None:
    topics, judges, seconds = table
    assert allocate_topics(topics, judges, seconds, as_held(allocate_topics(topics, judges, seconds))) == []


def test_who_has_topics_already_gets_fewer_of_the_others() -> None:
    held = {"1": TopicJudges(["ada"]), "2": TopicJudges(["ada"])}
    dealt = allocate_topics(["1", "2", "3", "4", "5", "6"], ["ada", "ben"], existing=held)
    assert [each.judge for each in dealt] == ["ben", "ben", "ada", "ben"]


def test_every_pair_of_judges_has_common_topics_so_that_agreement_can_be_computed() -> None:
    dealt = allocate_topics([str(number) for number in range(12)], NAMES[:4], seconds=1)
    pairs = {frozenset(each.judge for each in dealt if each.topic == topic) for topic in map(str, range(12))}
    assert pairs == {frozenset(pair) for pair in combinations(NAMES[:4], 2)}


@pytest.mark.parametrize(("judges", "seconds"), [([], 0), (["ada"], 1), (["ada", "ben"], -1)])
def test_too_few_judges_are_refused(judges: list[str], seconds: int) -> None:
    with pytest.raises(ValueError, match="expected"):
        allocate_topics(["1"], judges, seconds)


@given(st.lists(st.integers(0, 60), max_size=30), st.lists(st.floats(0, 5), min_size=1, max_size=6))
def test_topics_go_over_to_judges_with_a_share(sizes: list[int], shares: list[float]) -> None:
    by_topic = {str(number): size for number, size in enumerate(sizes)}
    by_judge = dict(zip(NAMES, shares, strict=False))
    if not any(shares):
        with pytest.raises(Refused):
            spread_topics(by_topic, by_judge)
        return
    spread = spread_topics(by_topic, by_judge)
    assert spread.keys() == by_topic.keys()
    assert all(by_judge[judge] > 0 for judge in spread.values())


@given(st.lists(st.integers(1, 60), min_size=1, max_size=30), st.integers(1, 6))
def test_equal_shares_differ_by_at_most_one_topic_of_documents(sizes: list[int], judges: int) -> None:
    by_topic = {str(number): size for number, size in enumerate(sizes)}
    load = Counter(dict.fromkeys(NAMES[:judges], 0))
    for topic, judge in spread_topics(by_topic, dict.fromkeys(NAMES[:judges], 1.0)).items():
        load[judge] += by_topic[topic]
    assert max(load.values()) - min(load.values()) <= max(sizes)


def test_a_colleague_who_has_the_topic_is_the_last_choice() -> None:
    assert spread_topics({"1": 5, "2": 5}, {"ada": 1, "ben": 1}, {("1", "ada"), ("2", "ada")}) == {
        "1": "ben",
        "2": "ben",
    }
    assert spread_topics({"1": 5}, {"ada": 1}, {("1", "ada")}) == {"1": "ada"}
