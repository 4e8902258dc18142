"""Near copies on the judging screen: named, opened and split; never where a measurement would be spoilt."""

from __future__ import annotations

import pytest
from django.test import Client

from assess.models import DuplicateMember, Probe, QueueEntry
from assess.near_duplicates import views
from assess.near_duplicates.differences import differences
from assess.near_duplicates.queries.cards import OwnCopy
from assess.queries.judging import cards_of
from pooling.models import Campaign, Document
from tests.assess.near_duplicates.conftest import sample
from tests.support.factory import Factory
from tests.support.markup import markup

LINE = "Near copies: {} which"


@pytest.fixture
def client(make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("alice"))
    return client


def about(campaign: Campaign, make: Factory, docno: str, kind: str = "judging") -> dict[str, object]:
    """Return what stands about near copies on a card of alice; {} if nothing does."""
    entry = QueueEntry.objects.select_related("pooled", "topic__campaign", "judge").get(
        judge__username="alice", pooled=make.pooled(campaign, "1", docno), kind=kind
    )
    (card,) = cards_of([entry])
    return {} if not card.parts else dict(card.parts[0].context)


def add_entry(campaign: Campaign, make: Factory, docno: str, kind: str) -> None:
    pooled = make.pooled(campaign, "1", docno)
    QueueEntry.objects.create(
        judge=make.make_user("alice"), topic=pooled.topic, pooled=pooled, kind=kind, place=99
    )


def copy_text(campaign: Campaign, source: str, *docnos: str) -> None:
    """Give documents exactly the text of another one."""
    text = Document.objects.get(campaign=campaign, docno=source)
    for docno in docnos:
        Document.objects.filter(campaign=campaign, docno=docno).update(
            text=text.text, text_hash=text.text_hash
        )


def address(make: Factory, campaign: Campaign, docno: str) -> str:
    return f"/campaigns/tiny/judge/documents/{make.entry(campaign, 'alice', '1', docno).pk}/copies/"


def test_the_representative_says_how_many_get_its_label(
    frozen: Campaign, make: Factory, client: Client
) -> None:
    page = markup(
        client.get(f"/campaigns/tiny/judge/topics/1/?document={make.entry(frozen, 'alice', '1', 'D1').pk}")
    )
    assert "Near copies: 3 documents, which get the same label" in " ".join(page.split())
    assert about(frozen, make, "D5") == {}


def test_the_copies_are_opened_with_the_differing_words(
    frozen: Campaign, make: Factory, client: Client
) -> None:
    page = " ".join(markup(client.get(address(make, frozen, "D1"))).split())
    assert page.index("D2") < page.index("D3") < page.index("D4")
    assert "<del>and three more words</del>" in page
    assert "<del>word30</del><ins>other30</ins>" in page.replace("> <", "><")
    assert "The same words." in page


def test_a_large_class_is_cut(
    frozen: Campaign, make: Factory, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "MOST_COPIES", 1)
    page = " ".join(markup(client.get(address(make, frozen, "D1"))).split())
    assert "D3" not in page
    assert "and 2 more documents" in page


def test_a_judge_splits_a_copy(frozen: Campaign, make: Factory, client: Client) -> None:
    place = f"{address(make, frozen, 'D1')}split/"
    answer = client.post(place, {"docno": "D4"})
    assert 'id="near-copies"' in markup(answer)
    assert "D4</span> is judged by itself" in markup(answer)
    assert DuplicateMember.objects.get(split__isnull=False).pooled.docno == "D4"
    assert about(frozen, make, "D1")["count"] == 2
    assert make.entry(frozen, "alice", "1", "D4").state == QueueEntry.State.OPEN
    assert client.post(place, {"docno": "D4"}).status_code == 404
    assert client.post(place, {"docno": "D5"}).status_code == 404


def test_a_judge_splits_nothing_while_the_campaign_is_closed(
    frozen: Campaign, make: Factory, client: Client
) -> None:
    Campaign.objects.update(state=Campaign.State.CLOSED)
    assert client.post(f"{address(make, frozen, 'D1')}split/", {"docno": "D4"}).status_code == 404
    assert not DuplicateMember.objects.filter(split__isnull=False).exists()


def test_other_judges_reach_no_copies_of_this_queue(frozen: Campaign, make: Factory) -> None:
    other = Client()
    other.force_login(make.make_user("bob"))
    assert other.get(address(make, frozen, "D1")).status_code == 404
    assert other.post(f"{address(make, frozen, 'D1')}split/", {"docno": "D4"}).status_code == 404


def test_members_judged_on_purpose_are_never_named(frozen: Campaign, make: Factory, client: Client) -> None:
    sample("D2", "D3")
    for docno in ("D2", "D3"):
        QueueEntry.objects.filter(pooled__docno=docno).update(state=QueueEntry.State.OPEN)
    assert about(frozen, make, "D1") == {"count": 1, "copies": []}
    page = markup(client.get(address(make, frozen, "D1")))
    assert "D4" in page
    assert "D2" not in page
    assert "D3" not in page
    assert about(frozen, make, "D2") == about(frozen, make, "D3") == {}
    assert client.post(f"{address(make, frozen, 'D1')}split/", {"docno": "D2"}).status_code == 404


def test_exact_copies_are_named_with_the_own_grade(pooled: Campaign, make: Factory, client: Client) -> None:
    copy_text(pooled, "D5", "D6")
    assert about(pooled, make, "D6") == {}
    make.make_judgment(pooled, "alice", "1", "D5", 0)
    assert about(pooled, make, "D6") == {"count": 0, "copies": [OwnCopy("D5", 0)]}
    place = f"/campaigns/tiny/judge/topics/1/?document={make.entry(pooled, 'alice', '1', 'D6').pk}"
    page = " ".join(markup(client.get(place)).split())
    assert 'Same text as <span class="docno">D5</span>, which you graded' in page


def test_copies_of_other_topics_and_judges_are_not_named(pooled: Campaign, make: Factory) -> None:
    copy_text(pooled, "D5", "D6")
    make.make_judgment(pooled, "alice", "2", "D5", 1)
    assert about(pooled, make, "D6") == {}


def test_documents_without_a_text_are_no_copies(pooled: Campaign, make: Factory) -> None:
    Document.objects.all().delete()
    make.make_judgment(pooled, "alice", "1", "D5", 0)
    assert about(pooled, make, "D6") == {}


def test_an_exact_copy_judged_on_purpose_is_named_on_neither_side(frozen: Campaign, make: Factory) -> None:
    """D3 has the text of D1: neither grade may be on screen with the other document."""
    copy_text(frozen, "D1", "D3")
    sample("D3")
    QueueEntry.objects.filter(pooled__docno="D3").update(state=QueueEntry.State.OPEN)
    make.make_judgment(frozen, "alice", "1", "D3", 2)
    assert about(frozen, make, "D1") == {"count": 2, "copies": []}
    make.make_judgment(frozen, "alice", "1", "D1", 2)
    assert about(frozen, make, "D3") == {}


@pytest.mark.parametrize("kind", ["repeat", "gold", "training"])
def test_hidden_repeats_gold_and_training_documents_have_no_line(
    frozen: Campaign, make: Factory, client: Client, kind: str
) -> None:
    copy_text(frozen, "D1", "D5")
    make.make_judgment(frozen, "alice", "1", "D5", 2)
    assert about(frozen, make, "D1") == {"count": 3, "copies": [OwnCopy("D5", 2)]}
    make.make_judgment(frozen, "alice", "1", "D1", 2)
    add_entry(frozen, make, "D1", kind)
    assert about(frozen, make, "D1", kind) == {}
    entry = QueueEntry.objects.get(kind=kind)
    page = markup(client.get(f"/campaigns/tiny/judge/documents/{entry.pk}/copies/"))
    assert "No other document gets the label of this one." in page


def test_the_grade_of_a_document_whose_hidden_repeat_is_open_is_not_named(
    pooled: Campaign, make: Factory
) -> None:
    copy_text(pooled, "D5", "D6")
    make.make_judgment(pooled, "alice", "1", "D5", 0)
    add_entry(pooled, make, "D5", "repeat")
    assert about(pooled, make, "D6") == {}
    QueueEntry.objects.filter(kind="repeat").update(state=QueueEntry.State.DONE)
    assert about(pooled, make, "D6") == {"count": 0, "copies": [OwnCopy("D5", 0)]}


def test_labels_of_gold_documents_are_not_named(pooled: Campaign, make: Factory) -> None:
    copy_text(pooled, "D5", "D6")
    make.make_judgment(pooled, "alice", "1", "D5", 0)
    Probe.objects.create(pooled=make.pooled(pooled, "1", "D5"), kind=Probe.Kind.GOLD, relevance=0)
    assert about(pooled, make, "D6") == {}


def test_a_draft_shows_judges_nothing(frozen: Campaign, make: Factory) -> None:
    frozen.near_duplicates.frozen_at = None
    frozen.near_duplicates.save()
    assert about(frozen, make, "D1") == {}


def test_differences_name_the_words_of_both_texts() -> None:
    found = differences(
        "One two three four, five six seven eight nine ten.",
        "one two THREE 4 five six seven eight nine ten eleven",
    )
    assert [(each.before, each.shown, each.other, each.after) for each in found.passages] == [
        ("One two three", "four,", "4", "five six seven eight …"),
        ("… seven eight nine ten.", "", "eleven", ""),
    ]
    assert (found.shown, found.other, found.same) == (1, 2, False)
    assert differences("Equal, here!", "equal HERE").same
    assert differences("", "").same
    assert differences("a " * 20_001, "a").too_long


def test_many_differences_are_cut() -> None:
    first = " ".join(f"a{n} same{n} x{n} y{n}" for n in range(80))
    second = " ".join(f"b{n} same{n} x{n} y{n}" for n in range(80))
    found = differences(first, second)
    assert (len(found.passages), found.more, found.shown) == (50, 30, 80)
