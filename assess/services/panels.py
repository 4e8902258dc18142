"""Panels are made, and voted on."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import NamedTuple

from django.db import IntegrityError, transaction

from accounts.models import User
from assess.models import Panel, PanelVote
from assess.queries.panels import left_of, top_docnos
from assess.side_by_side import run_of_side
from pooling.models import Campaign, Run, Topic
from pooling.refusals import Refused
from pooling.services.trail import note


class PanelRefused(Refused):
    """Two runs that cannot be compared side by side; says why."""


class VoteRefused(Refused):
    """A vote that cannot be taken; says why."""


class Vote(NamedTuple):
    """What a judge said, as the screen sends it. choice: left, right or equal."""

    uuid: uuid.UUID
    choice: str
    reason: str = ""
    source: str = "click"


@transaction.atomic
def make_panel(
    campaign: Campaign, organiser: User, runs: tuple[Run, Run], depth: int, topics: Iterable[Topic], seed: int
) -> Panel:
    """Put two runs side by side on those topics on which they show different documents.

    Raises PanelRefused for the same run twice, and where no topic is left.
    """
    first, second = runs
    if first == second:
        raise PanelRefused("Expected two different runs.")
    differing = [topic for topic in topics if _differ(first, second, topic, depth)]
    if not differing:
        raise PanelRefused(f"Both runs show the same first {depth} documents on every topic.")
    panel = Panel.objects.create(
        campaign=campaign, first=first, second=second, depth=depth, seed=seed, made_by=organiser
    )
    panel.topics.set(differing)
    told = f"{first.tag} and {second.tag}, depth {depth}, {len(differing)} topics"
    note(campaign, organiser, "put runs side by side", told, runs=[first.tag, second.tag], seed=seed)
    return panel


def _differ(first: Run, second: Run, topic: Topic, depth: int) -> bool:
    return top_docnos(first, topic.number, depth) != top_docnos(second, topic.number, depth)


def record_vote(panel: Panel, topic: Topic, judge: User, vote: Vote) -> PanelVote:
    """Store a vote for good; the same vote again changes nothing. Raises VoteRefused.

    Which run a side stood for is not asked of the screen: it is known here.
    """
    left = left_of(panel, topic, judge)
    try:
        with transaction.atomic():
            return _known(panel, topic, judge, vote) or PanelVote.objects.create(
                uuid=vote.uuid,
                panel=panel,
                topic=topic,
                judge=judge,
                choice=run_of_side(vote.choice, left),
                reason=vote.reason,
                shown_left=left,
                source=vote.source,
            )
    except IntegrityError:  # the same press came twice at once: the other one was first
        return PanelVote.objects.get(uuid=vote.uuid)


def _known(panel: Panel, topic: Topic, judge: User, vote: Vote) -> PanelVote | None:
    found = PanelVote.objects.filter(uuid=vote.uuid).first()
    if found is None:
        return None
    if (found.panel_id, found.topic_id, found.judge_id) != (panel.pk, topic.pk, judge.pk):
        raise VoteRefused("This vote was already recorded for another topic.")
    if found.choice != run_of_side(vote.choice, found.shown_left):
        raise VoteRefused("Another vote came from this page already. Look at the topic again to change it.")
    return found
