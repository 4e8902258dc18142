"""*Cannot judge* labels, for the organiser."""

from __future__ import annotations

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from accounts.models import User
from assess.models import Judgment, JudgmentEvent
from assess.queries.independence import hidden_from
from assess.queries.labels import events_in
from pooling.models import Campaign


def refusals(
    campaign: Campaign, reader: User | None = None, reason: str = "", judge: str = "", topic: str = ""
) -> QuerySet[JudgmentEvent]:
    """Return the *cannot judge* events that are current or were returned to the judge, newest first.

    reader: documents of `hidden_from` for this user are left out. reason, judge (username), topic (number):
    filters, if not empty. Adds `current`: the key of the event of the judge's current label of the document;
    None while it is open again.
    """
    now = Judgment.objects.filter(judge=OuterRef("judge"), pooled=OuterRef("pooled"))
    events = events_in(campaign).filter(relevance=None).annotate(current=Subquery(now.values("event")[:1]))
    events = events.filter(Q(current=F("pk")) | Q(returned__isnull=False))
    if reader:
        events = events.exclude(pooled__in=hidden_from(reader, campaign))
    wanted = {"reason": reason, "judge__username": judge, "pooled__topic__number": topic}
    events = events.filter(**{field: value for field, value in wanted.items() if value})
    return events.select_related("judge", "pooled__topic", "returned__by").order_by("-pk")
