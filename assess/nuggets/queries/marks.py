"""In how many answers people marked each nugget: marks, and not complete labels of all answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from django.db.models import Count, QuerySet

from assess.models import Answer, AnswerMark, Bank, BankNugget
from pooling.models import Campaign, Role, Topic

SEPARATES, IN_ALL, IN_NONE = "separates", "in all", "in none"
COLUMNS = ("topic", "nugget", "text", "key", "run", "sentence", "start", "end", "words", "author", "at")


class Held(NamedTuple):
    """How many answers hold a nugget by marks, of those to its topic, which are one or more."""

    answers: int
    of: int

    @property
    def word(self) -> str:
        """What this says of the nugget.

        >>> [Held(answers, 3).word for answers in range(4)]
        ['in none', 'separates', 'separates', 'in all']
        """
        return IN_NONE if not self.answers else IN_ALL if self.answers == self.of else SEPARATES


def counting_marks(bank: Bank) -> QuerySet[AnswerMark]:
    """Return the marks of a version that count: not those in answers of withdrawn runs."""
    return AnswerMark.objects.filter(nugget__bank=bank, answer__run__withdrawn_at=None)


def held_nuggets(bank: Bank, topic: Topic | None = None) -> dict[int, Held]:
    """Return key of a nugget -> in how many answers it is marked, for a version or one of its topics.

    Left out are nuggets of topics without answers, and those that no judge could mark: a judge marks nuggets
    that the judge wrote.
    """
    nuggets, marks = bank.nuggets.order_by(), counting_marks(bank).order_by()
    if topic:
        nuggets, marks = nuggets.filter(topic=topic), marks.filter(nugget__topic=topic)
    of = active_answers(bank.campaign)
    held = dict(marks.values_list("nugget").annotate(answers=Count("answer", distinct=True)))
    judges = set(bank.campaign.memberships.filter(role=Role.JUDGE).values_list("user", flat=True))
    return {
        key: Held(held.get(key, 0), of[about])
        for key, about, author, is_suggestion in nuggets.values_list("pk", "topic", "author", "is_suggestion")
        if about in of and (key in held or author in judges and not is_suggestion)
    }


def active_answers(campaign: Campaign) -> dict[int, int]:
    """Return key of a topic -> number of its answers, without those of withdrawn runs."""
    answers = Answer.objects.filter(run__in=campaign.answer_runs.active()).order_by()
    return dict(answers.values_list("topic").annotate(answers=Count("pk")))


class HeldWords(NamedTuple):
    """How many nuggets of topics with answers separate them by marks, are in all, and in none."""

    separates: int
    in_all: int
    in_none: int


def held_words(held: Iterable[Held]) -> HeldWords | None:
    """Return the counts; None if no nugget is marked in an answer."""
    held = list(held)
    if not any(each.answers for each in held):
        return None
    words = Counter(each.word for each in held)
    return HeldWords(words[SEPARATES], words[IN_ALL], words[IN_NONE])


def marks_of(stored: BankNugget) -> QuerySet[AnswerMark]:
    """Return the marks of a nugget that count, in the order of answers."""
    marks = stored.marks.filter(answer__run__withdrawn_at=None).select_related("author")
    return marks.order_by("answer", "sentence", "start", "pk")


def mark_rows(bank: Bank) -> Iterator[dict[str, Any]]:
    """Yield the marks of a version that count, as rows of COLUMNS. nugget: its place in the topic."""
    marks = counting_marks(bank).select_related("nugget__topic", "answer__run", "author")
    places = ("nugget__topic__place", "nugget__place", "answer__run__tag", "sentence", "start", "pk")
    for mark in marks.order_by(*places).iterator(chunk_size=500):
        yield {
            "topic": mark.nugget.topic.number,
            "nugget": mark.nugget.place,
            "text": mark.nugget.text,
            "key": f"{mark.nugget.key}",
            "run": mark.answer.run.tag,
            "sentence": mark.sentence,
            "start": mark.start,
            "end": mark.end,
            "words": mark.text,
            "author": mark.author.username,
            "at": mark.at.isoformat(timespec="seconds"),
        }
