"""Answers as judges grade them: no system's name and no grade of another judge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.urls import reverse

from assess.document.answers import answer_view
from assess.gradings.queries.tasks import standing_grades
from assess.models import GivenGrades, GradingTask
from assess.queries.answers import AnswerSide, cited_text, with_text
from pooling.formats.images import ShownImage
from pooling.models import Campaign
from pooling.queries.images import topic_images

SIDE = "left"

OpenSource = tuple[int, int]
"""The places of a sentence and of a citation in it, from 1."""


class GradingCard(NamedTuple):
    """An answer as a judge grades it: nothing here names its run. given: of this judge, if there are some."""

    task: GradingTask
    answer: AnswerSide
    given: GivenGrades | None
    topic_images: Sequence[ShownImage]

    @property
    def has_more(self) -> bool:
        """Whether the topic has more than a title."""
        topic = self.task.answer.topic
        return bool(topic.description or topic.narrative or self.topic_images)

    @property
    def grades(self) -> str:
        """The grades as the script reads them."""
        return ",".join(map(str, self.given.grades)) if self.given else ""


def grading_cards(
    campaign: Campaign, tasks: Iterable[GradingTask], shown: OpenSource | None = None
) -> list[GradingCard]:
    """Return answers laid out for their judge. shown: the cited document that is open in the first."""
    tasks = list(tasks)
    sentences = [each for task in tasks for each in task.answer.stored_sentences]
    texts = with_text(campaign, {docno for each in sentences for docno in each.citations})
    given = standing_grades(tasks)
    cards = []
    for task in tasks:
        answer, page = task.answer, reverse("assess:grading", args=[campaign.slug, task.pk])
        answer.run.campaign = answer.topic.campaign = campaign

        def addresses(place: int, citation: int, page: str = page) -> tuple[str, str]:
            opened = f"{page}?sentence={place}&citation={citation}#left-sentence-{place}"
            return opened, f"{page}citations/{place}/{citation}/"

        view = answer_view(answer.stored_sentences, texts, addresses, f"{SIDE}-")
        source = cited_text(answer, *shown) if shown else None
        side = AnswerSide(SIDE, "", view, "#grading-source", source, page)
        cards.append(GradingCard(task, side, given.get(task.pk), topic_images(answer.topic)))
        shown = None
    return cards
