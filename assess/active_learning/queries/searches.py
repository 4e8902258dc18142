"""What a judge finds by search in the collection of a topic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import QuerySet

from accounts.models import User
from assess.active_learning.queries.collections import opened
from assess.active_learning.queries.reviews import going_on_by_themselves
from assess.active_learning.search_index import FoundDocument
from assess.models import QueueEntry, Review
from assess.queries.judging import topics_of_judge
from pooling.models import Campaign, Role

OPEN, LABELLED = "in your queue", "labelled by you"


class SearchRow(NamedTuple):
    """A document that was found. state: OPEN, LABELLED, or empty if it is not in the judge's own queue."""

    found: FoundDocument
    state: str


class Search(NamedTuple):
    """What a search has found. has_all: whether the documents have all of its words."""

    rows: Sequence[SearchRow]
    has_all: bool

    @property
    def free(self) -> list[FoundDocument]:
        """The documents that the judge can add to the own queue."""
        return [row.found for row in self.rows if not row.state]


def searchable_reviews(judge: User, campaign: Campaign) -> QuerySet[Review]:
    """Return the reviews whose collections a judge may search: of own topics, and not stopped."""
    reviews = Review.objects.going_on().filter(campaign=campaign, topic__in=topics_of_judge(judge, campaign))
    return reviews.exclude(collection__index="").select_related("topic", "collection")


def search_topics(judge: User, campaign: Campaign) -> list[str]:
    """Return the numbers of the topics whose collections a member may search; none without the role."""
    if Role.JUDGE not in campaign.my_roles:
        return []
    return list(searchable_reviews(judge, campaign).values_list("topic__number", flat=True))


def topics_to_go_on(judge: User, campaign: Campaign) -> list[str]:
    """Return the numbers of a judge's topics whose reviews will give more documents to judges."""
    if not campaign.is_open:
        return []
    growing = going_on_by_themselves(campaign).filter(topic__in=topics_of_judge(judge, campaign))
    return list(growing.values_list("topic__number", flat=True))


def search(review: Review, judge: User, words: str) -> Search:
    """Return what a search finds, with nothing but the judge's own state of each document."""
    results = opened(review.collection).search(words)
    docnos = [hit.docno for hit in results.documents]
    own = QueueEntry.objects.filter(judge=judge, topic=review.topic_id, pooled__docno__in=docnos)
    own = own.exclude(state=QueueEntry.State.AWAY).order_by()
    states = {
        docno: LABELLED if state == QueueEntry.State.DONE else OPEN
        for docno, state in own.values_list("pooled__docno", "state")
    }
    rows = [SearchRow(hit, states.get(hit.docno, "")) for hit in results.documents]
    return Search(rows, results.has_all)
