"""A later pool: its documents are offered to the judges of its topics, and count in the progress."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.utils import timezone

from assess.models import Assignment, QueueEntry
from assess.queries.assignments import unassigned_documents, why_not_discarded
from assess.queries.campaign_reads import CampaignReads
from assess.queries.forecast import forecast
from assess.queries.integrity import CHECKS
from assess.queries.judge_progress import my_topics
from assess.queries.progress import progress_grid
from assess.release.plan import ReleasePlan
from assess.services.assignments import assign, top_up
from assess.services.gold import load_gold
from assess.services.pools import DiscardRefused, discard_pool, give_unassigned_documents
from assess.services.releases import release_qrels
from pooling.manifest import PoolPlan
from pooling.models import AuditLogEntry, Campaign
from pooling.queries.drafts import count_unpooled
from pooling.queries.integrity import pool_faults
from pooling.queries.reads import PoolingReads
from pooling.services.pools import freeze_pool
from tests.support.factory import Factory
from tests.support.markup import markup

URL = "/campaigns/tiny/"


def build_campaign(make: Factory) -> Campaign:
    """A topic of 32 documents, 9 pooled and judged by both judges; a topic without a judge."""
    campaign = make.make_campaign()
    topic = make.make_topic(campaign)
    make.make_topic(campaign, "2")
    make.make_run(campaign, "\n".join(f"1 D{n:02} {99 - n}" for n in range(32)) + "\n2 E1 1")
    make.make_pool(campaign, depth=9)
    assign([make.make_user("alice")], [topic])
    assign([make.make_user("bob")], [topic], "second")
    label(campaign, make, range(9))
    return campaign


def label(campaign: Campaign, make: Factory, places: range) -> None:
    for n in places:
        for judge in ("alice", "bob"):
            make.make_judgment(campaign, judge, "1", f"D{n:02}", 1)


@pytest.fixture
def carol(client: Client, campaign: Campaign, make: Factory) -> Client:
    client.force_login(make.make_user("carol"))
    return client


def is_sound(campaign: Campaign) -> bool:
    checks = [pool_faults, *(check.look for check in CHECKS)]
    return [fault for look in checks for faults in look(campaign) for fault in faults] == []


def test_a_topic_is_complete_only_when_all_its_pooled_documents_are_judged(
    campaign: Campaign, make: Factory
) -> None:
    assert progress_grid(CampaignReads(campaign)).completed == 1
    top_up(campaign, make.make_user("carol"), 32)
    grid = progress_grid(CampaignReads(campaign))
    (row, _) = grid.rows
    assert (row.pooled, row.judged, row.unassigned, row.left) == (32, 9, 23, 23)
    assert not row.is_complete and grid.completed == 1  # what is assigned is done
    assert [topic.number for topic in forecast(grid, timezone.now(), 4).completed] == ["1", "2"]
    give_unassigned_documents(campaign)
    (row, _) = progress_grid(CampaignReads(campaign)).rows
    assert (row.unassigned, row.left) == (0, 46) and not row.is_complete
    (mine,) = my_topics(make.make_user("alice"), CampaignReads(campaign))
    assert (mine.judged, mine.total, mine.left) == (9, 32, 23)
    label(campaign, make, range(9, 32))
    assert progress_grid(CampaignReads(campaign)).completed == 1


def test_a_cell_has_no_tick_while_documents_of_its_topic_belong_to_no_judge(
    campaign: Campaign, make: Factory, carol: Client
) -> None:
    assert '<span class="done">' in markup(carol.get(URL + "progress/"))
    top_up(campaign, make.make_user("carol"), 32)
    page = markup(carol.get(URL + "progress/"))
    assert '<span class="done">' not in page and "9<small>/9</small>" in page


def test_the_documents_of_a_judge_who_cannot_sign_in_belong_to_no_judge(
    campaign: Campaign, make: Factory
) -> None:
    top_up(campaign, make.make_user("carol"), 32)
    give_unassigned_documents(campaign)
    alice = make.make_user("alice")
    alice.is_active = False
    alice.save()
    (row, _) = progress_grid(CampaignReads(campaign)).rows
    assert row.unassigned == 23 and not row.is_complete


def test_later_documents_are_offered_and_given_in_one_step(
    campaign: Campaign, make: Factory, carol: Client
) -> None:
    assert unassigned_documents(CampaignReads(campaign)).pools == []
    top_up(campaign, make.make_user("carol"), 32)
    for place in ("judging/", "judging/unassigned/"):
        page = markup(carol.get(URL + place))
        assert "23 documents of Pool 2 belong to no judge:</b> topic 1" in page
        assert "Give 23 documents to the topics’ judges" in page
    page = markup(carol.post(URL + "judging/unassigned/give/", follow=True))
    assert "23 documents given to the topics’ judges" in page.replace("&#x27;", "’")
    later = Assignment.objects.filter(pool__number=2)
    assert set(later.values_list("judge__username", "part")) == {("alice", "primary"), ("bob", "second")}
    assert QueueEntry.objects.filter(judge__username="alice", pooled__pool__number=2).count() == 23
    entry = AuditLogEntry.objects.latest("pk")
    assert (entry.who, entry.verb) == ("carol", "assigned") and entry.details["pools"] == [2]
    assert unassigned_documents(CampaignReads(campaign)).pools == [] and is_sound(campaign)
    again = markup(carol.post(URL + "judging/unassigned/give/", follow=True))
    assert "belongs to a judge already" in again and AuditLogEntry.objects.latest("pk") == entry


# discard


def test_a_pool_is_discarded_after_a_question_and_the_next_takes_its_number(
    campaign: Campaign, make: Factory, carol: Client
) -> None:
    user = make.make_user("carol")
    checksum = top_up(campaign, user, 32).manifest["sha256"]
    give_unassigned_documents(campaign)
    before = progress_grid(CampaignReads(campaign)).pooled, PoolingReads(campaign).texts.pairs
    assert "Discard Pool 2" in markup(carol.get(URL + "pool/"))
    Campaign.objects.update(time_zone="Asia/Kolkata")
    asked = markup(carol.post(URL + "pool/2/discard/"))
    assert re.search(r"\d\d:\d\d IST</time> by carol", asked) and "<dd>depth</dd>" not in asked
    assert ">Discard pool of 23 documents<" in asked and "2 judges have documents of this pool" in asked
    assert campaign.pools.count() == 2
    carol.post(URL + "pool/2/discard/", {"confirmed": "yes"})
    assert campaign.pools.count() == 1 and before == (33, 33)
    assert not QueueEntry.objects.filter(pooled__docno="D20").exists()
    entry = AuditLogEntry.objects.latest("pk")
    assert (entry.who, entry.verb) == ("carol", "discarded a pool")
    assert entry.details == {"number": 2, "documents": 23, "sha256": checksum}
    assert is_sound(campaign)
    top_up(campaign, user, 12)
    assert (progress_grid(CampaignReads(campaign)).pooled, PoolingReads(campaign).texts.pairs) == (
        13,
        13,
    ) and is_sound(campaign)
    assert campaign.pools.get(number=2).manifest["leaves_out"] == [
        campaign.pools.get(number=1).manifest["sha256"]
    ]


def test_a_pool_that_is_in_use_is_not_discarded(campaign: Campaign, make: Factory, carol: Client) -> None:
    user = make.make_user("carol")
    with pytest.raises(DiscardRefused, match="documents of it are judged"):
        discard_pool(campaign, 1, user)
    top_up(campaign, user, 12)
    with pytest.raises(DiscardRefused, match="a later pool leaves out its documents"):
        discard_pool(campaign, 1, user)
    page = markup(carol.get(URL + "pool/"))
    assert ">Discard Pool 1</button>" not in page and "a later pool leaves out its documents" in page
    assert "pool/2/discard/" in page and "pool/1/discard/" not in page
    release_qrels(campaign, user, ReleasePlan(pools=(1, 2)))
    with pytest.raises(DiscardRefused, match="in release Qrels v1"):
        discard_pool(campaign, 2, user)
    page = markup(carol.post(URL + "pool/2/discard/", {"confirmed": "yes"}, follow=True))
    assert "Pool 2 cannot be discarded" in page and campaign.pools.count() == 2
    load_gold(campaign, user, "gold", b"1 D10 1\n")
    campaign.releases.all().delete()
    with pytest.raises(DiscardRefused, match="gold or training"):
        discard_pool(campaign, 2, user)


def test_a_pool_with_documents_of_other_work_is_not_discarded(make: Factory) -> None:
    campaign, carol = make.make_campaign(), Client()
    carol.force_login(make.make_user("carol"))
    make.make_topic(campaign, "1", "boats")
    make.make_run(campaign, "1 D1 2\n1 D2 1")
    make.make_pool(campaign, depth=2)
    make.make_magnitudes(campaign, ("alice",))
    page = markup(carol.get("/campaigns/tiny/pool/"))
    assert "documents of it belong to other work (Magnitudes 1, 1 D1, alice)" in page
    page = markup(carol.post("/campaigns/tiny/pool/1/discard/", {"confirmed": "yes"}, follow=True))
    assert "Pool 1 cannot be discarded" in page and campaign.pools.count() == 1


def test_a_release_without_a_line_of_a_pool_does_not_keep_it(campaign: Campaign, make: Factory) -> None:
    user = make.make_user("carol")
    top_up(campaign, user, 12)
    release = release_qrels(campaign, user)
    assert why_not_discarded(campaign.pools.get(number=2)) == ""
    release.files.create(kind="prels-2", sha256="0" * 64, size=1, line_count=1, file="sample")
    assert "it is in release Qrels v1" in why_not_discarded(campaign.pools.get(number=2))


# documents without text


def test_assigning_documents_without_text_asks(campaign: Campaign, make: Factory, carol: Client) -> None:
    make.make_document(campaign, "D03")
    form = {"judges": [make.make_user("bob").pk], "topics": "1-2", "part": "primary"}
    asked = markup(carol.post(URL + "judging/", form))
    assert ">Assign 2 topics, 9 documents without text<" in asked
    assert "9 of 10" in asked and Assignment.objects.count() == 2
    carol.post(URL + "judging/", form | {"confirmed": "yes"})
    assert Assignment.objects.count() == 3
    for docno in ("E1", *(f"D{n:02}" for n in range(9) if n != 3)):
        make.make_document(campaign, docno)
    carol.post(URL + "judging/", form | {"judges": [make.make_user("alice").pk]})
    assert Assignment.objects.count() == 4


def test_documents_with_only_a_title_are_counted_apart(
    campaign: Campaign, make: Factory, carol: Client
) -> None:
    for docno in ("E1", *(f"D{n:02}" for n in range(9))):
        make.make_document(campaign, docno, "" if docno < "D02" else "Some text.", title=f"Title of {docno}")
    page = " ".join(markup(carol.get(URL + "documents/")).split())
    assert re.search(r"With text</dt> ?<dd>8<", page) and re.search(r"Title only</dt> ?<dd[^>]*>2<", page)
    assert "Judges see only the title of 2 of 10 pooled documents" in page
    assert "All pooled documents have a text" not in page
    form = {"judges": [make.make_user("bob").pk], "topics": "1-2", "part": "primary"}
    asked = markup(carol.post(URL + "judging/", form))
    assert ">Assign 2 topics, 2 documents with only a title<" in asked
    assert "2 of 10" in asked and Assignment.objects.count() == 2
    make.make_image(campaign, "documents/D00.png", "documents/D01.png")
    assert PoolingReads(campaign).texts.title_only == 0


def test_pages_say_how_many_pooled_documents_have_no_text(
    campaign: Campaign, make: Factory, carol: Client
) -> None:
    make.make_document(campaign, "D03")
    make.make_document(campaign, "X")
    for page in ("pool/", "judging/", "documents/"):
        text = " ".join(markup(carol.get(URL + page)).split())
        assert '9<span class="visually-hidden"> documents without text' in text  # the navigation
        assert "9 of 10 pooled documents without text" in text
    assert "Pooled documents</dt><dd>10 <small>different ones, in 10 pairs" in text
    assert "load the text of the documents" in markup(carol.get(URL + "pool/"))
    for docno in ("E1", *(f"D{n:02}" for n in range(9) if n != 3)):
        make.make_document(campaign, docno)
    page = markup(carol.get(URL + "pool/"))
    assert "documents without text" not in page and "load the text of the documents" not in page


def test_a_top_up_counts_and_pools_only_topics_that_have_pooled_documents(make: Factory) -> None:
    campaign = make.make_campaign()
    make.make_topic(campaign)
    make.make_topic(campaign, "2")
    make.make_run(campaign, "1 D1 9\n1 D2 8\n1 D3 7\n2 E1 9\n2 E2 8")
    freeze_pool(
        campaign,
        make.make_user("carol"),
        list(campaign.runs.all()),
        PoolPlan("depth", {"k": 1}, topics=("1",)),
    )
    assert count_unpooled(PoolingReads(campaign), 3) == 2
    pool = top_up(campaign, make.make_user("carol"), 3)
    assert set(pool.documents.values_list("topic__number", "docno")) == {("1", "D2"), ("1", "D3")}
    assert pool.manifest["chosen_topics"] == ["1"]
    assert not [fault for faults in pool_faults(campaign) for fault in faults]
