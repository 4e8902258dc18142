"""The classes of a campaign: which documents are compared, and which are withheld from judges."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from assess.document.layout import plain_text
from assess.models import DuplicateClass, DuplicateClassification, DuplicateMember
from assess.near_duplicates.differences import Differences, differences
from assess.queries.documents import text_in
from assess.queries.gold import not_gold_or_training
from assess.queries.queues import has_begun
from assess.queries.withheld import labelled_by_people
from pooling.models import Campaign, Document, Pool, PooledDocument, Topic

TEXTS_AT_ONCE = 500


def classification_of(campaign: Campaign) -> DuplicateClassification | None:
    """Return the classes of a campaign, a draft or frozen."""
    classifications = DuplicateClassification.objects.filter(campaign=campaign)
    return classifications.select_related("created_by", "frozen_by").first()


def compared_documents(topic: Topic) -> QuerySet[PooledDocument]:
    """Return the pooled documents of a topic that can be in a class: to be judged, not labelled, no image.

    Images may differ where texts do not.
    """
    documents = PooledDocument.objects.filter(not_gold_or_training("pk"), topic=topic)
    documents = documents.exclude(pool__strategy=Pool.PROBES)
    labelled = Q(label_summary__graders__gt=0) | Q(label_summary__refusals__gt=0)
    images = topic.campaign.images.filter(topic=None, docno=OuterRef("docno"))
    return documents.exclude(labelled).exclude(Exists(images)).order_by("docno")


def count_compared(campaign: Campaign) -> int:
    """Return how many documents of a campaign would be compared, at most."""
    return PooledDocument.objects.filter(not_gold_or_training("pk"), pool__campaign=campaign).count()


def texts_of(campaign: Campaign, docnos: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield docno and text, with the title, of documents whose text is stored; a few at a time in memory."""
    for start in range(0, len(docnos), TEXTS_AT_ONCE):
        documents = Document.objects.filter(
            campaign=campaign, docno__in=docnos[start : start + TEXTS_AT_ONCE]
        )
        for document in documents.only("docno", "title", "text").order_by("docno"):
            yield document.docno, text_of(campaign, document)


def text_of(campaign: Campaign, document: Document) -> str:
    """Return the text by which a document is compared: its title, and its text as it is shown."""
    return f"{document.title}\n{plain_text(text_in(campaign, document))}"


def withheld_near_duplicate(pooled: str) -> Q:
    """Return the condition that another document of a frozen class stands for a row's document.

    Not if it is judged on purpose or was split from its class, nor if the representative became a gold or
    training document, whose labels count for nothing.
    """
    members = propagating_members().filter(duplicate_class__representative__probe=None)
    return Q(Exists(members.order_by().filter(pooled=OuterRef(pooled))))


def withheld_members(pools: Collection[int]) -> QuerySet[DuplicateMember]:
    """Return the members in these pools that are withheld and that no person has labelled."""
    members = propagating_members().filter(
        pooled__pool__in=pools, duplicate_class__representative__probe=None
    )
    return members.exclude(labelled_by_people())


def propagating_members() -> QuerySet[DuplicateMember]:
    """Return the members of frozen classes that were neither split nor drawn to be judged on purpose."""
    members = DuplicateMember.objects.filter(duplicate_class__classification__frozen_at__isnull=False)
    return members.filter(is_sampled=False, split=None)


class ClassCounts(NamedTuple):
    """What classes of a campaign consist of.

    members: documents that are not representatives. split: of them. sampled: of them, judged on purpose.
    later: pooled documents that were not compared, because they were pooled or got a text later.
    """

    classes: int
    members: int
    split: int
    sampled: int
    later: int

    @property
    def withheld(self) -> int:
        """Members that judges do not get."""
        return self.members - self.split - self.sampled


def class_counts(classification: DuplicateClassification) -> ClassCounts:
    members = DuplicateMember.objects.filter(duplicate_class__classification=classification)
    counts = members.aggregate(
        count=Count("pk"),
        splits=Count("split"),
        sampled=Count("pk", filter=Q(is_sampled=True, split=None)),
    )
    later = PooledDocument.objects.filter(
        pool__campaign=classification.campaign_id, pool__frozen_at__gt=classification.created_at
    )
    return ClassCounts(
        classification.classes.count(), counts["count"], counts["splits"], counts["sampled"], later.count()
    )


def doubtful_classes(classification: DuplicateClassification) -> QuerySet[DuplicateClass]:
    """Return the classes that somebody should look at: the largest first."""
    return classes_in(classification).filter(is_doubtful=True)


def classes_in(classification: DuplicateClassification) -> QuerySet[DuplicateClass]:
    """Return the classes with `left`: how many documents were not split, the largest first."""
    classes = classification.classes.select_related("representative__topic")
    split = Count("members__split")
    return classes.annotate(left=F("size") - split).order_by("-size", "pk")


def class_rows(classification: DuplicateClassification) -> Iterator[tuple[object, ...]]:
    """Yield topic, representative, docno, similarity and state of every document of every class."""
    members = DuplicateMember.objects.filter(duplicate_class__classification=classification)
    rows = members.order_by("pooled__topic__place", "duplicate_class", "pooled__docno").values_list(
        "pooled__topic__number",
        "duplicate_class__representative__docno",
        "pooled__docno",
        "similarity",
        "is_sampled",
        "split",
    )
    previous = None
    for topic, representative, docno, similarity, is_sampled, split in rows.iterator():
        if (topic, representative) != previous:
            yield topic, representative, representative, "1.0000", "representative"
            previous = topic, representative
        state = "split" if split else "judged on purpose" if is_sampled else "propagated"
        yield topic, representative, docno, f"{similarity:.4f}", state


def class_in(classification: DuplicateClassification, key: int) -> DuplicateClass | None:
    return classes_in(classification).filter(pk=key).first()


class ComparedMember(NamedTuple):
    """A member beside its representative. differences: None where a text is not stored any more."""

    member: DuplicateMember
    differences: Differences | None

    @property
    def docno(self) -> str:
        return self.member.pooled.docno


def compared_members(
    campaign: Campaign, representative: str, members: Sequence[DuplicateMember]
) -> list[ComparedMember]:
    """Return the words in which members differ from their representative, whose docno is given."""
    docnos = [representative, *(member.pooled.docno for member in members)]
    texts = dict(texts_of(campaign, docnos))
    shown = texts.get(representative)
    return [
        ComparedMember(member, differences(shown, text) if shown is not None and text is not None else None)
        for member in members
        for text in [texts.get(member.pooled.docno)]
    ]


def why_not_found(campaign: Campaign) -> str:
    """Return why no classes can be made now; "" if they can."""
    if has_begun(campaign):
        return "Judging has begun: classes of near duplicates are made before it."
    if not campaign.pools.exclude(strategy=Pool.PROBES).exists():
        return "Freeze a pool first: classes are made of its documents."
    return ""


def why_not_discarded(classification: DuplicateClassification) -> str:
    """Return why classes cannot be discarded any more; "" if they can."""
    if classification.frozen_at and has_begun(classification.campaign):
        return "Judging has begun with these classes, so they stay. Split what differs."
    return ""
