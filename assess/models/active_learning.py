"""Collections of documents, and reviews of topics that are to find all relevant documents in them."""

from __future__ import annotations

import re

from django.conf import settings
from django.db import models
from django.utils import timezone

from pooling.models import Campaign, Pool, PooledDocument, Topic


class ReviewCollection(models.Model):
    """Documents that reviews choose from: their texts, and their features. It never changes.

    A document is known by its row, from 0. The files are those of `assess.active_learning.collection_files`,
    of which checksums has the SHA-256. A collection that came with the archive of a campaign has no files if
    they were too large for it: its reviews are there, and go on once the same documents are loaded again.
    """

    MOST_EXPORTED_BYTES = 1 << 30  # of all files: the archive of a campaign leaves out larger ones
    FOLDER = "collections/"  # of the storage

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="review_collections")
    number = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=255, help_text="Of the file that was loaded.")
    document_count = models.PositiveIntegerField()
    term_count = models.PositiveIntegerField()
    repeated = models.PositiveIntegerField(default=0, help_text="Left out, as their docno came before.")
    texts = models.FileField(blank=True, help_text="A JSON array of each document on a line.")
    offsets = models.FileField(blank=True, help_text="Where the lines of the texts begin.")
    docnos = models.FileField(blank=True)
    weights = models.FileField(blank=True, help_text="The features: the values of a CSR matrix.")
    columns = models.FileField(blank=True, help_text="The features: the columns of the values.")
    starts = models.FileField(blank=True, help_text="The features: where the rows begin.")
    idf = models.FileField(blank=True)
    stems = models.FileField(blank=True)
    index = models.FileField(
        blank=True, help_text="Of full-text search; none for a collection of an early version."
    )
    checksums = models.JSONField()
    loaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    loaded_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="one_review_collection_a_number")
        ]
        ordering = ["number"]

    def __str__(self) -> str:
        return f"Collection {self.number}"

    @property
    def has_files(self) -> bool:
        return bool(self.texts)

    def archived_file(self, field: str) -> tuple[str, str]:
        """Return the name and the SHA-256 that the file of a field has in the archive of a campaign."""
        stored = str(getattr(self, field))
        is_ours = re.fullmatch(rf"{self.FOLDER}[0-9a-f]{{32}}/{field}\.[a-z0-9]+", stored)
        name = stored if is_ours else f"{self.FOLDER}[32 hexadecimal digits]/{field}"
        checksums = self.checksums if isinstance(self.checksums, dict) else {}
        return name, str(checksums.get(field))


class ReviewQuerySet(models.QuerySet["Review"]):
    def going_on(self) -> ReviewQuerySet:
        return self.filter(stopped_at=None)


class Review(models.Model):
    """A review of a topic by continuous active learning.

    A topic has several, one after the other; labels of the earlier ones are seeds of the next.
    rounds: how many batches were frozen. batch: how many documents the model chose for the last one, with
    those that S-CAL sets aside. rule, target, promise: what the organiser relied on when it was stopped; ""
    for none.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="reviews")
    collection = models.ForeignKey(ReviewCollection, on_delete=models.CASCADE, related_name="reviews")
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="reviews")
    judges = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+")
    seed = models.PositiveIntegerField(help_text="Of the sample, and of the documents that are presumed.")
    first_batch = models.PositiveSmallIntegerField()
    cap = models.PositiveSmallIntegerField(
        null=True, help_text="S-CAL: at most so many random documents of a batch are judged; all without it."
    )
    sample_size = models.PositiveIntegerField(help_text="Random documents that are judged beside the others.")
    sample_looks = models.PositiveSmallIntegerField(
        default=1, help_text="1, and one for each time that the sample was enlarged with labels of it known."
    )
    rounds = models.PositiveSmallIntegerField(default=0)
    batch = models.PositiveIntegerField(default=0)
    begun_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    begun_at = models.DateTimeField(default=timezone.now)
    stopped_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    stopped_at = models.DateTimeField(null=True)
    rule = models.CharField(max_length=20, blank=True)
    target = models.FloatField(null=True)
    promise = models.TextField(blank=True)
    because = models.TextField(blank=True, help_text="What the rule said.")

    objects = ReviewQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["topic"], condition=models.Q(stopped_at=None), name="one_review_of_a_topic_goes_on"
            )
        ]
        ordering = ["topic__place", "pk"]

    def __str__(self) -> str:
        return f"Review of topic {self.topic.number}"


class ReviewRound(models.Model):
    """A batch of a review that was frozen, and what its model expects.

    number: from 1; round 0, of documents with labels from before, has no row. labels: how many labelled
    documents the model was trained with. judged_sum ...: see `assess.active_learning.quant.ProbabilitySums`,
    over the documents of the rounds before and the others; None for a batch that was drawn at random. aside:
    docnos of the batch that S-CAL sets aside, not judged, for good. lowest: the lowest score of the batch.
    """

    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="frozen_rounds")
    number = models.PositiveSmallIntegerField()
    pool = models.ForeignKey(Pool, on_delete=models.SET_NULL, null=True, related_name="review_rounds")
    labels = models.PositiveIntegerField()
    judged_sum = models.FloatField(null=True)
    rest_sum = models.FloatField(null=True)
    judged_variance = models.FloatField(null=True)
    rest_variance = models.FloatField(null=True)
    aside = models.JSONField(default=list)
    aside_count = models.PositiveIntegerField(default=0)
    lowest = models.FloatField(null=True)
    frozen_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["review", "number"], name="one_round_of_a_review_a_number")
        ]
        ordering = ["number"]

    def __str__(self) -> str:
        return f"Round {self.number} of {self.review}"


class ReviewedDocument(models.Model):
    """Why a document is in a review.

    place, round, score: where it is in the order of the review, if the review has reached it: a seed document
    in round 0 without a score, or the choice of the model of a round. sample_round: the round in which it was
    given to judges because it is in the random sample, if it was. A document without a place and a sample
    round was found by search.
    """

    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="documents")
    pooled = models.ForeignKey(PooledDocument, on_delete=models.PROTECT, related_name="reviews")
    row = models.PositiveIntegerField(help_text="In the collection.")
    place = models.PositiveIntegerField(null=True)
    round = models.PositiveSmallIntegerField(null=True)
    score = models.FloatField(null=True, help_text="Log odds of relevance.")
    sample_round = models.PositiveSmallIntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["review", "row"], name="one_document_of_a_review_a_row"),
            models.UniqueConstraint(fields=["review", "place"], name="one_document_of_a_review_a_place"),
        ]

    def __str__(self) -> str:
        return f"{self.review}: {self.pooled}"


class SearchedDocument(models.Model):
    """A judge found a document of a review by search, and put it into the own queue."""

    document = models.ForeignKey(ReviewedDocument, on_delete=models.CASCADE, related_name="searches")
    judge = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    words = models.CharField(max_length=200)
    added_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["document", "judge"], name="one_search_a_document_and_judge")
        ]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.document}, found by {self.judge}"


class ReviewSimulation(models.Model):
    """What each stopping rule would have cost on topics with labels; it never changes.

    costs: the rows of `assess.active_learning.costs.RuleCost`.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="review_simulations")
    collection = models.ForeignKey(ReviewCollection, on_delete=models.CASCADE, related_name="simulations")
    sample_size = models.PositiveIntegerField()
    seed = models.PositiveIntegerField()
    topics = models.JSONField(help_text="Topic number -> relevant documents in the collection.")
    costs = models.JSONField()
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"Simulation over {self.collection}"
