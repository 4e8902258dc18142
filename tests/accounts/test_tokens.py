from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, RequestFactory
from django.utils import timezone

from accounts.api_auth import BearerToken
from accounts.models import ApiToken
from accounts.services import create_token, token_of_secret
from tests.support.factory import Factory
from tests.support.markup import markup

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("scope", "reads", "submits"), [("read", 200, 403), ("submit", 200, 201), ("all", 200, 201)]
)
def test_a_token_opens_as_much_as_its_scope_says(make: Factory, scope: str, reads: int, submits: int) -> None:
    make.make_pooled_campaign()
    token = create_token(make.make_user("carol"), "test", scope)
    client = Client(headers={"Authorization": f"Bearer {token}"})
    assert client.get("/api/campaigns/tiny/runs/").status_code == 200
    file = SimpleUploadedFile("t.run", b"1 Q0 D7 1 2.0 t\n")
    answer = client.post("/api/campaigns/tiny/runs/", {"file": file})
    assert answer.status_code == submits
    if submits == 403:
        assert "has the scope read; this needs submit" in answer.json()["title"]
        assert answer["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("scope", ["read", "submit"])
def test_what_changes_something_and_names_no_scope_takes_all(make: Factory, scope: str) -> None:
    carol, request = make.make_user("carol"), RequestFactory().delete("/api/thing/")
    assert BearerToken().authenticate(request, create_token(carol, "test", "all")) == carol
    with pytest.raises(PermissionDenied, match=f"has the scope {scope}; this needs all"):
        BearerToken().authenticate(request, create_token(carol, "test", scope))


def test_the_page_shows_scope_and_last_use(make: Factory) -> None:
    carol, client = make.make_user("carol"), Client()
    client.force_login(carol)
    token = create_token(carol, "nightly", "submit")
    assert "never" in markup(client.get("/tokens/"))
    token_of_secret(token)
    page = markup(client.get("/tokens/"))
    assert "<td>Read, and submit runs</td>" in page and "never" not in page


def test_the_form_offers_the_least_first(make: Factory) -> None:
    client = Client()
    client.force_login(make.make_user("carol"))
    assert '<option value="read" selected>' in markup(client.get("/tokens/"))


def test_use_is_noted_every_ten_minutes(make: Factory) -> None:
    token = create_token(make.make_user("carol"), "test")
    token_of_secret(token)
    first = ApiToken.objects.get().last_used_at
    token_of_secret(token)
    assert ApiToken.objects.get().last_used_at == first
    ApiToken.objects.update(last_used_at=timezone.now() - timedelta(minutes=11))
    token_of_secret(token)
    assert first and ApiToken.objects.get().last_used_at >= first  # type: ignore[operator]
