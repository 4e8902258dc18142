"""Store the words that a judge wants to see highlighted."""

from __future__ import annotations

from django.db import transaction

from accounts.models import User
from assess.models import OwnTerms
from pooling.campaign_states import check_writable
from pooling.models import Topic
from pooling.refusals import Refused

MOST_TERMS = 50


class TooManyTerms(Refused):
    """The list is full."""


@transaction.atomic
def change_own_term(judge: User, topic: Topic, term: str, is_wanted: bool) -> list[str]:
    """Add a term to the judge's own list of a topic, or remove it; return the list.

    A repeated request changes nothing, and those of two devices add up. Raises TooManyTerms and StateRefused.
    """
    check_writable(topic.campaign.state)
    Topic.objects.select_for_update(no_key=True).get(pk=topic.pk)  # one list of a topic at a time
    own, _ = OwnTerms.objects.get_or_create(judge=judge, topic=topic)
    if is_wanted == (term in own.terms):
        return list(own.terms)
    if is_wanted and len(own.terms) == MOST_TERMS:
        raise TooManyTerms(f"A topic has at most {MOST_TERMS} own terms. Remove one first.")
    own.terms = [*own.terms, term] if is_wanted else [each for each in own.terms if each != term]
    own.save(update_fields=["terms"])
    return list(own.terms)
