"""Preferences: sets of them, their stages, and the votes of judges."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import User
from accounts.services import make_once
from assess.models import Preference, PreferencePair, PreferenceSet, PreferenceTask
from assess.preferences.queries.plan import PlannedPreferences, TopicPlan, topic_plans
from assess.preferences.queries.sets import PREFERENCES
from assess.preferences.queries.votes import decided_pairs, open_pairs
from assess.preferences.stages import PAIRINGS, THRESHOLD, pairs_of_stage, survivors
from assess.services.judged_sets import SetRefused, discard_set, known_label, lock_for_new_set
from assess.services.judging import LabelRefused
from assess.services.press_times import press_time
from pooling.campaign_states import check_writable, why_no_labels
from pooling.models import Campaign, PooledDocument
from pooling.services.audit_log import log_change
from pooling.services.files import insert_rows
from pooling.words import counted


class SubmittedPreference(NamedTuple):
    """A vote as the screen submits it. seconds_ago: time since the press, by the clock of the judge."""

    uuid: uuid.UUID
    choice: str
    reason: str = ""
    source: str = "click"
    seconds_ago: float | None = None


# --- sets


def create_preferences(
    campaign: Campaign, organiser: User, asked: PlannedPreferences, key: str = ""
) -> PreferenceSet:
    """Store a set with the first stage of every topic. key: see `make_once`.

    Raises SetRefused if no topic has two candidates.
    """
    check_writable(campaign.state)
    plans = topic_plans(asked)
    if not plans:
        raise SetRefused("No topic has two documents with a grade above 0 in this release.")
    return make_once(organiser, key, PreferenceSet, lambda: _store(campaign, organiser, asked, plans))


@transaction.atomic
def _store(
    campaign: Campaign, organiser: User, asked: PlannedPreferences, plans: Sequence[TopicPlan]
) -> PreferenceSet:
    number = lock_for_new_set(campaign, campaign.preference_sets.all())
    stored = PreferenceSet.objects.create(
        campaign=campaign,
        number=number,
        release=asked.release,
        better=asked.better,
        k=asked.k,
        threshold=THRESHOLD,
        pairings=PAIRINGS,
        seed=asked.seed,
        made_by=organiser,
    )
    for plan in plans:
        for is_second, judge in enumerate(plan.judges):
            task = PreferenceTask.objects.create(
                preference_set=stored, topic=plan.topic, judge=judge, is_second=bool(is_second)
            )
            task.preference_set = stored
            _open_stage(task, list(plan.documents), is_final=len(plan.documents) <= THRESHOLD)
    pairs = PreferencePair.objects.filter(task__preference_set=stored).count()
    summary = f"{stored}: {counted(len(plans), 'topic')}, {counted(pairs, 'pair')} in the first stage"
    log_change(
        campaign,
        organiser,
        "made preferences",
        summary,
        number=stored.number,
        release=asked.release.number,
        topics=[plan.topic.number for plan in plans],
        judges=sorted({judge.username for plan in plans for judge in plan.judges}),
        k=asked.k,
        seed=asked.seed,
    )
    return stored


def _open_stage(task: PreferenceTask, docnos: list[str], is_final: bool) -> int:
    """Store the pairs of the current stage of a task. The second judge sees the sides swapped."""
    about = task.preference_set
    threshold = max(about.threshold, len(docnos) if is_final else 0)
    pairs = pairs_of_stage(docnos, about.seed, task.stage, threshold, about.pairings)
    keys = dict(
        PooledDocument.objects.filter(topic=task.topic_id, docno__in=docnos).values_list("docno", "pk")
    )
    sided = [pair[::-1] if task.is_second else pair for pair in pairs]
    insert_rows(
        PreferencePair,
        len(pairs),
        task_id=[task.pk] * len(pairs),
        stage=[task.stage] * len(pairs),
        place=list(range(1, len(pairs) + 1)),
        left_id=[keys[left] for left, _ in sided],
        right_id=[keys[right] for _, right in sided],
    )
    return len(pairs)


def discard_preferences(preference_set: PreferenceSet, by: User) -> None:
    """Delete a set without votes. Raises SetRefused if it has some."""
    votes = Preference.objects.filter(pair__task__preference_set=preference_set)
    discard_set(preference_set, preference_set.tasks.all(), votes, by, "discarded preferences")


def delete_preferences(campaign: Campaign) -> None:
    """Delete the sets of a campaign that is being deleted: a pair protects its documents."""
    campaign.preference_sets.all().delete()


# --- votes


def record_preference(pair: PreferencePair, judge: User, vote: SubmittedPreference) -> Preference:
    """Store a vote of the judge of a pair; the last one of a stage opens the next stage.

    A repeated request changes nothing. Raises LabelRefused.
    """
    try:
        with transaction.atomic():
            task = _locked(pair, judge)
            values = {"pair_id": pair.pk, "choice": vote.choice, "reason": vote.reason}
            if known := known_label(PREFERENCES, vote.uuid, Preference.objects.all(), values):
                return known
            _check_open(task, pair)
            stored = _create(pair, vote)
            if not open_pairs(task).exists():
                _advance(task)
            return stored
    except IntegrityError:  # a repeated request was stored first
        return Preference.objects.get(uuid=vote.uuid)


def take_back_preference(
    pair: PreferencePair, judge: User, new_uuid: uuid.UUID, vote: uuid.UUID, seconds_ago: float | None = None
) -> None:
    """Take the standing vote of a pair back, by its UUID. new_uuid: of the taking back.

    The last vote of a stage can be taken back until the next stage has a vote. Raises LabelRefused.
    """
    with transaction.atomic():
        task = _locked(pair, judge)
        last = pair.preferences.order_by("-pk").first()
        if last is None or last.uuid != vote:
            return  # it was refused, or is not the standing one, or was taken back by this very request
        _reopen(task, pair)
        _check_open(task, pair)
        _create(pair, SubmittedPreference(new_uuid, "", "", "", seconds_ago))


def _locked(pair: PreferencePair, judge: User) -> PreferenceTask:
    tasks = PreferenceTask.objects.select_related("preference_set__campaign")
    task = tasks.select_for_update(no_key=True, of=("self",)).filter(pk=pair.task_id).first()
    if task is None:
        raise LabelRefused("These preferences were discarded. The vote was not stored.")
    if task.judge_id != judge.pk:  # perhaps given away since the page was opened
        raise LabelRefused("This pair is another judge’s. The vote was not stored.")
    if not task.pairs.filter(pk=pair.pk).exists():
        raise LabelRefused("The last vote before this stage was taken back. The vote was not stored.")
    return task


def _check_open(task: PreferenceTask, pair: PreferencePair) -> None:
    if why := why_no_labels(task.preference_set.campaign.state, "vote"):
        raise LabelRefused(why)
    if task.finished_at or pair.stage != task.stage:
        raise LabelRefused("The next stage of this topic has begun. The vote was not stored.")


def _create(pair: PreferencePair, vote: SubmittedPreference) -> Preference:
    return Preference.objects.create(
        uuid=vote.uuid,
        pair=pair,
        choice=vote.choice,
        reason=vote.reason,
        source=vote.source,
        pressed_at=press_time(vote.seconds_ago, pair.task.preference_set.made_at),
    )


# --- stages


def _advance(task: PreferenceTask) -> None:
    """Open the next stage of a task whose stage has a vote on every pair, or finish the task.

    The final stage has all pairs of its documents. So does one from which no document would be dropped.
    """
    stage = decided_pairs(task, task.stage)
    if stage.has_all_pairs:
        _finish(task)
        return
    left = survivors(stage.documents, stage.preferred, task.preference_set.pairings)
    task.stage += 1
    is_final = len(left) <= task.preference_set.threshold or len(left) == len(stage.documents)
    if _open_stage(task, left, is_final):
        task.save(update_fields=["stage"])
    else:  # one document is left
        task.stage -= 1
        _finish(task)


def _finish(task: PreferenceTask) -> None:
    task.finished_at = timezone.now()
    task.save(update_fields=["finished_at"])


def _reopen(task: PreferenceTask, pair: PreferencePair) -> None:
    """Return to the stage of a pair, if the stage after it has no vote yet."""
    if task.finished_at and pair.stage == task.stage:
        task.finished_at = None
        task.save(update_fields=["finished_at"])
    elif pair.stage == task.stage - 1:
        following = task.pairs.filter(stage=task.stage)
        if not Preference.objects.filter(pair__in=following).exists():
            following.delete()
            task.stage -= 1
            task.save(update_fields=["stage"])
