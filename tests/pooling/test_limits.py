"""What people write has an end: topics, guidelines, descriptions."""

from __future__ import annotations

import pytest
from django.test import Client

from pooling import limits
from pooling.formats.files import BadFile
from pooling.models import Campaign
from pooling.scale import write_scale
from pooling.services.topics import load_topics
from pooling.templatetags.markdown import MAX_TAGS, markdown
from tests.support.factory import Factory
from tests.support.markup import markup


def build_campaign(make: Factory) -> Campaign:
    return make.make_campaign()


@pytest.fixture
def organiser(campaign: Campaign, make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def topics(first: int, last: int) -> bytes:
    return "".join(f"{number}\ttitle-{number}\n" for number in range(first, last + 1)).encode()


def test_a_campaign_takes_no_more_topics_than_the_limit_over_all_files(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pooling.services.topics.MAX_TOPICS", 5)
    load_topics(campaign, topics(1, 3), "first.tsv")
    with pytest.raises(BadFile, match="at most 5 topics in a campaign; it has 3, and this file has 3 more"):
        load_topics(campaign, topics(4, 6), "second.tsv")
    load_topics(campaign, topics(4, 5), "second.tsv")
    assert campaign.topics.count() == 5


def test_many_topics_come_in_pages(campaign: Campaign, organiser: Client) -> None:
    load_topics(campaign, topics(1, 450), "topics.tsv")
    first, last = (markup(organiser.get("/campaigns/tiny/topics/", {"page": page})) for page in ("1", "3"))
    assert "450 topics" in first and ">title-200<" in first and ">title-201<" not in first
    assert ">title-401<" in last and ">title-400<" not in last
    assert "Page 3 of 3" in last and 'href="?page=2"' in last
    for odd in ("0", "99", "x", ""):
        assert organiser.get("/campaigns/tiny/topics/", {"page": odd}).status_code == 200


def test_a_long_title_is_cut_in_the_list_alone(campaign: Campaign, organiser: Client) -> None:
    load_topics(campaign, b"1\t" + b"word " * 1000 + b"end\n", "topics.tsv")
    assert "end<" not in markup(organiser.get("/campaigns/tiny/topics/"))
    assert "end<" in markup(organiser.get("/campaigns/tiny/topics/1/"))


@pytest.mark.parametrize(
    ("field", "limit"),
    [("guidelines", limits.MAX_GUIDELINES), ("description", limits.MAX_DESCRIPTION)],
)
def test_the_settings_refuse_a_text_beyond_its_limit(
    campaign: Campaign, organiser: Client, field: str, limit: int
) -> None:
    answers = {
        "name": "Tiny",
        "scale": write_scale(campaign.grades),
        "threshold": "2",
        "run_depth": "1000",
    }
    page = organiser.post("/campaigns/tiny/settings/", answers | {field: "x" * (limit + 1)})
    assert f"at most {limit} characters" in markup(page)
    assert organiser.post("/campaigns/tiny/settings/", answers | {field: "x" * limit}).status_code == 302
    campaign.refresh_from_db()
    assert len(getattr(campaign, field)) == limit


@pytest.mark.parametrize(
    "text",
    ["<pre>" * (MAX_TAGS + 1), "**a " * MAX_TAGS + "a**" * MAX_TAGS, "*a* " * limits.MAX_GUIDELINES],
)
def test_guidelines_with_too_many_elements_are_shown_as_plain_text(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cleaning takes time with the square of the depth of elements."""

    def fail(*args: object, **options: object) -> str:
        raise AssertionError("cleaned all the same")

    monkeypatch.setattr("nh3.clean", fail)
    shown = markdown(text)
    assert shown.startswith("<p>") and shown.count("<") < 10


def test_guidelines_of_a_usual_size_are_rendered_and_cleaned() -> None:
    text = "# Title\n\n" + "- *one* <kbd>x</kbd> <script>alert(1)</script>\n" * 300
    shown = markdown(text)
    assert shown.count("<li><em>one</em> <kbd>x</kbd>") == 300
    assert "script" not in shown
