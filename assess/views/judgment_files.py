"""Judgments from a file: shown before they are stored as labels of a new judge."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts.requests import UserRequest, post_from
from assess import tasks
from assess.forms.imports import JudgmentsForm
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judgment_files import compare_with_pools
from assess.services.imports import load_judgments, read_records, start_loading_judgments
from assess.views.assignments import judging_page
from pooling.formats.files import BadFile, unpack
from pooling.forms.previews import MOST_SENT_BACK, sent_back
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.queries.documents import pooled_before
from pooling.views.confirmation import is_confirmed

NEAR_MISSES_SHOWN = 10


@post_from("assess:judging")
def judgments_load(request: UserRequest, slug: str) -> HttpResponse:
    """Show what the judgments of a file would change; a confirmed POST stores them."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form, refused = JudgmentsForm(request.POST, request.FILES), None
    if form.is_valid():
        try:
            return load_or_preview(request, campaign, form)
        except BadFile as error:
            refused = error
    return judging_page(request, CampaignReads(campaign), load_form=form, refused=refused)


def load_or_preview(request: UserRequest, campaign: Campaign, form: JudgmentsForm) -> HttpResponse:
    """Store the judgments if that is confirmed, or if the preview cannot send the file back; else show them.

    A job loads a file of many lines. Raises BadFile.
    """
    (content, name), data = form.source(), form.cleaned_data
    back = sent_back(content)
    if not is_confirmed(request) and len(back) <= MOST_SENT_BACK:
        return preview(request, campaign, form, name, content)
    about = {"name": name, "judge_name": data["judge"]}
    about |= {option: data[option] for option in ("grades", "extend_pool", "in_plan")}
    if unpack(content, name, settings.UPLOAD_LIMIT).count(b"\n") > settings.BACKGROUND_JUDGMENTS:
        start_loading_judgments(campaign, request.user, content, tasks.load_judgments, about)
    else:
        messages.success(request, str(load_judgments(campaign, request.user, content, **about)))
    return redirect("assess:judging", campaign.slug)


def preview(
    request: UserRequest, campaign: Campaign, form: JudgmentsForm, name: str, content: bytes
) -> HttpResponse:
    records = read_records(campaign, content, name, form.cleaned_data["grades"])
    check = compare_with_pools(campaign, records, pooled_before(campaign))
    labels = {grade.value: grade.label for grade in campaign.grades}
    context = {
        "campaign": campaign,
        "name": name,
        "judge": form.cleaned_data["judge"],
        "content": sent_back(content),
        "grades": form["grades"].value() or "",
        "in_plan": form.cleaned_data["in_plan"],
        "check": check,
        "near_misses": check.near_misses[:NEAR_MISSES_SHOWN],
        "grade_rows": [(row, labels.get(row.grade, "cannot judge")) for row in check.grades],
        "has_pool": campaign.pools.exists(),
    }
    return render(request, "assess/judgments_preview.html", context)
