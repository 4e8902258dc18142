"""Judges make nuggets from documents that they labelled and from answers, and see their own nuggets only."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.requests import UserRequest, get_or_post, request_key
from assess.models import Bank
from assess.nuggets.forms import OwnMarkForm, OwnNuggetForm
from assess.nuggets.queries.banks import draft_of
from assess.nuggets.queries.own import labelled_docnos, my_nugget_topics, own_nuggets, shown_document
from assess.nuggets.queries.own_answers import (
    BlindAnswer,
    answer_counts,
    blind_answers,
    code_of,
    nuggets_with_marks,
    own_marks,
    shown_blocks,
)
from assess.nuggets.services.banks import BankRefused
from assess.nuggets.services.marks import GONE, delete_mark, mark_answer, write_from_answer
from assess.nuggets.services.nuggets import delete_nugget, write_nugget
from assess.views.side_by_side import judges_campaign
from pooling.models import Role, Topic
from pooling.queries.campaigns import campaign_or_404
from pooling.refusals import Refused


@require_GET
def own_nugget_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the topics in which a judge can write. An organiser who is no judge is redirected."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    if Role.JUDGE not in campaign.my_roles:
        return redirect("assess:nugget_bank_list", slug)
    topics, answers = my_nugget_topics(request.user, campaign), answer_counts(request.user, campaign)
    context = {
        "campaign": campaign,
        "topics": [(mine, answers.get(mine.topic.pk, 0)) for mine in topics],
    }
    return render(request, "assess/nuggets/own_nugget_list.html", context)


def draft_or_404(request: UserRequest, slug: str, topic: str) -> tuple[Bank, Topic, list[str]]:
    """Return the draft, a topic in which the judge can write, and the documents labelled there."""
    campaign = judges_campaign(request, slug)
    about = get_object_or_404(campaign.topics, number=topic)
    about.campaign = campaign
    draft, docnos = draft_of(campaign), labelled_docnos(request.user, about)
    if draft is None or not docnos:
        raise Http404
    return draft, about, docnos


def own_context(
    request: UserRequest, about: Topic, docnos: list[str], answers: list[BlindAnswer]
) -> dict[str, Any]:
    """Return what both pages of a topic show beside the text: own nuggets, and how much there is to read."""
    return {
        "campaign": about.campaign,
        "topic": about,
        "document_count": len(docnos),
        "answer_count": len(answers),
        "nuggets": nuggets_with_marks(request.user, about, answers),
    }


@never_cache
@get_or_post
def own_nugget_topic(request: UserRequest, slug: str, topic: str) -> HttpResponse:
    """Show a labelled document and the judge's nuggets of the topic. A POST stores a nugget."""
    draft, about, docnos = draft_or_404(request, slug, topic)
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
        "form": form,
        "each": shown_document(about, docno),
        "place": place + 1,
        "before": docnos[place - 1] if place else "",
        "after": docnos[place + 1] if place + 1 < len(docnos) else "",
    }
    context |= own_context(request, about, docnos, blind_answers(request.user, about))
    return render(request, "assess/nuggets/own_nugget_topic.html", context)


@never_cache
@get_or_post
def own_nugget_answers(request: UserRequest, slug: str, topic: str) -> HttpResponse:
    """Show an answer, without its system, and the judge's nuggets of the topic. A POST marks words of it."""
    draft, about, docnos = draft_or_404(request, slug, topic)
    answers = blind_answers(request.user, about)
    if not answers:
        raise Http404
    asked = request.POST.get("answer") or request.GET.get("answer", "")
    answer = next((each for each in answers if each.code == asked), None)
    shown = answer or answers[0]
    own = own_nuggets(request.user, about.campaign).filter(topic=about)
    initial = {"answer": shown.code}
    form = OwnMarkForm(request.POST or None, grading=draft.grading, own=own, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            said = store_mark(request, draft, about, answer, form)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, said)
            page = reverse("assess:own_nugget_answers", args=[slug, topic])
            return redirect(f"{page}?{urlencode({'answer': shown.code})}")
    context = own_context(request, about, docnos, answers) | {
        "form": form,
        "shown": shown,
        "before": answers[shown.place - 2].code if shown.place > 1 else "",
        "after": answers[shown.place].code if shown.place < len(answers) else "",
    }
    context["blocks"] = shown_blocks(shown.answer, context["nuggets"])
    return render(request, "assess/nuggets/own_nugget_answers.html", context)


def store_mark(
    request: UserRequest, draft: Bank, about: Topic, shown: BlindAnswer | None, form: OwnMarkForm
) -> str:
    """Store a mark, and a new nugget unless one is chosen; return what was done. Raises BankRefused."""
    if shown is None:
        raise BankRefused(GONE)
    words, judge, key = form.words_in(shown.answer), request.user, request_key(request)
    if nugget := form.cleaned_data["nugget"]:
        mark_answer(draft, about, judge, nugget, words, key)
        return "The words are marked."
    write_from_answer(draft, about, judge, form.details(), words, key)
    return "The nugget is stored."


@require_POST
def own_nugget_delete(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Delete an own nugget of the draft."""
    campaign = judges_campaign(request, slug)
    nugget = get_object_or_404(
        own_nuggets(request.user, campaign).select_related("bank__campaign", "topic"), pk=pk
    )
    try:
        delete_nugget(nugget, request.user)
    except Refused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, "The nugget is deleted.")
    return redirect("assess:own_nugget_topic", slug, nugget.topic.number)


@require_POST
def own_nugget_mark_delete(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Take back an own mark in an answer; the nugget stays."""
    campaign = judges_campaign(request, slug)
    marks = own_marks(request.user, campaign).select_related("nugget__bank", "nugget__topic")
    mark = get_object_or_404(marks, pk=pk)
    try:
        delete_mark(mark, request.user)
    except Refused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, "The mark is deleted.")
    page = reverse("assess:own_nugget_answers", args=[slug, mark.nugget.topic.number])
    return redirect(f"{page}?{urlencode({'answer': code_of(request.user, mark.answer_id)})}")
