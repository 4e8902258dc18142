"""Requests in odd charsets, with half characters and NUL, to every place of the site: none fails."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.test import Client as DjangoClient
from werkzeug.test import Client

from config.charset import API_REFUSAL, REFUSAL
from pooling.models import Campaign
from tests.config.test_forms import FORMS
from tests.config.test_roles import undone
from tests.support.factory import Factory
from tests.support.places import URLS, place
from tests.support.served import read_to_the_end

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("one_connection")]

ROOT = Path(__file__).resolve().parents[2]
VIEWS = [
    path for floor in ("accounts", "pooling", "assess", "metrics") for path in (ROOT / floor).rglob("*.py")
]
READ_BARE = re.compile(r'(?:GET|POST|asked)\.get(?:list)?\("([\w-]+)"')  # what no form looks at
FIELDS = sorted(
    {name for _, good in FORMS.values() for name in good}
    | {name for path in VIEWS for name in READ_BARE.findall(path.read_text())}
)
FILES = ("file", "files", "run_files")
ODD = b"\0\xed\xa0\x80"  # NUL, and what half a character would be in UTF-8
ODD_QUERY = "&".join(f"{name}=%00%ED%A0%80" for name in FIELDS)
MULTIPART = "multipart/form-data; boundary=x"
KINDS = (MULTIPART, "application/x-www-form-urlencoded", "text/plain")
CHARSETS = [
    "charset=utf-16", "charset=UTF-7", "charset=idna", "charset=latin-1", "charset=rot13",
    "charset=undefined", "charset=unicode_escape", "charset=no-such", 'charset="utf-16"',
    "charset*=utf-8''utf-16", "charset*=no''x", "charset*=utf-8''a%00b", "charset*=utf-7''%2B2AA-",
    "other*=no''x", "other*=idna''%ff",
]  # fmt: skip
FILE_NAMES = [
    b"filename*=utf-7''%2B2AA-",
    b"filename*=no''%41",
    b'filename="a\0b"',
    b'filename="\xed\xa0\x80"',
]


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_release(campaign)
    return campaign


def form(file_name: bytes) -> bytes:
    """Return a multipart body with every field odd, and files whose names are."""
    heads = [b'"%s"' % name.encode() for name in FIELDS]
    heads += [
        b'"%s"; %s\r\nContent-Type: text/plain; charset=utf-7' % (name.encode(), file_name) for name in FILES
    ]
    parts = [
        b"--x\r\nContent-Disposition: form-data; name=" + head + b"\r\n\r\n" + ODD + b"\r\n" for head in heads
    ]
    return b"".join(parts) + b"--x--\r\n"


def browser(make: Factory, name: str) -> Client:
    """Return a client of the served site in which somebody is signed in, with leave to send forms."""
    signed_in, client = DjangoClient(), Client(read_to_the_end)
    signed_in.force_login(make.make_user(name))
    client.set_cookie("sessionid", signed_in.cookies["sessionid"].value)
    client.set_cookie("csrftoken", "x" * 32)
    return client


def sent(client: Client, url: str, body: bytes, content_type: str) -> int:
    headers = {"Content-Type": content_type, "X-CSRFToken": "x" * 32}
    return client.post(url, data=body, headers=headers).status_code


def not_refused(client: Client, urls: Iterable[str], charsets: Iterable[tuple[str, str]]) -> list[Any]:
    """Send each kind of body in each charset to each place; return what was not refused in words."""
    taken = []
    for url, (kind, charset), method in product(urls, list(charsets), ("GET", "POST")):
        environ = {"CONTENT_TYPE": f"{kind}; {charset}"}
        response = client.open(url, method=method, data=b"a=b", environ_overrides=environ)
        refusal = API_REFUSAL if url.startswith("/api/") else REFUSAL
        if (response.status_code, response.content_type, response.data) != (400, *refusal):
            taken.append((method, url, kind, charset, response.status))
    return taken


def test_every_place_refuses_another_charset_than_utf_8_in_words(campaign: Campaign, make: Factory) -> None:
    urls = [place(name, campaign, make) for name in URLS]
    assert not_refused(browser(make, "carol"), urls, [(MULTIPART, CHARSETS[0])]) == []


def test_a_page_and_the_api_refuse_every_charset_but_utf_8(campaign: Campaign, make: Factory) -> None:
    urls = [place(name, campaign, make) for name in ("pooling:run_list", "api:run_submit")]
    assert not_refused(browser(make, "carol"), urls, product(KINDS, CHARSETS)) == []


@pytest.mark.slow
def test_every_place_refuses_every_charset_but_utf_8(campaign: Campaign, make: Factory) -> None:
    urls = [place(name, campaign, make) for name in URLS]
    assert not_refused(browser(make, "carol"), urls, product(KINDS, CHARSETS)) == []


@pytest.mark.parametrize("charset", ["", "; charset=UTF-8", "; charset=utf8", '; charset="utf-8"'])
def test_utf_8_is_taken_however_it_is_written(charset: str, campaign: Campaign, make: Factory) -> None:
    body = '--x\r\nContent-Disposition: form-data; name="name"\r\n\r\nZoë\r\n--x--\r\n'.encode()
    assert sent(browser(make, "carol"), "/account/", body, MULTIPART + charset) == 302
    assert make.make_user("carol").name == "Zoë"


def test_half_characters_and_nul_are_no_error_of_ours(campaign: Campaign, make: Factory) -> None:
    found = {}
    for name in URLS:
        with undone():
            url = place(name, campaign, make)
            is_for_judges = "/judge/" in url or "/panels/" in url
            for person in ("carol", "alice") if is_for_judges else ("carol",):
                with undone():
                    found[person, name, "look"] = browser(make, person).get(f"{url}?{ODD_QUERY}").status_code
                    body = form(FILE_NAMES[len(name) % len(FILE_NAMES)])
                    found[person, name, "act"] = sent(browser(make, person), url, body, MULTIPART)
    assert {who: status for who, status in found.items() if status >= 500} == {}


def test_a_file_may_have_any_name(campaign: Campaign, make: Factory) -> None:
    client = browser(make, "carol")
    for file_name in FILE_NAMES:
        for url in (
            "topics/",
            "runs/",
            "documents/",
            "judging/load/",
            "judging/machines/",
            "judging/clicks/",
        ):
            body = form(file_name)
            assert sent(client, f"/campaigns/tiny/{url}", body, MULTIPART) == 200


def test_nul_in_any_part_of_an_address_finds_nothing(campaign: Campaign, make: Factory) -> None:
    client, found = browser(make, "carol"), {}
    for name in URLS:
        parts = place(name, campaign, make).split("/")
        for index in range(1, len(parts) - 1):
            url = "/".join([*parts[:index], "%00", *parts[index + 1 :]])
            found[url] = client.get(url).status_code
    assert {url: status for url, status in found.items() if status >= 500} == {}
    assert found["/campaigns/tiny/runs/%00/"] == found["/campaigns/tiny/topics/%00/"] == 404


def test_nul_in_a_cookie_is_nobody_s_session(make: Factory) -> None:
    cookie = {"Cookie": r'sessionid="\000aaaaaaaaaaaaaaaaaaaa"; csrftoken="\000"; messages="\000"'}
    assert Client(read_to_the_end).get("/sign-in/", headers=cookie).status_code == 200
