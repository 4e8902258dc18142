"""Behind nginx with the snippet that is deployed: HTTPS, uploads, and who it is that knocks."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator

import pytest
import requests

from tests.support.proxy import HOST, NGINX, Proxy, behind_nginx
from tests.support.server import Server

pytestmark = [
    pytest.mark.skipif(not NGINX, reason="no nginx on this machine"),
    pytest.mark.filterwarnings("ignore:Unverified HTTPS request"),
]
CAMPAIGN = """
from tests.support.factory import Factory
from accounts.services import create_token
make = Factory()
make.make_topic(make.make_campaign(), "1")
print(create_token(make.make_user("dave"), "test", "submit"))
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Proxy, Server]]:
    with behind_nginx(tmp_path_factory.mktemp("proxy")) as place:
        yield place


@pytest.fixture
def browser(place: tuple[Proxy, Server]) -> Iterator[requests.Session]:
    with requests.Session() as session:
        session.trust_env = session.verify = False
        session.headers["Host"] = HOST
        yield session


def secure(place: tuple[Proxy, Server], path: str) -> str:
    return f"https://127.0.0.1:{place[0].secure}{path}"


def test_the_snippet_is_one_that_nginx_takes(place: tuple[Proxy, Server]) -> None:
    done = subprocess.run([*place[0].command, "-t"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_who_comes_by_http_is_sent_to_https(place: tuple[Proxy, Server], browser: requests.Session) -> None:
    answer = browser.get(f"http://127.0.0.1:{place[0].plain}/sign-in/?next=/", allow_redirects=False)
    assert (answer.status_code, answer.headers["Location"]) == (301, f"https://{HOST}/sign-in/?next=/")


def test_a_page_comes_with_its_id_which_is_in_the_log(
    place: tuple[Proxy, Server], browser: requests.Session
) -> None:
    answer = browser.get(secure(place, "/sign-in/"), headers={"X-Request-ID": "made-up-by-a-visitor"})
    assert answer.status_code == 200
    name = answer.headers["X-Request-ID"]
    assert re.fullmatch("[0-9a-f]{32}", name)  # nginx's own
    lines = [json.loads(line) for line in place[1].log.read_text().splitlines()]
    (line,) = [line for line in lines if line.get("request_id") == name]
    assert (line["path"], line["status"], line["logger"]) == ("/sign-in/", 200, "jurypool.request")
    assert {line["logger"] for line in lines} >= {"gunicorn.error"}  # in the same form


def test_numbers_are_not_for_the_world(place: tuple[Proxy, Server], browser: requests.Session) -> None:
    assert browser.get(secure(place, "/metrics/")).status_code == 404
    assert browser.get(secure(place, "/health/ready/")).text == "ready\n"


def test_a_large_file_comes_through(place: tuple[Proxy, Server], browser: requests.Session) -> None:
    token = place[1].shell(CAMPAIGN).strip()
    blanks = " " * 3000
    lines = (f"1 Q0 D{n} {n} {1000 - n}.0 {blanks}okapi\n" for n in range(1000))
    content = "".join(lines).encode()  # 3 MB, more than nginx takes unless it is told
    answer = browser.post(
        secure(place, "/api/campaigns/tiny/runs/"),
        files={"file": ("okapi.run", content)},
        headers={"Authorization": f"Bearer {token}"},
    )
    assert answer.status_code == 201, answer.text
    assert answer.json()["tag"] == "okapi"


def test_sign_in_is_shut_for_who_guesses_whatever_address_they_claim(
    place: tuple[Proxy, Server], browser: requests.Session
) -> None:
    url = secure(place, "/sign-in/")
    statuses = []
    for number in range(6):
        page = browser.get(url)
        assert page.status_code == 200, page.text
        (secret,) = set(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text))
        fields = {"username": "nobody", "password": "wrong", "csrfmiddlewaretoken": secret}
        headers = {"Referer": f"https://{HOST}/sign-in/", "X-Forwarded-For": f"203.0.113.{number}"}
        statuses.append(browser.post(url, fields, headers=headers).status_code)
    assert statuses == [200, 200, 200, 200, 429, 429]
    asked = (
        "from axes.models import AccessAttempt as A; print(*A.objects.values_list('ip_address', flat=True))"
    )
    assert place[1].shell(asked).strip() == "127.0.0.1"
