"""Files of nuggets as loads of a draft: seen with their numbers, withdrawn with what only they gave."""

from __future__ import annotations

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from assess.models import Bank, BankNugget, ImportanceVote, NuggetLoad, NuggetPart
from assess.nuggets.banks import TWO_GRADES
from assess.nuggets.queries.banks import bank_file, nuggets_of
from assess.nuggets.queries.integrity import bank_faults
from assess.nuggets.queries.loads import withdrawal_of
from assess.nuggets.services.banks import BankRefused, begin_draft, freeze_bank
from assess.nuggets.services.loads import load_banks, withdraw_nuggets
from assess.nuggets.services.nuggets import NuggetDetails, change_nugget, join_nuggets, vote_on_importance
from pooling.checksum import sha256_of
from pooling.models import AuditLogEntry
from tests.assess.nuggets.test_bank_services import added, campaign, draft, line
from tests.support.factory import Factory
from tests.support.markup import markup

__all__ = ["campaign", "draft"]
PAGE = "/campaigns/tiny/judging/nuggets/1/"


def loaded(draft: Bank, make: Factory, content: bytes, name: str = "a.jsonl") -> NuggetLoad:
    load_banks(draft, make.make_user("carol"), content, name)
    return draft.loads.latest("pk")


def texts(draft: Bank) -> list[str]:
    return [each.nugget.text for each in nuggets_of(draft)]


def nugget(draft: Bank, text: str) -> BankNugget:
    return draft.nuggets.get(text=text)


def test_a_file_is_a_load_with_its_numbers(draft: Bank, make: Factory) -> None:  # noqa: F811
    content = line("1", "Wood floats") + line("2", "Iron sinks")
    load = loaded(draft, make, content)
    assert (load.name, load.new, load.known, load.loaded_by.username) == ("a.jsonl", 2, 0, "carol")
    assert load.sha256 == sha256_of(content)
    nugget(draft, "Iron sinks").delete()
    assert loaded(draft, make, content, "again.jsonl") == load  # the same file is the same load
    load.refresh_from_db()
    assert (load.new, load.known, texts(draft)) == (3, 0, ["Wood floats", "Iron sinks"])
    other = loaded(draft, make, content + b"\n", "b.jsonl")
    assert (other.new, other.known) == (0, 2)


def test_a_withdrawn_file_takes_its_nuggets_and_the_votes_on_them(
    draft: Bank,  # noqa: F811
    make: Factory,
) -> None:
    ada, own = make.make_user("ada"), added(draft, make, "Ships float", "alice")
    load = loaded(draft, make, line("1", "Wood floats", "Iron sinks"))
    for each in draft.nuggets.all():
        vote_on_importance(each, ada, "okay")
    found = withdraw_nuggets(load, ada)
    assert ([each.stored.text for each in found.gone], found.votes) == (["Wood floats", "Iron sinks"], 2)
    assert texts(draft) == ["Ships float"] and ImportanceVote.objects.get().nugget == own
    load.refresh_from_db()
    assert load.withdrawn_by == ada and load.withdrawn_at and not NuggetPart.objects.exists()
    entry = AuditLogEntry.objects.latest("pk")
    assert (entry.user, entry.verb) == (ada, "withdrew nuggets")
    assert entry.details["votes"] == 2 and entry.details["sha256"] == load.sha256
    assert not withdraw_nuggets(load, ada).nuggets and AuditLogEntry.objects.latest("pk") == entry
    again = loaded(draft, make, line("1", "Wood floats", "Iron sinks"))
    assert again != load and (again.new, len(texts(draft))) == (2, 3)


@pytest.mark.parametrize("keeps_own_words", [True, False])
def test_joined_nuggets_keep_what_people_gave(
    draft: Bank,  # noqa: F811
    make: Factory,
    keeps_own_words: bool,
) -> None:
    own = added(draft, make, "Ships float", "alice", docno="D1", quotation="light", importance="vital")
    before = nuggets_of(draft)[0].nugget
    creator = [{"is_human": False, "llm_model": "m-1"}]
    load = loaded(
        draft, make, line("1", "Boats float", importance="okay", references=["D7"], creator=creator)
    )
    other = nugget(draft, "Boats float")
    kept, joined = (own, other) if keeps_own_words else (other, own)
    join_nuggets(kept, joined, make.make_user("carol"))
    (both,) = nuggets_of(draft)
    assert sorted(both.docnos) == ["D1", "D7"] and both.stored.is_suggestion
    found = withdraw_nuggets(load, make.make_user("carol"))
    assert (len(found.gone), len(found.changed)) == (0, 1)
    (left,) = nuggets_of(draft)
    assert left.nugget == before and not left.stored.is_suggestion and left.authors == "alice"


def test_a_nugget_that_people_or_another_file_gave_too_stays(
    draft: Bank,  # noqa: F811
    make: Factory,
) -> None:
    carol = make.make_user("carol")
    first = loaded(draft, make, line("1", "Wood floats", "Iron sinks"))
    second = loaded(draft, make, line("1", "Wood floats"), "b.jsonl")
    assert withdrawal_of(first).unchanged == 1
    withdraw_nuggets(first, carol)
    assert texts(draft) == ["Wood floats"]
    withdraw_nuggets(second, carol)
    assert texts(draft) == []
    make.make_nugget(draft, "carol", "Ships float on water", importance="vital")
    frozen = freeze_bank(draft, carol)
    copy = begin_draft(draft.campaign, carol, TWO_GRADES, frozen)
    load = loaded(copy, make, bank_file(frozen), "v1.jsonl")  # what the draft has from the version before
    assert (load.new, load.known) == (0, 1)
    assert withdraw_nuggets(load, carol).unchanged == 1 and texts(copy) == ["Ships float on water"]


def test_a_nugget_that_people_worded_again_stays_without_the_file_s_passages(
    draft: Bank,  # noqa: F811
    make: Factory,
) -> None:
    load = loaded(draft, make, line("1", "Wood floats", "Iron sinks", references=["D7"]))
    ada = make.make_user("ada")
    change_nugget(nugget(draft, "Wood floats"), ada, NuggetDetails("Dry wood floats", "vital"))
    change_nugget(nugget(draft, "Iron sinks"), ada, NuggetDetails("Iron sinks", "okay"))  # importance only
    withdraw_nuggets(load, ada)
    (left,) = nuggets_of(draft)
    assert (left.nugget.text, left.importance, left.docnos, left.authors) == (
        "Dry wood floats", "vital", [], "ada",
    )  # fmt: skip


def test_a_frozen_version_keeps_its_nuggets(draft: Bank, make: Factory) -> None:  # noqa: F811
    carol, load = make.make_user("carol"), loaded(draft, make, line("1", "Wood floats"))
    frozen = freeze_bank(draft, carol)
    with pytest.raises(BankRefused, match="is frozen and never changes"):
        withdraw_nuggets(load, carol)
    begin_draft(draft.campaign, carol, TWO_GRADES, frozen)
    assert sha256_of(bank_file(frozen)) == frozen.sha256 and not any(bank_faults(draft.campaign))
    client = Client()
    client.force_login(carol)
    page = markup(client.get(PAGE))
    assert "a.jsonl" in page and "Withdraw a.jsonl" not in page
    page = markup(client.post(f"{PAGE}loads/{load.pk}/withdraw/", {"confirmed": "yes"}, follow=True))
    assert "is frozen and never changes" in page and texts(frozen) == ["Wood floats"]


def test_the_page_says_what_goes_before_a_file_is_withdrawn(
    draft: Bank,  # noqa: F811
    make: Factory,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    load = loaded(draft, make, line("1", "Wood floats", *(f"Fact {place}" for place in range(300))))
    own = added(draft, make, "Ships float", "alice")
    join_nuggets(nugget(draft, "Fact 7"), own, make.make_user("ada"))
    client = Client()
    client.force_login(make.make_user("carol"))
    page = " ".join(markup(client.get(PAGE)).split())
    assert "Files of nuggets" in page and load.sha256[:12] in page and "Withdraw a.jsonl" in page
    url = f"{PAGE}loads/{load.pk}/withdraw/"
    with django_assert_max_num_queries(40):
        page = " ".join(markup(client.post(url)).split())
    assert "Withdraw a.jsonl?" in page and "Frozen versions keep theirs" in page
    assert "<dt>Nuggets that go</dt><dd>300</dd>" in page and "Wood floats" in page
    assert "Fact 7" in page and "Ships float" in page and draft.nuggets.count() == 301
    page = markup(client.post(url, {"confirmed": "yes"}, follow=True))
    assert "a.jsonl is withdrawn, with 300 nuggets." in page and "withdrawn" in page
    assert texts(draft) == ["Ships float"]
    assert "is withdrawn already" in markup(client.post(url, {"confirmed": "yes"}, follow=True))
    assert client.get(url)["Location"] == PAGE
