"""The same two hundred files through the site's own doors: no error of ours, no half-stored file."""

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


@pytest.mark.parametrize("name", HOSTILE)
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
