"""Answer runs: the list, the submission with its report, one run, and its answers with what they cite."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib import messages
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post, post_from, redirect_to_top
from assess.answers.answer_files import FORMS
from assess.answers.forms import AnswerRulesForm, AnswerRunForm
from assess.answers.queries import (
    answer_acceptance,
    answers_of,
    cited_texts,
    cited_without_text,
    counted_answer_runs,
    lengths_of,
    limits_of,
    neighbours_of,
    receipt_of,
    rules_of,
    submitted_answer_runs,
    why_answers_are_fixed,
)
from assess.answers.services import (
    AnswerRunRefused,
    set_answer_rules,
    submit_answer_run,
    withdraw_answer_run,
)
from assess.document.answers import answer_view
from assess.models import Answer, AnswerRun
from assess.queries.answers import cited_text, with_text
from pooling.campaign_states import StateRefused
from pooling.formats.files import BadFile
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.queries.receipts import text_of_receipt
from pooling.services.files import read_upload
from pooling.views.confirmation import confirmation_page, is_confirmed
from pooling.views.documents import attachment
from pooling.views.runs import own_group
from pooling.words import counted


@get_or_post
def answer_run_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the answer runs that this person may see. A POST submits files, and says which were refused."""
    campaign = campaign_or_404(request.user, slug, Role.PARTICIPANT)
    form = AnswerRunForm(request.POST or None, request.FILES or None, group=own_group(request, campaign))
    stored: list[AnswerRun] = []
    refusals: list[BadFile] = []
    if request.method == "POST" and form.is_valid():
        stored, refusals = submit(request, campaign, form)
        if not refusals:
            for run in stored:
                messages.success(request, f"{run.tag} stored, {counted(run.answer_count, 'answer')}.")
            if len(stored) == 1:
                return redirect_to_top("assess:answer_run", slug, stored[0].pk)
            return redirect_to_top("assess:answer_run_list", slug)
    return list_page(request, campaign, form=form, stored=stored, refusals=refusals)


def list_page(request: UserRequest, campaign: Campaign, **context: Any) -> HttpResponse:
    seen = submitted_answer_runs(request.user, campaign)
    runs, rules = list(seen.active()), rules_of(campaign)
    is_organiser = Role.ORGANISER in campaign.my_roles
    lengths = lengths_of(runs)
    about = {
        "campaign": campaign,
        "runs": [(run, lengths.get(run.pk), FORMS[run.form].title) for run in runs],
        "withdrawn": seen.exclude(withdrawn_at=None).select_related("withdrawn_by"),
        "acceptance": answer_acceptance(campaign, request.user),
        "submitted": counted_answer_runs(campaign, request.user, timezone.now()),
        "rules": rules,
        "rules_form": AnswerRulesForm(instance=rules) if is_organiser else None,
        "texts": cited_texts(campaign) if is_organiser and runs else None,
        "forms": [
            (key, form.title, limits_of(rules, key).sentence)
            for key, form in FORMS.items()
            if rules.form in ("", key)
        ],
    }
    return render(request, "assess/answers/answer_run_list.html", about | context)


def submit(
    request: UserRequest, campaign: Campaign, form: AnswerRunForm
) -> tuple[list[AnswerRun], list[BadFile]]:
    """Store each file that can be stored; return the runs, and why the other files are refused.

    Raises StateRefused if the campaign takes none of them.
    """
    stored: list[AnswerRun] = []
    refusals: list[BadFile] = []
    for file in form.cleaned_data["file"]:
        name = file.name or ""
        try:
            run = submit_answer_run(campaign, request.user, read_upload(file), name, form.details())
        except BadFile as error:
            refusals.append(error)
        except StateRefused as error:
            if not stored:
                raise
            refusals.append(BadFile(str(error).rstrip("."), name=name))  # such as the last one of a day
        else:
            stored.append(run)
    return stored, refusals


@post_from("assess:answer_run_list")
def answer_rules(request: UserRequest, slug: str) -> HttpResponse:
    """Set the rules of answer runs."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = AnswerRulesForm(request.POST, instance=rules_of(campaign))
    if not form.is_valid():
        return list_page(request, campaign, form=AnswerRunForm(), rules_form=form)
    set_answer_rules(campaign, request.user, form.cleaned_data)
    messages.success(request, "The rules of answer runs are saved. Runs that are stored do not change.")
    return redirect("assess:answer_run_list", slug)


@require_GET
def cited_missing(request: UserRequest, slug: str) -> HttpResponse:
    """Send the docnos of the cited documents that have no text here, a line each."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    lines = "".join(f"{row['docno']}\n" for row in cited_without_text(campaign))
    return attachment(lines, f"{slug}-cited-documents-missing.txt", "text/plain; charset=utf-8")


def answer_run_or_404(request: UserRequest, slug: str, pk: int) -> AnswerRun:
    campaign = campaign_or_404(request.user, slug, Role.PARTICIPANT)
    run = get_object_or_404(submitted_answer_runs(request.user, campaign), pk=pk)
    run.campaign = campaign
    return run


@require_GET
def answer_run(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Show what was stored of an answer run, and its topics."""
    run = answer_run_or_404(request, slug, pk)
    context = {
        "campaign": run.campaign,
        "run": run,
        "form_title": FORMS[run.form].title,
        "answers": answers_of(run),
        "why_fixed": why_answers_are_fixed(run.campaign, request.user),
    }
    return render(request, "assess/answers/answer_run.html", context)


@require_GET
def answer_run_file(request: UserRequest, slug: str, pk: int) -> HttpResponseBase:
    """Send the submitted file, gzip."""
    run = answer_run_or_404(request, slug, pk)
    return FileResponse(run.original.open("rb"), as_attachment=True, filename=f"{run.tag}.jsonl.gz")


@require_GET
def answer_run_receipt(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Send the receipt of an answer run: plain text, or JSON where `format=json` is asked for."""
    run = answer_run_or_404(request, slug, pk)
    receipt = receipt_of(run)
    if request.GET.get("format") == "json":
        response = JsonResponse(receipt, json_dumps_params={"indent": 2, "ensure_ascii": False})
        response["Content-Disposition"] = f'attachment; filename="{run.tag}-receipt.json"'
        return response
    heading = f"Receipt of an answer run submitted to {run.campaign.name}"
    text = text_of_receipt(heading, receipt)
    return attachment(text, f"{run.tag}-receipt.txt", "text/plain; charset=utf-8")


@post_from("assess:answer_run_list")
def answer_run_withdraw(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Ask, then withdraw an answer run."""
    run = answer_run_or_404(request, slug, pk)
    if why := why_answers_are_fixed(run.campaign, request.user):
        raise StateRefused(why)
    if not is_confirmed(request):
        page = "assess/answers/confirm/answer_run_withdraw.html"
        return confirmation_page(request, run.campaign, page, run=run)
    try:
        withdraw_answer_run(run, request.user)
    except AnswerRunRefused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"{run.tag} is withdrawn. Its tag is free again.")
    return redirect("assess:answer_run_list", slug)


def answer_or_404(request: UserRequest, slug: str, pk: int, number: str) -> Answer:
    run = answer_run_or_404(request, slug, pk)
    answer = get_object_or_404(run.answers.select_related("topic"), topic__number=number)
    answer.run, answer.topic.campaign = run, run.campaign
    return answer


@require_GET
def answer(request: UserRequest, slug: str, pk: int, number: str) -> HttpResponse:
    """Show an answer, and a document that it cites where `sentence` and `citation` name one."""
    answer = answer_or_404(request, slug, pk, number)
    run, sentences = answer.run, answer.stored_sentences
    cited = {docno for sentence in sentences for docno in sentence.citations}
    before, after = neighbours_of(answer)
    place, citation = (request.GET.get(name, "") for name in ("sentence", "citation"))
    shown, reads = None, reads_texts(run.campaign)
    if reads and place.isdecimal() and citation.isdecimal() and len(place) + len(citation) < 12:
        shown = cited_text(answer, int(place), int(citation))
    context = {
        "campaign": run.campaign,
        "run": run,
        "answer": answer,
        "view": answer_view(
            sentences,
            with_text(run.campaign, cited) if reads else set(),
            partial(addresses, slug, answer) if reads else no_addresses,
        ),
        "reads": reads,
        "cited": shown,
        "closed": reverse("assess:answer", args=[slug, pk, number]),
        "before": before,
        "after": after,
    }
    return render(request, "assess/answers/answer.html", context)


def reads_texts(campaign: Campaign) -> bool:
    """Return whether the person may read cited documents; which ones have a text tells of the pool."""
    return Role.ORGANISER in campaign.my_roles


def no_addresses(place: int, citation: int) -> tuple[str, str]:
    return "", ""


def addresses(slug: str, answer: Answer, place: int, citation: int) -> tuple[str, str]:
    """Return the page and the fragment that show what a sentence cites."""
    given = [slug, answer.run_id, answer.topic.number]
    page = reverse("assess:answer", args=given)
    fragment = reverse("assess:cited_passage", args=[*given, place, citation])
    return f"{page}?sentence={place}&citation={citation}#sentence-{place}", fragment


@require_GET
def cited_passage(
    request: UserRequest, slug: str, pk: int, number: str, place: int, citation: int
) -> HttpResponse:
    """Show a document at its densest passage for the sentence that cites it."""
    answer = answer_or_404(request, slug, pk, number)
    shown = cited_text(answer, place, citation) if reads_texts(answer.run.campaign) else None
    if shown is None:
        raise Http404
    context = {
        "campaign": answer.run.campaign,
        "cited": shown,
        "closed": reverse("assess:answer", args=[slug, pk, number]),
    }
    return render(request, "assess/answers/_cited_passage.html", context)
