"""The link for the first account: it works once, for a day, while no account exists."""

from __future__ import annotations

import threading
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.models import User
from pooling.services.first_organiser import LIFETIME, LinkRefused, create_first_organiser, create_link
from tests.support.factory import Factory
from tests.support.markup import markup

ANSWERS = {"username": "olga", "name": "Olga", "email": "", "password": "battery staple 9"}


@pytest.mark.django_db
def test_the_link_creates_an_administrator_who_is_signed_in_and_works_once(client: Client) -> None:
    link, said = create_link(""), "This site has no account yet"
    assert said in markup(client.get("/sign-in/"))
    assert "First account" in markup(client.get(link))
    response = client.post(link, ANSWERS)
    assert (response.status_code, response.headers["Location"]) == (302, "/campaigns/")
    assert "New campaign" in markup(client.get("/"))
    olga = User.objects.get()
    assert (olga.username, olga.name, olga.is_superuser) == ("olga", "Olga", True)
    assert olga.check_password("battery staple 9")
    again = Client().post(link, ANSWERS | {"username": "eve"})
    assert again.status_code == 410 and User.objects.count() == 1
    assert said not in markup(Client().get("/sign-in/"))


@pytest.mark.django_db
def test_a_weak_password_creates_no_account(client: Client) -> None:
    response = client.post(create_link(""), ANSWERS | {"password": "olga"})
    assert response.status_code == 200 and "too short" in markup(response)
    assert not User.objects.exists()


@pytest.mark.django_db
def test_an_old_or_forged_link_is_refused(
    client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = create_link("")
    assert client.post(link.replace("first:", "second:"), ANSWERS).status_code == 410
    settings.SECRET_KEY = "another"
    assert client.post(link, ANSWERS).status_code == 410
    link, later = create_link(""), timezone.now() + LIFETIME + timedelta(seconds=2)
    monkeypatch.setattr("django.core.signing.time.time", later.timestamp)
    assert client.post(link, ANSWERS).status_code == 410
    assert not User.objects.exists()


def test_where_an_account_exists_there_is_no_link(make: Factory, client: Client) -> None:
    make.make_user("alice")
    response = client.get(create_link(""))
    assert response.status_code == 410 and "An account exists already" in markup(response)
    with pytest.raises(CommandError, match="An account exists already"):
        call_command("first_organiser_link")


@pytest.mark.django_db
def test_a_command_prints_the_link_for_a_server(client: Client) -> None:
    out = StringIO()
    call_command("first_organiser_link", site="https://pool.example.org/", stdout=out, stderr=StringIO())
    site, path = out.getvalue().strip().split("/first-organiser/")
    assert site == "https://pool.example.org"
    assert client.get(f"/first-organiser/{path}").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_of_two_requests_at_once_one_creates_an_account() -> None:
    token, refused = create_link("").split("/")[-2], list[Any]()

    def create(username: str) -> None:
        try:
            create_first_organiser(token, username, "", "battery staple 9")
        except LinkRefused as error:
            refused.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=create, args=[name]) for name in ("olga", "eve")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (User.objects.count(), len(refused)) == (1, 1)
