"""The versions of a campaign's nugget bank, and the nuggets of a version."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from django.db.models import Count, Prefetch, QuerySet

from assess.models import AnswerMark, Bank, BankNugget, ImportanceVote
from assess.nuggets.banks import QUESTIONS, Importance, Nugget, NuggetBank, write_banks
from assess.nuggets.differences import BankDifference, VersionedNugget, difference
from assess.nuggets.records import columns_of, nugget_of
from assess.nuggets.weighing import importance_from, votes_in_words
from pooling.checksum import sha256_of
from pooling.models import Campaign, Topic
from pooling.words import counted, enumeration


def banks_of(campaign: Campaign) -> QuerySet[Bank]:
    """Return the versions with `nugget_count` and `topic_count`, the draft or the newest one first."""
    return campaign.nugget_banks.select_related("made_by", "frozen_by").annotate(
        nugget_count=Count("nuggets"), topic_count=Count("nuggets__topic", distinct=True)
    )


def draft_of(campaign: Campaign) -> Bank | None:
    return campaign.nugget_banks.filter(frozen_at=None).first()


class WeighedNugget(NamedTuple):
    """A stored nugget with its votes. importance: as it stands, or what the votes say."""

    stored: BankNugget
    nugget: Nugget
    votes: list[ImportanceVote]

    @property
    def importance(self) -> Importance:
        return self.nugget.importance

    @property
    def votes_text(self) -> str:
        return votes_in_words([vote.importance for vote in self.votes])

    @property
    def docnos(self) -> list[str]:
        """The documents that hold it or its answers, each once."""
        references = [*self.nugget.references]
        references += [each for answer in self.nugget.answers for each in answer.references]
        return list(dict.fromkeys(reference.docno for reference in references))

    @property
    def sources(self) -> str:
        return enumeration(self.docnos, most=3)

    @property
    def authors(self) -> str:
        people = [each.name or "a person" for each in self.nugget.creators if each.is_human]
        programs = [each.name or "a program" for each in self.nugget.creators if not each.is_human]
        return ", ".join([*people, *programs])


def weighed(stored: BankNugget) -> WeighedNugget:
    votes = list(stored.votes.all())
    nugget = nugget_of(stored, importance_from([vote.importance for vote in votes]))
    return WeighedNugget(stored, nugget, votes)


def nuggets_with_votes(bank: Bank) -> QuerySet[BankNugget]:
    votes = ImportanceVote.objects.select_related("voter").order_by("voter__username")
    return bank.nuggets.select_related("topic", "author").prefetch_related(Prefetch("votes", votes))


def nuggets_of(bank: Bank, topic: Topic | None = None) -> list[WeighedNugget]:
    """Return the nuggets of a version in the order of topics, or those of one topic."""
    nuggets = nuggets_with_votes(bank)
    return [weighed(stored) for stored in (nuggets.filter(topic=topic) if topic else nuggets)]


def nugget_version(stored: BankNugget) -> str:
    """Return a text that changes with every change of a nugget. Votes are no part of it."""
    return sha256_of(json.dumps(columns_of(nugget_of(stored)), sort_keys=True))


def pure_banks(nuggets: Iterable[WeighedNugget]) -> Iterator[NuggetBank]:
    """Yield the bank of each topic, ordered by its number: titles and places of topics may change."""
    ordered = sorted(nuggets, key=lambda each: (each.stored.topic.number, each.stored.place))
    for number, group in groupby(ordered, key=lambda each: each.stored.topic.number):
        yield NuggetBank(number, tuple(each.nugget for each in group))


def bank_file(bank: Bank, form: str = QUESTIONS) -> bytes:
    """Return a version as a file. Raises Refused for questions in the form NUGGETS."""
    return write_banks(pure_banks(nuggets_of(bank)), form)


def has_questions(nuggets: Iterable[WeighedNugget]) -> bool:
    """Whether a file of the form NUGGETS cannot hold them."""
    return any(each.nugget.answers for each in nuggets)


def versioned(nuggets: Iterable[WeighedNugget]) -> list[VersionedNugget]:
    return [VersionedNugget(each.stored.topic.number, each.stored.key, each.nugget) for each in nuggets]


def version_before(bank: Bank) -> Bank | None:
    """Return the newest frozen version with a lower number."""
    frozen = bank.campaign.nugget_banks.exclude(frozen_at=None)
    return frozen.filter(number__lt=bank.number).order_by("-number").first()


def difference_of(before: Bank, nuggets: Iterable[WeighedNugget]) -> BankDifference:
    return difference(versioned(nuggets_of(before)), versioned(nuggets))


class TopicNuggets(NamedTuple):
    """What a version has of a topic. people, suggestions: nuggets of people, and those of programs.

    without: how many nuggets have no importance.
    """

    topic: Topic
    nuggets: list[WeighedNugget]

    @property
    def people(self) -> int:
        return sum(not each.stored.is_suggestion for each in self.nuggets)

    @property
    def suggestions(self) -> int:
        return len(self.nuggets) - self.people

    @property
    def without(self) -> int:
        return sum(each.importance is None for each in self.nuggets)


def by_topic(bank: Bank, nuggets: Iterable[WeighedNugget]) -> list[TopicNuggets]:
    """Return the nuggets of each topic, topics with some first; of a frozen version, only these."""
    nuggets_of_topic: dict[int, list[WeighedNugget]] = {}
    for each in nuggets:
        nuggets_of_topic.setdefault(each.stored.topic_id, []).append(each)
    topics = sorted(
        bank.campaign.topics.order_by("place"), key=lambda topic: topic.pk not in nuggets_of_topic
    )
    return [
        TopicNuggets(topic, nuggets_of_topic.get(topic.pk, []))
        for topic in topics
        if bank.is_draft or topic.pk in nuggets_of_topic
    ]


def topic_after(bank: Bank, topic: Topic) -> Topic | None:
    """Return the next topic in the order of the file; of a frozen version, the next one with a nugget."""
    topics = bank.campaign.topics.filter(place__gt=topic.place).order_by("place")
    if not bank.is_draft:
        topics = topics.filter(pk__in=bank.nuggets.values("topic"))
    return topics.first()


def why_not_deleted(campaign: Campaign) -> str:
    """Return why a campaign cannot be deleted because of its nuggets; "" if it can."""
    if frozen := campaign.nugget_banks.exclude(frozen_at=None).count():
        return f"It has {counted(frozen, 'frozen nugget bank')}."
    if made := BankNugget.objects.filter(bank__campaign=campaign, author__isnull=False).count():
        return f"It holds {counted(made, 'nugget')} that people wrote here."
    if marks := AnswerMark.objects.filter(nugget__bank__campaign=campaign).count():
        return f"It holds {counted(marks, 'mark')} of nuggets in answers."
    return ""
