"""Send the requests of a labelling to an endpoint: the form, what it will cost, and what came of it."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import pluralize
from django.urls import reverse

from accounts.requests import UserRequest, get_or_post, post_from
from assess.machines import tasks
from assess.machines.forms import AskingForm
from assess.machines.parameter_fallbacks import in_words
from assess.machines.queries.endpoints import jobs_of, limits_of, plan, spent
from assess.machines.queries.requests import counts
from assess.machines.services.endpoints import (
    PERMISSION,
    AskingDetails,
    check_asking,
    send_again,
    start_asking,
)
from assess.machines.spending import Limits
from assess.machines.views.labellings import labelling_or_404
from assess.models import MachineLabelling, MachineRequest
from pooling.models import Job
from pooling.refusals import Refused
from pooling.views.confirmation import confirmation_page, is_confirmed

State = MachineRequest.State


@get_or_post
def labelling_endpoint(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show the form, limits and jobs of a labelling. A POST starts a job, after a page with its cost."""
    campaign, labelling = labelling_or_404(request, slug, number)
    form = AskingForm(request.POST or None, labelling=labelling)
    if request.method == "POST" and form.is_valid():
        details = form.details()
        try:
            check_asking(labelling, request.user, details)
            if not is_confirmed(request):
                return start_confirmation(request, labelling, details)
            start_asking(labelling, request.user, details, tasks.ask_endpoint)
            return redirect("assess:labelling_endpoint", slug, number)
        except Refused as error:
            form.add_error(None, str(error))
    jobs = jobs_of(labelling, tasks.ask_endpoint)
    charged = spent(labelling).all
    cost = limits_of(labelling).cost(charged)
    context = {
        "campaign": campaign,
        "labelling": labelling,
        "form": form,
        "counts": counts(labelling),
        "endpoints": settings.ENDPOINTS,
        "may_ask": request.user.has_perm(PERMISSION),
        "jobs": jobs.select_related("user", "campaign")[:1],
        "is_sending": jobs.filter(state__in=Job.UNFINISHED).exists(),
        "charged": charged,
        "cost": "" if cost is None else f"{cost:,.2f}",  # as the message of the job says it
        "adjustments": in_words(labelling.adjustments),
    }
    return render(request, "assess/machines/labelling_endpoint.html", context)


def start_confirmation(
    request: UserRequest, labelling: MachineLabelling, details: AskingDetails
) -> HttpResponse:
    """Ask before requests are sent."""
    planned, charged = plan(labelling), spent(labelling).all
    limits = Limits(details.requests, details.input_price, details.output_price, details.ceiling)
    estimate, most, before = map(limits.cost, (planned.estimate, planned.most, charged))
    return confirmation_page(
        request,
        labelling.campaign,
        "assess/machines/confirm/labelling_endpoint.html",
        labelling=labelling,
        details=details,
        address=settings.ENDPOINTS[details.endpoint].address,
        plan=planned,
        charged=charged,
        is_priced=details.ceiling is not None and estimate is not None,
        estimate=estimate,
        most=most,
        before=before,
        is_over_ceiling=(before or 0) + (most or 0) > (details.ceiling or 0),
        waiting=max(0, charged.requests + planned.most.requests - details.requests),
    )


@post_from("assess:labelling_endpoint", "number")
def requests_again(request: UserRequest, slug: str, number: int, state: str) -> HttpResponse:
    """Let requests that are sent without an answer, or that failed, wait again."""
    campaign, labelling = labelling_or_404(request, slug, number)
    if state not in (State.SENT, State.FAILED):
        raise Http404("Requests in this state are not sent again.")
    page = reverse("assess:labelling_endpoint", args=[slug, number])
    count = labelling.requests.filter(state=state).count()
    if not is_confirmed(request):
        again = "assess/machines/confirm/requests_again.html"
        context = {"labelling": labelling, "count": count, "state": state}
        return confirmation_page(request, campaign, again, **context)
    try:
        count = send_again(labelling, request.user, state)
        wait = f"request{pluralize(count)} wait{pluralize(count, 's,')}"
        messages.success(request, f"{count:,} {wait} again. Nothing has been sent.")
    except Refused as error:
        messages.error(request, str(error))
    return redirect(page)
