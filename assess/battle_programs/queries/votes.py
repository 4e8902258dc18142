"""The votes of programs, and how far a program is."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Count, Q, QuerySet

from assess.models import BattleProgram, BattleProgramLoad, BattleProgramVote
from pooling.models import Campaign
from pooling.words import counted

REPLY_FIELDS = ("left__sentences", "left__references", "left__metadata")
DEFERRED = ("reply", *REPLY_FIELDS, *(field.replace("left", "right") for field in REPLY_FIELDS))


def votes_by_order(program: BattleProgram) -> dict[tuple[int, int], BattleProgramVote]:
    """Return keys of left and right answer -> the vote that counts, in the order of loading.

    Of several votes on one order the first readable one counts, and without one the last is shown. Votes of
    withdrawn files do not count, and those on answers of withdrawn runs do not.
    """
    standing = Q(load__withdrawn_at=None, left__run__withdrawn_at=None, right__run__withdrawn_at=None)
    related = ("load", "left__run", "left__topic", "right__run")
    rows = BattleProgramVote.objects.filter(standing, load__program=program).select_related(*related)
    votes: dict[tuple[int, int], BattleProgramVote] = {}
    for vote in rows.defer(*DEFERRED).order_by("pk"):
        key = vote.left_id, vote.right_id
        if key not in votes or not votes[key].choice:
            votes[key] = vote
    return votes


class ProgramProgress(NamedTuple):
    """How far a program is. total: two orders of each pair. unreadable: keys of results without a choice."""

    total: int
    labelled: int
    unreadable: list[int]

    @property
    def without_result(self) -> int:
        return self.total - self.labelled - len(self.unreadable)


def progress_of(program: BattleProgram, orders: int) -> ProgramProgress:
    """Return how far a program is. orders: of answers of runs that were not withdrawn."""
    votes = votes_by_order(program).values()
    return ProgramProgress(
        orders, sum(bool(vote.choice) for vote in votes), [vote.pk for vote in votes if not vote.choice]
    )


def unreadable_votes(progress: ProgramProgress) -> QuerySet[BattleProgramVote]:
    """Return the results without a readable choice, with the texts of the replies."""
    votes = BattleProgramVote.objects.filter(pk__in=progress.unreadable)
    return votes.select_related("load").order_by("load", "line")


def loads_of(program: BattleProgram) -> QuerySet[BattleProgramLoad]:
    """Return the files of a program with `label_count` and `unreadable_count`, the withdrawn ones too."""
    return program.loads.select_related("loaded_by", "withdrawn_by").annotate(
        label_count=Count("votes", filter=Q(votes__choice__gt="")),
        unreadable_count=Count("votes", filter=Q(votes__choice="")),
    )


def programs_of(campaign: Campaign) -> QuerySet[BattleProgram]:
    """Return the programs of a campaign with `label_count`, of files that stand, newest first."""
    standing = Q(loads__withdrawn_at=None, loads__votes__choice__gt="")
    programs = campaign.battle_programs.select_related("battle_set", "made_by")
    return programs.annotate(label_count=Count("loads__votes", filter=standing))


def why_not_deleted(campaign: Campaign) -> str:
    """Return why a campaign cannot be deleted because of its programs; "" if it can."""
    votes = BattleProgramVote.objects.filter(load__program__campaign=campaign).count()
    what = counted(votes, "vote")
    return f"It holds {what} of programs on battles, and labels are never deleted." if votes else ""
