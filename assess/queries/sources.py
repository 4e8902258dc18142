"""Whose labels they are."""

from __future__ import annotations

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from assess.models import Judgment, Progress, QrelsRelease, QueueEntry, Source
from assess.release.judge_counts import labels_of_judges, programs_of
from pooling.models import Campaign


def of_people() -> Q:
    """Return the filter of labels and label events for those that are not of machine judges."""
    return ~Q(Exists(Source.objects.programs().order_by().filter(user=OuterRef("judge"))))


def why_withdrawn(entry: QueueEntry) -> str:
    """Return why a label of this judge is not stored: the judge's labels were withdrawn. Empty if not.

    Locks the source until the transaction ends, so that a label is stored before or after a withdrawal.
    """
    sources = Source.objects.select_for_update(no_key=True).order_by()
    source = sources.filter(campaign=entry.topic.campaign_id, user=entry.judge_id)
    if source.values_list("withdrawn_at", flat=True).first() is None:
        return ""
    return "Your labels in this campaign were withdrawn, so no other label is stored. Ask an organiser."


def sources_with_labels(campaign: Campaign) -> QuerySet[Source]:
    """Return the sources with `label_count` and `topic_count`: of labels that are not withdrawn."""
    sources = campaign.sources.select_related("user", "loaded_by", "withdrawn_by", "load__pool", "load__by")
    counters = Progress.objects.filter(judge=OuterRef("user"), topic__campaign=campaign, labels__gt=0)
    of_source = counters.order_by().values("judge")
    return sources.annotate(
        label_count=Coalesce(Subquery(of_source.values_list(Sum("labels"))), 0),
        topic_count=Coalesce(Subquery(of_source.values_list(Count("pk"))), 0),
    )


def labels_of(source: Source) -> QuerySet[Judgment]:
    """Return the current labels of a source."""
    return Judgment.objects.filter(judge=source.user_id, pooled__pool__campaign=source.campaign_id)


def releases_with(source: Source) -> list[QrelsRelease]:
    """Return the releases that have labels of a source, the oldest first."""
    judge, releases = source.user.username, source.campaign.releases.order_by("number")
    return [
        release
        for release in releases
        if labels_of_judges(release.manifest).get(judge) or judge in programs_of(release.manifest)
    ]
