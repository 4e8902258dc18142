"""Matchings of nuggets and answers: the plan, labels that are never lost, what is refused."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from assess.matchings.queries.integrity import matching_faults
from assess.matchings.queries.plan import PlannedMatching, preview_of
from assess.matchings.queries.tasks import matching_progress, my_matchings, standing_labels, why_not_deleted
from assess.matchings.services import (
    SubmittedLabel,
    delete_matchings,
    discard_matching,
    record_label,
    take_back_label,
)
from assess.models import BankNugget, Matching, MatchingTask, NuggetLabel
from assess.nuggets.assignments import Assignment
from assess.services.judged_sets import SetRefused
from assess.services.judging import LabelRefused
from pooling.models import Campaign, Role
from pooling.refusals import Refused
from pooling.services.people import add_member
from tests.support.factory import Factory

TAGS = ("zebra-one", "zebra-two", "zebra-three")
NUGGETS = {"1": [("It floats", "vital"), ("It is light", "okay")], "2": [("It sinks", "vital")]}
SUPPORT, PARTIAL, NONE, CONTRADICTS = Assignment


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """Three answer runs to three topics, of which two have nuggets."""
    campaign = make.make_campaign()
    for number in ("1", "2", "3"):
        make.make_topic(campaign, number, f"question {number}")
    for name in ("alice", "bob"):
        add_member(campaign, make.make_user(name), Role.JUDGE)
    for tag in TAGS:
        answers = {
            number: [(f"Answer {tag[6:]} to {number}.", ["D1"]), ("It has a second sentence.", [])]
            for number in ("1", "2", "3")
        }
        make.make_answer_run(campaign, answers, tag, "zebra-group")
    make.make_bank(campaign, NUGGETS)
    return campaign


@pytest.fixture
def matching(campaign: Campaign, make: Factory) -> Matching:
    return make.make_matching(campaign)


def own(matching: Matching, judge: str = "alice") -> list[MatchingTask]:
    related = ("judge", "answer__run", "answer__topic", "matching__campaign")
    return list(matching.tasks.filter(judge__username=judge).select_related(*related))


def nugget(task: MatchingTask, place: int = 1) -> BankNugget:
    return BankNugget.objects.get(bank=task.matching.bank, topic=task.answer.topic, place=place)


def test_a_judge_gets_all_answers_to_a_topic_one_after_the_other(matching: Matching) -> None:
    for judge in ("alice", "bob"):
        topics = [task.answer.topic.number for task in own(matching, judge)]
        assert topics == ["1"] * 3 + ["2"] * 3
    orders = [[task.answer.run.tag for task in own(matching, judge)] for judge in ("alice", "bob")]
    assert sorted(orders[0][:3]) == sorted(TAGS) and orders[0] != orders[1]


def test_a_preview_counts_labels_and_names_topics_left_out(campaign: Campaign, make: Factory) -> None:
    make.make_topic(campaign, "4", "nobody answers it")
    bank, carol = make.make_bank(campaign), make.make_user("carol")
    BankNugget.objects.create(
        bank=bank, topic=campaign.topics.get(number="4"), place=1, text="It flies", author=carol
    )
    people = [make.make_user(name) for name in ("alice", "bob")]
    runs, topics = list(campaign.answer_runs.all()), list(campaign.topics.all())
    preview = preview_of(PlannedMatching(bank, runs, people, topics, False, 50, 7))
    assert (preview.topics, preview.answers, preview.nuggets, preview.double) == (2, 6, 3, 1)
    assert (preview.without, preview.without_nuggets) == (["4"], ["3"])
    assert len(preview.rows) == 9 == sum(load.answers for load in preview.loads)
    doubled = next(topic for topic in ("1", "2") if len(NUGGETS[topic]) * 3 + 9 == _labels(preview))
    assert doubled


def _labels(preview: Any) -> int:
    return sum(load.labels for load in preview.loads)


def test_who_sees_a_name_cannot_match_and_a_draft_is_refused(campaign: Campaign, make: Factory) -> None:
    member = campaign.memberships.get(user__username="alice")
    member.group = "zebra-group"
    member.save()
    with pytest.raises(Refused, match="alice can see the name"):
        make.make_matching(campaign)
    member.group = ""
    member.save()
    bank = make.make_bank(campaign)
    bank.frozen_at = None
    with pytest.raises(SetRefused, match="Freeze the nugget bank first"):
        make.make_matching(campaign, bank=bank)
    topic = campaign.topics.get(number="3")
    matching = make.make_matching(campaign)
    discard_matching(matching, make.make_user("carol"))
    matching.bank.nuggets.exclude(topic=topic).delete()
    with pytest.raises(SetRefused, match="topics that has nuggets"):
        make.make_matching(campaign)


def test_labels_count_once_and_the_last_one_counts(matching: Matching, make: Factory) -> None:
    alice, task = make.make_user("alice"), own(matching)[0]
    first = SubmittedLabel(uuid.uuid4(), nugget(task), SUPPORT, 1)
    assert record_label(task, alice, first) == record_label(task, alice, first)
    make.make_nugget_label(task, 1, PARTIAL, 2)
    make.make_nugget_label(task, 2, NONE)
    assert [(each.nugget.place, each.assignment, each.sentence) for each in standing_labels([task])] == [
        (1, PARTIAL, 2),
        (2, NONE, None),
    ]
    (mine,) = my_matchings(alice, matching.campaign)
    assert (mine.total, mine.done) == (9, 2)
    assert mine.waiting == [each.pk for each in own(matching)[1:]]
    progress = matching_progress(matching)
    assert (progress.total, progress.done) == (18, 2)
    assert [(each.judge.username, each.total, each.done) for each in progress.judges] == [
        ("alice", 9, 2),
        ("bob", 9, 0),
    ]


def test_a_label_taken_back_counts_no_more(matching: Matching, make: Factory) -> None:
    alice, task = make.make_user("alice"), own(matching)[0]
    older, given = make.make_nugget_label(task, 1, SUPPORT, 1), make.make_nugget_label(task, 1, NONE)
    take_back_label(task, alice, uuid.uuid4(), older.uuid)  # not the standing one
    take_back_label(task, alice, uuid.uuid4(), uuid.uuid4())
    assert task.labels.count() == 2
    again = uuid.uuid4()
    for _ in range(2):
        take_back_label(task, alice, again, given.uuid)
    assert [each.assignment for each in task.labels.all()] == [SUPPORT, NONE, ""]
    assert not standing_labels([task]) and len(my_matchings(alice, matching.campaign)[0].waiting) == 6


def test_what_cannot_be_stored_is_refused(matching: Matching, make: Factory) -> None:
    alice, bob, (task, *_, other) = make.make_user("alice"), make.make_user("bob"), own(matching)
    label = SubmittedLabel(uuid.uuid4(), nugget(task), SUPPORT, 1)
    with pytest.raises(LabelRefused, match="another judge’s"):
        record_label(task, bob, label)
    with pytest.raises(LabelRefused, match="not one of the answer's topic"):
        record_label(other, alice, label)
    with pytest.raises(LabelRefused, match="do not say “contradicts” here"):
        record_label(task, alice, label._replace(assignment=CONTRADICTS))
    assert not NuggetLabel.objects.exists()
    record_label(task, alice, label)
    with pytest.raises(LabelRefused, match="already sent another label"):
        record_label(task, alice, label._replace(assignment=NONE))
    with pytest.raises(LabelRefused, match="already sent another label"):
        record_label(task, alice, label._replace(nugget=nugget(task, 2)))
    campaign = matching.campaign
    campaign.state = campaign.State.ARCHIVED
    campaign.save()
    task.matching.campaign = campaign
    assert record_label(task, alice, label).assignment == SUPPORT  # stored before
    with pytest.raises(LabelRefused):
        record_label(task, alice, label._replace(uuid=uuid.uuid4()))


def test_a_matching_is_discarded_only_without_labels(matching: Matching, make: Factory) -> None:
    carol, task = make.make_user("carol"), own(matching)[0]
    label = make.make_nugget_label(task, 1, NONE)
    with pytest.raises(SetRefused, match="labels are never deleted"):
        discard_matching(matching, carol)
    assert why_not_deleted(matching.campaign).startswith("It holds 1 label of nuggets")
    label.delete()
    assert why_not_deleted(matching.campaign) == ""
    discard_matching(matching, carol)
    with pytest.raises(LabelRefused, match="discarded"):
        record_label(task, task.judge, SubmittedLabel(uuid.uuid4(), nugget(task), NONE))
    make.make_matching(matching.campaign)
    delete_matchings(matching.campaign)
    matching.bank.delete()


def test_the_integrity_check_finds_labels_that_nobody_could_give(matching: Matching, make: Factory) -> None:
    def faults() -> list[str]:
        return [
            str(fault).removeprefix("matching ")
            for each in matching_faults(matching.campaign)
            for fault in each
        ]

    task, *_, other = own(matching)
    label = make.make_nugget_label(task, 1, SUPPORT, 2)
    assert faults() == []
    for changed, named in (
        ({"assignment": CONTRADICTS}, "labels that judges cannot give"),
        ({"sentence": 3}, "sentences that the answer does not have"),
        ({"sentence": 0}, "sentences that the answer does not have"),
        ({"nugget": nugget(other)}, "labels of nuggets of another topic"),
    ):
        was = {name: getattr(label, name) for name in changed}
        NuggetLabel.objects.filter(pk=label.pk).update(**changed)
        assert faults() == [f"{named}, Matching 1: expected 0, found 1"]
        NuggetLabel.objects.filter(pk=label.pk).update(**was)
    matching.runs.remove(matching.runs.get(tag="zebra-one"))
    assert faults() == ["answers of other runs, Matching 1: expected 0, found 4"]
