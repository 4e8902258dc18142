"""Sets of work for judges through the API: the fields of the pages, progress, handing over, discarding."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from assess.api.judged_sets import SetIn
from assess.battles import views as battles
from assess.gradings import views as gradings
from assess.magnitudes import views as magnitudes
from assess.matchings import views as matchings
from assess.models import Battle
from assess.preferences import views as preferences
from assess.snippets import views as snippets
from assess.support import views as support
from assess.views.judged_sets import SetPages
from metrics.battles.api import BattlesIn
from metrics.gradings.api import GradingIn
from metrics.magnitudes.api import MagnitudesIn
from metrics.matchings.api import MatchingIn
from metrics.preferences.api import PreferencesIn
from metrics.snippets.api import SnippetsIn
from metrics.support.api import SupportIn
from pooling.models import Campaign, Role
from pooling.services.people import add_member
from tests.config.test_api_writes import client_of
from tests.support.factory import Factory

HOME = "/api/campaigns/tiny/"
BODIES: list[tuple[SetPages, type[SetIn]]] = [
    (battles.PAGES, BattlesIn),
    (gradings.PAGES, GradingIn),
    (preferences.PAGES, PreferencesIn),
    (magnitudes.PAGES, MagnitudesIn),
    (snippets.PAGES, SnippetsIn),
    (matchings.PAGES, MatchingIn),
    (support.PAGES, SupportIn),
]


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    add_member(campaign, make.make_user("zoe"), Role.JUDGE)
    return campaign


def made(answer: Any, status: int = 200) -> Any:
    assert answer.status_code == status, answer.content
    return answer.json()


def post(client: Client, path: str, key: str = "", **body: Any) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    return client.post(HOME + path, body, content_type="application/json", headers=headers)


@pytest.mark.parametrize(("pages", "body"), BODIES, ids=lambda each: getattr(each, "__name__", ""))
def test_a_set_takes_the_fields_of_its_page(pages: SetPages, body: type[SetIn], campaign: Campaign) -> None:
    form = pages.form(campaign=campaign)  # type: ignore[call-arg]
    assert set(form.fields) == set(body.model_fields)
    for name, field in body.model_fields.items():
        shown = form.fields[name]
        if (
            name not in ("judges", "topics", "runs", "criteria", "seed", "double")
            and shown.initial is not None
        ):
            assert field.default == shown.initial, name


@pytest.mark.parametrize(
    ("judges", "given", "double"),
    [
        (["alice"], {}, 0),
        (["alice", "alice"], {}, 0),
        (["alice", "bob"], {}, 10),
        (["alice", "bob"], {"double": None}, 10),
        (["alice", "bob"], {"double": 0}, 0),
    ],
)
def test_two_judges_get_some_topics_as_the_page_proposes(
    judges: list[str], given: dict[str, Any], double: int, campaign: Campaign, make: Factory
) -> None:
    run = make.make_answer_run(campaign)
    made(post(client_of(make, "carol"), "support/", runs=[run.tag], judges=judges, **given), 201)
    assert campaign.support_sets.get().double == double


def test_battles_from_the_set_to_the_votes(campaign: Campaign, make: Factory) -> None:
    client, runs = client_of(make, "carol"), [run.tag for run in make.make_battles(campaign).runs.all()]
    asked: dict[str, Any] = {
        "runs": runs,
        "judges": ["alice", "bob"],
        "topics": ["1"],
        "per_topic": 1,
        "double": 0,
    }
    asked |= {"repeated": 0, "seed": 7, "better": "Better is what helps."}
    stored = made(post(client, "battles/", "of this call", **asked), 201)
    assert stored == made(post(client, "battles/", "of this call", **asked), 201)  # the answer was lost
    assert stored == {"number": 2, "tasks": 1} and campaign.battle_sets.count() == 2
    (battle,) = Battle.objects.filter(battle_set__number=2)
    taker = {"alice": "bob", "bob": "alice"}[battle.judge.username]
    moved = made(post(client, "battles/2/handover/", judge=battle.judge.username, others=[taker]))
    assert moved == {"given": {taker: 1}, "dropped": 0, "kept": 0}
    battle.refresh_from_db()
    make.make_battle_vote(battle, "left")
    assert made(client.get(f"{HOME}battles/2/progress/")) == {
        "total": 1, "done": 1, "judges": [{"judge": taker, "total": 1, "done": 1}], "withdrawn": [],
    }  # fmt: skip
    assert [vote["choice"] for vote in made(client.get(f"{HOME}battles/2/votes/"))] == ["left"]
    assert "labels are never deleted" in made(post(client, "battles/2/discard/"), 422)["detail"]
    assert post(client, "battles/1/discard/").status_code == 204
    made(post(client, "battles/1/discard/"), 404)


def test_a_grading_is_read_with_its_criteria(campaign: Campaign, make: Factory) -> None:
    client, run = client_of(make, "carol"), make.make_answer_run(campaign)
    asked: dict[str, Any] = {
        "runs": [run.tag],
        "judges": ["alice"],
        "double": 0,
        "instructions": "Read all of it.",
    }
    criteria = ["Helpful: no, partly, yes", "Correct: no, yes"]
    assert made(post(client, "gradings/", criteria=criteria, **asked), 201)["number"] == 1
    (listed,) = made(client.get(f"{HOME}gradings/"))["items"]
    assert [each["levels"] for each in listed["criteria"]] == [["no", "partly", "yes"], ["no", "yes"]]
    assert campaign.gradings.get().instructions == "Read all of it."
    wrong = made(post(client, "gradings/", criteria=["Helpful"], **asked), 422)["errors"]
    assert [fault["loc"] for fault in wrong] == [["body", "criteria"]] and "Line 1" in wrong[0]["msg"]


def test_a_set_that_cannot_be_made_is_refused_with_its_fields(campaign: Campaign, make: Factory) -> None:
    make.make_answer_run(campaign)
    asked: dict[str, Any] = {"runs": ["none"], "judges": ["rosa"], "topics": ["9"], "double": 0}
    wrong = made(post(client_of(make, "carol"), "support/", **asked), 422)["errors"]
    assert {fault["loc"][-1] for fault in wrong} == {"runs", "judges", "topics"}
    assert not campaign.support_sets.exists()
