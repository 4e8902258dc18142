"""Votes on battles: counted by topic, and their cycles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.battles.votes import (
    BOTH_BAD,
    CHOICES,
    LEFT,
    RIGHT,
    TIE,
    Vote,
    transitivity_by_topic,
    win_tables,
)
from metrics.rankings.transitivity import Transitivity

PAIRS = st.permutations("abcd").map(lambda names: (names[0], names[1]))
VOTES = st.lists(
    st.builds(
        lambda topic, judge, pair, choice, is_repeat: Vote(topic, judge, pair[0], pair[1], choice, is_repeat),
        st.sampled_from("123"),
        st.sampled_from("xyz"),
        PAIRS,
        st.sampled_from(CHOICES),
        st.booleans(),
    ),
    max_size=60,
)


def swapped(vote: Vote) -> Vote:
    """Return the same vote with the sides the other way round."""
    other = {LEFT: RIGHT, RIGHT: LEFT}
    return vote._replace(left=vote.right, right=vote.left, choice=other.get(vote.choice, vote.choice))


@given(VOTES)
def test_tables_count_each_vote_that_is_no_repeat_once(votes: list[Vote]) -> None:
    tables = win_tables(votes, "abcd")
    assert tables.systems == tuple("abcd")
    for topic, wins, ties in zip(tables.topics, tables.wins, tables.ties, strict=True):
        own = [vote for vote in votes if vote.topic == topic and not vote.is_repeat]
        for row, one in enumerate("abcd"):
            for column, other in enumerate("abcd"):
                of_pair = [vote for vote in own if {vote.left, vote.right} == {one, other} and one != other]
                assert wins[row, column] == sum(vote.winner == one for vote in of_pair)
                assert ties[row, column] == sum(vote.choice in (TIE, BOTH_BAD) for vote in of_pair)


@given(VOTES)
def test_sides_and_order_do_not_change_the_tables(votes: list[Vote]) -> None:
    tables, others = win_tables(votes), win_tables([swapped(vote) for vote in reversed(votes)])
    assert (tables.systems, tables.topics) == (others.systems, others.topics)
    assert (tables.wins == others.wins).all() and (tables.ties == others.ties).all()


def test_no_votes_give_empty_tables() -> None:
    assert win_tables([]).wins.shape == (0, 0, 0)
    assert win_tables([], ["b", "a"]).systems == ("a", "b")


@pytest.mark.parametrize(
    ("vote", "message"),
    [
        (
            Vote("7", "ann", "a", "b", "first"),
            "expected a choice .left, right, tie, both bad., found 'first'",
        ),
        (Vote("7", "ann", "a", "a", LEFT), "expected two systems in a battle, found 'a' on both sides"),
    ],
)
def test_a_bad_vote_is_refused(vote: Vote, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        win_tables([vote])


def test_cycles_are_counted_by_topic_from_majorities() -> None:
    cycle = [Vote("7", "x", "a", "b", LEFT), Vote("7", "x", "c", "b", RIGHT), Vote("7", "x", "c", "a", LEFT)]
    chain = [Vote("8", "x", "a", "b", LEFT), Vote("8", "x", "b", "c", LEFT), Vote("8", "x", "a", "c", LEFT)]
    others = [Vote("8", judge, "c", "a", LEFT) for judge in "yz"]
    assert transitivity_by_topic([*cycle, *chain]) == {"7": Transitivity(1, 1), "8": Transitivity(1, 0)}
    assert transitivity_by_topic([*chain, *others]) == {"8": Transitivity(1, 1)}
    assert transitivity_by_topic([*chain, others[0]]) == {"8": Transitivity(0, 0)}  # a and c are tied
    repeats = [vote._replace(is_repeat=True) for vote in others]
    assert transitivity_by_topic([*chain, *repeats]) == {"8": Transitivity(1, 0)}
