"""Two people change the same thing on pages that both opened before: no change is put back."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from django.test import Client

from assess.models import JudgingPlan
from pooling.models import Campaign, Topic
from tests.pooling.test_transactions import at_once
from tests.support.factory import Factory
from tests.support.forms import FormValues


class Page(NamedTuple):
    """A page with a form. first, second: a field and a value that two people enter; other: another value."""

    address: str
    first: tuple[str, str]
    second: tuple[str, str]
    other: str


PAGES = {
    "settings": Page(
        "settings/", ("guidelines", "Read\r\nall of it."), ("contact", "carol"), "Read nothing."
    ),
    "dates": Page(
        "settings/dates/",
        ("submission_closes_at", "2031-05-01T12:00"),
        ("judging_ends_at", "2031-06-01T12:00"),
        "2031-05-02T12:00",
    ),
    "cost": Page("judging/cost/", ("hourly_rate", "20.50"), ("currency", "CHF"), "19.00"),
    "plan": Page("judging/plan/", ("repeat_share", "5"), ("overlap_share", "30"), "6"),
    "topic": Page("topics/1/edit/", ("narrative", "Two\r\nlines."), ("description", "New."), "Three lines."),
}
ROWS = {"plan": JudgingPlan, "topic": Topic}


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    return make.make_pooled_campaign()


@pytest.fixture
def carol(make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def shown(client: Client, address: str) -> dict[str, Any]:
    values = FormValues(client.get(address).content.decode(), "stack").values
    return values | ({"reason": "so"} if address.endswith("/edit/") else {})


def stored(name: str, field: str) -> str:
    model = ROWS.get(name, Campaign)
    return str(model._base_manager.values_list(field, flat=True)[0])


@pytest.mark.parametrize("name", PAGES)
def test_each_keeps_what_the_other_changed(name: str, campaign: Campaign, carol: Client) -> None:
    page = PAGES[name]
    address = f"/campaigns/tiny/{page.address}"
    early, late = shown(carol, address), shown(carol, address)
    assert carol.post(address, early | dict([page.first])).status_code == 302
    before = stored(name, page.first[0])
    assert carol.post(address, late | dict([page.second])).status_code == 302
    assert stored(name, page.first[0]) == before
    assert before not in ("", "None")
    assert stored(name, page.second[0]) not in ("", "None")


@pytest.mark.parametrize("name", PAGES)
def test_both_changed_one_field(name: str, campaign: Campaign, carol: Client) -> None:
    """The second person sees the value of the first one, and replaces it by saving again."""
    page = PAGES[name]
    field, value = page.first
    address = f"/campaigns/tiny/{page.address}"
    early, late = shown(carol, address), shown(carol, address)
    carol.post(address, early | {field: value})
    before = stored(name, field)
    answer = carol.post(address, late | {field: page.other})
    assert answer.status_code == 200
    sentence = f"Another person changed this meanwhile to “{value}"
    assert " ".join(sentence.split()) in " ".join(answer.content.decode().split())
    assert stored(name, field) == before
    again = FormValues(answer.content.decode(), "stack").values
    assert again[field] in (page.other, [page.other])
    assert carol.post(address, again | ({"reason": "so"} if name == "topic" else {})).status_code == 302
    assert stored(name, field) != before


def test_a_field_left_alone_is_never_a_change(campaign: Campaign, carol: Client) -> None:
    """A page that is saved as it was shown changes nothing and leaves no entry in the audit log."""
    for page in PAGES.values():
        address = f"/campaigns/tiny/{page.address}"
        before = campaign.audit_log.count()
        assert carol.post(address, shown(carol, address)).status_code == 302, page
        assert campaign.audit_log.count() == before, page


def test_a_ticked_box_of_another_person_stays(campaign: Campaign, carol: Client) -> None:
    early, late = (shown(carol, "/campaigns/tiny/settings/") for _ in "ab")
    carol.post("/campaigns/tiny/settings/", early | {"joins_lines": "on"})
    carol.post("/campaigns/tiny/settings/", late | {"contact": "carol"})
    campaign.refresh_from_db()
    assert (campaign.joins_lines, campaign.contact) == (True, "carol")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", PAGES)
def test_both_save_at_the_same_time(name: str) -> None:
    make, page = Factory(), PAGES[name]
    make.make_pooled_campaign()
    address = f"/campaigns/tiny/{page.address}"
    clients = [Client(), Client()]
    for client in clients:
        client.force_login(make.make_user("carol"))
    values = [
        shown(client, address) | dict([entered])
        for client, entered in zip(clients, (page.first, page.second), strict=True)
    ]
    answers = at_once(
        lambda: clients[0].post(address, values[0]).status_code,
        lambda: clients[1].post(address, values[1]).status_code,
    )
    assert answers == [302, 302]
    for field, _ in (page.first, page.second):
        assert stored(name, field) not in ("", "None")
