"""Versions of nugget banks: begin a draft, freeze it or discard it."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from accounts.models import User
from accounts.services import make_once
from assess.models import Bank, BankNugget
from assess.nuggets.banks import write_banks
from assess.nuggets.queries.banks import WeighedNugget, difference_of, nuggets_of, pure_banks, version_before
from assess.nuggets.services.kept_marks import copy_marks
from assess.nuggets.weighing import GRADINGS
from pooling.checksum import sha256_of
from pooling.formats.text import quoted
from pooling.models import Campaign
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.words import counted, enumeration

MAX_PROBLEMS_SHOWN = 5


class BankRefused(Refused):
    """A nugget bank cannot be changed in this way; the message says why."""


def locked_draft(bank: Bank) -> Bank:
    """Return a draft as it is now, and lock its campaign. Raises BankRefused for a frozen or a gone one."""
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=bank.campaign_id)
    draft = campaign.nugget_banks.filter(pk=bank.pk).first()
    if draft is None:
        raise BankRefused("This draft was discarded meanwhile.")
    if not draft.is_draft:
        raise BankRefused(f"{draft} is frozen and never changes. Begin a draft from it.")
    draft.campaign = campaign
    return draft


def begin_draft(
    campaign: Campaign, by: User, grading: str, based_on: Bank | None = None, key: str = ""
) -> Bank:
    """Begin a draft: an empty one, or a copy of a frozen version, whose kind of importance it has.

    key: see `make_once`. Raises BankRefused if there is a draft.
    """
    return make_once(by, key, Bank, lambda: _begin(campaign, by, grading, based_on))


@transaction.atomic
def _begin(campaign: Campaign, by: User, grading: str, based_on: Bank | None) -> Bank:
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if known := campaign.nugget_banks.filter(frozen_at=None).first():
        raise BankRefused(f"{known} is a draft already. Freeze or discard it first.")
    if grading not in GRADINGS:
        raise BankRefused(f"Choose a kind of importance: {enumeration(GRADINGS, separator='; ')}.")
    last = campaign.nugget_banks.aggregate(last=Max("number"))["last"] or 0
    bank = Bank.objects.create(
        campaign=campaign,
        number=last + 1,
        grading=based_on.grading if based_on else grading,
        based_on=based_on.number if based_on else None,
        made_by=by,
    )
    if based_on:
        copies = list(based_on.nuggets.all())
        for copy in copies:
            copy.pk, copy.bank = None, bank
        BankNugget.objects.bulk_create(copies)
        copy_marks(based_on, bank)
    origin = f"a copy of version {based_on.number}" if based_on else "empty"
    log_change(
        campaign,
        by,
        "began a nugget bank",
        f"{bank}, {origin}",
        number=bank.number,
        grading=bank.grading,
        based_on=bank.based_on,
    )
    return bank


@transaction.atomic
def discard_draft(bank: Bank, by: User) -> None:
    """Delete a draft with its nuggets. Raises BankRefused for a frozen version."""
    draft = locked_draft(bank)
    count = draft.nuggets.count()
    summary = f"{draft} with {counted(count, 'nugget')}"
    log_change(draft.campaign, by, "discarded a nugget bank", summary, number=draft.number, nuggets=count)
    draft.delete()


def why_not_frozen(nuggets: list[WeighedNugget]) -> list[str]:
    """Return what a draft needs before it can be frozen, each with its place."""
    if not nuggets:
        return ["The draft has no nuggets."]
    problems, texts = [], set[tuple[int, str]]()
    for each in nuggets:
        place = f"Topic {each.stored.topic.number}, nugget {each.stored.place} ({quoted(each.nugget.text)})"
        if each.importance is None:
            problems.append(f"{place} has no importance.")
        if (each.stored.topic_id, each.nugget.text) in texts:
            problems.append(f"{place} stands twice: join the two.")
        texts.add((each.stored.topic_id, each.nugget.text))
    return problems


@transaction.atomic
def freeze_bank(bank: Bank, by: User) -> Bank:
    """Freeze a draft: its nuggets, with the importance that they have now, never change again.

    Raises BankRefused for an empty one, and for nuggets without importance or with the same text.
    """
    draft = locked_draft(bank)
    nuggets = nuggets_of(draft)
    if problems := why_not_frozen(nuggets):
        more = len(problems) - MAX_PROBLEMS_SHOWN
        said = " ".join(problems[:MAX_PROBLEMS_SHOWN])
        raise BankRefused(f"{said} And {more:,} more." if more > 0 else said)
    for each in nuggets:
        if each.stored.importance is None:
            each.stored.importance = each.importance
            each.stored.save(update_fields=["importance"])
    before = version_before(draft)
    changes = difference_of(before, nuggets) if before else None
    draft.sha256 = sha256_of(write_banks(pure_banks(nuggets)))
    draft.frozen_at, draft.frozen_by = timezone.now(), by
    draft.save(update_fields=["sha256", "frozen_at", "frozen_by"])
    log_change(
        draft.campaign,
        by,
        "froze a nugget bank",
        f"{draft}: {counted(len(nuggets), 'nugget')}" + (f"; {changes}" if changes is not None else ""),
        number=draft.number,
        nuggets=len(nuggets),
        sha256=draft.sha256,
    )
    return draft


def delete_banks(campaign: Campaign) -> None:
    """Delete the banks of a campaign that is being deleted: a nugget protects its topic."""
    campaign.nugget_banks.all().delete()
