"""When runs are accepted: state, switch and dates, also where the clocks change."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from pooling.refusals import Refused
from pooling.schedule import (
    SubmissionWindow,
    acceptance,
    distance,
    in_time_zone,
    is_time_zone,
    may_change_runs,
    shown_time,
    time_zone_label,
    time_zone_labels,
    time_zone_of_label,
)

BERLIN = ZoneInfo("Europe/Berlin")
OPENS, CLOSES = datetime(2026, 12, 1, 9, tzinfo=BERLIN), datetime(2026, 12, 12, 23, 59, 59, tzinfo=BERLIN)
WINDOW = SubmissionWindow("open", True, OPENS, CLOSES, False, "Europe/Berlin")
DURING, AFTER = CLOSES - timedelta(days=3, hours=1), CLOSES + timedelta(hours=2)


@pytest.mark.parametrize(
    ("window", "now", "expected"),
    [
        (
            WINDOW,
            DURING,
            (True, False, "Submission is open until 12 Dec 2026 23:59 Europe/Berlin, UTC+1 (in 3 days)."),
        ),
        (
            WINDOW,
            OPENS - timedelta(hours=5),
            (False, False, "Submission opens on 1 Dec 2026 09:00 Europe/Berlin, UTC+1 (in 5 hours)."),
        ),
        (
            WINDOW,
            AFTER,
            (
                False,
                False,
                "Submission closed on 12 Dec 2026 23:59 Europe/Berlin, UTC+1 (2 hours ago): no runs are"
                " accepted.",
            ),
        ),
        (
            WINDOW._replace(marks_late=True),
            AFTER,
            (
                True,
                True,
                "Submission closed on 12 Dec 2026 23:59 Europe/Berlin, UTC+1 (2 hours ago). "
                "Runs are still accepted and are marked as late.",
            ),
        ),
        (WINDOW._replace(closes_at=None), AFTER, (True, False, "Submission is open.")),
        (
            WINDOW._replace(accepts_runs=False),
            DURING,
            (False, False, "The organiser has switched submission off: no runs are accepted."),
        ),
        (
            WINDOW._replace(state="draft"),
            DURING,
            (False, False, "The campaign has not been opened yet: participants cannot submit runs."),
        ),
        (
            WINDOW._replace(state="closed"),
            DURING,
            (False, False, "The campaign is closed: no runs are accepted."),
        ),
        (
            WINDOW._replace(state="archived"),
            DURING,
            (False, False, "The campaign is archived: no runs are accepted."),
        ),
    ],
)
def test_what_a_participant_may_submit(
    window: SubmissionWindow, now: datetime, expected: tuple[bool, bool, str]
) -> None:
    assert acceptance(window, now) == expected


@pytest.mark.parametrize(
    ("window", "now", "accepts", "is_late"),
    [
        (WINDOW, AFTER, True, False),
        (WINDOW._replace(marks_late=True), AFTER, True, True),
        (WINDOW._replace(accepts_runs=False), DURING, True, False),
        (WINDOW._replace(state="draft"), DURING, True, False),
        (WINDOW._replace(state="closed"), DURING, False, False),
        (WINDOW._replace(state="archived"), DURING, False, False),
    ],
)
def test_an_organiser_submits_while_the_campaign_is_a_draft_or_open(
    window: SubmissionWindow, now: datetime, accepts: bool, is_late: bool
) -> None:
    found = acceptance(window, now, is_organiser=True)
    assert (found.accepts, found.is_late) == (accepts, is_late)


def test_the_last_second_is_on_time() -> None:
    assert acceptance(WINDOW, CLOSES).accepts
    assert not acceptance(WINDOW, CLOSES + timedelta(seconds=1)).accepts


def test_runs_are_changed_before_the_deadline_only_also_where_late_runs_are_accepted() -> None:
    window = WINDOW._replace(marks_late=True)
    assert [may_change_runs(window, now) for now in (OPENS, DURING, CLOSES, AFTER)] == [
        True,
        True,
        True,
        False,
    ]


def test_a_local_time_has_the_offset_of_its_day() -> None:
    winter, summer = datetime(2026, 1, 31, 23, 59), datetime(2026, 7, 31, 23, 59)
    utc = ZoneInfo("UTC")
    assert in_time_zone(winter, "Europe/Berlin").astimezone(utc) == datetime(2026, 1, 31, 22, 59, tzinfo=utc)
    assert in_time_zone(summer, "Europe/Berlin").astimezone(utc) == datetime(2026, 7, 31, 21, 59, tzinfo=utc)
    assert (
        shown_time(in_time_zone(summer, "Europe/Berlin"), "Europe/Berlin")
        == "31 Jul 2026 23:59 Europe/Berlin, UTC+2"
    )


@pytest.mark.parametrize(
    ("local", "message"),
    [
        (datetime(2026, 3, 29, 2, 30), "02:30 on 29 Mar 2026 does not exist in Europe/Berlin"),
        (datetime(2026, 10, 25, 2, 30), "02:30 on 25 Oct 2026 occurs twice in Europe/Berlin"),
    ],
)
def test_a_time_that_a_change_of_the_clocks_skips_or_repeats_is_refused(
    local: datetime, message: str
) -> None:
    with pytest.raises(Refused, match=message):
        in_time_zone(local, "Europe/Berlin")
    assert in_time_zone(local, "UTC").replace(tzinfo=None) == local


def test_a_deadline_keeps_its_moment_over_a_change_of_the_clocks() -> None:
    closes = in_time_zone(datetime(2026, 10, 25, 12), "Europe/Berlin")
    before = in_time_zone(datetime(2026, 10, 24, 12), "Europe/Berlin")
    utc = ZoneInfo("UTC")
    assert distance(closes.astimezone(utc) - before.astimezone(utc)) == "in 1 day"
    assert closes.astimezone(utc) - before.astimezone(utc) == timedelta(hours=25)


def test_an_unknown_time_zone_is_shown_as_utc() -> None:
    assert shown_time(CLOSES, "Mars/Olympus") == "12 Dec 2026 22:59 UTC"


@pytest.mark.parametrize("label", time_zone_labels())
def test_every_listed_name_of_a_time_zone_is_understood_and_shown_as_it_is(label: str) -> None:
    name = time_zone_of_label(label)
    assert is_time_zone(name) and time_zone_label(name) == label


def test_anywhere_on_earth_is_the_last_place_where_a_day_ends() -> None:
    closes = in_time_zone(datetime(2026, 12, 12, 23, 59), time_zone_of_label("AoE"))
    assert closes.astimezone(ZoneInfo("UTC")) == datetime(2026, 12, 13, 11, 59, tzinfo=ZoneInfo("UTC"))
    assert shown_time(closes, time_zone_of_label("AoE")) == "12 Dec 2026 23:59 AoE, UTC−12"
    assert shown_time(closes, "Etc/GMT-5") == "13 Dec 2026 16:59 UTC+5"
    assert shown_time(closes, "UTC") == "13 Dec 2026 11:59 UTC"


@pytest.mark.parametrize("label", ["", "UTC+5:30", "UTC+15", "+", "Berlin", "Etc", "../etc/passwd"])
def test_what_names_no_time_zone(label: str) -> None:
    assert time_zone_of_label(label) == ""
