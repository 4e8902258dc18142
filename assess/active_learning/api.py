"""Collections and reviews in the API, for organisers."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any, cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from ninja import File, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from accounts.requests import UserRequest, request_key
from assess.active_learning import tasks
from assess.active_learning.forms import (
    MOST_IN_A_BATCH,
    MOST_SAMPLED,
    CollectionForm,
    ReviewsForm,
    SampleForm,
    SimulationForm,
)
from assess.active_learning.queries.collections import collections_of
from assess.active_learning.queries.reviews import advisers_of, progress_of, reviews_of, strata_of
from assess.active_learning.services.collections import load_collection, reading_of, remove_collection
from assess.active_learning.services.reviews import (
    begin_reviews,
    discard_review,
    enlarge_sample,
    start_batches,
    start_next_batch,
    stop_review,
)
from assess.active_learning.views.reviews import provenance_response, review_or_404
from assess.models import Review, ReviewCollection, ReviewSimulation
from pooling.api.access import (
    PROBLEMS,
    WRITE_PROBLEMS,
    Body,
    PathName,
    PathNumber,
    PathTopic,
    Text,
    api_campaign,
    api_user,
    checked,
    choose_by,
    form_values,
)
from pooling.api.jobs import JobOut
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Job, Role
from pooling.services.jobs import start_job

router = Router(tags=["reviews"])
LARGEST_SEED = 2**31 - 1
SEED = Field(None, ge=0, le=LARGEST_SEED, description="null: a random one.")
TSV = {
    "responses": {
        200: {
            "description": "TSV",
            "content": {"text/tab-separated-values": {"schema": {"type": "string"}}},
        }
    }
}


class ReviewCollectionOut(Schema):
    number: int
    name: str = Field(description="Of the file.")
    documents: int = Field(alias="document_count")
    terms: int = Field(alias="term_count")
    repeated: int = Field(description="Left out, as their docno came before.")
    checksums: dict[str, str] = Field(description="SHA-256 of its files; `texts` names the documents.")
    has_files: bool = Field(description="Whether its documents are on this server.")
    loaded_at: datetime


class ReviewOut(Schema):
    """A review of a topic. A topic has several, one after the other."""

    id: int
    topic: str = Field(alias="topic.number")
    collection: int = Field(alias="collection.number")
    seed: int
    first_batch: int
    cap: int | None = Field(description="Of S-CAL: the most documents of a batch that are judged; null: all.")
    sample_size: int = Field(description="Random documents that are judged beside the others.")
    batches: int = Field(alias="rounds", description="That were frozen.")
    begun_at: datetime
    stopped_at: datetime | None
    rule: str = Field(description="That was relied on when it was stopped; empty: none.")
    target: float | None
    promise: str
    because: str = Field(description="What the rule said.")


class ReviewsIn(Body):
    """Topics to review over a collection. judges: sign-in names."""

    collection: int = Field(ge=1, le=32767, description="Its number.")
    topics: list[Text] = Field(
        ["all"], min_length=1, max_length=10_000, description="Numbers; `all` for those without a review."
    )
    judges: list[Text] = Field(min_length=1, max_length=1000)
    first_batch: int = Field(10, ge=1, le=MOST_IN_A_BATCH, description="Each later batch has a tenth more.")
    cap: int | None = Field(
        None,
        ge=2,
        le=MOST_IN_A_BATCH,
        description="S-CAL: at most so many random documents of each batch are judged. null: all (CAL).",
    )
    sample_size: int = Field(300, ge=0, le=MOST_SAMPLED, description="Random documents of each topic.")
    seed: int | None = SEED


class BegunReviewsOut(Schema):
    reviews: list[ReviewOut]
    job: JobOut = Field(description="Which freezes the first batches.")


class SampleEstimateOut(Schema):
    """An estimate with its interval. reason: why it is undefined, or empty."""

    value: float | None
    low: float | None
    high: float | None
    reason: str


class AdviserOut(Schema):
    """A stopping rule and what it says now. No rule stops anything."""

    rule: str = Field(alias="key")
    target: float = Field(description="The recall that it is asked for.")
    title: str
    promise: str
    stop: bool = Field(alias="advice.stop", description="Whether it advises to stop now.")
    because: str = Field(alias="advice.because")
    since: int | None = Field(description="Reviewed documents when it would have stopped; null: never.")
    found_by_then: float | None = Field(description="Share of what is found now; null if undefined.")


class StratumOut(Schema):
    """A batch of S-CAL."""

    batch: int = Field(alias="number", description="0: labels from before the review.")
    documents: int = Field(alias="stratum.size")
    judged: int = Field(alias="stratum.judged")
    relevant: int = Field(alias="stratum.relevant", description="Of the judged ones.")
    estimate: float = Field(alias="stratum.estimate", description="Relevant documents of the batch.")


class ReviewStateOut(ReviewOut):
    """How far a review is. Only batches whose documents are all labelled count as reviewed."""

    documents: int = Field(description="Of the collection.")
    reviewed: int
    found: int = Field(description="Relevant ones of the reviewed.")
    judged: int = Field(description="Documents with a label, also of the sample and of searches.")
    relevant: int = Field(description="Of the judged ones.")
    waiting: int = Field(description="Documents that judges have and that have no label.")
    sample_judged: int = Field(description="Of the random sample, without a gap from its first document.")
    recall: SampleEstimateOut = Field(
        description="Of S-CAL by its batches, 90 % interval; else by the random sample alone, 95 % interval."
    )
    relevant_in_all: SampleEstimateOut = Field(
        description="Of the collection. Of S-CAL likewise; else those found, and an estimate of the rest."
    )
    advisers: list[AdviserOut] = Field(description="Empty before a batch is labelled.")
    strata: list[StratumOut] | None = Field(description="null of CAL.")


class BatchIn(Body):
    number: int = Field(ge=1, le=32767, description="Of the next batch: `batches` and one.")
    is_sample_only: bool = Field(
        False,
        description="Only what is left of the random sample, all at once; no batch comes by itself after it.",
    )


class SampleIn(Body):
    documents: int = Field(ge=1, le=MOST_SAMPLED, description="How many more are drawn.")
    drawn: int = Field(ge=0, le=MOST_SAMPLED, description="The `sample_size` that you have read.")


class SampleOut(Schema):
    added: int


class StopIn(Body):
    """The rule that is relied on, with its target: one that advises to stop now, or none."""

    rule: Text = Field("", max_length=20, description="Its key; empty: stopped without a promise.")
    target: float | None = Field(None, ge=0, le=1)


class DiscardedReviewOut(Schema):
    documents: int = Field(description="That it had.")


class ReviewSimulationIn(Body):
    collection: int = Field(ge=1, le=32767, description="Its number.")
    sample_size: int = Field(300, ge=0, le=MOST_SAMPLED, description="Random documents of each topic.")
    seed: int | None = SEED


class RuleCostOut(Schema):
    """Means of a rule over the simulated topics."""

    title: str
    promise: str
    target: float
    topics: int
    stopped: int = Field(description="Topics in which it stopped.")
    judged: float = Field(description="Documents until then, with those of the sample.")
    recall: float
    reached: int = Field(description="Topics with at least the target recall.")


class ReviewSimulationOut(Schema):
    id: int
    collection: int = Field(alias="collection.number")
    sample_size: int
    seed: int
    topics: dict[str, int] = Field(description="Number -> relevant documents in the collection.")
    costs: list[RuleCostOut]
    made_at: datetime


class NamedReviewsForm(ReviewsForm):
    """The form of the page, in which judges are chosen by name."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        choose_by(self, "judges", "username")


def with_seed(about: ReviewsIn | ReviewSimulationIn) -> dict[str, Any]:
    return about.dict() | {"seed": secrets.randbelow(LARGEST_SEED) if about.seed is None else about.seed}


def found_review(request: HttpRequest, slug: str, number: str) -> Review:
    return review_or_404(cast(UserRequest, request), slug, number)


def state_of(review: Review) -> dict[str, Any]:
    """Return what `ReviewStateOut` says."""
    progress = progress_of(review)
    strata = None if review.cap is None else strata_of(review)
    names = "reviewed", "found", "judged", "waiting", "sample_judged"
    return {
        **ReviewOut.from_orm(review).dict(by_alias=True),
        **{name: getattr(progress, name) for name in names},
        "documents": progress.collection,
        "relevant": progress.relevant_known,
        "recall": (strata.recall if strata else progress.recall)._asdict(),
        "relevant_in_all": (strata.strata.relevant if strata else progress.relevant)._asdict(),
        "advisers": advisers_of(review, progress),
        "strata": strata.rows if strata else None,
    }


@router.get(
    "{slug}/review-collections/",
    response={200: Page[ReviewCollectionOut], **PROBLEMS},
    summary="List collections",
)
def review_collections(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The collections over which topics can be reviewed."""
    return page_of(request, collections_of(api_campaign(request, slug, Role.ORGANISER)), "number", cut)


@router.post(
    "{slug}/review-collections/",
    response={201: ReviewCollectionOut, 202: JobOut, **WRITE_PROBLEMS},
    summary="Load a collection",
)
def review_collection_load(
    request: HttpRequest, slug: PathName, file: File[UploadedFile]
) -> Status[ReviewCollection | Job]:
    """Load documents, in any format of `POST documents/`. A large file is loaded by a job: the status is 202.

    A request that is sent again with the same header `Idempotency-Key` loads no second collection.
    """
    campaign, user = api_campaign(request, slug, Role.ORGANISER), api_user(request)
    uploaded = checked(CollectionForm(None, request.FILES)).cleaned_data["file"]
    name = uploaded.name or ""
    if uploaded.size > settings.BACKGROUND_BYTES:
        title = f"Load a collection from {name}"
        return Status(202, start_job(campaign, user, tasks.load_collection, title, {"name": name}, uploaded))
    key = request_key(request)
    return Status(201, load_collection(campaign, user, reading_of(uploaded, name), name, key=key))


@router.delete(
    "{slug}/review-collections/{number}/",
    response={204: None, **WRITE_PROBLEMS},
    summary="Remove a collection",
)
def review_collection_remove(request: HttpRequest, slug: PathName, number: PathNumber) -> Status[None]:
    """Remove a collection that no review uses, with what was simulated over it."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    collection = get_object_or_404(campaign.review_collections, number=number)
    collection.campaign = campaign
    remove_collection(collection, api_user(request))
    return Status(204, None)


@router.get("{slug}/reviews/", response={200: Page[ReviewOut], **PROBLEMS}, summary="List reviews")
def reviews(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The reviews of all topics, also stopped ones."""
    return page_of(request, reviews_of(api_campaign(request, slug, Role.ORGANISER)), "id", cut)


@router.post("{slug}/reviews/", response={201: BegunReviewsOut, **WRITE_PROBLEMS}, summary="Begin reviews")
def reviews_begin(request: HttpRequest, slug: PathName, about: ReviewsIn) -> Status[dict[str, Any]]:
    """Begin a review of each topic, with the labels that the topic has. A job freezes the first batches."""
    campaign, user = api_campaign(request, slug, Role.ORGANISER), api_user(request)
    values = with_seed(about) | {"topics": " ".join(about.topics)}
    begun = begin_reviews(
        campaign, user, checked(NamedReviewsForm(form_values(values), campaign=campaign)).asked()
    )
    return Status(201, {"reviews": begun, "job": start_batches(campaign, user, begun)})


@router.get(
    "{slug}/reviews/{topic:number}/", response={200: ReviewStateOut, **PROBLEMS}, summary="State of a review"
)
def review_state(request: HttpRequest, slug: PathName, number: PathTopic) -> dict[str, Any]:
    """The last review of a topic: how far it is, the estimates, and what each stopping rule advises."""
    return state_of(found_review(request, slug, number))


@router.get(
    "{slug}/reviews/{topic:number}/documents/",
    response=PROBLEMS,
    openapi_extra=TSV,
    summary="Why each document was judged",
)
def review_documents(request: HttpRequest, slug: PathName, number: PathTopic) -> HttpResponse:
    """Every document of the reviews of a topic, and how it came to judges."""
    return provenance_response(found_review(request, slug, number))


@router.post(
    "{slug}/reviews/{topic:number}/batches/",
    response={202: JobOut, **WRITE_PROBLEMS},
    summary="Freeze the next batch",
)
def review_batch(request: HttpRequest, slug: PathName, number: PathTopic, about: BatchIn) -> Status[Job]:
    """Start the job that freezes the next batch, although labels of the last one are missing.

    Without this, the next batch comes when at most one in five documents of the last one has no label.
    """
    review = found_review(request, slug, number)
    return Status(202, start_next_batch(review, api_user(request), about.number, about.is_sample_only))


@router.post(
    "{slug}/reviews/{topic:number}/sample/",
    response={200: SampleOut, **WRITE_PROBLEMS},
    summary="Draw more random documents",
)
def review_sample(request: HttpRequest, slug: PathName, number: PathTopic, about: SampleIn) -> dict[str, int]:
    """Enlarge the random sample. Judges get its documents with the next batches."""
    review = found_review(request, slug, number)
    data = checked(SampleForm(form_values(about.dict()))).cleaned_data
    return {"added": enlarge_sample(review, api_user(request), **data)}


@router.post(
    "{slug}/reviews/{topic:number}/stop/",
    response={200: ReviewStateOut, **WRITE_PROBLEMS},
    summary="Stop a review",
)
def review_stop(request: HttpRequest, slug: PathName, number: PathTopic, about: StopIn) -> dict[str, Any]:
    """Stop a review for good. A rule that does not advise to stop now is refused."""
    review = found_review(request, slug, number)
    stop_review(review, api_user(request), about.rule, about.target)
    return state_of(review)


@router.post(
    "{slug}/reviews/{topic:number}/discard/",
    response={200: DiscardedReviewOut, **WRITE_PROBLEMS},
    summary="Discard a review",
)
def review_discard(request: HttpRequest, slug: PathName, number: PathTopic) -> dict[str, int]:
    """Delete a review without labels. Its documents leave the queues of judges."""
    return {"documents": discard_review(found_review(request, slug, number), api_user(request))}


@router.get(
    "{slug}/review-simulations/",
    response={200: Page[ReviewSimulationOut], **PROBLEMS},
    summary="List simulated reviews",
)
def review_simulations(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """What each stopping rule would have cost on topics with labels."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    rows = ReviewSimulation.objects.filter(campaign=campaign).select_related("collection")
    return page_of(request, rows, "id", cut)


@router.post(
    "{slug}/review-simulations/", response={202: JobOut, **WRITE_PROBLEMS}, summary="Simulate reviews"
)
def review_simulate(request: HttpRequest, slug: PathName, about: ReviewSimulationIn) -> Status[Job]:
    """Start the job that simulates reviews of the topics with labels."""
    campaign, user = api_campaign(request, slug, Role.ORGANISER), api_user(request)
    form = checked(SimulationForm(form_values(with_seed(about)), campaign=campaign))
    title, key = "Simulate reviews of topics with labels", request_key(request)
    return Status(202, start_job(campaign, user, tasks.simulate_reviews, title, form.about(), key=key))
