"""Matchings of nuggets and answers: make them, and store what judges say."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import NamedTuple

from django.db import transaction

from accounts.models import User
from accounts.services import make_once
from assess.matchings.queries.differences import CaseChange, CaseKey, nugget_cases
from assess.matchings.queries.plan import MatchingPreview, PlannedMatching, preview_of
from assess.matchings.queries.tasks import MATCHINGS
from assess.models import BankNugget, Matching, MatchingTask, NuggetDecision, NuggetLabel
from assess.nuggets.assignments import Assignment
from assess.queries.judged_sets import refuse_knowing_judges
from assess.services.judged_sets import SetRefused, discard_set, lock_for_new_set, store_label
from assess.services.judging import LabelRefused
from pooling.campaign_states import check_writable
from pooling.models import Campaign
from pooling.services.audit_log import log_change
from pooling.services.files import insert_rows
from pooling.words import counted


class SubmittedLabel(NamedTuple):
    """What the screen submits of a nugget. assignment: a value of Assignment; "" takes a label back.

    sentence: the place of the sentence that decided, from 1. seconds_ago: time since the press, by the clock
    of the judge.
    """

    uuid: uuid.UUID
    nugget: BankNugget
    assignment: str
    sentence: int | None = None
    source: str = "click"
    seconds_ago: float | None = None


def create_matching(campaign: Campaign, organiser: User, asked: PlannedMatching, key: str = "") -> Matching:
    """Store a matching, as `preview_of` shows it. key: see `make_once`.

    Raises Refused if the bank is a draft, a chosen judge sees the name of a run, or no run has an
    answer to a topic with nuggets.
    """
    check_writable(campaign.state)
    if asked.bank.is_draft:
        raise SetRefused("Freeze the nugget bank first: a draft can still change.")
    refuse_knowing_judges(campaign, asked.runs, asked.judges)
    preview = preview_of(asked)
    if not preview.rows:
        raise SetRefused("None of these runs has an answer to one of these topics that has nuggets.")
    return make_once(organiser, key, Matching, lambda: _store(campaign, organiser, asked, preview))


@transaction.atomic
def _store(campaign: Campaign, organiser: User, asked: PlannedMatching, preview: MatchingPreview) -> Matching:
    number = lock_for_new_set(campaign, campaign.matchings.all(), asked.runs)
    stored = Matching.objects.create(
        campaign=campaign,
        number=number,
        bank=asked.bank,
        contradicts=asked.contradicts,
        instructions=asked.instructions,
        double=asked.double,
        seed=asked.seed,
        made_by=organiser,
    )
    stored.runs.set(asked.runs)
    judges, places, answers = (list(column) for column in zip(*preview.rows, strict=True))
    insert_rows(
        MatchingTask,
        len(preview.rows),
        matching_id=stored.pk,
        judge_id=judges,
        place=places,
        answer_id=answers,
    )
    log_change(
        campaign,
        organiser,
        "made a matching",
        f"{stored}: {counted(preview.answers, 'answer')} for {counted(len(asked.judges), 'judge')}",
        number=stored.number,
        bank={f"{asked.bank.number}": asked.bank.sha256},
        runs={run.tag: run.sha256 for run in asked.runs},
        judges=sorted(judge.username for judge in asked.judges),
        topics=[topic.number for topic in asked.topics],
        contradicts=asked.contradicts,
        double=asked.double,
        seed=asked.seed,
    )
    return stored


def discard_matching(matching: Matching, by: User) -> None:
    """Delete a matching without labels. Raises SetRefused if it has some."""
    labels = NuggetLabel.objects.filter(task__matching=matching)
    discard_set(matching, matching.tasks.all(), labels, by, "discarded a matching")


def delete_matchings(campaign: Campaign) -> None:
    """Delete the matchings of a campaign that is being deleted: they protect its banks and answers."""
    campaign.matchings.all().delete()


def record_label(task: MatchingTask, judge: User, submitted: SubmittedLabel) -> NuggetLabel:
    """Store the label of a nugget. A repeated request changes nothing. Raises LabelRefused."""
    matching, nugget = task.matching, submitted.nugget
    if (nugget.bank_id, nugget.topic_id) != (matching.bank_id, task.answer.topic_id):
        raise LabelRefused("This nugget is not one of the answer's topic. The label was not stored.")
    if submitted.assignment == Assignment.CONTRADICTS and not matching.contradicts:
        raise LabelRefused("Judges do not say “contradicts” here. The label was not stored.")
    values = {
        "task_id": task.pk,
        "nugget_id": nugget.pk,
        "assignment": submitted.assignment,
        "sentence": submitted.sentence,
    }
    return store_label(MATCHINGS, task, judge, matching, submitted, NuggetLabel.objects.all(), values)


def take_back_label(
    task: MatchingTask, judge: User, new_uuid: uuid.UUID, given: uuid.UUID, seconds_ago: float | None = None
) -> None:
    """Take a standing label back, by its UUID. new_uuid: of the taking back.

    Nothing changes if the label was refused, or is not the standing one. Raises LabelRefused.
    """
    label = task.labels.filter(uuid=given).select_related("nugget").first()
    if label and task.labels.filter(nugget=label.nugget_id).latest("pk") == label:
        record_label(task, judge, SubmittedLabel(new_uuid, label.nugget, "", None, "", seconds_ago))


@transaction.atomic
def settle_cases(matching: Matching, changes: Mapping[CaseKey, CaseChange], by: User) -> int:
    """Store decisions of an adjudicator; "" opens a case again. Return how many were not known.

    Both labels of a case stay. Raises Refused for a case that no longer differs, and for one that somebody
    else has settled since the page was shown; then nothing is stored.
    """
    check_writable(matching.campaign.state)
    Campaign.objects.select_for_update(no_key=True).get(pk=matching.campaign_id)
    cases, new = {case.key: case for case in nugget_cases(matching)}, []
    for key, change in changes.items():
        case = cases.get(key)
        if case is None:
            raise SetRefused("Judges do not differ any more on one of these nuggets. Read the cases again.")
        standing = case.decision.assignment if case.decision else ""
        if standing not in (change.shown, change.decided):
            raise SetRefused(f"“{case.nugget.text}” was settled meanwhile: {case.decided or 'opened again'}.")
        if change.decided != standing:
            new.append(
                NuggetDecision(
                    matching=matching,
                    answer=case.answer,
                    nugget=case.nugget,
                    assignment=change.decided,
                    decided_by=by,
                )
            )
    if new:
        NuggetDecision.objects.bulk_create(new)
        summary = f"{matching}: {counted(len(new), 'decision')}"
        log_change(matching.campaign, by, "settled nuggets", summary, number=matching.number)
    return len(new)
