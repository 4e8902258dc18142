"""Who gets in where: every URL, for every kind of person. A new URL without a row here fails."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from accounts.services import create_token
from assess.services import release_qrels
from pooling.models import Campaign, Role
from pooling.services import add_member, invite
from tests.factory import Factory

PEOPLE = ["carol", "ada", "alice", "dave", "rita", "mallory", ""]
#          organiser, adjudicator, judge, participant, reader, outsider, anonymous

GET: dict[str, tuple[int, ...]] = {
    "accounts:sign_in": (302, 302, 302, 302, 302, 302, 200),
    "accounts:token_list": (200, 200, 200, 200, 200, 200, 302),
    "api:openapi-json": (200, 200, 200, 200, 200, 200, 200),
    "api:openapi-view": (200, 200, 200, 200, 200, 200, 200),
    "api:api-root": (404, 404, 404, 404, 404, 404, 404),
    "api:run_list": (401, 401, 401, 401, 401, 401, 401),  # a session opens no API door: see API below
    "api:run": (401, 401, 401, 401, 401, 401, 401),
    "pooling:campaign_list": (200, 200, 200, 200, 200, 200, 302),
    "pooling:campaign_new": (200, 200, 200, 200, 200, 200, 302),
    "pooling:people": (200, 403, 403, 403, 403, 404, 302),
    "pooling:invitation": (200, 200, 200, 200, 200, 200, 200),
    "pooling:topic_list": (200, 200, 200, 200, 200, 404, 302),
    "pooling:topic": (200, 200, 200, 200, 200, 404, 302),
    "pooling:run_list": (200, 200, 403, 200, 200, 404, 302),
    "pooling:run": (200, 200, 403, 404, 200, 404, 302),
    "pooling:run_file": (200, 200, 403, 404, 200, 404, 302),
    "pooling:pool": (200, 403, 403, 403, 403, 404, 302),
    "pooling:pool_draft": (200, 403, 403, 403, 403, 404, 302),
    "pooling:pool_strategies": (200, 403, 403, 403, 403, 404, 302),
    "pooling:pool_docnos": (200, 403, 403, 403, 403, 404, 302),
    "pooling:pool_manifest": (200, 403, 403, 403, 403, 404, 302),
    "pooling:document_list": (200, 403, 403, 403, 403, 404, 302),
    "pooling:documents_missing": (200, 403, 403, 403, 403, 404, 302),
    "assess:overview": (200, 200, 302, 200, 200, 404, 302),
    "assess:progress": (200, 200, 403, 403, 403, 404, 302),
    "assess:settings": (200, 403, 403, 403, 403, 404, 302),
    "assess:judging": (200, 403, 403, 403, 403, 404, 302),
    "assess:my_topics": (200, 403, 200, 403, 403, 404, 302),
    "assess:judge": (404, 403, 200, 403, 403, 404, 302),
    "assess:judgment_card": (404, 403, 200, 403, 403, 404, 302),
    "assess:agreement": (200, 200, 403, 403, 200, 404, 302),
    "assess:labels": (200, 200, 403, 403, 403, 404, 302),
    "assess:release_list": (200, 200, 403, 200, 200, 404, 302),
    "assess:qrels_file": (200, 200, 403, 200, 200, 404, 302),
    "assess:qrels_manifest": (200, 200, 403, 200, 200, 404, 302),
    "metrics:quality": (200, 200, 403, 403, 403, 404, 302),
    "metrics:scores": (302, 302, 403, 302, 302, 404, 302),
    "metrics:leaderboard": (200, 200, 403, 200, 200, 404, 302),
    "metrics:leaderboard_csv": (200, 200, 403, 200, 200, 404, 302),
    "metrics:topics_tsv": (200, 200, 403, 200, 200, 404, 302),
    "metrics:run_scores": (200, 200, 403, 404, 200, 404, 302),
}
POST: dict[str, tuple[int, ...]] = {
    "accounts:sign_out": (302, 302, 302, 302, 302, 302, 302),
    "api:run_submit": (401, 401, 401, 401, 401, 401, 401),
    "accounts:token_revoke": (302, 404, 404, 404, 404, 404, 302),
    "pooling:campaign_new": (200, 200, 200, 200, 200, 200, 302),
    "pooling:people": (200, 403, 403, 403, 403, 404, 302),
    "pooling:member_remove": (302, 403, 403, 403, 403, 404, 302),
    "pooling:topic_list": (200, 403, 403, 403, 403, 404, 302),
    "pooling:run_list": (200, 403, 403, 200, 403, 404, 302),
    "pooling:report": (200, 403, 403, 200, 403, 404, 302),
    "pooling:pool": (200, 403, 403, 403, 403, 404, 302),
    "pooling:document_list": (200, 403, 403, 403, 403, 404, 302),
    "assess:settings": (200, 403, 403, 403, 403, 404, 302),
    "assess:judging": (200, 403, 403, 403, 403, 404, 302),
    "assess:top_up": (302, 403, 403, 403, 403, 404, 302),
    "assess:judgments_load": (200, 403, 403, 403, 403, 404, 302),
    "assess:judgment_card": (404, 403, 302, 403, 403, 404, 302),
    "assess:release_list": (302, 403, 403, 403, 403, 404, 302),
}


API: dict[tuple[str, str], tuple[int, ...]] = {  # by token
    ("get", "api:run_list"): (200, 200, 403, 200, 200, 404, 401),
    ("post", "api:run_submit"): (422, 422, 422, 422, 422, 422, 401),  # no file: nobody is told more
    ("get", "api:run"): (200, 200, 403, 404, 200, 404, 401),
}


def every_url(patterns: list[URLPattern | URLResolver], space: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield (name, the parts that its URL asks for)."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from every_url(pattern.url_patterns, pattern.namespace or space)
        else:
            yield f"{space}:{pattern.name}", list(pattern.pattern.converters)


URLS = dict(every_url(get_resolver().url_patterns))


def test_every_url_has_a_row() -> None:
    assert set(URLS) == {*GET, *POST}


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    release_qrels(campaign, make.make_user("carol"))
    return campaign


def place(name: str, campaign: Campaign, make: Factory) -> str:
    """Return the URL of a name, for things that the campaign holds."""
    key = 0
    if name == "pooling:member_remove":
        key = campaign.memberships.get(user__username="rita").pk
    if name == "accounts:token_revoke":
        create_token(make.make_user("carol"), "test")
        key = make.make_user("carol").api_tokens.first().pk  # type: ignore[union-attr]
    parts = {
        "slug": campaign.slug,
        "tag": "run",
        "pk": key or make.pooled(campaign, "2", "D1").pk,
        "number": "1",
        "token": invite(campaign, Role.READER),
    }
    return reverse(name, kwargs={part: parts[part] for part in URLS[name]})


def statuses(method: str, name: str, campaign: Campaign, make: Factory) -> dict[str, int]:
    found, url = {}, place(name, campaign, make)
    for person in PEOPLE:
        client = Client()
        if person:
            client.force_login(make.make_user(person))
        response = getattr(client, method)(url)
        list(response)  # a download is read to its end, which closes its file
        found[person] = response.status_code
        if name == "pooling:member_remove":  # so that everybody finds somebody to remove
            add_member(campaign, make.make_user("rita"), Role.READER)
    return found


@pytest.mark.parametrize("name", GET)
def test_who_may_look(name: str, campaign: Campaign, make: Factory) -> None:
    assert statuses("get", name, campaign, make) == dict(zip(PEOPLE, GET[name], strict=True))


@pytest.mark.parametrize("name", POST)
def test_who_may_act(name: str, campaign: Campaign, make: Factory) -> None:
    assert statuses("post", name, campaign, make) == dict(zip(PEOPLE, POST[name], strict=True))


@pytest.mark.parametrize("key", API, ids=" ".join)
def test_who_may_use_the_api(key: tuple[str, str], campaign: Campaign, make: Factory) -> None:
    method, name = key
    found = {}
    for person in PEOPLE:
        token = create_token(make.make_user(person), "test") if person else "jp_nobody"
        client = Client(headers={"Authorization": f"Bearer {token}"})
        found[person] = getattr(client, method)(place(name, campaign, make)).status_code
    assert found == dict(zip(PEOPLE, API[key], strict=True))


def test_the_api_has_a_row_for_every_operation() -> None:
    assert {name for _, name in API} == {name for name in URLS if name.startswith("api:")} - {
        "api:openapi-json",
        "api:openapi-view",
        "api:api-root",
    }


ACTS_ONLY = [name for name in URLS if name not in GET and name not in ("accounts:sign_out", "api:run_submit")]


@pytest.mark.parametrize("name", ACTS_ONLY)
def test_what_acts_does_not_answer_a_look(name: str, campaign: Campaign, make: Factory) -> None:
    assert statuses("get", name, campaign, make)["carol"] == 405


def test_a_participant_sees_own_runs_and_scores_alone(campaign: Campaign, make: Factory) -> None:
    make.make_run(campaign, "1 D1 1", tag="mine", group="davelab")
    client = Client()
    client.force_login(make.make_user("dave"))
    for url in ("runs/", "scores/1/", "scores/1/csv/", "scores/1/topics/"):
        content = client.get(f"/campaigns/tiny/{url}").content.decode()
        assert "mine" in content
        assert "carolab" not in content and ">run<" not in content and "\nrun" not in content
    assert client.get("/campaigns/tiny/runs/mine/").status_code == 200


JUDGE_MAY_SEE = [
    "pooling:campaign_list",
    "pooling:topic_list",
    "pooling:topic",
    "assess:my_topics",
    "assess:judge",
    "assess:judgment_card",
]


WITHOUT_CAMPAIGN = {
    "accounts:token_list",
    "api:openapi-json",
    "api:openapi-view",
    "pooling:campaign_new",
    "pooling:invitation",
}


def test_nothing_that_a_judge_can_open_tells_of_runs_or_of_other_judges(
    campaign: Campaign, make: Factory
) -> None:
    make.make_run(campaign, "1 D1 7.125", tag="zebra-run", group="zebra-group")
    make.make_judgment(campaign, "bob", "2", "D1", 1)
    opened = {name for name, expected in GET.items() if expected[PEOPLE.index("alice")] == 200}
    assert opened == {*JUDGE_MAY_SEE, *WITHOUT_CAMPAIGN}
    client = Client()
    client.force_login(make.make_user("alice"))
    for name in JUDGE_MAY_SEE:
        response = client.get(place(name, campaign, make))
        page = response.content.decode() + str(response.headers)
        for secret in ("zebra", "bob", "7.125", "run_count", "best_rank"):
            assert secret not in page, (name, secret)
        assert 'aria-pressed="true"' not in page, name
