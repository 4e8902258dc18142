"""Battles: sets of them, and the votes of judges."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Max, ProtectedError

from accounts.models import User
from accounts.services import make_once
from assess.battles.queries.plan import DesignPreview, PlannedBattles, preview_of
from assess.battles.queries.sets import Handover, handover, successors
from assess.battles.queries.votes import has_votes
from assess.models import AnswerRun, Battle, BattleSet, BattleVote
from assess.queries.answers import who_know
from assess.services.press_times import press_time
from pooling.campaign_states import check_writable, why_no_labels
from pooling.models import Campaign
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.services.files import insert_rows
from pooling.words import counted


class BattlesRefused(Refused):
    """A set of battles cannot be made or discarded; the message says why."""


class VoteRefused(Refused):
    """A vote was not stored; the message says why."""


class SubmittedVote(NamedTuple):
    """A vote as the screen submits it. seconds_ago: time since the press, by the clock of the judge."""

    uuid: uuid.UUID
    choice: str
    reason: str = ""
    source: str = "click"
    seconds_ago: float | None = None


def create_battles(campaign: Campaign, organiser: User, asked: PlannedBattles, key: str = "") -> BattleSet:
    """Store a set of battles, as `preview_of` shows it. key: see `make_once`.

    Raises BattlesRefused if a chosen judge sees the name of a run or a run was withdrawn, and Refused where
    there is no design.
    """
    check_writable(campaign.state)
    knowing = who_know(campaign, asked.runs).filter(pk__in=[judge.pk for judge in asked.judges])
    if names := [judge.username for judge in knowing.order_by("username")]:
        raise BattlesRefused(f"Choose other judges: {', '.join(names)} can see the name of one of the runs.")
    preview = preview_of(asked)
    return make_once(organiser, key, BattleSet, lambda: _store(campaign, organiser, asked, preview))


@transaction.atomic
def _store(campaign: Campaign, organiser: User, asked: PlannedBattles, preview: DesignPreview) -> BattleSet:
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    keys = [run.pk for run in asked.runs]
    if gone := list(AnswerRun.objects.filter(pk__in=keys).exclude(withdrawn_at=None)):
        raise BattlesRefused(f"The answer run {gone[0].tag} was withdrawn. Choose the runs again.")
    last = campaign.battle_sets.aggregate(last=Max("number"))["last"] or 0
    stored = BattleSet.objects.create(
        campaign=campaign,
        number=last + 1,
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


@transaction.atomic
def discard_battles(battle_set: BattleSet, by: User) -> None:
    """Delete a set without votes. Raises BattlesRefused if it has some."""
    Campaign.objects.select_for_update(no_key=True).get(pk=battle_set.campaign_id)
    list(battle_set.battles.select_for_update())  # or a vote that is being stored would not be seen
    if has_votes(battle_set):
        raise BattlesRefused(f"{battle_set} have votes, and votes are never deleted.")
    name = str(battle_set)
    log_change(battle_set.campaign, by, "discarded battles", name, number=battle_set.number)
    try:
        battle_set.delete()
    except ProtectedError as error:  # by votes of a program
        raise BattlesRefused(f"{name} have votes of a program, and votes are never deleted.") from error


@transaction.atomic
def give_open_battles(battle_set: BattleSet, judge: User, others: Sequence[User], by: User) -> Handover:
    """Give the open battles of a judge to others, as `handover` plans it. Every vote stays.

    Raises BattlesRefused if one of the others can see the name of a run, and if there is nothing to give.
    """
    check_writable(battle_set.campaign.state)
    Campaign.objects.select_for_update(no_key=True).get(pk=battle_set.campaign_id)
    list(battle_set.battles.select_for_update())  # no vote is stored meanwhile
    allowed = set(successors(battle_set, judge))
    if knowing := [other.username for other in others if other not in allowed]:
        raise BattlesRefused(f"Choose other judges: {', '.join(knowing)} cannot take over these battles.")
    planned = handover(battle_set, judge, others)
    if not planned.given and not planned.dropped:
        raise BattlesRefused(f"{judge} has no open battle that these judges can take over.")
    places = Counter[int]()
    for last in battle_set.battles.values("judge").annotate(last=Max("place")).order_by():
        places[last["judge"]] = last["last"]
    for battle, taker in planned.given:
        places[taker.pk] += 1
        battle.judge, battle.place = taker, places[taker.pk]
    Battle.objects.bulk_update([battle for battle, _ in planned.given], ["judge", "place"])
    Battle.objects.filter(pk__in=[battle.pk for battle in planned.dropped]).delete()
    counts = {taker.username: count for taker, count in planned.shares}
    log_change(
        battle_set.campaign,
        by,
        "gave battles to others",
        f"{battle_set}: {counted(len(planned.given), 'open battle')} of {judge}",
        number=battle_set.number,
        judge=judge.username,
        given=counts,
        dropped=len(planned.dropped),
        kept=planned.kept,
    )
    return planned


def delete_battles(campaign: Campaign) -> None:
    """Delete the battles of a campaign that is being deleted: a battle protects its answers."""
    campaign.battle_sets.all().delete()


def record_vote(battle: Battle, judge: User, vote: SubmittedVote) -> BattleVote:
    """Store a vote of the judge of a battle. A repeated request changes nothing. Raises VoteRefused."""
    return _record(battle, judge, vote)


def take_back_vote(
    battle: Battle, judge: User, new_uuid: uuid.UUID, vote: uuid.UUID, seconds_ago: float | None = None
) -> None:
    """Take the standing vote of a battle back, by its UUID. new_uuid: of the taking back.

    Nothing changes if the vote was refused, or is not the standing one. Raises VoteRefused.
    """
    last = battle.votes.order_by("-pk").first()
    is_repeated = last is not None and last.uuid == new_uuid
    if last and (last.uuid == vote or is_repeated):
        _record(battle, judge, SubmittedVote(new_uuid, "", "", "", seconds_ago))


def _record(battle: Battle, judge: User, vote: SubmittedVote) -> BattleVote:
    campaign = battle.battle_set.campaign
    try:
        with transaction.atomic():
            locked = Battle.objects.select_for_update(no_key=True).filter(pk=battle.pk).first()
            if locked is None:
                raise VoteRefused("These battles were discarded. The vote was not stored.")
            if locked.judge_id != judge.pk:  # perhaps given away since the page was opened
                raise VoteRefused("This battle is another judge's. The vote was not stored.")
            known = _known(battle, vote)
            if known is None and (why := why_no_labels(campaign.state, "vote")):
                raise VoteRefused(why)
            return known or BattleVote.objects.create(
                uuid=vote.uuid,
                battle=battle,
                choice=vote.choice,
                reason=vote.reason,
                source=vote.source,
                pressed_at=press_time(vote.seconds_ago, battle.battle_set.made_at),
            )
    except IntegrityError:  # a repeated request was stored first
        return BattleVote.objects.get(uuid=vote.uuid)


def _known(battle: Battle, vote: SubmittedVote) -> BattleVote | None:
    known = BattleVote.objects.filter(uuid=vote.uuid).first()
    if known is None:
        return None
    if known.battle_id != battle.pk:
        raise VoteRefused("This vote was already stored for another battle. Reload the page and vote again.")
    if (known.choice, known.reason) != (vote.choice, vote.reason):
        raise VoteRefused("This page has already sent another vote. Open the battle again to change it.")
    return known
