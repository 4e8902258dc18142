"""High recall: collections, and reviews that are to find all relevant documents of a topic."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from accounts.requests import UserRequest, get_or_post, post_from, request_key
from assess.active_learning import tasks
from assess.active_learning.costs import LEAST_RELEVANT
from assess.active_learning.forms import (
    BatchForm,
    CollectionForm,
    ReviewsForm,
    SampleForm,
    SimulationForm,
    StopForm,
)
from assess.active_learning.gain_plot import gain_plot
from assess.active_learning.progress import ALL_LABELLED, LAST, ReviewProgress, advice_in_words, title_of
from assess.active_learning.queries.collections import (
    collections_of,
    collections_with_files,
    why_not_removed,
)
from assess.active_learning.queries.labels import topics_to_simulate
from assess.active_learning.queries.releases import review_facts
from assess.active_learning.queries.reviews import (
    COLUMNS,
    advisers_of,
    earlier_reviews,
    pools_of,
    progress_of,
    provenance_of,
    reviews_of,
    strata_of,
    why_not_discarded,
)
from assess.active_learning.sample_outlook import PROMISED, Outlook, sample_outlook
from assess.active_learning.services.collections import (
    RemovalRefused,
    load_collection,
    reading_of,
    remove_collection,
    said_of,
)
from assess.active_learning.services.reviews import (
    ReviewRefused,
    begin_reviews,
    discard_review,
    enlarge_sample,
    start_batches,
    start_next_batch,
    stop_review,
)
from assess.active_learning.statements import recall_of
from assess.active_learning.stopping import ASKED_ONCE
from assess.models import Review
from pooling.formats.files import BadFile
from pooling.models import Campaign, Job, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.services.jobs import start_job
from pooling.spreadsheet import Table
from pooling.views.confirmation import confirmation_page, is_confirmed
from pooling.words import counted

FAILED_SHOWN = 3
STORED = "stored documents"  # the name of a collection of these
SAMPLES = (100, 300, 1_000)  # sizes of random samples that the form compares
ASKED_ONCE_ONLY = (
    "This promise holds if you asked the rule once for each size of the random sample, at a moment that you"
    " had fixed, such as when the sample was complete. If you looked after several batches until it said"
    " stop, the release would promise too much."
)
TARGETS = (0.7, 0.8, 0.9, 0.95)  # recalls for which S-CAL names the batch at whose end they are reached


@get_or_post
def review_list(request: UserRequest, slug: str) -> HttpResponse:
    """Show collections and reviews. A POST begins reviews, and the job that freezes their first batches."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = ReviewsForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        try:
            reviews = begin_reviews(campaign, request.user, form.asked())
        except ReviewRefused as error:
            form.add_error("topics", str(error))
        else:
            start_batches(campaign, request.user, reviews)
            said = counted(len(reviews), "review")
            messages.success(request, f"{said} begun. The first batch is chosen in a moment.")
            return redirect("assess:review_list", slug)
    first = collections_with_files(campaign).first()
    sizes = [size for size in SAMPLES if first and size <= first.document_count]
    context = {
        "campaign": campaign,
        "form": form,
        "collections": collections_of(campaign),
        "has_files": first is not None,
        "stored_documents": campaign.documents.count(),
        "offered": first,
        "outlook": sample_outlook(first.document_count, sizes) if first and sizes else [],
        "outlook_sizes": sizes,
        "promised": PROMISED,
        "reviews": reviews_of(campaign),
        "can_simulate": topics_to_simulate(campaign).exists(),
        "invited": campaign.invitations.open().filter(role=Role.JUDGE).count(),
        "jobs": jobs_of(campaign),
    }
    return render(request, "assess/active_learning/review_list.html", context)


def jobs_of(campaign: Campaign) -> list[Job]:
    """Return the unfinished jobs of reviews, and the last ones that failed."""
    kinds = tasks.load_collection, tasks.freeze_batches, tasks.simulate_reviews
    paths = [kind.module_path for kind in kinds]
    jobs = campaign.jobs.filter(task__in=paths).select_related("user")
    shown = [*jobs.filter(state__in=Job.UNFINISHED), *jobs.filter(state=Job.State.FAILED)[:FAILED_SHOWN]]
    for job in shown:
        job.campaign = campaign
    return shown


@get_or_post
def collection_load(request: UserRequest, slug: str) -> HttpResponse:
    """Ask for a file of documents. A POST stores a small one as a collection; a job loads a large one."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form, refused = CollectionForm(request.POST or None, request.FILES or None), None
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        name = file.name or ""
        if file.size > settings.BACKGROUND_BYTES:
            title = f"Load a collection from {name}"
            start_job(campaign, request.user, tasks.load_collection, title, {"name": name}, file)
            return redirect("assess:review_list", slug)
        try:
            key = request_key(request)
            collection = load_collection(campaign, request.user, reading_of(file, name), name, key=key)
        except BadFile as error:
            refused = error
        else:
            messages.success(request, said_of(collection))
            return redirect("assess:review_list", slug)
    context = {
        "campaign": campaign,
        "form": form,
        "refused": refused,
        "stored_documents": campaign.documents.count(),
    }
    return render(request, "assess/active_learning/collection_load.html", context)


@require_POST
def collection_of_stored(request: UserRequest, slug: str) -> HttpResponse:
    """Start the job that makes a collection of the documents that are stored for judges."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    title, about = f"Make a collection of the {STORED}", {"name": STORED}
    start_job(campaign, request.user, tasks.load_collection, title, about, key=request_key(request))
    return redirect("assess:review_list", slug)


@post_from("assess:review_list")
def collection_remove(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Ask, then delete a collection that no review uses."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    collection = get_object_or_404(campaign.review_collections.select_related("loaded_by"), number=number)
    collection.campaign = campaign
    if not why_not_removed(collection) and not is_confirmed(request):
        page = "assess/active_learning/confirm/collection_remove.html"
        simulations = collection.simulations.count()
        return confirmation_page(request, campaign, page, collection=collection, simulations=simulations)
    try:
        remove_collection(collection, request.user)
    except RemovalRefused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"Removed: {collection}.")
    return redirect("assess:review_list", slug)


@get_or_post
def review_costs(request: UserRequest, slug: str) -> HttpResponse:
    """Show what each rule would have cost on topics with labels. A POST starts the job that simulates it."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = SimulationForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        key, title = request_key(request), "Simulate reviews of topics with labels"
        start_job(campaign, request.user, tasks.simulate_reviews, title, form.about(), key=key)
        return redirect("assess:review_costs", slug)
    context = {
        "campaign": campaign,
        "form": form,
        "topics": topics_to_simulate(campaign).count(),
        "least": LEAST_RELEVANT,
        "has_collections": collections_with_files(campaign).exists(),
        "simulation": campaign.review_simulations.select_related("collection", "made_by").first(),
        "jobs": jobs_of(campaign),
    }
    return render(request, "assess/active_learning/review_costs.html", context)


def review_or_404(request: UserRequest, slug: str, number: str) -> Review:
    """Return the last review of a topic, with its campaign. Raises Http404 and PermissionDenied."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    reviews = campaign.reviews.select_related("topic", "collection", "begun_by", "stopped_by")
    review = reviews.filter(topic__number=number).order_by("pk").last()
    if review is None:
        raise Http404
    review.campaign = campaign
    return review


@require_GET
def review(request: UserRequest, slug: str, number: str) -> HttpResponse:
    """Show how far a review is, what its random sample says, and what each stopping rule advises."""
    review_of_topic = review_or_404(request, slug, number)
    context = about(review_of_topic, progress_of(review_of_topic)) | {
        "jobs": jobs_of(review_of_topic.campaign)
    }
    return render(request, "assess/active_learning/review.html", context)


def about(review: Review, progress: ReviewProgress) -> dict[str, Any]:
    """Return what the page of a review shows."""
    advisers = advisers_of(review, progress)
    strata = None if review.cap is None else strata_of(review)
    stops = {each.title: each.since for each in advisers if each.since is not None}
    labels = progress.labels
    return {
        "campaign": review.campaign,
        "review": review,
        "rule_title": title_of(review.rule, review.target or 0)[0] if review.rule else "",
        "progress": progress,
        "advisers": advisers,
        "advice": advice_in_words(advisers) if progress.unlabelled else ALL_LABELLED,
        "rounds": [(number, end, sum(labels[:end])) for number, end in progress.ends.items()],
        "outlook": outlook_of(review, progress),
        "outlook_sizes": [review.sample_size],
        "promised": PROMISED,
        "plot": None if strata else gain_plot(labels, progress.relevant, stops),
        "strata": strata,
        "thresholds": [(target, strata.strata.threshold(target)) for target in TARGETS] if strata else [],
        "last": min(LAST, progress.reviewed),
        "form": StopForm(advisers=advisers),
        "sample_form": SampleForm(initial={"drawn": review.sample_size}),
        "undrawn": review.collection.document_count - review.sample_size,
        "next_number": review.rounds + 1,
        "is_waiting": progress.is_waiting(review.rounds),
        "per_relevant": progress.judged / progress.relevant_known if progress.relevant_known else None,
        "outside": review.collection.document_count
        - (strata.strata.documents if strata else progress.reviewed),
        "can_be_discarded": not why_not_discarded(review),
        "earlier": [
            (each, facts := review_facts(each), recall_of(facts)) for each in earlier_reviews(review)
        ],
    }


def outlook_of(review: Review, progress: ReviewProgress) -> list[Outlook]:
    """Return what the sample of a review is expected to say, before any of it is judged."""
    if review.cap is not None or not review.sample_size or progress.sample_judged:
        return []
    return sample_outlook(review.collection.document_count, [review.sample_size])


@require_POST
def review_next(request: UserRequest, slug: str, number: str) -> HttpResponse:
    """Start the job that freezes the next batch, although labels of the last one are missing."""
    review = review_or_404(request, slug, number)
    form = BatchForm(request.POST)
    if not form.is_valid() or form.cleaned_data["number"] != review.rounds + 1:
        messages.warning(request, "The next batch was frozen in the meantime.")
        return redirect("assess:review", slug, number)
    try:
        start_next_batch(review, request.user, **form.cleaned_data)
    except ReviewRefused as error:
        messages.warning(request, str(error))
    else:
        given = (
            "Judges get the random documents"
            if form.cleaned_data["is_sample_only"]
            else "The next batch is chosen"
        )
        messages.success(request, f"{given} in a moment.")
    return redirect("assess:review", slug, number)


@post_from("assess:review", "number")
def review_sample(request: UserRequest, slug: str, number: str) -> HttpResponse:
    """Add random documents to the sample of a review. A POST that cannot be read shows the page again."""
    review = review_or_404(request, slug, number)
    form = SampleForm(request.POST)
    if not form.is_valid():
        context = about(review, progress_of(review)) | {"sample_form": form}
        return render(request, "assess/active_learning/review.html", context)
    try:
        added = enlarge_sample(review, request.user, **form.cleaned_data)
    except ReviewRefused as error:
        messages.warning(request, str(error))
    else:
        given = counted(added, "random document")
        messages.success(request, f"{given} drawn. Judges get them with the next batches, or all at once.")
    return redirect("assess:review", slug, number)


@post_from("assess:review", "number")
def review_stop(request: UserRequest, slug: str, number: str) -> HttpResponse:
    """Ask, then stop a review for good."""
    review = review_or_404(request, slug, number)
    progress = progress_of(review)
    form = StopForm(request.POST, advisers=advisers_of(review, progress))
    if not form.is_valid():
        messages.warning(request, "This rule does not advise to stop now, so its promise does not hold.")
        return redirect("assess:review", slug, number)
    chosen = form.chosen()
    if not review.stopped_at and not is_confirmed(request):
        page = "assess/active_learning/confirm/review_stop.html"
        warnings = [ASKED_ONCE_ONLY] if chosen and ASKED_ONCE in chosen.promise else []
        return confirmation_page(
            request, review.campaign, page, review=review, chosen=chosen, progress=progress, warnings=warnings
        )
    try:
        rule = (chosen.key, chosen.target) if chosen else ("", None)
        stop_review(review, request.user, *rule)
    except ReviewRefused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"{review} is stopped. Judges get no more batches.")
    return redirect("assess:review", slug, number)


@post_from("assess:review", "number")
def review_discard(request: UserRequest, slug: str, number: str) -> HttpResponse:
    """Ask, then delete a review without labels."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    review = review_or_404(request, slug, number)
    if not why_not_discarded(review) and not is_confirmed(request):
        page = "assess/active_learning/confirm/review_discard.html"
        context = {"review": review, "documents": review.documents.count(), "pools": list(pools_of(review))}
        return confirmation_page(request, campaign, page, **context)
    try:
        documents = discard_review(review, request.user)
    except ReviewRefused as error:
        messages.warning(request, str(error))
    else:
        given = counted(documents, "document")
        messages.success(request, f"{review} is discarded, with {given}. The topic can be reviewed again.")
    return redirect("assess:review_list", slug)


@require_GET
def review_file(request: UserRequest, slug: str, number: str) -> HttpResponse:
    """Send why each document of the reviews of a topic was judged: a line for each."""
    return provenance_response(review_or_404(request, slug, number))


def provenance_response(review: Review) -> HttpResponse:
    """Return why each document of the reviews of a topic was judged, as TSV. review: the last of them."""
    name = f"{review.campaign.slug}-review-{review.topic.number}.tsv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    response = HttpResponse(content_type="text/tab-separated-values; charset=utf-8", headers=headers)
    table = Table(response, delimiter="\t", lineterminator="\n")
    table.writerow((*COLUMNS, "review"))
    for place, each in enumerate([*earlier_reviews(review), review], start=1):
        table.writerows(map(_written, (*row, place)) for row in provenance_of(each))
    return response


def _written(value: object) -> str:
    """Return a value of a TSV file; nothing for None."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6f}"
    return f"{int(value)}" if isinstance(value, bool) else f"{value}"
