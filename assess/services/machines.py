"""Load labels that a program gave, as labels of a machine judge."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from django.db import transaction

from accounts.models import User
from assess.models import MachineJudge
from assess.services.imports import insert_labels, labels_of, named_judge, read_records
from pooling.checksum import sha256_of
from pooling.formats.files import BadFile
from pooling.models import Campaign
from pooling.queries.documents import pooled_before
from pooling.services.audit_log import log_change


class Machine(NamedTuple):
    """The program that gave the labels. prompt_sha256: checksum of the prompt without the document."""

    name: str
    model: str
    prompt_sha256: str
    made_on: date
    note: str = ""


def load_machine_labels(
    campaign: Campaign,
    organiser: User,
    content: bytes,
    name: str,
    machine: Machine,
    grades: Mapping[int, int] | None = None,
) -> MachineJudge:
    """Store the grades of a qrels file as labels of a new machine judge.

    grades: grade in the file -> grade of the campaign, where they differ. Labels of documents that are in no
    pool are skipped and counted: a machine does not decide what people judge. Raises BadFile, and then
    nothing is stored.
    """
    records = read_records(campaign, content, name, grades)
    pooled = pooled_before(campaign)
    pooled_grades = {
        (record.topic, record.docno): record.grade
        for record in records
        if record.docno in pooled.get(record.topic, ())
    }
    if not pooled_grades:
        raise BadFile("expected a label of at least one pooled document, found none", name=name)
    labels = labels_of(campaign, pooled_grades)
    with transaction.atomic():
        judge = named_judge(campaign, machine.name)
        stored = MachineJudge.objects.create(
            campaign=campaign,
            user=judge,
            model=machine.model,
            prompt_sha256=machine.prompt_sha256,
            made_on=machine.made_on,
            note=machine.note,
            left_out=len(records) - len(pooled_grades),
            loaded_by=organiser,
        )
        insert_labels(campaign, judge, labels)
        summary, checksum = f"{len(pooled_grades):,} from {name}, as those of {judge}", sha256_of(content)
        log_change(
            campaign, organiser, "loaded machine labels", summary, judge=judge.username, sha256=checksum
        )
        return stored
