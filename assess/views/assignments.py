from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_GET, require_POST

from accounts.requests import UserRequest, get_or_post
from assess.forms.assignments import (
    DISTRIBUTE,
    PARTS,
    ROLES,
    AssignmentForm,
    InvitationForm,
    TopicJudgeForm,
    TopUpForm,
    judges_to_choose,
)
from assess.forms.imports import JudgmentsForm
from assess.models import Assignment
from assess.queries.labels import count_labels_of_earlier_texts
from assess.queries.progress import progress_grid
from assess.services import assignments as assignment_services
from assess.services.assignments import MoveRefused, assign, distribute_topics, move_topic, unassign_topic
from assess.services.imports import load_judgments
from assess.services.invitations import invite_to_topics
from assess.views.campaigns import grid_context
from assess.views.invitation_links import deliver
from pooling.formats.files import BadFile
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.services.files import read_upload
from pooling.services.pools import PoolRefused


@get_or_post
def judging(request: UserRequest, slug: str) -> HttpResponse:
    """Show who judges what. A POST assigns topics to judges."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = AssignmentForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        judges, topics, part, seconds = (form.cleaned_data[name] for name in form.field_order)
        if part == DISTRIBUTE:
            count = distribute_topics(judges, topics, seconds or 0, by=request.user)
        else:
            count = assign(judges, topics, part, by=request.user)
        messages.success(request, f"{count:,} new assignment{pluralize(count)}.")
        return redirect("assess:judging", slug)
    return judging_page(request, campaign, form=form)


def judging_page(request: UserRequest, campaign: Campaign, **more: Any) -> HttpResponse:
    """Render the organiser's page. more: context that replaces the defaults, such as an invalid form."""
    context = {
        "form": AssignmentForm(campaign=campaign),
        "load_form": JudgmentsForm(),
        "invitation_form": InvitationForm(campaign=campaign),
        "campaign": campaign,
        "earlier": count_labels_of_earlier_texts(campaign),
        **grid_context(campaign),
    }
    return render(request, "assess/judging.html", context | more)


@require_POST
def judge_invite(request: UserRequest, slug: str) -> HttpResponse:
    """Invite a new judge to topics: mail the link, or show it once."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form, shown = InvitationForm(request.POST, campaign=campaign), {}
    if form.is_valid():
        data = form.cleaned_data
        email = data.get("email", "")
        token = invite_to_topics(
            campaign, data["topics"], data["part"], request.user, data["recipient"], email
        )
        shown = deliver(request, token)
        if not shown:
            return redirect("assess:judging", slug)
    return judging_page(request, campaign, invitation_form=form, **shown)


@require_GET
def topic_judges(request: UserRequest, slug: str, number: str) -> HttpResponse:
    """Show the judges of a topic with their parts and progress, and forms to move the topic."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    topic = get_object_or_404(campaign.topics, number=number)
    grid = progress_grid(campaign)
    row = next((row for row in grid.rows if row.topic == topic), None)
    cells = zip(grid.columns, row.cells, strict=True) if row else ()
    context = {
        "campaign": campaign,
        "topic": topic,
        "row": row,
        "rule": grid.rule,
        "cells": [(column.judge, cell) for column, cell in cells if cell],
        "judges": judges_to_choose(campaign),
        "roles": [(ROLES[part], PARTS[part]) for part in Assignment.Part],
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
            f"{count:,} document{pluralize(count)} removed from the queue of {judge}. Every label stays.",
        )
    else:
        messages.warning(request, "Choose a judge who has this topic.")
    return redirect("assess:topic_judges", slug, number)


@require_POST
def top_up(request: UserRequest, slug: str) -> HttpResponse:
    """Freeze a pool of the unpooled documents among the first k of every run."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = TopUpForm(request.POST)
    if not form.is_valid():
        messages.warning(request, "Enter the depth as a whole number from 1 to 1,000.")
        return redirect("metrics:quality", slug)
    try:
        pool = assignment_services.top_up(campaign, request.user, form.cleaned_data["k"])
    except PoolRefused as error:
        messages.warning(request, str(error))
        return redirect("metrics:quality", slug)
    size = pool.manifest["documents"]
    messages.success(
        request, f"{pool} is frozen with {size:,} new document{pluralize(size)}. Assign its topics to judges."
    )
    return redirect("assess:judging", slug)


@require_POST
def judgments_load(request: UserRequest, slug: str) -> HttpResponse:
    """Load the judgments of a file as labels of a new judge."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    load_form, refused = JudgmentsForm(request.POST, request.FILES), None
    if load_form.is_valid():
        data = load_form.cleaned_data
        try:
            loaded = load_judgments(
                campaign,
                request.user,
                read_upload(data["file"]),
                data["file"].name,
                data["judge"],
                data["grades"],
            )
        except BadFile as error:
            refused = error
        else:
            messages.success(
                request, f"{loaded.labels:,} judgment{pluralize(loaded.labels)} of {loaded.judge} loaded."
            )
            return redirect("assess:judging", slug)
    return judging_page(request, campaign, load_form=load_form, refused=refused)
