"""Show a release to more or fewer people, and withdraw it. Its files never change."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from assess.models import QrelsRelease
from assess.queries.release_states import WIDER, State
from pooling.models import Campaign
from pooling.refusals import Conflict
from pooling.services.audit_log import log_change

VERBS = {State.SHARED: "shared qrels", State.PUBLIC: "published qrels"}
RESTRICTED, WITHDRAWN = "restricted qrels", "withdrew qrels"
AUDIENCES = {
    State.INTERNAL: "organisers and adjudicators",
    State.SHARED: "participants and readers",
    State.PUBLIC: "anyone on the internet",
}


class AudienceRefused(Conflict):
    """A release cannot be shown to these people, or cannot be withdrawn; says why."""


@transaction.atomic
def change_audience(release: QrelsRelease, state: str, by: User | None, reason: str = "") -> None:
    """Show a release to other people. Raises AudienceRefused.

    reason: needed for a step back. The times of the first sharing and publication are kept by a step back,
    because copies of the files may exist since then.
    """
    own = _locked(release)
    before, after = State(own.state), State(state)
    if before == after:
        raise AudienceRefused(f"{own} is visible to {AUDIENCES[after]} already.")
    wider = after in WIDER[before]
    if wider and own.is_withdrawn:
        raise AudienceRefused(f"{own} is withdrawn, so it cannot be shown to more people. Show a newer one.")
    if not wider and not reason.strip():
        raise AudienceRefused("A step back needs a reason, which the audit log keeps.")
    own.state, now = after, timezone.now()
    own.shared_at = own.shared_at or (now if after != State.INTERNAL else None)
    own.published_at = own.published_at or (now if after == State.PUBLIC else None)
    own.save(update_fields=["state", "shared_at", "published_at"])
    sentence = f"{own}, visible to {AUDIENCES[after]}" + (f": {reason.strip()}" if reason.strip() else "")
    details = {"number": own.number, "was": before, "is": after, "reason": reason.strip()}
    log_change(own.campaign, by, VERBS[after] if wider else RESTRICTED, sentence, **details)
    _copy(own, release)


@transaction.atomic
def withdraw_release(release: QrelsRelease, reason: str, by: User | None) -> None:
    """Mark a release as withdrawn: it stays readable, and no page shows it by default.

    Raises AudienceRefused without a reason, and if it is withdrawn already.
    """
    own = _locked(release)
    if own.is_withdrawn:
        raise AudienceRefused(f"{own} is withdrawn already.")
    if not reason.strip():
        raise AudienceRefused("Give the reason: every page of the release will show it.")
    own.withdrawn_at, own.withdrawn_by, own.withdrawal_reason = timezone.now(), by, reason.strip()
    own.save(update_fields=["withdrawn_at", "withdrawn_by", "withdrawal_reason"])
    log_change(
        own.campaign, by, WITHDRAWN, f"{own}: {reason.strip()}", number=own.number, reason=reason.strip()
    )
    _copy(own, release)


def change_public_details(
    campaign: Campaign, licence: str, contact: str, home_page: str, by: User | None
) -> None:
    """Store what the public page and the data sheet say about licence, contact and home page."""
    wanted = {"licence": licence, "contact": contact, "home_page": home_page}
    changes = {
        field: {"was": getattr(campaign, field), "is": value}
        for field, value in wanted.items()
        if getattr(campaign, field) != value
    }
    if not changes:
        return
    for field, value in wanted.items():
        setattr(campaign, field, value)
    with transaction.atomic():
        campaign.save(update_fields=list(wanted))
        log_change(campaign, by, "changed settings", ", ".join(changes).replace("_", " "), **changes)


def _locked(release: QrelsRelease) -> QrelsRelease:
    return QrelsRelease.objects.select_for_update(of=("self",)).select_related("campaign").get(pk=release.pk)


def _copy(stored: QrelsRelease, release: QrelsRelease) -> None:
    """Give the caller's object what was stored."""
    for field in ("state", "shared_at", "published_at", "withdrawn_at", "withdrawn_by", "withdrawal_reason"):
        setattr(release, field, getattr(stored, field))
