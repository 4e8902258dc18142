"""Search while judging: what is found, what is added to whose queue, and that no estimate changes."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from django.core.management import call_command
from django.http import QueryDict
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from assess.active_learning.batches import sample_rows
from assess.active_learning.queries.reviews import progress_of, provenance_of
from assess.active_learning.queries.searches import LABELLED, OPEN, search
from assess.active_learning.search_index import IndexWriter, search_index
from assess.active_learning.services.batches import freeze_batches, plan_batch
from assess.active_learning.services.reviews import ReviewRefused, discard_review, stop_review
from assess.active_learning.services.searches import add_found_documents
from assess.forms.releases import ReleaseForm
from assess.models import QueueEntry, Review, ReviewCollection, SearchedDocument
from assess.queries.campaign_reads import CampaignReads
from assess.services.gold import load_gold
from assess.services.queues import next_documents
from pooling.models import Campaign
from pooling.queries.pools import pool_list, pool_sentences
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/judge/topics/1/search/"
TEXTS = {f"D{row:02}": f"sail and mast number{row}" for row in range(10)} | {
    f"D{row:02}": f"flour and oven number{row}" for row in range(10, 30)
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    path = tmp_path_factory.mktemp("search") / "a ?#%.sqlite3"
    with IndexWriter(path) as writer:
        writer.add("D1", "Heat pumps", "A heat pump in an old house, with cast iron radiators.")
        writer.add("D2", "", "Iron was cast long before. Heating with wood; café.")
        writer.add("D3", "Oven", "Nothing of it.\x02\x00\x03")
    return path


def found(index, words: str) -> list[str]:  # type: ignore[no-untyped-def]
    return [each.docno for each in search_index(index, words).documents]


def test_documents_have_all_words_in_any_form_or_else_some(index) -> None:  # type: ignore[no-untyped-def]
    assert found(index, "HEATING radiator") == ["D1"]
    assert found(index, "iron") == found(index, "cast iron") and len(found(index, "iron")) == 2
    assert found(index, '"cast iron"') == ["D1"]
    assert found(index, "cafe") == ["D2"]
    results = search_index(index, "pump wood")
    assert not results.has_all and {each.docno for each in results.documents} == {"D1", "D2"}
    assert found(index, "") == found(index, "- * ()") == found(index, "zebra") == []
    (first,) = search_index(index, "radiators").documents
    assert (first.row, first.title) == (0, "Heat pumps") and ("radiators", True) in first.snippet
    assert len(search_index(index, "nothing OR heat", most=1).documents) <= 1


@given(words=st.text(max_size=200))
def test_any_words_can_be_asked_for(index, words: str) -> None:  # type: ignore[no-untyped-def]
    assert set(found(index, words)) <= {"D1", "D2", "D3"}


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1", "sail and mast")
    make.make_collection(campaign, TEXTS)
    return campaign


def begun(campaign: Campaign, make: Factory) -> Review:
    review = make.make_review(campaign, first_batch=3, sample_size=6)
    review.campaign = campaign
    return review


def free_rows(review: Review) -> list[int]:
    """Return rows that are neither in the review nor in its sample."""
    known = set(review.documents.values_list("row", flat=True))
    return sorted(set(range(30)) - known - set(sample_rows(7, 30, 6).tolist()))


def test_what_is_found_comes_next_in_the_own_queue_alone(campaign: Campaign, make: Factory) -> None:
    review, alice = begun(campaign, make), make.make_user("alice")
    next_documents(alice, review.topic, want=2)
    rows = free_rows(review)[:2]
    assert add_found_documents(review, alice, rows, "sail") == 2
    assert add_found_documents(review, alice, rows, "sail") == 0
    queue = QueueEntry.objects.filter(judge=alice, state="open").select_related("pooled")
    assert {entry.pooled.docno for entry in queue[:2]} == {f"D{row:02}" for row in rows}
    assert not QueueEntry.objects.filter(judge__username="bob").exists()
    pool = campaign.pools.latest("number")
    assert pool.parameters == {"added": "by search"} and pool.manifest["frozen_by"] == "alice"
    assert "sail" not in str(pool.manifest)
    for docno in (f"D{row:02}" for row in rows):
        make.make_judgment(campaign, "alice", "1", docno, 3)
    bob = make.make_user("bob")
    others = {entry.pooled.docno for entry in next_documents(bob, review.topic, want=30)}
    assert not others & {f"D{row:02}" for row in rows}
    added = campaign.audit_log.get(verb="added documents by search")
    assert (added.who, added.sentence) == ("alice", "Topic 1: 2 documents by “sail”")
    call_command("audit", campaign.slug)


def test_additions_are_frozen_at_once_and_listed_as_one_line(campaign: Campaign, make: Factory) -> None:
    """A frozen pool never changes, so each addition is one of its own: the judge labels it at once."""
    review, alice = begun(campaign, make), make.make_user("alice")
    for row in free_rows(review)[:3]:
        add_found_documents(review, alice, [row], "sail")
    assert campaign.pools.count() == 4
    carol = Client()
    carol.force_login(make.make_user("carol"))
    page = " ".join(markup(carol.get("/campaigns/tiny/pool/")).split())
    line = "<summary>High recall, added by search <small>3 pools, 3 documents</small>"
    assert page.index("Pool 1</span>") < page.index(line) < page.index("Pool 2</span>")
    sentences = pool_sentences(campaign.pools.all())
    assert sentences[1:] == ["Pooled: 3 documents in 3 pools. High recall, added by search."]
    freeze_batches(campaign, {review.pk: 2}, make.make_user("carol"))
    (batches, additions) = pool_list(campaign.pools.all()).groups
    assert [pool.number for pool in batches.pools] == [1, 5] and batches.title == "High recall, batches"
    assert [pool.number for pool in additions.pools] == [2, 3, 4]


def test_what_another_judge_has_is_added_all_the_same(campaign: Campaign, make: Factory) -> None:
    """It must not show that somebody has it; the judge gives a label of the own."""
    review, alice, bob = begun(campaign, make), make.make_user("alice"), make.make_user("bob")
    entry = next_documents(alice, review.topic, want=1)[0]
    make.make_judgment(campaign, "alice", "1", entry.pooled.docno, 3)
    row = int(entry.pooled.docno[1:])
    assert [each.state for each in search(review, bob, f"number{row}").rows] == [""]
    assert add_found_documents(review, bob, [row], "number") == 1
    assert campaign.pools.count() == 1
    assert [each.state for each in search(review, bob, f"number{row}").rows] == [OPEN]
    assert [each.state for each in search(review, alice, f"number{row}").rows] == [LABELLED]
    make.make_judgment(campaign, "bob", "1", entry.pooled.docno, 0)
    assert entry.pooled.label_summary.graders == 2


def test_found_documents_change_neither_the_sample_nor_the_model(campaign: Campaign, make: Factory) -> None:
    review, alice = begun(campaign, make), make.make_user("alice")
    before, sample = plan_batch(review, 2).model, progress_of(review)
    rows = free_rows(review)[:3]
    add_found_documents(review, alice, rows, "sail")
    for row in rows:
        make.make_judgment(campaign, "alice", "1", f"D{row:02}", 3)
    after, progress = plan_batch(review, 2).model, progress_of(review)
    assert before is not None and after is not None and before.rows.tolist() == after.rows.tolist()
    assert (progress.recall, progress.sample) == (sample.recall, sample.sample)
    assert (progress.found, progress.by_search, progress.by_sample_only) == (0, 3, 0)
    assert progress.relevant_known == 3
    lines = [row for row in provenance_of(review) if row.reason == "search"]
    assert {(row.docno, row.searched_by, row.search_words) for row in lines} == {
        (f"D{row:02}", "alice", "sail") for row in rows
    }


def test_a_document_of_the_sample_that_is_found_first_is_judged_once(
    campaign: Campaign, make: Factory
) -> None:
    """The sample is what was drawn, whoever found the document: its label counts there, and only there."""
    review, alice = begun(campaign, make), make.make_user("alice")
    known = set(review.documents.values_list("row", flat=True))
    row = next(row for row in sample_rows(7, 30, 6).tolist() if row not in known)
    add_found_documents(review, alice, [row], "number")
    assert row not in plan_batch(review, 2).sample
    make.make_judgment(campaign, "alice", "1", f"D{row:02}", 3)
    assert (progress_of(review).by_sample_only, progress_of(review).by_search) == (1, 0)


def test_a_stopped_review_and_a_topic_of_others_are_not_searched(campaign: Campaign, make: Factory) -> None:
    review, alice = begun(campaign, make), make.make_user("alice")
    with pytest.raises(ReviewRefused, match="no longer yours"):
        add_found_documents(review, make.make_user("zoe"), [0], "sail")
    stop_review(review, make.make_user("carol"), "", None)
    with pytest.raises(ReviewRefused, match="is stopped"):
        add_found_documents(review, alice, [0], "sail")
    assert not SearchedDocument.objects.exists()


def test_gold_documents_keep_their_own_place(campaign: Campaign, make: Factory) -> None:
    review, alice = begun(campaign, make), make.make_user("alice")
    load_gold(campaign, make.make_user("carol"), "gold", b"1 D20 0")
    add_found_documents(review, alice, [20], "oven")
    assert not QueueEntry.objects.filter(judge=alice, pooled__docno="D20", kind="judging").exists()


def test_a_review_with_documents_found_by_search_is_discarded_with_them(
    campaign: Campaign, make: Factory
) -> None:
    review = begun(campaign, make)
    add_found_documents(review, make.make_user("alice"), free_rows(review)[:1], "sail")
    discard_review(review, make.make_user("carol"))
    assert not campaign.pools.exists() and not SearchedDocument.objects.exists()


@pytest.fixture
def alice(make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("alice"))
    return client


def said(client: Client, **posted: object) -> str:
    response = client.post(PAGE, posted, follow=True) if posted else client.get(PAGE)
    return " ".join(markup(response).split())


def test_a_judge_searches_and_adds(campaign: Campaign, make: Factory, alice: Client) -> None:
    review = begun(campaign, make)
    next_documents(make.make_user("alice"), review.topic, want=2)
    assert PAGE in markup(alice.get("/campaigns/tiny/judge/topics/1/"))
    assert PAGE in markup(alice.get("/campaigns/tiny/judge/"))
    assert "Add to my queue" not in said(alice)
    page = " ".join(markup(alice.get(PAGE, {"words": "mast"})).split())
    assert "<mark>mast</mark>" in page and "Add to my queue" in page
    assert "Nothing found" in markup(alice.get(PAGE, {"words": "zebra"}))
    assert "these have some of them" in markup(alice.get(PAGE, {"words": "mast oven"}))
    row = next(row for row in free_rows(review) if row < 10)
    assert "1 document added: next in your queue." in said(alice, words="mast", rows=[row])
    assert "not in your queue yet" in said(alice, words="mast", rows=[row])
    assert "not in your queue yet" in said(alice, words="mast", rows=["x"])
    assert "not in your queue yet" in said(alice, words="mast")
    assert SearchedDocument.objects.get().words == "mast"
    assert f"{row}" in {f"{each}" for each in review.documents.values_list("row", flat=True)}


def test_only_judges_of_the_topic_search_its_collection(
    campaign: Campaign, make: Factory, alice: Client
) -> None:
    assert alice.get(PAGE).status_code == 404  # no review
    begun(campaign, make)
    assert alice.get(PAGE).status_code == 200
    other = Client()
    other.force_login(make.make_user("carol"))
    assert other.get(PAGE).status_code in (403, 404)
    ReviewCollection.objects.update(index="")
    assert alice.get(PAGE).status_code == 404  # loaded by an early version
    call_command("audit", campaign.slug)


def test_the_form_of_a_release_has_a_line_for_all_batches_and_one_for_all_additions(
    campaign: Campaign, make: Factory
) -> None:
    review, alice, carol = begun(campaign, make), make.make_user("alice"), make.make_user("carol")
    for row in free_rows(review)[:2]:
        add_found_documents(review, alice, [row], "sail")
        make.make_judgment(campaign, "alice", "1", f"D{row:02}", 3)
    freeze_batches(campaign, {review.pk: 2}, carol)
    make.make_run(campaign, "1 E1 1")
    make.make_pool(campaign)
    browser = Client()
    browser.force_login(carol)
    batches, found = "High recall, batches", "High recall, added by search"
    page = markup(browser.get("/campaigns/tiny/qrels/"))
    assert f"{batches} (2 pools)" in page and f"{found} (2 pools)" in page
    assert "Pool 5" in page and "Pool 1<" not in page
    asked = {"rule": "maximum", "after": "0", "confirmed": "yes"}
    browser.post("/campaigns/tiny/qrels/", asked | {"pools": [found]})
    assert campaign.releases.get().parameters["pools"] == [2, 3]
    one = markup(browser.get("/campaigns/tiny/qrels/preview/?rule=maximum&pools=2"))
    assert f"{batches} (2 pools)" in one and found not in one and "Pool 2" in one and "Pool 3" in one
    assert "Freeze release of 1 judgment" in one
    every = {"rule": "maximum", "pools": ["5", batches, found]}
    form = ReleaseForm(QueryDict(urlencode(every, doseq=True)), reads=CampaignReads(campaign))
    assert form.is_valid() and form.plan().pools == (1, 2, 3, 4, 5)
