"""The adjudication page: the queue of cases, the open case, and the effect of settled grades."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.requests import UserRequest, post_from
from assess.adjudication import CHANGED
from assess.document.evidence import EvidenceView, evidence_paragraphs, evidence_view
from assess.document.highlighting import find_terms
from assess.forms.adjudication import AskAgainForm, DisputesForm, ReopenForm, SettleForm
from assess.models import AdjudicationClaim, AdjudicationEvent
from assess.queries.adjudication import (
    DisputeCard,
    changed_in,
    claim_on,
    claimed_cases,
    claims_of_others,
    dispute_in,
    dispute_lines,
    dispute_queue,
    settled_effect,
    settled_seen_by,
)
from assess.queries.campaign_reads import CampaignReads
from assess.queries.queues import highlighted_terms, judging_plan_of
from assess.services import adjudications as adjudication_services
from assess.services import queues as queue_services
from assess.services.adjudications import NotSettled, claim_case, claim_first, reopen_case, require_reasons
from assess.services.queues import NotAsked
from assess.views.payloads import error_text
from pooling.formats.images import ShownImage
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.queries.images import images_by_docno, topic_images

CASES_AHEAD = 3  # claimed cases on the page, with the one on screen
KEY_ACTIONS = {  # actions with a key besides the grades; keymap.js has the defaults
    "undo": "Undo the last decision",
    "later": "Skip: next document",
    "take": "Take the document",
    "comment": "Reason for the decision",
    "next-hit": "Next highlighted word",
    "previous-hit": "Previous highlighted word",
    "densest-hit": "Densest passage",
    "marks": "Highlighting: switch it on or off",
    "whole": "Whole document: hide the labels, or show them",
    "page-down": "Page down",
    "keys": "List of keys",
}
LINES = 60  # cases of the queue on the page
SETTLED_LINES = 30


@never_cache
@require_GET
def adjudication(request: UserRequest, slug: str) -> HttpResponse:
    """Show the queue with the requested case, or the case claimed by the adjudicator. Claims nothing."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    reads = CampaignReads(campaign)
    form = DisputesForm(request.GET, campaign=campaign)
    queue = dispute_queue(campaign, request.user, form.wanted(), form.chosen_topic)
    claimed = claimed_cases(campaign, request.user)
    mine = [pk for pk in queue if pk in claimed]
    shown = requested_key(request, "document") or (mine[0] if mine else 0)
    card = dispute_or_404(request, reads, shown) if shown else None
    ahead = [dispute_or_404(request, reads, pk) for pk in mine if pk != shown] if shown in claimed else []
    context = {
        "campaign": campaign,
        "reads": reads,
        "form": form,
        "query": form.query(),
        "case": case_of(request, card) if card else None,
        "cases": [case_of(request, each) for each in ahead],
        "uuid": uuid.uuid4(),
        "actions": KEY_ACTIONS.items(),
        **queue_context(request, reads, form, queue, card),
    }
    return render(request, "assess/adjudication.html", context)


@post_from("assess:adjudication")
def claim(request: UserRequest, slug: str) -> HttpResponse:
    """Claim the requested case, or the next one that no other adjudicator has claimed, and show it."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    if requested := requested_key(request, "document"):
        card = dispute_or_404(request, CampaignReads(campaign), requested)
        if not card.settled:
            claim_case(card.pooled, request.user)
        return redirect_to_page(request, campaign, requested)
    claim_next(request, campaign)
    return redirect_to_page(request, campaign)


def claim_next(request: UserRequest, campaign: Campaign) -> None:
    """Claim the first case that no other adjudicator has claimed, searching from the document `next`."""
    form = DisputesForm(request.GET, campaign=campaign)
    queue = dispute_queue(campaign, request.user, form.wanted(), form.chosen_topic)
    after = requested_key(request, "next")
    start = queue.index(after) if after in queue else 0
    claim_first(campaign, request.user, queue[start:] + queue[:start])


def requested_key(request: UserRequest, name: str) -> int:
    """Return the key in a query parameter, or 0, which no row has, if it is missing or invalid."""
    value = request.GET.get(name, "")
    return int(value) if value.isdecimal() and len(value) <= 18 else 0


def dispute_or_404(request: UserRequest, reads: CampaignReads, pk: int) -> DisputeCard:
    card = dispute_in(reads, request.user, pk)
    if not card:
        raise Http404
    return card


class ShownCase(NamedTuple):
    """A case as the page shows it. mine: this adjudicator has claimed it. undone: the revoked decision."""

    card: DisputeCard
    view: EvidenceView
    claim: AdjudicationClaim | None
    mine: bool
    undone: AdjudicationEvent | None
    images: Sequence[ShownImage]
    topic_images: Sequence[ShownImage]


def case_of(request: UserRequest, card: DisputeCard) -> ShownCase:
    claim = None if card.settled else claim_on(card.pooled)
    title = card.document.title if card.document else ""
    terms = highlighted_terms(card.pooled.topic)
    view = evidence_view(card.text, card.evidence(), terms, title, card.title_evidence())
    mine = bool(claim and claim.by_id == request.user.pk)
    topic, docno = card.pooled.topic, card.pooled.docno
    images = images_by_docno(topic.campaign, [docno]).get(docno, ())
    return ShownCase(card, view, claim, mine, card.undone_by(request.user), images, topic_images(topic))


def queue_context(
    request: UserRequest,
    reads: CampaignReads,
    form: DisputesForm,
    queue: list[int],
    card: DisputeCard | None,
) -> dict[str, Any]:
    """Return the context of the queue: its lines, the position, the next case and the settled ones."""
    campaign = form.campaign
    place = queue.index(card.pooled.pk) if card and card.pooled.pk in queue else -1
    start = max(0, min(place - LINES // 2, len(queue) - LINES))
    settled = settled_seen_by(campaign, request.user)
    changed = list(changed_in(settled).values_list("pooled", flat=True))
    claimed = set(claims_of_others(campaign, request.user).values_list("pooled", flat=True))
    only_changed = form.wanted().show == CHANGED
    listed = changed_in(settled) if only_changed else settled
    if only_changed and form.chosen_topic:
        listed = listed.filter(pooled__topic=form.chosen_topic)
    newest = list(listed.values_list("pooled", flat=True)[:SETTLED_LINES])
    return {
        "shown": card.pooled.pk if card else 0,
        "lines": dispute_lines(reads, queue[start : start + LINES]),
        "place": place + 1,
        "queue_length": len(queue),
        "next": queue[(place + 1) % len(queue)] if queue else 0,
        "claimed": claimed,
        "free": sum(pk not in claimed for pk in queue),
        "settled_lines": dispute_lines(reads, newest, changed),
        "changed_count": len(changed),
        "only_changed": only_changed,
        "settled_count": settled.count(),
        "last": settled.filter(by=request.user).first(),
        "effect": settled_effect(reads),
        "plan": judging_plan_of(campaign),
    }


def redirect_to_page(request: UserRequest, campaign: Campaign, document: int = 0) -> HttpResponseRedirect:
    """Redirect to the page with the same filters. document: the case to show instead of the claimed one."""
    form = DisputesForm(request.GET, campaign=campaign)
    query = "&".join(filter(None, [form.query(), f"document={document}" if document else ""]))
    return redirect(f"{reverse('assess:adjudication', args=[campaign.slug])}{'?' if query else ''}{query}")


@post_from("assess:adjudication")
def settle(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Settle a grade and claim the next case. If it is refused, show the case again with the reason."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    card = dispute_or_404(request, CampaignReads(campaign), pk)
    form = SettleForm(request.POST, campaign=campaign)
    if not form.is_valid():
        messages.warning(request, " ".join(form.complaints))
        return redirect_to_page(request, campaign, pk)
    try:
        adjudication_services.settle(card.pooled, request.user, form.settlement())
    except NotSettled as error:
        messages.warning(request, str(error))
        return redirect_to_page(request, campaign, pk)
    claim_next(request, campaign)
    return redirect_to_page(request, campaign)


@post_from("assess:adjudication")
def reopen(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Revoke a settled grade, claim the case and show it."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    card = dispute_or_404(request, CampaignReads(campaign), pk)
    form = ReopenForm(request.POST)
    if not form.is_valid():
        messages.warning(
            request,
            "The request does not name a settled grade. Nothing was changed. Reload the page and try again.",
        )
    else:
        try:
            reopen_case(card.pooled, request.user, **form.cleaned_data)
            claim_case(card.pooled, request.user)
        except NotSettled as error:
            messages.warning(request, str(error))
    return redirect_to_page(request, campaign, pk)


@post_from("assess:adjudication")
def ask_again(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Send a label back to its judge with a remark, and claim the next case."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    card = dispute_or_404(request, CampaignReads(campaign), pk)
    form = AskAgainForm(request.POST)
    if not form.is_valid():
        messages.warning(request, error_text(form))
        return redirect_to_page(request, campaign, pk)
    try:
        queue_services.ask_again(card.pooled, adjudicator=request.user, **form.cleaned_data)
    except NotAsked as error:
        messages.warning(request, str(error))
        return redirect_to_page(request, campaign, pk)
    messages.success(
        request, f"The judge gets {card.pooled.docno} again, with your remark. The label counts no more."
    )
    claim_next(request, campaign)
    return redirect_to_page(request, campaign)


@require_GET
def dispute_part(request: UserRequest, slug: str, pk: int, part: int) -> HttpResponse:
    """Return a later part of a long document, loaded when the reader scrolls to it."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    card = dispute_or_404(request, CampaignReads(campaign), pk)
    try:
        hits = find_terms(card.text, highlighted_terms(card.pooled.topic))
        paragraphs = list(evidence_paragraphs(card.text, card.evidence(), hits, part))
    except IndexError as error:
        raise Http404 from error
    context = {"campaign": campaign, "card": card, "part": part, "paragraphs": paragraphs}
    return render(request, "assess/parts/_dispute_part.html", context)


@require_POST
def adjudication_reasons(request: UserRequest, slug: str) -> HttpResponse:
    """Set whether adjudicators must give a reason."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    require_reasons(campaign, request.POST.get("required") == "on", request.user)
    messages.success(request, "The adjudication setting is saved.")
    return redirect("assess:adjudication", slug)
