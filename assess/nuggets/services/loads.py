"""Files of nuggets: load one into a draft, and withdraw it while the draft is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from assess.models import Bank, BankNugget, NuggetLoad, NuggetPart
from assess.nuggets.bank_files import BankFile, read_banks
from assess.nuggets.banks import Nugget, NuggetBank, grading_of, write_banks
from assess.nuggets.queries.loads import LoadWithdrawal, withdrawal_of
from assess.nuggets.records import COLUMNS, columns_of, nugget_of
from assess.nuggets.services.banks import BankRefused, locked_draft
from pooling.checksum import sha256_of
from pooling.formats.files import unpack
from pooling.formats.run_checks import MAX_ERRORS_SHOWN, RunFinding, RunRefused
from pooling.formats.text import quoted
from pooling.models import Topic
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.words import counted, enumeration

MAX_NUGGETS = 5_000  # of a topic
ROWS_AT_ONCE = 500


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

    A file that was loaded before and not withdrawn is the same load. Raises BadFile, which lists errors with
    their lines; then nothing is stored.
    """
    text = unpack(content, name, settings.UPLOAD_LIMIT)
    file, checksum = read_banks(text, name), sha256_of(text)
    with transaction.atomic():
        draft = locked_draft(bank)
        topics = {each.number: each for each in draft.campaign.topics.all()}
        _check_file(file, name, draft, topics)
        about = {"name": name[:255], "loaded_by": by}
        load, is_first = draft.loads.get_or_create(sha256=checksum, withdrawn_at=None, defaults=about)
        loaded = _store_file(draft, load, file, topics)
        load.new, load.known = load.new + loaded.new, loaded.known if is_first else load.known
        load.save(update_fields=["new", "known"])
        log_change(
            draft.campaign,
            by,
            "loaded nuggets",
            f"{counted(loaded.new, 'nugget')} from {name} into {draft}",
            number=draft.number,
            sha256=checksum,
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


class _Found(NamedTuple):
    """A nugget of a file, and the row that it has in the draft. is_new: whether the file brought it."""

    nugget: Nugget
    row: BankNugget
    is_new: bool


def _store_file(draft: Bank, load: NuggetLoad, file: BankFile, topics: dict[str, Topic]) -> LoadedBanks:
    stored_parts, docnos, dropped = list[_Found](), set[str](), dict[str, None]()
    for bank in file.banks:
        stored_parts += _rows_of(draft, bank, topics[bank.topic])
        docnos |= docnos_of(bank)
        dropped |= dict.fromkeys(bank.extra)
    new = [each.row for each in stored_parts if each.is_new]
    BankNugget.objects.bulk_create(new, batch_size=ROWS_AT_ONCE)
    _store_parts(draft, load, stored_parts)
    documents = draft.campaign.documents.values_list("docno", flat=True)
    unknown = docnos - set(documents.iterator()) if docnos else set[str]()
    suggestions = sum(row.is_suggestion for row in new)
    return LoadedBanks(
        len(new), suggestions, len(stored_parts) - len(new), sorted(unknown), [*dropped], file.notes
    )


def _rows_of(draft: Bank, bank: NuggetBank, topic: Topic) -> list[_Found]:
    """Return the nuggets of a topic with their rows. Raises BankRefused for too many."""
    stored, stored_parts = list(draft.nuggets.filter(topic=topic)), list[_Found]()
    if len(stored) + len(bank.nuggets) > MAX_NUGGETS:
        raise BankRefused(f"Topic {topic.number} would have more than {MAX_NUGGETS:,} nuggets.")
    have, place = (
        dict[str, list[tuple[Nugget, BankNugget]]](),
        max((each.place for each in stored), default=0),
    )
    for each in stored:
        have.setdefault(each.text, []).append((nugget_of(each), each))
    for nugget in bank.nuggets:
        same = next((row for other, row in have.get(nugget.text, ()) if other == nugget), None)
        place += same is None
        row = same or BankNugget(bank=draft, topic=topic, place=place, **_values(nugget))
        stored_parts.append(_Found(nugget, row, same is None))
    return stored_parts


def _values(nugget: Nugget) -> dict[str, Any]:
    return {**columns_of(nugget), "is_suggestion": nugget.is_suggestion}


def _store_parts(draft: Bank, load: NuggetLoad, stored_parts: Sequence[_Found]) -> None:
    """Store what the load gave to each nugget, and what people had of those that were here without a load."""
    parts = NuggetPart.objects.filter(nugget__bank=draft)
    with_parts, own = (
        set(parts.values_list("nugget", flat=True)),
        set(load.parts.values_list("nugget", flat=True)),
    )
    rows = []
    for each in stored_parts:
        record = columns_of(each.nugget)
        if not each.is_new and each.row.pk not in with_parts:
            with_parts.add(each.row.pk)
            rows.append(NuggetPart(nugget=each.row, record=record))
        if each.row.pk not in own:
            rows.append(NuggetPart(nugget=each.row, load=load, record=record))
    NuggetPart.objects.bulk_create(rows, batch_size=ROWS_AT_ONCE)


def docnos_of(bank: NuggetBank) -> set[str]:
    """Return the documents that the nuggets of a bank or their answers come from."""
    parts: list[Nugget] = list(bank.nuggets)
    references = [each for nugget in parts for each in nugget.references]
    references += [each for nugget in parts for answer in nugget.answers for each in answer.references]
    return {reference.docno for reference in references}


@transaction.atomic
def withdraw_nuggets(load: NuggetLoad, by: User) -> LoadWithdrawal:
    """Take the nuggets of a file out of a draft, as `withdrawal_of` says, with the votes on them.

    A second call changes nothing. Raises BankRefused for a frozen version.
    """
    draft = locked_draft(load.bank)
    now = draft.loads.filter(pk=load.pk, withdrawn_at=None).first()
    if now is None:
        return LoadWithdrawal([])
    now.bank = draft
    withdrawal = withdrawal_of(now)
    gone = [each.stored.pk for each in withdrawal.gone]
    for start in range(0, len(gone), ROWS_AT_ONCE):
        draft.nuggets.filter(pk__in=gone[start : start + ROWS_AT_ONCE]).delete()
    changed = [each.stored for each in withdrawal.changed]
    for each in withdrawal.changed:
        for column, value in _values(each.left).items():
            setattr(each.stored, column, value)
    BankNugget.objects.bulk_update(changed, [*COLUMNS, "is_suggestion"], batch_size=ROWS_AT_ONCE)
    now.parts.all().delete()
    now.withdrawn_at, now.withdrawn_by = timezone.now(), by
    now.save(update_fields=["withdrawn_at", "withdrawn_by"])
    log_change(
        draft.campaign,
        by,
        "withdrew nuggets",
        f"{counted(len(gone), 'nugget')} of {now} from {draft}",
        number=draft.number,
        sha256=now.sha256,
        nuggets=len(gone),
        votes=withdrawal.votes,
        changed=len(changed),
    )
    return withdrawal
