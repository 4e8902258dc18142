"""Comments and evidence of judges: where organisers and adjudicators find them, and nobody else."""

from __future__ import annotations

import csv
import gzip
import io
import json
import uuid
import zipfile
from io import StringIO

import pytest
from django.test import Client
from django.urls import NoReverseMatch

from accounts.services import create_token
from assess.kappa.label_file import parse_labels
from assess.models import JudgmentEvent
from assess.queries.judging import cards_of
from assess.release.formats import KINDS
from assess.services.assignments import assign
from assess.services.judging import SubmittedJudgment, record_judgment
from pooling.models import Campaign, Role
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup
from tests.support.places import URLS, place

COMMENT, QUOTE = "zebra remark", "zebra quote"
LABELS = "/campaigns/tiny/agreement/labels/"


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_document(campaign, "D1", "a boat with a sail")
    make.make_judgment(campaign, "bob", "1", "D1", 3)
    make.make_machine(campaign, "1 0 D1 0\n")
    return campaign


def remark(make: Factory, campaign: Campaign, docno: str, comment: str, quote: str) -> JudgmentEvent:
    entry = make.entry(campaign, "alice", "1", docno)
    (card,) = cards_of([entry])
    label = SubmittedJudgment(uuid.uuid4(), docno, card.text_hash, 3, comment=comment)
    event = record_judgment(entry, label)
    event.evidence = {"quote": quote, "paragraph": 0, "start": 14}
    JudgmentEvent.objects.filter(pk=event.pk).update(evidence=event.evidence)  # of no text, to be found
    return event


def content_of(content: bytes) -> bytes:
    """Return the bytes of a download with those of its packed files."""
    if content.startswith(b"\x1f\x8b"):
        return gzip.decompress(content)
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return b"".join(name.encode() + content_of(archive.read(name)) for name in archive.namelist())
    return content


def addresses(name: str, campaign: Campaign, make: Factory) -> list[str]:
    """Return the address of a name, with each kind of file if it has one."""
    try:
        found = place(name, campaign, make)
    except NoReverseMatch:
        return []
    kinds = KINDS if "kind" in URLS[name] and "/provenance" in found else ["provenance"]
    return [found.replace("/provenance", f"/{kind}") for kind in kinds]


def client_of(make: Factory, name: str) -> Client:
    """Return the client of a person, for pages and for the API; of an anonymous one without a name."""
    if not name:
        return Client()
    client = Client(headers={"Authorization": f"Bearer {create_token(make.make_user(name), 'test')}"})
    client.force_login(make.make_user(name))
    return client


def test_organisers_and_adjudicators_download_comments_and_evidence(
    campaign: Campaign, make: Factory
) -> None:
    event = remark(make, campaign, "D1", '=1+1 is\nno "sloop"', "boat\twith")
    make.make_release(campaign)
    add_member(campaign, make.make_user("ada"), Role.ADJUDICATOR)
    for name in ("carol", "ada"):
        client = client_of(make, name)
        table = client.get(LABELS).getvalue().decode()
        rows = list(csv.DictReader(StringIO(table), delimiter="\t"))
        assert [row["judge"] for row in rows] == ["alice", "bob", "tiny/robot"]
        assert (rows[0]["comment"], rows[0]["evidence"]) == ('\'=1+1 is no "sloop"', "boat with")
        assert [row["source"] for row in rows] == ["people", "people", "machine: file"]
        assert len(table.splitlines()) == 4
        lines = client.get("/api/campaigns/tiny/labels/").getvalue().splitlines()
        raw = gzip.decompress(client.get("/campaigns/tiny/qrels/1/files/labels/").getvalue()).splitlines()
        for content in (lines, raw):
            label = next(each for each in map(json.loads, content) if each["judge"] == "alice")
            assert (label["comment"], label["evidence"]) == (event.comment, event.evidence)


def test_docnos_of_the_label_file_are_those_of_the_qrels(make: Factory) -> None:
    campaign = make.make_campaign()
    topic = make.make_topic(campaign)
    make.make_run(campaign, '1 =1+1 3\n1 a"b 2\n1 "c 1')
    make.make_pool(campaign)
    assign([make.make_user("alice")], [topic])
    for docno in ("=1+1", 'a"b', '"c'):
        make.make_judgment(campaign, "alice", "1", docno, 1)
    content = client_of(make, "carol").get(LABELS).getvalue()
    rows = csv.DictReader(StringIO(content.decode()), delimiter="\t")
    assert {row["docno"] for row in rows} == {"=1+1", 'a"b', '"c'}
    assert {docno for _, docno, _, _ in parse_labels(content).records} == {"=1+1", 'a"b', '"c'}


@pytest.mark.parametrize("name", ["rita", "dave", "bob", "mallory"])
def test_nobody_else_reads_them_anywhere(campaign: Campaign, make: Factory, name: str) -> None:
    remark(make, campaign, "D1", COMMENT, QUOTE)
    add_member(campaign, make.make_user("rita"), Role.READER)
    add_member(campaign, make.make_user("dave"), Role.PARTICIPANT, "davelab")
    make.make_release(campaign)
    make.publish(campaign)
    client, read = client_of(make, name), 0
    for url_name in URLS:
        for address in addresses(url_name, campaign, make) if not url_name.startswith("admin:") else ():
            answer = client.get(address)
            content = content_of(b"".join(answer))
            read += answer.status_code == 200
            assert COMMENT.encode() not in content and QUOTE.encode() not in content, address
    assert read > 20
    assert client.get("/public/tiny/1/collection/").status_code == 200
    carol = client_of(make, "carol")
    for address in ("/public/tiny/1/collection/", "/campaigns/tiny/qrels/1/labels/"):
        assert COMMENT.encode() not in content_of(carol.get(address).getvalue())


def test_an_organiser_finds_them_from_the_progress_grid(campaign: Campaign, make: Factory) -> None:
    make.make_judgment(campaign, "alice", "1", "D2", 2)
    make.make_judgment(campaign, "alice", "1", "D1", 0)
    remark(make, campaign, "D1", COMMENT, QUOTE)  # a correction
    carol, alice = client_of(make, "carol"), make.make_user("alice")
    url = f"/campaigns/tiny/judging/consistency/{alice.pk}/topics/1/"
    assert url in markup(carol.get("/campaigns/tiny/judging/"))
    first, remarked = markup(carol.get(url)), markup(carol.get(f"{url}?remarks=1"))
    assert COMMENT not in first and "D2" in first
    assert COMMENT in remarked and QUOTE in remarked and "D2" not in remarked
    JudgmentEvent.objects.update(comment="", evidence=None)
    assert "No label of this topic has a comment or evidence." in markup(carol.get(f"{url}?remarks=1"))
