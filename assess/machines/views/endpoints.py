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
from pooling.views.confirmation import Confirmation, confirmation_page, is_confirmed

State = MachineRequest.State
PAID_AGAIN = {
    State.SENT: "The answers to them were not stored. They may have been paid for: if you send them again, "
    "they may be paid for twice. What they may have cost stays counted.",
    State.FAILED: "They failed. If you send them again, they may fail again.",
}  # fmt: skip


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
                asked = start_confirmation(labelling, details)
                return confirmation_page(request, campaign, asked, "Judging")
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


def start_confirmation(labelling: MachineLabelling, details: AskingDetails) -> Confirmation:
    """Return what the page says before requests are sent."""
    found, charged = plan(labelling), spent(labelling).all
    limits = Limits(details.requests, details.input_price, details.output_price, details.ceiling)
    count, address = found.most.requests, settings.ENDPOINTS[details.endpoint].address
    facts = [
        ("Endpoint", f"{details.endpoint}, {address}"),
        ("Model", labelling.model),
        ("Requests", f"{count:,}, {details.parallel} at the same time"),
        ("Most requests", f"{details.requests:,}, of which {charged.requests:,} were sent before"),
        (
            "Tokens sent",
            f"about {found.estimate.input_tokens:,}, at most {found.most.input_tokens:,} (4 bytes a token,"
            " or 1; more than the estimate at creation, as it counts what a server adds to each message)",
        ),
        ("Tokens received", f"at most {found.most.output_tokens:,}"),
    ]
    warnings = []
    estimate, most, before = map(limits.cost, (found.estimate, found.most, charged))
    if estimate is None or most is None or before is None or details.ceiling is None:
        warnings.append("No prices are known, so the cost is not limited: only the number of requests is.")
    else:
        facts += [
            ("Cost", f"about {estimate:,.2f}, at most {most:,.2f}"),
            ("Ceiling", f"{details.ceiling:,.2f}, of which {before:,.2f} are spent"),
        ]
        if before + most > details.ceiling:
            warnings.append("The cost could pass the ceiling. The job ends before a request could pass it.")
    if before_limit := max(0, charged.requests + count - details.requests):
        warnings.append(
            f"{before_limit:,} request{pluralize(before_limit)} will wait: their number is limited."
        )
    return Confirmation(
        "Send requests",
        f"The texts of the documents and topics of {labelling} are sent to this server.",
        f"Send {count:,} request{pluralize(count)}",
        reverse("assess:labelling_endpoint", args=[labelling.campaign.slug, labelling.number]),
        facts,
        warnings,
    )


@post_from("assess:labelling_endpoint", "number")
def requests_again(request: UserRequest, slug: str, number: int, state: str) -> HttpResponse:
    """Let requests that are sent without an answer, or that failed, wait again."""
    campaign, labelling = labelling_or_404(request, slug, number)
    if state not in PAID_AGAIN:
        raise Http404("Requests in this state are not sent again.")
    page = reverse("assess:labelling_endpoint", args=[slug, number])
    count = labelling.requests.filter(state=state).count()
    these = f"{count:,} request{pluralize(count)}"
    if not is_confirmed(request):
        asked = Confirmation(f"Send {these} again", PAID_AGAIN[State(state)], f"Let {these} wait again", page)
        return confirmation_page(request, campaign, asked, "Judging")
    try:
        count = send_again(labelling, request.user, state)
        wait = f"request{pluralize(count)} wait{pluralize(count, 's,')}"
        messages.success(request, f"{count:,} {wait} again. Nothing has been sent.")
    except Refused as error:
        messages.error(request, str(error))
    return redirect(page)
