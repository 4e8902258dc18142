"""Nobody sees a label of a document that they are still to judge, whatever other roles they have."""

from __future__ import annotations

import gzip
import io
import json
import re
import uuid
import zipfile
from collections.abc import Iterator
from typing import Any

from django.test import Client

from accounts.services import create_token
from assess.models import JudgmentEvent, QueueEntry
from assess.queries.adjudication import dispute_in
from assess.queries.campaign_reads import CampaignReads
from assess.queries.independence import hidden_keys, judge_numbers
from assess.services.adjudications import Settlement, settle
from assess.services.assignments import assign
from pooling.models import Campaign, Role
from pooling.queries.integrity import audit_log_faults
from pooling.services.audit_log import log_change
from pooling.services.people import add_member
from tests.config.test_roles import API, GET
from tests.support.factory import Factory
from tests.support.finished_campaign import refuse
from tests.support.markup import markup
from tests.support.places import place

COMMENT = "a note that one judge wrote"
OTHER_ROLES = ["carol", "ada", "rita", "dave"]  # organiser, adjudicator, reader, participant
# released grades are published results, not labels of a judge
PUBLISHED = re.compile(
    r"(?:^|/)(?:qrels|beir|sources|prels)[^/]*$|^metrics:run_topic$|^assess:release_diff$|/qrels/diff/"
)


def build_campaign(make: Factory) -> Campaign:
    """Alice and bob have labelled everything, and it is released. Four others are to judge all of it."""
    campaign = make.make_pooled_campaign()
    for docno in ("D1", "D2", "D3"):
        make.make_document(campaign, docno, f"The text of {docno}.")
    for topic, docno in (("1", "D1"), ("1", "D2"), ("1", "D3"), ("2", "D1")):
        make.make_judgment(campaign, "alice", topic, docno, 0)
        if docno != "D3":
            make.make_judgment(campaign, "bob", topic, docno, 3)
    refuse(make, campaign, "bob", "1", "D3")
    settled = dispute_in(CampaignReads(campaign), make.make_user("ada"), make.pooled(campaign, "1", "D2").pk)
    assert settled
    settle(
        settled.pooled,
        make.make_user("ada"),
        Settlement(uuid.uuid4(), "D2", settled.text_hash, settled.last_label, 3, COMMENT),
    )
    JudgmentEvent.objects.filter(judge__username="bob").update(comment=COMMENT)
    for name in OTHER_ROLES:
        add_member(campaign, make.make_user(name), Role.JUDGE)
    make.make_release(campaign)
    make.make_release(campaign)
    assign([make.make_user(name) for name in OTHER_ROLES], campaign.topics.all())
    return campaign


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def by_token(make: Factory, name: str) -> Client:
    return Client(headers={"Authorization": f"Bearer {create_token(make.make_user(name), 'test')}"})


def texts_in(content: bytes, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield (name, text) of a file, and of every file that it packs."""
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for member in archive.namelist():
                yield from texts_in(archive.read(member), member)
    elif content.startswith(b"\x1f\x8b"):
        yield name.removesuffix(".gz"), gzip.decompress(content).decode()
    else:
        yield name, content.decode("utf-8", "replace")


def answers(campaign: Campaign, make: Factory, name: str) -> Iterator[tuple[str, Any]]:
    """Yield every page, fragment, download and answer of the API that this person may ask for."""
    client, token = signed_in(make, name), by_token(make, name)
    for route in GET:
        if not route.startswith(("api:", "admin:")):
            yield route, client.get(place(route, campaign, make))
    for method, route in API:
        if method == "get":
            yield route, token.get(place(route, campaign, make))
    keys = [make.pooled(campaign, *of).pk for of in (("1", "D1"), ("2", "D1"))]
    root = "/campaigns/tiny"
    for address in (
        f"{root}/agreement/documents/?first=alice&second=bob",
        f"{root}/agreement/documents/?first=alice&second=bob&row=0&column=3",
        f"{root}/agreement/confusion/?first=alice&second=bob&topic=2",
        *(f"{root}/agreement/documents/{key}/" for key in keys),
        *(f"{root}/adjudication/?document={key}" for key in keys),
        f"{root}/adjudication/?show=differ",
        f"{root}/qrels/diff/?first=1&second=2",
        *(f"{root}/qrels/1/files/{kind}/" for kind in kinds(campaign)),
        *(f"{root}/judging/consistency/{make.make_user('bob').pk}/topics/{topic}/" for topic in "12"),
        f"{root}/judging/cannot-judge/",
    ):
        yield address, client.get(address)
    for kind in kinds(campaign):
        yield f"api {kind}", token.get(f"/api/campaigns/tiny/releases/1/files/{kind}/")


def kinds(campaign: Campaign) -> list[str]:
    return [stored.kind for stored in campaign.releases.get(number=1).files.all()]


def content_of(response: Any) -> bytes:
    content: bytes = b"".join(response) if response.streaming else response.content
    return content


def test_a_judge_with_another_role_sees_nobodys_label_of_a_document_in_their_queue(
    campaign: Campaign, make: Factory
) -> None:
    label = re.compile(r'\b(?:bob|alice|judge \d|Judge [AB])\b|class="g g-')
    for name in OTHER_ROLES:
        for address, response in answers(campaign, make, name):
            for file, text in texts_in(content_of(response), address):
                where = f"{name}: {address} {file}"
                assert COMMENT not in text, where
                if PUBLISHED.search(file) or PUBLISHED.search(address.rstrip("/")):
                    continue
                for part in re.split(r"<tr|<li|<article|<section|\n", text):
                    assert not (re.search(r"\bD[123]\b", part) and label.search(part)), f"{where}: {part}"


def trail_of(client: Client) -> str:
    urls = ("/campaigns/tiny/trail/?verb=settled+a+grade", "/campaigns/tiny/trail/file/?verb=settled+a+grade")
    return "".join(content_of(client.get(url)).decode() for url in urls)


def test_the_trail_names_a_settled_document_without_its_grade(campaign: Campaign, make: Factory) -> None:
    found = trail_of(signed_in(make, "carol"))
    assert found.count("1 D2") == 2
    assert not re.search(r"1 D2, 3|relevance", found)


def test_the_trail_shows_no_grade_of_an_entry_that_an_earlier_version_wrote(
    campaign: Campaign, make: Factory
) -> None:
    ada = make.make_user("ada")
    log_change(campaign, ada, "settled a grade", "2 D1, 3", topic="2", docno="D1", relevance=3)
    found = trail_of(signed_in(make, "carol"))
    assert found.count("2 D1") == 2
    assert not re.search(r"2 D1, 3|relevance", found)
    assert not [fault for faults in audit_log_faults(campaign) for fault in faults]


def test_an_organiser_who_judges_sees_every_label_again_once_they_have_judged(
    campaign: Campaign, make: Factory
) -> None:
    carol, key = signed_in(make, "carol"), make.pooled(campaign, "1", "D1").pk
    address = f"/campaigns/tiny/agreement/documents/{key}/"
    refused = carol.get(address)
    assert refused.status_code == 403 and "still to judge this document" in markup(refused)
    make.make_judgment(campaign, "carol", "1", "D1", 1)
    assert COMMENT in markup(carol.get(address))


def test_lists_of_labels_say_how_many_are_left_out(campaign: Campaign, make: Factory) -> None:
    make.make_judgment(campaign, "ada", "1", "D1", 1)
    for response in (
        signed_in(make, "ada").get("/campaigns/tiny/agreement/labels/"),
        by_token(make, "ada").get("/api/campaigns/tiny/labels/"),
    ):
        assert response["X-Labels-Left-Out"] == "6"
        assert content_of(response).decode().count("D1") == 3
    page = markup(signed_in(make, "ada").get("/campaigns/tiny/agreement/"))
    assert "3 labelled documents are excluded" in " ".join(page.split())


def test_figures_of_agreement_are_of_the_documents_that_the_reader_may_see(
    campaign: Campaign, make: Factory
) -> None:
    found = by_token(make, "rita").get("/api/campaigns/tiny/agreement/").json()
    assert found["pairs"] == []
    make.make_judgment(campaign, "rita", "1", "D1", 1)
    found = by_token(make, "rita").get("/api/campaigns/tiny/agreement/").json()
    assert [sum(map(sum, pair["counts"])) for pair in found["pairs"]] == [1, 1, 1]


def test_a_document_that_can_still_come_to_a_judge_is_hidden(campaign: Campaign, make: Factory) -> None:
    """A shared topic: what another of its judges has taken does not come, the rest does."""
    eve, joe = make.make_user("eve"), make.make_user("joe")
    topic = campaign.topics.get(number="1")
    for judge in (eve, joe):
        add_member(campaign, judge, Role.JUDGE)
    assign([eve, joe], [topic], "shared")
    documents = {make.pooled(campaign, "1", docno).pk for docno in ("D1", "D2", "D3")}
    assert hidden_keys(eve, campaign) == documents
    taken = make.pooled(campaign, "1", "D1")
    QueueEntry.objects.create(judge=joe, topic=topic, pooled=taken, place=1, state=QueueEntry.State.DONE)
    assert hidden_keys(eve, campaign) == documents - {taken.pk}


# names


def test_files_pages_and_the_public_page_number_judges_alike(campaign: Campaign, make: Factory) -> None:
    """Alice is judge 1, because she labelled first, though bob gave fewer grades or was named otherwise."""
    QueueEntry.objects.filter(judge__username="rita").update(state=QueueEntry.State.AWAY)
    campaign.memberships.filter(user__username="rita", role=Role.JUDGE).delete()
    make.publish(campaign)
    numbers = {"judge 1": 4, "judge 2": 3}
    rita = signed_in(make, "rita")
    assert rita.get("/campaigns/tiny/qrels/1/manifest/").json()["judges"] == numbers
    assert Client().get("/public/tiny/1/manifest/").json()["judges"] == numbers
    assert (
        by_token(make, "rita").get("/api/campaigns/tiny/releases/1/").json()["manifest"]["judges"] == numbers
    )
    lines = gzip.decompress(
        content_of(rita.get("/campaigns/tiny/qrels/1/files/labels-numbered/"))
    ).splitlines()
    labels = [json.loads(line) for line in lines]
    assert {label["relevance"] for label in labels if label["judge"] == "judge 1"} == {0}
    (pair,) = by_token(make, "rita").get("/api/campaigns/tiny/agreement/").json()["pairs"]
    assert (pair["first"], pair["second"]) == ("judge 1", "judge 2") and pair["counts"][0][3] == 3
    make.make_judgment(campaign, "ada", "1", "D1", 3)
    (pair, *_) = by_token(make, "rita").get("/api/campaigns/tiny/agreement/").json()["pairs"]
    assert (pair["first"], pair["second"]) == ("judge 1", "judge 2")


def test_a_file_that_names_judges_is_refused_to_participants(campaign: Campaign, make: Factory) -> None:
    QueueEntry.objects.filter(judge__username="dave").update(state=QueueEntry.State.AWAY)
    refused = signed_in(make, "dave").get("/campaigns/tiny/qrels/1/files/provenance/")
    assert refused.status_code == 403 and "provenance-numbered" in markup(refused)


def test_numbers_of_judges_do_not_follow_their_names(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "bob", "1", "D1", 3)
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_machine(campaign, "1 0 D1 3\n")
    assert judge_numbers(CampaignReads(campaign)) == {
        "bob": "judge 1",
        "alice": "judge 2",
        "tiny/robot": "machine 1",
    }
