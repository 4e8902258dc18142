"""The votes of programs and of people on the same battles, and what they say of the programs."""

from __future__ import annotations

from assess.battle_programs.queries.votes import votes_by_order
from assess.models import BattleProgram
from metrics.battle_programs.comparison import ProgramResult, program_result
from metrics.battles.queries import current_votes, votes_of
from metrics.battles.votes import Vote
from pooling.queries.caching import cached


def result_of(program: BattleProgram, prior: bool = False) -> ProgramResult:
    """Return the result of a program, computed once for each state of its files and of people's votes.

    prior: as of `bradley_terry`.
    """
    votes = current_votes(program.battle_set).values_list("pk", flat=True)
    systems = list(program.battle_set.runs.filter(withdrawn_at=None).values_list("tag", flat=True))
    loads = program.loads.filter(withdrawn_at=None).values_list("pk", flat=True)  # a file never changes
    version = tuple(loads), tuple(votes), tuple(systems), prior
    return cached(
        program.campaign,
        f"battle-program-{program.pk}-{'prior' if prior else 'plain'}",
        version,
        lambda: program_result(program_votes(program), votes_of(program.battle_set), systems, prior),
    )


def program_votes(program: BattleProgram) -> list[Vote]:
    """Return the readable votes of a program, one for each order of two answers."""
    return [
        Vote(
            vote.left.topic.number,
            program.name,
            vote.left.run.tag,
            vote.right.run.tag,
            vote.choice,
            words=(vote.left.words, vote.right.words),
        )
        for vote in votes_by_order(program).values()
        if vote.choice
    ]
