"""Many people are invited at once: the list is checked first, and a list that was not invites nobody."""

from __future__ import annotations

import csv
import io
import re
from base64 import b64decode
from html import unescape
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from pytest_django import Settings

from pooling.models import Campaign, Role
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

URL = "/campaigns/tiny/people/invite/"
LINES = """Hana Kobayashi, hana@example.org, judge, 1-2
Lin Zhao; lin@example.org; participant; whitespace
Chidi Eze, chidi@example.org, juror
Noor Haddad, noor@example, reader
Lin Zhao; LIN@example.org; participant; whitespace
Tom, tom@example.org, judge, 99
Elif
"""


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    for number in ("1", "2"):
        make.make_topic(campaign, number)
    make.make_run(campaign, "1 D1 2\n2 D1 1")
    make.make_pool(campaign)
    return campaign


@pytest.fixture
def carol(campaign: Campaign, make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def send(carol: Client, lines: str, **more: str) -> str:
    return carol.post(URL, {"lines": lines, "role": "judge"} | more).content.decode()


def checksum_in(page: str) -> str:
    found = re.search(r'name="checked" value="(\w+)"', page)
    return found[1] if found else ""


def test_a_list_is_checked_and_then_invited(carol: Client, campaign: Campaign) -> None:
    page = send(carol, LINES)
    shown = markup(carol.post(URL, {"lines": LINES, "role": "judge"}))
    assert not campaign.invitations.exists()
    for words in (
        "<b>Line 3</b> is refused: “juror” is no role; expected",
        "<b>Line 4</b> is refused: “noor@example” is no address; expected name@example.org",
        "<b>Line 5</b> repeats line 2",
        "<b>Line 6</b> is refused: ",
        "Make 3 links",
    ):
        assert words in shown
    links = unescape(send(carol, LINES, checked=checksum_in(page), request_key="one"))
    assert "3 people are invited" in " ".join(links.split()) and "3 lines" in " ".join(links.split())
    found = re.findall(r"<code[^>]*>(http://\S+?)</code>", links)
    assert len(found) == 3 and all(Client().get(link).status_code == 200 for link in found)
    assert "Lin Zhao,lin@example.org,participant,whitespace,http://" in links
    address = re.search(
        r'href="data:text/csv;charset=utf-8;base64,(\S+)" download="tiny-invitations.csv"', links
    )
    assert address
    rows_of_file = list(csv.DictReader(io.StringIO(b64decode(address[1]).decode())))
    assert [row["name"] for row in rows_of_file] == ["Hana Kobayashi", "Lin Zhao", "Elif"]
    assert [row["link"] for row in rows_of_file] == found
    rows = campaign.invitations.order_by("pk").values_list("recipient", "role", "group", "email")
    assert list(rows) == [
        ("Hana Kobayashi", "judge", "", "hana@example.org"),
        ("Lin Zhao", "participant", "whitespace", "lin@example.org"),
        ("Elif", "judge", "", ""),
    ]
    first = campaign.invitations.order_by("pk")[0]
    assert [topic.number for topic in first.invited_topics.topics.all()] == ["1", "2"]
    assert campaign.audit_log.filter(verb="invited").count() == 3
    assert "Chidi Eze, chidi@example.org, juror\nNoor Haddad" in links  # to correct


def test_a_list_that_was_changed_after_the_check_is_checked_again(carol: Client, campaign: Campaign) -> None:
    checked = checksum_in(send(carol, "Ann, ann@example.org"))
    page = send(carol, "Ann, ann@example.org\nBob, bob@example.org", checked=checked)
    assert "Make 2 links" in " ".join(page.split()) and not campaign.invitations.exists()
    assert checksum_in(page) not in ("", checked)


def test_a_second_press_invites_nobody_again(carol: Client, campaign: Campaign) -> None:
    lines = "Ann\nBob, bob@example.org, reader"
    checked = checksum_in(send(carol, lines))
    pages = [send(carol, lines, checked=checked, request_key="one") for _ in range(2)]
    assert campaign.invitations.count() == 2
    links = re.findall(r"<code[^>]*>(http://\S+?)</code>", pages[1])
    assert [Client().get(link).status_code for link in links] == [200, 200]


def test_forty_participants_and_eight_judges(carol: Client, campaign: Campaign) -> None:
    lines = [f"Team {n}, team{n}@example.org, participant, group{n}" for n in range(40)]
    lines += [f"Judge {n}, judge{n}@example.org, judge" for n in range(8)]
    text = "\r\n".join(lines)
    page = send(carol, text, checked=checksum_in(send(carol, text)))
    assert len(re.findall(r"<code[^>]*>http", page)) == 48 == campaign.invitations.count()


def test_links_are_mailed_where_there_is_an_address(
    carol: Client, campaign: Campaign, settings: Settings, django_capture_on_commit_callbacks: Any
) -> None:
    settings.SENDS_MAIL = True
    lines = "Ann, ann@example.org, reader\nBob"
    page = send(carol, lines)
    assert "Mail 1 invitation" in " ".join(page.split())
    with django_capture_on_commit_callbacks(execute=True):
        page = send(carol, lines, checked=checksum_in(page), mail="1")
    assert [message.to for message in mail.outbox] == [["ann@example.org"]]
    assert len(re.findall(r"<code[^>]*>http", page)) == 1 and ">mailed<" in markup_of(page)
    assert campaign.invitations.get(email="ann@example.org").is_mailed_only


def markup_of(page: str) -> str:
    return re.sub(r">\s+|\s+<", lambda found: found[0].strip(), page)


def test_a_member_keeps_the_roles(carol: Client, campaign: Campaign, make: Factory) -> None:
    pat = make.make_user("pat")
    pat.email = "Pat@example.org"
    pat.save()
    add_member(campaign, pat, Role.PARTICIPANT, "whitespace")
    page = send(carol, "Pat <pat@example.org>, judge")
    assert "pat is a member. The invitation adds the role judge and takes none away." in page


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("x" * 121, "expected at most 120 characters, found 121"),
        ("Ann, participant, " + "g" * 61, "expected a group of at most 60 characters"),
        ("Ann, participant", "A participant needs a group"),
        ("Ann, reader, 1-2", "only a judge has topics and a participant a group; found “1-2”"),
        ("Ann\n" * 1001, "Enter at most 1,000 lines."),
    ],
)
def test_what_cannot_be_stored_is_refused(carol: Client, campaign: Campaign, lines: str, said: str) -> None:
    page = send(carol, lines)
    assert said in page and not checksum_in(page).strip()
