"""Runs side by side. What a judge gets of a panel names no run, and shows nobody else's vote."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from django.db.models import Count, QuerySet

from accounts.models import User
from assess.models import Panel, PanelVote
from assess.passages import Span
from assess.queries.queues import terms_of
from assess.sheet import excerpt
from assess.side_by_side import LEFT, OTHER, RIGHT, shown_left, side_of_run
from pooling.models import Campaign, Document, Run, Topic
from pooling.queries.campaigns import runs_seen_by
from pooling.queries.runs import docno_table, stored


class Shown(NamedTuple):
    """One document in a list. document: None where no text was loaded; then only the docno is known."""

    rank: int
    docno: str
    document: Document | None
    excerpt: list[Span]


class MyPanel(NamedTuple):
    """A panel as a judge sees it. waiting: numbers of the topics without a vote of theirs."""

    panel: Panel
    voted: int
    waiting: list[str]

    @property
    def total(self) -> int:
        return self.voted + len(self.waiting)


def top_docnos(run: Run, topic: str, depth: int) -> list[str]:
    """Return a run's first documents of a topic, in the order in which it is scored."""
    columns = stored(run)
    if topic not in columns.topics:
        return []
    place = columns.topics.index(topic)
    start, end = int(columns.offsets[place]), int(columns.offsets[place + 1])
    ids = columns.scored_ids[start : min(end, start + depth)].astype(np.int64)
    return [docno.decode() for docno in docno_table(run.campaign).docnos(ids).tolist()]


def left_of(panel: Panel, topic: Topic, judge: User) -> str:
    """Return which run, "first" or "second", stands left for this judge."""
    return shown_left(panel.seed, judge.pk, panel.topics.values_list("number", flat=True))[topic.number]


def lists_of(panel: Panel, topic: Topic, judge: User) -> dict[str, list[Shown]]:
    """Return what stands left and right."""
    left = left_of(panel, topic, judge)
    runs = {"first": panel.first, "second": panel.second}
    sides = {LEFT: runs[left], RIGHT: runs[OTHER[left]]}
    docnos = {side: top_docnos(run, topic.number, panel.depth) for side, run in sides.items()}
    return {side: _shown(topic, found) for side, found in docnos.items()}


def _shown(topic: Topic, docnos: list[str]) -> list[Shown]:
    documents = Document.objects.filter(campaign=topic.campaign_id, docno__in=docnos)
    known, terms = {document.docno: document for document in documents}, terms_of(topic)
    return [
        Shown(rank, docno, known.get(docno), excerpt(known[docno].text, terms) if docno in known else [])
        for rank, docno in enumerate(docnos, start=1)
    ]


def standing_votes(votes: Iterable[PanelVote]) -> list[PanelVote]:
    """Return of each judge and topic of a panel the last vote; the others were corrected by it."""
    last: dict[tuple[int, int, int], PanelVote] = {}
    for vote in sorted(votes, key=lambda vote: vote.pk):
        last[vote.panel_id, vote.topic_id, vote.judge_id] = vote
    return list(last.values())


def my_vote(panel: Panel, topic: Topic, judge: User) -> tuple[str, str]:
    """Return the side that this judge chose last, and why; two empty texts before."""
    vote = panel.votes.filter(topic=topic, judge=judge).order_by("-pk").first()
    return (side_of_run(vote.choice, vote.shown_left), vote.reason) if vote else ("", "")


def panels_blind_to(judge: User, campaign: Campaign) -> QuerySet[Panel]:
    """Return the panels on which this person may vote: of runs whose names nothing else shows them."""
    known = runs_seen_by(judge, campaign).order_by().values("pk")
    return campaign.panels.exclude(first__in=known).exclude(second__in=known)


def my_panels(judge: User, campaign: Campaign) -> list[MyPanel]:
    """Return the panels that this judge votes on, newest first, with what waits for them."""
    voted = set(PanelVote.objects.filter(judge=judge).values_list("panel", "topic").distinct())
    found = []
    for panel in panels_blind_to(judge, campaign).prefetch_related("topics"):
        topics = panel.topics.all()
        waiting = [topic.number for topic in topics if (panel.pk, topic.pk) not in voted]
        found.append(MyPanel(panel, len(topics) - len(waiting), waiting))
    return found


def panels_with_votes(campaign: Campaign) -> QuerySet[Panel]:
    """Return the panels with `topic_count` and `judge_count`, how many judges have voted so far."""
    counted = campaign.panels.annotate(
        topic_count=Count("topics", distinct=True), judge_count=Count("votes__judge", distinct=True)
    )
    return counted.select_related("first", "second")
