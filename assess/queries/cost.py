"""Hours and cost of the judges of a campaign. For organisers."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import TruncDate

from accounts.models import User
from assess.cost import DayOfLabels, TimesheetRow, cost_of, hours_of, timesheet, total
from assess.forecast import DEFAULT_SECONDS
from assess.models import JudgmentEvent
from assess.queries.forecast import forecast
from assess.queries.progress import ProgressGrid
from pooling.models import Campaign, Role
from pooling.queries.caching import cached
from pooling.schedule import zone_of


class JudgeCost(NamedTuple):
    """One judge, or the labels that are assigned to no judge (`judge` is None).

    labels: every label that the judge gave on the site; untimed: those without a measured time. left:
    remaining labels. cost, cost_left: None without a rate.
    """

    judge: User | None
    rate: Decimal | None
    labels: int
    untimed: int
    hours: Decimal
    cost: Decimal | None
    left: int
    hours_left: Decimal
    cost_left: Decimal | None

    @property
    def all_hours(self) -> Decimal:
        return self.hours + self.hours_left

    @property
    def all_cost(self) -> Decimal | None:
        return total((self.cost, self.cost_left))


class CampaignCost(NamedTuple):
    """The cost of a campaign. everybody: the sums; its rate is None. has_rates: whether any rate is set."""

    judges: list[JudgeCost]
    everybody: JudgeCost
    has_rates: bool

    @property
    def lacks_rates(self) -> bool:
        """Whether some judge has no rate although others have one."""
        return self.has_rates and any(each.rate is None for each in self.judges)


def days_of_labels(campaign: Campaign) -> list[DayOfLabels]:
    """Return the labels that people gave on the site, by judge and day in the campaign's time zone.

    Labels of training, gold and repeated documents count, and labels that were changed later: they are work.
    Imported labels and labels of machines do not count. Cached until there is another label.
    """
    newest = JudgmentEvent.objects.order_by("-pk").values_list("pk", flat=True).first()  # of any campaign
    events = JudgmentEvent.objects.filter(pooled__pool__campaign=campaign)
    version = newest, campaign.time_zone
    return cached(campaign, "days-of-labels", version, lambda: _sum_by_day(campaign, events))


def _sum_by_day(campaign: Campaign, events: QuerySet[JudgmentEvent]) -> list[DayOfLabels]:
    day = TruncDate("pressed_at", tzinfo=zone_of(campaign.time_zone))
    rows = events.exclude(source="import").order_by().annotate(day=day).values("judge", "day")
    sums = rows.annotate(labels=Count("pk"), timed=Count("active_seconds"), seconds=Sum("active_seconds"))
    return [
        DayOfLabels(each["judge"], each["day"], each["labels"], each["timed"], each["seconds"] or 0.0)
        for each in sums
    ]


def rates_of(campaign: Campaign, judges: set[int]) -> dict[int, Decimal | None]:
    """Return judge -> hourly rate: that of the membership, else that of the campaign, else None."""
    members = campaign.memberships.filter(role=Role.JUDGE, hourly_rate__isnull=False)
    own = dict(members.values_list("user", "hourly_rate"))
    return {judge: own.get(judge, campaign.hourly_rate) for judge in judges}


def timesheet_of(campaign: Campaign) -> list[tuple[User, TimesheetRow]]:
    """Return a row for each judge and day, by sign-in name and day."""
    days = days_of_labels(campaign)
    judges = User.objects.in_bulk({day.judge for day in days})
    rows = timesheet(days, rates_of(campaign, set(judges)))
    return sorted(
        ((judges[row.judge], row) for row in rows), key=lambda each: (each[0].username, each[1].day)
    )


def hours_of_judge(judge: User, campaign: Campaign) -> Decimal:
    """Return the hours of a judge so far, as the timesheet counts them.

    A judge of whom no label was timed has the usual seconds of any campaign here, and in the timesheet those
    of the other judges.
    """
    events = JudgmentEvent.objects.filter(judge=judge, pooled__pool__campaign=campaign)
    rows = timesheet(_sum_by_day(campaign, events), {judge.pk: None})
    return sum((row.hours for row in rows), Decimal("0.00"))


def campaign_cost(campaign: Campaign, grid: ProgressGrid, now: datetime) -> CampaignCost:
    """Return hours and cost so far and still to come, by judge.

    The hours to come are those of the plan on the overview: remaining labels x mean seconds of the judge.
    """
    given: dict[int, list[TimesheetRow]] = defaultdict(list)
    people = {column.judge.pk: column.judge for column in grid.columns}
    for judge, row in timesheet_of(campaign):
        people[judge.pk] = judge
        given[judge.pk].append(row)
    rates = rates_of(campaign, set(people))
    hours_left = forecast(grid, now, 4).finish.hours
    labels_left = {column.judge.pk: column.left for column in grid.columns}
    judges = [
        _judge_cost(
            judge,
            rates[pk],
            given[pk],
            labels_left.get(pk, 0),
            hours_of(3600 * hours_left.get(judge.username, 0)),
        )
        for pk, judge in sorted(people.items(), key=lambda each: str(each[1]).lower())
    ]
    if grid.unassigned:
        hours = hours_of(grid.unassigned * (grid.seconds or DEFAULT_SECONDS))
        judges.append(_judge_cost(None, campaign.hourly_rate, [], grid.unassigned, hours))
    judges = [each for each in judges if each.labels or each.left]
    has_rates = campaign.hourly_rate is not None or any(rate is not None for rate in rates.values())
    return CampaignCost(judges, _sum_of(judges), has_rates)


def _judge_cost(
    judge: User | None, rate: Decimal | None, given: list[TimesheetRow], left: int, hours_left: Decimal
) -> JudgeCost:
    return JudgeCost(
        judge,
        rate,
        sum(row.labels for row in given),
        sum(row.untimed for row in given),
        sum((row.hours for row in given), Decimal("0.00")),
        total(row.cost for row in given) if given else cost_of(Decimal("0.00"), rate),
        left,
        hours_left,
        cost_of(hours_left, rate),
    )


def _sum_of(judges: list[JudgeCost]) -> JudgeCost:
    return JudgeCost(
        None,
        None,
        sum(each.labels for each in judges),
        sum(each.untimed for each in judges),
        sum((each.hours for each in judges), Decimal("0.00")),
        total(each.cost for each in judges),
        sum(each.left for each in judges),
        sum((each.hours_left for each in judges), Decimal("0.00")),
        total(each.cost_left for each in judges),
    )
