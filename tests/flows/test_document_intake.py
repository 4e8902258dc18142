"""Documents of public collections mean the same at every entrance: page, REST API and command."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from accounts.services import create_token
from pooling.formats.documents.reading import read_documents
from pooling.formats.files import BadFile
from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.markup import markup

LONG = "A sloop has one mast. " * 20
Texts = dict[str, tuple[str, str]]  # docno -> title and text


def lines(*rows: dict[str, object]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


CASES: dict[str, tuple[bytes, Texts | str]] = {
    "msmarco v2 passages": (
        lines({"pid": "p_1_0", "passage": LONG, "spans": "(0,9)", "docid": "doc_1"}),
        {"p_1_0": ("", LONG)},
    ),
    "msmarco v2 documents": (
        lines({"url": "http://a.org", "title": "T", "headings": LONG, "body": "b", "docid": "doc_1"}),
        {"doc_1": ("T", "b")},
    ),
    "msmarco v2.1 segments": (
        lines({"docid": "d#0_1", "url": "http://a.org", "title": "T", "headings": "h", "segment": LONG}),
        {"d#0_1": ("T", LONG)},
    ),
    "msmarco v1 passages": (f"7\t{LONG.strip()}\n".encode(), {"7": ("", LONG.strip())}),
    "beir": (lines({"_id": "b1", "title": "T", "text": "words", "metadata": {}}), {"b1": ("T", "words")}),
    "anserini": (lines({"id": "a1", "contents": "words"}), {"a1": ("", "words")}),
    "paragraphs": (lines({"id": "a1", "title": "T", "text": ["one", "two"]}), {"a1": ("T", "one\n\ntwo")}),
    "array": (
        b'[{"docno": "D1", "text": "a"}, {"docno": "D2", "text": "b"}]',
        {"D1": ("", "a"), "D2": ("", "b")},
    ),
    "csv of excel": (b"sep=;\nDocument ID;Abstract\nD1;words\n", {"D1": ("", "words")}),
    "csv with two ids": (b"docid,pid,passage\nparent,child,words\n", {"child": ("", "words")}),
    "no text": (lines({"docno": "D1", "title": "T", "tale": LONG}), "the field 'tale' with"),
    "no docno": (lines({"cord_uid": "c1", "title": "T", "abstract": "a"}), "expected a field with the docno"),
    "two texts": (lines({"docno": "D1", "text": "", "content": "a", "contents": "b"}), {"D1": ("", "")}),
    "two texts of one kind": (
        lines({"docno": "D1", "content": "a", "contents": "b"}),
        "found content, contents",
    ),
    "array without a docno": (
        b'[{"docno": "D1", "text": "a"}, {"text": "b"}]',
        "row 2: expected a field",
    ),
    "a workbook": (b"PK\x03\x04" + b"\0" * 26 + b"xl/workbook.xml", "an Excel workbook"),
    "parquet": (b"PAR1\x15\x04", "a Parquet file"),
}
Entrance = Callable[[Campaign, str, bytes, str], str]


def by_page(campaign: Campaign, name: str, content: bytes, fields: str = "") -> str:
    client = Client()
    client.force_login(User.objects.get(username="carol"))
    data = {"file": SimpleUploadedFile(name, content), "map": fields, "keep": "all"}
    return markup(client.post(reverse("pooling:document_report", args=[campaign.slug]), data))


def by_api(campaign: Campaign, name: str, content: bytes, fields: str = "") -> str:
    token = create_token(User.objects.get(username="carol"), "script")
    data = {"file": SimpleUploadedFile(name, content), "map": fields, "keep": "all"}
    headers = {"Authorization": f"Bearer {token}"}
    return str(Client().post(f"/api/campaigns/{campaign.slug}/documents/", data, headers=headers).json())


def by_command(campaign: Campaign, name: str, content: bytes, fields: str = "") -> str:
    Path(name).write_bytes(content)
    options = [word for pair in fields.split(",") if pair for word in ("--map", pair)]
    said = StringIO()
    try:
        call_command("import_documents", campaign.slug, name, "--all", *options, stdout=said)
    except CommandError as error:
        return str(error)
    return said.getvalue()


ENTRANCES: dict[str, Entrance] = {"page": by_page, "API": by_api, "command": by_command}


@pytest.fixture
def campaign(make: Factory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Campaign:
    monkeypatch.chdir(tmp_path)
    return make.make_campaign()


def stored(campaign: Campaign) -> Texts:
    rows = campaign.documents.values_list("docno", "title", "text")
    return {docno: (title, text) for docno, title, text in rows}


@pytest.mark.parametrize("entrance", ENTRANCES)
@pytest.mark.parametrize("case", CASES)
def test_documents_mean_the_same_at_every_entrance(campaign: Campaign, case: str, entrance: str) -> None:
    content, expected = CASES[case]
    said = ENTRANCES[entrance](campaign, "documents.txt", content, "")
    if isinstance(expected, str):
        assert expected in said.replace("&#x27;", "'").replace("\\'", "'") and stored(campaign) == {}
    else:
        assert stored(campaign) == expected


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_a_field_is_read_as_a_person_says(campaign: Campaign, entrance: str) -> None:
    ENTRANCES[entrance](campaign, "documents.jsonl", CASES["no text"][0], "tale=text")
    assert stored(campaign) == {"D1": ("T", LONG)}


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_a_chosen_field_that_no_row_has_is_named(campaign: Campaign, entrance: str) -> None:
    said = ENTRANCES[entrance](campaign, "documents.jsonl", CASES["beir"][0], "tail=url")
    assert "expected a field tail, found the fields _id, title, text, metadata" in said
    assert stored(campaign) == {}


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_a_long_field_that_is_not_read_is_named(campaign: Campaign, entrance: str) -> None:
    said = ENTRANCES[entrance](campaign, "documents.jsonl", CASES["msmarco v2 documents"][0], "")
    assert "headings" in said


def test_the_page_offers_a_button_for_every_field_that_may_be_the_text(campaign: Campaign) -> None:
    page = by_page(campaign, "documents.jsonl", CASES["no text"][0])
    assert 'data-resubmit="tale=text"' in page and "tale is the text" in page


words = st.text("abcé .", min_size=1, max_size=400).filter(str.strip)
ids = st.sampled_from(["docno", "pid", "docid", "_id", "id", "doc_id"])
texts = st.sampled_from(["text", "contents", "body", "passage", "segment", "abstract", "some text"])
documents = st.lists(
    st.tuples(st.integers(1, 99), words), min_size=1, max_size=6, unique_by=lambda row: row[0]
)


@given(ids, texts, documents, st.sampled_from(["jsonl", "json", "csv", "tsv"]), st.booleans())
def test_every_text_that_is_given_is_taken_or_named(
    docno: str, text: str, rows: list[tuple[int, str]], form: str, has_more: bool
) -> None:
    """Rows taken and rows named are the rows given; a text is never lost without a word."""
    objects = [
        {docno: f"D{number}", text: own} | ({"more": LONG} if has_more else {}) for number, own in rows
    ]
    fields = list(objects[0])
    content = {
        "jsonl": "".join(json.dumps(row) + "\n" for row in objects),
        "json": json.dumps(objects),
        "csv": "\n".join([",".join(fields), *(",".join(f'"{row[f]}"' for f in fields) for row in objects)]),
        "tsv": "\n".join(["\t".join(fields), *("\t".join(row[f] for f in fields) for row in objects)]),
    }[form]
    reader = read_documents(content.encode(), f"a.{form}")
    try:
        read = list(reader)
    except BadFile as error:
        assert text == "some text" and "expected a text or a title for document D" in str(error)
        return
    assert [record.docno for record in read] == [f"D{number}" for number, _ in rows]
    for record, (_, own) in zip(read, rows, strict=True):
        assert record.text.strip() == own.strip()
    assert reader.left == ({"more": len(rows)} if has_more else {})
