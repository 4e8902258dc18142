"""The pages of sets of work for judges: organisers make sets, judges label what is in them.

A feature package describes its pages by a subclass of `SetPages`; its views call the functions of this one.
"""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from accounts.models import User
from accounts.requests import UserRequest, request_key
from assess.forms.judged_sets import HandoverForm, TakeBackForm
from assess.forms.judging import OutboxPayload
from assess.kappa.bootstrap import MIN_TOPICS
from assess.queries.judged_sets import JudgedKind, MySet, SetProgress
from assess.services.judged_sets import SetRefused, give_open_tasks
from assess.views.payloads import entry_of, error_text, next_cards, problems_of, read_payload, set_of
from assess.views.side_by_side import SideBySide, judges_campaign
from pooling.models import Campaign, Role, Topic
from pooling.queries.campaigns import campaign_or_404
from pooling.refusals import Refused
from pooling.views.confirmation import confirmation_page, is_confirmed

CARDS_AHEAD = 3  # items on the page, with the one on screen


class SetPages(ABC):
    """What the pages of one kind of sets need.

    folder: of the templates. form: of a new set; made with a campaign, and its `asked()` is what `preview`
    and `create` take. lead, column: of the judge's list. noun: of what is on screen. note: a sentence under
    the buttons.

    listed: the sets of a campaign with the counts that their list shows. preview: the numbers of a set that
    is not made yet. progress: how far the judges of a set are. record: stores what `submitted()` of a label
    form returns. take_back: takes a label back, by a new UUID and that of the label.
    """

    kind: ClassVar[JudgedKind]
    folder: ClassVar[str]
    form: ClassVar[type[forms.Form]]
    lead: ClassVar[str]
    column: ClassVar[str]
    noun: ClassVar[str]
    note: ClassVar[str]
    related: ClassVar[tuple[str, ...]] = ("made_by",)

    # services and queries of the package; what refuses raises Refused
    listed: Callable[[Campaign], QuerySet[Any]]
    preview: Callable[[Any], Any]
    create: Callable[[Campaign, User, Any, str], Any]
    discard: Callable[[Any, User], None]
    progress: Callable[[Any], SetProgress]
    record: Callable[[Any, User, Any], object]
    take_back: Callable[[Any, User, uuid.UUID, uuid.UUID, float | None], None]

    def set_context(self, about: Any) -> dict[str, Any]:
        """Return what the page of a set needs besides."""
        return {}

    @abstractmethod
    def items(self, judge: User, campaign: Campaign) -> QuerySet[Any]:
        """Return what a judge may label, with what cards and services need of it."""

    @abstractmethod
    def about(self, item: Any) -> Any:
        """Return the set of an item."""

    @abstractmethod
    def topic(self, item: Any) -> Topic:
        """Return the topic of an item."""

    @abstractmethod
    def cards(self, campaign: Campaign, items: Sequence[Any], request: UserRequest | None) -> Sequence[Any]:
        """Return the cards of items. request: of the page; None for items that are not on screen."""

    @abstractmethod
    def label_form(self, item: Any, fields: Mapping[str, Any] | None) -> forms.Form:
        """Return the form of a label; its `submitted()` is what `record` takes."""

    @abstractmethod
    def previous(self, judge: User, about: Any, item: Any) -> int | None:
        """Return the key of the item that the judge labelled last."""

    @abstractmethod
    def counts(self, mine: Any) -> str:
        """Return the words after the numbers of the bar, as in "battles voted"."""

    def context(self, request: UserRequest, item: Any, card: Any) -> dict[str, Any]:
        """Return what the template of the screen needs besides."""
        return {}

    def entry(self, fields: Mapping[str, Any]) -> int:
        """Return the key of the item that a submitted label is about; 0 if it is none."""
        return entry_of(fields)

    # --- derived from these

    def url(self, page: str, *args: Any) -> str:
        """Return the address of a page of this kind, as of "setup" or "list"; "" is the judge's screen."""
        return reverse(f"assess:{self.kind.name}{page and '_'}{page}", args=args)

    def template(self, page: str) -> str:
        return f"{self.folder}/{self.kind.name}{page and '_'}{page}.html"

    @property
    def card_template(self) -> str:
        return f"{self.folder}/parts/_{self.kind.name}_card.html"

    def finished(self, mine: MySet) -> str:
        return f"You have finished {mine.about}."

    def items_in(self, campaign: Campaign, judge: User, keys: Iterable[int]) -> list[Any]:
        """Return these items of the judge, in this order."""
        keys = list(keys)
        by_key = {item.pk: item for item in self.items(judge, campaign).filter(pk__in=keys)}
        for item in by_key.values():
            self.about(item).campaign = campaign
        return [by_key[key] for key in keys if key in by_key]

    def mine(self, campaign: Campaign, judge: User, key: int) -> MySet | None:
        """Return a set as a judge sees it, by its key."""
        return next((each for each in self.kind.mine(judge, campaign) if each.about.pk == key), None)


# --- pages of organisers


def setup_page(request: UserRequest, slug: str, pages: SetPages) -> HttpResponse:
    """List the sets. A POST shows the numbers of a new one, and once confirmed stores it."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form: Any = pages.form(request.POST or None, campaign=campaign)  # type: ignore[call-arg]
    if request.method == "POST" and form.is_valid():
        try:
            asked = form.asked()
            if not is_confirmed(request):
                page = f"{pages.folder}/confirm/{pages.kind.name}_setup.html"
                context = {"asked": asked, "preview": pages.preview(asked), "least_topics": MIN_TOPICS}
                return confirmation_page(request, campaign, page, **context)
            stored = pages.create(campaign, request.user, asked, request_key(request))
        except Refused as error:
            form.add_error(None, str(error))
        else:
            count = pages.kind.counted(pages.kind.all_tasks(stored).count())
            messages.success(request, f"{stored}: judges see {count}.")
            return redirect(pages.url("set", slug, stored.number))
    context = {"campaign": campaign, "form": form, "sets": pages.listed(campaign)}
    return render(request, pages.template("setup"), context)


def set_or_404(request: UserRequest, slug: str, number: int, pages: SetPages) -> Any:
    """Return a set for its organiser."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    judged_set = get_object_or_404(pages.kind.sets(campaign).select_related(*pages.related), number=number)
    judged_set.campaign = campaign
    return judged_set


def set_page(request: UserRequest, slug: str, number: int, pages: SetPages) -> HttpResponse:
    """Show a set, and how far its judges are."""
    judged_set = set_or_404(request, slug, number, pages)
    context = {
        "campaign": judged_set.campaign,
        "set": judged_set,
        "progress": pages.progress(judged_set),
        "pages": pages,
    }
    return render(request, pages.template("set"), context | pages.set_context(judged_set))


def discard_page(request: UserRequest, slug: str, number: int, pages: SetPages) -> HttpResponse:
    """Ask, then delete a set without labels."""
    judged_set = set_or_404(request, slug, number, pages)
    if not is_confirmed(request):
        page, progress = "assess/judged_sets/confirm/set_discard.html", pages.progress(judged_set)
        return confirmation_page(
            request, judged_set.campaign, page, set=judged_set, progress=progress, pages=pages
        )
    try:
        pages.discard(judged_set, request.user)
    except SetRefused as error:
        messages.warning(request, str(error))
        return redirect(pages.url("set", slug, number))
    messages.success(request, f"Discarded: {judged_set}.")
    return redirect(pages.url("setup", slug))


def handover_page(request: UserRequest, slug: str, number: int, pk: int, pages: SetPages) -> HttpResponse:
    """Show what a judge has not finished. A POST shows who would get it, and once confirmed gives it."""
    judged_set, kind = set_or_404(request, slug, number, pages), pages.kind
    judge = get_object_or_404(User.objects.filter(pk__in=kind.all_tasks(judged_set).values("judge")), pk=pk)
    form = HandoverForm(request.POST or None, judges=kind.successors(judged_set, judge))
    context = {"set": judged_set, "judge": judge, "pages": pages}
    if request.method == "POST" and form.is_valid():
        others = list(form.cleaned_data["others"])
        if not is_confirmed(request):
            page = "assess/judged_sets/confirm/set_handover.html"
            planned = kind.handover(judged_set, judge, others)
            context |= {
                "planned": planned,
                "given": kind.counted(len(planned.given)),
                "shares": [(taker, kind.counted(count)) for taker, count in planned.shares],
            }
            return confirmation_page(request, judged_set.campaign, page, **context)
        try:
            planned = give_open_tasks(kind, judged_set, judge, others, request.user)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"{kind.counted(len(planned.given))} of {judge} went to others.")
            return redirect(pages.url("set", slug, number))
    open_tasks = kind.open_tasks(judged_set, judge)
    context |= {
        "campaign": judged_set.campaign,
        "form": form,
        "has_open": bool(open_tasks),
        "left": kind.counted(len(open_tasks)),
    }
    return render(request, "assess/judged_sets/set_handover.html", context)


# --- pages of judges


def list_page(request: UserRequest, slug: str, pages: SetPages) -> HttpResponse:
    """List the sets of a judge. An organiser who is no judge is redirected to the organiser's list."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    if Role.JUDGE not in campaign.my_roles:
        return redirect(pages.url("setup", slug))
    sets = [
        (mine, pages.url("", slug, mine.waiting[0]) if mine.waiting else "")
        for mine in pages.kind.mine(request.user, campaign)
    ]
    context = {"campaign": campaign, "pages": pages, "sets": sets, "outbox": pages.url("outbox", slug)}
    return render(request, "assess/judged_sets/set_list.html", context)


def item_or_404(campaign: Campaign, judge: User, pk: int, pages: SetPages) -> Any:
    """Return an item that the judge may label."""
    if items := pages.items_in(campaign, judge, [pk]):
        return items[0]
    raise Http404


def item_page(request: UserRequest, slug: str, pk: int, pages: SetPages) -> HttpResponse:
    """Show an item. A POST stores a label and redirects to the next item."""
    campaign = judges_campaign(request, slug)
    item = item_or_404(campaign, request.user, pk, pages)
    about, form = pages.about(item), pages.label_form(item, request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            pages.record(item, request.user, form.submitted())  # type: ignore[attr-defined]
        except Refused as error:
            form.add_error(None, str(error))
        else:
            return _redirect_to_next(request, campaign, item, pages)
    (card,) = pages.cards(campaign, [item], request)
    previous, mine = pages.previous(request.user, about, item), pages.mine(campaign, request.user, about.pk)
    context = {
        "campaign": campaign,
        "pages": pages,
        "mine": mine,
        "counts": pages.counts(mine),
        "card": card,
        "screen": SideBySide(
            title=str(about),
            place=pages.kind.title,
            noun=pages.noun,
            key=about.pk,
            page=pages.url("list", slug),
            outbox=pages.url("outbox", slug),
            previous=pages.url("", slug, previous) if previous else "",
            note=pages.note,
        ),
        "form": form,
        "uuid": uuid.uuid4(),
    }
    return render(request, pages.template(""), context | pages.context(request, item, card))


def _redirect_to_next(request: UserRequest, campaign: Campaign, item: Any, pages: SetPages) -> HttpResponse:
    """Open the item again if something of it is open, or else the next one, or else the list."""
    mine = pages.mine(campaign, request.user, pages.about(item).pk)
    if mine and mine.waiting:
        key = item.pk if item.pk in mine.waiting else mine.waiting[0]
        return redirect(pages.url("", campaign.slug, key))
    if mine:
        messages.success(request, pages.finished(mine))
    return redirect(pages.url("list", campaign.slug))


def outbox_page(request: UserRequest, slug: str, pages: SetPages) -> HttpResponse:
    """Store the labels that a page sends. Return the next items of its set."""
    campaign = judges_campaign(request, slug)
    payload = read_payload(request)
    if isinstance(payload, HttpResponse):
        return payload
    problems = problems_of(payload, lambda fields: submit_label(campaign, request.user, fields, pages))
    context = {"campaign": campaign, "problems": problems, "pages": pages}
    if payload.want:
        context |= _next_items(request, campaign, payload, pages)
    return render(request, "assess/judged_sets/parts/_cards.html", context)


def submit_label(campaign: Campaign, judge: User, fields: Mapping[str, Any], pages: SetPages) -> str:
    """Store one label, or take one back. Return a problem, which names the topic, or ""."""
    items = pages.items_in(campaign, judge, [pages.entry(fields)])
    if not items:
        return f"This {pages.kind.item} is not yours any more. {pages.kind.not_stored}"
    (item,), topic = items, f"Topic {pages.topic(items[0]).number}"
    is_taken_back = "revokes" in fields
    form = TakeBackForm(fields) if is_taken_back else pages.label_form(item, fields)
    if not form.is_valid():
        return f"{topic}: {error_text(form)}"
    try:
        if is_taken_back:
            data = form.cleaned_data
            pages.take_back(item, judge, data["uuid"], data["revokes"], data["seconds_ago"])
        else:
            pages.record(item, judge, form.submitted())  # type: ignore[attr-defined]
    except Refused as error:
        return f"{topic}: {error}"
    return ""


def _next_items(
    request: UserRequest, campaign: Campaign, payload: OutboxPayload, pages: SetPages
) -> dict[str, Any]:
    """Return the next items of the set of a page. payload.topic: the key of the set."""
    mine = pages.mine(campaign, request.user, set_of(payload))
    if mine is None:
        return {}
    if not mine.waiting and payload.labels:  # the page opens the list next
        messages.success(request, pages.finished(mine))
    own = pages.items(request.user, campaign)
    keys, closed = next_cards(payload, mine.waiting, own, CARDS_AHEAD)
    cards = pages.cards(campaign, pages.items_in(campaign, request.user, keys), None)
    return {"mine": mine, "counts": pages.counts(mine), "cards": cards, "closed": closed}
