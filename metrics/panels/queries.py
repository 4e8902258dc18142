"""Votes of judges on two runs side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from django.db.models import Q, QuerySet

from accounts.models import User
from assess.models import Panel, PanelVote
from assess.panels.queries import current_votes
from assess.panels.sides import EQUAL, FIRST, LEFT, OTHER, RIGHT, SECOND, side_of_run
from metrics.comparison_plots import differences_plot
from metrics.plots import Plot
from metrics.queries.scores import comparable_runs
from metrics.significance.paired import PairedTest, sign_test
from pooling.models import Campaign, Topic
from pooling.queries.campaigns import submitted_runs


class VoteCounts(NamedTuple):
    """Numbers of votes, or of topics, for each run. test: the sign test of first against second."""

    first: int
    second: int
    equal: int
    test: PairedTest


class TopicVotes(NamedTuple):
    """A topic. winner: the tag of the run with more votes, "" if both have the same number."""

    topic: Topic
    votes: VoteCounts
    winner: str


class PanelResult(NamedTuple):
    """The result of a panel.

    by_topic: topics won, of those with a vote. votes: all votes. sides: votes for left, right, equal.
    reasons: the votes with a reason, in the order of topics.
    """

    by_topic: VoteCounts
    votes: VoteCounts
    sides: VoteCounts
    judges: int
    lines: list[TopicVotes]
    reasons: list[PanelVote]
    plot: Plot | None


def panels_seen_by(user: User, campaign: Campaign) -> QuerySet[Panel]:
    """Return the panels on two runs whose scores this person may see, or could see before a withdrawal."""
    scored = comparable_runs(user, campaign).order_by().values("pk")
    seen = Q(pk__in=scored) | Q(pk__in=submitted_runs(user, campaign).order_by().values("pk"))
    runs = campaign.runs.filter(seen).order_by().values("pk")
    return campaign.panels.filter(first__in=runs, second__in=runs).select_related("first", "second")


def panel_result(panel: Panel) -> PanelResult:
    """Return the standing votes of a panel, counted by topic and over all."""
    votes = current_votes(panel.votes.select_related("topic", "judge"))
    of_topic: dict[int, list[PanelVote]] = {}
    for vote in votes:
        of_topic.setdefault(vote.topic_id, []).append(vote)
    tags = {FIRST: panel.first.tag, SECOND: panel.second.tag}
    lines = [_line(topic, of_topic.get(topic.pk, []), tags) for topic in panel.topics.all()]
    won = [_more(line.votes) for line in lines if of_topic.get(line.topic.pk)]
    sides = [side_of_run(vote.choice, vote.shown_left) for vote in votes]
    return PanelResult(
        count_votes(won, FIRST, SECOND, "topics"),
        count_votes([vote.choice for vote in votes], FIRST, SECOND),
        count_votes(sides, LEFT, RIGHT),
        len({vote.judge_id for vote in votes}),
        lines,
        sorted((vote for vote in votes if vote.reason), key=lambda vote: (vote.topic.place, vote.pk)),
        _plot(panel, lines) if votes else None,
    )


def count_votes(choices: Sequence[str], one: str, other: str, of: str = "votes") -> VoteCounts:
    """Count choices. Each is a pair of the sign test, which omits equal ones. of: their name in messages."""
    counts = Counter(choices)
    vectors = (np.array([float(choice == option) for choice in choices]) for option in (one, other))
    test = sign_test(*vectors)
    if test.reason:
        test = replace(test, reason=f"fewer than two {of}" if test.n < 2 else f"all {of} are equal")
    return VoteCounts(counts[one], counts[other], counts[EQUAL], test)


def _line(topic: Topic, votes: Sequence[PanelVote], tags: dict[str, str]) -> TopicVotes:
    counts = count_votes([vote.choice for vote in votes], FIRST, SECOND)
    return TopicVotes(topic, counts, tags.get(_more(counts), ""))


def _more(votes: VoteCounts) -> str:
    """Return the run with more votes, EQUAL if both have the same number."""
    if votes.first == votes.second:
        return EQUAL
    return FIRST if votes.first > votes.second else OTHER[FIRST]


def _plot(panel: Panel, lines: Sequence[TopicVotes]) -> Plot:
    first = np.array([float(line.votes.first) for line in lines])
    second = np.array([float(line.votes.second) for line in lines])
    tags = panel.first.tag, panel.second.tag
    return differences_plot("votes", tags, [line.topic.number for line in lines], first, second)
