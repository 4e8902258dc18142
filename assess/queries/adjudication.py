"""Disputed documents, for adjudicators. Judges are letters here: no query returns a judge's name."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, Subquery, When
from django.db.models.functions import Coalesce
from django.utils import timezone

from accounts.models import User
from assess.adjudication import (
    AdjudicationEffect,
    DisputeFilter,
    SettledCase,
    adjudication_effect,
    judge_letters,
)
from assess.document.evidence import EvidenceSpan, Quote, locate_evidence
from assess.document.layout import left_out, plain_text
from assess.models import (
    Adjudication,
    AdjudicationClaim,
    AdjudicationEvent,
    Judgment,
    JudgmentEvent,
    LabelSummary,
    QueueEntry,
)
from assess.queries.campaign_reads import CampaignReads
from assess.queries.documents import language_in, text_in
from assess.queries.independence import hidden_from
from assess.queries.sources import of_people
from pooling.checksum import NO_TEXT
from pooling.models import Campaign, Document, PooledDocument, Topic
from pooling.queries.documents import document_of, pooled_in


class DisputeLabel(NamedTuple):
    """One judge's label of a document. current: whether it was given to the present text."""

    letter: str
    event: JudgmentEvent
    current: bool


class DisputeCard(NamedTuple):
    """A document with its labels, as an adjudicator sees it. last_label: key of the newest label event.

    settled: the current adjudication, if any. history: all adjudication events, oldest first.
    """

    pooled: PooledDocument
    document: Document | None
    views: list[DisputeLabel]
    last_label: int
    settled: Adjudication | None
    history: list[AdjudicationEvent]

    @property
    def text_hash(self) -> str:
        return self.document.text_hash if self.document else NO_TEXT

    @property
    def text(self) -> str:
        """The plain text; of a web page, without its mark-up."""
        return plain_text(text_in(self.pooled.topic.campaign, self.document)) if self.document else ""

    @property
    def not_shown(self) -> str:
        """What is left out of the text, counted by kind."""
        return left_out(text_in(self.pooled.topic.campaign, self.document)) if self.document else ""

    @property
    def language(self) -> str:
        return language_in(self.pooled.topic.campaign, self.document)

    @property
    def changed_since(self) -> bool:
        """Whether there is a label that the adjudicator did not see when settling."""
        if not self.settled:
            return False
        settled_after = next(
            (event.last_label for event in reversed(self.history) if event.relevance is not None), None
        )
        if settled_after is None:  # events of early versions do not store it
            return any(view.event.at > self.settled.at for view in self.views)
        return self.last_label > settled_after

    def undone_by(self, adjudicator: User) -> AdjudicationEvent | None:
        """Return the decision that this adjudicator made and revoked last, if the case is open since."""
        decision, reopening = ([None, None] + self.history)[-2:]
        if not decision or not reopening or reopening.relevance is not None:
            return None
        return decision if decision.by_id == reopening.by_id == adjudicator.pk else None

    def evidence(self) -> list[EvidenceSpan]:
        """Return the positions of the judges' evidence in the text."""
        quotes = self._quotes()
        return locate_evidence(self.text, {key: each for key, each in quotes.items() if not each.in_title})

    def title_evidence(self) -> list[EvidenceSpan]:
        """Return the positions of the judges' evidence in the title."""
        title = self.document.title if self.document else ""
        return locate_evidence(title, {key: each for key, each in self._quotes().items() if each.in_title})

    def _quotes(self) -> dict[str, Quote]:
        return {view.letter: Quote(**view.event.evidence) for view in self.views if view.event.evidence}


class DisputeLine(NamedTuple):
    """A document in a list of disputes. grades: by letter, None where a judge could not judge.

    changed: whether a judge has changed a label since it was settled.
    """

    pooled: PooledDocument
    title: str
    grades: list[int | None]
    settled: int | None
    changed: bool = False


def dispute_queue(
    campaign: Campaign, adjudicator: User, wanted: DisputeFilter, topic: Topic | None = None
) -> list[int]:
    """Return the keys of the pooled documents that match the filter, in its order; ties by key.

    Settled documents are left out, and documents of `hidden_from` for this adjudicator.
    """
    if wanted.show not in KIND_CONDITIONS:  # CHANGED, which are settled
        return []
    documents = _summed_up(campaign, wanted).filter(KIND_CONDITIONS[wanted.show])
    documents = documents.filter(~Exists(Adjudication.objects.filter(pooled=OuterRef("pooled"))))
    documents = documents.exclude(pooled__in=hidden_from(adjudicator, campaign))
    if topic:
        documents = documents.filter(pooled__topic=topic)
    labels = Judgment.objects.filter(of_people(), pooled=OuterRef("pooled"))
    for grade in wanted.grades:
        documents = documents.filter(Exists(labels.filter(relevance=grade)))
    in_order = documents.order_by(*ORDER_FIELDS[wanted.order], "pooled")
    return list(in_order.values_list("pooled", flat=True))


KIND_CONDITIONS = {"differ": Q(gap__gt=0), "cross": Q(crosses=1), "cannot": Q(refusals__gt=0)}
ORDER_FIELDS = {"distance": ("-gap", "-crosses"), "crossing": ("-crosses", "-gap")}


def _summed_up(campaign: Campaign, wanted: DisputeFilter) -> QuerySet[LabelSummary]:
    """Return the documents of a kind with `gap`, highest minus lowest grade, and `crosses`.

    crosses: 1 where the threshold is between the two.
    """
    documents = LabelSummary.objects.filter(campaign=campaign)
    documents = documents.filter(Q(refusals__gt=0) if wanted.show == "cannot" else Q(distance__gt=0))
    crossing = When(lowest__lt=campaign.threshold, highest__gte=campaign.threshold, then=1)
    gap = Coalesce(F("highest") - F("lowest"), 0)
    return documents.annotate(gap=gap, crosses=Case(crossing, default=0))


def count_unsettled(campaign: Campaign) -> int:
    """Return the number of documents with different grades of people that are not settled."""
    disputed = LabelSummary.objects.filter(campaign=campaign, distance__gt=0)
    return disputed.filter(~Exists(Adjudication.objects.filter(pooled=OuterRef("pooled")))).count()


def unsettled_of(reads: CampaignReads) -> int:
    """Return the same number, counted once in a request."""
    return reads.once("unsettled", lambda: count_unsettled(reads.campaign))


def dispute_in(reads: CampaignReads, adjudicator: User, pk: int) -> DisputeCard | None:
    """Return a document with a label of a person; None without one, or if it is hidden from this user."""
    campaign = reads.campaign
    pooled = pooled_in(campaign).filter(pk=pk).select_related("topic", "pool").first()
    if not pooled or hidden_from(adjudicator, campaign).filter(pk=pk).exists():
        return None
    pooled.topic.campaign = campaign
    judgments = reads.judgments_of_people().filter(pooled=pooled).select_related("event", "judge")
    events = {judgment.judge.username: judgment.event for judgment in judgments}
    if not events:
        return None
    document = document_of(pooled)
    now = document.text_hash if document else NO_TEXT
    views = sorted(
        DisputeLabel(
            letter, events[judge], events[judge].source == "import" or events[judge].text_hash == now
        )
        for judge, letter in judge_letters(events, pooled.pk).items()
    )
    return DisputeCard(
        pooled,
        document,
        views,
        max(event.pk for event in events.values()),
        Adjudication.objects.filter(pooled=pooled).select_related("by").first(),
        list(pooled.adjudication_events.select_related("by")),
    )


def dispute_lines(
    reads: CampaignReads, pooled: Sequence[int], changed: Collection[int] = ()
) -> list[DisputeLine]:
    """Return documents as lines of a list, in the given order. changed: keys of `changed_in`."""
    campaign = reads.campaign
    by_key = pooled_in(campaign).select_related("topic").in_bulk(list(pooled))
    titles = dict(
        campaign.documents.filter(docno__in=[each.docno for each in by_key.values()]).values_list(
            "docno", "title"
        )
    )
    settled = dict(Adjudication.objects.filter(pooled__in=pooled).values_list("pooled", "relevance"))
    grades: dict[int, dict[str, int | None]] = {}
    rows = reads.judgments_of_people().filter(pooled__in=pooled)
    for key, judge, relevance in rows.values_list("pooled", "judge__username", "relevance"):
        grades.setdefault(key, {})[judge] = relevance
    lines = []
    for key in pooled:
        given = grades.get(key, {})
        lettered = sorted((letter, given[judge]) for judge, letter in judge_letters(given, key).items())
        by_letter = [relevance for _, relevance in lettered]
        title = titles.get(by_key[key].docno, "")
        lines.append(DisputeLine(by_key[key], title, by_letter, settled.get(key), key in changed))
    return lines


def settled_seen_by(campaign: Campaign, adjudicator: User) -> QuerySet[Adjudication]:
    """Return the adjudications that are not hidden from this adjudicator, newest first."""
    return settled_in(campaign).exclude(pooled__in=hidden_from(adjudicator, campaign))


def settled_in(campaign: Campaign) -> QuerySet[Adjudication]:
    """Return the adjudications of the campaign, newest first.

    The subquery makes the database scan the few adjudications, not all pooled documents as a join would.
    """
    here = PooledDocument.objects.filter(pk=OuterRef("pooled"), pool__campaign=campaign)
    return Adjudication.objects.filter(Exists(here)).order_by("-at", "-pk")


def changed_in(settled: QuerySet[Adjudication]) -> QuerySet[Adjudication]:
    """Return the adjudications after which a person has changed a label: see `DisputeCard.changed_since`."""
    decisions = AdjudicationEvent.objects.filter(pooled=OuterRef("pooled"), relevance__isnull=False)
    seen = Subquery(decisions.order_by("-pk").values("last_label")[:1])
    labels = Judgment.objects.filter(of_people(), pooled=OuterRef("pooled"))
    later = Exists(labels.filter(event__gt=OuterRef("seen")))
    no_key = Q(seen=None) & Exists(labels.filter(event__at__gt=OuterRef("at")))
    return settled.annotate(seen=seen).filter(later | no_key)


def settled_effect(reads: CampaignReads) -> AdjudicationEffect:
    """Return the effect of the settled grades, over the labels of people at the time of each decision."""
    settled = dict(settled_in(reads.campaign).values_list("pooled", "relevance"))
    grades: dict[int, dict[str, int | None]] = {pooled: {} for pooled in settled}
    graded = reads.judgments_of_people().filter(relevance__isnull=False)
    rows = graded.filter(pooled__adjudication__isnull=False)
    for pooled, judge, relevance in rows.values_list("pooled", "judge__username", "relevance"):
        if pooled in grades:
            grades[pooled][judge] = relevance
    grades |= _labels_seen(changed_in(settled_in(reads.campaign)))
    cases = (
        SettledCase({judge: grade for judge, grade in given.items() if grade is not None}, settled[pooled])
        for pooled, given in grades.items()
        if pooled in settled
    )
    return adjudication_effect(cases, reads.campaign.threshold)


def _labels_seen(changed: QuerySet[Adjudication]) -> dict[int, dict[str, int | None]]:
    """Return pooled document -> judge -> the label at the time of the decision, from the label events."""
    keys = list(changed.values_list("pooled", flat=True))
    last = AdjudicationEvent.objects.filter(pooled__in=keys, relevance__isnull=False).order_by("pk")
    decisions = {pooled: (at, seen) for pooled, at, seen in last.values_list("pooled", "at", "last_label")}
    events = JudgmentEvent.objects.filter(of_people(), pooled__in=decisions, kind=QueueEntry.Kind.JUDGING)
    labels: dict[int, dict[str, int | None]] = {pooled: {} for pooled in decisions}
    for event in events.select_related("judge").order_by(*JudgmentEvent.PRESS_ORDER):
        at, seen = decisions[event.pooled_id]
        if event.at <= at if seen is None else event.pk <= seen:
            labels[event.pooled_id][event.judge.username] = event.relevance
    return labels


def claim_on(pooled: PooledDocument) -> AdjudicationClaim | None:
    """Return the current claim of a document."""
    claims = AdjudicationClaim.objects.filter(pooled=pooled, until__gt=timezone.now())
    return claims.select_related("by").first()


def claimed_cases(campaign: Campaign, adjudicator: User) -> set[int]:
    """Return the pooled documents that this adjudicator has claimed and not settled."""
    claims = AdjudicationClaim.objects.filter(pooled__pool__campaign=campaign, until__gt=timezone.now())
    own = claims.filter(by=adjudicator, pooled__adjudication=None)
    return set(own.values_list("pooled", flat=True))


def unsettled_among(campaign: Campaign, adjudicator: User, pooled: Sequence[int]) -> list[int]:
    """Return those of some documents that this adjudicator may settle now, in the given order."""
    documents = pooled_in(campaign).filter(pk__in=pooled, adjudication=None)
    documents = documents.filter(Exists(Judgment.objects.filter(of_people(), pooled=OuterRef("pk"))))
    unsettled = set(documents.exclude(pk__in=hidden_from(adjudicator, campaign)).values_list("pk", flat=True))
    return [pk for pk in pooled if pk in unsettled]


def claims_of_others(campaign: Campaign, adjudicator: User) -> QuerySet[AdjudicationClaim]:
    """Return the current claims of other adjudicators."""
    claims = AdjudicationClaim.objects.filter(pooled__pool__campaign=campaign, until__gt=timezone.now())
    return claims.exclude(by=adjudicator)
