"""Nugget banks. Organisers and adjudicators make nuggets, weigh and join them; organisers freeze versions."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_GET, require_POST

from accounts.requests import UserRequest, get_or_post, post_from, request_key
from assess.models import Bank, BankNugget
from assess.nuggets.banks import NUGGETS, QUESTIONS
from assess.nuggets.forms import BankForm, ImportanceForm, JoinNuggetsForm, NuggetForm
from assess.nuggets.joining import alike
from assess.nuggets.queries.banks import (
    WeighedNugget,
    bank_file,
    banks_of,
    by_topic,
    difference_of,
    draft_of,
    has_questions,
    nuggets_of,
    topic_after,
    version_before,
    weighed,
)
from assess.nuggets.queries.loads import loads_of, withdrawal_of
from assess.nuggets.queries.marks import active_answers, held_nuggets, held_words, marks_of
from assess.nuggets.services.banks import (
    begin_draft,
    discard_draft,
    freeze_bank,
    why_not_frozen,
)
from assess.nuggets.services.loads import load_banks, withdraw_nuggets
from assess.nuggets.services.nuggets import (
    add_nugget,
    change_nugget,
    delete_nugget,
    join_nuggets,
    vote_on_importance,
)
from assess.nuggets.weighing import RULES
from pooling.formats.files import BadFile
from pooling.forms.files import FileForm
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.refusals import Refused
from pooling.services.files import read_upload
from pooling.views.confirmation import confirmation_page, is_confirmed
from pooling.views.edits import one_at_a_time
from pooling.words import counted

PAIRS_SHOWN = 10
MOST_COMPARED = 500  # nuggets of a topic
FILE_FORMS = {"questions": QUESTIONS, "nuggets": NUGGETS}


def bank_or_404(request: UserRequest, slug: str, number: int, *roles: Role) -> Bank:
    campaign = campaign_or_404(request.user, slug, *(roles or (Role.ORGANISER, Role.ADJUDICATOR)))
    bank = get_object_or_404(campaign.nugget_banks.select_related("made_by", "frozen_by"), number=number)
    bank.campaign = campaign
    return bank


def nugget_or_404(request: UserRequest, slug: str, number: int, pk: int) -> BankNugget:
    bank = bank_or_404(request, slug, number)
    nugget = get_object_or_404(bank.nuggets.select_related("topic"), pk=pk)
    nugget.bank = bank
    return nugget


def to_topic(nugget: BankNugget) -> HttpResponse:
    bank = nugget.bank
    return redirect("assess:nugget_topic", bank.campaign.slug, bank.number, nugget.topic.number)


@get_or_post
def nugget_bank_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the versions. A POST begins a draft."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER, Role.ADJUDICATOR)
    form = BankForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        try:
            bank = begin_draft(
                campaign, request.user, data["grading"], data["based_on"], request_key(request)
            )
        except Refused as error:
            form.add_error(None, str(error))
        else:
            return redirect("assess:nugget_bank", slug, bank.number)
    context = {
        "campaign": campaign,
        "form": form,
        "banks": banks_of(campaign),
        "draft": draft_of(campaign),
        "has_topics": campaign.topics.exists(),
    }
    return render(request, "assess/nuggets/nugget_bank_list.html", context)


@get_or_post
def nugget_bank(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show a version by topic, and its difference to another one. A POST loads a file into a draft."""
    bank = bank_or_404(request, slug, number)
    form, refused = FileForm(request.POST or None, request.FILES or None), None
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            loaded = load_banks(bank, request.user, read_upload(file), file.name)
        except BadFile as error:
            refused = error
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, str(loaded))
            for note in loaded.notes[:PAIRS_SHOWN]:
                wish = f" {note.wish}." if note.wish else ""
                messages.warning(request, f"Line {note.line}: {note.what}.{wish}")
            return redirect("assess:nugget_bank", slug, number)
    nuggets = nuggets_of(bank)
    earlier = bank.campaign.nugget_banks.exclude(frozen_at=None).filter(number__lt=number)
    against = request.GET.get("against", "")
    before = earlier.filter(number=int(against)).first() if against.isdecimal() and len(against) < 6 else None
    before = before or version_before(bank)
    context = {
        "campaign": bank.campaign,
        "bank": bank,
        "form": form,
        "refused": refused,
        "topics": by_topic(bank, nuggets),
        "nuggets": nuggets,
        "has_questions": has_questions(nuggets),
        "problems": why_not_frozen(nuggets) if bank.is_draft and nuggets else [],
        "rule": RULES[bank.grading],
        "loads": loads_of(bank),
        "before": before,
        "earlier": earlier,
        "difference": difference_of(before, nuggets) if before else None,
        "held": held_words(held_nuggets(bank).values()),
        "is_organiser": Role.ORGANISER in bank.campaign.my_roles,
    }
    return render(request, "assess/nuggets/nugget_bank.html", context)


@require_GET
def nugget_bank_file(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send a version as JSON Lines. ?form=nuggets: in the form of AutoNuggetizer."""
    bank = bank_or_404(request, slug, number)
    form = FILE_FORMS.get(request.GET.get("form", ""), QUESTIONS)
    try:
        content = bank_file(bank, form)
    except Refused as error:
        messages.warning(request, f"No file of this form: {error}")
        return redirect("assess:nugget_bank", slug, number)
    name = f"{slug}-nuggets-v{number}{'-draft' if bank.is_draft else ''}-{form}.jsonl"
    return HttpResponse(
        content,
        content_type="application/jsonl; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@post_from("assess:nugget_bank", "number")
def nugget_bank_freeze(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Say what differs from the version before, and once confirmed freeze the draft."""
    bank = bank_or_404(request, slug, number, Role.ORGANISER)
    nuggets = nuggets_of(bank)
    try:
        if not is_confirmed(request) and bank.is_draft and not why_not_frozen(nuggets):
            before = version_before(bank)
            changes = difference_of(before, nuggets) if before else None
            page = "assess/nuggets/confirm/nugget_bank_freeze.html"
            about = {"bank": bank, "nuggets": nuggets, "before": before, "difference": changes}
            about["held"] = held_words(held_nuggets(bank).values())
            return confirmation_page(request, bank.campaign, page, **about)
        freeze_bank(bank, request.user)
    except Refused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"{bank} is frozen, with {len(nuggets):,} nugget{pluralize(nuggets)}.")
    return redirect("assess:nugget_bank", slug, number)


@post_from("assess:nugget_bank", "number")
def nugget_load_withdraw(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Say which nuggets go, and once confirmed withdraw a file from a draft."""
    bank = bank_or_404(request, slug, number)
    load = get_object_or_404(bank.loads, pk=pk)
    load.bank = bank
    if load.withdrawn_at:
        messages.warning(request, f"{load} is withdrawn already.")
        return redirect("assess:nugget_bank", slug, number)
    if bank.is_draft and not is_confirmed(request):
        page = "assess/nuggets/confirm/nugget_load_withdraw.html"
        return confirmation_page(
            request, bank.campaign, page, bank=bank, load=load, withdrawal=withdrawal_of(load)
        )
    try:
        withdrawal = withdraw_nuggets(load, request.user)
    except Refused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"{load} is withdrawn, with {counted(len(withdrawal.gone), 'nugget')}.")
    return redirect("assess:nugget_bank", slug, number)


@post_from("assess:nugget_bank", "number")
def nugget_bank_discard(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Ask, then delete a draft with its nuggets."""
    bank = bank_or_404(request, slug, number, Role.ORGANISER)
    if not is_confirmed(request):
        page = "assess/nuggets/confirm/nugget_bank_discard.html"
        return confirmation_page(request, bank.campaign, page, bank=bank, count=bank.nuggets.count())
    try:
        discard_draft(bank, request.user)
    except Refused as error:
        messages.warning(request, str(error))
        return redirect("assess:nugget_bank", slug, number)
    messages.success(request, f"The draft of {bank} is discarded.")
    return redirect("assess:nugget_bank_list", slug)


@get_or_post
def nugget_topic(request: UserRequest, slug: str, number: int, topic: str) -> HttpResponse:
    """Show the nuggets of a topic. A POST adds one to a draft."""
    bank = bank_or_404(request, slug, number)
    about = get_object_or_404(bank.campaign.topics, number=topic)
    form = NuggetForm(request.POST or None, grading=bank.grading)
    if request.method == "POST" and form.is_valid():
        try:
            add_nugget(bank, about, request.user, form.details(), request_key(request))
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The nugget is added.")
            return redirect("assess:nugget_topic", slug, number, topic)
    nuggets = nuggets_of(bank, about)
    shown = visible_nuggets(nuggets, bank, request.GET.get("suggestions") == "show")
    held = held_nuggets(bank, about)
    context = {
        "campaign": bank.campaign,
        "bank": bank,
        "topic": about,
        "next_topic": topic_after(bank, about),
        "form": form,
        "nuggets": [(each, held.get(each.stored.pk)) for each in shown],
        "answer_count": active_answers(bank.campaign).get(about.pk, 0),
        "closed": len(nuggets) - len(shown),
        "pairs": pairs_in(shown) if bank.is_draft else [],
        "rule": RULES[bank.grading],
    }
    return render(request, "assess/nuggets/nugget_topic.html", context)


def visible_nuggets(nuggets: list[WeighedNugget], bank: Bank, asked: bool) -> list[WeighedNugget]:
    """Return the nuggets without suggestions while a draft has none of a person, unless they were asked for.

    People write what they find before they see what a program found.
    """
    people = [each for each in nuggets if not each.stored.is_suggestion]
    return nuggets if people or asked or not bank.is_draft else []


def pairs_in(nuggets: list[WeighedNugget]) -> list[tuple[WeighedNugget, WeighedNugget, int]]:
    """Return pairs of the first nuggets that may say the same, with the number of words in common."""
    pairs = alike([each.nugget.text for each in nuggets[:MOST_COMPARED]])
    return [(nuggets[first], nuggets[second], count) for count, first, second in pairs[:PAIRS_SHOWN]]


@get_or_post
@one_at_a_time
def nugget(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Show a nugget with its passages and votes. A POST changes it."""
    stored = nugget_or_404(request, slug, number, pk)
    initial = {
        "text": stored.text,
        "importance": "" if stored.importance is None else str(stored.importance),
        "answers": "\n".join(answer["text"] for answer in stored.answers),
        "aggregator": stored.aggregator or "OR",
    }
    form = NuggetForm(
        request.POST or None, grading=stored.bank.grading, known=stored.importance, initial=initial
    )
    if request.method == "POST" and form.is_valid():
        try:
            change_nugget(stored, request.user, form.details())
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The nugget is saved.")
            return to_topic(stored)
    return nugget_page(request, stored, form=form)


def nugget_page(request: UserRequest, stored: BankNugget, **context: Any) -> HttpResponse:
    each = weighed(stored)
    own = next((vote.importance for vote in each.votes if vote.voter_id == request.user.pk), "")
    chosen = {"importance": str(own)}
    vote = ImportanceForm(grading=stored.bank.grading, initial=chosen, auto_id="vote_%s")
    about = {
        "campaign": stored.bank.campaign,
        "bank": stored.bank,
        "topic": stored.topic,
        "each": each,
        "marks": marks_of(stored),
        "vote": vote,
        "rule": RULES[stored.bank.grading],
    }
    return render(request, "assess/nuggets/nugget.html", about | context)


@require_POST
def nugget_vote(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Store the vote of this person on the importance of a nugget."""
    stored = nugget_or_404(request, slug, number, pk)
    form = ImportanceForm(request.POST, grading=stored.bank.grading)
    if not form.is_valid():
        messages.warning(request, "Choose an importance of this bank.")
        return redirect("assess:nugget", slug, number, pk)
    try:
        vote_on_importance(stored, request.user, form.chosen())
    except Refused as error:
        messages.warning(request, str(error))
    else:
        messages.success(
            request, "Your vote is stored." if form.chosen() is not None else "You have no vote."
        )
    return to_topic(stored)


@get_or_post
def nugget_join(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Show a nugget beside another one of its topic. A POST joins them."""
    stored = nugget_or_404(request, slug, number, pk)
    form = JoinNuggetsForm(request.POST or None, bank=stored.bank_id, topic=stored.topic_id)
    if request.method == "POST" and form.is_valid():
        try:
            joined = join_nuggets(form.cleaned_data["kept"], form.cleaned_data["other"], request.user)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The nuggets are joined.")
            if joined.again:
                names = ", ".join(joined.again)
                messages.warning(request, f"Ask again for a vote, because the two differed: {names}.")
            return to_topic(stored)
    nuggets = nuggets_of(stored.bank, stored.topic)
    this = next(each for each in nuggets if each.stored.pk == pk)
    asked = request.GET.get("other", "")
    context = {
        "campaign": stored.bank.campaign,
        "bank": stored.bank,
        "topic": stored.topic,
        "form": form,
        "this": this,
        "other": next((each for each in nuggets if str(each.stored.pk) == asked and each != this), None),
        "others": [each for each in nuggets if each != this],
    }
    return render(request, "assess/nuggets/nugget_join.html", context)


@post_from("assess:nugget", "number", "pk")
def nugget_delete(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Ask, then delete a nugget of a draft."""
    stored = nugget_or_404(request, slug, number, pk)
    if not is_confirmed(request):
        page = "assess/nuggets/confirm/nugget_delete.html"
        return confirmation_page(request, stored.bank.campaign, page, bank=stored.bank, each=weighed(stored))
    try:
        delete_nugget(stored, request.user)
    except Refused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, "The nugget is deleted.")
    return to_topic(stored)
