"""The trail: what every service writes in it, that it stays as it is, and its page."""

from __future__ import annotations

import json

import pytest
from django.db.models import QuerySet
from django.test import Client

from assess.models import ReturnedLabel
from assess.services.assignments import assign, move_topic
from assess.services.imports import load_judgments
from assess.services.releases import release_qrels
from assess.services.settings import change_settings
from pooling.formats.documents.reading import read_documents
from pooling.models import AuditLogEntry, Campaign, Role
from pooling.queries.audit_log import audit_log_entries, audit_log_page
from pooling.queries.integrity import audit_log_faults
from pooling.services.audit_log import log_change
from pooling.services.documents import import_documents
from pooling.services.people import invite, remove_member, store_acceptance
from pooling.services.topics import load_topics
from tests.support.factory import Factory
from tests.support.finished_campaign import make_lived_campaign
from tests.support.markup import markup


def told(campaign: Campaign, since: int = 0) -> list[tuple[str, str, str]]:
    entries = campaign.audit_log.filter(number__gt=since).order_by("number")
    return list(entries.values_list("who", "verb", "sentence"))


def test_a_campaign_tells_its_history(make: Factory) -> None:
    campaign = make.make_campaign()
    carol, alice, eve = (make.make_user(name) for name in ("carol", "alice", "eve"))
    begin = campaign.audit_log.count()
    load_topics(campaign, b"1\tone\n", "topics.tsv", carol)
    make.make_run(campaign, "1 D1 3\n1 D2 2")
    make.make_pool(campaign)
    (topic,) = campaign.topics.all()
    assign([alice], [topic], by=carol)
    assign([alice], [topic], by=carol)  # changes nothing
    move_topic(topic, alice, make.make_user("bob"), carol)
    store_acceptance(invite(campaign, Role.READER, by=carol), eve)
    remove_member(campaign.memberships.get(user=eve), carol)
    load_judgments(campaign, carol, b"1 0 D1 2\n", "else.qrels", "elsewhere")
    release_qrels(campaign, carol)
    change_settings(campaign, campaign.grades, campaign.threshold, by=carol, name="New")
    change_settings(campaign, campaign.grades, campaign.threshold, by=carol, name="New")
    assert told(campaign, begin) == [
        ("carol", "loaded topics", "1 from topics.tsv"),
        ("carol", "submitted a run", "run of carolab"),
        ("carol", "froze a pool", "Pool 1: 2 documents, depth"),
        ("carol", "assigned", "alice: 1 topic, primary"),
        ("carol", "moved a topic", "1 from alice to bob"),
        ("carol", "invited", "a link: reader"),
        ("eve", "gave a role", "eve, reader"),
        ("carol", "took a role", "eve, reader"),
        ("carol", "gave a role", "elsewhere, judge"),
        ("carol", "loaded judgments", "1 from else.qrels, as those of elsewhere"),
        ("carol", "released qrels", "Qrels v1: 1 judgments, majority, ties to the lower grade"),
        ("carol", "changed settings", "name"),
    ]
    assert campaign.audit_log.first().details == {"name": {"was": "Tiny", "is": "New"}}  # type: ignore[union-attr]
    assert [fault for faults in audit_log_faults(campaign) for fault in faults] == []


def test_what_is_not_done_leaves_no_trail(make: Factory) -> None:
    campaign = make.make_campaign()
    begin = campaign.audit_log.count()
    with pytest.raises(ValueError, match="</top>"):
        load_topics(campaign, b"<top>\n1\n", "topics.tsv")
    assert campaign.audit_log.count() == begin


def test_no_link_can_be_read_from_the_trail(make: Factory) -> None:
    campaign = make.make_campaign()
    token = invite(campaign, Role.JUDGE)
    assert token not in json.dumps([entry.record for entry in campaign.audit_log.all()])


def test_an_entry_cannot_be_changed_or_removed(make: Factory) -> None:
    entry = log_change(make.make_campaign(), None, "tried", "something")
    entry.sentence = "nothing"
    for change in (
        entry.save,
        entry.delete,
        AuditLogEntry.objects.all().delete,
        lambda: AuditLogEntry.objects.update(who="mallory"),
    ):
        with pytest.raises(TypeError, match="cannot be changed or deleted"):
            change()


@pytest.mark.parametrize("how", ["changed", "removed"])
def test_an_entry_that_was_changed_or_removed_behind_its_back_is_named(make: Factory, how: str) -> None:
    campaign = make.make_campaign()
    second: QuerySet[AuditLogEntry] = QuerySet(AuditLogEntry).filter(campaign=campaign, number=2)
    if how == "changed":
        second.update(sentence="nothing")
    else:
        second._raw_delete("default")
    found = [fault for faults in audit_log_faults(campaign) for fault in faults]
    expected = ["entry 2"] if how == "changed" else ["entry 3", "entry 3"]
    assert [fault.where for fault in found] == expected


def test_a_page_ends_where_the_next_begins(make: Factory) -> None:
    campaign = make.make_campaign()
    for number in range(120):
        log_change(campaign, None, "tried", str(number))
    every, before = [], None
    while True:
        page = audit_log_page(audit_log_entries(campaign), before)
        every += [entry.number for entry in page.entries]
        before = page.before
        if before is None:
            break
    assert every == list(range(campaign.audit_log.count(), 0, -1))


@pytest.fixture
def carol(make: Factory) -> Client:
    campaign, client = make.make_campaign(), Client()
    log_change(campaign, make.make_user("ada"), "tried", "<b>something</b>", what=1)
    client.force_login(make.make_user("carol"))
    return client


URL = "/campaigns/tiny/trail/"


def test_the_page_shows_who_did_what(carol: Client) -> None:
    page = markup(carol.get(URL))
    assert "&lt;b&gt;something&lt;/b&gt;" in page
    assert "dave, participant" in page


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("who=ada", 1),
        ("verb=tried", 1),
        ("who=ada&verb=created+the+campaign", 0),
        ("verb=created+the+campaign", 1),
        ("until=2001-01-01", 0),
        ("since=2001-01-01&verb=tried", 1),
        ("before=1", 0),
        ("who=nobody&since=yesterday&before=x", 8),  # not understood: filters nothing
        ("before=99999999999999999999", 8),
    ],
)
def test_the_page_is_filtered(carol: Client, query: str, count: int) -> None:
    assert len(carol.get(f"{URL}?{query}").context["page"].entries) == count


def test_the_file_holds_the_same_entries_with_their_seals(carol: Client) -> None:
    response = carol.get(f"{URL}file/?verb=tried")
    (line,) = b"".join(response.streaming_content).splitlines()  # type: ignore[attr-defined]
    entry = json.loads(line)
    assert (entry["who"], entry["verb"], entry["details"]) == ("ada", "tried", {"what": 1})
    assert len(entry["seal"]) == 64


def test_an_empty_choice_says_so(carol: Client) -> None:
    assert "No entry matches the filter" in markup(carol.get(f"{URL}?until=2001-01-01"))


def test_documents_are_noted_with_their_number(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    content = b'{"docno": "D1", "text": "A sloop."}\n'
    import_documents(campaign, lambda: read_documents(content, "d.jsonl"), by=make.make_user("carol"))
    assert told(campaign)[-1] == ("carol", "imported documents", "1 of 1 read")


def test_what_people_do_to_a_campaign_is_all_there(make: Factory) -> None:
    campaign = make_lived_campaign(make)
    assert set(campaign.audit_log.values_list("verb", flat=True)) == {
        "created the campaign",
        "gave a role",
        "submitted a run",
        "interleaved runs",
        "loaded interleaving clicks",
        "froze a pool",
        "assigned",
        "returned",
        "loaded judgments",
        "loaded a click log",
        "imported images",
        "released qrels",
    }
    returned = campaign.audit_log.get(verb="returned")
    (event,) = ReturnedLabel.objects.values_list("event__uuid", flat=True)
    assert (returned.sentence, returned.details) == ("1 document", {"events": [["bob", str(event)]]})
