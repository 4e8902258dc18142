"""A site on any port and in a folder, and what the pages say where a setting is missing."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from django.test import Client, override_settings

from tests.support.markup import markup
from tests.support.server import ROOT, Server

SITE = "http://pool.example.org:8443"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A site in the folder /pool of another port; the proxy strips the folder."""
    folder = tmp_path_factory.mktemp("site")
    server = Server(folder, JURYPOOL_SITE=f"{SITE}/pool", JURYPOOL_HOSTS="pool.example.org")
    try:
        server.start()
        yield server
    finally:
        server.kill()


@pytest.fixture
def browser() -> Iterator[requests.Session]:
    with requests.Session() as session:
        session.trust_env = False
        session.headers["Host"] = "pool.example.org"
        yield session


def test_every_address_of_a_page_lies_in_the_folder(server: Server, browser: requests.Session) -> None:
    page = browser.get(f"{server.url}/sign-in/").text
    found = re.findall(r'(?:href|src|action)="(/[^"]*)"', page)
    assert any("/static/" in address for address in found)
    assert [address for address in found if not address.startswith("/pool/")] == []
    for address in found:
        assert browser.get(server.url + address.removeprefix("/pool")).status_code == 200, address


def test_a_form_of_another_port_is_accepted_and_leads_into_the_folder(
    server: Server, browser: requests.Session
) -> None:
    page = browser.get(f"{server.url}/sign-in/").text
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token
    cookies = {"Cookie": f"csrftoken={browser.cookies.get('csrftoken')}"}
    data = {"csrfmiddlewaretoken": token[1], "username": "nobody", "password": "x"}
    answer = browser.post(f"{server.url}/sign-in/", data, headers={"Origin": SITE, **cookies})
    assert answer.status_code == 200 and "password" in answer.text
    asked = browser.get(f"{server.url}/account/", allow_redirects=False)
    assert asked.headers["Location"].startswith("/pool/sign-in/")
    refused = browser.post(
        f"{server.url}/sign-in/", data, headers={"Origin": "http://pool.example.org:9", **cookies}
    )
    assert refused.status_code == 403 and "JURYPOOL_SITE" in refused.text
    assert "http://pool.example.org:9" in refused.text


def test_links_in_mails_have_the_folder_once(server: Server) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "first_organiser_link"],
        cwd=ROOT, env=server.environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert f"{SITE}/pool/" in done.stdout and "/pool/pool/" not in done.stdout


@pytest.mark.parametrize(
    "wrong", ["pool.example.org", "ftp://pool.example.org", "https://", "https://a/?b=c"]
)
def test_an_address_that_is_none_of_the_web_stops_the_start(wrong: str, tmp_path: Path) -> None:
    environment = {"JURYPOOL_SITE": wrong, "JURYPOOL_DATA": str(tmp_path), "PATH": "/usr/bin"}
    done = subprocess.run(
        [sys.executable, "-c", "import config.settings"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1 and "JURYPOOL_SITE: expected an address" in done.stderr


@pytest.mark.django_db
def test_a_page_that_is_too_old_says_what_to_do() -> None:
    page = markup(Client(enforce_csrf_checks=True).post("/sign-in/", {"username": "a", "password": "b"}))
    assert "reload the page and send the form again" in page.lower() and "JURYPOOL_SITE" not in page


def test_an_unknown_host_name_names_the_setting() -> None:
    with override_settings(ALLOWED_HOSTS=["pool.example.org"]):
        answer = Client().get("/sign-in/", headers={"Host": "evil.example"})
    assert answer.status_code == 400
    assert "JURYPOOL_HOSTS" in markup(answer) and "evil.example" in markup(answer)
