from __future__ import annotations

from datetime import UTC, datetime

import pytest

from assess.machines.rate_limits import asked_wait, pace_wait

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": "Sun, 01 Mar 2026 12:00:30 GMT"}, 30),
        ({"retry-after": "Sun, 01 Mar 2026 11:00:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "2", "x-ratelimit-reset-requests": "6m0s"}, 2),
        ({"x-ratelimit-reset-requests": "1s"}, 1),
        ({"x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-reset-requests": "120ms"}, 360),
        (
            {"x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-reset-requests": "120ms",
             "x-ratelimit-remaining-requests": "0", "x-ratelimit-remaining-tokens": "900"},
            0.12,
        ),
        ({"x-ratelimit-reset-requests": "tomorrow"}, None),
    ],
)  # fmt: skip
def test_a_server_says_how_long_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_wait(headers, NOW) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("left", "others", "seconds"), [("9", 0, 0), ("0", 0, 20), ("2", 2, 20), ("3", 2, 0), ("many", 9, 0)]
)
def test_requests_wait_for_a_limit_that_is_used_up(left: str, others: int, seconds: float) -> None:
    headers = {"x-ratelimit-remaining-requests": left, "x-ratelimit-reset-requests": "20s"}
    assert pace_wait(headers, others, tokens=100) == seconds


def test_tokens_are_paced_too_and_no_wait_is_longer_than_a_minute() -> None:
    headers = {"x-ratelimit-remaining-tokens": "150", "x-ratelimit-reset-tokens": "1h"}
    assert [pace_wait(headers, others, tokens=100) for others in (0, 1)] == [0, 60]
