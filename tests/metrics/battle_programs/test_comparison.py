"""A program beside people: small examples by hand, plain loops, and what swapping all orders changes."""

from __future__ import annotations

from itertools import combinations
from statistics import NormalDist, mean, stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.battle_programs.comparison import program_agreement, program_result
from metrics.battle_programs.corrected import ALL_PAIRS, NO_PAIR, NO_PEOPLE, corrected_rates
from metrics.battle_programs.outcomes import order_consistency, outcomes_of
from metrics.battles.votes import CHOICES, LEFT, RIGHT, TIE, Vote

MIRRORED = {LEFT: RIGHT, RIGHT: LEFT}


def both(topic: str, one: str, other: str, first: str, second: str) -> list[Vote]:
    """Votes on (one, other) and on (other, one). Longer answers have names further in the alphabet."""
    words = ord(one[0]), ord(other[0])
    return [
        Vote(topic, "llm", one, other, first, words=words),
        Vote(topic, "llm", other, one, second, words=words[::-1]),
    ]


PROGRAM = [
    *both("1", "a", "b", LEFT, RIGHT),  # a
    *both("2", "a", "b", LEFT, LEFT),  # disagree: tie
    *both("3", "a", "b", RIGHT, LEFT),  # b
    *both("4", "a", "b", LEFT, TIE),  # disagree: tie
    *both("5", "a", "b", TIE, "both bad"),  # none twice: tie
    both("6", "a", "b", LEFT, RIGHT)[0],  # one order: no outcome
]
PEOPLE = [
    Vote("1", "ann", "b", "a", RIGHT),  # a: same
    Vote("1", "bob", "a", "b", LEFT),  # a: same
    Vote("2", "ann", "a", "b", LEFT),  # a, program tie
    Vote("3", "bob", "b", "a", LEFT),  # b: same
    Vote("3", "ann", "a", "b", TIE),  # tie, program b
    Vote("6", "ann", "a", "b", LEFT),  # program without outcome
    Vote("1", "ann", "a", "b", RIGHT, is_repeat=True),
]


def test_an_outcome_is_the_winner_of_both_orders() -> None:
    outcomes = outcomes_of(PROGRAM)
    assert [(vote.topic, vote.winner) for vote in outcomes] == [
        ("1", "a"), ("2", None), ("3", "b"), ("4", None), ("5", None),
    ]  # fmt: skip


def test_consistency_counts_the_same_winner_in_both_orders() -> None:
    found = order_consistency(PROGRAM)
    assert (found.repeats, found.same, found.same_side, found.share) == (5, 3, 1, 0.6)
    assert found.interval == pytest.approx((0.2307, 0.8824), abs=1e-4)  # Wilson for 3 of 5, by hand


def test_a_second_vote_on_one_order_is_our_own_mistake() -> None:
    with pytest.raises(ValueError, match="one vote on a before b on topic 1"):
        outcomes_of([PROGRAM[0], PROGRAM[0]])


def test_agreement_and_its_kappa_by_hand() -> None:
    found = program_agreement(outcomes_of(PROGRAM), PEOPLE)
    assert (found.votes, found.share) == (5, 0.6)
    # People by their own left: right wins, left, left, left, neither. The program the same for the first two
    # and the fourth, neither for the third, right wins for the fifth.
    assert found.counts.tolist() == [[2, 0, 1], [0, 1, 0], [0, 1, 0]]
    by_chance = (3 * 2 + 1 * 2 + 1 * 1) / 25
    assert found.kappa.value == pytest.approx((0.6 - by_chance) / (1 - by_chance))


def test_the_figures_of_the_result() -> None:
    result = program_result(PROGRAM, PEOPLE, ["a", "b"])
    assert (result.votes, result.pairs, result.one_order) == (11, 5, 1)
    assert (result.bias.left, result.bias.right, result.bias.ties) == (6, 2, 3)
    assert (result.length.left, result.length.right, result.length.ties) == (1, 1, 3)  # pairs, not votes
    assert [(row.system, row.rank, row.rate) for row in result.rows] == [("a", 1, 0.5), ("b", 1, 0.5)]
    assert [row.people_rank for row in result.rows] == [1, 2]  # 4.5 of 6 and 1.5 of 6
    assert [row.people_rate for row in result.rows] == [0.75, 0.25]
    assert result.tau.value is None and result.tau.reason == "a ranking has all systems tied"
    assert result.people_agreement.share.n == 2 and result.people_agreement.share.value == 0.5


def test_corrected_rates_are_the_difference_estimator() -> None:
    outcomes = outcomes_of(PROGRAM)
    a, b, c = corrected_rates(outcomes, PEOPLE, ["a", "b", "c"])
    # pairs of a: program 1, .5, 0, .5, .5 (mean .5); people on topics 1, 2, 3: 1, 1, .25
    assert a.value == pytest.approx(0.5 + (0 + 0.5 + 0.25) / 3) and a.sampled == 3
    assert a.value is not None and b.value == pytest.approx(1 - a.value)
    assert a.low is None and "too few for an interval" in a.note
    assert (c.value, c.note) == (None, NO_PAIR)
    assert corrected_rates(outcomes, [], ["a"])[0].note == NO_PEOPLE


def test_the_worked_example_of_the_difference_estimator() -> None:
    """frontier 2.1: N = 200, pool mean .30, y = 1011001000, f = 1010001100: .3000 [.0152, .5848]."""
    y, f = "1011001000", "1010001100" + "1" * 56 + "0" * 134
    assert len(f) == 200 and f.count("1") == 60
    outcomes = [Vote(f"{n:03}", "llm", "a", "b", LEFT if won == "1" else RIGHT) for n, won in enumerate(f)]
    people = [Vote(f"{n:03}", "ann", "a", "b", LEFT if won == "1" else RIGHT) for n, won in enumerate(y)]
    (found,) = corrected_rates(outcomes, people, ["a"])
    assert found.value == pytest.approx(0.3)
    assert (found.error, found.low, found.high) == pytest.approx((0.1453, 0.0152, 0.5848), abs=1e-4)


def test_votes_of_people_on_all_pairs_leave_no_sampling_error() -> None:
    outcomes = [Vote(str(n), "llm", "a", "b", LEFT) for n in range(8)]
    people = [Vote(str(n), "ann", "a", "b", RIGHT if n % 4 else LEFT) for n in range(8)]
    (found,) = corrected_rates(outcomes, people, ["a"])
    assert (found.value, found.low, found.high, found.note) == (0.25, 0.25, 0.25, ALL_PAIRS)


def agreeing(pairs: int, double: int, same: int) -> tuple[list[Vote], list[Vote]]:
    """A program that agrees with ann on all pairs; bob has votes on `double` of them, like ann on `same`."""
    program = [vote for n in range(pairs) for vote in both(f"{n}", "a", "b", LEFT, RIGHT)]
    people = [Vote(f"{n}", "ann", "a", "b", LEFT) for n in range(pairs)]
    people += [Vote(f"{n}", "bob", "b", "a", RIGHT if n < same else LEFT) for n in range(double)]
    return program, people


def test_a_program_is_usable_if_the_lower_end_reaches_the_agreement_of_two_people() -> None:
    verdict = program_result(*agreeing(100, 10, 7), ["a", "b"]).verdict  # 107 of 110, two people 7 of 10
    assert verdict.usable and verdict.lead == "Usable in place of people."
    assert "0.973 (at least 0.923 at 95 %), two people with each other in 0.700" in verdict.reason


UNITED = [Vote(topic, name, "a", "b", LEFT) for topic in "24" for name in ("ann", "bob")]  # the program: ties


@pytest.mark.parametrize(
    ("program", "people", "usable", "words"),
    [
        ([], PEOPLE, None, "No pair has a readable vote of the program in both orders."),
        (PROGRAM, [], None, "No vote of people is on a pair with an outcome"),
        (PROGRAM, PEOPLE[2:4], None, "of two people is undefined: no battle has votes of two judges."),
        (*agreeing(10, 10, 9), False, "More votes of people on its pairs"),
        (PROGRAM, PEOPLE[:2], None, "of two people is undefined: only one battle has votes of two judges."),
        (PROGRAM, UNITED, False, "less often than two people do with each other"),
    ],
)
def test_without_that_the_verdict_says_what_is_missing(
    program: list[Vote], people: list[Vote], usable: bool | None, words: str
) -> None:
    verdict = program_result(program, people, ["a", "b"]).verdict
    assert verdict.usable is usable
    assert words in verdict.reason


def test_undefined_figures_say_why() -> None:
    result = program_result(PROGRAM[:2], PEOPLE[:1], ["a", "b"])
    assert "strengths by the program are undefined: a system has" in result.tau.reason
    assert "only one vote of people" in result.agreement.kappa.reason
    assert [row.rank for row in result.rows] == [None, None]
    with_prior = program_result(PROGRAM[:2], PEOPLE[:1], ["a", "b"], prior=True)
    assert [row.rank for row in with_prior.rows] == [1, 2] and with_prior.tau.value == 1
    alike = program_result(*agreeing(4, 0, 0), ["a", "b"])
    assert alike.agreement.kappa.reason == "all votes are the same, so that chance alone could not disagree"


PAIRS = [(topic, *pair) for topic in "1234" for pair in combinations("abc", 2)]
OF_PAIRS = st.lists(st.sampled_from(CHOICES), min_size=len(PAIRS), max_size=len(PAIRS))


@settings(max_examples=60, deadline=None)
@given(OF_PAIRS, OF_PAIRS, OF_PAIRS)
def test_swapping_every_order_mirrors_the_side_and_leaves_the_rest(
    firsts: list[str], seconds: list[str], theirs: list[str]
) -> None:
    votes = [
        vote
        for pair, first, second in zip(PAIRS, firsts, seconds, strict=True)
        for vote in both(*pair, first, second)
    ]
    people = [Vote(t, "ann", a, b, choice) for (t, a, b), choice in zip(PAIRS, theirs, strict=True)]
    swapped = [
        vote._replace(
            left=vote.right, right=vote.left, choice=MIRRORED.get(vote.choice, vote.choice),
            words=vote.words and vote.words[::-1],
        )
        for vote in votes
    ]  # fmt: skip
    before, after = (program_result(each, people, "abc", prior=True) for each in (votes, swapped))
    assert (before.bias.left, before.bias.right) == (after.bias.right, after.bias.left)
    assert before.rows == after.rows
    assert before.orders.share == after.orders.share and before.verdict == after.verdict
    assert before.length == after.length and before.agreement.share == after.agreement.share


@settings(max_examples=60, deadline=None)
@given(OF_PAIRS, OF_PAIRS, st.data())
def test_corrected_rates_equal_a_plain_loop(ours: list[str], theirs: list[str], data: st.DataObject) -> None:
    n = data.draw(st.integers(1, len(PAIRS)))
    outcomes = [Vote(t, "llm", a, b, choice) for (t, a, b), choice in zip(PAIRS, ours, strict=True)]
    people = [Vote(t, "ann", b, a, choice) for (t, a, b), choice in zip(PAIRS, theirs, strict=True)][:n]
    for system, found in zip("abc", corrected_rates(outcomes, people, "abc"), strict=True):
        value = {None: 0.5, system: 1.0}
        f = {(v.topic, v.left, v.right): value.get(v.winner, 0.0) for v in outcomes if system in v[2:4]}
        y = {(v.topic, v.right, v.left): value.get(v.winner, 0.0) for v in people if system in v[2:4]}
        if not y:
            assert found.value is None
            continue
        differences = [y[pair] - f[pair] for pair in y]
        assert found.value == pytest.approx(mean(f.values()) + mean(differences))
        if found.low is not None and found.error:
            error = stdev(differences) * ((1 - len(y) / len(f)) / len(y)) ** 0.5
            assert found.low == pytest.approx(found.value - NormalDist().inv_cdf(0.975) * error)
