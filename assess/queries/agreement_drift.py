"""Whether judging changed over time: only labels that people gave here have a time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np

from assess.event_columns import REFUSED, distinct
from assess.kappa.coefficient import Floats
from assess.kappa.drift import Period, drift, thirds
from assess.kappa.labels import MISSING, Labels
from assess.queries.agreements import Scope, within
from assess.queries.event_logs import standing_of
from assess.queries.keeping import kept
from pooling.columns import IntVector

MOST_WEEKS = 60


class Drift(NamedTuple):
    """Periods of judging. begins: of each; judges: those with a label; left_out: labels without a time."""

    periods: list[Period]
    begins: list[datetime]
    judges: list[str]
    left_out: int


def drift_of(scope: Scope, by_week: bool = False) -> Drift:
    """Return relevant rate and agreement of people by thirds of their labels, or by week (from Monday)."""
    name = f"drift-{'week' if by_week else 'third'}-{scope.part}"
    return kept(scope.campaign, name, scope.stamp, lambda: _drift(scope, by_week))


def _drift(scope: Scope, by_week: bool) -> Drift:
    people = within(scope.jury.people, scope.topic)
    times = _times(scope, people)
    timed = replace(people, places=np.where(np.isnan(times), MISSING, people.places).astype(np.int8))
    periods = drift(timed, times, _weeks(times) if by_week else thirds(times))
    left_out = int((people.places >= 0).sum() - (timed.places >= 0).sum())
    given: list[bool] = np.asarray((timed.places >= 0).any(axis=1)).tolist()
    judges = [judge for judge, any_given in zip(people.judges, given, strict=True) if any_given]
    return Drift(periods, [datetime.fromtimestamp(each.begin, UTC) for each in periods], judges, left_out)


def _times(scope: Scope, labels: Labels) -> Floats:
    """Return when each label was given, in seconds; nan where none was given or it came from a file."""
    times = np.full(labels.places.shape, np.nan)
    given = standing_of(scope.campaign)
    row, documents, item = (
        _rows(scope, labels, given.judge),
        *distinct(given.pooled),
    )  # labels come by document
    column = _found(np.array(labels.items, dtype=np.int64), documents)[item]
    known = given.here & (given.relevance != REFUSED) & (row >= 0) & (column >= 0)
    times[row[known], column[known]] = given.at[known]
    return times


def _rows(scope: Scope, labels: Labels, judges: IntVector) -> IntVector:
    """Return the row of each judge, told by key; -1 for one who has none."""
    keys = scope.jury.keys
    return _found(np.array([keys[judge] for judge in labels.judges], dtype=np.int64), judges)


def _found(keys: IntVector, wanted: IntVector) -> IntVector:
    """Return the place among some keys of each that is wanted, -1 for one that is not there."""
    if not len(keys):
        return np.full(len(wanted), -1)
    order = np.argsort(keys)
    place = order[np.searchsorted(keys, wanted, sorter=order).clip(max=len(keys) - 1)]
    return np.where(keys[place] == wanted, place, -1)


def _weeks(times: Floats) -> list[float]:
    """Return the Mondays that part the labels, from the first one's; at most MOST_WEEKS."""
    given = times[~np.isnan(times)]
    if not len(given):
        return []
    first, last = (datetime.fromtimestamp(float(edge), UTC) for edge in (given.min(), given.max()))
    monday = (first - timedelta(days=first.weekday())).replace(hour=0, minute=0, second=0, microsecond=0)
    weeks = min((last - monday).days // 7 + 1, MOST_WEEKS)
    return [(monday + timedelta(weeks=week)).timestamp() for week in range(weeks)] + [float(last.timestamp())]
