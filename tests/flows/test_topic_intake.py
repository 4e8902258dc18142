"""Topics of the forms that public collections have mean the same at every entrance: page, REST API, command.

The contents are short, in the shape of the published files.
"""

from __future__ import annotations

from collections.abc import Callable
from html import unescape
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.services import create_token
from pooling.models import AuditLogEntry, Campaign
from tests.support.factory import Factory
from tests.support.markup import markup

Topics = list[tuple[str, str, str, str]]
CASES: dict[str, tuple[bytes, Topics | str]] = {
    "clinical trials": (
        b'<topics task="2021 TREC Clinical Trials">\n<topic number="1">\n  A boy with\n  a fever.\n</topic>\n'
        b'<topic number="2">Second.</topic></topics>',
        [("1", "A boy with a fever.", "", ""), ("2", "Second.", "", "")],
    ),
    "clinical trials with fields": (
        b'<topics><topic number="1" template="glaucoma"><field name="diagnosis">POAG</field>'
        b'<field name="intraocular pressure"></field></topic></topics>',
        [("1", "glaucoma", "diagnosis: POAG", "")],
    ),
    "clinical decision support": (
        b'<topics><topic number="1" type="diagnosis"><note>in hospital</note>'
        b"<description>A patient with a cough.</description><summary>cough</summary></topic></topics>",
        [("1", "cough", "A patient with a cough.", "in hospital")],
    ),
    "precision medicine": (
        b'<topics><topic number="1"><disease>Liposarcoma</disease><gene>CDK4 Amplification</gene>'
        b"<demographic>38-year-old male</demographic><other>GERD</other></topic></topics>",
        [
            (
                "1",
                "Liposarcoma; CDK4 Amplification; 38-year-old male; GERD",
                "disease: Liposarcoma\ngene: CDK4 Amplification\ndemographic: 38-year-old male\nother: GERD",
                "",
            )
        ],
    ),
    "clef": (
        b'<topics><topic lang="en"><identifier>10.2452/41-AH</identifier><title>Bees</title>'
        b"<description>Find bees.</description><narrative>Bees count.</narrative></topic></topics>",
        [("10.2452/41-AH", "Bees", "Find bees.", "Bees count.")],
    ),
    "clef with a language": (
        b"<top><num>C041</num><EN-title>Bees</EN-title><EN-desc>Find bees.</EN-desc>"
        b"<EN-narr>Bees count.</EN-narr></top>",
        [("C041", "Bees", "Find bees.", "Bees count.")],
    ),
    "ntcir": (
        b"<TOPIC><NUM>002</NUM><SLUG>NBA</SLUG><TITLE>Jordan</TITLE><DESC>Find facts.</DESC>"
        b"<NARR><BACK>He left.</BACK><RELE>His life.</RELE></NARR><CONC>NBA</CONC></TOPIC>",
        [("002", "Jordan", "Find facts.", "He left.\n\nHis life.")],
    ),
    "web track": (
        b'<webtrack2013><topic number="201" type="faceted"><query>raspberry pi</query>'
        b"<description>What is it?</description>"
        b'<subtopic number="1" type="inf">What is\na raspberry pi?</subtopic>'
        b'<subtopic number="2" type="nav">Its page.</subtopic></topic></webtrack2013>',
        [
            (
                "201",
                "raspberry pi",
                "What is it?",
                "Subtopic 1 (inf): What is a raspberry pi?\n\nSubtopic 2 (nav): Its page.",
            )
        ],
    ),
    "only a description": (b"<top><num>1</num><desc>Who?</desc></top>", [("1", "Who?", "", "")]),
    "conversations": (
        b'[{"number": 31, "title": "boats", "description": "sailing", "turn": ['
        b'{"number": 1, "raw_utterance": "What is a sloop?"},'
        b'{"number": 2, "raw_utterance": "How many masts has it?",'
        b' "manual_rewritten_utterance": "How many masts has a sloop?"}]}]',
        [
            ("31_1", "What is a sloop?", "boats. sailing", ""),
            ("31_2", "How many masts has a sloop?", "boats. sailing", "Turn 1: What is a sloop?"),
        ],
    ),
    "questions": (
        b'[{"question_id": "EQ1", "question": "Where from?", "query": "origin", "background": "Why."}]',
        [("EQ1", "origin", "Where from?", "Why.")],
    ),
    "number -> text": (
        b'{"q1": "bees", "q2": "boats"}',
        [("q1", "bees", "", ""), ("q2", "boats", "", "")],
    ),
    "number -> fields": (
        b'{"7": {"title": "bees", "description": "d"}}',
        [("7", "bees", "d", "")],
    ),
    "beir": (b'{"_id": "q2", "text": "a query", "metadata": {}}\n', [("q2", "a query", "", "")]),
    "csv of excel": (b"sep=;\nquery_id;query\n7;bees\n", [("7", "bees", "", "")]),
    "long numbers with slashes": (
        b"enwiki:Jury%20duty/~/History/" + b"a" * 400 + b"\tHistory of juries\n",
        [("enwiki:Jury%20duty/~/History/" + "a" * 400, "History of juries", "", "")],
    ),
    "utf-16": ("1\tcafé\n".encode("utf-16"), [("1", "café", "", "")]),
    "two titles": (b"qid,query,text\n1,a,b\n", "expected one field with the title, found query, text"),
    "elements without a meaning": (
        b'<topics><topic number="1"><who>a</who></topic></topics>',
        "expected a title for the topic (<title>, <query>, <description> or the topic's own text), found the"
        " elements who",
    ),
    "a workbook": (b"PK\x03\x04" + b"\0" * 26 + b"xl/workbook.xml", "an Excel workbook: save it as CSV"),
}
Entrance = Callable[[Campaign, str, bytes, str], str]


def by_page(campaign: Campaign, name: str, content: bytes, fields: str = "") -> str:
    client = Client()
    client.force_login(User.objects.get(username="carol"))
    data = {"file": SimpleUploadedFile(name, content), "map": fields, "confirmed": "yes"}
    answer = client.post(reverse("pooling:topic_list", args=[campaign.slug]), data, follow=True)
    return unescape(markup(answer))


def by_api(campaign: Campaign, name: str, content: bytes, fields: str = "") -> str:
    token = create_token(User.objects.get(username="carol"), "script")
    data = {"file": SimpleUploadedFile(name, content), "map": fields}
    headers = {"Authorization": f"Bearer {token}"}
    return str(Client().post(f"/api/campaigns/{campaign.slug}/topics/", data, headers=headers).json())


def by_command(campaign: Campaign, name: str, content: bytes, fields: str = "") -> str:
    path, said = Path(name), StringIO()
    path.write_bytes(content)
    options = [word for pair in fields.split(",") if pair for word in ("--map", pair)]
    try:
        call_command("load_topics", campaign.slug, name, *options, stdout=said)
    except CommandError as error:
        return str(error)
    return said.getvalue()


ENTRANCES: dict[str, Entrance] = {"page": by_page, "API": by_api, "command": by_command}


@pytest.fixture
def campaign(make: Factory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Campaign:
    monkeypatch.chdir(tmp_path)
    return make.make_campaign()


def stored(campaign: Campaign) -> Topics:
    return list(campaign.topics.order_by("place").values_list("number", "title", "description", "narrative"))


@pytest.mark.parametrize("entrance", ENTRANCES)
@pytest.mark.parametrize("case", CASES)
def test_topics_mean_the_same_at_every_entrance(campaign: Campaign, case: str, entrance: str) -> None:
    content, expected = CASES[case]
    said = ENTRANCES[entrance](campaign, "topics.txt", content, "")
    if isinstance(expected, str):
        assert expected in said and stored(campaign) == []
    else:
        assert stored(campaign) == expected


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_an_unclear_field_is_read_as_a_person_says(campaign: Campaign, entrance: str) -> None:
    content = CASES["two titles"][0]
    ENTRANCES[entrance](campaign, "topics.csv", content, "text=title")
    assert stored(campaign) == [("1", "b", "", "")]
    entry = AuditLogEntry.objects.filter(verb="loaded topics").latest("pk")
    assert entry.details["fields"] == {"text": "title"}


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_an_element_is_read_as_a_person_says(campaign: Campaign, entrance: str) -> None:
    content = b'<topics><topic number="1"><who>a</who><what>b</what></topic></topics>'
    ENTRANCES[entrance](campaign, "topics.xml", content, "who=title,what=description")
    assert stored(campaign) == [("1", "a", "b", "")]


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_what_is_not_read_is_named(campaign: Campaign, entrance: str) -> None:
    content = b"<top><num>1<dom>Law<title>bees<con>honey</top>"
    ENTRANCES[entrance](campaign, "topics.txt", content, "")
    entry = AuditLogEntry.objects.filter(verb="loaded topics").latest("pk")
    assert entry.details["read"] == ["not read: <dom>, <con>"]


def test_the_page_offers_a_button_for_every_field_that_may_be_meant(campaign: Campaign) -> None:
    client, url = Client(), reverse("pooling:topic_list", args=[campaign.slug])
    client.force_login(User.objects.get(username="carol"))
    upload = SimpleUploadedFile("topics.csv", CASES["two titles"][0])
    page = markup(client.post(url, {"file": upload}))
    assert "query is the title" in page and 'value="text=title"' in page
    content = page.partition('name="content" value="')[2].partition('"')[0]
    preview = markup(client.post(url, {"content": content, "name": "topics.csv", "map": "text=title"}))
    assert "title = text; not read: query" in preview and 'name="map" value="text=title"' in preview


def test_a_topic_with_a_long_number_and_slashes_has_its_pages(campaign: Campaign) -> None:
    by_command(campaign, "car.tsv", CASES["long numbers with slashes"][0])
    client = Client()
    client.force_login(User.objects.get(username="carol"))
    number = campaign.topics.get().number
    listed = markup(client.get(reverse("pooling:topic_list", args=[campaign.slug])))
    address = reverse("pooling:topic", args=[campaign.slug, number])
    assert address in listed and "%252" in address
    assert "History of juries" in markup(client.get(address))
    token = create_token(User.objects.get(username="carol"), "script")
    part = address.rstrip("/").rpartition("/")[2]
    answer = client.get(
        f"/api/campaigns/{campaign.slug}/topics/{part}/", headers={"Authorization": f"Bearer {token}"}
    )
    assert answer.json()["number"] == number
