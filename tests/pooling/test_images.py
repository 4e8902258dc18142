"""Images of documents and topics: which are taken, how an archive names their owners, and what is stored."""

from __future__ import annotations

from io import BytesIO, StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from pooling.formats.files import BadFile
from pooling.formats.images import (
    Owner,
    in_order,
    is_image_archive,
    member_of,
    path_of,
    read_image_header,
    read_images,
)
from pooling.limits import MAX_IMAGE_BYTES
from pooling.models import Campaign
from pooling.queries.integrity import document_faults, image_faults
from pooling.services.documents import document_reader, import_documents
from pooling.services.images import import_images
from tests.support.factory import Factory
from tests.support.images import GIF, JPEG, WEBP, png, zipped
from tests.support.markup import markup

LIMIT = 1 << 24
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="5" height="3"><script>alert(1)</script></svg>'
words = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=20)


@pytest.mark.parametrize(
    ("content", "media_type"),
    [(png(), "image/png"), (JPEG, "image/jpeg"), (GIF, "image/gif"), (WEBP, "image/webp")],
)
def test_an_image_is_recognised_by_its_bytes(content: bytes, media_type: str) -> None:
    assert read_image_header(content) == (media_type, 5, 3)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (SVG, "expected a PNG, JPEG, GIF or WebP image"),
        (b"", "expected a PNG, JPEG, GIF or WebP image"),
        (b"<!doctype html><script>alert(1)</script>", "expected a PNG, JPEG, GIF or WebP image"),
        (png()[:20], "a damaged header"),
        (JPEG[:22], "a damaged header"),
        (GIF[:7], "a damaged header"),
        (WEBP[:16] + b"VP8?", "a damaged header"),
        (GIF.replace(b"\x05\x00", b"\x00\x00"), "a damaged header"),
        (png()[:16] + b"\x00\x00\xff\xff" + png()[20:], "16,000 pixels a side"),
        (png()[:16] + b"\x00\x00\x3a\x98" * 2 + png()[24:], "50,000,000 in all, found 15,000 × 15,000"),
        (png() + bytes(MAX_IMAGE_BYTES), "expected at most 5,242,880 bytes"),
    ],
)
def test_anything_else_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(BadFile, match=message):
        read_image_header(content)


@given(st.sampled_from([png(), JPEG, GIF, WEBP]), st.data())
def test_a_damaged_image_is_read_or_refused(content: bytes, data: st.DataObject) -> None:
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(content))] * 2)))
    damaged = content[:start] + data.draw(st.binary(max_size=8)) + content[end:]
    try:
        header = read_image_header(damaged)
    except BadFile:
        return
    assert header.width > 0 and header.height > 0


@given(st.sampled_from(["documents", "topics"]), words, words.filter(lambda name: "/" not in name))
def test_every_docno_can_be_written_as_a_path(folder: str, key: str, name: str) -> None:
    assert member_of(path_of(Owner(folder, key), name)) == (Owner(folder, key), name)
    assert member_of(f"{folder}/{path_of(Owner(folder, key), 'x').split('/')[1]}.png")[0].key == key


def test_all_members_that_cannot_be_taken_are_named() -> None:
    file = zipped(
        {
            "documents/D1.png": png(),
            "documents/D2.png": SVG,
            "cover.png": png(),
            "documents/a%FFb.png": png(),
            "documents/a b.png": png(),
            "topics/1/a/b.png": png(),
        }
    )
    with pytest.raises(BadFile) as refused:
        list(read_images(file, "images.zip", LIMIT))
    assert str(refused.value).startswith("images.zip: 5 faults: documents/D2.png: expected a")
    assert "cover.png: expected documents/DOCNO.png" in str(refused.value)


def test_several_images_are_in_the_order_of_their_names() -> None:
    file = zipped({"documents/D1/2.gif": GIF, "documents/D1/10.png": png(), "documents/D1/1.jpg": JPEG})
    found = {record.name: record.place for record in in_order(read_images(file, "a.zip", LIMIT), "a.zip")}
    assert found == {"1.jpg": 1, "10.png": 2, "2.gif": 3}


def test_too_many_images_of_a_document_are_refused() -> None:
    file = zipped({f"documents/D1/{number}.png": png() for number in range(51)})
    with pytest.raises(BadFile, match=r"a.zip: D1: expected at most 50 images, found 51"):
        in_order(read_images(file, "a.zip", LIMIT), "a.zip")


def test_an_archive_of_images_is_told_from_one_of_documents() -> None:
    assert is_image_archive(zipped({"x/a.PNG": png(), "b.svg": SVG}), LIMIT)
    assert not is_image_archive(zipped({"a.png": png(), "b.html": b"<html>"}), LIMIT)
    assert not is_image_archive(zipped({}), LIMIT)
    assert not is_image_archive(BytesIO(b"PK\x03\x04 damaged"), LIMIT)


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_document(campaign, "D1", title="A boat")
    return campaign


def stored(campaign: Campaign) -> list[tuple[str, str | None, int, str]]:
    rows = campaign.images.order_by("docno", "topic__number", "place")
    return list(rows.values_list("docno", "topic__number", "place", "name"))


def test_images_are_stored_and_replaced(campaign: Campaign) -> None:
    before = campaign.documents.get(docno="D1").text_hash
    members = {"documents/D1/a.png": png(), "documents/D1/b.jpg": JPEG, "documents/D2.gif": GIF}
    result = import_images(
        campaign, zipped(members | {"documents/D9.png": png(), "topics/1.png": png()}), "a.zip"
    )
    assert str(result) == "5 images read, 4 stored; no document is pooled or loaded for D9"
    assert stored(campaign) == [
        ("", "1", 1, "1.png"), ("D1", None, 1, "a.png"), ("D1", None, 2, "b.jpg"), ("D2", None, 1, "D2.gif"),
    ]  # fmt: skip
    with_images = campaign.documents.get(docno="D1").text_hash
    assert with_images != before
    import_images(campaign, zipped({"documents/D1/a.png": png()}), "a.zip")
    assert ("D1", None, 2, "b.jpg") not in stored(campaign)
    assert campaign.documents.get(docno="D1").text_hash not in (before, with_images)
    assert campaign.audit_log.latest("number").verb == "imported images"


def test_a_new_text_keeps_the_images_in_the_hash(campaign: Campaign) -> None:
    import_images(campaign, zipped({"documents/D1.png": png(), "documents/D2.png": png()}), "a.zip")
    content = b'{"docno": "D1", "text": "New."}\n'
    import_documents(campaign, lambda: document_reader(BytesIO(content), "a.jsonl"))
    assert [*document_faults(campaign), *image_faults(campaign)] == [[]] * 4


def test_an_unknown_topic_refuses_the_archive(campaign: Campaign) -> None:
    with pytest.raises(BadFile, match=r"a.zip: topics/9: expected a topic of the campaign"):
        import_images(campaign, zipped({"documents/D1.png": png(), "topics/9.png": png()}), "a.zip")
    assert not campaign.images.exists()


def test_a_changed_file_is_a_fault(campaign: Campaign, settings: Settings) -> None:
    import_images(campaign, zipped({"documents/D1.png": png()}), "a.zip")
    path = Path(campaign.images.get().file.path)
    path.write_bytes(png(6))
    (faults,) = image_faults(campaign)
    assert [fault.what for fault in faults] == ["image checksum", "image header"]
    path.unlink()
    (faults,) = image_faults(campaign)
    assert "expected a file with a PNG" in str(faults[0])


def test_the_page_of_documents_takes_an_archive(campaign: Campaign, make: Factory) -> None:
    client = Client()
    client.force_login(make.make_user("carol"))
    for members, expected in (
        ({"documents/D1.png": png()}, "1 images read, 1 stored"),
        ({"documents/D1.png": SVG}, "documents/D1.png: expected a PNG, JPEG, GIF or WebP image"),
    ):
        file = SimpleUploadedFile("a.zip", zipped(members).read())
        page = markup(client.post("/campaigns/tiny/documents/", {"keep": "pooled", "file": file}))
        assert expected in page
    assert campaign.images.count() == 1


def test_the_command_takes_an_archive(campaign: Campaign, tmp_path: Path) -> None:
    path, output = tmp_path / "a.zip", StringIO()
    path.write_bytes(zipped({"documents/D1.png": png(), "topics/1.png": png()}).read())
    call_command("import_documents", "tiny", path, stdout=output)
    assert "2 images read, 2 stored." in output.getvalue()
