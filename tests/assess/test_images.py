"""The images of a document are shown to those who see its text, those of a topic to every member."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from pytest_django import Settings

from assess.document.webpage import marked_page
from assess.models import Judgment
from assess.services.campaigns import clone_campaign, delete_campaign, delete_unnamed_files
from pooling.formats.images import ShownImage
from pooling.models import Campaign, Image
from tests.support.factory import Factory
from tests.support.images import png
from tests.support.markup import markup

IMAGE = ShownImage("figure 1.png", "/campaigns/tiny/images/ab/", 5, 3)


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_document(campaign, "D1", '<html><p>A boat<img src="f/b.png" alt="Its mast"><img src="x.png">')
    make.make_image(campaign, "documents/D1/a.png", "documents/D1/b.png", "documents/D9.png", "topics/1.png")
    return campaign


def client_of(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def test_a_judge_sees_the_images_of_documents_in_the_queue(campaign: Campaign, make: Factory) -> None:
    page = markup(client_of(make, "alice").get("/campaigns/tiny/judge/topics/1/"))
    address = f"/campaigns/tiny/images/{campaign.images.all()[0].sha256}/"
    shown = re.findall(r'<img[^>]*src="([^"]+)"\s+alt="([^"]+)"\s+width="5"\s+height="3"', page)
    assert set(shown) == {
        (address, "Image 1 of 1: a.png"),
        (address, "b.png"),
        (address, "Image 1 of 1: 1.png"),
    }
    assert "x.png" not in page


@pytest.mark.parametrize(
    ("name", "of_topic", "of_queue", "of_others"),
    [
        ("carol", 200, 200, 200), ("ada", 200, 200, 200), ("alice", 200, 200, 404), ("dave", 200, 404, 404),
        ("rita", 200, 404, 404), ("mallory", 404, 404, 404),
    ],
)  # fmt: skip
def test_who_may_open_an_image(
    campaign: Campaign, make: Factory, name: str, of_topic: int, of_queue: int, of_others: int
) -> None:
    for number, image in enumerate(campaign.images.exclude(name="b.png").order_by("-topic", "docno")):
        Image.objects.filter(pk=image.pk).update(sha256=f"{number}")
    client = client_of(make, name)
    keys = [campaign.images.get(name=name).sha256 for name in ("1.png", "a.png", "D9.png")]
    answers = [client.get(f"/campaigns/tiny/images/{key}/").status_code for key in keys]
    assert answers == [of_topic, of_queue, of_others]


def test_an_image_is_sent_as_what_it_is_and_cached(campaign: Campaign, make: Factory) -> None:
    client, sha256 = client_of(make, "alice"), campaign.images.all()[0].sha256
    response = client.get(f"/campaigns/tiny/images/{sha256}/")
    assert response.content == png()
    assert {name: response[name] for name in ("Content-Type", "X-Content-Type-Options", "ETag")} == {
        "Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "ETag": f'"{sha256}"',
    }  # fmt: skip
    assert response["Content-Security-Policy"].startswith("default-src 'none'; ")
    assert response["Content-Disposition"] == "inline"
    assert response["Cache-Control"] == "private, max-age=31536000, immutable"
    again = client.get(f"/campaigns/tiny/images/{sha256}/", headers={"If-None-Match": f'"{sha256}"'})
    assert again.status_code == 304


def test_a_label_of_earlier_images_is_refused(campaign: Campaign, make: Factory) -> None:
    entry = make.entry(campaign, "alice", "1", "D1")
    client, url = client_of(make, "alice"), f"/campaigns/tiny/judge/{entry.pk}/"
    (shown,) = re.findall(r'data-text-hash="(\w+)"', markup(client.get(url)))
    make.make_image(campaign, "documents/D1/c.png")
    answers = {"relevance": "2", "docno": "D1", "text_hash": shown, "source": "click"}
    client.post(url, answers | {"uuid": "00000000-0000-4000-8000-000000000000"})
    assert not Judgment.objects.filter(judge__username="alice").exists()


def test_a_clone_has_the_images_of_topics_and_deletion_leaves_them(
    campaign: Campaign, make: Factory, settings: Settings
) -> None:
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}  # which runs it a day later
    clone = clone_campaign(campaign, make.make_user("carol"), "Next", "next")
    (image,) = clone.images.select_related("topic")
    assert image.topic and image.topic.campaign == clone
    delete_campaign(campaign, make.make_user("carol"))
    delete_unnamed_files.call([str(image.file.name)])
    assert image.file.storage.exists(str(image.file.name))


@pytest.mark.parametrize(
    "source", ["https://evil.example/figure%201.png?a#b", "figure 1.png", "/a/b/figure 1.png"]
)
def test_a_web_page_shows_a_stored_image_in_its_place(source: str) -> None:
    page = marked_page(f'<p>a<img src="{source}" alt="&lt;b&gt;" onerror="x()">b</p>', [], [IMAGE])
    assert page.html == (
        '<p>a<a href="/campaigns/tiny/images/ab/" target="_blank" rel="noopener">'
        '<img src="/campaigns/tiny/images/ab/" alt="figure 1.png" width="5" height="3" loading="lazy"></a>'
        "[Image: &lt;b&gt;]b</p>"
    )
    assert page.shown == {"figure 1.png"}


@pytest.mark.parametrize("source", ["https://evil.example/x.png", "http://[", "data:image/png;base64,AA", ""])
def test_a_web_page_loads_no_other_image(source: str) -> None:
    assert marked_page(f'<p>a<img src="{source}">b</p>', [], [IMAGE]).html == "<p>ab</p>"
