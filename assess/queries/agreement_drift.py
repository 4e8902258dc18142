"""Change of judging over time, from the labels that people gave here: others have no time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import numpy as np
from django.db.models import TextField
from django.db.models.functions import Cast

from assess.event_columns import seconds_since_1970
from assess.kappa.coefficient import Floats
from assess.kappa.drift import Period, drift, thirds
from assess.kappa.labels import Labels
from assess.no_grade import NoGrade
from assess.queries.agreements import Scope, within
from assess.queries.caching import cached
from assess.queries.labels import judgments_in
from pooling.arrays import IntVector

MOST_WEEKS = 60


class Drift(NamedTuple):
    """Periods of judging. begins: of each. judges: with a label. left_out: labels without a time."""

    periods: list[Period]
    begins: list[datetime]
    judges: list[str]
    left_out: int


def drift_of(scope: Scope, by_week: bool = False) -> Drift:
    """Return relevant rate and agreement of people by thirds of their labels, or by week (from Monday)."""
    name = f"drift-{'week' if by_week else 'third'}-{scope.part}"
    return cached(scope.campaign, name, scope.version, lambda: _drift(scope, by_week))


def _drift(scope: Scope, by_week: bool) -> Drift:
    people = within(scope.jury.people, scope.topic)
    times = _times(scope, people)
    timed = replace(people, places=np.where(np.isnan(times), NoGrade.MISSING, people.places).astype(np.int8))
    periods = drift(timed, times, _weeks(times) if by_week else thirds(times))
    left_out = int((people.places >= 0).sum() - (timed.places >= 0).sum())
    given: list[bool] = np.asarray((timed.places >= 0).any(axis=1)).tolist()
    judges = [judge for judge, any_given in zip(people.judges, given, strict=True) if any_given]
    return Drift(periods, [datetime.fromtimestamp(each.begin, UTC) for each in periods], judges, left_out)


def _times(scope: Scope, labels: Labels) -> Floats:
    """Return the time of each label in seconds; nan for no label and for imported ones."""
    times = np.full(labels.places.shape, np.nan)
    judgments = judgments_in(scope.campaign).filter(relevance__isnull=False).exclude(event__source="import")
    if scope.topic:
        judgments = judgments.filter(pooled__topic=scope.topic)
    rows = list(judgments.order_by().values_list("judge", "pooled", Cast("event__pressed_at", TextField())))
    judges, documents, pressed = zip(*rows, strict=True) if rows else ((), (), ())
    row = _rows(scope, labels, np.array(judges, dtype=np.int64))
    column = _found(np.array(labels.items, dtype=np.int64), np.array(documents, dtype=np.int64))
    known = (row >= 0) & (column >= 0)
    times[row[known], column[known]] = seconds_since_1970(pressed)[known]
    return times


def _rows(scope: Scope, labels: Labels, judges: IntVector) -> IntVector:
    """Return the row of each judge, given by key; -1 for a judge without one."""
    keys = scope.jury.keys
    return _found(np.array([keys[judge] for judge in labels.judges], dtype=np.int64), judges)


def _found(keys: IntVector, wanted: IntVector) -> IntVector:
    """Return the place of each wanted key among some keys, -1 for a key that is not there."""
    if not len(keys):
        return np.full(len(wanted), -1)
    order = np.argsort(keys)
    place = order[np.searchsorted(keys, wanted, sorter=order).clip(max=len(keys) - 1)]
    return np.where(keys[place] == wanted, place, -1)


def _weeks(times: Floats) -> list[float]:
    """Return the Mondays that divide the labels, from the first label's; at most MOST_WEEKS."""
    given = times[~np.isnan(times)]
    if not len(given):
        return []
    first, last = (datetime.fromtimestamp(float(edge), UTC) for edge in (given.min(), given.max()))
    monday = (first - timedelta(days=first.weekday())).replace(hour=0, minute=0, second=0, microsecond=0)
    weeks = min((last - monday).days // 7 + 1, MOST_WEEKS)
    return [(monday + timedelta(weeks=week)).timestamp() for week in range(weeks)] + [float(last.timestamp())]
