"""Panels: two runs side by side, and the votes of judges."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from django.db import IntegrityError, transaction

from accounts.models import User
from accounts.services import make_once
from assess.models import Panel, PanelVote
from assess.panels.queries import left_run_of
from assess.panels.sides import run_of_side
from pooling.campaign_states import why_no_labels
from pooling.models import Campaign, Run, Topic
from pooling.queries.runs import top_docnos
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.words import counted


class PanelRefused(Refused):
    """Two runs cannot be compared side by side; the message says why."""


class VoteRefused(Refused):
    """A vote was not stored; the message says why."""


class Vote(NamedTuple):
    """A vote as the screen submits it. choice: left, right or equal."""

    uuid: uuid.UUID
    choice: str
    reason: str = ""
    source: str = "click"


def create_panel(
    campaign: Campaign,
    organiser: User,
    runs: tuple[Run, Run],
    depth: int,
    topics: Iterable[Topic],
    seed: int,
    key: str = "",
) -> Panel:
    """Create a panel of two runs, with the topics on which their first `depth` documents differ.

    key: see `make_once`. Raises PanelRefused for the same run twice, and if no topic differs.
    """
    first, second = runs
    if first == second:
        raise PanelRefused("Choose two different runs.")
    differing = [topic for topic in topics if _differ(first, second, topic, depth)]
    if not differing:
        raise PanelRefused(
            f"Nothing to compare: both runs have the same first {depth} documents on every topic."
        )
    panel = Panel(campaign=campaign, first=first, second=second, depth=depth, seed=seed, made_by=organiser)
    return make_once(organiser, key, Panel, lambda: _store_panel(panel, differing))


def _store_panel(panel: Panel, topics: Sequence[Topic]) -> Panel:
    panel.save()
    panel.topics.set(topics)
    tags = [panel.first.tag, panel.second.tag]
    summary = f"{tags[0]} and {tags[1]}, depth {panel.depth}, {counted(len(topics), 'topic')}"
    log_change(panel.campaign, panel.made_by, "put runs side by side", summary, runs=tags, seed=panel.seed)
    return panel


def delete_panels(campaign: Campaign) -> None:
    """Delete the panels of a campaign that is being deleted: a panel protects its runs."""
    campaign.panels.all().delete()


def _differ(first: Run, second: Run, topic: Topic, depth: int) -> bool:
    return top_docnos(first, topic.number, depth) != top_docnos(second, topic.number, depth)


def record_vote(panel: Panel, topic: Topic, judge: User, vote: Vote) -> PanelVote:
    """Store a vote. A repeated request changes nothing. Raises VoteRefused.

    The server, not the page, decides which run was on which side, so that the page need not name the runs.
    """
    left = left_run_of(panel, topic, judge)
    try:
        with transaction.atomic():
            known = _known(panel, topic, judge, vote)
            if known is None and (why := why_no_labels(panel.campaign.state, "vote")):
                raise VoteRefused(why)
            return known or PanelVote.objects.create(
                uuid=vote.uuid,
                panel=panel,
                topic=topic,
                judge=judge,
                choice=run_of_side(vote.choice, left),
                reason=vote.reason,
                shown_left=left,
                source=vote.source,
            )
    except IntegrityError:  # a repeated request was stored first
        return PanelVote.objects.get(uuid=vote.uuid)


def _known(panel: Panel, topic: Topic, judge: User, vote: Vote) -> PanelVote | None:
    known = PanelVote.objects.filter(uuid=vote.uuid).first()
    if known is None:
        return None
    if (known.panel_id, known.topic_id, known.judge_id) != (panel.pk, topic.pk, judge.pk):
        raise VoteRefused("This vote was already recorded for another topic. Reload the page and vote again.")
    if known.choice != run_of_side(vote.choice, known.shown_left):
        raise VoteRefused("This page has already sent another vote. Open the topic again to change the vote.")
    return known
