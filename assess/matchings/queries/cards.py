"""Answers as judges match them with nuggets: no system's name and no label of another judge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assess.document.answers import AnswerView, answer_view
from assess.matchings.queries.tasks import standing_labels
from assess.matchings.words import LABELS
from assess.models import BankNugget, MatchingTask, NuggetLabel
from pooling.formats.images import ShownImage
from pooling.models import Campaign
from pooling.queries.images import topic_images


class CardNugget(NamedTuple):
    """A nugget of the answer's topic. label: of this judge, if there is one. is_open: at first."""

    nugget: BankNugget
    label: NuggetLabel | None
    is_open: bool

    @property
    def assignment(self) -> str:
        return self.label.assignment if self.label else ""

    @property
    def sentence(self) -> int | None:
        return self.label.sentence if self.label else None

    @property
    def summary(self) -> str:
        """The label in words, such as “support · sentence 3”."""
        sentence = f" · sentence {self.sentence}" if self.sentence else ""
        return f"{LABELS[self.assignment]}{sentence}" if self.assignment else ""


class MatchingCard(NamedTuple):
    """An answer as a judge matches it: nothing here names its run."""

    task: MatchingTask
    view: AnswerView
    nuggets: list[CardNugget]
    topic_images: Sequence[ShownImage]

    @property
    def sentences(self) -> int:
        return sum(len(block.sentences) for block in self.view.blocks)

    @property
    def open(self) -> CardNugget:
        return next(each for each in self.nuggets if each.is_open)

    @property
    def has_more(self) -> bool:
        """Whether the topic has more than a title."""
        topic = self.task.answer.topic
        return bool(topic.description or topic.narrative or self.topic_images)


def matching_cards(campaign: Campaign, tasks: Iterable[MatchingTask], opened: int = 0) -> list[MatchingCard]:
    """Return answers laid out for their judge.

    opened: key of the nugget that is open; otherwise the first without a label is, or the first.
    """
    tasks = list(tasks)
    labels = {(each.task_id, each.nugget_id): each for each in standing_labels(tasks)}
    nuggets: dict[tuple[int, int], list[BankNugget]] = {}
    banks, topics = {task.matching.bank_id for task in tasks}, {task.answer.topic_id for task in tasks}
    for each in BankNugget.objects.filter(bank__in=banks, topic__in=topics).order_by("place"):
        nuggets.setdefault((each.bank_id, each.topic_id), []).append(each)
    cards = []
    for task in tasks:
        answer = task.answer
        answer.topic.campaign = campaign
        own = nuggets[task.matching.bank_id, answer.topic_id]
        without = next((each.pk for each in own if (task.pk, each.pk) not in labels), own[0].pk)
        shown = opened if opened in {each.pk for each in own} else without
        view = answer_view(answer.stored_sentences, (), lambda place, citation: ("", ""))
        listed = [CardNugget(each, labels.get((task.pk, each.pk)), each.pk == shown) for each in own]
        cards.append(MatchingCard(task, view, listed, topic_images(answer.topic)))
    return cards
