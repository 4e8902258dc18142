"""Reviews: how far they are, and why each of their documents was judged."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce

from accounts.models import User
from assess.active_learning.batches import sample_rows
from assess.active_learning.progress import Adviser, ReviewProgress, ReviewRow
from assess.active_learning.quant import ProbabilitySums
from assess.active_learning.queries.labels import FIELDS, relevance_of
from assess.active_learning.scal import RoundDocuments, StrataSummary, strata_of_rounds
from assess.models import (
    Adjudication,
    Assignment,
    JudgmentEvent,
    Probe,
    Review,
    ReviewedDocument,
    ReviewRound,
    SearchedDocument,
)
from assess.queries.people import judges_to_choose
from pooling.models import Campaign, Pool, PooledDocument

READY_SHARE = 5  # a batch is followed by the next once at most one in so many of its documents has no label
CHOSEN = Q(documents__round=F("rounds"))  # a document that the model chose for the last batch
LABEL = tuple(f"pooled__{field}" for field in FIELDS)
COLUMNS = (
    "topic", "docno", "reason", "round", "place", "score", "sample_round", "sample_place", "relevant", "pool",
    "seed", "searched_by", "search_words",
)  # fmt: skip


def rows_of(review: Review) -> list[ReviewRow]:
    """Return the documents of a review with their labels. The campaign is that of the review."""
    threshold = review.campaign.threshold
    documents = ReviewedDocument.objects.filter(review=review).order_by()
    rows = documents.values_list("row", "place", "round", *LABEL)
    return [
        ReviewRow(row, place, number, relevance_of(threshold, *label)) for row, place, number, *label in rows
    ]


def rounds_aside(review: Review) -> dict[str, int]:
    """Return docno -> the round, of the documents that S-CAL has set aside so far, in their order."""
    if review.cap is None:
        return {}
    asides = ReviewRound.objects.filter(review=review).order_by("number").values_list("number", "aside")
    return {docno: number for number, docnos in asides for docno in docnos}


def reached_count() -> CombinedExpression:
    """Return how many documents a review has reached, with those set aside; for queries of reviews."""
    rounds = ReviewRound.objects.filter(review=OuterRef("pk")).order_by().values("review")
    aside = Subquery(rounds.annotate(total=Sum("aside_count")).values("total"))
    return Count("documents__place") + Coalesce(aside, 0)


def progress_of(review: Review) -> ReviewProgress:
    """Return how far a review is, with its labels of now."""
    documents = review.collection.document_count
    expected = {}
    for each in review.frozen_rounds.defer("aside"):
        sums = each.judged_sum, each.rest_sum, each.judged_variance, each.rest_variance
        known = [value for value in sums if value is not None]
        if known:  # the batch was not drawn at random
            expected[each.number] = ProbabilitySums(*known)
    sample = sample_rows(review.seed, documents, review.sample_size)
    round_of = rounds_aside(review)
    aside = None if review.cap is None else dict[int, int]()
    if round_of:
        others = ReviewedDocument.objects.filter(review=review, place=None)
        rows = others.values_list("row", "pooled__docno")
        aside = {row: round_of[docno] for row, docno in rows if docno in round_of}
    return ReviewProgress(rows_of(review), documents, sample, expected, review.sample_looks, aside)


def strata_of(review: Review) -> StrataSummary:
    """Return what the strata of a review by S-CAL say, those whose documents are all labelled."""
    rows = rows_of(review)
    labels: dict[int, list[bool | None]] = {}
    for row in rows:
        if row.place is not None:
            labels.setdefault(row.round or 0, []).append(row.label)
    about = dict[int, tuple[int, float]]()
    for number, aside, lowest in review.frozen_rounds.values_list("number", "aside_count", "lowest"):
        about[number] = aside, float("nan") if lowest is None else lowest
    rounds = {
        number: RoundDocuments(known, *about.get(number, (0, float("nan"))))
        for number, known in labels.items()
    }
    relevant = sum(row.label is True for row in rows)
    return StrataSummary(
        strata_of_rounds(rounds), review.collection.document_count, relevant, min(rounds, default=1)
    )


def advisers_of(review: Review, progress: ReviewProgress) -> list[Adviser]:
    """Return what the stopping rules say of a review; S-CAL has a rule of its own."""
    if review.cap is None:
        return progress.advisers()
    return progress.strata_advisers(strata_of(review).strata)


def labelled() -> Q:
    """Return the condition that a document of a review has a label, for queries of reviews."""
    summary = "documents__pooled__label_summary"
    label = Q(**{f"{summary}__graders__gt": 0}) | Q(**{f"{summary}__refusals__gt": 0})
    return label | Q(documents__pooled__probe__isnull=False)


def reviews_of(campaign: Campaign) -> QuerySet[Review]:
    """Return the reviews, each with counts.

    given: documents that were given to judges or had labels before. done, open: of these, with a label and
    without one. relevant: of these, with a highest grade from the threshold on. chosen: documents that the
    model chose for the last batch; none where it was of random documents only.
    """
    relevant = Q(documents__pooled__label_summary__highest__gte=campaign.threshold)
    return (
        Review.objects.filter(campaign=campaign)
        .select_related("topic", "collection", "stopped_by")
        .annotate(
            given=Count("documents"),
            done=Count("documents", filter=labelled()),
            open=Count("documents", filter=~labelled()),
            relevant=Count("documents", filter=relevant),
            chosen=Count("documents", filter=CHOSEN),
        )
    )


def earlier_reviews(review: Review) -> list[Review]:
    """Return the stopped reviews of a topic before this one, the first one first, with the campaign."""
    before = Review.objects.filter(topic=review.topic_id, pk__lt=review.pk).order_by("pk")
    reviews = list(before.select_related("topic", "collection", "stopped_by"))
    for each in reviews:
        each.campaign = review.campaign
    return reviews


def going_on_by_themselves(campaign: Campaign) -> QuerySet[Review]:
    """Return the reviews that get batches without anybody asking: they have documents left, the files of
    their collection are here, and the last batch was not of random documents only."""
    reviews = Review.objects.going_on().filter(campaign=campaign).exclude(collection__texts="")
    counted = reviews.annotate(reached=reached_count(), chosen=Count("documents", filter=CHOSEN))
    growing = counted.filter(Q(rounds=0) | Q(chosen__gt=0), reached__lt=F("collection__document_count"))
    return Review.objects.filter(pk__in=growing.order_by().values("pk"))


def ready_reviews(campaign: Campaign) -> list[Review]:
    """Return the reviews that go on by themselves and whose last batch is labelled, all but one in
    READY_SHARE."""
    counted = going_on_by_themselves(campaign).annotate(
        chosen=Count("documents", filter=CHOSEN), open=Count("documents", filter=CHOSEN & ~labelled())
    )
    ready = counted.filter(open__lte=F("chosen") / READY_SHARE).order_by()
    reviews = Review.objects.filter(pk__in=ready.values("pk"))
    return list(reviews.select_related("topic", "collection", "begun_by"))


def judges_of(review: Review) -> QuerySet[User]:
    """Return who gets the next batch: who has the last one now, or else whom the organiser chose."""
    last = review.frozen_rounds.exclude(pool=None).order_by("-number").first()
    people = judges_to_choose(review.campaign)
    if last:
        have = Assignment.objects.filter(topic=review.topic_id, pool=last.pool_id)
        if have.exists():
            return people.filter(pk__in=have.values("judge")).distinct()
    return people.filter(pk__in=review.judges.values("pk")).distinct()


def pooled_keys(review: Review, docnos: Collection[str]) -> dict[str, int]:
    """Return docno -> key, of those of these documents that are pooled for the topic of a review."""
    rows = PooledDocument.objects.filter(topic=review.topic_id, docno__in=docnos)
    return dict(rows.order_by().values_list("docno", "pk"))


def pools_of(review: Review) -> QuerySet[Pool]:
    """Return the pools of reviews that have documents of a review, and none of an earlier one of its topic.

    Documents of a review that was discarded are in the pool of that time.
    """
    rows = ReviewedDocument.objects.filter(review__topic=review.topic_id)
    own, earlier = rows.filter(review=review), rows.filter(review__lt=review.pk)
    pools = Pool.objects.filter(strategy=Pool.HIGH_RECALL, pk__in=own.values("pooled__pool"))
    return pools.exclude(pk__in=earlier.values("pooled__pool"))


def why_not_discarded(review: Review) -> str:
    """Return the sentence why a review cannot be discarded; empty if it can.

    Labels that the topic had before the review began are of other pools, and stay.
    """
    given = {"pooled__topic": review.topic_id, "pooled__pool__in": pools_of(review)}
    if JudgmentEvent.with_unfinished.filter(**given).exists():
        return (
            f"{review} cannot be discarded: documents of it are judged. Every label stays. Stop it instead."
        )
    if Adjudication.objects.filter(**given).exists():
        return f"{review} cannot be discarded: documents of it are settled."
    if Probe.objects.filter(**given).exists():
        return f"{review} cannot be discarded: documents of it are gold or training documents."
    return ""


class Provenance(NamedTuple):
    """Why a document was judged; the fields are COLUMNS.

    round: in which the review reached it; without a place, S-CAL has set it aside. sample_round: in which
    judges got it because of the random sample alone. sample_place: in the order of the sample, from 1, of
    every document of it, whyever it was judged.
    """

    topic: str
    docno: str
    reason: str
    round: int | None
    place: int | None
    score: float | None
    sample_round: int | None
    sample_place: int | None
    relevant: bool | None
    pool: int
    seed: int
    searched_by: str
    search_words: str


def reason_of(place: int | None, number: int | None, score: float | None, sample_round: int | None) -> str:
    """Return why a document was judged. number: of the round in which the review reached it."""
    if place is None:
        return "search" if sample_round is None else "sample"
    if not number:
        return "seed"
    return "random" if score is None else "model"


def provenance_of(review: Review) -> Iterator[Provenance]:
    """Yield why each document of a review was judged, in the order of review, then the sample's."""
    rows = ReviewedDocument.objects.filter(review=review).order_by(
        F("place").asc(nulls_last=True), "sample_round", "pooled__docno"
    )
    fields = "pk", "row", "pooled__docno", "round", "place", "score", "sample_round", "pooled__pool__number"
    threshold, round_of = review.campaign.threshold, rounds_aside(review)
    sample = sample_rows(review.seed, review.collection.document_count, review.sample_size).tolist()
    sample_places = {row: place for place, row in enumerate(sample, start=1)}
    searches: dict[int, tuple[str, str]] = {}  # the first one of a document
    made = SearchedDocument.objects.filter(document__review=review)
    for key, judge, words in made.values_list("document", "judge__username", "words"):
        searches.setdefault(key, (judge, words))
    lines = rows.values_list(*fields, *LABEL).iterator()
    for key, row, docno, number, place, score, drawn, pool, *label in lines:
        yield Provenance(
            review.topic.number, docno, reason_of(place, number, score, drawn),
            round_of.get(docno) if place is None else number, place, score, drawn, sample_places.get(row),
            relevance_of(threshold, *label), pool, review.seed, *searches.get(key, ("", "")),
        )  # fmt: skip
