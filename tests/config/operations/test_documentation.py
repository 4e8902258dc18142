"""The documentation under /docs/: as built, or a page that says how to build it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.template import Context, Template
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from tests.support.factory import Factory

ROOT = Path(__file__).resolve().parents[3]
LINK = re.compile(r'documentation_link "([^"]+)"')


@pytest.fixture
def built(settings: Settings, tmp_path: Path) -> None:
    """A built site of one page."""
    settings.WHITENOISE_ROOT = tmp_path / "web_root"
    (settings.WHITENOISE_ROOT / "docs").mkdir(parents=True)
    (settings.WHITENOISE_ROOT / "docs" / "index.html").write_text("<h1>Documentation</h1>")


@pytest.mark.usefixtures("built", "db")
def test_the_built_pages_are_served_to_everybody_under_the_policy_of_all_pages() -> None:
    client = Client()
    page, application = client.get("/docs/"), client.get(reverse("accounts:sign_in"))
    assert (page.status_code, b"".join(page.streaming_content)) == (200, b"<h1>Documentation</h1>")  # type: ignore[attr-defined]
    assert client.get("/docs").status_code == 302
    assert "script-src 'self'" in page["Content-Security-Policy"]
    assert page["Content-Security-Policy"] == application["Content-Security-Policy"]
    unknown = client.get("/docs/unknown.html")
    assert unknown.status_code == 404 and b"has no such page" in unknown.content


@pytest.mark.django_db
def test_without_a_built_site_the_address_says_how_to_build_it(settings: Settings) -> None:
    settings.WHITENOISE_ROOT = None
    answer = Client().get("/docs/")
    assert answer.status_code == 404 and b"make docs" in answer.content


def link(page: str) -> str:
    template = Template('{% load documentation %}{% documentation_link page "About" %}')
    return template.render(Context({"page": page}))


@pytest.mark.usefixtures("built")
def test_a_link_appears_only_if_its_page_was_built() -> None:
    assert link("index.html") == '<a href="/docs/">About</a>'
    assert link("reference/index.html") == ""


def test_pages_have_no_link_without_a_built_site(make: Factory, client: Client, settings: Settings) -> None:
    settings.WHITENOISE_ROOT = None
    client.force_login(make.make_user("carol"))
    assert b"/docs/" not in client.get("/").content and link("index.html") == ""
