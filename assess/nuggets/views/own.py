"""Judges make nuggets from documents that they labelled. They see their own nuggets only."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.requests import UserRequest, get_or_post, request_key
from assess.nuggets.forms import OwnNuggetForm
from assess.nuggets.queries.banks import draft_of
from assess.nuggets.queries.own import labelled_docnos, my_nugget_topics, own_nuggets, shown_document
from assess.nuggets.services.nuggets import delete_nugget, write_nugget
from assess.views.side_by_side import judges_campaign
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.refusals import Refused


@require_GET
def own_nugget_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the topics in which a judge can write. An organiser who is no judge is redirected."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    if Role.JUDGE not in campaign.my_roles:
        return redirect("assess:nugget_bank_list", slug)
    context = {"campaign": campaign, "topics": my_nugget_topics(request.user, campaign)}
    return render(request, "assess/nuggets/own_nugget_list.html", context)


@never_cache
@get_or_post
def own_nugget_topic(request: UserRequest, slug: str, topic: str) -> HttpResponse:
    """Show a labelled document and the judge's nuggets of the topic. A POST stores a nugget."""
    campaign = judges_campaign(request, slug)
    about = get_object_or_404(campaign.topics, number=topic)
    about.campaign = campaign
    draft, docnos = draft_of(campaign), labelled_docnos(request.user, about)
    if draft is None or not docnos:
        raise Http404
    asked = request.POST.get("docno") or request.GET.get("docno", "")
    docno = asked if asked in docnos else docnos[0]
    form = OwnNuggetForm(request.POST or None, grading=draft.grading, initial={"docno": docno})
    if request.method == "POST" and form.is_valid():
        try:
            write_nugget(draft, about, request.user, form.details(), request_key(request))
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The nugget is stored.")
            page = reverse("assess:own_nugget_topic", args=[slug, topic])
            return redirect(f"{page}?{urlencode({'docno': docno})}")
    place = docnos.index(docno)
    context = {
        "campaign": campaign,
        "topic": about,
        "form": form,
        "each": shown_document(about, docno),
        "place": place + 1,
        "count": len(docnos),
        "before": docnos[place - 1] if place else "",
        "after": docnos[place + 1] if place + 1 < len(docnos) else "",
        "nuggets": own_nuggets(request.user, campaign).filter(topic=about),
    }
    return render(request, "assess/nuggets/own_nugget_topic.html", context)


@require_POST
def own_nugget_delete(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Delete an own nugget of the draft."""
    campaign = judges_campaign(request, slug)
    found = get_object_or_404(
        own_nuggets(request.user, campaign).select_related("bank__campaign", "topic"), pk=pk
    )
    try:
        delete_nugget(found, request.user)
    except Refused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, "The nugget is deleted.")
    return redirect("assess:own_nugget_topic", slug, found.topic.number)
