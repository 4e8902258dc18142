"""A wrong file in every upload: a message with file, line and what was expected, and nothing stored."""

from __future__ import annotations

import gzip
import io
import zipfile
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from assess.models import JudgmentEvent
from pooling.models import Campaign, Document, Role, Run
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

UPLOADS: dict[str, dict[str, Any]] = {
    "topics/": {},
    "runs/": {"group": "g", "kind": "automatic", "priority": "1", "tag_from": "column"},
    "documents/": {"keep": "all"},
    "judging/load/": {"judge": "NIST"},
}
WRONG: dict[str, dict[str, tuple[bytes, str]]] = {
    "topics/": {
        "twice": (b"7\tseven\n7\tseven again\n", "Line 2: "),
        "no title": (b"7\tseven\n8\t\n", "Line 2: "),
        "a run": (b"1 Q0 D1 1 2.0 t\n", "was refused"),
    },
    "runs/": {
        "five fields": (b"1 Q0 D1 1 2.0 t\n1 Q0 D2 1 2.0\n", "line 2: expected 6 fields"),
        "unknown topic": (b"1 Q0 D1 1 2.0 t\n99 Q0 D2 1 2.0 t\n", "line 2: topic 99 is not in this campaign"),
        "score": (b"1 Q0 D1 1 much t\n", "line 1: "),
    },
    "documents/": {
        "broken JSON": (b'{"docno": "D1", "text": "x"}\n{"docno": \n', "line 2: "),
        "no docno": (b'{"text": "x"}\n', "line 1: "),
    },
    "judging/load/": {
        "off the scale": (
            b"1 0 D1 3\n1 0 D2 9\n",
            "Line 2: expected a grade of the scale 0, 1, 2, 3, found 9",
        ),
        "no grade": (b"1 0 D1 3\n1 0 D2\n", "Line 2: "),
    },
}
EVERYWHERE = {
    "nothing": (b"", ""),
    "cut short": (gzip.compress(b"1 Q0 D1 1 2.0 t\n" * 500)[:-30], "damaged or cut short"),
    "an image": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff\xfe", ""),
}
CASES = [
    pytest.param(place, content, said, id=f"{place} {name}")
    for place in UPLOADS
    for name, (content, said) in (WRONG[place] | EVERYWHERE).items()
]


def build_campaign(make: Factory) -> Campaign:
    return make.make_pooled_campaign()


def counts(campaign: Campaign) -> tuple[int, ...]:
    return (
        campaign.topics.count(),
        Run.objects.count(),
        Document.objects.count(),
        JudgmentEvent.objects.count(),
        campaign.pools.count(),
        campaign.memberships.count(),
    )


@pytest.mark.parametrize(("place", "content", "said"), CASES)
def test_a_wrong_file_is_refused_with_its_line_and_leaves_nothing(
    campaign: Campaign, make: Factory, place: str, content: bytes, said: str
) -> None:
    client, before = Client(), counts(campaign)
    client.force_login(make.make_user("carol"))
    field = "run_files" if place == "runs/" else "file"
    file = SimpleUploadedFile("wrong.file", content)
    response = client.post(f"/campaigns/tiny/{place}", UPLOADS[place] | {field: file})
    page = markup(response)
    assert response.status_code == 200
    if content or place == "runs/":
        assert "wrong.file" in page and "refused" in page
    else:
        assert "The submitted file is empty." in page
    assert said in page
    assert "Traceback" not in page
    assert counts(campaign) == before


def test_one_wrong_run_does_not_stop_the_others(campaign: Campaign, make: Factory) -> None:
    client = Client()
    client.force_login(make.make_user("carol"))
    files = [
        SimpleUploadedFile("good.run", b"1 Q0 D7 1 2.0 good\n"),
        SimpleUploadedFile("bad.run", b"1 Q0\n"),
    ]
    response = client.post("/campaigns/tiny/runs/", UPLOADS["runs/"] | {"run_files": files})
    page = markup(response)
    assert "stored as <code>good</code>" in page
    assert "<b>bad.run</b> refused, line 1" in page
    assert set(campaign.runs.values_list("tag", flat=True)) == {"run", "good"}


def test_a_participant_submits_for_the_own_group_whatever_the_form_says(
    campaign: Campaign, make: Factory
) -> None:
    client = Client()
    client.force_login(make.make_user("dave"))
    file = SimpleUploadedFile("d.run", b"1 Q0 D7 1 2.0 d\n")
    client.post("/campaigns/tiny/runs/", UPLOADS["runs/"] | {"group": "carolab", "run_files": file})
    assert campaign.runs.get(tag="d").group == "davelab"


def zipped(**members: bytes) -> SimpleUploadedFile:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return SimpleUploadedFile("runs.zip", packed.getvalue())


def test_the_page_of_runs_leads_an_organiser_to_the_first_pool(make: Factory) -> None:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1")
    add_member(campaign, make.make_user("rita"), Role.PARTICIPANT, "ritalab")

    def leads_to_pool(name: str) -> bool:
        client = Client()
        client.force_login(make.make_user(name))
        page = markup(client.get("/campaigns/tiny/runs/"))
        return 'href="/campaigns/tiny/pool/">Freeze a pool</a>' in page

    assert not leads_to_pool("carol")
    make.make_run(campaign, "1 D1 2")
    assert leads_to_pool("carol") and not leads_to_pool("rita")
    make.make_pool(campaign)
    assert not leads_to_pool("carol")


def test_every_run_of_a_zip_has_its_own_answer(campaign: Campaign, make: Factory) -> None:
    client = Client()
    client.force_login(make.make_user("carol"))
    file = zipped(**{"a.run": b"1 Q0 D7 1 2.0 a\n", "folder/b.run": b"1 Q0\n"})
    page = markup(client.post("/campaigns/tiny/runs/", UPLOADS["runs/"] | {"run_files": file}))
    assert "stored as <code>a</code>" in page
    assert "<b>folder/b.run</b> refused, line 1" in page


def test_a_zip_that_leads_out_of_itself_is_refused(campaign: Campaign, make: Factory) -> None:
    client = Client()
    client.force_login(make.make_user("carol"))
    file = zipped(**{"../../evil.run": b"1 Q0 D7 1 2.0 evil\n"})
    page = markup(client.post("/campaigns/tiny/runs/", UPLOADS["runs/"] | {"run_files": file}))
    assert "<b>runs.zip/../../evil.run</b> refused" in page
    assert campaign.runs.count() == 1


def test_every_file_of_documents_has_its_own_answer(campaign: Campaign, make: Factory) -> None:
    client = Client()
    client.force_login(make.make_user("carol"))
    for place, compared in (
        ("documents/", ""),
        ("documents/report/", ": 0 new, 1 unchanged, 0 replaced"),
    ):
        files = [
            SimpleUploadedFile("one.jsonl", b'{"docno": "D1", "text": "x"}\n{"docno": "D8", "text": "x"}\n'),
            SimpleUploadedFile("bad.jsonl", b'{"docno": "D2", "text": "x"}\n{"docno": \n'),
            SimpleUploadedFile("odd.jsonl", b'{"docno": "D3", "text": "caf\xe9"}\n'),
        ]
        response = client.post(f"/campaigns/tiny/{place}", {"keep": "pooled", "file": files})
        page = markup(response)
        assert "<b>one.jsonl</b> 2 documents read, 1 stored" in page
        assert "<b>bad.jsonl</b> refused, line 2: " in page
        assert (
            f"<b>odd.jsonl</b> 1 document read, 1 stored{compared};"
            " 1 with invalid UTF-8 characters, which were replaced" in page
        )
        assert set(campaign.documents.values_list("docno", flat=True)) == {"D1", "D3"}
    wrong = markup(client.post("/campaigns/tiny/documents/report/", {"keep": "everything"}))
    assert "Files: This field is required." in wrong and "Documents to store: " in wrong
