"""The page that sends requests to an endpoint: who may, what it says before, and what it says after."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from pytest_django import Settings

from assess.models import MachineLabelling
from tests.assess.machines.test_sending import make_labelling, server
from tests.support.chat_server import ChatServer, Reply, completion, error
from tests.support.factory import Factory
from tests.support.markup import markup

__all__ = ["server"]
PAGE = "/campaigns/tiny/judging/machines/labellings/1/endpoint/"
FORM = {
    "endpoint": "local", "requests": "5", "parallel": "1", "input_price": "1000", "output_price": "2000",
    "ceiling": "1",
}  # fmt: skip


@pytest.fixture
def labelling(make: Factory) -> MachineLabelling:
    return make_labelling(make)


@pytest.fixture
def carol(labelling: MachineLabelling, make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def test_without_an_endpoint_or_the_permission_the_page_points_to_batch_files(
    carol: Client, labelling: MachineLabelling, server: ChatServer, settings: Settings
) -> None:
    labelling.created_by.user_permissions.clear()
    shown = markup(carol.get(PAGE))
    assert "An administrator can give you this permission." in shown and "<button>Continue" not in shown
    assert "An administrator can give you" in markup(carol.post(PAGE, FORM | {"confirmed": "yes"}))
    assert carol.post(f"{PAGE}again/failed/", {"confirmed": "yes"}, follow=True).status_code == 200
    settings.ENDPOINTS = {}
    assert "This installation has no endpoint" in markup(carol.get(PAGE))
    assert server.bodies == [] and not labelling.campaign.audit_log.filter(verb="sent requests").exists()


def test_the_cost_is_shown_before_anything_is_sent(
    carol: Client, labelling: MachineLabelling, server: ChatServer
) -> None:
    server.script = [Reply(400, error("Too long.")), Reply(200, completion(), cut=9)]
    asked = markup(carol.post(PAGE, FORM))
    assert "Send 5 requests" in asked and "The cost could pass the ceiling." in asked
    assert f"local, http://127.0.0.1:{server.server_port}/v1" in asked
    assert server.bodies == []
    carol.post(PAGE, FORM | {"confirmed": "yes", "ceiling": "5"})
    assert len(server.bodies) == 5
    shown = markup(carol.get(PAGE))
    assert "1 sent, answer not stored" in shown and "1 failed" in shown
    assert "5 requests" in shown and "cost at most" in shown
    asked = markup(carol.post(f"{PAGE}again/sent/"))
    assert "Send 1 request again" in asked and "may be paid for twice" in asked
    shown = markup(carol.post(f"{PAGE}again/sent/", {"confirmed": "yes"}, follow=True))
    assert "1 request waits again. Nothing has been sent." in shown
    assert len(server.bodies) == 5
    entries = labelling.campaign.audit_log.filter(verb__in=["sent requests", "released requests"])
    assert set(entries.values_list("who", "verb")) == {
        ("carol", "sent requests"),
        ("carol", "released requests"),
    }
    assert carol.post(f"{PAGE}again/answered/").status_code == 404


def test_a_ceiling_needs_both_prices(carol: Client, server: ChatServer) -> None:
    shown = markup(carol.post(PAGE, FORM | {"input_price": ""}))
    assert "Enter both prices and the ceiling, or none of the three." in shown
    shown = markup(carol.post(PAGE, FORM | {"input_price": "", "output_price": "", "ceiling": ""}))
    assert "No prices are known, so the cost is not limited" in shown
    carol.get(PAGE)
    assert server.bodies == []


def test_an_administrator_can_give_the_permission(make: Factory) -> None:
    client = Client()
    client.force_login(make.make_administrator("root"))
    page = client.get(f"/admin/accounts/user/{make.make_user('carol').pk}/change/")
    assert str(Permission.objects.get(codename="ask_endpoint")) in page.content.decode()
