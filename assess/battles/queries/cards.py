"""Battles as judges see them: two answers side by side, no system's name and no vote of another judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from django.urls import reverse

from assess.battles.queries.votes import standing_votes
from assess.document.answers import answer_view
from assess.models import Battle, BattleVote
from assess.queries.answers import AnswerSide, CitedText, cited_text, with_text
from pooling.formats.images import ShownImage
from pooling.models import Campaign
from pooling.queries.images import topic_images

LEFT, RIGHT = "left", "right"


NAMES = {LEFT: "A", RIGHT: "B"}


class BattleCard(NamedTuple):
    """A battle as a judge sees it: nothing here names a run. vote: of this judge, if there is one."""

    battle: Battle
    sides: list[AnswerSide]
    vote: BattleVote | None
    topic_images: Sequence[ShownImage]

    @property
    def has_more(self) -> bool:
        """Whether the topic has more than a title."""
        topic = self.battle.topic
        return bool(topic.description or topic.narrative or self.topic_images)


OpenSource = tuple[str, int, int]
"""A side, and the places of a sentence and of a citation in it, from 1."""


def battle_cards(
    campaign: Campaign, battles: Iterable[Battle], shown: OpenSource | None = None
) -> list[BattleCard]:
    """Return battles laid out for their judge. shown: the cited document that is open in the first."""
    battles = list(battles)
    answers = [answer for battle in battles for answer in (battle.left, battle.right)]
    cited = {docno for answer in answers for each in answer.stored_sentences for docno in each.citations}
    texts, votes = with_text(campaign, cited), standing_votes(battles)
    cards = []
    for battle in battles:
        battle.topic.campaign = campaign
        sides = []
        for side, answer in ((LEFT, battle.left), (RIGHT, battle.right)):
            addresses = _addresses(campaign, battle, side)
            view = answer_view(answer.stored_sentences, texts, addresses, f"{side}-")
            closed = reverse("assess:battle", args=[campaign.slug, battle.pk])
            is_open = shown is not None and shown[0] == side
            source = source_of(campaign, battle, *shown) if shown and is_open else None
            sides.append(AnswerSide(side, NAMES[side], view, f"#battle-source-{side}", source, closed))
        cards.append(BattleCard(battle, sides, votes.get(battle.pk), topic_images(battle.topic)))
        shown = None
    return cards


def _addresses(campaign: Campaign, battle: Battle, side: str) -> Callable[[int, int], tuple[str, str]]:
    return partial(_address, campaign.slug, battle.pk, side)


def _address(slug: str, pk: int, side: str, place: int, citation: int) -> tuple[str, str]:
    page = reverse("assess:battle", args=[slug, pk])
    fragment = reverse("assess:battle_source", args=[slug, pk, side, place, citation])
    return f"{page}?side={side}&sentence={place}&citation={citation}#{side}-sentence-{place}", fragment


def source_of(campaign: Campaign, battle: Battle, side: str, place: int, citation: int) -> CitedText | None:
    """Return the document that a sentence of an answer cites; None without such a citation."""
    answer = {LEFT: battle.left, RIGHT: battle.right}.get(side)
    if answer is None:
        return None
    answer.run.campaign = campaign
    return cited_text(answer, place, citation)
