"""Panels of two runs side by side. Organisers create them; judges vote without seeing names of runs."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from accounts.requests import UserRequest, get_or_post, request_key
from assess.document.layout import document_view
from assess.forms.judging import OutboxPayload
from assess.models import Panel
from assess.panels.forms import PanelForm, VoteForm
from assess.panels.queries import (
    RankedDocument,
    my_panels,
    my_vote,
    panel_lists,
    panels_for_judge,
    panels_with_votes,
)
from assess.panels.services import PanelRefused, VoteRefused, create_panel, record_vote
from assess.panels.sides import EQUAL, LEFT, RIGHT
from assess.queries.documents import image_with, text_in
from assess.queries.queues import highlighted_terms
from assess.views.images import image_response
from assess.views.payloads import error_text, problems_of, read_payload
from assess.views.side_by_side import judges_campaign
from pooling.formats.images import ShownImage
from pooling.models import Campaign, Role, Topic
from pooling.queries.campaigns import campaign_or_404
from pooling.queries.images import topic_images

LISTS = {LEFT: "A", RIGHT: "B"}
PAIRS_AHEAD = 3  # pairs of lists on the page, with the one on screen


class Choice(NamedTuple):
    """A button of the vote, and its keys."""

    value: str
    label: str
    key: str
    arrow: str = ""


CHOICES = [
    Choice(LEFT, "A is better", "a", "←"),
    Choice(EQUAL, "Equal", "e"),
    Choice(RIGHT, "B is better", "b", "→"),
]


@get_or_post
def panel_setup(request: UserRequest, slug: str) -> HttpResponse:
    """List the panels for organisers. A POST creates a panel."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = PanelForm(request.POST or None, campaign=campaign, initial=request.GET.dict())
    if request.method == "POST" and form.is_valid():
        try:
            panel = create_panel(campaign, request.user, *form.asked(), request_key(request))
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
    return render(request, "assess/panels/panel_setup.html", context)


@require_GET
def panel_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the panels of a judge. An organiser who is no judge is redirected to the organiser's list."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    if Role.JUDGE not in campaign.my_roles:
        return redirect("assess:panel_setup", slug)
    context = {"campaign": campaign, "panels": my_panels(request.user, campaign)}
    return render(request, "assess/panels/panel_list.html", context)


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
    pair = pair_of(panel, topic, request.user)
    context = {
        "campaign": campaign,
        "panel": panel,
        "topic": topic,
        "mine": mine,
        "pair": pair,
        "choices": CHOICES,
        "reason": request.POST.get("reason", pair.reason),
        "form": form,
        "uuid": uuid.uuid4(),
    }
    return render(request, "assess/panels/panel_topic.html", context)


class Pair(NamedTuple):
    """The two lists of a topic: (side, documents, name). choice, reason: of the judge's last vote."""

    topic: Topic
    lists: list[tuple[str, list[RankedDocument], str]]
    choice: str
    reason: str
    topic_images: Sequence[ShownImage]


def pair_of(panel: Panel, topic: Topic, judge: User) -> Pair:
    lists = panel_lists(panel, topic, judge).items()
    named = [(*each, LISTS[each[0]]) for each in lists]
    return Pair(topic, named, *my_vote(panel, topic, judge), topic_images(topic))


@require_POST
def votes(request: UserRequest, slug: str) -> HttpResponse:
    """Store the votes that a page sends. Return the next pairs of its panel."""
    campaign = judges_campaign(request, slug)
    payload = read_payload(request)
    if isinstance(payload, HttpResponse):
        return payload
    problems = problems_of(payload, lambda fields: submit_vote(campaign, request.user, fields))
    context = {"campaign": campaign, "problems": problems}
    if payload.want:
        context |= next_pairs(request, campaign, payload)
    return render(request, "assess/panels/parts/_votes.html", context)


def submit_vote(campaign: Campaign, judge: User, fields: Mapping[str, Any]) -> str:
    """Store one vote. Return a problem, which names the topic, or ""."""
    panel = panel_in(campaign, judge, str(fields.get("panel", "")))
    topic = (
        panel and panel.topics.select_related("campaign").filter(number=str(fields.get("topic", ""))).first()
    )
    if not panel or not topic:
        return "You cannot vote on this panel any more. The vote was not stored."
    form = VoteForm(fields)
    if not form.is_valid():
        errors = error_text(form)
        return f"Topic {topic.number}: {errors}"
    try:
        record_vote(panel, topic, judge, form.vote())
    except VoteRefused as error:
        return f"Topic {topic.number}: {error}"
    return ""


def panel_in(campaign: Campaign, judge: User, pk: str) -> Panel | None:
    """Return a panel on which the judge may vote."""
    if not pk.isdecimal() or len(pk) > 18:
        return None
    return panels_for_judge(judge, campaign).select_related("first", "second").filter(pk=pk).first()


def next_pairs(request: UserRequest, campaign: Campaign, payload: OutboxPayload) -> dict[str, Any]:
    """Return the next pairs of the panel of a page. payload.topic: the key of the panel."""
    panel = panel_in(campaign, request.user, payload.topic)
    if not panel:
        return {}
    mine = next(each for each in my_panels(request.user, campaign) if each.panel == panel)
    if not mine.waiting and payload.labels:  # the page opens the list of panels next
        messages.success(request, f"You have voted on all topics of {panel} ({mine.total}).")
    waiting = panel.topics.select_related("campaign").filter(number__in=mine.waiting)
    topics = waiting.exclude(pk__in=payload.have)[
        : max(0, min(payload.want, PAIRS_AHEAD) - len(payload.have))
    ]
    return {"panel": panel, "mine": mine, "pairs": [pair_of(panel, topic, request.user) for topic in topics]}


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
    sheet = document_view(text_in(campaign, shown.document), highlighted_terms(topic), images=shown.images)
    context = {"campaign": campaign, "side": side, "rank": rank, "sheet": sheet, "language": shown.language}
    return render(request, "assess/panels/_panel_document.html", context)


@require_GET
def panel_image(
    request: UserRequest, slug: str, pk: int, number: str, side: str, rank: int, sha256: str
) -> HttpResponse:
    """Send an image of a document of a list."""
    campaign, panel, topic = panel_and_topic(request, slug, pk, number)
    listed = panel_lists(panel, topic, request.user).get(side, [])
    images = campaign.images.of_documents([each.docno for each in listed if each.rank == rank])
    return image_response(request, image_with(images, sha256))


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
