"""Panels of two runs side by side. Organisers create them; judges vote without seeing names of runs."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post
from assess.document.layout import document_view
from assess.forms.panels import PanelForm, VoteForm
from assess.models import Panel
from assess.panel_sides import EQUAL, LEFT, RIGHT
from assess.queries.document_text import text_in
from assess.queries.panels import my_panels, my_vote, panel_lists, panels_for_judge, panels_with_votes
from assess.queries.queues import highlighted_terms
from assess.services.panels import PanelRefused, VoteRefused, create_panel, record_vote
from pooling.models import Campaign, Role, Topic
from pooling.queries.campaigns import campaign_or_404

LISTS = {LEFT: "A", RIGHT: "B"}
CHOICES = [(LEFT, "A is better", "a", "←"), (EQUAL, "Equal", "e", ""), (RIGHT, "B is better", "b", "→")]


@get_or_post
def panel_setup(request: UserRequest, slug: str) -> HttpResponse:
    """List the panels for organisers. A POST creates a panel."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = PanelForm(request.POST or None, campaign=campaign, initial=request.GET.dict())
    if request.method == "POST" and form.is_valid():
        try:
            panel = create_panel(campaign, request.user, *form.asked())
        except PanelRefused as error:
            form.add_error(None, str(error))
        else:
            topics = panel.topics.count()
            skipped = len(form.cleaned_data["topics"]) - topics
            messages.success(
                request, f"{panel} is ready: judges can vote on {topics} topic{pluralize(topics)}."
            )
            if skipped:
                text = f"{skipped} topic{pluralize(skipped)} skipped"
                messages.warning(request, f"{text}, because both runs have the same documents there.")
            return redirect("assess:panel_setup", slug)
    context = {"campaign": campaign, "form": form, "panels": panels_with_votes(campaign)}
    return render(request, "assess/panel_setup.html", context)


@require_GET
def panel_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the panels of a judge. An organiser who is no judge is redirected to the organiser's list."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    if Role.JUDGE not in campaign.my_roles:
        return redirect("assess:panel_setup", slug)
    context = {"campaign": campaign, "panels": my_panels(request.user, campaign)}
    return render(request, "assess/panel_list.html", context)


@never_cache
@get_or_post
def panel_topic(request: UserRequest, slug: str, pk: int, number: str) -> HttpResponse:
    """Show the two result lists of a topic. A POST stores a vote and redirects to the next topic."""
    campaign, panel, topic = panel_and_topic(request, slug, pk, number)
    form = VoteForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            record_vote(panel, topic, request.user, form.vote())
        except VoteRefused as error:
            form.add_error(None, str(error))
        else:
            return redirect_to_next(request, campaign, panel)
    mine = next(each for each in my_panels(request.user, campaign) if each.panel == panel)
    choice, reason = my_vote(panel, topic, request.user)
    context = {
        "campaign": campaign,
        "panel": panel,
        "topic": topic,
        "mine": mine,
        "lists": [(*pair, LISTS[pair[0]]) for pair in panel_lists(panel, topic, request.user).items()],
        "choices": CHOICES,
        "choice": choice,
        "reason": request.POST.get("reason", reason),
        "form": form,
        "uuid": uuid.uuid4(),
    }
    return render(request, "assess/panel_topic.html", context)


@require_GET
def panel_document(
    request: UserRequest, slug: str, pk: int, number: str, side: str, rank: int
) -> HttpResponse:
    """Return the text of a document of a list, loaded when it is opened."""
    campaign, panel, topic = panel_and_topic(request, slug, pk, number)
    listed = panel_lists(panel, topic, request.user).get(side, [])
    shown = next((each for each in listed if each.rank == rank and each.document), None)
    if shown is None or shown.document is None:
        raise Http404
    sheet = document_view(text_in(campaign, shown.document), highlighted_terms(topic))
    context = {"campaign": campaign, "side": side, "rank": rank, "sheet": sheet, "language": shown.language}
    return render(request, "assess/_panel_document.html", context)


def panel_and_topic(request: UserRequest, slug: str, pk: int, number: str) -> tuple[Campaign, Panel, Topic]:
    """Return campaign, panel and topic. Raises Http404 unless the user is a judge of this blind panel."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    if Role.JUDGE not in campaign.my_roles:
        raise Http404
    blind = panels_for_judge(request.user, campaign)
    panel = get_object_or_404(blind.select_related("first", "second"), pk=pk)
    topic = get_object_or_404(panel.topics.select_related("campaign"), number=number)
    return campaign, panel, topic


def redirect_to_next(request: UserRequest, campaign: Campaign, panel: Panel) -> HttpResponse:
    mine = next(each for each in my_panels(request.user, campaign) if each.panel == panel)
    if mine.waiting:
        return redirect("assess:panel_topic", campaign.slug, panel.pk, mine.waiting[0])
    messages.success(request, f"You have voted on all topics of {panel} ({mine.total}).")
    return redirect("assess:panel_list", campaign.slug)
