"""Pyramids that organisers and adjudicators make on a page; organisers store them."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from accounts.requests import UserRequest, get_or_post, post_from, request_key
from assess.models import PyramidDraft
from assess.pyramids.drafts.forms import PyramidDraftForm, UnitForm, UnitWordsForm
from assess.pyramids.drafts.queries import draft_file_name, draft_pyramid, draft_view, units_of
from assess.pyramids.drafts.services import (
    begin_pyramid,
    discard_pyramid_draft,
    finish_pyramid,
    label_unit,
    mark_words,
    unmark_words,
)
from assess.pyramids.files import write_pyr
from pooling.formats.files import BadFile
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.refusals import Refused
from pooling.views.confirmation import confirmation_page, is_confirmed
from pooling.words import counted


def draft_or_404(request: UserRequest, slug: str, pk: int, role: Role = Role.ADJUDICATOR) -> PyramidDraft:
    campaign = campaign_or_404(request.user, slug, role)
    draft = get_object_or_404(campaign.pyramid_drafts.select_related("topic", "made_by"), pk=pk)
    draft.campaign = campaign
    return draft


@get_or_post
def pyramid_draft_new(request: UserRequest, slug: str) -> HttpResponse:
    """Show the form for model summaries. A POST begins a draft with them."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    form, refused = PyramidDraftForm(request.POST or None, request.FILES or None, campaign=campaign), None
    if request.method == "POST" and form.is_valid():
        topic, key = form.cleaned_data["topic"], request_key(request)
        try:
            draft = begin_pyramid(campaign, request.user, topic, form.texts(), key)
        except BadFile as error:
            refused = error
        except Refused as error:
            form.add_error(None, str(error))
        else:
            return redirect("assess:pyramid_draft", slug, draft.pk)
    context = {"campaign": campaign, "form": form, "refused": refused}
    return render(request, "assess/pyramids/pyramid_draft_new.html", context)


@get_or_post
def pyramid_draft(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Show the summaries and the units of a draft. A POST adds words to a unit, or to a new one."""
    draft = draft_or_404(request, slug, pk)
    form = UnitWordsForm(request.POST or None, units=units_of(draft))
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            mark_words(draft, request.user, form.words(), data["unit"] or 0, data["label"])
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The words are marked.")
            return redirect("assess:pyramid_draft", slug, pk)
    context = {
        "campaign": draft.campaign,
        "draft": draft,
        "form": form,
        "view": draft_view(draft),
        "is_organiser": Role.ORGANISER in draft.campaign.my_roles,
    }
    return render(request, "assess/pyramids/pyramid_draft.html", context)


@require_POST
def pyramid_draft_unit(request: UserRequest, slug: str, pk: int, uid: int) -> HttpResponse:
    """Give a unit another label, or take words away from it."""
    draft, form = draft_or_404(request, slug, pk), UnitForm(request.POST)
    if not form.is_valid():
        messages.warning(request, "Nothing was changed: enter a label of at most 400 characters.")
        return redirect("assess:pyramid_draft", slug, pk)
    try:
        if part := form.part():
            unmark_words(draft, request.user, uid, part)
        else:
            label_unit(draft, request.user, uid, form.cleaned_data["label"], form.cleaned_data["before"])
    except Refused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, "The words are taken away." if part else "The label is saved.")
    return redirect("assess:pyramid_draft", slug, pk)


@require_GET
def pyramid_draft_file(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Send a draft as the `.pyr` file that it becomes."""
    draft = draft_or_404(request, slug, pk)
    name = f"{slug}-{draft_file_name(draft)}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(write_pyr(draft_pyramid(draft)), content_type="application/xml", headers=headers)


@post_from("assess:pyramid_draft", "pk")
def pyramid_draft_store(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Ask, then store a draft as the pyramid of its topic."""
    draft = draft_or_404(request, slug, pk, Role.ORGANISER)
    if not is_confirmed(request):
        page = "assess/pyramids/confirm/pyramid_draft_store.html"
        return confirmation_page(request, draft.campaign, page, draft=draft, view=draft_view(draft))
    try:
        stored = finish_pyramid(draft, request.user)
    except (BadFile, Refused) as error:
        messages.warning(request, str(error))
        return redirect("assess:pyramid_draft", slug, pk)
    messages.success(request, f"{stored} is stored, {counted(len(stored.units), 'unit')}.")
    return redirect("metrics:pyramid", slug, stored.number)


@post_from("assess:pyramid_draft", "pk")
def pyramid_draft_discard(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Ask, then delete a draft with its units."""
    draft = draft_or_404(request, slug, pk)
    if not is_confirmed(request):
        page = "assess/pyramids/confirm/pyramid_draft_discard.html"
        return confirmation_page(request, draft.campaign, page, draft=draft)
    try:
        discard_pyramid_draft(draft, request.user)
    except Refused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, "The draft is discarded.")
    return redirect("metrics:pyramid_list", slug)
