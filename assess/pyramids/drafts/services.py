"""Drafts of pyramids: begin one, mark and label units, store or discard it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction

from accounts.models import User
from accounts.services import make_once
from assess.document.evidence import locate_words
from assess.models import PyramidDraft, TopicPyramid
from assess.pyramids.drafts.queries import draft_file_name, draft_pyramid, units_of
from assess.pyramids.drafts.units import (
    MAX_SUMMARIES,
    DraftUnit,
    joined_text,
    pyramid_of,
    with_label,
    with_part,
    without_part,
)
from assess.pyramids.files import write_pyr
from assess.pyramids.model import Part
from assess.pyramids.services import GivenFile, PyramidRefused, locked, store_pyramid
from pooling.campaign_states import check_writable
from pooling.formats.files import BadFile
from pooling.formats.text import quoted
from pooling.models import Campaign, Topic
from pooling.services.audit_log import log_change
from pooling.words import counted


def begin_pyramid(
    campaign: Campaign, by: User, topic: Topic, summaries: Sequence[str], key: str = ""
) -> PyramidDraft:
    """Begin the draft of a pyramid from model summaries. key: see `make_once`.

    Raises PyramidRefused for a topic that has a pyramid or a draft and for fewer than two summaries, and
    BadFile for a text that no file of a pyramid can hold.
    """
    if not 2 <= len(summaries) <= MAX_SUMMARIES:
        raise PyramidRefused(
            f"A pyramid has 2 to {MAX_SUMMARIES} model summaries; these are {len(summaries)}."
        )
    text = joined_text(summaries)
    write_pyr(pyramid_of(text, ()))
    draft = PyramidDraft(campaign=campaign, topic=topic, text=text, made_by=by)
    return make_once(by, key, PyramidDraft, lambda: _save_draft(draft))


@transaction.atomic
def _save_draft(draft: PyramidDraft) -> PyramidDraft:
    campaign, topic = locked(draft.campaign), draft.topic
    check_writable(campaign.state)
    if other := campaign.pyramids.filter(topic=topic, withdrawn_at=None).first():
        raise PyramidRefused(f"Topic {topic.number} has a pyramid, {other}. Withdraw it first.")
    if campaign.pyramid_drafts.filter(topic=topic).exists():
        raise PyramidRefused(f"Topic {topic.number} has a draft of a pyramid. Store or discard it first.")
    draft.save()
    count = len(pyramid_of(draft.text, ()).models)
    _log_draft(draft, draft.made_by, "began a pyramid", f"{draft}: {count} model summaries")
    return draft


class SelectedWords(NamedTuple):
    """Words that a person selected. place, start: of the summary, from 1, and in it; 0 where not known."""

    quotation: str
    place: int = 0
    start: int = 0


@transaction.atomic
def mark_words(draft: PyramidDraft, by: User, words: SelectedWords, uid: int = 0, label: str = "") -> None:
    """Add words of a model summary to a unit of a draft. uid, label: see `with_part`. Raises Refused."""
    now = _locked_draft(draft)
    models = pyramid_of(now.text, ()).models
    texts = [now.text[model.start : model.end] for model in models]
    span = locate_words(texts, *words)
    if span is None:
        said = quoted(words.quotation.strip())
        raise PyramidRefused(f"Select words of one model summary: none has {said}.")
    place, start, end = span
    offset = models[place - 1].start
    part = Part(offset + start, offset + end)
    units = with_part(units_of(now), part, now.text, uid, label)
    changed = next(unit for unit in units if part in unit.parts)
    _save_units(now, by, units, "marked words of a unit", changed)


@transaction.atomic
def unmark_words(draft: PyramidDraft, by: User, uid: int, part: Part) -> None:
    """Take words away from a unit of a draft; with its last words the unit goes. Raises Refused."""
    now = _locked_draft(draft)
    known = next((unit for unit in units_of(now) if unit.uid == uid), DraftUnit(uid, "", ()))
    _save_units(now, by, without_part(units_of(now), uid, part), "unmarked words of a unit", known)


@transaction.atomic
def label_unit(draft: PyramidDraft, by: User, uid: int, label: str, before: str) -> None:
    """Give a unit of a draft another label. before: as it was shown. Raises Refused."""
    now = _locked_draft(draft)
    units = with_label(units_of(now), uid, label, before)
    changed = next(unit for unit in units if unit.uid == uid)
    _save_units(now, by, units, "labelled a unit", changed)


@transaction.atomic
def finish_pyramid(draft: PyramidDraft, by: User) -> TopicPyramid:
    """Store a draft as the pyramid of its topic, by the file that its page offers; the draft is deleted.

    Raises what `store_pyramid` does.
    """
    now = _locked_draft(draft)
    file = GivenFile(draft_file_name(now), write_pyr(draft_pyramid(now)))
    stored = store_pyramid(now.campaign, by, now.topic, file)
    now.delete()
    return stored


@transaction.atomic
def discard_pyramid_draft(draft: PyramidDraft, by: User) -> None:
    """Delete a draft with its units. Raises PyramidRefused if it is gone."""
    now = _locked_draft(draft)
    _log_draft(now, by, "discarded a draft of a pyramid", f"{now} with {counted(len(now.units), 'unit')}")
    now.delete()


def _locked_draft(draft: PyramidDraft) -> PyramidDraft:
    """Return a draft as it is now, and lock its campaign. Raises PyramidRefused if it is gone."""
    campaign = locked(draft.campaign)
    check_writable(campaign.state)
    now = PyramidDraft.objects.select_related("topic").filter(pk=draft.pk).first()
    if now is None:
        raise PyramidRefused("This draft was stored or discarded meanwhile.")
    now.campaign = campaign
    return now


def _save_units(
    draft: PyramidDraft, by: User, units: Sequence[DraftUnit], verb: str, changed: DraftUnit
) -> None:
    try:
        write_pyr(pyramid_of(draft.text, units))  # so that a draft is always a file
    except BadFile as error:
        raise PyramidRefused(f"{error}") from error
    draft.units = [[unit.uid, unit.label, [list(part) for part in unit.parts]] for unit in units]
    draft.save(update_fields=["units"])
    _log_draft(draft, by, verb, f"{draft}: unit {changed.uid}, {quoted(changed.label)}")


def _log_draft(draft: PyramidDraft, by: User, verb: str, summary: str) -> None:
    log_change(draft.campaign, by, verb, summary, topic=draft.topic.number)
