"""Sign-in by name or by verified e-mail address, in any case."""

from __future__ import annotations

import pytest
from axes.models import AccessAttempt
from django.test import Client

from accounts.models import User
from accounts.services import sign_in_name
from tests.support.factory import PASSWORD, Factory

pytestmark = pytest.mark.django_db


def sign_in(typed: str, password: str = PASSWORD) -> int:
    return Client().post("/sign-in/", {"username": typed, "password": password}).status_code


def make_account(make: Factory, name: str, email: str = "", *, verified: bool = True) -> User:
    user = make.make_user(name)
    User.objects.filter(pk=user.pk).update(email=email, email_verified=verified)
    return user


@pytest.mark.parametrize("typed", ["alice", "Alice", "ALICE", "alice@example.org", "Alice@Example.org"])
def test_a_person_signs_in_by_name_or_address_in_any_case(make: Factory, typed: str) -> None:
    make_account(make, "alice", "alice@example.org")
    assert sign_in(typed) == 302
    assert sign_in(typed, PASSWORD.swapcase()) == 200


def test_an_exact_name_comes_first(make: Factory) -> None:
    make_account(make, "Alice")
    make_account(make, "alice")
    assert [sign_in_name(typed) for typed in ("Alice", "alice", "ALICE")] == ["Alice", "alice", "ALICE"]


def test_an_address_names_nobody_unless_one_active_account_has_verified_it(make: Factory) -> None:
    address = "lab@example.org"
    make_account(make, "alice", address, verified=False)
    assert sign_in_name(address) == address
    make_account(make, "bob", address)
    assert sign_in_name(address) == "bob"
    make_account(make, "carol", address)
    assert sign_in_name(address) == address
    User.objects.filter(username="carol").update(is_active=False)
    assert sign_in_name(address) == "bob"
    assert sign_in_name("") == ""


def test_wrong_passwords_count_for_the_account_however_it_is_named(make: Factory) -> None:
    make_account(make, "alice", "alice@example.org")
    for typed in ("alice", "Alice", "ALICE", "alice@example.org"):
        assert sign_in(typed, "wrong") == 200
    assert set(AccessAttempt.objects.values_list("username", flat=True)) == {"alice"}
    assert sign_in("aLICE", "wrong") == 429
