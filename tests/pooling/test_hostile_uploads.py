"""The files of test_hostile_files, uploaded to the site: no error of ours, no file stored in part.

One file of every kind is uploaded by `make test`, all of them by `make test-all`.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from pooling.models import Campaign, Document, RunColumns
from tests.pooling.test_hostile_files import LIMIT, ODDITIES, REFUSED
from tests.support.factory import Factory
from tests.support.markup import markup

HOSTILE = {**REFUSED, **ODDITIES}
ONE_OF_A_KIND = {
    "gz cut at 0.5", "bz2 flipped at 0.3", "gz bomb", "zip bomb of lines", "zip of gz in zip",
    "zip with b'../a.txt'",
    "zip of a link", "zip with a password", "zip with a crowded list", "gz with rubbish behind", "fuzzed 0",
    "run in utf-16", "documents in shift_jis", "nothing", "NUL bytes", "noise", "surrogates in UTF-8",
    "columns, commas", "a run's long line", "score nan", "rank -1", "grade 1e3", "a document twice",
    "JSON, deep",
    "JSON, cut", "CSV, open quote", "SGML, open document", "XML, laughs", "HTML, scripts", "SMART, entries",
    "WARC, a length beyond", "topics, open comment", "zip of many files",
}  # fmt: skip
DOORS: dict[str, dict[str, Any]] = {
    "topics/": {},
    "runs/": {"group": "g", "priority": "1", "tag_from": "column"},
    "documents/": {"keep": "all"},
    "judging/load/": {"judge": "NIST"},
}


@pytest.fixture
def campaign(make: Factory, settings: Settings) -> Campaign:
    settings.UPLOAD_LIMIT = LIMIT
    campaign = make.make_campaign()
    make.make_topic(campaign, "401")
    return campaign


def test_there_is_a_file_of_every_kind() -> None:
    assert set(HOSTILE) >= ONE_OF_A_KIND


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in ONE_OF_A_KIND else pytest.mark.slow) for name in HOSTILE]
)
def test_a_hostile_file_meets_an_answer_at_every_door(campaign: Campaign, make: Factory, name: str) -> None:
    content = HOSTILE[name]()
    client = Client(raise_request_exception=False)
    client.force_login(make.make_user("carol"))
    for door, said in DOORS.items():
        field = "run_files" if door == "runs/" else "file"
        file = SimpleUploadedFile("hostile", content)
        response = client.post(f"/campaigns/tiny/{door}", said | {field: file})
        assert response.status_code in (200, 302), (door, response.status_code)
        refused = response.status_code == 200 and "</b> refused" in markup(response)
        if refused and door == "documents/":
            assert not Document.objects.exists()
    assert campaign.runs.count() == RunColumns.objects.count()
