"""Near duplicates: the organiser's classes, and the near copies of a document on the judging screen."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.requests import UserRequest, get_or_post, request_key
from assess.models import DuplicateClass, DuplicateClassification, QueueEntry
from assess.near_duplicates import tasks
from assess.near_duplicates.forms import DraftForm, NearDuplicatesForm, SplitForm
from assess.near_duplicates.queries.cards import near_copies as near_copies_of
from assess.near_duplicates.queries.classes import (
    class_counts,
    class_in,
    class_rows,
    classes_in,
    classification_of,
    compared_members,
    count_compared,
    doubtful_classes,
    why_not_discarded,
    why_not_found,
)
from assess.near_duplicates.queries.propagation import current_errors
from assess.near_duplicates.services import (
    NearDuplicatesRefused,
    Settings,
    discard_classes,
    find_classes,
    freeze_classes,
    split_member,
)
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judging import entry_in
from pooling.models import Campaign, Job, Role
from pooling.queries.campaigns import campaign_or_404, unfinished_jobs
from pooling.services.jobs import start_job

CLASSES_A_PAGE = 50
MOST_COPIES = 20  # whose differing words a judge sees at once
BACKGROUND_DOCUMENTS = 5_000  # of a campaign: more are compared outside the request
COLUMNS = "topic", "representative", "docno", "similarity", "state"


@get_or_post
def near_duplicates(request: UserRequest, slug: str) -> HttpResponse:
    """Show the classes of a campaign. A POST finds them, or begins a job that does for a large campaign."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    classification = classification_of(campaign)
    before = (
        {name: classification.parameters[name] for name in ("threshold", "share")} if classification else {}
    )
    form = NearDuplicatesForm(request.POST or None, initial=before)
    if request.method == "POST" and form.is_valid():
        try:
            started = find_or_start(request, campaign, form.chosen())
        except NearDuplicatesRefused as error:
            messages.warning(request, str(error))
        else:
            if isinstance(started, DuplicateClassification):
                count = started.classes.count()
                said = f"{count:,} class{pluralize(count, 'es')} found. Nothing has changed for judges."
                messages.success(request, said)
        return redirect("assess:near_duplicates", slug)
    context = {
        "campaign": campaign,
        "form": form,
        "obstacle": why_not_found(campaign),
        "classification": classification,
        "jobs": unfinished_jobs(campaign, tasks.find_near_duplicates),
    }
    if classification:
        context |= _about(request, campaign, classification)
    return render(request, "assess/near_duplicates/near_duplicates.html", context)


def find_or_start(
    request: UserRequest, campaign: Campaign, chosen: Settings
) -> DuplicateClassification | Job:
    """Find the classes, or start the job that does. Raises NearDuplicatesRefused."""
    if why := why_not_found(campaign):
        raise NearDuplicatesRefused(why)
    documents = count_compared(campaign)
    if documents <= BACKGROUND_DOCUMENTS:
        return find_classes(campaign, request.user, chosen)
    about = {"settings": chosen._asdict(), "documents": documents}
    title, key = "Find near duplicates", request_key(request)
    return start_job(campaign, request.user, tasks.find_near_duplicates, title, about, key=key)


def _about(
    request: UserRequest, campaign: Campaign, classification: DuplicateClassification
) -> dict[str, Any]:
    pages = Paginator(classes_in(classification), CLASSES_A_PAGE)
    frozen = classification.frozen_at is not None
    return {
        "counts": class_counts(classification),
        "doubtful": doubtful_classes(classification)[:CLASSES_A_PAGE],
        "doubtful_count": doubtful_classes(classification).count(),
        "page": pages.get_page(request.GET.get("page")),
        "errors": current_errors(CampaignReads(campaign)) if frozen else None,
        "why_not_discarded": why_not_discarded(classification),
    }


@require_POST
def near_duplicates_freeze(request: UserRequest, slug: str) -> HttpResponse:
    """Freeze the draft: judges no longer get the documents for which others stand."""
    campaign, form = campaign_or_404(request.user, slug, Role.ORGANISER), DraftForm(request.POST)
    try:
        frozen = freeze_classes(
            campaign, request.user, form.cleaned_data["sha256"] if form.is_valid() else ""
        )
    except NearDuplicatesRefused as error:
        messages.warning(request, str(error))
    else:
        count = class_counts(frozen).withheld
        messages.success(
            request, f"The classes are frozen. Judges do not get {count:,} document{pluralize(count)}."
        )
    return redirect("assess:near_duplicates", slug)


@require_POST
def near_duplicates_discard(request: UserRequest, slug: str) -> HttpResponse:
    """Delete the classes, as long as judging has not begun with them."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    try:
        discard_classes(campaign, request.user)
    except NearDuplicatesRefused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, "The classes are discarded. Judges get every document.")
    return redirect("assess:near_duplicates", slug)


@require_GET
def near_duplicates_tsv(request: UserRequest, slug: str) -> HttpResponse:
    """Send every class: a line for each of its documents."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    classification = classification_of(campaign)
    if classification is None:
        raise Http404
    rows = [COLUMNS, *class_rows(classification)]
    content = "".join("\t".join(map(str, row)) + "\n" for row in rows)
    headers = {"Content-Disposition": f'attachment; filename="{slug}-near-duplicates.tsv"'}
    return HttpResponse(content, "text/tab-separated-values; charset=utf-8", headers=headers)


def class_or_404(request: UserRequest, slug: str, pk: int) -> tuple[Campaign, DuplicateClass]:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    classification = classification_of(campaign)
    duplicate_class = classification and class_in(classification, pk)
    if not duplicate_class:
        raise Http404
    return campaign, duplicate_class


@require_GET
def near_duplicate_class(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Show the documents of a class, with the words in which they differ from the representative."""
    campaign, duplicate_class = class_or_404(request, slug, pk)
    pages = Paginator(duplicate_class.members.select_related("pooled", "split__by"), CLASSES_A_PAGE)
    page = pages.get_page(request.GET.get("page"))
    context = {
        "campaign": campaign,
        "class": duplicate_class,
        "page": page,
        "members": compared_members(campaign, duplicate_class.representative.docno, list(page)),
    }
    return render(request, "assess/near_duplicates/near_duplicate_class.html", context)


@require_POST
def near_duplicate_split(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Split a document from its class, as an organiser."""
    _, duplicate_class = class_or_404(request, slug, pk)
    form = SplitForm(request.POST)
    docno = form.cleaned_data["docno"] if form.is_valid() else ""
    member = get_object_or_404(
        duplicate_class.members.select_related("pooled__topic__campaign"), pooled__docno=docno
    )
    split_member(member, request.user)
    messages.success(request, f"{docno} is judged by itself.")
    return redirect("assess:near_duplicate_class", slug, pk)


def _entry_or_404(request: UserRequest, slug: str, pk: int) -> tuple[Campaign, QueueEntry]:
    """Return an entry of the judge's own queue."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    entry = entry_in(campaign, request.user, pk)
    if not entry:
        raise Http404
    return campaign, entry


def _shown_copies(
    request: UserRequest, campaign: Campaign, entry: QueueEntry, split: str = ""
) -> HttpResponse:
    members = near_copies_of(entry)
    context = {
        "campaign": campaign,
        "entry": entry,
        "copies": compared_members(campaign, entry.pooled.docno, members[:MOST_COPIES]),
        "more": len(members[MOST_COPIES:]),
        "split": split,
    }
    return render(request, "assess/near_duplicates/_near_copies.html", context)


@never_cache
@require_GET
def near_copies(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """List the documents that get the same label as this one, with the words in which they differ."""
    return _shown_copies(request, *_entry_or_404(request, slug, pk))


@require_POST
def near_copy_split(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Split a near copy from the document on screen: the judge says that they differ."""
    campaign, entry = _entry_or_404(request, slug, pk)
    form = SplitForm(request.POST)
    docno = form.cleaned_data["docno"] if form.is_valid() else ""
    member = next((each for each in near_copies_of(entry) if each.pooled.docno == docno), None)
    if member is None or not campaign.is_open:
        raise Http404
    split_member(member, request.user)
    return _shown_copies(request, campaign, entry, docno)
