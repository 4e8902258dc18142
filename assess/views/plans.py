from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts.requests import UserRequest, get_or_post
from assess.document_order import policy_of
from assess.forms.plans import PlanForm
from assess.queries.queues import has_begun, is_live, judging_plan_of
from assess.services.plans import GradesNotShown, PlanLocked, change_plan
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.views.confirmation import confirmation_page, is_confirmed
from pooling.views.edits import one_at_a_time


@get_or_post
@one_at_a_time
def plan(request: UserRequest, slug: str) -> HttpResponse:
    """Show and change the judging plan. The document order is fixed after the first label."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = PlanForm(request.POST or None, plan=judging_plan_of(campaign))
    if request.method == "POST" and form.is_valid():
        if form.shows_another_machine and not is_confirmed(request):
            page, machine = "assess/confirm/plan.html", form.cleaned_data["shown_machine"]
            graded = machine.user.judgments.exclude(relevance=None).count()
            return confirmation_page(request, campaign, page, machine=machine, graded=graded)
        try:
            change_plan(campaign, request.user, **form.cleaned_data)
        except PlanLocked as error:
            form.add_error("order", str(error))
        except GradesNotShown as error:  # an audit was drawn after the form was checked
            form.add_error("shown_machine", str(error))
        else:
            messages.success(request, "The judging plan is saved.")
            return redirect("assess:plan", slug)
    current = judging_plan_of(campaign)
    context = {
        "campaign": campaign,
        "form": form,
        "plan": current,
        "policy": policy_of(current.order),
        "begun": has_begun(campaign),
        "live": [pool for pool in campaign.pools.all() if is_live(pool)],
    }
    return render(request, "assess/plan.html", context)
