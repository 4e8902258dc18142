"""Sign-in at an OpenID Connect provider, in the browser from the page to the provider and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from accounts.models import User
from pooling.models import Role
from pooling.services.people import invite
from tests.browser.conftest import violations
from tests.support.factory import Factory
from tests.support.oidc_provider import Provider, running_provider, use_provider

pytestmark = pytest.mark.browser
OpenPage = Callable[..., Page]


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    with running_provider() as provider:
        use_provider(provider, settings)
        yield provider


def test_a_person_refuses_joins_and_comes_back_to_the_page_that_was_asked_for(
    provider: Provider, open_page: OpenPage, make: Factory
) -> None:
    link = f"/invitations/{invite(make.make_campaign(), Role.READER)}/"
    page = open_page()
    page.goto(link)
    page.get_by_role("button", name="Sign in with Campus").click()
    page.get_by_role("link", name="Cancel").click()
    expect(page.get_by_text("Campus did not permit the sign-in.")).to_be_visible()
    assert violations(page) == []
    page.goto(link)
    page.get_by_role("button", name="Sign in with Campus").click()
    page.get_by_role("link", name="Continue as Rosa").click()
    page.get_by_role("button", name="Create account and join").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    page.goto("/measures/")
    page.get_by_role("button", name="Sign in with Campus").click()
    page.get_by_role("link", name="Continue as Rosa").click()
    page.wait_for_url("**/measures/")
    assert User.objects.get(username="rosa").identities.count() == 1


def test_a_member_links_an_account_in_the_browser(
    provider: Provider, open_page: OpenPage, make: Factory
) -> None:
    make.make_user("alice")
    page = open_page("alice")
    page.goto("/account/")
    assert violations(page) == []
    page.get_by_role("button", name="Link with Campus").click()
    page.get_by_role("button", name="Continue to Campus").click()
    page.get_by_role("link", name="Continue as Rosa").click()
    expect(page.get_by_text("Your account is linked with Campus.")).to_be_visible()
    expect(page.get_by_role("button", name="Unlink from Campus")).to_be_visible()
