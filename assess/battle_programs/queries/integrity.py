"""The integrity check of programs: stored votes are those of their replies, on pairs of their battles."""

from __future__ import annotations

from collections.abc import Iterator

from assess.battle_programs.queries.requests import orders_of
from assess.battle_programs.replies import CHOICE_OF, read_choice
from assess.models import BattleProgram, BattleProgramVote
from pooling.integrity import Check, Faults, differing
from pooling.models import Campaign


def battle_program_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every program: the pairs of its votes, and the choices against the stored replies."""
    programs = campaign.battle_programs.select_related("battle_set")
    for program in programs.order_by("number").iterator():
        yield differing("battle program", str(program), _compared(program))


def _compared(program: BattleProgram) -> dict[str, tuple[object, object]]:
    """Return name -> (what the files give, what is stored), as numbers of votes."""
    known = {(order.left, order.right) for order in orders_of(program).values()}
    other_pairs = other_choices = 0
    votes = BattleProgramVote.objects.filter(load__program=program).order_by("pk")
    for vote in votes.iterator():
        other_pairs += (vote.left_id, vote.right_id) not in known
        is_read = read_choice(vote.reply).choice == vote.choice if vote.reply else vote.choice in CHOICES
        other_choices += not (is_read if vote.choice else vote.problem)
    return {
        "votes on other pairs": (0, other_pairs),
        "choices that differ from the replies": (0, other_choices),
    }


CHOICES = tuple(CHOICE_OF.values())
CHECKS = (Check("battle programs", battle_program_faults),)
