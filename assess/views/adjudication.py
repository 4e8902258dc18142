"""The adjudication page: the queue of cases, the open case, and the effect of settled grades."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.requests import UserRequest
from assess.document.evidence import evidence_paragraphs
from assess.document.text import text_parts
from assess.forms.adjudication import DisputesForm, ReopenForm, SettleForm
from assess.queries.adjudication import (
    DisputeCard,
    claim_on,
    claimed_case,
    claims_of_others,
    dispute_in,
    dispute_lines,
    dispute_queue,
    settled_effect,
    settled_seen_by,
)
from assess.queries.queues import plan_of
from assess.services import adjudications as adjudication_services
from assess.services.adjudications import NotSettled, claim_case, claim_first, reopen_case, require_reasons
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404

LINES = 60  # cases of the queue on the page
SETTLED_LINES = 30


@never_cache
@require_GET
def adjudication(request: UserRequest, slug: str) -> HttpResponse:
    """Show the queue with the requested case, or the case claimed by the adjudicator. Claims nothing."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    form = DisputesForm(request.GET, campaign=campaign)
    queue = dispute_queue(campaign, request.user, form.wanted(), form.chosen_topic)
    shown = requested_key(request, "document")
    if not shown and (claimed := claimed_case(campaign, request.user)) in queue:
        shown = claimed
    card = dispute_or_404(request, campaign, shown) if shown else None
    context = {
        "campaign": campaign,
        "form": form,
        **case_context(request, card),
        **queue_context(request, campaign, queue, card),
    }
    return render(request, "assess/adjudication.html", context)


@require_POST
def claim(request: UserRequest, slug: str) -> HttpResponse:
    """Claim the requested case, or the next one that no other adjudicator has claimed, and show it."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    if requested := requested_key(request, "document"):
        card = dispute_or_404(request, campaign, requested)
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


def dispute_or_404(request: UserRequest, campaign: Campaign, pk: int) -> DisputeCard:
    card = dispute_in(campaign, request.user, pk)
    if not card:
        raise Http404
    return card


def case_context(request: UserRequest, card: DisputeCard | None) -> dict[str, Any]:
    """Return the context of the open case, with its claim."""
    if not card:
        return {"card": None}
    claim = None if card.settled else claim_on(card.pooled)
    cuts = text_parts(card.text)
    return {
        "card": card,
        "claim": claim,
        "mine": bool(claim and claim.by_id == request.user.pk),
        "paragraphs": list(evidence_paragraphs(card.text, card.evidence())),
        "waiting": range(1, len(cuts)),
        "uuid": uuid.uuid4(),
    }


def queue_context(
    request: UserRequest, campaign: Campaign, queue: list[int], card: DisputeCard | None
) -> dict[str, Any]:
    """Return the context of the queue: its lines, the position, the next case and the settled ones."""
    place = queue.index(card.pooled.pk) if card and card.pooled.pk in queue else -1
    start = max(0, min(place - LINES // 2, len(queue) - LINES))
    settled = settled_seen_by(campaign, request.user)
    claimed = set(claims_of_others(campaign, request.user).values_list("pooled", flat=True))
    newest = list(settled.values_list("pooled", flat=True)[:SETTLED_LINES])
    return {
        "lines": dispute_lines(campaign, queue[start : start + LINES]),
        "place": place + 1,
        "queue_length": len(queue),
        "next": queue[(place + 1) % len(queue)] if queue else 0,
        "claimed": claimed,
        "free": sum(pk not in claimed for pk in queue),
        "settled_lines": dispute_lines(campaign, newest),
        "settled_count": settled.count(),
        "last": settled.filter(by=request.user).first(),
        "effect": settled_effect(campaign),
        "plan": plan_of(campaign),
    }


def redirect_to_page(request: UserRequest, campaign: Campaign, document: int = 0) -> HttpResponseRedirect:
    """Redirect to the page with the same filters. document: the case to show instead of the claimed one."""
    form = DisputesForm(request.GET, campaign=campaign)
    query = "&".join(filter(None, [form.query(), f"document={document}" if document else ""]))
    return redirect(f"{reverse('assess:adjudication', args=[campaign.slug])}{'?' if query else ''}{query}")


@require_POST
def settle(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Settle a grade and claim the next case. If it is refused, show the case again with the reason."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    card = dispute_or_404(request, campaign, pk)
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


@require_POST
def reopen(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Revoke a settled grade, claim the case and show it."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    card = dispute_or_404(request, campaign, pk)
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


@require_GET
def dispute_part(request: UserRequest, slug: str, pk: int, part: int) -> HttpResponse:
    """Return a later part of a long document, loaded when the reader scrolls to it."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    card = dispute_or_404(request, campaign, pk)
    try:
        paragraphs = list(evidence_paragraphs(card.text, card.evidence(), part))
    except IndexError as error:
        raise Http404 from error
    context = {"campaign": campaign, "card": card, "part": part, "paragraphs": paragraphs}
    return render(request, "assess/_dispute_part.html", context)


@require_POST
def adjudication_reasons(request: UserRequest, slug: str) -> HttpResponse:
    """Set whether adjudicators must give a reason."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    require_reasons(campaign, request.POST.get("required") == "on", request.user)
    messages.success(request, "The adjudication setting is saved.")
    return redirect("assess:adjudication", slug)
