"""Magnitudes: make sets, and store the numbers of judges."""

from __future__ import annotations

import uuid
from typing import NamedTuple

from django.db import transaction

from accounts.models import User
from accounts.services import make_once
from assess.magnitudes.numbers import parse_magnitude
from assess.magnitudes.queries.plan import MagnitudePreview, PlannedMagnitudes, preview_of
from assess.magnitudes.queries.tasks import MAGNITUDES
from assess.models import Magnitude, MagnitudeSet, MagnitudeTask
from assess.queries.documents import text_hashes
from assess.services.judged_sets import SetRefused, discard_set, lock_for_new_set, store_label
from assess.services.judging import LabelRefused
from pooling.campaign_states import check_writable
from pooling.models import Campaign
from pooling.services.audit_log import log_change
from pooling.services.files import insert_rows
from pooling.words import counted


class SubmittedMagnitude(NamedTuple):
    """What the screen submits. number: as written, Magnitude.CANNOT, or "" to take it back.

    text_hash: of the document that the judge read. seconds_ago: time since the press, by the judge's clock.
    """

    uuid: uuid.UUID
    number: str
    text_hash: str = ""
    reason: str = ""
    source: str = "click"
    seconds_ago: float | None = None


def create_magnitudes(
    campaign: Campaign, organiser: User, asked: PlannedMagnitudes, key: str = ""
) -> MagnitudeSet:
    """Store a set, as `preview_of` shows it. key: see `make_once`.

    Raises SetRefused if no topic has two such documents.
    """
    check_writable(campaign.state)
    preview = preview_of(asked)
    if not preview.rows:
        raise SetRefused("None of these topics has two such documents.")
    return make_once(organiser, key, MagnitudeSet, lambda: _store(campaign, organiser, asked, preview))


@transaction.atomic
def _store(
    campaign: Campaign, organiser: User, asked: PlannedMagnitudes, preview: MagnitudePreview
) -> MagnitudeSet:
    number = lock_for_new_set(campaign, campaign.magnitude_sets.all())
    stored = MagnitudeSet.objects.create(
        campaign=campaign,
        number=number,
        chosen=asked.chosen,
        most=asked.most,
        instructions=asked.instructions,
        double=asked.double,
        seed=asked.seed,
        made_by=organiser,
    )
    judges, places, documents = (list(column) for column in zip(*preview.rows, strict=True))
    insert_rows(
        MagnitudeTask,
        len(preview.rows),
        magnitude_set_id=stored.pk,
        judge_id=judges,
        place=places,
        pooled_id=documents,
    )
    log_change(
        campaign,
        organiser,
        "made a set of magnitudes",
        f"{stored}: {counted(preview.documents, 'document')} for {counted(len(asked.judges), 'judge')}",
        number=stored.number,
        judges=sorted(judge.username for judge in asked.judges),
        topics=[topic.number for topic in asked.topics],
        chosen=asked.chosen,
        most=asked.most,
        double=asked.double,
        seed=asked.seed,
    )
    return stored


def discard_magnitudes(about: MagnitudeSet, by: User) -> None:
    """Delete a set without numbers. Raises SetRefused if it has some."""
    given = Magnitude.objects.filter(task__magnitude_set=about)
    discard_set(about, about.tasks.all(), given, by, "discarded a set of magnitudes")


def delete_magnitudes(campaign: Campaign) -> None:
    """Delete the sets of a campaign that is being deleted: a task protects its document."""
    campaign.magnitude_sets.all().delete()


def record_magnitude(task: MagnitudeTask, judge: User, submitted: SubmittedMagnitude) -> Magnitude:
    """Store what a judge says of a document. A repeated request changes nothing.

    Raises Refused for a number that is not above 0, and LabelRefused, also if the text of the document has
    changed since the judge read it.
    """
    is_number = submitted.number not in ("", Magnitude.CANNOT)
    values = {
        "task_id": task.pk,
        "number": submitted.number,
        "value": parse_magnitude(submitted.number) if is_number else None,
        "text_hash": submitted.text_hash,
        "reason": submitted.reason,
    }
    docno = task.pooled.docno
    is_new = not Magnitude.objects.filter(uuid=submitted.uuid).exists()
    now = text_hashes(task.magnitude_set.campaign, [docno]).get(docno, "")
    if is_new and submitted.number and submitted.text_hash != now:
        raise LabelRefused(f"The text of {docno} has changed. Read it again. {MAGNITUDES.not_stored}")
    given = Magnitude.objects.all()
    return store_label(MAGNITUDES, task, judge, task.magnitude_set, submitted, given, values)


def take_back_magnitude(
    task: MagnitudeTask, judge: User, new_uuid: uuid.UUID, given: uuid.UUID, seconds_ago: float | None = None
) -> None:
    """Take a standing number back, by its UUID. new_uuid: of the taking back.

    Nothing changes if the number was refused, or is not the standing one. Raises LabelRefused.
    """
    last = task.magnitudes.order_by("-pk").first()
    if last and last.uuid == given:
        submitted = SubmittedMagnitude(new_uuid, "", source="", seconds_ago=seconds_ago)
        record_magnitude(task, judge, submitted)
