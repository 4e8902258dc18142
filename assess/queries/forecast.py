"""The forecast of a campaign from its progress."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from math import inf
from typing import NamedTuple

from accounts.models import User
from assess.forecast import (
    DEFAULT_SECONDS,
    IDLE_AFTER,
    Finish,
    IdleJudge,
    JudgeTopic,
    RemainingTopic,
    idle_judges,
    projected_finish,
    topics_within_budget,
)
from assess.queries.progress import ProgressGrid, Row
from pooling.models import Topic


class JudgingForecast(NamedTuple):
    """When judges will finish, and what a budget of hours can finish.

    hours: of all remaining labels. finish: of what is assigned. judges: (name, hours, last day),
    alphabetical. completed, others: topics that the budget completes, and those that it does not, in the
    order to judge them; spent: hours of the completed ones.
    """

    hours: float
    finish: Finish
    judges: list[tuple[str, float, date]]
    completed: list[Topic]
    others: list[Topic]
    spent: float

    @property
    def open_topics(self) -> int:
        return len(self.completed) + len(self.others)


def forecast(
    grid: ProgressGrid, now: datetime, hours_a_day: float, budget: float | None = None
) -> JudgingForecast:
    """Return the forecast, each judge working this number of hours every day. budget: None for no limit."""
    names = {column.judge.username: str(column.judge) for column in grid.columns}
    finish = projected_finish(
        {column.judge.username: column.left for column in grid.columns},
        {column.judge.username: column.seconds for column in grid.columns},
        now.date(),
        hours_a_day,
    )
    remaining = [remaining_topic(row, grid.seconds) for row in grid.rows]
    plan = topics_within_budget(remaining, inf if budget is None else budget)
    topics = {row.topic.number: row.topic for row in grid.rows}
    return JudgingForecast(
        sum(topic.hours for topic in remaining),
        finish,
        [(names[judge], hours, finish.day[judge]) for judge, hours in finish.hours.items() if hours],
        [topics[number] for number in plan.completed],
        [topics[number] for number in plan.others],
        plan.hours,
    )


def remaining_topic(row: Row, usual: float | None) -> RemainingTopic:
    """Return the remaining work of a topic. usual: mean seconds of the campaign, for topics without times."""
    return RemainingTopic(row.topic.number, row.left, row.judged > 0, row.seconds or usual or DEFAULT_SECONDS)


def idle_judges_in(grid: ProgressGrid, now: datetime) -> list[IdleJudge]:
    """Return the judges with open documents and no activity for days."""
    judge_topics = [
        JudgeTopic(str(column.judge), row.topic.number, cell.left, cell.since, cell.last_label)
        for row in grid.rows
        for column, cell in zip(grid.columns, row.cells, strict=True)
        if cell and cell.since and column.judge.is_active
    ]
    return idle_judges(judge_topics, now)


def idle_judges_by_user(
    grid: ProgressGrid, now: datetime, patience: timedelta = IDLE_AFTER
) -> list[tuple[User, IdleJudge]]:
    """Return each idle judge with the account, in the order of the columns. patience: see `idle_judges`."""
    idle_by_user = []
    for place, column in enumerate(grid.columns):
        own = [
            JudgeTopic(str(column.judge), row.topic.number, cell.left, cell.since, cell.last_label)
            for row in grid.rows
            if (cell := row.cells[place]) and cell.since and column.judge.is_active
        ]
        idle_by_user += [(column.judge, idle) for idle in idle_judges(own, now, patience)]
    return idle_by_user
