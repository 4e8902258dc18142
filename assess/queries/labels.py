"""The labels of a campaign: for organisers, never for a judge."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from django.db.models import Count, Q, QuerySet, Sum

from accounts.models import User
from assess.models import Judgment, JudgmentEvent, MachineJudge, Probe, Progress, QueueEntry
from assess.queries.caching import cached
from assess.queries.probes import no_probe
from pooling.models import Campaign, PooledDocument, Role


def to_judge_in(campaign: Campaign) -> QuerySet[PooledDocument]:
    """Return the pooled documents whose labels count: all but gold and training documents."""
    return PooledDocument.objects.filter(no_probe("pk"), pool__in=_pools(campaign))


def keys_of(rows: QuerySet[Any]) -> list[int]:
    """Return the primary keys of a few rows, to filter by them."""
    return list(rows.order_by().values_list("pk", flat=True))


def _pools(campaign: Campaign) -> list[int]:
    """Return the keys of a campaign's pools.

    PostgreSQL estimates a filter by keys correctly. A join with the few pools gives it no statistics.
    """
    return keys_of(campaign.pools.all())


def count_to_judge(campaign: Campaign) -> int:
    """Return the number of documents of `to_judge_in`, cached by pools and gold documents."""
    pools, probes = _pools(campaign), list(Probe.objects.order_by("pooled").values_list("pooled", flat=True))

    def count() -> int:
        pooled = PooledDocument.objects.filter(pool__in=pools)
        return pooled.count() - pooled.filter(pk__in=probes).count()

    return cached(campaign, "pooled", (pools, probes), count)


def _machines(campaign: Campaign) -> list[int]:
    """Return the keys of the users who are machine judges of a campaign; keys as in `_pools`."""
    return list(campaign.machines.order_by().values_list("user", flat=True))


def judgments_in(campaign: Campaign) -> QuerySet[Judgment]:
    """Return the current labels of people. Those of machines count only where they are named."""
    return judgments_with_machines(campaign).exclude(judge__in=_machines(campaign))


class LabelCounts(NamedTuple):
    """labels: of people, with *cannot judge*. judges: people with a label."""

    labels: int
    judges: int


def label_counts(campaign: Campaign) -> LabelCounts:
    """Count labels of people and judges, from the counters of progress."""
    judged = Progress.objects.filter(topic__campaign=campaign, labels__gt=0)
    people = judged.exclude(judge__in=_machines(campaign))
    counts = people.aggregate(labels=Sum("labels"), judges=Count("judge", distinct=True))
    return LabelCounts(counts["labels"] or 0, counts["judges"])


def judgments_with_machines(campaign: Campaign) -> QuerySet[Judgment]:
    """Return the current labels that count: none of gold or training documents."""
    return Judgment.objects.filter(no_probe(), pooled__pool__in=_pools(campaign))


def events_in(campaign: Campaign) -> QuerySet[JudgmentEvent]:
    """Return the label events that count: neither training nor gold nor hidden repeats."""
    events = JudgmentEvent.objects.filter(no_probe(), pooled__pool__in=_pools(campaign))
    return events.filter(kind=QueueEntry.Kind.JUDGING)


def machines_with_labels(campaign: Campaign) -> QuerySet[MachineJudge]:
    """Return the machine judges with `label_count`."""
    machines = campaign.machines.select_related("user", "loaded_by")
    return machines.annotate(label_count=Count("user__judgments"))


def judges_of(campaign: Campaign) -> QuerySet[User]:
    """Return every person who may judge here, or has judged here."""
    members = campaign.memberships.filter(role=Role.JUDGE)
    judged = Progress.objects.filter(topic__campaign=campaign, labels__gt=0)
    people = User.objects.filter(machine=None)
    return people.filter(Q(pk__in=members.values("user")) | Q(pk__in=judged.values("judge"))).order_by(
        "username"
    )


def label_rows(
    campaign: Campaign, hidden: Collection[int] = frozenset()
) -> Iterator[tuple[str, str, str, str]]:
    """Yield (topic, docno, judge, label) of every current label, also of machines.

    The label is the reason where there is no grade. hidden: keys of pooled documents that are left out.
    """
    fields = "pooled__topic__number", "pooled__docno", "judge__username", "relevance", "event__reason"
    for topic, docno, judge, relevance, reason in by_topic(campaign, hidden, *fields):
        yield topic, docno, judge, reason if relevance is None else str(relevance)


def by_topic(campaign: Campaign, hidden: Collection[int], *fields: str) -> Iterator[list[Any]]:
    """Yield these fields of every current label, by topic, docno and judge.

    It reads one topic at a time, so that a response can begin at once.
    """
    for topic in campaign.topics.order_by("place"):
        labels = Judgment.objects.filter(no_probe(), pooled__topic=topic)
        rows = labels.order_by("pooled__docno", "judge__username").values_list("pooled", *fields)
        yield from (values for pooled, *values in rows.iterator() if pooled not in hidden)
