"""Preferences between documents: stages that follow from votes, votes that are never lost."""

from __future__ import annotations

import uuid
from collections import Counter
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from assess.models import Preference, PreferencePair, PreferenceSet, PreferenceTask
from assess.preferences.queries.integrity import preference_faults
from assess.preferences.queries.plan import PlannedPreferences, preview_of
from assess.preferences.queries.votes import open_pairs
from assess.preferences.services import (
    SubmittedPreference,
    create_preferences,
    discard_preferences,
    record_preference,
    take_back_preference,
)
from assess.services.assignments import assign
from assess.services.judged_sets import SetRefused
from assess.services.judging import LabelRefused
from pooling.models import Campaign, Role
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/"
SETUP = HOME + "judging/preferences/"
OUTBOX = HOME + "preferences/outbox/"
COUNT = 12  # documents of topic 1 with a grade above 0: 12 * 7 / 2 pairs in the first stage


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """Topic 1 has 12 relevant documents, D01 the best; topic 2 has three; topic 3 has one."""
    campaign = make.make_campaign()
    lines = []
    for topic, count in (("1", COUNT), ("2", 3), ("3", 1)):
        make.make_topic(campaign, topic, f"boats of kind {topic}")
        lines += [f"{topic} D{number:02} {99 - number}" for number in range(1, count + 1)]
    make.make_run(campaign, "\n".join(lines))
    make.make_pool(campaign, depth=COUNT)
    assign([make.make_user("alice"), make.make_user("bob")], list(campaign.topics.all()))
    for number in range(1, COUNT + 1):
        make.make_document(
            campaign, f"D{number:02}", f"Boats float, number {number}.", title=f"Boat {number}"
        )
    for topic, count in (("1", COUNT), ("2", 3), ("3", 1)):
        for number in range(1, count + 1):
            make.make_judgment(campaign, "alice", topic, f"D{number:02}", 2)
    make.make_release(campaign)
    return campaign


def asked(campaign: Campaign, make: Factory, **changed: Any) -> PlannedPreferences:
    people = [make.make_user(name) for name in ("alice", "bob")]
    release = campaign.releases.get()
    plan = PlannedPreferences(release, people, list(campaign.topics.all()), 3, 0, 7, "What helps.")
    return plan._replace(**changed)


@pytest.fixture
def preferences(campaign: Campaign, make: Factory) -> PreferenceSet:
    return create_preferences(campaign, make.make_user("carol"), asked(campaign, make, double=50))


def task_of(preferences: PreferenceSet, topic: str, is_second: bool = False) -> PreferenceTask:
    tasks = preferences.tasks.select_related("judge", "preference_set__campaign")
    return tasks.get(topic__number=topic, is_second=is_second)


def vote(pair: PreferencePair, choice: str) -> Preference:
    return record_preference(pair, pair.task.judge, SubmittedPreference(uuid.uuid4(), choice))


def better(pair: PreferencePair) -> str:
    """The document with the smaller number is better."""
    return "left" if pair.left.docno < pair.right.docno else "right"


def vote_all(task: PreferenceTask, choose: Any = better, most: int = 1000) -> None:
    related = ("task__judge", "task__preference_set", "left", "right")
    for pair in open_pairs(task).select_related(*related)[:most]:
        vote(pair, choose(pair))
    task.refresh_from_db()


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def test_the_first_stage_is_that_of_the_preview(campaign: Campaign, make: Factory) -> None:
    plan = asked(campaign, make, double=50)
    preview = preview_of(plan)
    assert (preview.topics, preview.documents, preview.without, preview.later) == (2, COUNT + 3, ["3"], 1)
    stored = create_preferences(campaign, make.make_user("carol"), plan)
    assert preview.pairs == PreferencePair.objects.count() and preview.double == 1
    pairs = Counter(task.topic.number for task in stored.tasks.all() for _ in task.pairs.all())
    assert pairs["1"] in (42, 84) and pairs["2"] in (3, 6) and sum(pairs.values()) == preview.pairs


def test_the_second_judge_sees_the_same_first_pairs_with_sides_swapped(
    campaign: Campaign, make: Factory
) -> None:
    stored = create_preferences(campaign, make.make_user("carol"), asked(campaign, make, double=100))
    sides = [
        [(pair.left_id, pair.right_id) for pair in task_of(stored, "1", second).pairs.all()]
        for second in (False, True)
    ]
    assert sides[0] == [pair[::-1] for pair in sides[1]]


def test_stages_go_on_until_all_pairs_of_the_best_are_judged(preferences: PreferenceSet) -> None:
    task = task_of(preferences, "1")
    assert task.pairs.count() == COUNT * 7 // 2
    vote_all(task, most=COUNT * 7 // 2 - 1)
    assert task.stage == 1
    vote_all(task)
    assert task.stage == 2 and task.finished_at is None
    left = {pair.left.docno for pair in task.pairs.filter(stage=2)} | {
        pair.right.docno for pair in task.pairs.filter(stage=2)
    }
    assert "D01" in left and len(left) < COUNT
    assert task.pairs.filter(stage=2).count() == len(left) * (len(left) - 1) // 2
    vote_all(task)
    assert task.finished_at and task.stage == 2 and not open_pairs(task).exists()


def test_ties_alone_drop_no_document_and_end(preferences: PreferenceSet) -> None:
    task = task_of(preferences, "1")
    vote_all(task, lambda pair: "tie")
    assert task.stage == 2 and task.pairs.filter(stage=2).count() == COUNT * (COUNT - 1) // 2
    vote_all(task, lambda pair: "tie")
    assert task.finished_at


def test_the_last_vote_of_a_stage_can_be_taken_back_until_the_next_has_one(
    preferences: PreferenceSet,
) -> None:
    task = task_of(preferences, "1")
    vote_all(task)
    last = Preference.objects.latest("pk")
    take_back_preference(last.pair, task.judge, uuid.uuid4(), last.uuid)
    task.refresh_from_db()
    assert task.stage == 1 and not task.pairs.filter(stage=2).exists() and open_pairs(task).get() == last.pair
    vote_all(task)
    vote_all(task, most=1)
    last = Preference.objects.filter(pair__stage=1).latest("pk")
    with pytest.raises(LabelRefused, match="The next stage of this topic has begun"):
        take_back_preference(last.pair, task.judge, uuid.uuid4(), last.uuid)
    with pytest.raises(LabelRefused, match="The next stage"):
        vote(last.pair, "tie")


def test_a_pair_of_a_stage_that_was_opened_anew_is_refused(preferences: PreferenceSet, make: Factory) -> None:
    task = task_of(preferences, "1")
    vote_all(task)
    stale = list(open_pairs(task).select_related("task__judge", "task__preference_set"))
    last = Preference.objects.latest("pk")
    take_back_preference(last.pair, task.judge, uuid.uuid4(), last.uuid)
    vote(last.pair, last.choice)
    with pytest.raises(LabelRefused, match="was taken back"):
        vote(stale[0], "left")
    judge = signed_in(make, task.judge.username)
    have = [stale[0].pk, open_pairs(task)[0].pk]
    payload = {"judge": task.judge_id, "topic": f"{preferences.pk}", "have": have, "want": 3, "labels": []}
    page = markup(judge.post(OUTBOX, payload, "application/json"))
    assert f'data-closed="{stale[0].pk}"' in page and page.count("<template>") == 2


def test_a_finished_topic_can_be_reopened_by_its_last_vote(preferences: PreferenceSet) -> None:
    task = task_of(preferences, "2")
    vote_all(task)
    assert task.finished_at and task.stage == 1
    last = Preference.objects.latest("pk")
    back = uuid.uuid4()
    for _ in range(2):  # a repeated request changes nothing
        take_back_preference(last.pair, task.judge, back, last.uuid)
    task.refresh_from_db()
    assert task.finished_at is None and open_pairs(task).get() == last.pair
    assert Preference.objects.filter(pair=last.pair).count() == 2


def test_a_set_without_candidates_is_refused(campaign: Campaign, make: Factory) -> None:
    topics = list(campaign.topics.filter(number="3"))
    with pytest.raises(SetRefused, match="No topic has two documents"):
        create_preferences(campaign, make.make_user("carol"), asked(campaign, make, topics=topics))


def test_a_set_is_discarded_only_without_votes(preferences: PreferenceSet, make: Factory) -> None:
    carol = make.make_user("carol")
    vote_all(task_of(preferences, "2"), most=1)
    with pytest.raises(SetRefused, match="labels are never deleted"):
        discard_preferences(preferences, carol)
    Preference.objects.all().delete()
    pair = task_of(preferences, "2").pairs.select_related("task__judge", "task__preference_set").first()
    discard_preferences(preferences, carol)
    assert pair and not PreferencePair.objects.exists()
    with pytest.raises(LabelRefused, match="discarded"):
        vote(pair, "left")


def test_an_organiser_makes_preferences_on_the_page(campaign: Campaign, make: Factory) -> None:
    carol = signed_in(make, "carol")
    people = [make.make_user(name).pk for name in ("alice", "bob")]
    fields = {"release": "1", "judges": people, "topics": "all", "better": "What helps.", "k": 3}
    fields |= {"double": 0, "seed": 5}
    page = markup(carol.post(SETUP, fields))
    assert "Make preferences over 2 topics?" in page and not PreferenceSet.objects.exists()
    page = markup(carol.post(SETUP, fields | {"confirmed": "yes"}, follow=True))
    assert "Preferences 1: judges see" in page and "boats of kind 1" in page
    entry = campaign.audit_log.get(verb="made preferences")
    assert entry.details["release"] == 1 and entry.details["topics"] == ["1", "2"]
    page = markup(carol.post(SETUP, fields | {"judges": people[:1], "double": 10}))
    assert "Choose two judges or more, or 0 % here" in page


def test_a_judge_votes_on_pages(preferences: PreferenceSet, make: Factory) -> None:
    task = task_of(preferences, "2")
    judge = signed_in(make, task.judge.username)
    assert "pairs of two documents to vote on" in markup(judge.get(HOME + "judge/"))
    pair = open_pairs(task)[0]
    page = markup(judge.get(f"{HOME}preferences/{pair.pk}/"))
    assert pair.left.docno in page and pair.right.docno in page and "What helps." in page
    assert page.index(pair.left.docno) < page.index(pair.right.docno)
    fields = {"uuid": f"{uuid.uuid4()}", "choice": "right", "source": "key"}
    assert judge.post(f"{HOME}preferences/{pair.pk}/", fields).status_code == 302
    page = markup(judge.get(f"{HOME}preferences/{pair.pk}/"))
    assert "You have voted on this pair" in page
    other = "bob" if task.judge.username == "alice" else "alice"
    assert signed_in(make, other).get(f"{HOME}preferences/{pair.pk}/").status_code == 404
    assert signed_in(make, "carol").get(f"{HOME}preferences/{pair.pk}/").status_code == 404


def test_votes_of_the_outbox_are_stored_once_and_bring_the_next_pairs(
    preferences: PreferenceSet, make: Factory
) -> None:
    task = task_of(preferences, "1")
    judge, pairs = signed_in(make, task.judge.username), list(open_pairs(task))
    label = {"uuid": f"{uuid.uuid4()}", "choice": "left", "reason": "", "source": "key", "entry": pairs[0].pk}
    payload = {"judge": task.judge_id, "topic": f"{preferences.pk}", "have": [], "want": 3, "labels": [label]}
    for _ in range(2):
        page = markup(judge.post(OUTBOX, payload, "application/json"))
    assert Preference.objects.count() == 1 and page.count("<template>") == 3 and "data-problem" not in page
    payload |= {"labels": [label | {"choice": "tie"}, label | {"uuid": f"{uuid.uuid4()}", "entry": 0}]}
    page = markup(judge.post(OUTBOX, payload, "application/json"))
    assert "This page has already sent another vote" in page
    assert "This pair is not yours any more" in page


def test_a_judge_of_preferences_sees_no_grade_and_no_other_vote(
    preferences: PreferenceSet, make: Factory
) -> None:
    task = task_of(preferences, "2")
    pair = open_pairs(task).select_related("task__judge", "task__preference_set")[0]
    vote_one = SubmittedPreference(uuid.uuid4(), "left", "a private reason")
    record_preference(pair, task.judge, vote_one)
    other = "bob" if task.judge.username == "alice" else "alice"
    add_member(preferences.campaign, make.make_user(other), Role.JUDGE)
    for page in ("preferences/", "judge/"):
        assert "a private reason" not in markup(signed_in(make, other).get(HOME + page))


def test_the_integrity_check_finds_stages_that_do_not_follow_from_votes(preferences: PreferenceSet) -> None:
    def faults() -> list[str]:
        found = [fault for each in preference_faults(preferences.campaign) for fault in each]
        return [str(fault).partition(",")[0] for fault in found]

    task, short = task_of(preferences, "1"), task_of(preferences, "2")
    while not task.finished_at:
        vote_all(task)
    vote_all(short, most=1)
    assert faults() == []
    PreferenceTask.objects.filter(pk=task.pk).update(finished_at=None)
    PreferenceTask.objects.filter(pk=short.pk).update(finished_at=timezone.now())
    assert faults() == ["preferences finished without all votes"]
    PreferenceTask.objects.filter(pk=task.pk).update(finished_at=task.finished_at)
    PreferenceTask.objects.filter(pk=short.pk).update(finished_at=None)

    other = task.pairs.get(place=1, stage=1)

    Preference.objects.filter(pair__stage=1, pair__task=task).update(choice="tie")
    assert faults() == ["preferences with a stage that does not follow from the votes"]
    Preference.objects.filter(pair__task=task).delete()
    PreferencePair.objects.filter(pk=other.pk).update(left=short.pairs.all()[0].left_id)
    assert "preferences with documents of another topic" in faults()
