"""The note of a judge on a topic, and the notes beside a case."""

from __future__ import annotations

from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post
from assess.notes.forms import NoteForm
from assess.notes.queries import note_of, notes_beside
from assess.notes.services import NoteChanged, save_note
from assess.queries.adjudication import dispute_in
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judging import topics_of_judge
from pooling.campaign_states import StateRefused
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404


@never_cache
@get_or_post
def topic_note(request: UserRequest, slug: str, number: str) -> HttpResponse:
    """Return the own note as a field of the judging screen. A POST stores it and answers with JSON."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    topic = get_object_or_404(topics_of_judge(request.user, campaign), number=number)
    if request.method == "GET":
        context = {"campaign": campaign, "topic": topic, "note": note_of(request.user, topic)}
        return render(request, "assess/notes/_topic_note.html", context)
    form = NoteForm(request.POST)
    if not form.is_valid():
        problem = " ".join(str(text) for texts in form.errors.values() for text in texts)
        return JsonResponse({"problem": problem}, status=400)
    try:
        save_note(request.user, topic, **form.cleaned_data)
    except NoteChanged as error:
        return JsonResponse({"stored": error.stored}, status=409)
    except StateRefused as error:
        return JsonResponse({"problem": str(error)}, status=403)
    return JsonResponse({"saved": True})


@require_GET
def case_notes(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Return the notes of the judges of a case, who are letters."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    card = dispute_in(CampaignReads(campaign), request.user, pk)
    if card is None:
        raise Http404
    context = {"campaign": campaign, "notes": notes_beside(card, request.user)}
    return render(request, "assess/notes/_case_notes.html", context)
