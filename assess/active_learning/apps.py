"""What this package adds to the navigation and the checks of the core, and to what is done every minute."""

from __future__ import annotations

from collections.abc import Iterable

from django.urls import reverse

from accounts.models import User
from assess.active_learning.queries.collections import collections_with_files
from assess.active_learning.queries.integrity import collection_faults
from assess.active_learning.queries.releases import SELECTOR
from assess.active_learning.queries.searches import search_topics, topics_to_go_on
from assess.active_learning.queries.withheld import left_by_stopped, withheld_after_stop
from assess.active_learning.services.reviews import delete_reviews, start_ready_batches
from assess.queries.campaign_reads import CampaignReads
from assess.queries.extensions import (
    NavigationPage,
    PagePart,
    Task,
    before_deletion,
    every_minute,
    growing_topics,
    integrity_checks,
    navigation_pages,
    page_parts,
    selectors,
    tasks,
)
from assess.queries.withheld import Withholding, withholding
from pooling.integrity import Check
from pooling.models import Campaign, Pool, Role
from pooling.words import counted, enumeration

PAGE = NavigationPage(
    "High recall",
    "assess:review_list",
    frozenset({Role.ORGANISER}),
    ("judging/high-recall",),
    group="Documents",
)


def judging_part(user: User, campaign: Campaign) -> PagePart | None:
    """A link to the search of the collection, for the topics that have one."""
    topics = search_topics(user, campaign)
    return (
        PagePart("assess/active_learning/parts/_judging.html", {"search_topics": topics}) if topics else None
    )


def my_topics_part(user: User, campaign: Campaign) -> PagePart | None:
    """Links to the searches of all topics: a judge without open documents has no judging screen."""
    topics = search_topics(user, campaign)
    return (
        PagePart("assess/active_learning/parts/_my_topics.html", {"search_topics": topics})
        if topics
        else None
    )


def before_pool_part(user: User, campaign: Campaign) -> PagePart:
    """How to begin reviews. Only organisers see it."""
    collection = collections_with_files(campaign).first()
    stored = 0 if collection else campaign.documents.count()
    about = {"collection": collection, "stored": stored}
    return PagePart("assess/active_learning/parts/_before_pool.html", about)


def review_tasks(reads: CampaignReads) -> Iterable[Task]:
    """What waits for the organiser while reviews go on: only an organiser stops them."""
    if not any(pool.strategy == Pool.HIGH_RECALL for pool in reads.pools):
        return  # as in most campaigns: no query
    numbers = list(reads.campaign.reviews.filter(stopped_at=None).values_list("topic__number", flat=True))
    if numbers:
        going = f"{counted(len(numbers), 'review')} {'goes' if len(numbers) == 1 else 'go'} on"
        of_topics = f"Topic {enumeration(numbers)}: see what the stopping rules advise; you stop a review."
        yield Task(going, of_topics, reverse("assess:review_list", args=[reads.campaign.slug]), "High recall")


def register() -> None:
    tasks.append(review_tasks)
    page_parts["before_pool"].append(before_pool_part)
    page_parts["judging"].append(judging_part)
    page_parts["my_topics"].append(my_topics_part)
    navigation_pages["Judge"].append(PAGE)
    withholding.append(Withholding(withheld_after_stop, left_by_stopped))
    selectors.append(SELECTOR)
    every_minute.append(start_ready_batches)
    growing_topics.append(topics_to_go_on)
    before_deletion.append(delete_reviews)
    integrity_checks.append(Check("collections of reviews", collection_faults))
