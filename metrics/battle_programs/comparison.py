"""What a program is worth in place of people: its votes beside theirs on the same answers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from assess.judge_checks import wilson
from assess.kappa.bootstrap import Bootstrap
from assess.kappa.coefficient import NO_OVERLAP, ONE_CATEGORY, TOO_FEW, Coefficient
from assess.kappa.pairs import coefficients_of_table
from assess.kappa.registry import REGISTRY
from assess.kappa.tables import Counts, confusion
from metrics.battle_programs.corrected import corrected_rates
from metrics.battle_programs.outcomes import order_consistency, outcomes_of, pair_of
from metrics.battles.rank_intervals import BattleRanking, rank_systems
from metrics.battles.vote_checks import (
    BattleAgreement,
    SwapConsistency,
    battle_agreement,
    length_bias,
    position_bias,
)
from metrics.battles.votes import Vote, checked_votes, win_tables
from metrics.machine_audits.intervals import Estimate
from metrics.rankings.rank_correlation import Correlation, kendall_tau_b
from metrics.significance.sides import PositionBias

OUTCOMES = (0, 1, 2)
"""Categories of the kappa: the system on the left of a person's vote, the one on its right, and neither."""

ONE_DOUBLE = "only one battle has votes of two judges"
NO_PAIRS = "no pair has a readable vote of the program in both orders"
NO_COMMON = "no vote of people is on a pair with an outcome of the program"
SAME = "all votes are the same, so that chance alone could not disagree"
ONE_COMMON = "only one vote of people is on a pair with an outcome of the program"
REASONS = {NO_OVERLAP: NO_COMMON, TOO_FEW: ONE_COMMON, ONE_CATEGORY: SAME}
REASONS_OF_PEOPLE = {TOO_FEW: ONE_DOUBLE, ONE_CATEGORY: SAME}
"""Reasons why a coefficient is undefined -> the same in terms of votes."""


@dataclass(frozen=True, eq=False)
class ProgramAgreement:
    """Agreement of people and a program on the same two answers; each vote of a person counts.

    counts: int64 of shape (3, 3); rows are people, columns the program, categories as of OUTCOMES. share: of
    votes with the same outcome, None without a vote. interval: of it, by Wilson, at 95 %. kappa: Cohen's.
    """

    counts: Counts
    votes: int
    share: float | None
    interval: tuple[float, float] | None
    kappa: Coefficient


def program_agreement(outcomes: Iterable[Vote], people: Iterable[Vote]) -> ProgramAgreement:
    """Return the agreement of outcomes of a program with the votes of people. Repeats do not count.

    The interval takes votes as independent, which two votes on one pair are not quite.
    """
    winners = {pair_of(outcome): outcome.winner for outcome in outcomes}
    common = [vote for vote in checked_votes(people) if not vote.is_repeat and pair_of(vote) in winners]
    counts = confusion(
        [_category(vote.winner, vote.left) for vote in common],
        [_category(winners[pair_of(vote)], vote.left) for vote in common],
        OUTCOMES,
    )
    same = int(counts.trace())
    (kappa,) = coefficients_of_table(counts, OUTCOMES, definitions=[REGISTRY["cohen"]])
    kappa = kappa._replace(reason=REASONS.get(kappa.reason, kappa.reason))
    share = same / len(common) if common else None
    return ProgramAgreement(counts, len(common), share, wilson(same, len(common)), kappa)


def _agreement_of_people(people: Iterable[Vote]) -> BattleAgreement:
    agreement = battle_agreement(people)
    share, kappa = (
        each._replace(reason=REASONS_OF_PEOPLE.get(each.reason, each.reason))
        for each in (agreement.share, agreement.kappa)
    )
    return BattleAgreement(agreement.counts, share, kappa)


def _category(winner: str | None, left: str) -> int:
    return 2 if winner is None else 0 if winner == left else 1


class ProgramVerdict(NamedTuple):
    """Whether a program can vote in place of people. usable: None if that is not known."""

    usable: bool | None
    lead: str
    reason: str


def verdict_of(
    agreement: ProgramAgreement, people: BattleAgreement, has_outcomes: bool = True
) -> ProgramVerdict:
    """Return usable if the lower end of the agreement is at least the agreement of two people."""
    unknown = "Whether it is usable in place of people is not known."
    if not has_outcomes:
        return ProgramVerdict(None, unknown, f"{NO_PAIRS.capitalize()}.")
    if agreement.share is None or agreement.interval is None:
        return ProgramVerdict(None, unknown, f"{NO_COMMON.capitalize()}.")
    if people.share.value is None:
        return ProgramVerdict(
            None, unknown, f"The agreement of two people is undefined: {people.share.reason}."
        )
    low, two = agreement.interval[0], people.share.value
    figures = f"{agreement.share:.3f} (at least {low:.3f} at 95 %)"
    if low >= two:
        reason = f"It agrees with people in {figures}, two people with each other in {two:.3f}."
        return ProgramVerdict(True, "Usable in place of people.", reason)
    if agreement.share >= two:
        missing = "More votes of people on its pairs would make the interval narrower."
    else:
        missing = "It agrees with people less often than two people do with each other."
    reason = (
        f"Its agreement with people is {figures}; the lower end has to reach {two:.3f}, that of two people."
    )
    return ProgramVerdict(False, "Not shown to be usable in place of people.", f"{reason} {missing}")


class ProgramRow(NamedTuple):
    """A system. rank, people_rank: None where strengths are undefined. rate, people_rate: of wins, ties half.

    corrected: the program's rate on its pairs, corrected by the votes of people.
    """

    system: str
    rank: int | None
    people_rank: int | None
    rate: float | None
    people_rate: float | None
    corrected: Estimate


@dataclass(frozen=True, eq=False)
class ProgramResult:
    """What the page of results of a program shows. pairs: with an outcome. one_order: pairs without one.

    rows: best system of the program first. ranking, people_ranking: without intervals.
    """

    votes: int
    pairs: int
    one_order: int
    verdict: ProgramVerdict
    rows: list[ProgramRow]
    ranking: BattleRanking
    people_ranking: BattleRanking
    tau: Correlation
    bias: PositionBias
    people_bias: PositionBias
    orders: SwapConsistency
    agreement: ProgramAgreement
    people_agreement: BattleAgreement
    length: PositionBias
    people_length: PositionBias

    @property
    def sides(self) -> list[tuple[str, str, PositionBias, PositionBias]]:
        """Name, what the program is counted over, the program, and the votes of people."""
        return [
            ("First answer won", "votes", self.bias, self.people_bias),
            ("Longer answer won", "pairs", self.length, self.people_length),
        ]


def program_result(
    votes: Sequence[Vote], people: Sequence[Vote], systems: Collection[str], prior: bool = False
) -> ProgramResult:
    """Return what is known of a program.

    votes: of the program, at most one on a pair in one order. people: in the order of time. systems: all of
    the battles. prior: as of `metrics.battles.bradley_terry.bradley_terry`.
    """
    outcomes = outcomes_of(votes)
    pairs = {pair_of(vote) for vote in votes}
    own, theirs = (
        rank_systems(win_tables(some, systems), prior, Bootstrap(draws=0)) for some in (outcomes, people)
    )
    agreement, people_agreement = program_agreement(outcomes, people), _agreement_of_people(people)
    return ProgramResult(
        len(votes),
        len(outcomes),
        len(pairs) - len(outcomes),
        verdict_of(agreement, people_agreement, bool(outcomes)),
        _rows(own, theirs, corrected_rates(outcomes, people, own.systems)),
        own,
        theirs,
        _tau(own, theirs),
        position_bias(votes),
        position_bias(people),
        order_consistency(votes),
        agreement,
        people_agreement,
        length_bias(outcomes),
        length_bias(people),
    )


def _tau(own: BattleRanking, theirs: BattleRanking) -> Correlation:
    """Return Kendall's tau-b of the ranks."""
    for name, ranking in (("the program", own), ("people", theirs)):
        if ranking.ranks is None:
            reason = f"strengths by {name} are undefined: {ranking.model.reason}"
            return Correlation("Kendall's tau-b", len(own.systems), None, reason)
    assert own.ranks is not None and theirs.ranks is not None
    return kendall_tau_b(-theirs.ranks.astype(float), -own.ranks.astype(float))


def _rows(own: BattleRanking, theirs: BattleRanking, corrected: Sequence[Estimate]) -> list[ProgramRow]:
    def at(values: Sequence[float], index: int) -> float | None:
        return None if values[index] != values[index] else float(values[index])

    rows = [
        ProgramRow(
            system,
            None if own.ranks is None else int(own.ranks[index]),
            None if theirs.ranks is None else int(theirs.ranks[index]),
            at(own.model.win_rates.tolist(), index),
            at(theirs.model.win_rates.tolist(), index),
            corrected[index],
        )
        for index, system in enumerate(own.systems)
    ]
    return sorted(rows, key=lambda row: (row.rank or 0, -(row.rate if row.rate is not None else -1.0)))
