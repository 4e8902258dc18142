from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from django.core.management.base import BaseCommand
from django.db import transaction

from accounts.models import User
from config.demo.campaign import PEOPLE, PYTHON_VERSION, SLUG, load_campaign
from pooling.models import Campaign

PASSWORD = "jurypool"


class Command(BaseCommand):
    help = (
        "Load the demonstration campaign, once: retrieval over the documentation of Python's standard"
        " library. Where JURYPOOL_BIND accepts connections from other machines, its accounts get a random"
        " password."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        password = PASSWORD if is_local(os.environ.get("JURYPOOL_BIND", "")) else secrets.token_urlsafe(12)
        if not Campaign.objects.filter(slug=SLUG).exists():
            self.stdout.write("Loading the demonstration campaign …")
            with transaction.atomic():
                load_campaign({name: find_or_create_person(name, full, password) for name, full, _ in PEOPLE})
            self.stdout.write(f"The documents are docstrings of Python {PYTHON_VERSION}.")
        people = User.objects.in_bulk([username for username, *_ in PEOPLE], field_name="username")
        if password != PASSWORD:
            replace_known_passwords(people.values(), password)
        self.stdout.write("\nSign in as one of")
        for username, name, role in PEOPLE:
            if user := people.get(username):
                is_current = user.check_password(password)
                shown = f"password {password}" if is_current else "the password that was set for it earlier"
                self.stdout.write(f"  {username:6} {role.label.lower():12} {name:15} {shown}")


def find_or_create_person(username: str, name: str, password: str) -> User:
    return User.objects.filter(username=username).first() or User.objects.create_user(
        username, name=name, password=password
    )


def is_local(bind: str) -> bool:
    """Return whether a web server at this address answers its own machine only. Empty: the default."""
    if not bind or bind.startswith("unix:"):
        return True
    host = urlsplit(f"//{bind}").hostname or ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # a host name
        return False


def replace_known_passwords(people: Iterable[User], password: str) -> None:
    for user in people:
        if user.check_password(PASSWORD):
            user.set_password(password)
            user.save(update_fields=["password"])
