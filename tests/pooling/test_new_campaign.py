"""Who may create campaigns, and under which short names."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.core.management import CommandError, call_command
from django.db.models import QuerySet
from django.test import Client
from pytest_django import Settings

from pooling.models import Campaign
from pooling.scale import FOUR_STEPS, Grade, write_scale
from pooling.services.people import create_campaign
from tests.support.factory import Factory
from tests.support.markup import markup

URL = "/new-campaign/"
ANSWERS = {"name": "Boats", "slug": "", "scale": write_scale(FOUR_STEPS), "threshold": "2"}


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


@pytest.fixture
def creator(make: Factory) -> Client:
    make.let_create_campaigns("carol")
    return signed_in(make, "carol")


def test_a_person_without_the_right_creates_no_campaign(make: Factory) -> None:
    client = signed_in(make, "mallory")
    for answer in (client.get(URL), client.post(URL, ANSWERS)):
        assert answer.status_code == 403
        assert "may not create campaigns" in markup(answer)
    home = markup(client.get("/"))
    assert URL not in home and "create a campaign" not in home
    assert not Campaign.objects.exists()


def test_an_administrator_creates_campaigns_and_lets_others(make: Factory) -> None:
    make.make_administrator("sam")
    sam, mallory = signed_in(make, "sam"), make.make_user("mallory")
    assert URL in markup(sam.get("/"))
    page = markup(sam.get(f"/admin/accounts/user/{mallory.pk}/change/"))
    assert page.count("Can add campaign") == 1
    assert "Can add membership" not in page  # of no use to anybody: not offered
    right = Permission.objects.get(codename="add_campaign")
    sam.post(
        f"/admin/accounts/user/{mallory.pk}/change/",
        {"name": "", "email": "", "is_active": "on", "user_permissions": [right.pk]},
    )
    client = signed_in(make, "mallory")
    assert URL in markup(client.get("/"))
    assert client.post(URL, ANSWERS).status_code == 302
    assert sam.post(URL, ANSWERS | {"slug": "sams"}).status_code == 302


def test_a_site_may_let_everybody_create_campaigns(make: Factory, settings: Settings) -> None:
    settings.CAMPAIGN_CREATORS = "everyone"
    client = signed_in(make, "mallory")
    assert URL in markup(client.get("/"))
    assert client.post(URL, ANSWERS).status_code == 302


def test_a_short_name_that_is_taken_at_the_same_moment_is_refused_in_the_form(
    creator: Client, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.make_campaign("boats")
    monkeypatch.setattr(QuerySet, "exists", lambda self: False)
    answer = creator.post(URL, ANSWERS)
    assert answer.status_code == 200
    assert "There is a campaign with the short name boats already." in markup(answer)
    assert Campaign.objects.count() == 1


@pytest.mark.parametrize(("name", "slug"), [("Boats", "boats"), ("x" * 120, "x" * 60)])
def test_the_short_name_is_made_from_the_name(creator: Client, name: str, slug: str) -> None:
    assert creator.post(URL, ANSWERS | {"name": name}).status_code == 302
    assert Campaign.objects.get().slug == slug


def test_a_name_that_makes_no_short_name_asks_for_one(creator: Client) -> None:
    answer = creator.post(URL, ANSWERS | {"name": "検索"})
    assert answer.status_code == 200
    assert "Enter a short name" in markup(answer)
    assert not Campaign.objects.exists()


def test_the_command_says_that_a_short_name_is_taken(make: Factory) -> None:
    create_campaign(make.make_user("carol"), "Boats", "boats", FOUR_STEPS, 2)
    with pytest.raises(CommandError, match="There is a campaign with the short name boats already"):
        call_command("create_campaign", "Boats", organiser="carol")


ROWS = {
    "scale-value": ["2", "", "0", "1"],
    "scale-label": ["Relevant", "", "No", "Partly"],
    "scale-definition": ["Answers it.", "", "", "In part."],
    "scale-gain": ["5", "", "", ""],
}


def test_a_scale_is_read_from_rows_in_any_order_without_empty_ones(creator: Client) -> None:
    assert creator.post(URL, {"name": "Boats", "slug": "", "threshold": "2", **ROWS}).status_code == 302
    assert Campaign.objects.get().grades == (
        Grade(0, "No", "", 0), Grade(1, "Partly", "In part.", 1), Grade(2, "Relevant", "Answers it.", 5),
    )  # fmt: skip


def test_a_value_that_is_there_twice_is_named_and_the_rows_stay(creator: Client) -> None:
    rows = ROWS | {"scale-value": ["2", "", "2", "1"]}
    page = markup(creator.post(URL, {"name": "Boats", "slug": "", "threshold": "2", **rows}))
    assert "grade 2 is there twice; give every grade a value of its own" in page
    assert 'name="scale-definition" value="Answers it."' in page
    assert not Campaign.objects.exists()


def test_a_preset_fills_the_rows_without_javascript(creator: Client) -> None:
    page = markup(creator.get(URL, {"preset": "web"}))
    assert 'value="Navigational"' in page and page.count('name="scale-value"') == 10
    assert 'value="Complete"' in markup(creator.get(URL, {"preset": "nothing"}))  # the usual one


def test_a_name_with_a_bar_is_refused_and_hostile_text_is_escaped(creator: Client) -> None:
    rows = ROWS | {"scale-label": ["<b>a|b|c", "", "No", "Partly"]}
    page = markup(creator.post(URL, {"name": "Boats", "slug": "", "threshold": "2", **rows}))
    assert "no field contains a |" in page and "<b>a" not in page
