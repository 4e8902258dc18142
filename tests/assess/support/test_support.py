"""Support of citations: who gets which citation, what is stored, and the screen without names of systems."""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from django.test import Client

from assess.models import SupportLabel, SupportSet, SupportTask
from assess.services.judged_sets import SetRefused
from assess.services.judging import LabelRefused
from assess.support.queries.integrity import support_faults
from assess.support.queries.plan import PlannedSupport, preview_of
from assess.support.queries.tasks import standing_labels, support_progress, why_not_deleted
from assess.support.services import SubmittedSupport, create_support, discard_support, take_back_support
from pooling.models import Campaign, Role
from pooling.refusals import Refused
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/"
SETUP = HOME + "judging/support/"
OUTBOX = HOME + "support/outbox/"
SENTENCES = [("Boats float.", ["D1", "D2"]), ("They are light.", []), ("They carry goods.", ["D2"])]


def build_campaign(make: Factory) -> Campaign:
    """Two answer runs to two topics; the documents that they cite have texts."""
    campaign = make.make_campaign()
    for number in ("1", "2", "3"):
        make.make_topic(campaign, number, f"question {number}")
    for name in ("alice", "bob"):
        add_member(campaign, make.make_user(name), Role.JUDGE)
    for tag in ("zebra-a", "zebra-b"):
        make.make_answer_run(campaign, {"1": SENTENCES, "2": SENTENCES[:1]}, tag, "zebra-group")
    make.make_document(campaign, "D1", "A boat floats on water because it is light.")
    make.make_document(campaign, "D2", "Cargo boats carry goods.")
    return campaign


@pytest.fixture
def about(campaign: Campaign, make: Factory) -> SupportSet:
    return make.make_support(campaign)


@pytest.fixture
def alice(campaign: Campaign, make: Factory) -> Client:
    return signed_in(make, "alice")


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def own(about: SupportSet, judge: str = "alice") -> list[SupportTask]:
    related = ("judge", "answer__run", "answer__topic", "support_set__campaign")
    return list(about.tasks.filter(judge__username=judge).select_related(*related))


def fields_of(task: SupportTask, **changed: Any) -> dict[str, Any]:
    documents = task.support_set.campaign.documents
    now = documents.get(docno=task.docno).text_hash
    fields = {"uuid": f"{uuid.uuid4()}", "support": "full", "text_hash": now, "source": "key"}
    return fields | changed


def send(client: Client, judge: int, about: SupportSet, labels: list[dict[str, Any]], want: int = 3) -> str:
    payload = {"judge": judge, "topic": f"{about.pk}", "have": [], "want": want, "labels": labels}
    return markup(client.post(OUTBOX, payload, content_type="application/json"))


def test_a_judge_gets_every_citation_of_an_answer_in_its_order(about: SupportSet) -> None:
    places = [(each.sentence, each.citation, each.docno) for each in own(about)]
    answer = [(1, 1, "D1"), (1, 2, "D2"), (3, 1, "D2")]
    assert places == answer * 2 + answer[:2] * 2
    assert [each.answer.topic.number for each in own(about)] == ["1"] * 6 + ["2"] * 4
    assert [each for faults in support_faults(about.campaign) for each in faults] == []


def test_the_first_citation_alone_is_the_default(campaign: Campaign, make: Factory) -> None:
    people, runs = [make.make_user("alice")], list(campaign.answer_runs.all())
    found = preview_of(PlannedSupport(runs, people, list(campaign.topics.all()), False, 0, 7))
    assert (found.citations, found.cited, found.sentences, found.answers) == (6, 6, 8, 4)
    assert {citation for _, _, _, _, citation, _ in found.rows} == {1}
    assert found.without == ["3"] and found.without_text == 0
    campaign.documents.get(docno="D2").delete()
    found = preview_of(PlannedSupport(runs, people, list(campaign.topics.all()), True, 0, 7))
    assert (found.citations, found.without_text) == (10, 6)


def test_a_set_is_refused_for_judges_who_know_names_and_for_nothing_to_check(
    campaign: Campaign, make: Factory
) -> None:
    carol, runs = make.make_user("carol"), list(campaign.answer_runs.all())
    topics = list(campaign.topics.all())
    with pytest.raises(Refused, match="carol can see the name"):
        create_support(campaign, carol, PlannedSupport(runs, [carol], topics, True, 0, 1))
    with pytest.raises(SetRefused, match="an answer with a citation"):
        create_support(campaign, carol, PlannedSupport(runs, [make.make_user("bob")], topics[2:], True, 0, 1))
    assert not SupportSet.objects.exists()


def test_a_label_counts_until_it_is_replaced_or_taken_back(about: SupportSet, make: Factory) -> None:
    task, alice = own(about)[0], make.make_user("alice")
    make.make_support_label(task, "none")
    last = make.make_support_label(task, "full", reason="clear")
    assert [each.support for each in standing_labels([task]).values()] == ["full"]
    assert support_progress(about).done == 1
    take_back_support(task, alice, uuid.uuid4(), last.uuid)
    assert standing_labels([task]) == {} and SupportLabel.objects.count() == 3
    take_back_support(task, alice, uuid.uuid4(), last.uuid)  # it does not stand any more
    assert SupportLabel.objects.count() == 3
    assert "3 labels of citations" in why_not_deleted(about.campaign)
    with pytest.raises(SetRefused, match="never deleted"):
        discard_support(about, make.make_user("carol"))


def test_a_label_of_an_older_text_is_refused(about: SupportSet, make: Factory) -> None:
    task = own(about)[0]
    read = SubmittedSupport(uuid.uuid4(), "full", about.campaign.documents.get(docno="D1").text_hash)
    about.campaign.documents.filter(docno="D1").update(text="Other words.", text_hash="f" * 64)
    with pytest.raises(LabelRefused, match="text of D1 has changed. Read it again"):
        make.make_support_label(task, "full", text_hash=read.text_hash)
    assert not SupportLabel.objects.exists()
    make.make_support_label(task, "partial")
    assert SupportLabel.objects.get().text_hash == "f" * 64


def test_an_organiser_makes_a_set_on_the_page(campaign: Campaign, make: Factory) -> None:
    carol = signed_in(make, "carol")
    people = [make.make_user(name).pk for name in ("alice", "bob")]
    fields = {"runs": ["zebra-a", "zebra-b"], "judges": people, "topics": "all", "double": 50, "seed": 5}
    page = " ".join(markup(carol.post(SETUP, fields | {"every": "on"})).split())
    assert "Check 10 citations in 4 answers?" in page and "6 of 8" in page
    assert "1 topic without a citation left out: 3." in page and not SupportSet.objects.exists()
    page = markup(carol.post(SETUP, fields | {"every": "on", "confirmed": "yes"}, follow=True))
    count = SupportTask.objects.count()
    assert f"Citation support 1: judges see {count} citations." in page
    assert "Citation support 1" in markup(carol.get(SETUP))
    page = markup(carol.post(SETUP + "1/discard/", {"confirmed": "yes"}, follow=True))
    assert "Discarded: Citation support 1" in page and not SupportSet.objects.exists()


def test_the_screen_shows_sentence_and_document_and_no_system(about: SupportSet, alice: Client) -> None:
    page = markup(alice.get(f"{HOME}support/{own(about)[1].pk}/"))
    assert "it cites 2 documents, this is number 2" in page and "zebra" not in page
    text = " ".join(re.sub("<[^>]+>", "", page).split())
    assert "Boats float." in text and "Cargo boats carry goods." in text
    assert 'aria-pressed="true"' not in page
    assert "10 citations to check" in markup(alice.get(HOME + "judge/"))


def test_a_label_leads_to_the_next_citation_and_at_last_to_the_list(about: SupportSet, alice: Client) -> None:
    mine = own(about)
    for task, following in zip(mine, mine[1:], strict=False):
        address = alice.post(f"{HOME}support/{task.pk}/", fields_of(task))["Location"]
        assert address == f"{HOME}support/{following.pk}/"
    assert alice.post(f"{HOME}support/{mine[-1].pk}/", fields_of(mine[-1]))["Location"] == HOME + "support/"
    page = markup(alice.get(HOME + "support/"))
    assert "You have finished Citation support 1." in page and "done" in page


def test_labels_of_the_outbox_are_stored_once_with_their_marks(
    about: SupportSet, alice: Client, make: Factory
) -> None:
    (first, second, *_), key = own(about), make.make_user("alice").pk
    marks = [{"sentence": "float", "document": "floats on water"}]
    label = fields_of(first, entry=first.pk, marks=marks)
    for _ in range(2):
        page = send(alice, key, about, [label])
        assert "data-problem" not in page and f'data-entry="{second.pk}"' in page
    assert SupportLabel.objects.get().marks == marks
    wrong = [
        fields_of(second, entry=second.pk, marks=given) for given in ([1], [{"sentence": "x"}], {"a": 1})
    ]
    wrong += [fields_of(second, entry=second.pk, support="full support"), fields_of(first, entry=0)]
    assert send(alice, key, about, wrong).count("data-problem") == len(wrong)
    assert "is not yours any more" in send(signed_in(make, "bob"), make.make_user("bob").pk, about, [label])
    assert SupportLabel.objects.count() == 1
    send(alice, key, about, [{"uuid": f"{uuid.uuid4()}", "revokes": label["uuid"], "entry": first.pk}])
    assert standing_labels([first]) == {}
