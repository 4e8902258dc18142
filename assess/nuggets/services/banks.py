"""Versions of nugget banks: begin a draft, load files into it, freeze it or discard it."""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from accounts.models import User
from accounts.services import make_once
from assess.models import Bank, BankNugget
from assess.nuggets.bank_files import BankFile, read_banks
from assess.nuggets.banks import Nugget, NuggetBank, grading_of, write_banks
from assess.nuggets.queries.banks import WeighedNugget, difference_of, nuggets_of, pure_banks, version_before
from assess.nuggets.records import columns_of, nugget_of
from assess.nuggets.services.kept_marks import copy_marks
from assess.nuggets.weighing import GRADINGS
from pooling.checksum import sha256_of
from pooling.formats.files import unpack
from pooling.formats.run_checks import MAX_ERRORS_SHOWN, RunFinding, RunRefused
from pooling.formats.text import quoted
from pooling.models import Campaign, Topic
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.words import counted, enumeration

MAX_NUGGETS = 5_000  # of a topic
MAX_PROBLEMS_SHOWN = 5


class BankRefused(Refused):
    """A nugget bank cannot be changed in this way; the message says why."""


def locked_draft(bank: Bank) -> Bank:
    """Return a draft as it is now, and lock its campaign. Raises BankRefused for a frozen or a gone one."""
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=bank.campaign_id)
    found = campaign.nugget_banks.filter(pk=bank.pk).first()
    if found is None:
        raise BankRefused("This draft was discarded meanwhile.")
    if not found.is_draft:
        raise BankRefused(f"{found} is frozen and never changes. Begin a draft from it.")
    found.campaign = campaign
    return found


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


class LoadedBanks(NamedTuple):
    """What of a file was stored. known: nuggets that the draft had already. suggestions: of the new ones.

    unknown: docnos that the campaign has not. dropped: keys of banks that nothing here stores.
    """

    new: int
    suggestions: int
    known: int
    unknown: list[str]
    dropped: list[str]
    notes: list[RunFinding]

    def __str__(self) -> str:
        parts = [f"{counted(self.new, 'nugget')} loaded"]
        if self.suggestions:
            parts.append(f"{self.suggestions:,} of them suggestions of programs")
        if self.known:
            parts.append(f"{self.known:,} were here already")
        said = ", ".join(parts) + "."
        if self.unknown:
            said += f" Documents that this campaign does not have: {enumeration(self.unknown)}."
        if self.dropped:
            said += f" Not stored: {enumeration(self.dropped)}."
        return said


def load_banks(bank: Bank, by: User, content: bytes, name: str) -> LoadedBanks:
    """Add the nuggets of a file to a draft. Nuggets that it has, the same in all, are not added again.

    Raises BadFile, which lists errors with their lines; then nothing is stored.
    """
    file = read_banks(unpack(content, name, settings.UPLOAD_LIMIT), name)
    with transaction.atomic():
        draft = locked_draft(bank)
        topics = {each.number: each for each in draft.campaign.topics.all()}
        _check_file(file, name, draft, topics)
        loaded = _store_file(draft, file, topics)
        log_change(
            draft.campaign,
            by,
            "loaded nuggets",
            f"{counted(loaded.new, 'nugget')} from {name} into {draft}",
            number=draft.number,
            sha256=sha256_of(content),
            new=loaded.new,
            suggestions=loaded.suggestions,
        )
    return loaded


def _check_file(file: BankFile, name: str, draft: Bank, topics: dict[str, Topic]) -> None:
    errors = []
    for line, bank in zip(file.lines, file.banks, strict=True):
        if bank.topic not in topics:
            what = f"expected a topic of the campaign, found {quoted(bank.topic)}"
            errors.append(RunFinding(what, "Add the topic first", line))
        given = next((each.importance for each in bank.nuggets if each.importance is not None), None)
        if (kind := grading_of(given)) not in ("", draft.grading):
            errors.append(RunFinding(f"expected {draft.grading} as importance, found {kind}", "", line))
        try:
            write_banks([bank])
        except Refused as error:
            errors.append(RunFinding(str(error), "", line))
    if errors:
        raise RunRefused(errors[:MAX_ERRORS_SHOWN], max(0, len(errors) - MAX_ERRORS_SHOWN), name)


def _store_file(draft: Bank, file: BankFile, topics: dict[str, Topic]) -> LoadedBanks:
    rows, known, docnos, dropped = list[BankNugget](), 0, set[str](), dict[str, None]()
    for bank in file.banks:
        topic = topics[bank.topic]
        stored = list(draft.nuggets.filter(topic=topic))
        have, place = dict[str, list[Nugget]](), max((each.place for each in stored), default=0)
        for each in stored:
            have.setdefault(each.text, []).append(nugget_of(each))
        for nugget in bank.nuggets:
            if nugget in have.get(nugget.text, ()):
                known += 1
                continue
            place += 1
            rows.append(
                BankNugget(
                    bank=draft,
                    topic=topic,
                    place=place,
                    is_suggestion=nugget.is_suggestion,
                    **columns_of(nugget),
                )
            )
        if len(stored) + len(bank.nuggets) > MAX_NUGGETS:
            raise BankRefused(f"Topic {topic.number} would have more than {MAX_NUGGETS:,} nuggets.")
        docnos |= docnos_of(bank)
        dropped |= dict.fromkeys(bank.extra)
    BankNugget.objects.bulk_create(rows, batch_size=500)
    documents = draft.campaign.documents.values_list("docno", flat=True)
    unknown = docnos - set(documents.iterator()) if docnos else set[str]()
    suggestions = sum(row.is_suggestion for row in rows)
    return LoadedBanks(len(rows), suggestions, known, sorted(unknown), [*dropped], file.notes)


def docnos_of(bank: NuggetBank) -> set[str]:
    """Return the documents that the nuggets of a bank or their answers come from."""
    parts: list[Nugget] = list(bank.nuggets)
    references = [each for nugget in parts for each in nugget.references]
    references += [each for nugget in parts for answer in nugget.answers for each in answer.references]
    return {reference.docno for reference in references}


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
