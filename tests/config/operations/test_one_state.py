"""A page of a campaign reads one state of the database, while others write."""

from __future__ import annotations

from datetime import timedelta
from threading import Thread

import pytest
from django.contrib.auth.models import Group
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone

from accounts.models import Session
from accounts.sessions import SessionStore
from config.operations.middleware import OneState
from tests.support.factory import Factory


def group_added_elsewhere(name: str) -> None:
    """Add a row over another connection, and commit it."""

    def add() -> None:
        Group.objects.create(name=name)
        connection.close()

    thread = Thread(target=add)
    thread.start()
    thread.join()


def counts_in_a_request(method: str, path: str) -> list[int]:
    """Return the number of groups before and after somebody adds one during the request."""
    counts: list[int] = []

    def view(request: HttpRequest) -> HttpResponse:
        counts.append(Group.objects.count())
        group_added_elsewhere(f"{method} {path}")
        counts.append(Group.objects.count())
        return HttpResponse()

    request = RequestFactory().generic(method, path)
    request.session = SessionStore()
    OneState(view)(request)
    return [*counts, Group.objects.count()]


@pytest.mark.django_db(transaction=True)
def test_a_page_of_a_campaign_reads_one_state() -> None:
    assert counts_in_a_request("GET", "/campaigns/tiny/") == [0, 0, 1]
    assert counts_in_a_request("HEAD", "/campaigns/tiny/qrels/") == [1, 1, 2]


@pytest.mark.django_db(transaction=True)
def test_what_writes_and_what_is_of_no_campaign_reads_as_it_goes() -> None:
    assert counts_in_a_request("POST", "/campaigns/tiny/") == [0, 1, 1]
    assert counts_in_a_request("GET", "/account/") == [1, 2, 2]
    assert counts_in_a_request("GET", "/campaigns/tiny/judge/topics/1/") == [2, 3, 3]


@pytest.mark.django_db(transaction=True)
def test_that_a_person_was_seen_is_stored_before_the_state_is_taken() -> None:
    make = Factory()
    make.make_campaign()
    client = Client()
    client.force_login(make.make_user("carol"))
    Session.objects.update(last_seen_at=timezone.now() - timedelta(hours=1))
    assert client.get("/campaigns/tiny/").status_code == 200
    assert Session.objects.get().last_seen_at > timezone.now() - timedelta(minutes=1)
