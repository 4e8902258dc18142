from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post
from assess.forms.assignments import BudgetForm
from assess.forms.settings import SettingsForm
from assess.queries import forecast as forecast_queries
from assess.queries import progress as grid_queries
from assess.queries.campaign_reads import CampaignReads
from assess.queries.campaigns import next_step
from assess.queries.forecast import idle_judges_in
from assess.queries.overview import most_left, state_of, tasks_of
from assess.queries.progress import ProgressGrid
from assess.services.settings import ScaleLocked, change_settings
from pooling.forms.campaigns import preset_values
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404, may_create_campaigns
from pooling.scale import write_scale
from pooling.views.edits import one_at_a_time


@require_GET
def overview(request: UserRequest, slug: str) -> HttpResponse:
    """Show the overview. A user who is only a judge or only a participant is sent to a page of their own."""
    campaign = campaign_or_404(request.user, slug)
    if campaign.my_roles == {Role.JUDGE}:
        return redirect("assess:my_topics", slug)
    if campaign.my_roles == {Role.PARTICIPANT}:
        return redirect("assess:participate", slug)
    reads, now = CampaignReads(campaign), timezone.now()
    grid = None
    context: dict[str, Any] = {"campaign": campaign, "reads": reads, "now": now}
    if campaign.my_roles & {Role.ORGANISER, Role.ADJUDICATOR}:
        grid = grid_queries.progress_grid(reads)
        context |= {
            "grid": grid,
            "tasks": tasks_of(reads, grid, now),
            "next_step": next_step(reads, grid),
            "most_left": most_left(grid),
        }
    context["state"] = state_of(reads, grid)
    return render(request, "assess/overview.html", context)


@require_GET
def progress(request: UserRequest, slug: str) -> HttpResponse:
    """Show the progress by topic and judge. The page loads its table again at intervals."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    reads = CampaignReads(campaign)
    context = {"campaign": campaign, "reads": reads, **grid_context(reads)}
    if request.htmx:
        return render(request, "assess/_progress.html", context)
    return render(request, "assess/progress.html", context | forecast_context(request, context["grid"]))


@require_GET
def budget(request: UserRequest, slug: str) -> HttpResponse:
    """Return the forecast: when judges finish, and which topics the available hours can complete."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    grid = grid_queries.progress_grid(CampaignReads(campaign))
    context = {"campaign": campaign, **forecast_context(request, grid)}
    return render(request, "assess/_budget.html", context)


def grid_context(reads: CampaignReads) -> dict[str, Any]:
    rows, now = grid_queries.progress_grid(reads), timezone.now()
    return {"grid": rows, "now": now, "idle_judges": idle_judges_in(rows, now)}


def forecast_context(request: UserRequest, grid: ProgressGrid) -> dict[str, Any]:
    form = BudgetForm(request.GET if "budget" in request.GET else None)
    data = {name: field.initial for name, field in form.fields.items()}
    if form.is_valid():
        data = form.cleaned_data
    return {"form": form, "grid": grid, "forecast": forecast_queries.forecast(grid, timezone.now(), **data)}


@get_or_post
@one_at_a_time
def settings(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    fields = (
        "name", "description", "guidelines", "threshold", "run_depth", "collection_size",
        "rules", "contact", "shows_topic_statistics", "language", "joins_lines",
    )  # fmt: skip
    now = {field: getattr(campaign, field) for field in fields} | {"scale": write_scale(campaign.grades)}
    form = SettingsForm(request.POST or None, initial=now | preset_values(request.GET.get("preset", "")))
    if request.method == "POST" and form.is_valid():
        try:
            data = {key: form.cleaned_data[key] for key in ("grades", *fields)}
            change_settings(campaign, by=request.user, **data)
        except ScaleLocked as error:
            form.add_error("scale", str(error))
        else:
            messages.success(request, "Settings saved.")
            return redirect("assess:settings", slug)
    context = {"campaign": campaign, "form": form, "may_create": may_create_campaigns(request.user)}
    return render(request, "assess/settings.html", context)
