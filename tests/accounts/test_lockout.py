from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from axes.models import AccessAttempt
from django.test import Client, RequestFactory
from django.utils import timezone
from pytest_django import Settings

from accounts.lockout import client_address, unlock
from tests.support.factory import PASSWORD, Factory
from tests.support.markup import markup

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer

pytestmark = pytest.mark.django_db


def sign_in(name: str, password: str, address: str = "192.0.2.1", agent: str = "one") -> Answer:
    client = Client(REMOTE_ADDR=address, headers={"User-Agent": agent})
    return client.post("/sign-in/", {"username": name, "password": password})


def let_pass(time: timedelta) -> None:
    """As if every wrong password had been given so much earlier."""
    for attempt in AccessAttempt.objects.all():
        AccessAttempt.objects.filter(pk=attempt.pk).update(attempt_time=attempt.attempt_time - time)


def shut_out(name: str, **where: str) -> Answer:
    for _ in range(5):
        answer = sign_in(name, "wrong", **where)
    return answer


def test_five_wrong_passwords_shut_sign_in_even_to_the_right_one_and_the_page_says_until_when(
    make: Factory,
) -> None:
    make.make_user("alice")
    assert [sign_in("alice", "wrong").status_code for _ in range(4)] == [200] * 4
    assert sign_in("alice", "wrong").status_code == 429
    answer = sign_in("alice", PASSWORD)
    opens = timezone.now() + timedelta(minutes=15)
    assert answer.status_code == 429
    assert 890 < int(answer["Retry-After"]) <= 900
    assert "<b>15 minutes</b>" in markup(answer)
    assert any(f"{at:%H:%M} UTC" in markup(answer) for at in (opens, opens - timedelta(minutes=1)))


def test_after_the_time_that_the_page_says_the_right_password_is_taken(make: Factory) -> None:
    make.make_user("alice")
    shut_out("alice")
    let_pass(timedelta(minutes=14))
    assert int(sign_in("alice", PASSWORD)["Retry-After"]) <= 60
    let_pass(timedelta(minutes=1))  # asking meanwhile has not moved it
    assert sign_in("alice", PASSWORD).status_code == 302


def test_a_right_password_forgets_the_wrong_ones_before_it(make: Factory) -> None:
    make.make_user("alice")
    for _ in range(3):
        answers = [sign_in("alice", word).status_code for word in ["wrong"] * 4 + [PASSWORD]]
        assert answers == [200] * 4 + [302]


def test_another_browser_is_no_way_around_but_another_person_and_another_place_are_let_in(
    make: Factory,
) -> None:
    for name in ("alice", "bob"):
        make.make_user(name)
    shut_out("alice", agent="one")
    assert sign_in("alice", PASSWORD, agent="two").status_code == 429
    assert sign_in("bob", PASSWORD).status_code == 302
    assert sign_in("alice", PASSWORD, address="198.51.100.7").status_code == 302


def test_guessing_over_many_names_shuts_the_address(make: Factory) -> None:
    make.make_user("alice")
    answers = [sign_in(f"name{n // 4}", "wrong").status_code for n in range(50)]
    assert answers == [200] * 49 + [429]
    assert sign_in("alice", PASSWORD).status_code == 429
    assert sign_in("alice", PASSWORD, address="198.51.100.7").status_code == 302


def test_signing_in_between_guesses_at_others_does_not_start_the_address_anew(make: Factory) -> None:
    make.make_user("mallory")
    for n in range(49):
        sign_in(f"name{n // 4}", "wrong")
    assert sign_in("mallory", PASSWORD).status_code == 302
    assert sign_in("name13", "wrong").status_code == 429


def test_a_name_that_nobody_has_is_answered_like_one_that_somebody_has(make: Factory) -> None:
    make.make_user("alice")
    known, unknown = shut_out("alice"), shut_out("nobody")
    pages = [re.sub(rb"\d+", b"", each.content) for each in (known, unknown)]  # without the time of its end
    assert (known.status_code, pages[0]) == (unknown.status_code, pages[1])


def test_a_wrong_password_is_not_written_down(make: Factory) -> None:
    sign_in("alice", "almost my password")
    assert "almost" not in str(AccessAttempt.objects.values())


def test_unlocking_opens_sign_in_at_once(make: Factory) -> None:
    alice = make.make_user("alice")
    shut_out("alice")
    unlock(alice)
    assert sign_in("alice", PASSWORD).status_code == 302


@pytest.mark.parametrize(
    ("proxies", "remote", "forwarded", "address"),
    [
        (0, "192.0.2.1", "", "192.0.2.1"),
        (0, "192.0.2.1", "203.0.113.9", "192.0.2.1"),  # nobody vouches for the header
        (1, "127.0.0.1", "203.0.113.9", "203.0.113.9"),
        (1, "127.0.0.1", "10.1.1.1, 203.0.113.9", "203.0.113.9"),  # the left one is made up
        (2, "127.0.0.1", "10.1.1.1, 203.0.113.9, 198.51.100.1", "203.0.113.9"),
        (2, "192.0.2.1", "203.0.113.9", "192.0.2.1"),  # fewer proxies than there should be
        (1, "", "203.0.113.9", "203.0.113.9"),  # the proxy comes through a Unix socket
        (0, "", "", None),
        (1, "127.0.0.1", "unknown", None),
        (0, "2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::"),
        (0, "2001:db8:1:2:ffff::1", "", "2001:db8:1:2::"),
    ],
)
def test_the_visitors_address_is_what_the_nearest_trusted_proxy_saw(
    settings: Settings, proxies: int, remote: str, forwarded: str, address: str | None
) -> None:
    settings.PROXIES = proxies
    headers = {"X-Forwarded-For": forwarded} if forwarded else None
    assert client_address(RequestFactory(REMOTE_ADDR=remote, headers=headers).get("/")) == address
