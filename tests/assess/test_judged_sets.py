"""What all kinds of sets of work for judges share: open work goes to others, stale pages store nothing."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from assess.forms.judged_sets import JudgedSetForm
from assess.matchings.forms import MatchingForm
from assess.models import MatchingTask, NuggetLabel
from assess.preferences.forms import PreferenceSetForm
from assess.queries.extensions import judged_kinds
from assess.queries.judged_sets import JudgedKind
from assess.services.judged_sets import SetRefused, give_open_tasks
from assess.services.judging import LabelRefused
from pooling.models import Campaign, Role
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/"
KINDS = [pytest.param(kind, id=kind.name) for kind in judged_kinds]


def make_set(kind: JudgedKind, campaign: Campaign, make: Factory) -> Any:
    """Make a set of a kind in which alice has something to do and zoe has nothing."""
    makers: dict[str, Callable[[Campaign], Any]] = {
        "battle": make.make_battles,
        "preference": make.make_preferences,
        "snippet": make.make_snippets,
        "magnitude": make.make_magnitudes,
        "grading": make.make_grading,
        "matching": make.make_matching,
        "support": make.make_support,
    }
    made = makers[kind.name](campaign)
    add_member(campaign, make.make_user("zoe"), Role.JUDGE)
    made.campaign = campaign
    return made


def build_campaign(make: Factory) -> Campaign:
    return make.make_pooled_campaign()


@pytest.mark.parametrize("kind", KINDS)
def test_all_that_a_judge_has_not_begun_goes_to_another(
    kind: JudgedKind, campaign: Campaign, make: Factory
) -> None:
    about, (alice, zoe, carol) = (
        make_set(kind, campaign, make),
        [make.make_user(name) for name in ("alice", "zoe", "carol")],
    )
    before = {task.pk for task in kind.open_tasks(about, alice) if not kind.is_personal(task)}
    assert before
    given = give_open_tasks(kind, about, alice, [zoe], carol)
    assert {task.pk for task, _ in given.given} == before and given.kept == 0
    assert kind.open_tasks(about, alice) == [] and {each.pk for each in kind.open_tasks(about, zoe)} == before
    entry = campaign.audit_log.get(verb=f"gave {kind.tasks} to others")
    assert entry.who == "carol" and alice.username in entry.sentence
    with pytest.raises(SetRefused, match="has no open"):
        give_open_tasks(kind, about, alice, [zoe], carol)


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_of_a_judge_who_leaves_leads_to_the_other_open_work(
    kind: JudgedKind, campaign: Campaign, make: Factory
) -> None:
    about, alice, carol = make_set(kind, campaign, make), make.make_user("alice"), Client()
    carol.force_login(make.make_user("carol"))
    address = reverse(kind.urls["handover"], args=["tiny", about.number, alice.pk])
    left = kind.counted(len(kind.open_tasks(about, alice)))
    replace = f"{HOME}judging/judges/{alice.pk}/replace/"
    assert f'<a href="{address}">{left} of {about}</a>' in markup(carol.get(replace))
    zoe = make.make_user("zoe").pk
    assert "Every label stays" in markup(carol.post(address, {"others": [zoe]}))
    carol.post(address, {"others": [zoe], "confirmed": "yes"})
    assert address not in markup(carol.get(replace))


def test_answers_to_a_topic_stay_with_one_judge_and_what_was_begun_with_its_own(
    campaign: Campaign, make: Factory
) -> None:
    (kind,) = (each for each in judged_kinds if each.name == "matching")
    topics = ("1", "2")
    for tag in ("zebra", "yak", "xerus"):
        make.make_answer_run(campaign, {number: [("Boats float.", ["D1"])] for number in topics}, tag, "zoo")
    make.make_bank(campaign, {number: [("Boats float", "vital")] for number in topics})
    about, alice, carol = make_set(kind, campaign, make), make.make_user("alice"), make.make_user("carol")
    others = [make.make_user("zoe"), make.make_user("yves")]
    add_member(campaign, others[1], Role.JUDGE)
    begun: MatchingTask = kind.open_tasks(about, alice)[0]
    NuggetLabel.objects.create(
        uuid=uuid.uuid4(),
        task=begun,
        nugget=about.bank.nuggets.filter(topic=begun.answer.topic_id)[0],
        assignment="",
        pressed_at=about.made_at,
    )
    given = give_open_tasks(kind, about, alice, others, carol)
    assert given.kept == 1 and [task.pk for task in kind.open_tasks(about, alice)] == [begun.pk]
    takers: dict[int, set[User]] = {}
    for task, taker in given.given:
        takers.setdefault(task.answer.topic_id, set()).add(taker)
    assert takers and all(len(people) == 1 for people in takers.values())
    assert {person for people in takers.values() for person in people} == set(others)


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_that_was_open_stores_nothing_once_its_work_is_given_away(
    kind: JudgedKind, campaign: Campaign, make: Factory
) -> None:
    about, alice = make_set(kind, campaign, make), make.make_user("alice")
    client = Client()
    client.force_login(alice)
    (item, *_) = next(each for each in kind.mine(alice, campaign) if each.about == about).waiting
    address = reverse(kind.urls["item"], args=["tiny", item])
    assert client.get(address).status_code == 200
    give_open_tasks(kind, about, alice, [make.make_user("zoe")], make.make_user("carol"))
    assert client.get(address).status_code == 404
    assert client.post(address, {"choice": "left"}).status_code == 404


def test_the_last_moment_before_an_answer_is_stored_decides_whose_it_is(
    campaign: Campaign, make: Factory
) -> None:
    battles = make.make_battles(campaign)
    battle = battles.battles.filter(judge__username="alice")[0]
    type(battle).objects.filter(pk=battle.pk).update(judge=make.make_user("bob"), place=1000)
    with pytest.raises(LabelRefused, match="another judge’s"):
        make.make_battle_vote(battle, "left")


@pytest.mark.parametrize("form", [JudgedSetForm, MatchingForm, PreferenceSetForm])
def test_topics_with_two_judges_are_proposed_from_two_judges_on(
    form: type[JudgedSetForm], make: Factory
) -> None:
    campaign = make.make_campaign()
    assert form(campaign=campaign)["double"].value() == 10
    campaign.memberships.get(user__username="bob").delete()
    assert form(campaign=campaign)["double"].value() == 0
