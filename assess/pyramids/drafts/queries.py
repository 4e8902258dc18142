"""Drafts of pyramids as their page shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import QuerySet

from assess.document.evidence import EvidenceSegment, EvidenceSpan, evidence_segments
from assess.models import PyramidDraft
from assess.pyramids.drafts.units import DraftUnit, pyramid_of
from assess.pyramids.model import Part, Pyramid
from pooling.models import Campaign


class DraftSummary(NamedTuple):
    """A model summary of a draft. number: from 1. segments: their letters are the uids of units."""

    number: int
    segments: list[EvidenceSegment]


class ShownPart(NamedTuple):
    """Words of a unit. model: of the summary that has them, from 1. span: as a form names it."""

    model: int
    words: str
    span: str


class ShownUnit(NamedTuple):
    """A unit of a draft. weight: the number of summaries that express it."""

    unit: DraftUnit
    weight: int
    parts: list[ShownPart]


@dataclass(frozen=True)
class DraftView:
    """A draft as its page shows it. units: the heaviest first."""

    summaries: list[DraftSummary]
    units: list[ShownUnit]


def units_of(draft: PyramidDraft) -> list[DraftUnit]:
    return [DraftUnit(uid, label, tuple(Part(*part) for part in parts)) for uid, label, parts in draft.units]


def draft_file_name(draft: PyramidDraft) -> str:
    """Return the name of the file that a draft becomes."""
    number = "".join(letter if letter.isalnum() else "-" for letter in draft.topic.number)
    return f"topic-{number}.pyr"


def draft_pyramid(draft: PyramidDraft) -> Pyramid:
    return pyramid_of(draft.text, units_of(draft))


def draft_view(draft: PyramidDraft) -> DraftView:
    pyramid, units, text = draft_pyramid(draft), units_of(draft), draft.text
    spans = [EvidenceSpan(*part, f"{unit.uid}") for unit in units for part in unit.parts]
    summaries = [
        DraftSummary(number, list(evidence_segments(text, spans, (), *model)))
        for number, model in enumerate(pyramid.models, start=1)
    ]
    shown, weights = [], pyramid.weights
    for unit in units:
        parts = [
            ShownPart(
                (pyramid.model_of(part) or 0) + 1, text[part.start : part.end], f"{part.start}-{part.end}"
            )
            for part in unit.parts
        ]
        shown.append(ShownUnit(unit, weights[unit.uid], parts))
    return DraftView(summaries, sorted(shown, key=lambda each: (-each.weight, each.unit.uid)))


def drafts_of(campaign: Campaign) -> QuerySet[PyramidDraft]:
    return campaign.pyramid_drafts.select_related("topic", "made_by").order_by("topic__place")
