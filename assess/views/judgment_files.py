"""Judgments from a file: shown before they are stored as labels of a new judge."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render

from accounts.requests import UserRequest, post_from, redirect_to_top
from assess import tasks
from assess.forms.imports import JudgmentsForm
from assess.queries.judgment_files import compare_with_pools
from assess.services.imports import (
    UnknownTopic,
    load_judgments,
    read_records,
    start_loading_judgments,
)
from assess.views.sources import source_list_page
from pooling.formats.files import BadFile, unpack
from pooling.forms.previews import MOST_SENT_BACK, sent_back
from pooling.forms.tables import field_choices
from pooling.intake.tables import UnclearFields
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.queries.documents import pooled_before
from pooling.views.confirmation import is_confirmed


@post_from("assess:source_list")
def judgments_load(request: UserRequest, slug: str) -> HttpResponse:
    """Show what the judgments of a file would change; a confirmed POST stores them."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    refused: BadFile | None = None
    form = JudgmentsForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            content, name = form.source()
            return load_or_preview(request, campaign, form, content, name)
        except (UnclearFields, UnknownTopic) as error:
            refused = error
            can_match = isinstance(error, UnclearFields) or error.match
            if can_match and len(back := sent_back(content)) <= MOST_SENT_BACK:
                return ask(request, campaign, form, error, back)
        except BadFile as error:
            refused = error
    return source_list_page(request, campaign, load_form=form, refused=refused)


def load_or_preview(
    request: UserRequest, campaign: Campaign, form: JudgmentsForm, content: bytes, name: str
) -> HttpResponse:
    """Store the judgments if that is confirmed, or if the preview cannot send the file back; else show them.

    A job loads a file of many lines. Raises BadFile.
    """
    data = form.cleaned_data
    back = sent_back(content)
    if not is_confirmed(request) and len(back) <= MOST_SENT_BACK:
        return preview(request, campaign, form, name, content)
    about = {"name": name, "judge_name": data["judge"]}
    about |= {option: data[option] for option in ("grades", "extend_pool", "in_plan")}
    about["reading"] = form.reading()
    if unpack(content, name, settings.UPLOAD_LIMIT).count(b"\n") > settings.BACKGROUND_JUDGMENTS:
        start_loading_judgments(campaign, request.user, content, tasks.load_judgments, about)
    else:
        messages.success(request, str(load_judgments(campaign, request.user, content, **about)))
    return redirect_to_top("assess:source_list", campaign.slug)


def ask(
    request: UserRequest,
    campaign: Campaign,
    form: JudgmentsForm,
    refused: UnclearFields | UnknownTopic,
    content: str,
) -> HttpResponse:
    """Ask which field has the meaning that none or several may have, or whether topics are the same."""
    chosen = form.cleaned_data["map"]
    context = {
        "campaign": campaign,
        "form": form,
        "name": refused.name,
        "refused": refused,
        "content": content,
        "choices": field_choices(refused, chosen) if isinstance(refused, UnclearFields) else [],
    }
    return render(request, "assess/judgments_fields.html", context)


def preview(
    request: UserRequest, campaign: Campaign, form: JudgmentsForm, name: str, content: bytes
) -> HttpResponse:
    grades, reading = form.cleaned_data["grades"], form.reading()
    pooled = pooled_before(campaign)
    records, notes = read_records(campaign, content, name, pooled, grades, reading)
    check = compare_with_pools(campaign, records, pooled)
    labels = {grade.value: grade.label for grade in campaign.grades}
    context = {
        "campaign": campaign,
        "name": name,
        "judge": form.cleaned_data["judge"],
        "content": sent_back(content),
        "form": form,
        "notes": notes,
        "in_plan": form.cleaned_data["in_plan"],
        "check": check,
        "grade_rows": [(row, labels.get(row.grade, "cannot judge")) for row in check.grades],
        "has_pool": campaign.pools.exists(),
    }
    return render(request, "assess/judgments_preview.html", context)
