"""The organiser's pages: load a collection, begin reviews, look, go on, stop, download."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from assess.active_learning.services.batches import freeze_batches
from assess.active_learning.services.collections import load_collection
from assess.models import Review, ReviewCollection
from assess.services.queues import next_documents
from pooling.formats.documents.reading import read_documents
from pooling.models import Campaign, Job, Role
from pooling.services.documents import import_documents
from pooling.services.people import invite
from tests.assess.active_learning.labelled_texts import themed
from tests.support.factory import Factory
from tests.support.forms import FormValues
from tests.support.markup import markup

PAGE = "/campaigns/tiny/judging/high-recall/"
REVIEW = f"{PAGE}topics/1/"
GIVEN = themed(60, seed=5, share=0.2)
LINES = [json.dumps({"docno": f"D{row}", "text": text}) for row, text in enumerate(GIVEN.texts)]
FILE = "\n".join(LINES).encode()


@pytest.fixture
def client(make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1", GIVEN.topic)
    return campaign


def text_of(client: Client, address: str = PAGE) -> str:
    return " ".join(markup(client.get(address)).split())


def load(client: Client, content: bytes = FILE, name: str = "boats.jsonl") -> str:
    posted = {"file": SimpleUploadedFile(name, content)}
    return " ".join(markup(client.post(f"{PAGE}collections/", posted, follow=True)).split())


def label_all(campaign: Campaign, make: Factory) -> None:
    topic = campaign.topics.get(number="1")
    for entry in next_documents(make.make_user("alice"), topic, want=100):
        row = int(entry.pooled.docno.removeprefix("D"))
        make.make_judgment(campaign, "alice", "1", entry.pooled.docno, 3 if GIVEN.relevant[row] else 0)


def test_from_the_file_to_the_stop(campaign: Campaign, make: Factory, client: Client) -> None:
    assert "No reviews yet" in text_of(client)
    assert "It needs a collection: load the documents there" in text_of(client, "/campaigns/tiny/")
    assert "Collection 1: 60 documents, 30 terms." in load(client)
    assert "Collection 1 is loaded (60 documents): begin reviews" in text_of(client, "/campaigns/tiny/")
    asked = {"collection": 1, "topics": "all", "judges": [make.make_user("alice").pk]}
    asked |= {"first_batch": 10, "sample_size": 20, "seed": 7}
    page = " ".join(markup(client.post(PAGE, asked, follow=True)).split())
    assert "1 review begun." in page and "A review of every topic goes on." in page
    page = text_of(client, REVIEW)
    assert "Nothing can be said about recall yet.</b> 0 of 20 documents" in page
    assert "Next batch now</button>" in page
    assert "1 review goes on" in text_of(client, "/campaigns/tiny/")
    label_all(campaign, make)
    client.post(f"{REVIEW}next/", {"number": 2})
    assert Review.objects.get().rounds == 2
    label_all(campaign, make)
    page = text_of(client, REVIEW)
    assert "of the random sample" in page and "(exact)" in page
    assert "<polyline" in page and "What each rule advises now" in page
    asked_again = client.post(f"{REVIEW}stop/", {"rule": ""})
    assert "Stop topic 1?" in markup(asked_again)
    assert Review.objects.get().stopped_at is None
    stopped = client.post(f"{REVIEW}stop/", {"rule": "", "confirmed": "yes"}, follow=True)
    assert "1 review goes on" not in text_of(client, "/campaigns/tiny/")
    page = " ".join(markup(stopped).split())
    assert "Judges get no more batches." in page
    assert "none: stopped without a rule" in page and "Next batch now" not in page
    client.post(f"{REVIEW}next/", {"number": 3})
    assert Review.objects.get().rounds == 2
    assert [entry.verb for entry in campaign.audit_log.order_by("-number")[:1]] == ["stopped a review"]


def test_a_second_press_asks_for_the_same_batch(campaign: Campaign, make: Factory, client: Client) -> None:
    make.make_collection(campaign)
    make.make_review(campaign, first_batch=2)
    for _ in range(2):
        client.post(f"{REVIEW}next/", {"number": 2})
    assert Review.objects.get().rounds == 2
    for wrong in ("", "0", "x", "99999999999"):
        assert client.post(f"{REVIEW}next/", {"number": wrong}).status_code == 302


def test_a_rule_that_does_not_advise_to_stop_cannot_be_relied_on(
    campaign: Campaign, make: Factory, client: Client
) -> None:
    make.make_review(campaign)
    response = client.post(f"{REVIEW}stop/", {"rule": "qbcb 0.8", "confirmed": "yes"}, follow=True)
    assert "does not advise to stop now" in markup(response)
    assert Review.objects.get().stopped_at is None


@pytest.mark.parametrize(
    ("content", "wish"),
    [
        (b'{"docno": "D1", "text": "a"}\n{"text": "b"}\n', "Line 2"),
        (b"", "submitted file is empty"),
        (b"\x00\x01\x02\x03", "nothing from it was stored"),
        (b'{"docno": "D1", "text": "a"}\n{"docno": "D2", "text"', "Line 2"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_its_line(
    content: bytes, wish: str, campaign: Campaign, client: Client, settings: Settings
) -> None:
    assert wish in load(client, content)
    assert not ReviewCollection.objects.exists()
    folder = settings.MEDIA_ROOT / "collections"
    assert not folder.exists() or not any(folder.iterdir())


def test_a_large_file_is_loaded_by_a_job(campaign: Campaign, client: Client, settings: Settings) -> None:
    settings.BACKGROUND_BYTES = 100
    load(client)
    assert ReviewCollection.objects.get().document_count == 60
    assert Job.objects.get().message == "Collection 1: 60 documents, 30 terms."
    load(client, b'{"docno": "D1", "text": "a"}\n' * 5 + b'{"text": "b"}\n')
    assert ReviewCollection.objects.count() == 1
    assert "line 6" in text_of(client).lower()


def test_the_stored_documents_make_the_collection_that_their_file_makes(
    campaign: Campaign, make: Factory, client: Client
) -> None:
    assert "stored documents" not in text_of(client)
    records = read_documents(FILE, "boats.jsonl")
    import_documents(campaign, lambda: read_documents(FILE, "boats.jsonl"), pooled_only=False)
    assert "The 60 documents of the page" in text_of(client)
    assert "Its collection can be made of the 60 stored documents." in text_of(client, "/campaigns/tiny/")
    page = client.get(f"{PAGE}collections/")
    posted = FormValues(markup(page).split("can be the collection")[1], "actions").values
    for _ in range(2):  # the second press makes no second collection
        client.post(f"{PAGE}collections/stored/", posted)
    of_stored = ReviewCollection.objects.get()
    assert of_stored.name == "stored documents"
    assert Job.objects.get().message == "Collection 1: 60 documents, 30 terms."
    of_file = load_collection(campaign, make.make_user("carol"), records, "boats.jsonl")
    assert of_stored.checksums["texts"] == of_file.checksums["texts"]
    assert "The 60 documents of the page" not in text_of(client)


def test_without_stored_documents_no_collection_is_made(campaign: Campaign, client: Client) -> None:
    client.post(f"{PAGE}collections/stored/")
    assert not ReviewCollection.objects.exists()
    assert Job.objects.get().state == Job.State.FAILED


def test_the_form_of_the_page_draws_more_random_documents(
    campaign: Campaign, make: Factory, client: Client
) -> None:
    client.force_login(make.make_user("carol"))
    review = make.make_review(campaign, sample_size=3)
    page = f"{PAGE}topics/1/"
    form = FormValues(markup(client.get(page)).split("More random documents")[1], "stack").values
    asked = form | {"documents": "2"}
    assert "2 random documents drawn" in markup(client.post(f"{page}sample/", asked, follow=True))
    assert Review.objects.get(pk=review.pk).sample_size == 5
    lost = markup(client.post(f"{page}sample/", {"documents": "2"}))
    assert "The form has lost a part, drawn. Load the page again." in lost


def test_the_file_has_a_line_for_each_document(campaign: Campaign, make: Factory, client: Client) -> None:
    review = make.make_review(campaign)
    lines = client.get(f"{REVIEW}tsv/").content.decode().splitlines()
    assert lines[0].split("\t")[:5] == ["topic", "docno", "reason", "round", "place"]
    assert len(lines) == 1 + review.documents.count()
    assert all(len(line.split("\t")) == 14 for line in lines)


def test_the_page_does_not_open_the_collection(
    campaign: Campaign, make: Factory, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    make.make_review(campaign)
    label_all_of_review(campaign, make)

    def refuse(*arguments: object) -> None:
        raise AssertionError("a page opened the collection")

    monkeypatch.setattr("assess.active_learning.queries.collections._opened", refuse)
    assert client.get(PAGE).status_code == client.get(REVIEW).status_code == 200


def label_all_of_review(campaign: Campaign, make: Factory) -> None:
    topic = campaign.topics.get(number="1")
    for entry in next_documents(make.make_user("alice"), topic, want=100):
        make.make_judgment(campaign, "alice", "1", entry.pooled.docno, 0)


def test_the_list_takes_as_many_queries_for_more_reviews(
    campaign: Campaign, make: Factory, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(2, 8):
        make.make_topic(campaign, f"{number}", "sail")
        make.make_review(campaign, f"{number}")
    client.get(PAGE)
    with django_assert_max_num_queries(30):
        client.get(PAGE)


def test_to_stop_is_not_the_first_thing_to_do_with_a_new_review(
    campaign: Campaign, make: Factory, client: Client
) -> None:
    load(client)
    make.make_review(campaign, judges=["alice"], first_batch=10, sample_size=0)
    page = text_of(client, REVIEW)
    assert '<button class="plain">Stop topic 1</button>' in page and "stop or go on?" not in page
    label_all(campaign, make)
    page = text_of(client, REVIEW)
    assert 'class="plain">Stop topic 1' not in page and "stop or go on?" in page


def test_between_batches_a_judge_reads_that_more_documents_come(
    campaign: Campaign, make: Factory, client: Client
) -> None:
    load(client)
    review = make.make_review(campaign, judges=["alice"], first_batch=55, sample_size=0)
    judge, places = Client(), "/campaigns/tiny/judge/"
    judge.force_login(make.make_user("alice"))
    label_all(campaign, make)
    page = text_of(judge, f"{places}topics/1/")
    assert "The next documents of topic 1 are being chosen" in page and "Look for them now</a>" in page
    assert "finished" not in page
    assert "The next ones of topic 1 are chosen once most" in text_of(judge, places)
    freeze_batches(campaign, {review.pk: 2}, make.make_user("carol"))
    assert "Continue judging</button>" in text_of(judge, f"{places}topics/1/")
    label_all(campaign, make)
    assert "Topic 1 is finished" in text_of(judge, f"{places}topics/1/")  # the collection has no more
    assert "All your topics are finished." in text_of(judge, places)


def test_pages_before_a_pool_name_reviews_and_a_draft_is_opened_from_them(make: Factory) -> None:
    campaign, carol = make.make_campaign(), Client()
    carol.force_login(make.make_user("carol"))
    make.make_topic(campaign, "1", "boats")
    for page in ("pool/", "documents/"):
        assert "It needs a collection: load the documents" in markup(carol.get(f"/campaigns/tiny/{page}"))
    make.make_review(campaign)
    assert "Open the campaign" not in markup(carol.get(PAGE))
    Campaign.objects.update(state=Campaign.State.DRAFT)
    for page in (PAGE, f"{PAGE}topics/1/"):
        assert "Judges get no documents before the campaign is open." in markup(carol.get(page))


def test_judges_who_have_not_joined_are_named(make: Factory) -> None:
    campaign, carol = make.make_campaign(), Client()
    carol.force_login(make.make_user("carol"))
    campaign.memberships.filter(role=Role.JUDGE).delete()
    make.make_topic(campaign, "1", "boats")
    make.make_collection(campaign)
    assert ">Add judges</a> first." in text_of(carol)
    invite(campaign, Role.JUDGE, by=make.make_user("carol"))
    assert "1 invited judge has not joined" in text_of(carol)


def test_what_a_sample_will_say_is_shown_before_it_is_judged(
    make: Factory, campaign: Campaign, client: Client
) -> None:
    campaign.review_collections.all().delete()
    make.make_collection(campaign, {f"E{row}": f"sail {row}" for row in range(150)})
    page = " ".join(markup(client.get(PAGE)).split())
    assert "of 150 in Collection" in page and "Sample of 100<" in page
    assert "Sample of 300<" not in page
    assert "0.68 to 0.99" in page  # 18 of 20, by Clopper and Pearson
    assert "Sample for a promise of 0.8<" in page and "about 70<" in page  # 14 of 30 relevant ones in 150
    make.make_review(campaign, first_batch=5, sample_size=60)
    review = " ".join(markup(client.get(REVIEW)).split())
    assert "Sample of 60<" in review and "is not known before" in review
    label_all_of_review(campaign, make)
    assert "Sample of 60<" not in markup(client.get(REVIEW))
