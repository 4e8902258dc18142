"""Who may sign in to the demonstration, and from where."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from django.core.management import call_command

from accounts.models import User
from config.demo.campaign import PEOPLE
from config.management.commands.load_demo import PASSWORD, is_local
from tests.support.factory import Factory


@pytest.fixture
def loaded(make: Factory) -> None:
    """As after a first start on this machine: a campaign, and people with the well-known password."""
    make.make_campaign("python")
    for username, *_ in PEOPLE:
        user = User.objects.get_or_create(username=username)[0]
        user.set_password(PASSWORD)
        user.save()


def load_demo() -> str:
    said = StringIO()
    call_command("load_demo", stdout=said)
    return said.getvalue()


@pytest.mark.usefixtures("loaded")
def test_on_this_machine_everybody_has_the_same_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JURYPOOL_BIND", "127.0.0.1:8123")
    assert load_demo().count(f"password {PASSWORD}\n") == len(PEOPLE)
    assert User.objects.get(username="olga").check_password(PASSWORD)


@pytest.mark.usefixtures("loaded")
def test_where_other_machines_come_in_the_known_password_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    User.objects.get(username="rita").delete()
    ben = User.objects.get(username="ben")
    ben.set_password("chosen by ben")
    ben.save()
    monkeypatch.setenv("JURYPOOL_BIND", "0.0.0.0:8000")
    said = load_demo()
    (password,) = set(re.findall(r"password ([\w-]{16})\n", said))
    assert User.objects.get(username="olga").check_password(password)
    assert User.objects.get(username="ben").check_password("chosen by ben")
    assert not any(user.check_password(PASSWORD) for user in User.objects.all())
    assert load_demo().count("the password that was set for it earlier") == len(PEOPLE) - 1


@pytest.mark.parametrize(
    ("bind", "expected"),
    [
        ("", True), ("127.0.0.1:8000", True), ("localhost:80", True), ("[::1]:8000", True),
        ("unix:/run/jurypool.sock", True), ("0.0.0.0:8000", False), ("[::]:8000", False), (":8000", False),
        ("192.168.1.5:8000", False), ("pool.example.org:8000", False),
    ],
)  # fmt: skip
def test_an_address_is_of_this_machine_or_not(bind: str, expected: bool) -> None:
    assert is_local(bind) is expected
