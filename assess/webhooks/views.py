"""The webhooks of a campaign: list, add, test, remove."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from accounts.requests import UserRequest, get_or_post
from assess.webhooks.forms import WebhookForm
from assess.webhooks.queries import TYPES
from assess.webhooks.services import WebhookRefused, add_webhook, remove_webhook, send_test
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404


@get_or_post
def webhook_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the webhooks with their secrets and problems. A POST adds one."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = WebhookForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            webhook = add_webhook(campaign, form.cleaned_data["url"], request.user)
        except WebhookRefused as error:
            form.add_error("url", str(error))
        else:
            messages.success(request, f"{webhook} will be told of what happens from now on.")
            return redirect("assess:webhook_list", slug)
    context = {
        "campaign": campaign,
        "form": form,
        "webhooks": campaign.webhooks.all(),
        "types": TYPES.items(),
        "hosts": settings.WEBHOOK_HOSTS,
    }
    return render(request, "assess/webhooks/webhook_list.html", context)


@require_POST
def webhook_test(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Send an event of the type "test"."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    webhook = get_object_or_404(campaign.webhooks, pk=pk)
    if send_test(webhook):
        messages.success(request, f"{webhook} took the test.")
    else:
        messages.warning(request, f"{webhook} did not take the test. {webhook.problem}")
    return redirect("assess:webhook_list", slug)


@require_POST
def webhook_remove(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Remove a webhook: its address is told nothing more."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    webhook = get_object_or_404(campaign.webhooks, pk=pk)
    remove_webhook(webhook, request.user)
    messages.success(request, f"{webhook} is told nothing more.")
    return redirect("assess:webhook_list", slug)
