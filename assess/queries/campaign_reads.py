"""What one request reads of a campaign: labels, whose they are, documents, and the plan of a release."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from django.db.models import Max, QuerySet, Sum, Value

from assess.event_columns import Ints
from assess.models import (
    AdjudicationEvent,
    Assignment,
    Judgment,
    JudgmentEvent,
    Probe,
    Progress,
    QrelsRelease,
    QueueEntry,
    Source,
)
from assess.queries.gold import not_gold_or_training
from assess.queries.label_columns import LabelsBySource, label_columns
from assess.queries.pooled_columns import PooledColumns, read_pooled_columns
from assess.queries.release_plans import (
    default_plan,
    latest_release,
    primary_judges,
    settled_grades,
    without_machines,
)
from assess.queries.withheld import withholding
from assess.release.lines import SettledGrade
from assess.release.plan import ReleasePlan
from pooling.arrays import Flags
from pooling.models import PooledDocument, Role
from pooling.queries.reads import PoolingReads


class InvitedJudges(NamedTuple):
    """Judges who were invited as primary or sharing judges of topics and have not joined. topics: numbers."""

    judges: int
    topics: frozenset[str]


class CampaignReads(PoolingReads):
    """A campaign as one request, command or service sees it; see `PoolingReads`.

    Each property asks the database once, so all figures of a page come from one state of the labels.
    """

    @cached_property
    def version(self) -> str:
        """A version that changes whenever a label of the campaign becomes visible or counts differently.

        The time of the last change distinguishes a restored database from the one before. What is cached is
        cached by this version, which is read before the labels: a cached value is never older.
        """
        rows = Progress.objects.filter(topic__campaign=self.campaign)
        figures = rows.aggregate(version=Sum("version"), at=Max("changed_at"))
        at = round(figures["at"].timestamp() * 1e6) if figures["at"] else 0
        return f"{figures['version'] or 0}-{at}-{self.campaign.threshold}-{len(self.campaign.grades)}"

    @cached_property
    def sources(self) -> list[Source]:
        """The sources of labels with their users, by username; also those that are withdrawn."""
        sources = self.campaign.sources.select_related("user").order_by()
        return sorted(sources, key=lambda source: source.user.username)

    @cached_property
    def machines(self) -> list[Source]:
        """The machine judges that are not withdrawn."""
        return [source for source in self.sources if source.is_program and not source.withdrawn_at]

    @cached_property
    def machine_keys(self) -> list[int]:
        """The keys of the users who are machine judges."""
        return [source.user_id for source in self.sources if source.is_program]

    @cached_property
    def withdrawn_keys(self) -> list[int]:
        """The keys of the users whose labels are withdrawn."""
        return [source.user_id for source in self.sources if source.withdrawn_at]

    @cached_property
    def invited_judges(self) -> InvitedJudges:
        """The judges who will have the documents of topics once they join."""
        parts = (Assignment.Part.PRIMARY, Assignment.Part.SHARED)
        rows = self.campaign.invitations.open().filter(role=Role.JUDGE, invited_topics__part__in=parts)
        pairs = list(rows.order_by().values_list("pk", "invited_topics__topics__number"))
        return InvitedJudges(len({pk for pk, _ in pairs}), frozenset(number for _, number in pairs if number))

    def documents_to_judge(self) -> QuerySet[PooledDocument]:
        """Return the pooled documents whose labels count: all but gold and training documents."""
        return PooledDocument.objects.filter(not_gold_or_training("pk"), pool__in=self.pool_keys)

    @cached_property
    def topics_to_judge(self) -> set[str]:
        """The numbers of the topics with `documents_to_judge`."""
        topics = self.campaign.topics.filter(pk__in=self.documents_to_judge().values("topic"))
        return set(topics.values_list("number", flat=True))

    def judgments_of_all(self) -> QuerySet[Judgment]:
        """Return the current labels that count, of people and machines: none of gold or training documents.

        PostgreSQL estimates a filter by the keys of pools correctly; a join with the few pools gives it no
        statistics.
        """
        return Judgment.objects.filter(not_gold_or_training(), pooled__pool__in=self.pool_keys)

    def judgments_of_people(self) -> QuerySet[Judgment]:
        """Return the current labels of people that count."""
        return self.judgments_of_all().exclude(judge__in=self.machine_keys)

    def events(self) -> QuerySet[JudgmentEvent]:
        """Return the label events that count: none of training, gold, hidden repeats, withdrawn sources."""
        return self.events_of_all().exclude(judge__in=self.withdrawn_keys)

    def events_of_all(self) -> QuerySet[JudgmentEvent]:
        """Return the events that count, and those of withdrawn sources."""
        events = JudgmentEvent.objects.filter(not_gold_or_training(), pooled__pool__in=self.pool_keys)
        return events.filter(kind=QueueEntry.Kind.JUDGING)

    @cached_property
    def labels(self) -> LabelsBySource:
        def read() -> LabelsBySource:
            return LabelsBySource(label_columns(self.judgments_of_all()), self.machine_keys)

        return self.cached("current-labels", (self.version, self.machine_keys), read)

    @cached_property
    def pooled(self) -> PooledColumns:
        """Every pooled document, also gold and training documents, by key."""
        topics = [topic.pk for topic in self.topics]
        version = self.pool_keys, self.newest_pooled, topics
        return self.cached("pooled-documents", version, lambda: read_pooled_columns(self.pool_keys, topics))

    @cached_property
    def newest_pooled(self) -> int | None:
        """The key of the document, of any campaign, that was pooled last."""
        return PooledDocument.objects.order_by("-pk").values_list("pk", flat=True).first()

    @cached_property
    def probes(self) -> Ints:
        """The keys of the gold and training documents."""
        return self._set_apart[0]

    @cached_property
    def withheld(self) -> Ints:
        """The keys of the documents that are withheld from judges and that no person has labelled."""
        return self._set_apart[1]

    @cached_property
    def _set_apart(self) -> tuple[Ints, Ints]:
        probes = Probe.objects.filter(pooled__pool__in=self.pool_keys)
        rows = (
            probes.order_by()
            .values_list("pooled", Value(0))
            .union(
                *(
                    each.rows(self.pool_keys).order_by().values_list("pooled", Value(1))
                    for each in withholding
                ),
                all=True,
            )
        )
        keys = np.array(list(rows), dtype=np.int64).reshape(-1, 2)
        first, second = (np.unique(keys[keys[:, 1] == kind, 0]) for kind in (0, 1))
        return first, second

    @cached_property
    def is_to_be_judged(self) -> Flags:
        """For every document of `pooled`, whether its labels count."""
        return ~np.isin(self.pooled.pk, self.probes)

    @cached_property
    def count_to_judge(self) -> int:
        """The number of `documents_to_judge`."""
        version = self.pool_keys, self.probes.tolist()
        return self.cached("count-to-judge", version, lambda: self.count_pooled - len(self.probes))

    @cached_property
    def latest_release(self) -> QrelsRelease | None:
        """The newest release that is not withdrawn, whoever may see it."""
        return latest_release(self.campaign)

    @cached_property
    def settled(self) -> dict[int, SettledGrade]:
        """Pooled document -> settled grade."""
        return settled_grades(AdjudicationEvent.objects.filter(pooled__pool__in=self.pool_keys))

    @cached_property
    def primary_judges(self) -> dict[tuple[str, int], str]:
        """(topic, number of the pool) -> its primary judge."""
        return primary_judges(self.campaign)

    @cached_property
    def release_plan(self) -> ReleasePlan:
        """The default plan of the next release."""
        withdrawn = [source.user.username for source in self.sources if source.withdrawn_at]
        return default_plan(self.campaign, self.settled, withdrawn)

    @cached_property
    def people_plan(self) -> ReleasePlan:
        """The default plan without its machine judges, for figures that count the work of people."""
        return without_machines(self.release_plan, [machine.user.username for machine in self.machines])
