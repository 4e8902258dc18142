"""Battles of answers: made once, sides fixed, votes that are never lost, names that never show."""

from __future__ import annotations

import re
import uuid
from collections import Counter
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from assess.answers.services import withdraw_answer_run
from assess.battles.queries.integrity import battle_faults
from assess.battles.queries.plan import PlannedBattles, preview_of
from assess.battles.queries.sets import BATTLES
from assess.battles.services import (
    SubmittedVote,
    create_battles,
    discard_battles,
    record_vote,
)
from assess.models import AnswerRun, Battle, BattleSet, BattleVote
from assess.services.judged_sets import SetRefused, give_open_tasks
from assess.services.judging import LabelRefused
from pooling.models import Campaign, Role
from pooling.refusals import Refused
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/"
OUTBOX = HOME + "battles/outbox/"
SETUP = HOME + "judging/battles/"
TAGS = ("zebra-one", "zebra-two", "zebra-three")
WORDS = {"zebra-one": "Ships float.", "zebra-two": "Boats carry.", "zebra-three": "Rafts drift."}
TOPICS = [str(number) for number in range(1, 9)]


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    for number in TOPICS:
        make.make_topic(campaign, number, f"title {number}")
    make.make_document(campaign, "D1", "Ships float because they are light. " * 30, title="On ships")
    for tag in TAGS:
        answers = {number: [(WORDS[tag], ["D1"]), (f"So it is with {number}.", [])] for number in TOPICS}
        make.make_answer_run(campaign, answers, tag, "zebra-group")
    return campaign


@pytest.fixture
def battles(campaign: Campaign, make: Factory) -> BattleSet:
    runs = list(campaign.answer_runs.all())
    return make.make_battles(campaign, ("alice", "bob"), runs=runs, per_topic=3, double=25, repeated=20)


@pytest.fixture
def alice(campaign: Campaign, make: Factory) -> Client:
    return signed_in(make, "alice")


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def own(battles: BattleSet, name: str = "alice") -> list[Battle]:
    return list(battles.battles.filter(judge__username=name).order_by("place"))


def url(battle: Battle) -> str:
    return f"{HOME}battles/{battle.pk}/"


def vote_fields(**changed: Any) -> dict[str, Any]:
    return {"uuid": f"{uuid.uuid4()}", "choice": "left", "reason": "", "source": "key"} | changed


def send(client: Client, judge: int, battles: BattleSet, labels: list[dict[str, Any]], **more: Any) -> str:
    payload = {"judge": judge, "topic": f"{battles.pk}", "have": [], "want": 3, "labels": labels} | more
    response = client.post(OUTBOX, payload, "application/json")
    assert response.status_code == 200
    return markup(response)


def fields_of_setup(make: Factory, **changed: Any) -> dict[str, Any]:
    judges = [make.make_user(name).pk for name in ("alice", "bob")]
    asked = {"runs": TAGS, "judges": judges, "topics": "all", "better": "What helps.", "per_topic": 3}
    return asked | {"double": 10, "repeated": 10, "seed": 5} | changed


def test_the_battles_are_those_of_the_preview(campaign: Campaign, make: Factory) -> None:
    people = [make.make_user(name) for name in ("alice", "bob")]
    runs, topics = list(campaign.answer_runs.all()), list(campaign.topics.all())
    asked = PlannedBattles(runs, people, topics, 3, 25, 20, 7, "What helps.")
    preview = preview_of(asked)
    assert (preview.battles, preview.double, preview.pairs) == (24, 6, 3)
    assert preview.fewest == preview.most == 10
    stored = create_battles(campaign, make.make_user("carol"), asked)
    rows = stored.battles.order_by("judge", "place").values_list(
        "judge", "place", "topic", "left", "right", "is_repeat"
    )
    assert list(rows) == sorted(preview.rows)
    assert preview.votes == len(rows) == 30 + preview.repeats and preview.repeats == 6
    for load in preview.loads:
        mine = stored.battles.filter(judge=load.judge).select_related("left", "right")
        assert (load.battles, load.repeats) == (len(mine), sum(each.is_repeat for each in mine))
        assert load.words == sum(each.left.words + each.right.words for each in mine)


def test_a_repeat_has_the_same_answers_with_sides_swapped(battles: BattleSet) -> None:
    for name in ("alice", "bob"):
        first = {(each.left_id, each.right_id) for each in own(battles, name) if not each.is_repeat}
        repeats = [(each.left_id, each.right_id) for each in own(battles, name) if each.is_repeat]
        assert len(repeats) == 3 and {(right, left) for left, right in repeats} <= first


def test_topics_with_one_answer_are_left_out(campaign: Campaign, make: Factory) -> None:
    make.make_topic(campaign, "9", "without answers")
    runs, topics = list(campaign.answer_runs.all()), list(campaign.topics.all())
    people = [make.make_user("alice")]
    preview = preview_of(PlannedBattles(runs, people, topics, 1, 0, 0, 7, "x"))
    assert (preview.topics, preview.without, preview.battles) == (8, ["9"], 8)
    with pytest.raises(Refused, match="expected a topic with answers of two systems"):
        preview_of(PlannedBattles(runs[:1], people, topics, 1, 0, 0, 7, "x"))


def test_the_organiser_sees_the_numbers_before_battles_are_made(campaign: Campaign, make: Factory) -> None:
    carol, asked = signed_in(make, "carol"), fields_of_setup(make)
    page = markup(carol.post(SETUP, asked))
    assert "Make 29 battles?" in page and not BattleSet.objects.exists()
    assert "24" in page and "3 of these battles" in page and "of reading" in page
    assert "have no intervals, because they need 10 topics and there are 8." in page
    page = markup(carol.post(SETUP, asked | {"confirmed": "yes"}, follow=True))
    stored = BattleSet.objects.get()
    assert "Battles 1: judges see 29 battles." in page
    assert (stored.number, stored.seed, stored.battles.count()) == (1, 5, 29)
    entry = campaign.audit_log.get(verb="made battles")
    assert entry.details["seed"] == 5 and set(entry.details["runs"]) == set(TAGS)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"runs": ["zebra-one"]}, "Choose two runs or more"),
        ({"runs": ["zebra-one", "nobody"]}, "nobody is not one of the available choices"),
        ({"judges": []}, "This field is required"),
        ({"judges": "<alice>"}, "Choose two judges or more, or 0 % here"),
        ({"per_topic": 0}, "greater than or equal to 1"),
        ({"per_topic": 5000}, "20,000 battles at most"),
        ({"double": 101}, "less than or equal to 100"),
        ({"topics": "1 99"}, "This campaign has no topic 99"),
        ({"better": ""}, "This field is required"),
    ],
)
def test_a_set_that_cannot_be_made_shows_an_error(
    campaign: Campaign, make: Factory, changed: dict[str, Any], expected: str
) -> None:
    if changed.get("judges") == "<alice>":
        changed = {"judges": [make.make_user("alice").pk]}
    page = markup(signed_in(make, "carol").post(SETUP, fields_of_setup(make, **changed, confirmed="yes")))
    assert expected in page and not BattleSet.objects.exists()


def test_who_sees_a_name_of_a_run_is_no_judge_of_it(campaign: Campaign, make: Factory) -> None:
    add_member(campaign, make.make_user("bob"), Role.PARTICIPANT, group="zebra-group")
    page = markup(signed_in(make, "carol").post(SETUP, fields_of_setup(make, confirmed="yes")))
    assert "Choose other judges: bob can see the name of one of the runs" in page
    add_member(campaign, make.make_user("bob"), Role.ADJUDICATOR)
    page = markup(signed_in(make, "carol").get(SETUP))
    assert ">alice</label>" in re.sub(r"\s+", "", page) and ">bob</label>" not in re.sub(r"\s+", "", page)


def test_a_set_without_votes_can_be_discarded(battles: BattleSet, make: Factory) -> None:
    carol, where = signed_in(make, "carol"), f"{SETUP}1/discard/"
    assert "Discard Battles 1?" in markup(carol.post(where)) and BattleSet.objects.exists()
    make.make_battle_vote(own(battles)[0], "tie")
    page = markup(carol.post(where, {"confirmed": "yes"}, follow=True))
    assert "labels are never deleted" in page and BattleSet.objects.exists()
    BattleVote.objects.all().delete()
    carol.post(where, {"confirmed": "yes"})
    assert not BattleSet.objects.exists() and not Battle.objects.exists()


def test_answers_stand_on_the_sides_of_the_battle(battles: BattleSet, alice: Client) -> None:
    for battle in own(battles)[:4]:
        page = markup(alice.get(url(battle)))
        sides = re.split(r'<section class="ballot-side \w+"', page)[1:]
        for side, answer in zip(sides, (battle.left, battle.right), strict=True):
            assert answer.stored_sentences[0].text in side
        assert "Better is what helps." in page and "zebra" not in page


def test_a_citation_opens_at_the_foot_of_its_answer(battles: BattleSet, alice: Client) -> None:
    battle = own(battles)[0]
    fragment = markup(alice.get(f"{url(battle)}right/citations/1/1/"))
    assert 'id="battle-source-right"' in fragment and "On ships" in fragment and "zebra" not in fragment
    page = markup(alice.get(f"{url(battle)}?side=left&sentence=1&citation=1"))
    assert re.search(r'id="battle-source-left"[^>]*data-sentence="1"', page)
    assert re.search(r'id="battle-source-right"[^>]*hidden', page)
    for place in ("left/citations/2/1/", "left/citations/9/1/", "middle/citations/1/1/"):
        assert alice.get(url(battle) + place).status_code == 404
    assert alice.get(f"{url(battle)}?side=left&sentence=x&citation=99999999").status_code == 200


def test_a_vote_goes_on_to_the_next_battle_and_at_last_to_the_list(battles: BattleSet, alice: Client) -> None:
    mine = own(battles)
    for battle, following in zip(mine, mine[1:], strict=False):
        assert alice.post(url(battle), vote_fields())["Location"] == url(following)
    assert alice.post(url(mine[-1]), vote_fields())["Location"] == HOME + "battles/"
    page = markup(alice.get(HOME + "battles/"))
    assert "You have finished Battles 1." in page


def test_the_first_vote_of_a_repeat_is_not_shown(battles: BattleSet, alice: Client, make: Factory) -> None:
    repeat = next(each for each in own(battles) if each.is_repeat)
    first = battles.battles.get(judge=repeat.judge, left=repeat.right, right=repeat.left)
    make.make_battle_vote(first, "left", "clearer words")
    page = markup(alice.get(url(repeat)))
    assert "clearer words" not in page and 'aria-pressed="true"' not in page
    assert "repeat" not in page.lower()
    assert 'aria-pressed="true"' in markup(alice.get(url(first)))


def test_votes_of_the_outbox_bring_the_next_battles_and_are_stored_once(
    battles: BattleSet, alice: Client, make: Factory
) -> None:
    judge, mine = make.make_user("alice").pk, own(battles)
    vote = vote_fields(entry=mine[0].pk, seconds_ago=90)
    for labels in ([vote], [vote], [vote, vote | {"choice": "tie"}, vote | {"entry": mine[1].pk}]):
        page = send(alice, judge, battles, labels, have=[mine[1].pk])
    stored = BattleVote.objects.get()
    assert (stored.battle, stored.choice) == (mine[0], "left")
    assert stored.pressed_at <= stored.at and stored.pressed_at >= battles.made_at
    assert page.count("data-problem") == 2 and "This page has already sent another vote" in page
    assert page.count("<template>") == 2 and f"<b>1</b> of {len(mine)}" in page
    assert [f'data-entry="{each.pk}"' in page for each in mine[:5]] == [False, False, True, True, False]


def test_a_vote_that_is_taken_back_opens_its_battle_again(
    battles: BattleSet, alice: Client, make: Factory
) -> None:
    judge, first = make.make_user("alice").pk, own(battles)[0]
    vote = vote_fields(entry=first.pk)
    back = {"uuid": f"{uuid.uuid4()}", "entry": first.pk, "revokes": vote["uuid"]}
    page = send(alice, judge, battles, [vote, back, back])
    assert f'data-entry="{first.pk}"' in page and "data-problem" not in page
    assert [each.choice for each in BattleVote.objects.all()] == ["left", ""]
    later = vote_fields(entry=first.pk, choice="both bad")
    send(alice, judge, battles, [later])
    send(
        alice, judge, battles, [back | {"uuid": f"{uuid.uuid4()}"}]
    )  # of a vote that does not stand any more
    assert [each.choice for each in BattleVote.objects.all()] == ["left", "", "both bad"]


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"choice": "best"}, "Select a valid choice"),
        ({"choice": ""}, "This field is required"),
        ({"uuid": "x"}, "valid UUID"),
        ({"source": "guess"}, "Select a valid choice"),
        ({"reason": "x" * 5001}, "at most 5000 characters"),
    ],
)
def test_a_bad_vote_shows_the_page_again_and_stores_nothing(
    battles: BattleSet, alice: Client, changed: dict[str, Any], expected: str
) -> None:
    page = alice.post(url(own(battles)[0]), vote_fields(**changed))
    assert page.status_code == 200 and expected in markup(page)
    assert not BattleVote.objects.exists()


@pytest.mark.parametrize("entry", [0, "x", 2**70, None, 1.5])
def test_a_vote_on_no_battle_is_refused(battles: BattleSet, alice: Client, make: Factory, entry: Any) -> None:
    page = send(alice, make.make_user("alice").pk, battles, [vote_fields(entry=entry)])
    assert "This battle is not yours any more" in page and not BattleVote.objects.exists()


def test_battles_are_for_their_judge_alone(battles: BattleSet, make: Factory, client: Client) -> None:
    battle = own(battles, "bob")[0]
    assert client.get(url(battle)).status_code == 302
    for name, status in (("mallory", 404), ("dave", 403), ("alice", 404), ("bob", 200), ("carol", 404)):
        assert signed_in(make, name).get(url(battle)).status_code == status
    alice = signed_in(make, "alice")
    page = send(alice, make.make_user("alice").pk, battles, [vote_fields(entry=battle.pk)])
    assert "This battle is not yours any more" in page


@pytest.mark.parametrize(
    ("role", "group", "status"),
    [
        (Role.ORGANISER, "", 404),
        (Role.ADJUDICATOR, "", 404),
        (Role.PARTICIPANT, "zebra-group", 404),
        (Role.READER, "", 200),
        (Role.PARTICIPANT, "davelab", 200),
    ],
)
def test_a_judge_who_sees_names_later_has_no_vote(
    battles: BattleSet, make: Factory, role: Role, group: str, status: int
) -> None:
    add_member(battles.campaign, make.make_user("bob"), role, group=group)
    bob, battle = signed_in(make, "bob"), own(battles, "bob")[0]
    assert bob.get(url(battle)).status_code == status
    bob.post(url(battle), vote_fields())
    assert BattleVote.objects.exists() == (status == 200)


def test_nobody_sees_battles_of_a_withdrawn_run(battles: BattleSet, make: Factory, alice: Client) -> None:
    run = AnswerRun.objects.get(tag="zebra-two")
    mine = own(battles)
    with_run = [each for each in mine if run.pk in (each.left.run_id, each.right.run_id)]
    withdraw_answer_run(run, make.make_user("carol"))
    assert alice.get(url(with_run[0])).status_code == 404
    assert f"of {len(mine) - len(with_run)}<" in markup(alice.get(HOME + "battles/"))
    page = markup(signed_in(make, "carol").get(f"{SETUP}1/"))
    assert "Withdrawn since: zebra-two" in page


def test_a_run_that_was_withdrawn_meanwhile_makes_no_battles(campaign: Campaign, make: Factory) -> None:
    runs, topics = list(campaign.answer_runs.all()), list(campaign.topics.all())
    withdraw_answer_run(AnswerRun.objects.get(pk=runs[0].pk), make.make_user("carol"))
    asked = PlannedBattles(runs, [make.make_user("alice")], topics, 1, 0, 0, 7, "x")
    with pytest.raises(SetRefused, match="was withdrawn"):
        create_battles(campaign, make.make_user("carol"), asked)
    assert not BattleSet.objects.exists()


def test_my_topics_names_open_battles(battles: BattleSet, alice: Client, make: Factory) -> None:
    count = len(own(battles))
    assert f"{count} battles of two answers to vote on" in markup(alice.get(HOME + "judge/"))
    for battle in own(battles):
        make.make_battle_vote(battle, "right")
    assert "All done" in markup(alice.get(HOME + "judge/"))


def test_a_closed_campaign_takes_no_votes(battles: BattleSet, alice: Client) -> None:
    Campaign.objects.update(state=Campaign.State.CLOSED)
    page = markup(alice.post(url(own(battles)[0]), vote_fields()))
    assert "the vote was not stored" in page and not BattleVote.objects.exists()


def test_the_page_of_a_set_says_how_far_its_judges_are(battles: BattleSet, make: Factory) -> None:
    for battle in own(battles)[:2]:
        make.make_battle_vote(battle, "left")
    page = markup(signed_in(make, "carol").get(f"{SETUP}1/"))
    counts = Counter(each.judge.username for each in battles.battles.select_related("judge"))
    assert f"2 of {counts.total()} battles have a vote" in page
    assert f"2 <small>of {counts['alice']}</small>" in page and f"0 <small>of {counts['bob']}</small>" in page
    assert "Discard" not in page


def test_open_battles_of_a_judge_go_to_another(battles: BattleSet, make: Factory) -> None:
    mine, others = own(battles), own(battles, "bob")
    for battle in mine[:3]:
        make.make_battle_vote(battle, "left")
    had = {frozenset((each.left_id, each.right_id)) for each in others}
    left = [each for each in mine[3:] if not each.is_repeat]
    given = [each.pk for each in left if frozenset((each.left_id, each.right_id)) not in had]
    carol, where = signed_in(make, "carol"), f"{SETUP}1/judges/{mine[0].judge_id}/give/"
    page = markup(carol.get(where))
    assert f"alice has not finished {len(mine) - 3} battles of Battles 1" in page
    answer = {"others": [make.make_user("bob").pk]}
    page = markup(carol.post(where, answer))
    dropped = sum(each.is_repeat for each in mine[3:])
    assert f"Give {len(given)} battles to others" in page and f"{dropped} dropped" in page
    assert f"{len(left) - len(given)}: alice has begun them, or the others have had the same" in page
    assert len(own(battles)) == len(mine)
    for _ in range(2):  # the second press finds nothing to give
        page = markup(carol.post(where, answer | {"confirmed": "yes"}, follow=True))
    assert "alice has no open battle that these judges can take over." in page
    entry = battles.campaign.audit_log.get(verb="gave battles to others")
    assert entry.details["given"] == {"bob": len(given)}
    assert [each.pk for each in own(battles, "bob")] == [each.pk for each in others] + given
    kept = [each.pk for each in left if each.pk not in given]
    assert [each.pk for each in own(battles)] == [each.pk for each in mine[:3]] + kept
    assert [*battle_faults(battles.campaign)] == [[]]
    assert BattleVote.objects.filter(battle__judge__username="alice").count() == 3


def test_the_judge_with_the_fewest_open_battles_gets_the_next(campaign: Campaign, make: Factory) -> None:
    people = [make.make_user(name) for name in ("alice", "bob", "zoe")]
    add_member(campaign, people[2], Role.JUDGE)
    battles = make.make_battles(
        campaign, ("alice", "bob"), runs=list(campaign.answer_runs.all()), per_topic=3
    )
    before = {person: len(BATTLES.open_tasks(battles, person)) for person in people}
    give_open_tasks(BATTLES, battles, people[0], people[1:], make.make_user("carol"))
    after = [len(BATTLES.open_tasks(battles, person)) for person in people]
    assert before[people[2]] == 0 and after[0] == 0 and abs(after[1] - after[2]) <= 1


def test_open_battles_go_to_nobody_who_sees_names(battles: BattleSet, make: Factory) -> None:
    alice, bob, carol = (make.make_user(name) for name in ("alice", "bob", "carol"))
    add_member(battles.campaign, bob, Role.PARTICIPANT, group="zebra-group")
    with pytest.raises(SetRefused, match="bob cannot take over"):
        give_open_tasks(BATTLES, battles, alice, [bob], carol)
    page = markup(signed_in(make, "carol").get(f"{SETUP}1/judges/{alice.pk}/give/"))
    assert "no other judge who can take over" in page


def test_a_battle_whose_vote_was_taken_back_stays_with_its_judge(
    battles: BattleSet, alice: Client, make: Factory
) -> None:
    judge, first = make.make_user("alice"), own(battles)[0]
    vote = vote_fields(entry=first.pk)
    send(alice, judge.pk, battles, [vote, vote_fields(entry=first.pk, revokes=vote["uuid"])])
    give_open_tasks(BATTLES, battles, judge, [make.make_user("bob")], make.make_user("carol"))
    assert first in own(battles)
    assert set(BattleVote.objects.values_list("battle__judge__username", flat=True)) == {"alice"}


def test_a_vote_on_a_battle_that_was_given_away_meanwhile_is_refused(
    battles: BattleSet, make: Factory
) -> None:
    alice, bob = make.make_user("alice"), make.make_user("bob")
    opened = own(battles)
    give_open_tasks(BATTLES, battles, alice, [bob], make.make_user("carol"))
    given = next(each for each in opened if battles.battles.filter(pk=each.pk, judge=bob).exists())
    with pytest.raises(LabelRefused, match="another judge’s"):
        record_vote(given, alice, SubmittedVote(uuid.uuid4(), "left"))  # as the page had it
    assert not BattleVote.objects.exists()


def test_a_vote_on_discarded_battles_is_refused(battles: BattleSet, make: Factory) -> None:
    battle = own(battles)[0]
    discard_battles(battles, make.make_user("carol"))
    with pytest.raises(LabelRefused, match="discarded"):
        record_vote(battle, make.make_user("alice"), SubmittedVote(uuid.uuid4(), "left"))


def test_the_integrity_check_finds_battles_that_no_design_gives(battles: BattleSet, make: Factory) -> None:
    def faults() -> list[str]:
        return [str(fault) for found in battle_faults(battles.campaign) for fault in found]

    assert faults() == []
    mine = own(battles)
    repeat = next(each for each in mine if each.is_repeat)
    first = next(each for each in mine if (each.left_id, each.right_id) == (repeat.right_id, repeat.left_id))
    other = next(each for each in mine if each.topic_id != first.topic_id and not each.is_repeat)
    Battle.objects.filter(pk=repeat.pk).update(left=repeat.right, right=repeat.left)
    assert faults() == ["battles repeated without a first battle, Battles 1: expected 0, found 1"]
    Battle.objects.filter(pk=repeat.pk).update(left=first.left, right=first.right, is_repeat=False)
    assert faults() == ["battles that a judge has twice, Battles 1: expected 0, found 1"]
    Battle.objects.filter(pk=repeat.pk).update(left=repeat.left, right=repeat.right, is_repeat=True)
    Battle.objects.filter(pk=other.pk).update(topic=first.topic_id)
    assert faults() == ["battles of answers to another topic, Battles 1: expected 0, found 1"]
    Battle.objects.filter(pk=other.pk).update(topic=other.topic_id)
    battles.runs.remove(AnswerRun.objects.get(tag="zebra-one"))
    assert "battles of runs that are not in the set" in faults()[0]


def test_making_battles_asks_no_more_for_more_of_them(campaign: Campaign, make: Factory) -> None:
    runs, topics, carol = (
        list(campaign.answer_runs.all()),
        list(campaign.topics.all()),
        make.make_user("carol"),
    )
    people = [make.make_user(name) for name in ("alice", "bob")]
    counts = []
    for per_topic in (1, 3):
        with CaptureQueriesContext(connection) as captured:
            create_battles(campaign, carol, PlannedBattles(runs, people, topics, per_topic, 0, 0, 7, "x"))
        counts.append(len(captured))
    assert counts[0] == counts[1] <= 25


def test_a_vote_asks_few_questions(battles: BattleSet, alice: Client, make: Factory) -> None:
    judge, mine = make.make_user("alice").pk, own(battles)
    with CaptureQueriesContext(connection) as captured:
        send(alice, judge, battles, [vote_fields(entry=mine[0].pk)])
    asked = Counter(query["sql"] for query in captured if "SAVEPOINT" not in query["sql"])
    assert asked.total() <= 24 and max(asked.values()) <= 2
    with CaptureQueriesContext(connection) as captured:
        alice.get(url(mine[1]))
    asked = Counter(query["sql"] for query in captured)
    assert asked.total() <= 24 and max(asked.values()) <= 2
