"""Words that a judge or an organiser wants to see highlighted: kept on the server, for one topic."""

from __future__ import annotations

from django.test import Client

from assess.models import OwnTerms
from assess.queries.queues import highlighted_terms
from assess.services.terms import MOST_TERMS
from pooling.models import Campaign, Topic, TopicRevision
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/"
TERMS = f"{HOME}judge/topics/1/terms/"


def build_campaign(make: Factory) -> Campaign:
    return make.make_pooled_campaign()


def client_of(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def test_terms_of_two_devices_add_up_and_stay_with_their_topic_and_judge(
    campaign: Campaign, make: Factory
) -> None:
    desk, phone = client_of(make, "alice"), client_of(make, "alice")
    for device, term in ((desk, "heart attack"), (phone, "stroke"), (desk, "heart attack")):
        assert device.post(TERMS, {"term": term, "wanted": "on"}).status_code == 200
    page = markup(desk.get(f"{HOME}judge/topics/1/"))
    assert 'data-terms="[&quot;heart attack&quot;, &quot;stroke&quot;]"' in page.replace('","', '", "')
    assert desk.post(TERMS, {"term": "heart attack"}).json() == {"terms": ["stroke"]}
    assert 'data-terms="[]"' in markup(desk.get(f"{HOME}judge/topics/2/"))
    assert 'data-terms="[]"' in markup(client_of(make, "bob").get(f"{HOME}judge/topics/1/"))


def test_a_term_that_does_not_fit_is_refused_with_a_reason(campaign: Campaign, make: Factory) -> None:
    alice = client_of(make, "alice")
    assert "100 characters" in alice.post(TERMS, {"term": "x" * 101, "wanted": "on"}).json()["problem"]
    full = [f"term {number}" for number in range(MOST_TERMS)]
    OwnTerms.objects.create(judge=make.make_user("alice"), topic=campaign.topics.get(number="1"), terms=full)
    response = alice.post(TERMS, {"term": "one more", "wanted": "on"})
    assert (response.status_code, OwnTerms.objects.get().terms) == (409, full)
    assert "at most 50 own terms" in response.json()["problem"]


def edit(client: Client, **changed: str) -> str:
    fields = {"title": "first things", "description": "", "narrative": "", "terms": "", "reason": ""}
    return markup(client.post(f"{HOME}topics/1/edit/", fields | changed, follow=True))


def test_words_of_the_organiser_are_highlighted_and_are_no_new_wording(
    campaign: Campaign, make: Factory
) -> None:
    make.make_document(campaign, "D1", "After a heart attack, first aid.")
    carol = client_of(make, "carol")
    assert "Topic 1 is changed" in edit(carol, terms="heart attack\r\n\r\n aid \r\nheart attack")
    topic = Topic.objects.get(campaign=campaign, number="1")
    assert topic.terms == "heart attack\naid" and not TopicRevision.objects.exists()
    assert [term.text for term in highlighted_terms(topic)] == ["first", "things", "heart attack", "aid"]
    card = markup(client_of(make, "alice").get(f"{HOME}judge/{make.entry(campaign, 'alice', '1', 'D1').pk}/"))
    assert card.count('data-hit="') >= 3 and "heart attack" in card
    entry = campaign.audit_log.first()
    assert entry is not None and entry.details["terms"] == "heart attack\naid"


def test_a_new_wording_still_needs_a_reason(campaign: Campaign, make: Factory) -> None:
    carol = client_of(make, "carol")
    assert "Enter why the wording changes" in edit(carol, title="other things", terms="aid")
    assert Topic.objects.get(campaign=campaign, number="1").terms == ""
    assert "Topic 1 is changed" in edit(carol, title="other things", terms="aid", reason="A slip.")
    assert TopicRevision.objects.count() == 1
