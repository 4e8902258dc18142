"""Withdraw, restore, hide and describe runs. The submitted files stay as evidence, whatever happens."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from pooling.limits import is_valid_name
from pooling.models import Campaign, Run
from pooling.refusals import Conflict
from pooling.services.audit_log import log_change

POOLED_FIELDS = ("kind", "priority")  # a pool is rebuilt by them
READING_FIELDS = ("sha256", "order", "fields", "topic_numbers")  # the file and how it was read
MOST_OF_TAG = 120
REPLACED_REASON = "Replaced by a newer version."


class RunLocked(Conflict):
    """A run that cannot be changed in this way; the message says why."""


@transaction.atomic
def withdraw_run(run: Run, by: User, reason: str = "") -> None:
    """Withdraw a run: it stays as evidence, and is no longer pooled, scored or counted. Raises RunLocked."""
    stored = _locked(run)
    if stored.withdrawn_at:
        raise RunLocked(f"The run {stored.tag} is withdrawn already.")
    _withdraw(stored, by, reason)
    log_change(run.campaign, by, "withdrew a run", stored.tag, tag=stored.tag, reason=reason)


@transaction.atomic
def restore_run(run: Run, by: User) -> None:
    """Take a withdrawn run back into the campaign, under the tag that it has now. Raises RunLocked."""
    stored = _locked(run)
    if not stored.withdrawn_at:
        raise RunLocked(f"The run {stored.tag} is not withdrawn.")
    stored.withdrawn_at, stored.withdrawn_by, stored.withdrawal_reason = None, None, ""
    stored.save(update_fields=["withdrawn_at", "withdrawn_by", "withdrawal_reason"])
    log_change(run.campaign, by, "restored a run", stored.tag, tag=stored.tag)


@transaction.atomic
def hide_run(run: Run, by: User, is_hidden: bool) -> None:
    """Hide a run from leaderboards and public pages, or show it there again."""
    if not Run.objects.filter(pk=run.pk, is_hidden=not is_hidden).update(is_hidden=is_hidden):
        return
    run.is_hidden = is_hidden
    log_change(run.campaign, by, "hid a run" if is_hidden else "showed a run", run.tag, tag=run.tag)


@transaction.atomic
def describe_run(run: Run, by: User, **fields: Any) -> None:
    """Change description, kind and priority of a run. Raises RunLocked for what a frozen pool depends on."""
    stored = _locked(run)
    changes = {
        name: {"was": getattr(stored, name), "is": value}
        for name, value in fields.items()
        if getattr(stored, name) != value
    }
    if not changes:
        return
    if any(name in POOLED_FIELDS for name in changes) and stored.pools.exists():
        raise RunLocked(
            f"The run {stored.tag} is in a frozen pool, which is rebuilt by kind and priority of its runs. "
            "Only its description can change."
        )
    Run.objects.filter(pk=run.pk).update(**fields)
    summary = f"{stored.tag}: {', '.join(changes)}"
    log_change(run.campaign, by, "described a run", summary, tag=stored.tag, **changes)


@transaction.atomic
def rename_run(run: Run, by: User, tag: str) -> None:
    """Give a run another tag. Raises RunLocked for a pooled run, and for a tag that is taken or not valid.

    The file stays as it was submitted: its last column keeps the tag that it had there.
    """
    stored = _locked(run)
    if tag == stored.tag:
        return
    if why := why_tag_is_fixed(stored):
        raise RunLocked(why)
    if not is_valid_name(tag) or len(tag) > MOST_OF_TAG:
        raise RunLocked(
            f"Expected a tag of 1 to {MOST_OF_TAG} characters, without blanks or slashes and not . or .., "
            f"found {tag[:70]!r}."
        )
    if stored.campaign.runs.filter(tag=tag).exists():
        raise RunLocked(f"The tag {tag} is taken in this campaign.")
    Run.objects.filter(pk=run.pk).update(tag=tag)
    log_change(run.campaign, by, "renamed a run", f"{stored.tag} to {tag}", tag=tag, was=stored.tag)
    run.tag = tag


def why_tag_is_fixed(run: Run) -> str:
    """Return why the tag of a run cannot change; "" if pools and files of the run do not depend on it."""
    if run.pools.exists():
        return f"The run {run.tag} is in a frozen pool, whose manifest names it, so its tag cannot change."
    if run.former_tag or run.campaign.runs.filter(former_tag=run.tag).exists():
        return f"The run {run.tag} has versions, which go by its tag, so its tag cannot change."
    return ""


def withdraw_replaced(run: Run, newer: Run, by: User) -> Run:
    """Withdraw a run in favour of a newer one, and free its tag, in the caller's transaction.

    The run gets the tag with a version, such as bm25~1. Raises RunLocked for a withdrawn and a pooled run,
    and where the newer run has the same file, read in the same way.
    """
    stored = _locked(run)
    if stored.withdrawn_at:
        raise RunLocked(
            f"The run {stored.tag} is withdrawn, so it cannot be replaced. Submit the file as a new run."
        )
    if stored.pools.exists():
        raise RunLocked(f"The run {stored.tag} is in a frozen pool, so it cannot be replaced.")
    if all(getattr(newer, name) == getattr(stored, name) for name in READING_FIELDS):
        raise RunLocked(f"The run {stored.tag} has this file already. Nothing was changed.")
    stored.former_tag, stored.tag = stored.tag, _version_tag(stored)
    _withdraw(stored, by, REPLACED_REASON)
    return stored


def _version_tag(run: Run) -> str:
    """Return the first free tag of the form bm25~1, at most as long as a tag may be."""
    taken = set(run.campaign.runs.values_list("tag", flat=True))
    for version in range(1, len(taken) + 2):
        suffix = f"~{version}"
        tag = run.tag[: MOST_OF_TAG - len(suffix)] + suffix
        if tag not in taken:
            return tag
    raise AssertionError("more tags are taken than there are runs")


def _withdraw(run: Run, by: User, reason: str) -> None:
    run.withdrawn_at, run.withdrawn_by, run.withdrawal_reason = timezone.now(), by, reason
    run.save(update_fields=["tag", "former_tag", "withdrawn_at", "withdrawn_by", "withdrawal_reason"])


def _locked(run: Run) -> Run:
    """Return the run as it is stored; no other transaction changes it, nor freezes a pool, meanwhile."""
    Campaign.objects.select_for_update().get(pk=run.campaign_id)
    return Run.objects.select_for_update().get(pk=run.pk)
