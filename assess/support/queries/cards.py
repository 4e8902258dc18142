"""Citations as judges check them: a sentence in its answer, and the document. No system's name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assess.document.answers import AnswerView, answer_view
from assess.models import SupportLabel, SupportTask
from assess.queries.answers import CitedText, cited_text
from assess.queries.documents import text_hashes
from assess.support.labels import LABELS, SupportWord
from assess.support.queries.tasks import standing_labels
from pooling.formats.images import ShownImage
from pooling.models import Campaign
from pooling.queries.images import topic_images


class SupportCard(NamedTuple):
    """A citation as a judge checks it. label: of this judge, if there is one. text_hash: of the document."""

    task: SupportTask
    view: AnswerView
    cited: CitedText
    text_hash: str
    label: SupportLabel | None
    topic_images: Sequence[ShownImage]

    @property
    def support(self) -> str:
        return self.label.support if self.label else ""

    @property
    def summary(self) -> str:
        """The label in words."""
        return LABELS[SupportWord(self.label.support)] if self.label else ""

    @property
    def sentences(self) -> int:
        return len(self.task.answer.sentences)

    @property
    def citations(self) -> int:
        """How many documents the sentence cites."""
        return len(self.task.answer.stored_sentences[self.task.sentence - 1].citations)

    @property
    def has_more(self) -> bool:
        """Whether the topic has more than a title."""
        topic = self.task.answer.topic
        return bool(topic.description or topic.narrative or self.topic_images)


def support_cards(campaign: Campaign, tasks: Iterable[SupportTask]) -> list[SupportCard]:
    """Return citations laid out for their judge."""
    tasks = list(tasks)
    labels, hashes = standing_labels(tasks), text_hashes(campaign, (task.docno for task in tasks))
    cards = []
    for task in tasks:
        answer = task.answer
        answer.run.campaign = answer.topic.campaign = campaign
        view = answer_view(answer.stored_sentences, (), lambda place, citation: ("", ""))
        cited = cited_text(answer, task.sentence, task.citation)
        assert cited is not None, "a task is a citation of its answer"
        images, text_hash = topic_images(answer.topic), hashes.get(task.docno, "")
        cards.append(SupportCard(task, view, cited, text_hash, labels.get(task.pk), images))
    return cards
