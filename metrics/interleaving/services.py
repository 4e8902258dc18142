"""Merge the lists of two runs, and count the clicks of users on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.conf import settings
from django.core.files.base import ContentFile
from django.db import IntegrityError, transaction
from django.db.models import Max

from accounts.models import User
from accounts.services import make_once
from metrics.interleaving.clicks import read_clicks
from metrics.interleaving.lists import ListPlan, as_json_lines, merged_lists, topics_that_differ
from metrics.interleaving.queries import comparison_of, rankings_of
from metrics.models import Interleaving, InterleavingClicks
from pooling.campaign_states import check_writable
from pooling.checksum import sha256_of
from pooling.formats.files import BadFile, unpack
from pooling.models import Campaign, Run, Topic
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.services.files import store_once
from pooling.words import counted


class InterleavingRefused(Refused):
    """Two runs cannot be interleaved; the message says why."""


class ClicksRefused(Refused):
    """A file of clicks cannot be withdrawn or restored; the message says why."""


NAME_LENGTH = 120  # of a file of clicks


class InterleavingPlan(NamedTuple):
    """The request for lists. length: documents in a list. lists: the number of lists of a topic."""

    run_a: Run
    run_b: Run
    method: str
    length: int
    lists: int
    seed: int
    topics: Sequence[Topic]


def create_interleaving(
    campaign: Campaign, organiser: User, asked: InterleavingPlan, key: str = ""
) -> Interleaving:
    """Merge the lists of two runs, and store them. A topic on which the runs do not differ has no list.

    key: see `make_once`. The lists are merged and stored before the transaction. Raises InterleavingRefused
    and StateRefused.
    """
    check_writable(campaign.state)
    if asked.run_a == asked.run_b:
        raise InterleavingRefused("Choose two different runs.")
    rankings = rankings_of(asked.run_a), rankings_of(asked.run_b)
    differing = set(topics_that_differ(*rankings, asked.length))
    numbers = [topic.number for topic in asked.topics]
    topics = [number for number in numbers if number in differing]
    if not topics:
        raise InterleavingRefused(
            f"Nothing to compare: on every topic, both runs have the same first {asked.length} documents, "
            "or one of them has none."
        )
    plan = ListPlan(asked.run_a.tag, asked.run_b.tag, asked.method, asked.length, asked.seed, asked.lists)
    content = as_json_lines(plan, merged_lists(plan, *rankings, topics))
    parameters = {
        **{name: value for name, value in plan._asdict().items() if name != "method"},
        "topics": topics,
        "left_out": [number for number in numbers if number not in differing],
    }
    checksum = sha256_of(content)
    row = Interleaving(
        campaign=campaign,
        run_a=asked.run_a,
        run_b=asked.run_b,
        method=asked.method,
        parameters=parameters,
        sha256=checksum,
        list_count=content.count(b"\n"),
        created_by=organiser,
    )
    row.file = store_once(row.name_by_checksum, ContentFile(content), checksum)
    return make_once(organiser, key, Interleaving, lambda: _store_interleaving(row))


def _store_interleaving(row: Interleaving) -> Interleaving:
    campaign = row.campaign
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)  # one number at a time
    row.number = (campaign.interleavings.aggregate(last=Max("number"))["last"] or 0) + 1
    row.save()
    summary = f"{row.run_a.tag} and {row.run_b.tag}, {row.method}, {row.list_count:,} lists"
    log_change(campaign, row.created_by, "interleaved runs", summary, number=row.number, sha256=row.sha256)
    return row


def load_clicks(
    interleaving: Interleaving,
    organiser: User,
    content: bytes,
    name: str,
    replaces: InterleavingClicks | None = None,
) -> InterleavingClicks:
    """Count the sessions of a file of clicks. Only the counts, the name and the checksum are stored.

    replaces: an older file, which is withdrawn in the same transaction; its note is taken over. The file is
    read before the transaction. Raises BadFile and ClicksRefused, and then nothing is stored, and
    StateRefused.
    """
    check_writable(interleaving.campaign.state)
    text = unpack(content, name, settings.UPLOAD_LIMIT)
    checksum = sha256_of(text)
    if known := interleaving.clicks.filter(sha256=checksum).first():
        raise _loaded_before(known, name)
    counts = read_clicks(text, comparison_of(interleaving), name)
    try:
        with transaction.atomic():
            stored = InterleavingClicks.objects.create(
                interleaving=interleaving,
                name=name[:NAME_LENGTH],
                note=replaces.note if replaces else "",
                sha256=checksum,
                counts=counts,
                loaded_by=organiser,
            )
            summary = f"{counted(stored.sessions, 'session')} of {interleaving}"
            log_change(
                interleaving.campaign, organiser, "loaded interleaving clicks", summary, sha256=checksum
            )
            if replaces:
                withdraw_clicks(replaces, organiser, f"Replaced by {name}, SHA-256 {checksum[:12]}.")
    except IntegrityError:  # another request loaded the same file first
        raise _loaded_before(interleaving.clicks.get(sha256=checksum), name) from None
    return stored


def _loaded_before(known: InterleavingClicks, name: str) -> BadFile:
    state = "it is withdrawn; restore it" if known.withdrawn_at else "its sessions are counted already"
    return BadFile(f"expected a file that was not loaded before, but {state}", name=name)


@transaction.atomic
def describe_clicks(clicks: InterleavingClicks, organiser: User, **fields: str) -> None:
    """Change the name and the note of a file of clicks."""
    clicks = _locked(clicks)
    changes = {
        field: {"was": getattr(clicks, field), "is": value}
        for field, value in fields.items()
        if getattr(clicks, field) != value
    }
    if changes:
        for field, value in fields.items():
            setattr(clicks, field, value)
        clicks.save(update_fields=list(fields))
        summary = f"{clicks}: {', '.join(changes)}"
        about = {"sha256": clicks.sha256, "changes": changes}
        log_change(clicks.interleaving.campaign, organiser, "described interleaving clicks", summary, **about)


@transaction.atomic
def withdraw_clicks(clicks: InterleavingClicks, organiser: User, reason: str) -> None:
    """Take the sessions of a file out of the figures of its comparison. Raises ClicksRefused."""
    clicks = _locked(clicks)
    if clicks.withdrawn_at:
        raise ClicksRefused(f"{clicks} are withdrawn already.")
    clicks.withdraw(organiser, reason)
    _log_state(clicks, organiser, "withdrew interleaving clicks", reason=reason)


@transaction.atomic
def restore_clicks(clicks: InterleavingClicks, organiser: User) -> None:
    """Let the sessions of a withdrawn file count again. Raises ClicksRefused."""
    clicks = _locked(clicks)
    if not clicks.withdrawn_at:
        raise ClicksRefused(f"{clicks} are not withdrawn.")
    clicks.restore()
    _log_state(clicks, organiser, "restored interleaving clicks")


def _log_state(clicks: InterleavingClicks, organiser: User, verb: str, **about: str) -> None:
    summary = f"{counted(clicks.sessions, 'session')} of {clicks}"
    log_change(clicks.interleaving.campaign, organiser, verb, summary, sha256=clicks.sha256, **about)


def _locked(clicks: InterleavingClicks) -> InterleavingClicks:
    rows = InterleavingClicks.objects.select_for_update(of=("self",))
    return rows.select_related("interleaving__campaign").get(pk=clicks.pk)
