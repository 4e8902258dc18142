"""Battles: sets of them, and the votes of judges."""

from __future__ import annotations

import uuid
from typing import NamedTuple

from django.db import transaction

from accounts.models import User
from accounts.services import make_once
from assess.battles.queries.plan import DesignPreview, PlannedBattles, preview_of
from assess.battles.queries.sets import BATTLES
from assess.models import Battle, BattleSet, BattleVote
from assess.queries.judged_sets import refuse_knowing_judges
from assess.services.judged_sets import discard_set, lock_for_new_set, store_label
from pooling.campaign_states import check_writable
from pooling.models import Campaign
from pooling.services.audit_log import log_change
from pooling.services.files import insert_rows
from pooling.words import counted


class SubmittedVote(NamedTuple):
    """A vote as the screen submits it. seconds_ago: time since the press, by the clock of the judge."""

    uuid: uuid.UUID
    choice: str
    reason: str = ""
    source: str = "click"
    seconds_ago: float | None = None


def create_battles(campaign: Campaign, organiser: User, asked: PlannedBattles, key: str = "") -> BattleSet:
    """Store a set of battles, as `preview_of` shows it. key: see `make_once`.

    Raises Refused if a chosen judge sees the name of a run, a run was withdrawn, or there is no design.
    """
    check_writable(campaign.state)
    refuse_knowing_judges(campaign, asked.runs, asked.judges)
    preview = preview_of(asked)
    return make_once(organiser, key, BattleSet, lambda: _store(campaign, organiser, asked, preview))


@transaction.atomic
def _store(campaign: Campaign, organiser: User, asked: PlannedBattles, preview: DesignPreview) -> BattleSet:
    number = lock_for_new_set(campaign, campaign.battle_sets.all(), asked.runs)
    stored = BattleSet.objects.create(
        campaign=campaign,
        number=number,
        better=asked.better,
        per_topic=asked.per_topic,
        double=asked.double,
        repeated=asked.repeated,
        seed=asked.seed,
        made_by=organiser,
    )
    stored.runs.set(asked.runs)
    columns = (list(column) for column in zip(*preview.rows, strict=True))
    judges, places, topics, lefts, rights, repeats = columns
    insert_rows(
        Battle,
        len(preview.rows),
        battle_set_id=stored.pk,
        judge_id=judges,
        place=places,
        topic_id=topics,
        left_id=lefts,
        right_id=rights,
        is_repeat=repeats,
    )
    of_runs, for_judges = counted(len(asked.runs), "answer run"), counted(len(asked.judges), "judge")
    summary = f"{stored}: {preview.votes:,} of {of_runs} for {for_judges}"
    log_change(
        campaign,
        organiser,
        "made battles",
        summary,
        number=stored.number,
        runs={run.tag: run.sha256 for run in asked.runs},
        judges=sorted(judge.username for judge in asked.judges),
        topics=[topic.number for topic in asked.topics],
        per_topic=asked.per_topic,
        double=asked.double,
        repeated=asked.repeated,
        seed=asked.seed,
    )
    return stored


def discard_battles(battle_set: BattleSet, by: User) -> None:
    """Delete a set without votes. Raises SetRefused if it has some."""
    votes = BattleVote.objects.filter(battle__battle_set=battle_set)
    discard_set(battle_set, battle_set.battles.all(), votes, by, "discarded battles")


def delete_battles(campaign: Campaign) -> None:
    """Delete the battles of a campaign that is being deleted: a battle protects its answers."""
    campaign.battle_sets.all().delete()


def record_vote(battle: Battle, judge: User, vote: SubmittedVote) -> BattleVote:
    """Store a vote of the judge of a battle. A repeated request changes nothing. Raises LabelRefused."""
    values = {"battle_id": battle.pk, "choice": vote.choice, "reason": vote.reason}
    return store_label(BATTLES, battle, judge, battle.battle_set, vote, BattleVote.objects.all(), values)


def take_back_vote(
    battle: Battle, judge: User, new_uuid: uuid.UUID, vote: uuid.UUID, seconds_ago: float | None = None
) -> None:
    """Take the standing vote of a battle back, by its UUID. new_uuid: of the taking back.

    Nothing changes if the vote was refused, or is not the standing one. Raises LabelRefused.
    """
    last = battle.votes.order_by("-pk").first()
    is_repeated = last is not None and last.uuid == new_uuid
    if last and (last.uuid == vote or is_repeated):
        record_vote(battle, judge, SubmittedVote(new_uuid, "", "", "", seconds_ago))
