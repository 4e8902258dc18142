"""The files that were loaded into a nugget bank, and what a draft is without one of them."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Count, QuerySet

from assess.models import Bank, BankNugget, NuggetLoad, NuggetPart
from assess.nuggets.banks import Nugget
from assess.nuggets.joining import without
from assess.nuggets.records import nugget_in, nugget_of


def loads_of(bank: Bank) -> QuerySet[NuggetLoad]:
    return bank.loads.select_related("loaded_by", "withdrawn_by")


class LoadedNugget(NamedTuple):
    """A nugget to which a load gave something. left: what it is without this, None if nothing is left.

    votes: on its importance.
    """

    stored: BankNugget
    now: Nugget
    left: Nugget | None
    votes: int


class ChangedNugget(NamedTuple):
    """A nugget that stays, and what it is without the load."""

    stored: BankNugget
    left: Nugget


class LoadWithdrawal(NamedTuple):
    """What the withdrawal of a load does to a draft. nuggets: to which the load gave something."""

    nuggets: list[LoadedNugget]

    @property
    def gone(self) -> list[LoadedNugget]:
        """The nuggets that go out of the draft."""
        return [each for each in self.nuggets if each.left is None]

    @property
    def changed(self) -> list[ChangedNugget]:
        """The nuggets that stay without what only the load gave."""
        return [
            ChangedNugget(each.stored, each.left)
            for each in self.nuggets
            if each.left is not None and each.left != each.now
        ]

    @property
    def unchanged(self) -> int:
        """How many nuggets stay as they are, because people or another load gave the same."""
        return len(self.nuggets) - len(self.gone) - len(self.changed)

    @property
    def votes(self) -> int:
        """How many votes go, with the nuggets that they are on."""
        return sum(each.votes for each in self.gone)


def withdrawal_of(load: NuggetLoad) -> LoadWithdrawal:
    """Return what a draft is without a load.

    A nugget stays if people or another load gave it, too, or if people changed more of it than its
    importance. It loses the passages, authors and answers that only this load gave.
    """
    parts: dict[int, tuple[list[Nugget], list[Nugget]]] = {}
    own = load.parts.order_by().values("nugget")
    for part in NuggetPart.objects.filter(nugget__in=own):
        gone, rest = parts.setdefault(part.nugget_id, ([], []))
        (gone if part.load_id == load.pk else rest).append(nugget_in(part.record))
    nuggets = load.bank.nuggets.filter(pk__in=own).select_related("topic").annotate(vote_count=Count("votes"))
    withdrawn = []
    for stored in nuggets:
        now = nugget_of(stored)
        withdrawn.append(LoadedNugget(stored, now, without(now, *parts[stored.pk]), stored.vote_count))
    return LoadWithdrawal(withdrawn)
