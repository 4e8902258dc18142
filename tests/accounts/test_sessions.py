from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.device import device_name
from accounts.models import Session, User
from accounts.sessions import SessionStore
from pooling.models import Role
from pooling.services.people import invite
from tests.support.factory import PASSWORD, Factory
from tests.support.markup import markup

pytestmark = pytest.mark.django_db
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
KIT = "AppleWebKit/537.36 (KHTML, like Gecko)"
CHROME = f"Mozilla/5.0 (Linux; Android 16) {KIT} Chrome/140.0.0.0 Mobile Safari/537.36"


def browser(name: str, agent: str = FIREFOX) -> Client:
    client = Client(headers={"User-Agent": agent})
    assert client.post("/sign-in/", {"username": name, "password": PASSWORD}).status_code == 302
    return client


def is_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def name_of(client: Client) -> str:
    return str(Session.objects.get(session_key=client.session.session_key).name)


def test_the_page_names_every_browser_and_this_one(make: Factory) -> None:
    make.make_user("alice")
    make.make_user("bob")
    here, _, _ = browser("alice"), browser("alice", CHROME), browser("bob", "unheard of")
    page = markup(here.get("/account/sessions/"))
    assert page.count("this session") == 1
    assert "Firefox on Linux" in page and "Chrome on Android" in page
    assert "A browser on a device" not in page
    assert str(here.session.session_key) not in page


def test_ending_one_ends_that_one(make: Factory) -> None:
    make.make_user("alice")
    here, phone, desk = browser("alice"), browser("alice", CHROME), browser("alice")
    here.post(f"/account/sessions/{name_of(phone)}/end/")
    assert [is_in(each) for each in (here, phone, desk)] == [True, False, True]


def test_ending_all_others_keeps_this_one(make: Factory) -> None:
    make.make_user("alice")
    make.make_user("bob")
    here, phone, desk, bobs = browser("alice"), browser("alice", CHROME), browser("alice"), browser("bob")
    page = here.post("/account/sessions/others/end/", follow=True)
    assert b"Signed out in 2 other places" in page.content
    assert [is_in(each) for each in (here, phone, desk, bobs)] == [True, False, False, True]


def test_nobody_ends_a_session_of_somebody_else(make: Factory) -> None:
    make.make_user("alice")
    make.make_user("mallory")
    alices, mallorys = browser("alice"), browser("mallory")
    assert mallorys.post(f"/account/sessions/{name_of(alices)}/end/").status_code == 404
    assert is_in(alices)


def test_being_seen_is_written_down_every_ten_minutes_and_not_at_every_key(make: Factory) -> None:
    make.make_pooled_campaign()
    client = browser("alice")
    with CaptureQueriesContext(
        connection,
    ) as asked:
        client.get("/campaigns/tiny/judge/topics/1/")
    reads = ("SELECT", "DECLARE")  # the second: what PostgreSQL reads in portions
    assert not [query["sql"] for query in asked if not query["sql"].startswith(reads)]
    long_ago = timezone.now() - timedelta(minutes=11)
    Session.objects.update(last_seen_at=long_ago)
    for _ in range(2):
        client.get("/campaigns/tiny/judge/topics/1/")
    assert Session.objects.get().last_seen_at > timezone.now() - timedelta(minutes=1)


def test_sessions_that_ran_out_are_forgotten_at_the_next_sign_in(make: Factory) -> None:
    make.make_user("alice")
    old = browser("alice")
    Session.objects.update(expire_date=timezone.now() - timedelta(days=1))
    assert not is_in(old)
    browser("alice")
    assert Session.objects.count() == 1


def test_who_joins_by_a_link_has_a_session_with_a_device(make: Factory) -> None:
    link = f"/invitations/{invite(make.make_campaign(), Role.JUDGE)}/"
    answer = {
        "username": "noor",
        "name": "Noor",
        "password": "a long sentence of mine",
        "email": "n@example.org",
    }
    client = Client(headers={"User-Agent": FIREFOX})
    client.post(link, {**answer, "email": "noor@example.org"})
    noor = User.objects.get(username="noor")
    assert noor.email == "noor@example.org"
    assert noor.sessions.get().device == "Firefox on Linux"


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (FIREFOX, "Firefox on Linux"),
        (CHROME, "Chrome on Android"),
        (
            f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {KIT} Chrome/140.0 Safari/537.36 Edg/140.0",
            "Edge on Windows",
        ),
        (
            f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {KIT} Version/18.0 Safari/605.1.15",
            "Safari on Mac",
        ),
        (
            f"Mozilla/5.0 (iPhone; like Mac OS X) {KIT} CriOS/140.0 Mobile/15E148 Safari/604.1",
            "Chrome on iPhone",
        ),
        ("", "A browser on a device"),
    ],
)
def test_a_device_is_called_what_people_call_it(agent: str, words: str) -> None:
    assert device_name(agent) == words


def test_the_key_of_a_session_that_ended_is_not_used_again() -> None:
    store = SessionStore("a" * 32)
    store["device"] = "Firefox on Linux"
    store.save()
    assert store.session_key != "a" * 32


def test_a_session_that_was_changed_outside_is_empty(make: Factory) -> None:
    make.make_user("alice")
    client = browser("alice")
    Session.objects.update(session_data="x" + Session.objects.get().session_data)
    assert not is_in(client)
