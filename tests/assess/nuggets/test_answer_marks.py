"""Judges read answers blind, mark words of them as nuggets, and organisers see in how many answers."""

from __future__ import annotations

import csv
import io

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from assess.answers.services import withdraw_answer_run
from assess.models import Answer, AnswerMark, AnswerRun, Bank, BankNugget
from assess.nuggets.banks import TWO_GRADES
from assess.nuggets.queries.banks import bank_file, why_not_deleted
from assess.nuggets.queries.integrity import bank_faults, mark_faults
from assess.nuggets.queries.marks import COLUMNS
from assess.nuggets.queries.own_answers import blind_answers
from assess.nuggets.services.banks import begin_draft, freeze_bank
from assess.nuggets.services.marks import MarkedWords, span_of
from assess.nuggets.services.nuggets import join_nuggets
from pooling.models import AuditLogEntry, Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/"
TOPIC = HOME + "nuggets/topics/1/"
ANSWERS = TOPIC + "answers/"
BANK = HOME + "judging/nuggets/1/"
SENTENCES = {
    "zebra-one": ["Boats float, and boats are light.", "They carry goods."],
    "zebra-two": ["## Use\n- Boats are light. ", "Ann sails."],
    "zebra-three": ["Nobody knows."],
}


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_document(campaign, "D1", "On ships.")
    for name in ("alice", "bob"):
        make.make_judgment(campaign, name, "1", "D1", 2)
    for tag, sentences in SENTENCES.items():
        make.make_answer_run(campaign, {"1": [(text, ["D1"]) for text in sentences]}, tag, "zebra-group")
    make.make_nugget_bank(campaign)
    return campaign


@pytest.fixture
def alice(campaign: Campaign, make: Factory) -> Client:
    return signed_in(make, "alice")


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def code(make: Factory, name: str, tag: str) -> str:
    """Return the name of the answer of a run on the pages of a judge."""
    judge = make.make_user(name)
    campaign = campaign_or_404(judge, "tiny")
    topic = campaign.topics.get(number="1")
    topic.campaign = campaign
    return next(each.code for each in blind_answers(judge, topic) if each.answer.run.tag == tag)


def mark(make: Factory, name: str, tag: str, words: str, **fields: str) -> str:
    """Mark words of an answer; return the page that follows."""
    about = {"answer": code(make, name, tag), "quotation": words} | fields
    return " ".join(markup(signed_in(make, name).post(ANSWERS, about, follow=True)).split())


def own(name: str) -> BankNugget:
    return BankNugget.objects.get(author__username=name)


def span(mark: AnswerMark) -> tuple[int, int, int, str]:
    return mark.sentence, mark.start, mark.end, mark.text


def test_words_of_an_answer_become_a_nugget(campaign: Campaign, make: Factory) -> None:
    page = mark(make, "alice", "zebra-one", "boats are  light", text="Boats are light", importance="vital")
    assert "The nugget is stored." in page and "answer" in page
    stored = own("alice").marks.get()
    assert span(stored) == (1, 17, 32, "boats are light")
    assert stored.answer.stored_sentences[0].text[17:32] == stored.text
    assert (own("alice").importance, own("alice").references) == ("vital", [])
    assert '<mark data-ends="1" >boats are light</mark>' in page.replace('"1">', '"1" >')
    entry = AuditLogEntry.objects.latest("pk")
    assert (entry.who, entry.verb) == ("alice", "marked a nugget in an answer")
    assert "Boats are light" in entry.sentence
    assert [*mark_faults(campaign)] == [[]]


def test_words_behind_a_heading_and_the_mark_of_a_list_keep_their_place(make: Factory, alice: Client) -> None:
    page = mark(make, "alice", "zebra-two", "are light", text="Boats are light")
    stored = own("alice").marks.get()
    assert span(stored) == (1, 15, 24, "are light")
    assert stored.answer.stored_sentences[0].text[15:24] == "are light"
    assert "Boats <mark" in page


def test_the_page_says_which_of_several_occurrences_was_selected(make: Factory, alice: Client) -> None:
    make.make_answer_run(
        Campaign.objects.get(), {"1": [("A boat.", []), ("- A boat is a boat.", [])]}, "zebra-four"
    )
    for fields, expected in [
        ({}, (1, 2, 6)),
        ({"place": "2", "start": "2"}, (2, 4, 8)),
        ({"place": "2", "start": "12"}, (2, 14, 18)),
        ({"place": "9", "start": "12"}, (1, 2, 6)),
    ]:
        AnswerMark.objects.all().delete()
        mark(make, "alice", "zebra-four", "boat", text="It is a boat", **fields)
        assert span(AnswerMark.objects.get())[:3] == expected


def test_an_answer_holds_an_own_nugget_with_one_mark_of_the_same_words(make: Factory, alice: Client) -> None:
    mark(make, "alice", "zebra-one", "are light", text="Boats are light")
    for _ in range(2):
        page = mark(make, "alice", "zebra-two", "are light", nugget=f"{own('alice').pk}")
        assert "The words are marked." in page
    assert [each.answer.run.tag for each in own("alice").marks.all()] == ["zebra-one", "zebra-two"]
    first = own("alice").marks.all()[0]
    page = markup(alice.post(f"{HOME}nuggets/marks/{first.pk}/delete/", follow=True))
    assert "The mark is deleted." in page and own("alice").marks.get().answer.run.tag == "zebra-two"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"quotation": "they are heavy"}, "no sentence of this answer has"),
        ({"quotation": "light. They carry"}, "Select words of one sentence"),
        ({"quotation": ""}, "This field is required"),
        ({"text": "a " * 13}, "this one has 13"),
        ({"text": ""}, "Write the nugget, or choose one of yours."),
        ({"nugget": "<others>"}, "not one of the available choices"),
        ({"answer": "0" * 20}, "This answer is not shown any more"),
    ],
)
def test_a_mark_is_refused_and_nothing_is_stored(
    campaign: Campaign, make: Factory, alice: Client, fields: dict[str, str], message: str
) -> None:
    others = make.make_nugget(campaign.nugget_banks.get(), "bob", "Bob says zebra")
    good = {"answer": code(make, "alice", "zebra-one"), "quotation": "light", "text": "It is light"}
    if fields.get("nugget"):
        fields, good = {"nugget": f"{others.pk}"}, good | {"text": ""}
    assert message in markup(alice.post(ANSWERS, good | fields))
    assert not AnswerMark.objects.exists()
    assert not BankNugget.objects.filter(author__username="alice").exists()


def test_a_chosen_nugget_and_a_new_one_at_once_are_refused(make: Factory, alice: Client) -> None:
    mark(make, "alice", "zebra-one", "are light", text="Boats are light")
    page = mark(make, "alice", "zebra-two", "light", text="Another", nugget=f"{own('alice').pk}")
    assert "and not both" in page and AnswerMark.objects.count() == 1


def test_nothing_on_a_judges_page_tells_a_run_or_what_others_marked(
    campaign: Campaign, make: Factory, alice: Client
) -> None:
    mark(make, "bob", "zebra-one", "goods", text="Bob speaks of goods")
    mark(make, "bob", "zebra-one", "float", text="Bob speaks of floating")
    assert AnswerMark.objects.count() == 2
    shown = [markup(alice.get(f"{ANSWERS}?answer={code(make, 'alice', tag)}")) for tag in SENTENCES]
    for page in [*shown, markup(alice.get(TOPIC)), markup(alice.get(HOME + "nuggets/"))]:
        assert "zebra" not in page and "Bob" not in page and "<mark" not in page
        for run in AnswerRun.objects.all():
            assert run.sha256 not in page
    assert "Ann sails." in shown[1] and "of 3, in an order of your own" in " ".join(shown[0].split())
    others = AnswerMark.objects.all()[0]
    assert alice.post(f"{HOME}nuggets/marks/{others.pk}/delete/").status_code == 404


def test_the_order_is_another_one_for_each_judge_and_tells_no_run(campaign: Campaign, make: Factory) -> None:
    for number in range(12):
        make.make_answer_run(campaign, {"1": [("It floats.", [])], "2": [("It sinks.", [])]}, f"run-{number}")
    orders, codes = [], set[str]()
    for name in ("alice", "bob"):
        judge = make.make_user(name)
        known = campaign_or_404(judge, "tiny")
        for topic in known.topics.all():
            topic.campaign = known
            found = blind_answers(judge, topic)
            assert found == blind_answers(judge, topic)
            assert [each.place for each in found] == [*range(1, len(found) + 1)]
            orders.append([each.answer.run_id for each in found if each.answer.run.tag.startswith("run-")])
            codes |= {each.code for each in found}
    assert len(codes) == 2 * (15 + 12)  # nothing in common between judges and topics
    assert len({tuple(order) for order in orders}) == 4
    assert sorted(orders[0]) not in orders


def test_who_knows_the_name_of_a_run_does_not_read_its_answer(
    campaign: Campaign, make: Factory, alice: Client
) -> None:
    make.make_answer_run(campaign, {"1": [("We float.", [])]}, "ours", group="alicelab")
    add_member(campaign, make.make_user("alice"), Role.PARTICIPANT, "alicelab", by=make.make_user("carol"))
    with pytest.raises(StopIteration):
        code(make, "alice", "ours")
    assert code(make, "bob", "ours")
    add_member(campaign, make.make_user("alice"), Role.ADJUDICATOR, by=make.make_user("carol"))
    assert alice.get(ANSWERS).status_code == 404 and "Answers <b>" not in markup(alice.get(TOPIC))


def test_without_a_label_a_draft_or_an_answer_there_is_nothing_to_read(
    campaign: Campaign, make: Factory, alice: Client
) -> None:
    assert alice.get(HOME + "nuggets/topics/2/answers/").status_code == 404
    assert signed_in(make, "carol").get(ANSWERS).status_code == 404
    for run in campaign.answer_runs.all():
        withdraw_answer_run(run, make.make_user("carol"))
    assert alice.get(ANSWERS).status_code == 404
    assert alice.get(TOPIC).status_code == 200


def test_a_closed_campaign_takes_no_marks(make: Factory, alice: Client) -> None:
    Campaign.objects.update(state="closed")
    page = mark(make, "alice", "zebra-one", "light", text="It is light")
    assert "The campaign is closed, so the mark was not stored" in page
    assert not BankNugget.objects.filter(author__username="alice").exists()


def mark_three(make: Factory) -> None:
    """Alice marks one nugget in all answers, and one in two; Bob one in the first, and writes one more."""
    mark(make, "alice", "zebra-one", "boats", text="There are boats")
    pk = f"{own('alice').pk}"
    mark(make, "alice", "zebra-two", "Boats", nugget=pk)
    mark(make, "alice", "zebra-three", "Nobody", nugget=pk)
    mark(make, "alice", "zebra-one", "boats are light", text="Boats are light")
    light = BankNugget.objects.get(text="Boats are light")
    mark(make, "alice", "zebra-two", "Boats are light", nugget=f"{light.pk}")
    mark(make, "alice", "zebra-two", "light", nugget=f"{light.pk}")  # the same answer, other words
    mark(make, "bob", "zebra-one", "goods", text="They carry goods")
    make.make_nugget(Bank.objects.get(), "bob", "Iron sinks")


def held(page: str) -> dict[str, str]:
    """Return text of a nugget -> what the page says of the answers that hold it."""
    rows = [" ".join(row.split()) for row in page.split("<tr>")[2:]]
    return {row.split('/">')[1].split("</a>")[0]: row for row in rows}


def test_an_organiser_sees_how_many_answers_hold_a_nugget_by_marks(campaign: Campaign, make: Factory) -> None:
    mark_three(make)
    carol = signed_in(make, "carol")
    page = markup(carol.get(BANK + "topics/1/"))
    rows = held(page)
    for text, said, word in [
        ("There are boats", "held by 3 of 3 answers", "in all"),
        ("Boats are light", "held by 2 of 3 answers", "separates"),
        ("They carry goods", "held by 1 of 3 answers", "separates"),
        ("Iron sinks", "held by 0 of 3 answers", "in none"),
    ]:
        assert said in rows[text] and f'<span class="mark">{word}</span>' in rows[text]
    assert "not known" in rows["Ships float on water"]  # of carol, who is no judge
    assert "Marks are not complete labels" in page and "zebra" not in page
    said = (
        "2 nuggets separate answers, 1 in all answers to the topic, 1 in none; marks of judges, not complete"
    )
    assert said in " ".join(markup(carol.get(BANK)).split())
    light = BankNugget.objects.get(text="Boats are light")
    page = markup(carol.get(f"{BANK}nuggets/{light.pk}/"))
    assert '<q dir="auto">boats are light</q>' in page and "alice" in page and "zebra" not in page
    for stored in BankNugget.objects.filter(importance__isnull=True):
        carol.post(f"{BANK}nuggets/{stored.pk}/vote/", {"importance": "okay"})
    assert said in " ".join(markup(carol.post(BANK + "freeze/")).split())


def test_answers_of_withdrawn_runs_count_nowhere(campaign: Campaign, make: Factory, alice: Client) -> None:
    mark_three(make)
    withdraw_answer_run(campaign.answer_runs.get(tag="zebra-one"), make.make_user("carol"))
    carol = signed_in(make, "carol")
    rows = held(markup(carol.get(BANK + "topics/1/")))
    assert "held by 2 of 2 answers" in rows["There are boats"]
    assert "held by 1 of 2 answers" in rows["Boats are light"] and "separates" in rows["Boats are light"]
    assert "held by 0 of 2 answers" in rows["They carry goods"]
    assert "zebra-one" not in carol.get(BANK + "marks/").content.decode()
    page = markup(alice.get(ANSWERS))
    assert "boats are light" not in page and "of 2, in an order" in " ".join(page.split())
    assert [*mark_faults(campaign)] == [[]] * 7  # the marks stay as evidence


def test_joined_nuggets_join_their_marks(campaign: Campaign, make: Factory) -> None:
    mark_three(make)
    boats, light = (BankNugget.objects.get(text=text) for text in ("There are boats", "Boats are light"))
    mark(make, "alice", "zebra-three", "Nobody", nugget=f"{light.pk}")  # the same words for both
    join_nuggets(light, boats, make.make_user("carol"))
    assert [each.answer.run.tag for each in light.marks.order_by("answer__run__pk", "pk")] == [
        "zebra-one", "zebra-one", "zebra-two", "zebra-two", "zebra-two", "zebra-three",
    ]  # fmt: skip
    goods = BankNugget.objects.get(text="They carry goods")
    join_nuggets(goods, light, make.make_user("carol"))
    assert {each.author.username for each in goods.marks.all()} == {"alice", "bob"}
    page = markup(signed_in(make, "bob").get(TOPIC))
    assert "goods" in page and "boats are light" not in page  # Bob sees his own mark only


def test_a_copy_keeps_marks_and_a_frozen_version_never_changes(campaign: Campaign, make: Factory) -> None:
    mark_three(make)
    carol, draft = make.make_user("carol"), Bank.objects.get()
    BankNugget.objects.filter(importance__isnull=True).update(importance="okay")
    marked = bank_file(draft)
    assert b"zebra" not in marked and b"boats are light" not in marked  # the public form has no place for it
    frozen = freeze_bank(draft, carol)
    copy = begin_draft(campaign, carol, TWO_GRADES, frozen)
    before = {
        (each.nugget.key, *span(each), each.answer_id, each.author_id, each.at) for each in marks_in(frozen)
    }
    after = {
        (each.nugget.key, *span(each), each.answer_id, each.author_id, each.at) for each in marks_in(copy)
    }
    assert before == after and len(before) == 7
    light = copy.nuggets.get(text="Boats are light")
    mark(make, "alice", "zebra-three", "knows", nugget=f"{light.pk}")
    join_nuggets(light, copy.nuggets.get(text="There are boats"), carol)
    assert (len(marks_in(frozen)), len(marks_in(copy))) == (7, 8)
    withdraw_answer_run(campaign.answer_runs.get(tag="zebra-two"), carol)
    assert bank_file(frozen) == marked and [*bank_faults(campaign)] == [[]]
    stale = AnswerMark.objects.filter(nugget__bank=frozen)[0]
    assert signed_in(make, "alice").post(f"{HOME}nuggets/marks/{stale.pk}/delete/").status_code == 404


def marks_in(bank: Bank) -> list[AnswerMark]:
    return [*AnswerMark.objects.filter(nugget__bank=bank).select_related("nugget")]


def test_the_file_of_marks_has_the_words_at_their_offsets(campaign: Campaign, make: Factory) -> None:
    mark_three(make)
    content = signed_in(make, "ada").get(BANK + "marks/").content.decode()
    rows = [*csv.DictReader(io.StringIO(content), delimiter="\t")]
    assert len(rows) == 7
    assert [*rows[0]] == [*COLUMNS]
    for row in rows:
        text = SENTENCES[row["run"]][int(row["sentence"]) - 1]
        assert text[int(row["start"]) : int(row["end"])] == row["words"]
        assert f"{BankNugget.objects.get(text=row['text']).key}" == row["key"]
    assert signed_in(make, "alice").get(BANK + "marks/").status_code == 403


def test_a_changed_answer_is_a_fault(campaign: Campaign, make: Factory) -> None:
    mark(make, "alice", "zebra-one", "are light", text="Boats are light")
    answer = Answer.objects.get(run__tag="zebra-one", topic__number="1")
    for sentences in ([["Boats sink, and boats are light.", []]], []):
        answer.sentences = sentences
        answer.save()
        ((fault,),) = mark_faults(campaign)
        assert "words" in f"{fault}" or "mark in an answer" in f"{fault}"


def test_a_campaign_with_marks_is_deleted_only_without_work_of_people(
    campaign: Campaign, make: Factory
) -> None:
    mark(make, "alice", "zebra-one", "are light", text="Boats are light")
    BankNugget.objects.update(author=None)  # as of a file
    assert why_not_deleted(campaign) == "It holds 1 mark of nuggets in answers."


WORDS = st.text("ab .-\n\t\u00e4\U0001f6a2", min_size=1, max_size=30)


@given(st.lists(WORDS, min_size=1, max_size=4), st.data())
def test_any_words_of_a_sentence_are_found_at_a_place_that_has_them(
    texts: list[str], data: st.DataObject
) -> None:
    place = data.draw(st.integers(1, len(texts)))
    text = texts[place - 1]
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    words = text[start:end]
    if not words.split():
        return
    answer = Answer(sentences=[[each, []] for each in texts])
    found = span_of(MarkedWords(answer, words, place, 0))
    assert found.sentence == place
    assert texts[found.sentence - 1][found.start : found.end] == found.text
    assert found.text.split() == words.split()
