"""Snippets. Organisers make sets of the results of a run; judges grade a snippet, then its document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.db.models import Count, QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from accounts.requests import UserRequest, get_or_post, post_from
from assess.models import SnippetSet, SnippetTask
from assess.queries.judged_sets import MySet
from assess.snippets.forms import RunSnippetsForm, SnippetGradeForm, SnippetSetForm
from assess.snippets.queries.cards import SnippetCard, snippet_cards
from assess.snippets.queries.plan import preview_of
from assess.snippets.queries.result_page import DEEPEST, picked, result_page, topics_to_pick
from assess.snippets.queries.tasks import (
    SNIPPETS,
    last_labelled,
    sets_of,
    snippet_first,
    snippet_progress,
    tasks_for_judge,
)
from assess.snippets.services import (
    SnippetsRefused,
    create_snippets,
    discard_snippets,
    load_snippets,
    record_snippet_grade,
    remove_snippets,
    take_back_snippet_grade,
)
from assess.views.judged_sets import (
    SetPages,
    discard_page,
    handover_page,
    item_or_404,
    item_page,
    list_page,
    outbox_page,
    set_page,
    setup_page,
)
from assess.views.side_by_side import judges_campaign
from pooling.formats.files import BadFile
from pooling.models import Campaign, Role, Topic
from pooling.queries.campaigns import campaign_or_404, submitted_runs
from pooling.services.files import read_upload
from pooling.views.confirmation import confirmation_page, is_confirmed
from pooling.words import counted


class SnippetPages(SetPages):
    """The pages of snippets."""

    kind, form, folder = SNIPPETS, SnippetSetForm, "assess/snippets"
    lead = "Grade what a result page shows of a document, then the document."
    column, noun = "Graded", "item"
    note = "You grade the snippet before you see its document."
    related = ("made_by", "run")

    listed = staticmethod(sets_of)
    preview = staticmethod(preview_of)
    create = staticmethod(create_snippets)
    discard = staticmethod(discard_snippets)
    progress = staticmethod(snippet_progress)
    record = staticmethod(record_snippet_grade)
    take_back = staticmethod(take_back_snippet_grade)

    def items(self, judge: User, campaign: Campaign) -> QuerySet[SnippetTask]:
        return tasks_for_judge(judge, campaign).select_related("snippet_set", "result__topic")

    def about(self, item: SnippetTask) -> SnippetSet:
        return item.snippet_set

    def topic(self, item: SnippetTask) -> Topic:
        return item.result.topic

    def cards(
        self, campaign: Campaign, items: Sequence[SnippetTask], request: UserRequest | None
    ) -> list[SnippetCard]:
        return snippet_cards(campaign, items)

    def label_form(self, item: SnippetTask, fields: Mapping[str, Any] | None) -> SnippetGradeForm:
        return SnippetGradeForm(fields, grades=item.snippet_set.grades)

    def previous(self, judge: User, about: SnippetSet, item: SnippetTask) -> int | None:
        return last_labelled(judge, about)

    def counts(self, mine: MySet) -> str:
        return "snippets and documents graded"

    def context(self, request: UserRequest, item: SnippetTask, card: SnippetCard) -> dict[str, Any]:
        standing = card.given
        return {
            "grades": item.snippet_set.grades,
            "pressed": standing.grade if standing else None,
            "answers": standing.answers if standing else bool(request.POST.get("answers")),
            "reason": request.POST.get("reason", standing.reason if standing else ""),
        }


PAGES = SnippetPages()

# --- pages of organisers


@get_or_post
def snippet_setup(request: UserRequest, slug: str) -> HttpResponse:
    return setup_page(request, slug, PAGES)


@require_GET
def snippet_set(request: UserRequest, slug: str, number: int) -> HttpResponse:
    return set_page(request, slug, number, PAGES)


@post_from("assess:snippet_set", "number")
def snippet_discard(request: UserRequest, slug: str, number: int) -> HttpResponse:
    return discard_page(request, slug, number, PAGES)


@get_or_post
def snippet_handover(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    return handover_page(request, slug, number, pk, PAGES)


@get_or_post
def snippet_runs(request: UserRequest, slug: str) -> HttpResponse:
    """List the runs that brought snippets. A POST loads a file of them."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form, refused = RunSnippetsForm(request.POST or None, request.FILES or None, campaign=campaign), None
    if request.method == "POST" and form.is_valid():
        file, run = form.cleaned_data["file"], form.cleaned_data["run"]
        run.campaign = campaign
        try:
            loaded = load_snippets(run, request.user, read_upload(file), file.name or "")
        except BadFile as error:
            refused = error
        else:
            unknown = (
                f"; {counted(loaded.unknown, 'line')} of other topics left out" if loaded.unknown else ""
            )
            count = counted(len(loaded.snippets), "snippet")
            messages.success(request, f"{run.tag} has {count}: {loaded.note}{unknown}.")
            return redirect("assess:snippet_runs", slug)
    runs = campaign.runs.active().annotate(snippet_count=Count("snippets")).filter(snippet_count__gt=0)
    context = {"campaign": campaign, "form": form, "refused": refused, "runs": runs}
    return render(request, "assess/snippets/snippet_runs.html", context)


@post_from("assess:snippet_runs")
def snippet_remove(request: UserRequest, slug: str, tag: str) -> HttpResponse:
    """Ask, then remove the snippets of a run."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    run = get_object_or_404(campaign.runs.annotate(snippet_count=Count("snippets")), tag=tag)
    if not is_confirmed(request):
        return confirmation_page(request, campaign, "assess/snippets/confirm/snippet_remove.html", run=run)
    try:
        remove_snippets(run, request.user)
    except SnippetsRefused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"The snippets of {run.tag} are removed.")
    return redirect("assess:snippet_runs", slug)


# --- the page of those who may see a run


@require_GET
def run_results(request: UserRequest, slug: str, tag: str) -> HttpResponse:
    """Show the results of a run for a topic as a result page does, to who may read documents and runs."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    run = get_object_or_404(submitted_runs(request.user, campaign), tag=tag)
    topics, number = topics_to_pick(campaign, run), request.GET.get("topic", "")
    chosen = picked(topics, number)
    if number and not chosen:
        raise Http404("The campaign has no such topic.")
    context = {
        "campaign": campaign,
        "run": run,
        "topics": topics,
        "chosen": chosen,
        "deepest": DEEPEST,
        "found": result_page(campaign, run, chosen.topic, request.GET.get("page", "")) if chosen else None,
    }
    return render(request, "assess/snippets/run_results.html", context)


# --- pages of judges


@require_GET
def snippet_list(request: UserRequest, slug: str) -> HttpResponse:
    return list_page(request, slug, PAGES)


@never_cache
@get_or_post
def snippet(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Show a snippet or a document; a document whose snippet has no grade leads to the snippet."""
    if request.method == "GET":
        campaign = judges_campaign(request, slug)
        if first := snippet_first(item_or_404(campaign, request.user, pk, PAGES)):
            return redirect("assess:snippet", slug, first.pk)
    return item_page(request, slug, pk, PAGES)


@require_POST
def snippet_outbox(request: UserRequest, slug: str) -> HttpResponse:
    return outbox_page(request, slug, PAGES)
