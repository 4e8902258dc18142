"""Plan an A/B test, and count the users of its files."""

from __future__ import annotations

from typing import NamedTuple

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max

from accounts.models import User
from accounts.services import make_once
from metrics.ab_tests.figures import figures_of
from metrics.ab_tests.outcomes import parse_outcomes
from metrics.ab_tests.reader import read_users
from metrics.models import ABTest, ABTestFile
from pooling.campaign_states import check_writable
from pooling.checksum import sha256_of
from pooling.formats.files import BadFile, unpack
from pooling.intake.tables import OF_FORMS, Reading
from pooling.models import Campaign
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.words import counted


class ABTestRefused(Refused):
    """A file of an A/B test cannot be withdrawn; the message says why."""


NAME_LENGTH = 120  # of a file


class PlannedTest(NamedTuple):
    """The request for a test. shares: variant -> its part, the control first. outcomes: as lines."""

    name: str
    note: str
    shares: dict[str, float]
    planned_users: int
    outcomes: str


def create_ab_test(campaign: Campaign, organiser: User, asked: PlannedTest, key: str = "") -> ABTest:
    """Store the plan of a test. key: see `make_once`. Raises StateRefused."""
    check_writable(campaign.state)
    pairs = [list(pair) for pair in asked.shares.items()]  # in their order: the control is the first
    row = ABTest(campaign=campaign, created_by=organiser, **asked._replace(shares={})._asdict())
    row.shares = pairs
    return make_once(organiser, key, ABTest, lambda: _store(row))


@transaction.atomic
def _store(row: ABTest) -> ABTest:
    campaign = row.campaign
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)  # one number at a time
    row.number = (campaign.ab_tests.aggregate(last=Max("number"))["last"] or 0) + 1
    row.save()
    about = {"number": row.number, "shares": row.shares, "users": row.planned_users}
    log_change(campaign, row.created_by, "planned an A/B test", f"{row}", **about)
    return row


def load_users(
    test: ABTest,
    organiser: User,
    content: bytes,
    name: str,
    is_end: bool = False,
    reading: Reading | None = None,
) -> ABTestFile:
    """Count the users of a file. Only figures, the name and the checksum are stored.

    is_end: the test has ended as planned. The file is read before the transaction. Raises BadFile, and then
    nothing is stored, and StateRefused.
    """
    check_writable(test.campaign.state)
    text = unpack(content, name, settings.UPLOAD_LIMIT)
    checksum = sha256_of(text)
    if test.files.filter(sha256=checksum, withdrawn_at=None).exists():
        raise _loaded_before(name)
    reading = Reading(choices=OF_FORMS) if reading is None else reading
    figures = figures_of(read_users(text, name, parse_outcomes(test.outcomes), list(test.parts), reading))
    try:
        with transaction.atomic():
            Campaign.objects.select_for_update(no_key=True).get(pk=test.campaign_id)
            stored = ABTestFile.objects.create(
                ab_test=test,
                name=name[:NAME_LENGTH],
                sha256=checksum,
                is_end=is_end,
                figures=figures,
                loaded_by=organiser,
            )
            summary = f"{counted(stored.users, 'user')} of {test}"
            about = {"sha256": checksum, "is_end": is_end}
            log_change(test.campaign, organiser, "loaded a file of an A/B test", summary, **about)
    except IntegrityError:  # another request loaded the same file first
        raise _loaded_before(name) from None
    return stored


def _loaded_before(name: str) -> BadFile:
    return BadFile("expected a file that was not loaded before, but its users are counted already", name=name)


@transaction.atomic
def withdraw_users(file: ABTestFile, organiser: User) -> None:
    """Take a file out of the figures of its test; that it was looked at stays. Raises ABTestRefused."""
    campaign = file.ab_test.campaign
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    row = ABTestFile.objects.select_for_update(of=("self",)).select_related("ab_test").get(pk=file.pk)
    if row.withdrawn_at:
        raise ABTestRefused(f"{row} is withdrawn already.")
    row.withdraw(organiser, "")
    summary = f"{counted(row.users, 'user')} of {row}"
    log_change(campaign, organiser, "withdrew a file of an A/B test", summary, sha256=row.sha256)
