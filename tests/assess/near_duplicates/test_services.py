"""Classes are made before judging, frozen, and decide which documents judges get."""

from __future__ import annotations

import pytest

from assess.models import Assignment, DuplicateClassification, DuplicateMember, Probe, QueueEntry
from assess.near_duplicates.queries.classes import class_counts, classification_of
from assess.near_duplicates.services import (
    NearDuplicatesRefused,
    Settings,
    discard_classes,
    find_classes,
    freeze_classes,
    split_member,
)
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judge_progress import my_topics, topic_progress
from assess.queries.judging import has_free_documents
from assess.queries.progress import progress_grid
from assess.queries.queues import can_grow
from assess.services.assignments import assign
from assess.services.plans import change_plan
from assess.services.queues import next_documents
from pooling.campaign_states import StateRefused
from pooling.models import AuditLogEntry, Campaign
from tests.assess.near_duplicates.conftest import freeze
from tests.support.factory import Factory


def open_docnos(campaign: Campaign, judge: str = "alice", topic: str = "1") -> list[str]:
    """The documents that a judge still has to judge."""
    entries = QueueEntry.objects.filter(judge__username=judge, topic__number=topic, state="open")
    return sorted(entries.values_list("pooled__docno", flat=True))


def member(docno: str) -> DuplicateMember:
    return DuplicateMember.objects.select_related("pooled__topic__campaign", "duplicate_class").get(
        pooled__docno=docno
    )


def test_a_draft_changes_nothing_for_judges(pooled: Campaign, make: Factory) -> None:
    draft = find_classes(pooled, make.make_user("carol"), Settings())
    (only,) = draft.classes.all()
    assert (only.representative.docno, only.representative.topic.number, only.size) == ("D1", "1", 4)
    assert [(each.pooled.docno, each.is_sampled) for each in only.members.all()] == [
        ("D2", False),
        ("D3", False),
        ("D4", False),
    ]
    assert member("D3").similarity == 1
    assert member("D2").similarity == pytest.approx(58 / 62)
    assert draft.document_count == 8
    assert open_docnos(pooled) == ["D1", "D2", "D3", "D4", "D5", "D6"]


def test_frozen_classes_withhold_their_members(frozen: Campaign) -> None:
    assert open_docnos(frozen) == ["D1", "D5", "D6"]
    assert open_docnos(frozen, topic="2") == ["D1", "D5"]


def test_judges_assigned_later_get_the_representatives_only(frozen: Campaign, make: Factory) -> None:
    bob, topic = make.make_user("bob"), frozen.topics.get(number="1")
    assign([bob], [topic])
    assert open_docnos(frozen, "bob") == ["D1", "D5", "D6"]
    assert not can_grow(bob, topic)
    change_plan(frozen, make.make_user("carol"), order="docno")
    assert open_docnos(frozen, "bob") == ["D1", "D5", "D6"]


def test_second_judges_get_a_share_of_what_first_judges_get(frozen: Campaign, make: Factory) -> None:
    change_plan(frozen, make.make_user("carol"), overlap="all")
    assign([make.make_user("bob")], frozen.topics.filter(number="1"), Assignment.Part.SECOND)
    assert open_docnos(frozen, "bob") == ["D1", "D5", "D6"]


def test_a_shared_topic_is_finished_without_the_members(frozen: Campaign, make: Factory) -> None:
    bob, topic = make.make_user("bob"), frozen.topics.get(number="1")
    Assignment.objects.all().delete()
    QueueEntry.objects.all().delete()
    assign([bob], [topic], Assignment.Part.SHARED)
    assert topic_progress(bob, topic).total == 3
    assert len(next_documents(bob, topic, 10)) == 3
    for docno in ("D1", "D5", "D6"):
        make.make_judgment(frozen, "bob", "1", docno, 1)
    assert next_documents(bob, topic, 10) == []
    assert not has_free_documents(bob, topic)
    assert (topic_progress(bob, topic).judged, topic_progress(bob, topic).total) == (3, 3)


def test_progress_counts_what_judges_get(frozen: Campaign, make: Factory) -> None:
    for docno in ("D1", "D5", "D6"):
        make.make_judgment(frozen, "alice", "1", docno, 1)
    row = progress_grid(CampaignReads(frozen)).rows[0]
    assert (row.pooled, row.judged, row.left, row.is_complete) == (3, 3, 0, True)
    (mine, _) = my_topics(make.make_user("alice"), CampaignReads(frozen))
    assert (mine.judged, mine.left) == (3, 0)


def test_a_share_of_the_members_is_judged_on_purpose(pooled: Campaign, make: Factory) -> None:
    freeze(pooled, make, share=34)  # of three members, rounded up
    assert class_counts(DuplicateClassification.objects.get())[1:4] == (3, 0, 2)
    sampled = set(DuplicateMember.objects.filter(is_sampled=True).values_list("pooled__docno", flat=True))
    assert set(open_docnos(pooled)) == {"D1", "D5", "D6"} | sampled


def test_the_draw_depends_on_the_seed_only(pooled: Campaign, make: Factory) -> None:
    drawn = []
    for seed in (1, 1, 2, 3, 4):
        freeze(pooled, make, share=1, seed=seed)
        drawn.append(DuplicateMember.objects.get(is_sampled=True).pooled.docno)
        discard_classes(pooled, make.make_user("carol"))
    assert drawn[0] == drawn[1]
    assert len(set(drawn)) > 1


def test_discarded_classes_give_every_document_back(frozen: Campaign, make: Factory) -> None:
    discard_classes(frozen, make.make_user("carol"))
    assert open_docnos(frozen) == ["D1", "D2", "D3", "D4", "D5", "D6"]
    assert classification_of(frozen) is None
    discard_classes(frozen, make.make_user("carol"))  # a second press


def test_a_split_document_comes_to_its_judges(frozen: Campaign, make: Factory) -> None:
    split_member(member("D4"), make.make_user("alice"))
    split_member(member("D4"), make.make_user("alice"))  # a second press
    assert open_docnos(frozen) == ["D1", "D4", "D5", "D6"]
    entry = AuditLogEntry.objects.filter(verb="split a near duplicate").get()
    assert (entry.who, entry.sentence) == ("alice", "1 D4 from D1")
    assert progress_grid(CampaignReads(frozen)).rows[0].pooled == 4


def test_a_document_split_from_a_draft_is_not_drawn(pooled: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    draft = find_classes(pooled, carol, Settings(share=100))
    split_member(member("D4"), carol)
    freeze_classes(pooled, carol, draft.sha256)
    assert not member("D4").is_sampled
    assert member("D2").is_sampled


def test_members_of_a_gold_representative_are_judged(frozen: Campaign, make: Factory) -> None:
    Probe.objects.create(pooled=make.pooled(frozen, "1", "D1"), kind=Probe.Kind.GOLD, relevance=2)
    assign([make.make_user("bob")], frozen.topics.filter(number="1"))
    assert {"D2", "D3", "D4"} < set(open_docnos(frozen, "bob"))


def test_gold_images_and_labelled_documents_are_in_no_class(pooled: Campaign, make: Factory) -> None:
    Probe.objects.create(pooled=make.pooled(pooled, "1", "D1"), kind=Probe.Kind.GOLD, relevance=2)
    make.make_image(pooled, "documents/D2.png")
    draft = find_classes(pooled, make.make_user("carol"), Settings())
    (only,) = draft.classes.all()
    assert only.representative.docno == "D3"
    assert [each.pooled.docno for each in only.members.all()] == ["D4"]


def test_no_classes_are_made_after_judging_has_begun(pooled: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    draft = find_classes(pooled, carol, Settings())
    make.make_judgment(pooled, "alice", "1", "D5", 1)
    with pytest.raises(NearDuplicatesRefused, match="Judging has begun"):
        find_classes(pooled, carol, Settings())
    with pytest.raises(NearDuplicatesRefused, match="Judging has begun"):
        freeze_classes(pooled, carol, draft.sha256)
    discard_classes(pooled, carol)  # a draft can always go
    assert classification_of(pooled) is None


def test_frozen_classes_stay_after_the_first_label(frozen: Campaign, make: Factory) -> None:
    make.make_judgment(frozen, "alice", "1", "D5", 1)
    with pytest.raises(NearDuplicatesRefused, match="Judging has begun with these classes"):
        discard_classes(frozen, make.make_user("carol"))
    assert classification_of(frozen) is not None


def test_frozen_classes_are_not_replaced(frozen: Campaign, make: Factory) -> None:
    with pytest.raises(NearDuplicatesRefused, match="are frozen"):
        find_classes(frozen, make.make_user("carol"), Settings())


def test_another_draft_than_the_one_seen_is_not_frozen(pooled: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    seen = find_classes(pooled, carol, Settings()).sha256
    find_classes(pooled, carol, Settings(threshold=0.99))
    with pytest.raises(NearDuplicatesRefused, match="Other classes were found"):
        freeze_classes(pooled, carol, seen)


def test_a_pool_is_needed(make: Factory) -> None:
    with pytest.raises(NearDuplicatesRefused, match="Freeze a pool first"):
        find_classes(make.make_campaign(), make.make_user("carol"), Settings())


def test_an_archived_campaign_is_read_only(frozen: Campaign, make: Factory) -> None:
    Campaign.objects.update(state=Campaign.State.ARCHIVED)
    with pytest.raises(StateRefused):
        split_member(member("D4"), make.make_user("carol"))
    assert not hasattr(member("D4"), "split")


def test_a_label_that_was_on_its_way_counts(frozen: Campaign, make: Factory) -> None:
    make.make_judgment(frozen, "alice", "1", "D2", 3)  # its entry was taken from the queue
    row = progress_grid(CampaignReads(frozen)).rows[0]
    assert (row.pooled, row.judged) == (4, 1)
