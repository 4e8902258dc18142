"""Work outside a request: how far it is, and how to cancel it."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST
from django_htmx.http import trigger_client_event

from accounts.requests import UserRequest
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.services.jobs import cancel_job

PAGE = 50  # jobs


@require_GET
def job_list(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    page = Paginator(campaign.jobs.select_related("user"), PAGE).get_page(request.GET.get("page"))
    return render(request, "pooling/job_list.html", {"campaign": campaign, "page": page})


@require_GET
def job(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """How far one job is; asked for again and again until it has ended.

    Then it triggers `job-ended`, so that parts of the page which show what the job has stored reload.
    """
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    job = get_object_or_404(campaign.jobs.select_related("user"), pk=pk)
    response = render(request, "pooling/_job.html", {"campaign": campaign, "job": job})
    return response if job.is_unfinished else trigger_client_event(response, "job-ended")


@require_POST
def job_cancel(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Cancel a job: the fragment for htmx, the list without JavaScript."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    cancel_job(get_object_or_404(campaign.jobs, pk=pk), request.user)
    return redirect("pooling:job", slug, pk) if request.htmx else redirect("pooling:job_list", slug)
