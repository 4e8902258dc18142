"""The outbox of the adjudication page: decisions come in, cases that the adjudicator has claimed go out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_POST

from accounts.models import User
from accounts.requests import UserRequest
from assess.forms.adjudication import DisputesForm, RevokeForm, SettleForm
from assess.forms.judging import OutboxPayload
from assess.queries.adjudication import dispute_in, dispute_queue, unsettled_among
from assess.queries.campaign_reads import CampaignReads
from assess.services.adjudications import claim_ahead, is_recorded, revoke_decision, settle
from assess.views.adjudication import CASES_AHEAD, case_of, dispute_or_404, queue_context
from assess.views.payloads import entry_of, error_text, problems_of, read_payload
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.refusals import Refused


@require_POST
def decisions(request: UserRequest, slug: str) -> HttpResponse:
    """Store the decisions that an adjudication page sends. Return its next cases and the present queue."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    payload = read_payload(request)
    if isinstance(payload, HttpResponse):
        return payload
    problems = problems_of(payload, lambda fields: submit_decision(campaign, request.user, fields))
    context = {
        "campaign": campaign,
        "user": request.user,
        "problems": problems,
        **(next_cases(request, campaign, payload) if payload.want else {}),
    }
    return render(request, "assess/parts/_decisions.html", context)


def submit_decision(campaign: Campaign, adjudicator: User, fields: Mapping[str, Any]) -> str:
    """Store one decision, or revoke one. Return a problem, which names the document, or ""."""
    docno = str(fields.get("docno", ""))[:200]
    card = dispute_in(CampaignReads(campaign), adjudicator, entry_of(fields))
    if not card:
        return f"{docno}: This document is not in dispute any more. Nothing was settled."
    form = RevokeForm(fields) if "revokes" in fields else SettleForm(fields, campaign=campaign)
    if not form.is_valid():
        return f"{docno}: {error_text(form)}"
    try:
        if isinstance(form, RevokeForm):
            data = form.cleaned_data
            revoke_decision(card.pooled, adjudicator, data["uuid"], data["revokes"])
        elif not is_recorded(card.pooled, adjudicator, form.settlement()):
            settle(card.pooled, adjudicator, form.settlement())
    except Refused as error:
        return str(error) if docno and docno in str(error) else f"{docno}: {error}"
    return ""


def next_cases(request: UserRequest, campaign: Campaign, payload: OutboxPayload) -> dict[str, Any]:
    """Claim the next cases for the page; return them, the cases that it must remove, and the queue."""
    form = DisputesForm(QueryDict(payload.query), campaign=campaign)
    queue = dispute_queue(campaign, request.user, form.wanted(), form.chosen_topic)
    have = unsettled_among(campaign, request.user, payload.have)
    start = queue.index(have[-1]) + 1 if have and have[-1] in queue else 0
    count, stopped = min(payload.want, CASES_AHEAD), ""
    try:
        claimed = claim_ahead(campaign, request.user, have, queue[start:] + queue[:start], count)
    except Refused as error:
        claimed, stopped = have, str(error)
    reads = CampaignReads(campaign)  # after the decisions are stored
    cards = [dispute_or_404(request, reads, pk) for pk in claimed if pk not in payload.have]
    shown = dispute_in(reads, request.user, claimed[0]) if claimed else None
    return {
        "stopped": stopped,
        "closed": [pk for pk in payload.have if pk not in claimed],
        "cases": [case_of(request, card) for card in cards],
        "query": form.query(),
        **queue_context(request, reads, form, queue, shown),
    }
