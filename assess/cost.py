"""Hours and cost of judging. Money and hours are decimal numbers with two places, so that sums are exact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from assess.forecast import DEFAULT_SECONDS

CENT = Decimal("0.01")


class DayOfLabels(NamedTuple):
    """One judge on one day. timed: labels with measured active seconds; seconds: their sum."""

    judge: int
    day: date
    labels: int
    timed: int
    seconds: float


class TimesheetRow(NamedTuple):
    """One judge on one day. untimed: labels without a measured time. cost: None without a rate."""

    judge: int
    day: date
    labels: int
    untimed: int
    hours: Decimal
    rate: Decimal | None
    cost: Decimal | None


def hours_of(seconds: float) -> Decimal:
    """Return seconds as hours.

    >>> hours_of(5400), hours_of(18)
    (Decimal('1.50'), Decimal('0.01'))
    """
    return (Decimal(repr(float(seconds))) / 3600).quantize(CENT, ROUND_HALF_UP)


def cost_of(hours: Decimal, rate: Decimal | None) -> Decimal | None:
    """Return the cost of hours at an hourly rate; None without a rate.

    >>> cost_of(Decimal("1.50"), Decimal("17.35")), cost_of(Decimal("1.50"), None)
    (Decimal('26.03'), None)
    """
    return None if rate is None else (hours * rate).quantize(CENT, ROUND_HALF_UP)


def usual_seconds(days: Iterable[DayOfLabels]) -> dict[int, float]:
    """Return judge -> mean active seconds of the timed labels; all judges together for a judge without one.

    >>> day = date(2026, 11, 24)
    >>> usual_seconds([DayOfLabels(1, day, 3, 2, 40.0), DayOfLabels(2, day, 5, 0, 0.0)])
    {1: 20.0, 2: 20.0}
    """
    sums: dict[int, tuple[int, float]] = {}
    for each in days:
        timed, seconds = sums.get(each.judge, (0, 0.0))
        sums[each.judge] = timed + each.timed, seconds + each.seconds
    timed_by_all = sum(timed for timed, _ in sums.values())
    of_all = sum(seconds for _, seconds in sums.values()) / timed_by_all if timed_by_all else DEFAULT_SECONDS
    return {judge: seconds / timed if timed else of_all for judge, (timed, seconds) in sums.items()}


def timesheet(days: Iterable[DayOfLabels], rates: Mapping[int, Decimal | None]) -> list[TimesheetRow]:
    """Return a row for each judge and day, by judge and day.

    rates: judge -> hourly rate. An untimed label counts as `usual_seconds` of its judge.
    """
    days = sorted(days)
    usual = usual_seconds(days)
    rows = []
    for each in days:
        untimed = each.labels - each.timed
        hours, rate = hours_of(each.seconds + untimed * usual[each.judge]), rates.get(each.judge)
        rows.append(
            TimesheetRow(each.judge, each.day, each.labels, untimed, hours, rate, cost_of(hours, rate))
        )
    return rows


def total(costs: Iterable[Decimal | None]) -> Decimal | None:
    """Return the sum of costs; None where no cost is known."""
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal("0.00")) if known else None
