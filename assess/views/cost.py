"""Hours and cost of judging, and the timesheet of the judges."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post
from assess.forms.settings import RatesForm
from assess.queries.campaign_reads import CampaignReads
from assess.queries.cost import campaign_cost, timesheet_of
from assess.queries.progress import progress_grid
from assess.queries.queues import judging_plan_of
from assess.services.cost import change_rates
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.spreadsheet import BYTE_ORDER_MARK, Table
from pooling.views.edits import one_at_a_time


@get_or_post
@one_at_a_time
def cost(request: UserRequest, slug: str) -> HttpResponse:
    """Show hours and cost by judge, so far and to come. A POST changes the rates."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = RatesForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        rate, currency = form.cleaned_data["hourly_rate"], form.cleaned_data["currency"]
        change_rates(campaign, rate, currency, form.own_rates, request.user)
        messages.success(request, "The rates are saved.")
        return redirect("assess:cost", slug)
    reads = CampaignReads(campaign)
    cost = campaign_cost(campaign, progress_grid(reads), timezone.now())
    context = {
        "campaign": campaign,
        "reads": reads,
        "form": form,
        "cost": cost,
        "plan": judging_plan_of(campaign),
    }
    return render(request, "assess/cost.html", context)


@require_GET
def timesheet(request: UserRequest, slug: str) -> HttpResponse:
    """Send one row for each judge and day, as CSV."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    response = HttpResponse(BYTE_ORDER_MARK, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-timesheet.csv"'
    rows = Table(response)
    rows.writerow(
        [
            "judge",
            "name",
            "date",
            "time zone",
            "labels",
            "untimed labels",
            "hours",
            "rate",
            "cost",
            "currency",
            "idle limit (s)",
            "idle limit per 1,000 characters (s)",
        ]
    )
    plan = judging_plan_of(campaign)
    for judge, row in timesheet_of(campaign):
        money = ["" if each is None else each for each in (row.rate, row.cost)]
        about = [judge.username, str(judge), row.day.isoformat(), campaign.time_zone]
        rows.writerow(
            [
                *about,
                row.labels,
                row.untimed,
                row.hours,
                *money,
                campaign.currency,
                plan.idle_seconds,
                plan.idle_per_1000,
            ]
        )
    return response
