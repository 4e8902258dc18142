from __future__ import annotations

import re
from io import StringIO

import pytest
from django.contrib.auth import get_user
from django.core import mail
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django_tasks import task_backends
from django_tasks.backends.dummy import DummyBackend
from pytest_django import Settings

from accounts.lockout import MAX_LINK_REQUESTS
from accounts.models import User
from accounts.views import PasswordForgotten
from tests.support.factory import PASSWORD, Factory
from tests.support.markup import markup

pytestmark = pytest.mark.django_db
NEW = "another horse and its staple"


@pytest.fixture(autouse=True)
def sends_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PasswordForgotten, "extra_context", {"sends_mail": True})


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def who(client: Client) -> str:
    return client.get("/account/").wsgi_request.user.get_username()


def choose(link: str, password: str) -> int:
    """Open the link and choose a password; return what the form's last page answered."""
    client = Client()
    form = client.get(link, follow=True)
    answer = {"new_password1": password, "new_password2": password}
    return int(client.post(form.request["PATH_INFO"], answer).status_code)


def mailed_link(address: str) -> str:
    Client().post("/password/forgotten/", {"email": address})
    found = re.search(r"http://testserver(/password/\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


def with_address(make: Factory) -> User:
    alice = make.make_user("alice")
    alice.email = "alice@example.org"
    alice.save()
    return alice


def test_a_new_password_signs_out_every_other_browser_and_not_this_one(make: Factory) -> None:
    here, there = signed_in(make, "alice"), signed_in(make, "alice")
    words = {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW}
    assert here.post("/account/password/", words).status_code == 302
    assert (who(here), who(there)) == ("alice", "")
    alice = User.objects.get(username="alice")
    assert alice.check_password(NEW)
    assert [session.session_key for session in alice.sessions.all()] == [here.session.session_key]


def test_without_the_old_password_there_is_no_new_one(make: Factory) -> None:
    here = signed_in(make, "alice")
    words = {"old_password": "wrong", "new_password1": NEW, "new_password2": NEW}
    assert here.post("/account/password/", words).status_code == 200
    assert User.objects.get(username="alice").check_password(PASSWORD)


def test_a_mailed_link_sets_a_password_once(make: Factory) -> None:
    alice = with_address(make)
    browser = signed_in(make, "alice")
    link = mailed_link("Alice@Example.org")
    assert choose(link, NEW) == 302
    alice.refresh_from_db()
    assert alice.check_password(NEW)
    assert who(browser) == "" and not alice.sessions.exists()
    assert "This link is no longer valid" in markup(Client().get(link))


def test_a_poor_password_spends_no_link(make: Factory) -> None:
    with_address(make)
    link = mailed_link("alice@example.org")
    assert choose(link, "password") == 200
    assert choose(link, NEW) == 302


def test_the_link_opens_sign_in_again_after_wrong_passwords(make: Factory) -> None:
    with_address(make)
    for _ in range(5):
        Client().post("/sign-in/", {"username": "alice", "password": "wrong"})
    choose(mailed_link("alice@example.org"), NEW)
    assert Client().post("/sign-in/", {"username": "alice", "password": NEW}).status_code == 302


def test_an_address_that_nobody_has_is_answered_alike_and_gets_no_mail(make: Factory) -> None:
    with_address(make)
    known = Client().post("/password/forgotten/", {"email": "alice@example.org"}, follow=True)
    unknown = Client().post("/password/forgotten/", {"email": "nobody@example.org"}, follow=True)
    assert known.content == unknown.content
    assert [message.to for message in mail.outbox] == [["alice@example.org"]]


def test_a_mailbox_cannot_be_flooded(make: Factory) -> None:
    with_address(make)
    for _ in range(3):
        Client().post("/password/forgotten/", {"email": "alice@example.org"})
    assert len(mail.outbox) == 1


def test_a_site_without_mail_says_whom_to_ask(make: Factory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PasswordForgotten, "extra_context", {"sends_mail": False})
    assert "This site sends no mail" in markup(Client().get("/password/forgotten/"))


def test_the_administrators_command_prints_a_link_that_works_once(make: Factory) -> None:
    make.make_user("alice")
    said = StringIO()
    call_command(
        "reset_password_link", "alice", site="https://pool.example.org/", stdout=said, stderr=StringIO()
    )
    link = said.getvalue().strip()
    assert link.startswith("https://pool.example.org/password/")
    place = link.removeprefix("https://pool.example.org")
    assert choose(place, NEW) == 302
    assert "This link is no longer valid" in markup(Client().get(place))
    with pytest.raises(CommandError, match="no active user nobody"):
        call_command("reset_password_link", "nobody")


def test_a_link_runs_out_after_a_day(make: Factory, settings: Settings) -> None:
    with_address(make)
    link = mailed_link("alice@example.org")
    settings.PASSWORD_RESET_TIMEOUT = -1
    assert "This link is no longer valid" in markup(Client().get(link))


def test_a_new_address_takes_the_password_and_a_new_name_does_not(make: Factory) -> None:
    here = signed_in(make, "alice")
    answer = here.post("/account/", {"name": "Alice", "email": "thief@example.org"})
    assert "Enter your password" in markup(answer)
    here.post("/account/", {"name": "Alice A.", "email": ""})
    alice = User.objects.get(username="alice")
    assert (alice.name, alice.email) == ("Alice A.", "")
    here.post("/account/", {"name": "Alice", "email": "alice@example.org", "password": PASSWORD})
    alice.refresh_from_db()
    assert (alice.name, alice.email) == ("Alice", "alice@example.org")


def test_a_person_whose_account_is_closed_is_signed_out(make: Factory) -> None:
    here = signed_in(make, "alice")
    User.objects.filter(username="alice").update(is_active=False)
    assert not get_user(here).is_authenticated
    assert here.get("/").status_code == 302


# what the answer and the link depend on

DUMMY = {"default": {"BACKEND": "django_tasks.backends.dummy.DummyBackend"}}


def test_a_known_and_an_unknown_address_take_the_same_work_until_the_answer(
    make: Factory, settings: Settings
) -> None:
    settings.TASKS = DUMMY  # queued, and done by nobody yet
    with_address(make)
    asked = []
    for address in ("alice@example.org", "nobody@example.org"):
        with CaptureQueriesContext(connection) as queries:
            Client().post("/password/forgotten/", {"email": address})
        asked.append([query["sql"].replace(address, "") for query in queries])
    assert asked[0] == asked[1]
    assert mail.outbox == []


def test_a_network_asks_for_so_many_links_and_no_more(make: Factory, settings: Settings) -> None:
    settings.TASKS = DUMMY
    backend = task_backends["default"]
    assert isinstance(backend, DummyBackend)
    client = Client()
    answers = [
        client.post("/password/forgotten/", {"email": f"{n}@example.org"}) for n in range(MAX_LINK_REQUESTS)
    ]
    assert {answer.status_code for answer in answers} == {302}
    refused = client.post("/password/forgotten/", {"email": "alice@example.org"})
    assert "Too many links were asked for from your network" in markup(refused)
    assert len(backend.results) == MAX_LINK_REQUESTS
    elsewhere = client.post("/password/forgotten/", {"email": "alice@example.org"}, REMOTE_ADDR="192.0.2.7")
    assert elsewhere.status_code == 302


@pytest.mark.parametrize(
    ("site", "proxies", "secure", "link"),
    [
        ("", 0, False, "http://testserver:8000/password/"),
        ("", 1, True, "https://testserver/password/"),
        ("", 1, False, "http://testserver/password/"),
        ("https://pool.example.org:8443", 0, False, "https://pool.example.org:8443/password/"),
    ],
)
def test_the_link_takes_no_port_from_the_host_header(
    make: Factory, settings: Settings, site: str, proxies: int, secure: bool, link: str
) -> None:
    settings.SITE, settings.PROXIES = site, proxies
    with_address(make)
    Client().post(
        "/password/forgotten/",
        {"email": "alice@example.org"},
        secure=secure,
        headers={"host": "testserver:666"},
        SERVER_PORT="8000",
    )
    assert link in str(mail.outbox[0].body)
    assert ":666" not in str(mail.outbox[0].body)  # the token of the link may have these digits
