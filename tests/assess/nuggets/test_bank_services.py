"""Versions of nugget banks: drafts, loaded files, joined nuggets, votes, and versions that never change."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from assess.models import Bank, BankNugget, ImportanceVote
from assess.nuggets.bank_files import read_banks
from assess.nuggets.banks import MUST, NUMBERS, THREE_GRADES, TWO_GRADES
from assess.nuggets.queries.banks import bank_file, difference_of, nuggets_of, version_before, why_not_deleted
from assess.nuggets.queries.integrity import bank_faults
from assess.nuggets.services.banks import (
    BankRefused,
    begin_draft,
    delete_banks,
    discard_draft,
    freeze_bank,
)
from assess.nuggets.services.loads import load_banks
from assess.nuggets.services.nuggets import (
    NuggetDetails,
    add_nugget,
    change_nugget,
    delete_nugget,
    join_nuggets,
    vote_on_importance,
)
from pooling.checksum import sha256_of
from pooling.formats.run_checks import RunRefused
from pooling.models import Campaign
from pooling.refusals import Refused
from tests.support.factory import Factory

TEXT = "Ships float because  they are\nlight."


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    for number in ("1", "2"):
        make.make_topic(campaign, number, f"question {number}")
    make.make_document(campaign, "D1", TEXT)
    return campaign


@pytest.fixture
def draft(campaign: Campaign, make: Factory) -> Bank:
    return begin_draft(campaign, make.make_user("carol"), TWO_GRADES)


def added(
    draft: Bank, make: Factory, text: str, by: str = "carol", topic: str = "1", **more: object
) -> BankNugget:
    details = NuggetDetails(text, **more)  # type: ignore[arg-type]
    return add_nugget(draft, draft.campaign.topics.get(number=topic), make.make_user(by), details)


def line(topic: str = "1", *texts: str, importance: object = "vital", **more: object) -> bytes:
    nuggets = [{"text": text, "importance": importance} | more for text in texts or ("Wood floats",)]
    return json.dumps({"qid": topic, "nuggets": nuggets}).encode() + b"\n"


def test_there_is_one_draft(draft: Bank, make: Factory) -> None:
    carol = make.make_user("carol")
    with pytest.raises(BankRefused, match="Nugget bank 1 is a draft already"):
        begin_draft(draft.campaign, carol, TWO_GRADES)
    discard_draft(draft, carol)
    with pytest.raises(BankRefused, match="Choose a kind of importance"):
        begin_draft(draft.campaign, carol, "stars")
    assert begin_draft(draft.campaign, carol, NUMBERS, key="k") == begin_draft(
        draft.campaign, carol, NUMBERS, key="k"
    )


def test_a_nugget_keeps_its_document_passage_and_author(draft: Bank, make: Factory) -> None:
    added(draft, make, " Ships float ", "alice", docno="D1", quotation="they are light")
    (each,) = nuggets_of(draft)
    (reference,) = each.nugget.references
    assert (
        reference.docno == "D1"
        and TEXT[reference.start : reference.end] == "they are\nlight" == reference.text
    )
    assert each.authors == "alice" and each.stored.author == make.make_user("alice")
    assert each.nugget.text == "Ships float" and each.importance is None


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        (" ", {}, "1 to 12 words"),
        (" ", {"answers": ["a"]}, "Enter the question"),
        ("a " * 13, {}, "this one has 13"),
        ("a", {"importance": 7}, "The importance is vital or okay in this bank, and not 7"),
        ("a", {"docno": "D9"}, "no document 'D9'"),
        ("a", {"quotation": "light"}, "Enter the document"),
        ("a", {"docno": "D1", "quotation": "heavy"}, "does not have these words: 'heavy'"),
    ],
)
def test_a_nugget_is_refused(
    draft: Bank, make: Factory, text: str, more: dict[str, Any], message: str
) -> None:
    with pytest.raises(Refused, match=message):
        added(draft, make, text, **more)
    assert not BankNugget.objects.exists()


def test_a_question_may_be_longer_and_keeps_the_sources_of_its_answers(draft: Bank, make: Factory) -> None:
    content = b'{"a ' + b"b " * 14 + b'?": ["AND", {"Ann": ["D1"], "Bob": []}]}'
    loaded = load_banks(draft, make.make_user("carol"), content, "nuggets_1.json")
    assert loaded.new == 1 and loaded.unknown == []
    stored = BankNugget.objects.get()
    change_nugget(stored, make.make_user("ada"), NuggetDetails("Who?", None, ["Eve", "Ann"], "AND"))
    (each,) = nuggets_of(draft)
    assert [(answer.text, len(answer.references)) for answer in each.nugget.answers] == [
        ("Eve", 0),
        ("Ann", 1),
    ]
    assert each.authors == "ada" and each.docnos == ["D1"]


def test_a_file_is_loaded_once_and_programs_make_suggestions(draft: Bank, make: Factory) -> None:
    carol = make.make_user("carol")
    content = line("1", "Wood floats", references=["D1", "D7"]) + line(
        "2", "Iron sinks", creator=[{"is_human": False, "llm_model": "m-1"}]
    )
    loaded = load_banks(draft, carol, content, "banks.jsonl")
    assert str(loaded) == (
        "2 nuggets loaded, 1 of them suggestions of programs. Documents that this campaign does not have: D7."
    )
    first, second = nuggets_of(draft)
    assert not first.stored.is_suggestion and second.stored.is_suggestion
    assert second.authors == "m-1" and second.stored.author is None
    assert str(load_banks(draft, carol, content, "banks.jsonl")) == (
        "0 nuggets loaded, 2 were here already. Documents that this campaign does not have: D7."
    )


def test_keys_of_banks_that_are_not_stored_are_named(draft: Bank, make: Factory) -> None:
    content = json.dumps({"qid": "1", "collection": "c", "nuggets": [{"text": "a", "odd": 1}]}).encode()
    loaded = load_banks(draft, make.make_user("carol"), content, "a.jsonl")
    assert "Not stored: collection." in str(loaded) and nuggets_of(draft)[0].nugget.extra == {"odd": 1}


@pytest.mark.parametrize(
    ("content", "name", "place"),
    [
        (line("1") + line("9"), "a.jsonl", "a.jsonl, line 2: expected a topic of the campaign, found '9'"),
        (line("1", importance=7), "a.jsonl", "line 1: expected vital or okay as importance, found a number"),
        (line("1", claim="x"), "a.jsonl", "line 1: expected no other value of 'claim'"),
        (b'{"Who?": ["OR", {"Ann": []}]}', "a.json", "expected a topic, found none"),
        (line("1") + b"{\n", "a.jsonl", "line 2: expected one JSON object"),
    ],
)
def test_a_file_is_refused_as_a_whole(
    draft: Bank, make: Factory, content: bytes, name: str, place: str
) -> None:
    with pytest.raises(RunRefused) as refused:
        load_banks(draft, make.make_user("carol"), content, name)
    assert place in str(refused.value)
    assert not BankNugget.objects.exists()


def test_joined_nuggets_keep_sources_authors_and_votes_of_both(draft: Bank, make: Factory) -> None:
    people = {name: make.make_user(name) for name in ("alice", "bob", "carol", "ada")}
    kept = added(draft, make, "Ships float", "alice", docno="D1", quotation="Ships float")
    other = added(draft, make, "Ships swim", "bob", docno="D1", quotation="light")
    for nugget, name, vote in [
        (kept, "alice", "vital"), (other, "alice", "vital"), (kept, "bob", "vital"), (other, "bob", "okay"),
        (other, "carol", "okay"),
    ]:  # fmt: skip
        vote_on_importance(nugget, people[name], vote)
    found = join_nuggets(kept, other, people["ada"])
    assert found.again == ["bob"]
    (each,) = nuggets_of(draft)
    assert [reference.text for reference in each.nugget.references] == ["Ships float", "light"]
    assert each.authors == "alice, bob" and each.nugget.text == "Ships float"
    assert {vote.voter.username: vote.importance for vote in each.votes} == {
        "alice": "vital",
        "carol": "okay",
    }
    with pytest.raises(BankRefused, match="deleted or joined"):
        delete_nugget(other, people["ada"])
    with pytest.raises(BankRefused, match="Choose another nugget"):
        join_nuggets(kept, kept, people["ada"])
    with pytest.raises(BankRefused, match="of one topic"):
        join_nuggets(kept, added(draft, make, "x", topic="2"), people["ada"])


def test_a_suggestion_that_is_joined_stays_one(draft: Bank, make: Factory) -> None:
    kept = added(draft, make, "Ships float")
    load_banks(draft, make.make_user("carol"), line(creator=[{"is_human": False}]), "a.jsonl")
    join_nuggets(kept, BankNugget.objects.exclude(pk=kept.pk).get(), make.make_user("carol"))
    kept.refresh_from_db()
    assert kept.is_suggestion


def test_votes_say_the_importance_unless_it_is_set(draft: Bank, make: Factory) -> None:
    nugget, carol = added(draft, make, "Ships float"), make.make_user("carol")
    for name, vote in (("alice", "vital"), ("bob", "okay")):
        vote_on_importance(nugget, make.make_user(name), vote)
    assert nuggets_of(draft)[0].importance is None
    vote_on_importance(nugget, carol, "okay")
    assert nuggets_of(draft)[0].importance == "okay" and nuggets_of(draft)[0].votes_text == "2 okay, 1 vital"
    vote_on_importance(nugget, carol, "vital")
    assert nuggets_of(draft)[0].importance == "vital"
    change_nugget(nugget, carol, NuggetDetails("Ships float", "okay"))
    assert nuggets_of(draft)[0].importance == "okay"
    change_nugget(nugget, carol, NuggetDetails("Ships float", None))
    vote_on_importance(nugget, carol, None)
    assert nuggets_of(draft)[0].importance is None and ImportanceVote.objects.count() == 2
    with pytest.raises(BankRefused, match="vital or okay in this bank"):
        vote_on_importance(nugget, carol, MUST)


def test_what_cannot_be_frozen_is_named_with_its_place(draft: Bank, make: Factory) -> None:
    carol = make.make_user("carol")
    with pytest.raises(BankRefused, match="The draft has no nuggets"):
        freeze_bank(draft, carol)
    added(draft, make, "Ships float", importance="vital")
    added(draft, make, "Ships float", "bob", topic="2")
    with pytest.raises(BankRefused, match="Topic 2, nugget 1 .* has no importance"):
        freeze_bank(draft, carol)
    added(draft, make, "Ships float", "bob", importance="okay")
    with pytest.raises(BankRefused, match="Topic 1, nugget 2 .* stands twice"):
        freeze_bank(draft, carol)
    draft.refresh_from_db()
    assert draft.is_draft


def frozen(draft: Bank, make: Factory) -> Bank:
    nugget = added(draft, make, "Ships float", "alice", docno="D1", quotation="light")
    vote_on_importance(nugget, make.make_user("bob"), "vital")
    added(draft, make, "Who?", answers=["Ann", "Bob"], importance="okay")
    return freeze_bank(draft, make.make_user("carol"))


def test_a_frozen_version_is_the_file_of_its_checksum(draft: Bank, make: Factory) -> None:
    bank = frozen(draft, make)
    content = bank_file(bank)
    assert sha256_of(content) == bank.sha256 and [*bank_faults(draft.campaign)] == [[]]
    (read,) = read_banks(content).banks
    assert [(nugget.text, nugget.importance) for nugget in read.nuggets] == [
        ("Who?", "okay"), ("Ships float", "vital"),
    ]  # fmt: skip
    draft.campaign.topics.update(title="another title")
    assert sha256_of(bank_file(bank)) == bank.sha256
    with pytest.raises(Refused, match="statements only"):
        bank_file(bank, "nuggets")
    ImportanceVote.objects.all().delete()
    assert [*bank_faults(draft.campaign)] == [[]]
    BankNugget.objects.filter(text="Who?").update(text="When?")
    ((fault,),) = bank_faults(draft.campaign)
    assert fault.what == "nugget bank sha256" and fault.where == "Nugget bank 1"


def test_a_frozen_version_never_changes(draft: Bank, make: Factory) -> None:
    bank, carol = frozen(draft, make), make.make_user("carol")
    first, second = bank.nuggets.all()
    topic = draft.campaign.topics.get(number="1")
    writes: list[Callable[[], object]] = [
        lambda: add_nugget(draft, topic, carol, NuggetDetails("New")),
        lambda: change_nugget(first, carol, NuggetDetails("New")),
        lambda: delete_nugget(first, carol),
        lambda: join_nuggets(first, second, carol),
        lambda: vote_on_importance(first, carol, "okay"),
        lambda: load_banks(draft, carol, line(), "a.jsonl"),
        lambda: discard_draft(draft, carol),
        lambda: freeze_bank(draft, carol),
    ]
    for write in writes:
        with pytest.raises(BankRefused, match="Nugget bank 1 is frozen and never changes"):
            write()
    assert [*bank_faults(draft.campaign)] == [[]]


def test_a_draft_from_a_version_is_a_copy_with_a_difference(draft: Bank, make: Factory) -> None:
    bank, carol = frozen(draft, make), make.make_user("carol")
    copy = begin_draft(draft.campaign, carol, THREE_GRADES, bank)
    assert (copy.number, copy.based_on, copy.grading) == (2, 1, TWO_GRADES)
    assert not difference_of(bank, nuggets_of(copy)) and version_before(copy) == bank
    change_nugget(copy.nuggets.get(text="Ships float"), carol, NuggetDetails("All ships float", "okay"))
    found = difference_of(bank, nuggets_of(copy))
    assert found.reworded == [("1", "Ships float", "All ships float")] and len(found.reweighed) == 1
    freeze_bank(copy, carol)
    assert [*bank_faults(draft.campaign)] == [[], []]
    entry = draft.campaign.audit_log.first()
    assert entry and "1 worded again" in entry.sentence and entry.verb == "froze a nugget bank"


def test_a_campaign_with_nuggets_of_people_is_not_deleted(draft: Bank, make: Factory) -> None:
    load_banks(draft, make.make_user("carol"), line(), "a.jsonl")
    assert why_not_deleted(draft.campaign) == ""
    added(draft, make, "Ships float")
    assert "1 nugget that people wrote here" in why_not_deleted(draft.campaign)
    BankNugget.objects.update(importance="okay")
    freeze_bank(draft, make.make_user("carol"))
    assert "1 frozen nugget bank" in why_not_deleted(draft.campaign)
    delete_banks(draft.campaign)
    draft.campaign.topics.all().delete()


def test_every_write_is_in_the_audit_log(draft: Bank, make: Factory) -> None:
    carol = make.make_user("carol")
    one, other = added(draft, make, "Ships float"), added(draft, make, "Wood floats")
    change_nugget(one, carol, NuggetDetails("All ships float", "vital"))
    change_nugget(one, carol, NuggetDetails("All ships float", "vital"))  # changes nothing
    vote_on_importance(other, carol, "okay")
    join_nuggets(one, other, carol)
    load_banks(draft, carol, line(), "a.jsonl")
    delete_nugget(BankNugget.objects.exclude(pk=one.pk).get(), carol)
    freeze_bank(draft, carol)
    verbs = draft.campaign.audit_log.order_by("number").values_list("verb", flat=True)
    assert [*verbs][-9:] == [
        "began a nugget bank", "added a nugget", "added a nugget", "changed a nugget", "voted on a nugget",
        "joined nuggets", "loaded nuggets", "deleted a nugget", "froze a nugget bank",
    ]  # fmt: skip
