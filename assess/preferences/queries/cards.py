"""Pairs as judges see them: two documents side by side, without grades and without votes of others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assess.models import Preference, PreferencePair
from assess.queries.documents import WholeDocument, whole_document
from assess.queries.queues import highlighted_terms
from pooling.formats.images import ShownImage
from pooling.models import Campaign
from pooling.queries.images import topic_images

SIDES = {"left": "A", "right": "B"}


class PairSide(NamedTuple):
    """A document of a pair."""

    side: str
    name: str
    docno: str
    document: WholeDocument


class PairCard(NamedTuple):
    """A pair as a judge sees it. vote: of this judge, if one stands."""

    pair: PreferencePair
    sides: list[PairSide]
    vote: Preference | None
    topic_images: Sequence[ShownImage]

    @property
    def has_more(self) -> bool:
        """Whether the topic has more than a title."""
        topic = self.pair.task.topic
        return bool(topic.description or topic.narrative or self.topic_images)


def pair_cards(campaign: Campaign, pairs: Iterable[PreferencePair]) -> list[PairCard]:
    """Return pairs laid out for their judge. pairs: with task, topic, set and both documents."""
    pairs = list(pairs)
    docnos = {each.docno for pair in pairs for each in (pair.left, pair.right)}
    documents = {each.docno: each for each in campaign.documents.filter(docno__in=docnos)}
    votes = {vote.pair_id: vote for vote in Preference.objects.filter(pair__in=pairs).order_by("pk")}
    cards = []
    for pair in pairs:
        topic = pair.task.topic
        topic.campaign = campaign
        terms = highlighted_terms(topic)
        sides = []
        for (side, name), pooled in zip(SIDES.items(), (pair.left, pair.right), strict=True):
            document = whole_document(campaign, documents.get(pooled.docno), terms)
            sides.append(PairSide(side, name, pooled.docno, document))
        vote = votes.get(pair.pk)
        cards.append(PairCard(pair, sides, vote if vote and vote.choice else None, topic_images(topic)))
    return cards
