"""No GET of a page, a download or the API of scores changes a row of any table."""

from __future__ import annotations

import hashlib

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse

from accounts.services import create_token
from metrics.battles.services import release_battles
from metrics.services import score_release
from pooling.models import Campaign
from tests.metrics.conftest import signed_in
from tests.support.factory import Factory
from tests.support.places import URLS

OWN = {"accounts", "sessions", "axes"}  # apps that note who was here
API = ("api:score_list", "api:run_scores", "api:scores_file", "api:collection")
NAMES = [name for name in URLS if name.startswith("metrics:") and "slug" in URLS[name]] + [*API]
MEASURES = "?measures=AP(rel=2)+RBP(p=0.5)+P@3+SetF"
COMPARED = "&measure=AP(rel=2)&order=P@3&runs=sloop&runs=wheel&runs=late"
PEOPLE = ("carol", "rita", "dave", "")


def tables() -> dict[str, str]:
    """Return a checksum of the rows of every table but those of sign-in."""
    found = {}
    for model in apps.get_models():
        if model._meta.app_label not in OWN and model._meta.managed:
            rows = model._default_manager.order_by("pk").values_list()
            found[model._meta.label] = hashlib.sha256(repr(list(rows)).encode()).hexdigest()
    return found


def client_of(make: Factory, name: str, person: str) -> Client:
    if name.startswith("api:") and person:
        token = create_token(make.make_user(person), "test")
        return Client(headers={"Authorization": f"Bearer {token}"})
    return signed_in(make, person) if person else Client()


@pytest.fixture
def published(many_topics: Campaign, make: Factory) -> Campaign:
    """Published; the usual scores of all runs but the last are stored."""
    score_release(many_topics.releases.get())
    make.make_run(many_topics, "1 A 2\n2 C 1", tag="late", group="mill")
    make.publish(many_topics)
    Campaign.objects.update(shows_topic_statistics=True)
    return many_topics


def test_no_get_of_scores_changes_a_row(published: Campaign, make: Factory) -> None:
    parts = {
        "slug": "tiny", "number": 1, "tag": "wheel", "topic": "1", "form": "csv", "kind": "qrels",
        "pk": make.make_panel(published).pk, "version": 1,
    }  # fmt: skip
    make.make_preferences(published)
    make.make_snippets(published)
    make.make_magnitudes(published)
    make.make_grading(published)
    make.make_pyramid(published)
    make.make_matching(published)
    make.make_support(published)
    make.make_battle_program(published)
    make.make_matching_program(published)
    released = make.make_answer_release(published).pk
    make.make_system_figures(published)
    battles = make.make_battles(published)
    make.make_battle_vote(battles.battles.all()[0], "left")
    release_battles(battles, make.make_user("carol"))
    make.make_interleaving(published, "zebra-left", "zebra-right")
    clicks = make.make_clicks(published).pk
    make.make_ab_test(published)
    make.make_machine(published, "1 0 A 1\n1 0 B 0\n2 0 C 1\n")
    make.make_audit(published, "judge")
    urls = {}
    for name in NAMES:
        own = parts | {"pk": clicks} if name.startswith("metrics:interleaving_clicks") else parts
        own = own | {"pk": released} if name.startswith("metrics:answer_release") else own
        urls[name] = reverse(name, kwargs={part: own[part] for part in URLS[name]})
    clients = {(name, person): client_of(make, name, person) for name in NAMES for person in PEOPLE}
    statuses: dict[str, list[int]] = {}
    before = tables()
    for name, url in urls.items():
        for person in PEOPLE:
            asked = "" if name == "api:collection" else MEASURES
            query = asked if name in API else MEASURES + COMPARED
            response = clients[name, person].get(url + query)
            list(response)  # a download is read to its end
            statuses.setdefault(name, []).append(response.status_code)
        after = tables()
        assert [table for table in after if after[table] != before[table]] == [], name
    opened = {name for name, found in statuses.items() if 200 in found}
    assert set(NAMES) - opened == {
        "metrics:scores", "metrics:swap_draws",  # leads to the leaderboard; one judge: nothing to swap
        "metrics:near_duplicate_scores_csv",  # no release has propagated labels
        "metrics:machine_audit_give", "metrics:battle_release",  # these take a POST only
        "metrics:system_quality_remove",
        "metrics:interleaving_clicks_withdraw",
        "metrics:interleaving_clicks_restore", "metrics:interleaving_clicks_replace",
        "metrics:ab_test_withdraw",
    }, statuses  # fmt: skip
