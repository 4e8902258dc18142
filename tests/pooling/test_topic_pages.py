"""Topics are added after a preview, edited and removed until they are pooled, and reworded afterwards."""

from __future__ import annotations

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from pooling.formats.files import BadFile
from pooling.formats.typed_topics import typed_topics
from pooling.models import AuditLogEntry, Campaign, TopicRevision
from pooling.queries.integrity import pool_faults, run_faults
from pooling.services.topics import TopicText, change_topic, load_topics
from tests.pooling.files import read_topics
from tests.support.factory import Factory
from tests.support.markup import markup

URL = "/campaigns/tiny/topics/"
CSV = b"""title;narrative;number;remark
"Boats; and masts";"Two
lines";A-1;x
Sails;;7;y
"""


def build_campaign(make: Factory) -> Campaign:
    """Topic 1 has pooled documents, topic 2 has results in a run, topic 3 has nothing."""
    campaign = make.make_campaign()
    for number in "123":
        make.make_topic(campaign, number, f"title {number}")
    make.make_run(campaign, "1 D1 2\n2 D2 1")
    return campaign


@pytest.fixture
def carol(client: Client, campaign: Campaign, make: Factory) -> Client:
    client.force_login(make.make_user("carol"))
    return client


def add(client: Client, page: str) -> str:
    """Press the button of a preview; return the page that comes."""
    fields = {
        name: re.search(rf'name="{name}" value="([^"]*)"', page).group(1)  # type: ignore[union-attr]
        for name in ("confirmed", "name", "content")
    }
    return markup(client.post(URL, fields, follow=True))


def test_the_example_of_a_field_is_one_of_topics(carol: Client) -> None:
    page = markup(carol.get(URL))
    assert "x1=title, note=unused" in page and "=grade" not in page


def test_topics_without_runs_lead_to_runs_and_documents(carol: Client, campaign: Campaign) -> None:
    link = '<a href="/campaigns/tiny/runs/">submit runs</a>'
    assert link not in markup(carol.get(URL))
    campaign.runs.update(withdrawn_at=campaign.created_at)
    assert link in markup(carol.get(URL))


# formats


def test_csv_names_its_columns_in_any_order() -> None:
    boats, sails = read_topics(CSV)
    assert boats == ("A-1", "Boats; and masts", "", "Two\nlines")
    assert sails == ("7", "Sails", "", "")
    with pytest.raises(BadFile, match="expected 3 cells, as in the first line, found 2"):
        read_topics(b"number,title,description\n1,boats,why\n2,sails\n")


def test_typed_queries_get_the_next_numbers() -> None:
    content, numbered = typed_topics(" sailing boats \n\nmast, repair of\n", ["3", "A-9", "12"])
    assert (content, numbered) == (b"13\tsailing boats\n14\tmast, repair of\n", True)
    content, numbered = typed_topics("401\tboats\n", [])
    assert (content, numbered) == (b"401\tboats\n", False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 Q0 D1 1 2.5 bm25\n1 Q0 D2 2 1.5 bm25", "found a line of a run"),
        ("1 0 D1 2\n1 0 D2 0", "found a line of qrels"),
        ("\n \n", "found nothing"),
        ("boats\n2\tsails", "without a TAB"),
    ],
)
def test_what_is_pasted_by_mistake_is_refused(text: str, said: str) -> None:
    with pytest.raises(BadFile, match=said):
        typed_topics(text, [])


# the page


def test_pasted_queries_are_previewed_and_then_added(campaign: Campaign, carol: Client) -> None:
    page = markup(carol.post(URL, {"text": "sailing <b>boats</b>\nmasts"}))
    assert ">Add 2 topics<" in page and campaign.topics.count() == 3
    assert "numbers 4 to 5 are assigned in the order of the lines" in page
    assert "sailing &lt;b&gt;boats&lt;/b&gt;" in page
    assert "2 topics added from typed text" in add(carol, page)
    assert list(campaign.topics.values_list("number", "place"))[3:] == [("4", 4), ("5", 5)]
    entry = AuditLogEntry.objects.latest("pk")
    assert (entry.who, entry.verb) == ("carol", "loaded topics")


def test_typed_queries_that_are_sent_twice_are_added_once(campaign: Campaign, carol: Client) -> None:
    sent = {"text": "sailing boats\nmasts", "confirmed": "yes", "request_key": "of this page"}
    for _ in range(2):  # the second time their numbers would be new
        assert "2 topics added from typed text" in markup(carol.post(URL, sent, follow=True))
        assert campaign.topics.count() == 5
    carol.post(URL, sent | {"request_key": "of another page"})
    assert campaign.topics.count() == 7


def test_a_file_is_previewed_and_its_bytes_are_those_that_are_added(
    campaign: Campaign, carol: Client
) -> None:
    page = markup(carol.post(URL, {"file": SimpleUploadedFile("t.csv", CSV)}))
    assert (
        ">Add 2 topics<" in page
        and "read as CSV with semicolons; not read: remark. Nothing is stored yet" in page
    )
    add(carol, page)
    assert campaign.topics.get(number="A-1").narrative == "Two\nlines"
    smart = b".I 001\n.W\nboats\n.I 004\n.W\nsails\n"
    campaign.topics.filter(number__in="123").delete()
    page = markup(carol.post(URL, {"file": SimpleUploadedFile("t.qry", smart)}))
    assert "numbered by position, as the qrels of SMART collections count" in page


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({}, "Choose a file or enter topics as text."),
        ({"text": "1 Q0 D1 1 2.5 bm25"}, "found a line of a run"),
        ({"text": "1\tone again"}, "topic 1 is in the campaign already"),
        ({"content": "no base64", "confirmed": "yes"}, "The content of the preview is damaged"),
    ],
)
def test_what_cannot_be_added_is_said(
    campaign: Campaign, carol: Client, data: dict[str, str], said: str
) -> None:
    page = markup(carol.post(URL, data))
    assert said in page and campaign.topics.count() == 3


def test_a_topic_added_after_one_was_removed_comes_last(campaign: Campaign, carol: Client) -> None:
    carol.post(f"{URL}2/remove/", {"confirmed": "yes"})
    load_topics(campaign, b"9\tnine\n", "t.tsv")
    assert [topic.number for topic in campaign.topics.all()] == ["1", "3", "9"]


# edit, reword, remove


def test_a_topic_is_edited_until_it_is_pooled(campaign: Campaign, carol: Client) -> None:
    assert 'name="reason"' not in markup(carol.get(f"{URL}1/edit/"))
    carol.post(f"{URL}1/edit/", {"title": "boats\nand masts", "narrative": "a\r\nb"})
    topic = campaign.topics.get(number="1")
    assert (topic.title, topic.narrative) == ("boats and masts", "a\nb")
    assert not TopicRevision.objects.exists()
    entry = AuditLogEntry.objects.latest("pk")
    assert (entry.who, entry.verb) == ("carol", "edited a topic")
    assert entry.details["before"]["title"] == "title 1"


def test_a_pooled_topic_is_reworded_with_a_reason_and_the_old_text_stays(
    campaign: Campaign, carol: Client, make: Factory
) -> None:
    make.make_pool(campaign)
    without = markup(carol.post(f"{URL}1/edit/", {"title": "boats"}))
    assert "Enter why the wording changes." in without
    carol.post(f"{URL}1/edit/", {"title": "boats", "reason": "A typing error <b>."})
    carol.post(f"{URL}1/edit/", {"title": "boats", "reason": "again"})  # changes nothing
    (revision,) = TopicRevision.objects.all()
    assert (revision.title, revision.replaced_by) == ("title 1", make.make_user("carol"))
    entry = AuditLogEntry.objects.latest("pk")
    assert (entry.who, entry.verb, entry.details["reason"]) == (
        "carol",
        "reworded a topic",
        "A typing error <b>.",
    )
    alice = Client()
    alice.force_login(make.make_user("alice"))
    page = markup(alice.get(f"{URL}1/"))
    assert "Earlier wordings" in page and "title 1" in page and "A typing error &lt;b&gt;." in page
    assert "/edit/" not in page and "Change the wording" in markup(carol.get(f"{URL}1/"))


def test_a_topic_is_removed_after_a_question_until_it_is_pooled(
    campaign: Campaign, carol: Client, make: Factory
) -> None:
    asked = markup(carol.post(f"{URL}2/remove/"))
    assert ">Remove topic 2<" in asked and campaign.topics.count() == 3
    carol.post(f"{URL}2/remove/", {"confirmed": "yes"})
    assert [topic.number for topic in campaign.topics.all()] == ["1", "3"]
    entry = AuditLogEntry.objects.latest("pk")
    assert (entry.who, entry.verb, entry.details["number"]) == ("carol", "removed a topic", "2")
    make.make_pool(campaign)  # the run has results for the removed topic
    refused = markup(carol.post(f"{URL}1/remove/", {"confirmed": "yes"}, follow=True))
    assert "Topic 1 cannot be removed: documents of it are pooled" in refused
    assert campaign.topics.count() == 2 and "Remove topic" not in markup(carol.get(f"{URL}1/"))
    load_topics(campaign, b"2\tagain\n", "t.tsv")  # the pool still leaves out the results for it
    for look in (pool_faults, run_faults):
        assert [fault for faults in look(campaign) for fault in faults] == []
    assert carol.get("/campaigns/tiny/pool/overlap/").status_code == 200
    assert carol.get("/campaigns/tiny/runs/run/").status_code == 200


def test_an_unchanged_topic_writes_nothing(campaign: Campaign) -> None:
    topic = campaign.topics.get(number="3")
    last = AuditLogEntry.objects.count()
    assert not change_topic(topic, TopicText("title 3", "", ""))
    assert AuditLogEntry.objects.count() == last
