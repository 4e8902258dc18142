from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_GET, require_POST

from accounts.requests import UserRequest, get_or_post, post_from, request_key
from assess.forms.assignments import (
    DISTRIBUTE,
    PARTS,
    ROLES,
    AssignmentForm,
    InvitationForm,
    TopicJudgeForm,
)
from assess.queries.assignments import labelled_twice, unassigned_documents
from assess.queries.campaign_reads import CampaignReads
from assess.queries.labels import labels_of_earlier_texts
from assess.queries.people import judges_to_choose
from assess.queries.progress import progress_grid
from assess.services.assignments import MoveRefused, assign, distribute_topics, move_topic, unassign_topic
from assess.services.people import invite_to_topics
from assess.views.campaigns import grid_context
from assess.views.people import deliver
from pooling.models import Campaign, Role, Topic
from pooling.queries.campaigns import campaign_or_404
from pooling.queries.documents import unfinished_imports, with_title_only, without_text
from pooling.views.confirmation import confirmation_page, is_confirmed


@get_or_post
def judging(request: UserRequest, slug: str) -> HttpResponse:
    """Show who judges what. A POST assigns topics to judges."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    reads = CampaignReads(campaign)
    form = AssignmentForm(request.POST or None, reads=reads)
    if request.method == "POST" and form.is_valid():
        judges, topics, part, seconds = (form.cleaned_data[name] for name in form.field_order)
        if not is_confirmed(request) and (question := assign_confirmation(request, campaign, topics)):
            return question
        if part == DISTRIBUTE:
            count = distribute_topics(judges, topics, seconds or 0, by=request.user)
        else:
            count = assign(judges, topics, part, by=request.user)
        messages.success(request, f"{count:,} new assignment{pluralize(count)}.")
        return redirect("assess:judging", slug)
    return judging_page(request, reads, form=form)


def assign_confirmation(request: UserRequest, campaign: Campaign, topics: list[Topic]) -> HttpResponse | None:
    """Ask before documents without text are assigned; None if all have one."""
    pooled = CampaignReads(campaign).documents_to_judge().filter(topic__in=topics)
    missing = without_text(campaign, pooled).count()
    title_only = with_title_only(campaign, pooled).count()
    if not missing and not title_only:
        return None
    return confirmation_page(
        request,
        campaign,
        "assess/confirm/judging.html",
        topics=len(topics),
        count=pooled.count(),
        missing=missing,
        title_only=title_only,
        size=missing or title_only,
        lack="without text" if missing else "with only a title",
    )


def judging_page(request: UserRequest, reads: CampaignReads, **more: Any) -> HttpResponse:
    """Render the organiser's page. more: context that replaces the defaults, such as an invalid form."""
    campaign = reads.campaign
    context = {
        "form": more.get("form") or AssignmentForm(reads=reads),
        "invitation_form": more.get("invitation_form") or InvitationForm(reads=reads, auto_id="invited_%s"),
        "campaign": campaign,
        "reads": reads,
        "invited": campaign.invitations.open().filter(role=Role.JUDGE).count(),
        "earlier": len(labels_of_earlier_texts(reads)),
        "texts": reads.texts,
        "imports": unfinished_imports(campaign),
        "unassigned": unassigned_documents(reads),
        "twice": labelled_twice(campaign),
        **grid_context(reads),
    }
    return render(request, "assess/judging.html", context | more)


@post_from("assess:judging")
def judge_invite(request: UserRequest, slug: str) -> HttpResponse:
    """Invite a new judge to topics: mail the link, or show it once."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = InvitationForm(request.POST, reads=CampaignReads(campaign), auto_id="invited_%s")
    shown: dict[str, Any] = {}
    if form.is_valid():
        data = form.cleaned_data
        token = invite_to_topics(
            campaign,
            data["topics"],
            data["part"],
            request.user,
            data["recipient"],
            data.get("email", ""),
            request_key(request),
        )
        shown = deliver(request, token)
        if not shown:
            return redirect("assess:judging", slug)
    return judging_page(request, CampaignReads(campaign), invitation_form=form, **shown)


@require_GET
def topic_judges(request: UserRequest, slug: str, number: str) -> HttpResponse:
    """Show the judges of a topic with their parts and progress, and forms to move the topic."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    topic = get_object_or_404(campaign.topics, number=number)
    reads = CampaignReads(campaign)
    grid = progress_grid(reads)
    row = next((row for row in grid.rows if row.topic == topic), None)
    cells = zip(grid.columns, row.cells, strict=True) if row else ()
    context = {
        "campaign": campaign,
        "reads": reads,
        "topic": topic,
        "row": row,
        "rule": grid.rule,
        "cells": [(column.judge, cell) for column, cell in cells if cell],
        "judges": judges_to_choose(campaign),
        "roles": [(ROLES[part], meaning) for part, meaning in PARTS.items()],
    }
    return render(request, "assess/topic_judges.html", context)


@require_POST
def topic_move(request: UserRequest, slug: str, number: str) -> HttpResponse:
    """Move the unjudged documents of a topic to another judge. Every label stays."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    topic = get_object_or_404(campaign.topics, number=number)
    form = TopicJudgeForm(request.POST, campaign=campaign, topic=topic)
    previous_judge, new_judge = (
        form.cleaned_data.get(name) if form.is_valid() else None for name in ("judge", "new_judge")
    )
    if not previous_judge or not new_judge:
        messages.warning(
            request, "Choose a judge who has this topic, and a judge of the campaign who takes it over."
        )
        return redirect("assess:topic_judges", slug, number)
    try:
        count = move_topic(topic, previous_judge, new_judge, request.user)
    except MoveRefused as error:
        messages.warning(request, str(error))
    else:
        messages.success(
            request,
            f"{count:,} document{pluralize(count)} moved from {previous_judge} to {new_judge}."
            " Every label stays.",
        )
    return redirect("assess:topic_judges", slug, number)


@require_POST
def topic_take_back(request: UserRequest, slug: str, number: str) -> HttpResponse:
    """Remove a topic from a judge. Every label stays."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    topic = get_object_or_404(campaign.topics, number=number)
    form = TopicJudgeForm(request.POST, campaign=campaign, topic=topic)
    if form.is_valid():
        judge = form.cleaned_data["judge"]
        count = unassign_topic(topic, judge, request.user)
        messages.success(
            request,
            f"{judge} no longer has topic {topic.number}. Open documents that left the queue: {count:,}; what"
            " is shared stays with the other judges of the topic. Every label stays.",
        )
    else:
        messages.warning(request, "Choose a judge who has this topic.")
    return redirect("assess:topic_judges", slug, number)
