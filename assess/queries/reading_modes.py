"""Labels by what was on screen, in campaigns where judges read a passage of a document first."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Avg, Count, Q

from accounts.models import User
from assess.models import Judgment, JudgmentEvent
from assess.queries.agreement import AgreementScope
from assess.queries.independence import hidden_keys
from assess.queries.sources import of_people
from pooling.models import Campaign, Topic

MODES = {
    JudgmentEvent.Read.PASSAGE.value: "Passage alone",
    JudgmentEvent.Read.OPENED.value: "Passage, then whole text",
    "": "Whole text at once",
}
PASSAGE_MODES = (JudgmentEvent.Read.PASSAGE, JudgmentEvent.Read.OPENED)


class ReadingMode(NamedTuple):
    """The grades that people gave with one text on screen.

    relevant: share of them, None without a label. seconds: mean working time for a label, where it is known.
    """

    name: str
    labels: int
    relevant: float | None
    seconds: float | None


def reading_modes(scope: AgreementScope, reader: User) -> list[ReadingMode]:
    """Return a row for each mode, cached until the next label; none if no judge read a passage first.

    Documents that the reader is still to judge are left out.
    """
    name = f"reading-modes-{scope.labels_cache_key}"
    return scope.reads.cached(name, scope.version, lambda: _count(scope.campaign, reader, scope.topic))


def _count(campaign: Campaign, reader: User, topic: Topic | None) -> list[ReadingMode]:
    labels = Judgment.objects.filter(of_people(), pooled__topic__campaign=campaign, relevance__isnull=False)
    labels = labels.exclude(pooled__in=hidden_keys(reader, campaign))
    if topic:
        labels = labels.filter(pooled__topic=topic)
    passages = JudgmentEvent.objects.filter(read__in=PASSAGE_MODES).order_by()
    if not labels.filter(event__in=passages.values("pk")).exists():  # in most campaigns
        return []
    relevant = Q(relevance__gte=campaign.threshold)
    counted = (
        labels.order_by()
        .values_list("event__read")
        .annotate(
            labels=Count("pk"), relevant=Count("pk", filter=relevant), seconds=Avg("event__active_seconds")
        )
    )
    rows = {read: figures for read, *figures in counted}
    return [
        ReadingMode(name, labels, relevant / labels if labels else None, seconds)
        for read, name in MODES.items()
        for labels, relevant, seconds in [rows.get(read, (0, 0, None))]
    ]
