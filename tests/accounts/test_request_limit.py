"""The limit of requests of a token: over all processes, and anew in each minute."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import Settings

from accounts import request_limit
from accounts.models import ApiToken
from accounts.request_limit import TooManyRequests, count_request
from accounts.services import create_token
from tests.support.factory import Factory


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the time that the limit reads, to be changed."""
    time = [60 * 1000 + 15.5]
    monkeypatch.setattr(request_limit, "time", lambda: time[0])
    return time


@pytest.fixture
def token(make: Factory) -> ApiToken:
    create_token(make.make_user("carol"), "test")
    return ApiToken.objects.get()


def allowed(token: ApiToken, tries: int) -> int:
    """Return how many of some requests are allowed."""
    count = 0
    for _ in range(tries):
        try:
            count_request(token)
        except TooManyRequests:
            continue
        count += 1
    return count


def test_a_token_over_its_limit_is_told_when_it_may_go_on(
    make: Factory, now: list[float], settings: Settings
) -> None:
    settings.API_REQUESTS = 2
    secrets = [create_token(make.make_user("carol"), name) for name in ("first", "second")]
    first, second = (Client(headers={"authorization": f"Bearer {secret}"}) for secret in secrets)
    assert [first.get("/api/campaigns/").status_code for _ in range(3)] == [200, 200, 429]
    refused = first.get("/api/campaigns/")
    assert (refused["Content-Type"], refused["Retry-After"]) == ("application/problem+json", "45")
    assert refused.json()["detail"] == "This token may send 2 requests a minute. Try again in 45 s."
    assert second.get("/api/campaigns/").status_code == 200  # each token for itself
    now[0] += 45
    assert first.get("/api/campaigns/").status_code == 200


@pytest.mark.parametrize("limit", [1, 7, 100, 119, 1000])
def test_processes_share_the_limit(
    limit: int, token: ApiToken, now: list[float], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.API_REQUESTS = limit
    processes: list[dict[str, tuple[int, int]]] = [{}, {}]
    counts = [0, 0]
    for turn in range(2 * limit + 10):
        monkeypatch.setattr(request_limit, "_left", processes[turn % 2])
        counts[turn % 2] += allowed(token, 1)
    block = max(1, limit // request_limit.BLOCKS)
    assert limit - block < sum(counts) <= limit


def test_reading_rarely_writes(
    token: ApiToken, now: list[float], settings: Settings, django_assert_max_num_queries: object
) -> None:
    settings.API_REQUESTS = 1000
    count_request(token)  # the first one of the minute takes a block
    with django_assert_max_num_queries(0):  # type: ignore[operator]
        assert allowed(token, 19) == 19
    with django_assert_max_num_queries(1):  # type: ignore[operator]
        count_request(token)


def test_without_a_limit_nothing_is_counted(token: ApiToken, settings: Settings) -> None:
    settings.API_REQUESTS = 0
    assert allowed(token, 5) == 5
    token.refresh_from_db()
    assert token.counted_requests == 0
