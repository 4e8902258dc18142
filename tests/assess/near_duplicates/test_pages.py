"""The organiser's page: find, look, split, freeze, discard, download; large campaigns in the background."""

from __future__ import annotations

import pytest
from django.test import Client

from assess.models import DuplicateClassification, DuplicateMember
from assess.near_duplicates import views
from pooling.models import Campaign, Job
from tests.assess.near_duplicates.conftest import freeze, sample
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/judging/near-duplicates/"
VALUES = {"threshold": "0.8", "share": "0", "seed": "7"}


@pytest.fixture
def client(make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def text_of(client: Client, address: str = PAGE) -> str:
    return " ".join(markup(client.get(address)).split())


def test_from_the_search_to_the_frozen_classes(pooled: Campaign, client: Client) -> None:
    assert "Find near duplicates</button>" in text_of(client)
    response = client.post(PAGE, VALUES, follow=True)
    assert "1 class found. Nothing has changed for judges." in markup(response)
    page = text_of(client)
    assert "Freeze 1 class</button>" in page
    assert "Documents not given to judges</dt><dd>3</dd>" in page
    draft = DuplicateClassification.objects.get()
    assert draft.parameters["seed"] == 7
    response = client.post(f"{PAGE}freeze/", {"sha256": draft.sha256}, follow=True)
    assert "The classes are frozen. Judges do not get 3 documents." in markup(response)
    page = text_of(client)
    assert "Freeze" not in page
    assert "none measured" in page


def test_a_class_shows_its_documents_and_is_split(pooled: Campaign, make: Factory, client: Client) -> None:
    freeze(pooled, make)
    (only,) = pooled.near_duplicates.classes.all()
    place = f"{PAGE}{only.pk}/"
    assert "<ins>other30</ins>" in text_of(client, place)
    response = client.post(f"{place}split/", {"docno": "D4"}, follow=True)
    assert "D4 is judged by itself." in markup(response)
    assert DuplicateMember.objects.get(split__by__username="carol").pooled.docno == "D4"
    assert "3 <small" in text_of(client)
    assert client.post(f"{place}split/", {"docno": "D1"}).status_code == 404


def test_doubtful_classes_are_listed_first(pooled: Campaign, make: Factory, client: Client) -> None:
    freeze(pooled, make)
    assert "Classes to look at" not in text_of(client)
    pooled.near_duplicates.classes.update(is_doubtful=True)
    page = text_of(client)
    assert page.index("Classes to look at") < page.index("All classes</h2>")


def test_the_download_has_a_line_for_each_document(pooled: Campaign, make: Factory, client: Client) -> None:
    freeze(pooled, make)
    sample("D2")
    assert client.get(f"{PAGE}tsv/").content.decode().splitlines() == [
        "topic\trepresentative\tdocno\tsimilarity\tstate",
        "1\tD1\tD1\t1.0000\trepresentative",
        "1\tD1\tD2\t0.9355\tjudged on purpose",
        "1\tD1\tD3\t1.0000\tpropagated",
        "1\tD1\tD4\t0.8462\tpropagated",
    ]


def test_refusals_are_said(pooled: Campaign, make: Factory, client: Client) -> None:
    response = client.post(f"{PAGE}freeze/", {"sha256": "0" * 64}, follow=True)
    assert "Other classes were found in the meantime." in markup(response)
    freeze(pooled, make)
    make.make_judgment(pooled, "alice", "1", "D5", 0)
    assert "Judging has begun: classes" in markup(client.post(PAGE, VALUES, follow=True))
    assert "Judging has begun with these classes" in markup(client.post(f"{PAGE}discard/", follow=True))
    assert DuplicateClassification.objects.exists()


@pytest.mark.parametrize(("name", "value"), [("threshold", "0.2"), ("share", "101"), ("threshold", "")])
def test_bad_values_are_refused(pooled: Campaign, client: Client, name: str, value: str) -> None:
    response = client.post(PAGE, VALUES | {name: value})
    assert response.status_code == 200
    assert 'class="alert' in markup(response)
    assert not DuplicateClassification.objects.exists()


def test_a_large_campaign_is_compared_by_a_job(
    pooled: Campaign, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "BACKGROUND_DOCUMENTS", 3)
    client.post(PAGE, VALUES)
    job = Job.objects.get()
    assert (job.state, job.message) == (Job.State.DONE, "1 class found")
    assert job.result_url == PAGE
    assert DuplicateClassification.objects.get().document_count == 8


def test_documents_pooled_later_are_counted(pooled: Campaign, make: Factory, client: Client) -> None:
    freeze(pooled, make)
    make.make_run(pooled, "1 D7 3", "later")
    make.make_pool(pooled)
    assert "1 document in no class" in text_of(client)
