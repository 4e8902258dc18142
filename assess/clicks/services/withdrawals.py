"""Describe a click log, withdraw it with the labels that were made from it, and restore both."""

from __future__ import annotations

from django.db import transaction

from accounts.models import User
from assess.models import ClickLog
from assess.services.sources import restore_source, withdraw_source
from pooling.refusals import Conflict
from pooling.services.audit_log import log_change
from pooling.words import counted


class ClickLogRefused(Conflict):
    """A click log cannot be changed or used so; the message says why."""


@transaction.atomic
def describe_click_log(log: ClickLog, by: User, **fields: str) -> None:
    """Change the name and the note of a click log."""
    log = locked_log(log)
    changes = {
        field: {"was": getattr(log, field), "is": value}
        for field, value in fields.items()
        if getattr(log, field) != value
    }
    if changes:
        for field, value in fields.items():
            setattr(log, field, value)
        log.save(update_fields=list(fields))
        summary = f"{log}: {', '.join(changes)}"
        log_change(log.campaign, by, "described a click log", summary, number=log.number, changes=changes)


@transaction.atomic
def withdraw_click_log(log: ClickLog, by: User, reason: str) -> int:
    """Withdraw a click log and the labels that were made from it; return the number of labels.

    Raises ClickLogRefused if it is withdrawn already, and SourceRefused while judges see its grades.
    """
    log = locked_log(log)
    check_standing(log)
    log.withdraw(by, reason)
    count, names = 0, []
    for made in log.labels.filter(source__withdrawn_at=None).select_related("source__user"):
        made.withdrawn_with_log = True
        made.save()
        count += withdraw_source(made.source, by, f"{log} is withdrawn: {reason}")
        names.append(made.source.user.username)
    summary = f"{log}, with {counted(count, 'label')}" if names else str(log)
    about = {"number": log.number, "judges": names, "labels": count, "reason": reason}
    log_change(log.campaign, by, "withdrew a click log", summary, **about)
    return count


@transaction.atomic
def restore_click_log(log: ClickLog, by: User) -> int:
    """Restore a click log, and the labels that were withdrawn with it; return the number of labels.

    Raises ClickLogRefused, and SourceRefused if the name of such labels is in use.
    """
    log = locked_log(log)
    if not log.withdrawn_at:
        raise ClickLogRefused(f"{log} is not withdrawn.")
    log.restore()
    count, names = 0, []
    for made in log.labels.filter(withdrawn_with_log=True).select_related("source__user"):
        made.withdrawn_with_log = False
        made.save()
        count += restore_source(made.source, by)
        names.append(made.source.user.username)
    summary = f"{log}, with {counted(count, 'label')}" if names else str(log)
    about = {"number": log.number, "judges": names, "labels": count}
    log_change(log.campaign, by, "restored a click log", summary, **about)
    return count


def locked_log(log: ClickLog) -> ClickLog:
    """Lock a click log until the transaction ends, and return it as it is now."""
    return ClickLog.objects.select_for_update(of=("self",)).select_related("campaign").get(pk=log.pk)


def check_standing(log: ClickLog) -> None:
    """Raise ClickLogRefused for a withdrawn log."""
    if log.withdrawn_at:
        raise ClickLogRefused(f"{log} is withdrawn already. Restore it first.")
