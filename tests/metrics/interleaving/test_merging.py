"""Merged lists of two rankings, and the credit of clicks on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from metrics.interleaving.credit import (
    Credit,
    balanced_credit,
    compared,
    probabilistic_credit,
    team_chances,
    team_draft_credit,
)
from metrics.interleaving.merging import METHODS, A, B, Merged, softmax, team_draft
from pooling.strategies.draws import draw_source

RANKINGS = st.permutations("abcdefgh").flatmap(
    lambda docs: st.integers(0, 8).map(lambda length: list(docs[:length]))
)
SEEDS = st.integers(0, 10_000)
EVERY_METHOD = pytest.mark.parametrize("method", METHODS)


def merged(method: str, a: Sequence[str], b: Sequence[str], seed: int, length: int = 10) -> Merged:
    return METHODS[method](a, b, length, draw_source(seed, "7"))


def credit_of(method: str, a: str, b: str, shown: Merged, clicks: set[int]) -> Credit:
    if method == "team-draft":
        return team_draft_credit(shown.teams, clicks)
    if method == "balanced":
        return balanced_credit(shown.documents, a, b, clicks)
    return probabilistic_credit(team_chances(shown.documents, a, b), clicks)


@EVERY_METHOD
@given(a=RANKINGS, b=RANKINGS, seed=SEEDS, length=st.integers(1, 10))
def test_a_list_has_documents_of_its_runs_once(
    method: str, a: list[str], b: list[str], seed: int, length: int
) -> None:
    found = merged(method, a, b, seed, length)
    assert found == merged(method, a, b, seed, length)
    assert len(found.documents) == len(set(found.documents)) <= length
    assert set(found.documents) <= {*a, *b}
    runs = {A: a, B: b}
    assert all(docno in runs[team] for docno, team in zip(found.documents, found.teams, strict=False))
    assert len(found.teams) == (0 if method == "balanced" else len(found.documents))
    if len(found.documents) < length:  # it ends early only where a run has no other document
        assert min(len({*a} - {*found.documents}), len({*b} - {*found.documents})) == 0


@given(a=RANKINGS, b=RANKINGS, seed=SEEDS)
def test_team_draft_picks_are_balanced(a: list[str], b: list[str], seed: int) -> None:
    teams = merged("team-draft", a, b, seed).teams
    leads = [teams[:place].count(A) - teams[:place].count(B) for place in range(len(teams) + 1)]
    assert max(map(abs, leads)) <= 1
    assert all(leads[place] == 0 for place in range(0, len(leads), 2))


@given(a=RANKINGS, b=RANKINGS, seed=SEEDS)
def test_balanced_has_the_tops_of_both_runs(a: list[str], b: list[str], seed: int) -> None:
    shown = set(merged("balanced", a, b, seed).documents)
    tops = [next((rank for rank, docno in enumerate(run) if docno not in shown), len(run)) for run in (a, b)]
    assert abs(tops[0] - tops[1]) <= 1 or min(tops) == min(len(a), len(b))


def test_team_draft_by_hand() -> None:
    draws = iter([0.7, 0.2])  # B begins; then A, as B leads; then A by the second draw; then B
    found = team_draft("abcd", "bcad", 4, lambda *_: next(draws))
    assert found == Merged(list("bacd"), [B, A, A, B])


@pytest.mark.parametrize(("begins", "shown"), [(0.2, "abdce"), (0.8, "badce")])
def test_balanced_by_hand(begins: float, shown: str) -> None:
    assert METHODS["balanced"]("abcde", "bdaec", 5, lambda *_: begins).documents == list(shown)


def test_the_softmax_of_a_probabilistic_list_is_that_of_the_draws() -> None:
    """First documents over 4,000 seeds: half of each run's 1 / rank^3."""
    found = Counter(merged("probabilistic", "abc", "bca", seed).documents[0] for seed in range(4000))
    for docno in "abc":
        chance = (softmax("abc", ())[docno] + softmax("bca", ())[docno]) / 2
        assert binomtest(found[docno], 4000, chance).pvalue > 0.001


@pytest.mark.parametrize(
    ("clicks", "wins"),
    [({1}, "A"), ({2}, "B"), ({1, 2}, "tie"), ({1, 4}, "A"), (set(), "tie"), ({2, 3}, "B")],
)
def test_team_draft_credit_by_hand(clicks: set[int], wins: str) -> None:
    expected = {"A": compared(1, 0), "B": compared(0, 1), "tie": compared(0, 0)}[wins]
    assert team_draft_credit([A, B, B, A], clicks) == expected


@pytest.mark.parametrize(
    ("clicks", "credit"),
    [
        ({1}, (1, 0, 0)),  # a: k = 1, the top of A
        ({2}, (0, 1, 0)),
        ({3}, (0, 1, 0)),  # d: k = 2
        ({1, 4}, (1, 0, 0)),  # c: k = 3, the top of A has a and c, that of B (bda) only a
        (set(), (0, 0, 1)),
    ],
)
def test_balanced_credit_by_hand(clicks: set[int], credit: tuple[float, ...]) -> None:
    assert balanced_credit("abdce", "abcde", "bdaec", clicks) == credit


def credit_by_enumeration(documents: str, a: str, b: str, clicks: set[int]) -> Credit:
    """Sum over all assignments of the list, each with its probability given the list."""
    weights: dict[tuple[str, ...], float] = {}
    for teams in product((A, B), repeat=len(documents)):
        weight = 1.0
        for place, team in enumerate(teams):
            ranking = a if team == A else b
            left = {d: 1 / (ranking.index(d) + 1) ** 3 for d in ranking if d not in documents[:place]}
            weight *= 0.5 * left.get(documents[place], 0.0) / sum(left.values())
        weights[teams] = weight
    total, found = sum(weights.values()), [0.0, 0.0, 0.0]
    for teams, weight in weights.items():
        lead = sum(1 if teams[rank - 1] == A else -1 for rank in clicks)
        found[0 if lead > 0 else 1 if lead < 0 else 2] += weight / total
    return Credit(*found)


@given(
    a=st.permutations("abcdef").map("".join),
    b=st.permutations("bcdefg").map("".join),
    seed=SEEDS,
    clicks=st.sets(st.integers(1, 5)),
)
def test_the_probabilistic_credit_is_the_sum_over_all_assignments(
    a: str, b: str, seed: int, clicks: set[int]
) -> None:
    shown = "".join(merged("probabilistic", a, b, seed, 5).documents)
    clicks = {rank for rank in clicks if rank <= len(shown)}
    found = probabilistic_credit(team_chances(shown, a, b), clicks)
    assert found == pytest.approx(credit_by_enumeration(shown, a, b, clicks))
    assert sum(found) == pytest.approx(1)


@EVERY_METHOD
def test_equal_runs_have_no_preference(method: str) -> None:
    """A tie, or the same probability for both. Team draft gives the click to either by chance."""
    wins = Counter[str]()
    for seed in range(400):
        shown = merged(method, "abcdef", "abcdef", seed, 5)
        found = credit_of(method, "abcdef", "abcdef", shown, {2})
        if method != "team-draft":
            assert found.a == pytest.approx(found.b)
        wins["a"] += int(found.a)
    if method == "team-draft":
        assert binomtest(wins["a"], 400).pvalue > 0.001


@pytest.mark.parametrize("method", ["team-draft", "probabilistic"])
def test_random_clicks_have_no_preference_on_average(method: str) -> None:
    """Clicks on random ranks, many lists of runs that differ: the mean is within four errors of 0."""
    outcomes = []
    for seed in range(3000):
        shown, draw = merged(method, "abcdef", "bcdgfa", seed, 5), draw_source(seed, "clicks")
        clicks = {rank for rank in range(1, len(shown.documents) + 1) if draw(rank) < 0.4}
        found = credit_of(method, "abcdef", "bcdgfa", shown, clicks)
        outcomes.append(found.a - found.b)
    mean = sum(outcomes) / len(outcomes)
    error = (sum(each**2 for each in outcomes) ** 0.5) / len(outcomes)
    assert abs(mean) < 4 * error


def test_the_sign_of_a_probabilistic_outcome_is_biased_but_its_mean_is_not() -> None:
    """All lists of one document of abc and bca, with a click on it: exact probabilities."""
    a, b = softmax("abc", ()), softmax("bca", ())
    chances = {docno: (a[docno] + b[docno]) / 2 for docno in "abc"}
    credits = {docno: probabilistic_credit(team_chances(docno, "abc", "bca"), {1}) for docno in "abc"}
    mean = sum(chances[docno] * (credits[docno].a - credits[docno].b) for docno in "abc")
    assert mean == pytest.approx(0, abs=1e-12)
    leads = {docno: credit.a > credit.b for docno, credit in credits.items()}
    assert sum(chances[docno] for docno in "abc" if leads[docno]) < 0.45


def test_the_known_bias_of_balanced_interleaving() -> None:
    """A click on each document of each list of abcd and bcda: three of four prefer the shifted ranking."""
    for begins in (0.2, 0.8):
        shown = METHODS["balanced"]("abcd", "bcda", 4, lambda *_, begins=begins: begins)
        found = [balanced_credit(shown.documents, "abcd", "bcda", {rank}) for rank in range(1, 5)]
        assert sum(credit.b for credit in found) == 3


def test_the_known_insensitivity_of_team_draft() -> None:
    """Clicks on c alone: abc ranks it third, bca second, and each adds it in half of the lists."""
    wins = 0
    for first, second in product((0.2, 0.8), repeat=2):
        draws = iter([first, second])
        shown = team_draft("abc", "bca", 3, lambda *_, draws=draws: next(draws))
        wins += int(team_draft_credit(shown.teams, {shown.documents.index("c") + 1}).a)
    assert wins == 2
