"""Files are taken from who may send them, and no more than the limit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile, TemporaryUploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.test import Client
from pytest_django import Settings

from accounts.services import create_token
from tests.support.factory import Factory
from tests.support.markup import markup

pytestmark = pytest.mark.django_db
LIMIT = 100_000


@pytest.fixture
def kept(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Every chunk that is written to the disk, by its length."""
    settings.UPLOAD_LIMIT, settings.FILE_UPLOAD_MAX_MEMORY_SIZE = LIMIT, 0
    lengths: list[int] = []
    receive = TemporaryFileUploadHandler.receive_data_chunk

    def noted(self: Any, raw_data: bytes, start: int) -> Any:
        lengths.append(len(raw_data))
        return receive(self, raw_data, start)

    monkeypatch.setattr(TemporaryFileUploadHandler, "receive_data_chunk", noted)
    return lengths


def run(size: int) -> SimpleUploadedFile:
    return SimpleUploadedFile("t.run", b"1 Q0 D7 1 2.0 t\n" * (size // 16))


def signed_in(make: Factory, name: str) -> Client:
    make.make_pooled_campaign()
    client = Client(raise_request_exception=False)
    client.force_login(make.make_user(name))
    return client


def test_a_file_of_somebody_who_is_not_signed_in_is_not_written(make: Factory, kept: list[int]) -> None:
    signed_in(make, "carol")
    for place in ("/sign-in/", "/campaigns/tiny/runs/", "/campaigns/tiny/topics/"):
        Client().post(place, {"run_files": run(50_000), "file": run(50_000)})
    assert kept == []


def test_a_file_of_a_member_is(make: Factory, kept: list[int]) -> None:
    signed_in(make, "dave").post("/campaigns/tiny/runs/", {"run_files": run(50_000)})
    assert sum(kept) == 50_000


def test_a_file_by_token_is_and_one_by_a_wrong_token_is_not(make: Factory, kept: list[int]) -> None:
    signed_in(make, "dave")
    for token in (create_token(make.make_user("dave"), "test"), "jp_wrong"):
        Client(headers={"Authorization": f"Bearer {token}"}).post(
            "/api/campaigns/tiny/runs/", {"file": run(50_000)}
        )
        assert sum(kept) == 50_000


def test_a_body_above_the_limit_is_refused_unread(make: Factory, kept: list[int]) -> None:
    client = signed_in(make, "dave")
    answer = client.post("/campaigns/tiny/runs/", {"run_files": run(4 * LIMIT)})
    assert answer.status_code == 400
    assert b"The request was too large" in answer.content
    assert kept == []


def test_a_file_cannot_name_a_place_outside_its_folder(make: Factory, settings: Settings) -> None:
    client = signed_in(make, "dave")
    for name in ("../../evil.run", "..\\..\\evil.run", "/etc/evil.run"):
        file = SimpleUploadedFile("t", f"1 Q0 D7 1 2.0 t{len(name)}\n".encode())
        file.name = name
        client.post("/campaigns/tiny/runs/", {"run_files": file})
    folder = Path(settings.MEDIA_ROOT)
    assert not list(folder.parent.rglob("*evil*"))
    assert {path.parent for path in folder.parent.rglob("*.gz")} == {folder / "runs"}


@pytest.mark.parametrize(
    "place",
    ["runs/", "topics/", "judging/load/", "judging/machines/", "judging/clicks/", "judging/probes/"],
)
def test_a_file_beyond_the_limit_is_refused_unread(
    make: Factory, kept: list[int], monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    client, large = signed_in(make, "carol"), run(2 * LIMIT)
    fields = {"priority": "1", "tag_from": "column", "group": "g", "judge": "NIST", "kind": "gold"}
    fields |= {"name": "LLM", "model": "1", "prompt_sha256": 64 * "0", "made_on": "2026-01-01"}
    fields |= {"least_people": "5"}
    if place == "runs/":
        fields["kind"] = "automatic"
    pieces: list[int] = []

    def read(file: Any, size: int = -1) -> bytes:
        pieces.append(size)
        return b""

    monkeypatch.setattr(TemporaryUploadedFile, "read", read, raising=False)
    name = "run_files" if place == "runs/" else "file"
    page = markup(client.post(f"/campaigns/tiny/{place}", fields | {name: large}))
    assert "xpected at most 100,000 bytes after unpacking, found 200,000" in page
    assert -1 not in pieces
