"""The integrity checks of nuggets: checksums of frozen versions, and marks as they stand in answers."""

from __future__ import annotations

from collections.abc import Iterator

from assess.models import AnswerMark
from assess.nuggets.queries.banks import bank_file
from pooling.checksum import sha256_of
from pooling.integrity import Check, Faults, differing
from pooling.models import Campaign


def bank_faults(campaign: Campaign) -> Iterator[Faults]:
    for bank in campaign.nugget_banks.exclude(frozen_at=None).order_by("number"):
        bank.campaign = campaign
        yield differing("nugget bank", str(bank), {"sha256": (sha256_of(bank_file(bank)), bank.sha256)})


def mark_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every mark, also in answers of withdrawn runs: its words against those of the answer."""
    marks = AnswerMark.objects.filter(nugget__bank__campaign=campaign).select_related("nugget", "answer")
    for mark in marks.order_by("pk").iterator(chunk_size=500):
        sentences = mark.answer.stored_sentences
        is_there = 0 < mark.sentence <= len(sentences)
        words = sentences[mark.sentence - 1].text[mark.start : mark.end] if is_there else None
        yield differing("mark in an answer", f"{mark.pk} of {mark.nugget}", {"words": (words, mark.text)})


CHECKS = (Check("nugget banks", bank_faults), Check("marks in answers", mark_faults))
