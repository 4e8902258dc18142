"""Snippets: what is stored with a set, which grades are refused, and the screen of judges."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from assess.models import RunSnippet, SnippetGrade, SnippetSet, SnippetTask
from assess.queries.judged_sets import progress_of
from assess.services.judged_sets import SetRefused, give_open_tasks
from assess.services.judging import LabelRefused
from assess.snippets.queries.integrity import snippet_faults
from assess.snippets.queries.plan import PlannedSnippets, preview_of
from assess.snippets.queries.tasks import SNIPPETS, snippet_progress, standing_grades, why_not_deleted
from assess.snippets.services import SubmittedGrade as Submitted
from assess.snippets.services import (
    create_snippets,
    discard_snippets,
    load_snippets,
    record_snippet_grade,
    remove_snippets,
    take_back_snippet_grade,
)
from pooling.formats.files import BadFile
from pooling.models import Campaign, Role
from pooling.refusals import Refused
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/"
SETUP = HOME + "judging/snippets/"
RUNS = SETUP + "runs/"
TEXTS = {"D1": "Boats float on water.", "D2": "Grain is heavy.", "D3": "Boats carry grain."}


def build_campaign(make: Factory) -> Campaign:
    """A run with three results for topic 1 and one for topic 2, of which D4 has no text; topic 3 has none."""
    campaign = make.make_campaign()
    for number, title in (("1", "boats"), ("2", "grain"), ("3", "mills")):
        make.make_topic(campaign, number, title)
    make.make_run(campaign, "1 D1 4\n1 D2 3\n1 D4 2\n1 D3 1\n2 D3 1", "zebra-run", group="zebra")
    for docno, text in TEXTS.items():
        make.make_document(campaign, docno, text, title=f"Title of {docno}")
    campaign.documents.filter(docno="D1").update(url="https://example.org/boats")
    for name in ("alice", "bob"):
        add_member(campaign, make.make_user(name), Role.JUDGE)
    add_member(campaign, make.make_user("carol"), Role.ORGANISER)
    return campaign


def asked(campaign: Campaign, make: Factory, **changed: Any) -> PlannedSnippets:
    people, topics = [make.make_user("alice"), make.make_user("bob")], list(campaign.topics.all())
    run = campaign.runs.get()
    plan = PlannedSnippets(campaign, run, people, topics, "document", 10, 100, 7)
    return plan._replace(**changed)


@pytest.fixture
def about(campaign: Campaign, make: Factory) -> SnippetSet:
    return create_snippets(campaign, make.make_user("carol"), asked(campaign, make))


@pytest.fixture
def alice(campaign: Campaign, make: Factory) -> Client:
    return signed_in(make, "alice")


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def own(about: SnippetSet, judge: str = "alice") -> list[SnippetTask]:
    related = ("judge", "result__topic", "snippet_set__campaign")
    return list(about.tasks.filter(judge__username=judge).select_related(*related))


def give(task: SnippetTask, grade: int | None, **changed: Any) -> SnippetGrade:
    text_hash = task.result.text_hash if task.step == "document" else ""
    submitted = Submitted(uuid.uuid4(), grade, text_hash=text_hash)._replace(**changed)
    return record_snippet_grade(task, task.judge, submitted)


def test_results_are_stored_with_the_set(about: SnippetSet, campaign: Campaign) -> None:
    stored = [
        (each.topic.number, each.rank, each.docno, each.snippet) for each in about.results.order_by("pk")
    ]
    assert stored == [
        ("1", 1, "D1", TEXTS["D1"]), ("1", 2, "D2", TEXTS["D2"]), ("1", 4, "D3", TEXTS["D3"]),
        ("2", 1, "D3", TEXTS["D3"]),
    ]  # fmt: skip
    assert about.results.get(docno="D1").address == "https://example.org/boats"
    campaign.documents.update(text="Another text.")
    assert about.results.get(docno="D1").snippet == TEXTS["D1"]


def test_what_is_left_out_is_counted(campaign: Campaign, make: Factory) -> None:
    preview = preview_of(asked(campaign, make))
    assert (preview.without_text, preview.without_term, preview.without) == (1, 1, ["3"])
    own_ones = preview_of(asked(campaign, make, origin="run"))
    assert (own_ones.without_snippet, own_ones.rows, own_ones.without) == (4, [], ["1", "2", "3"])
    with pytest.raises(SetRefused, match="no result with a snippet"):
        create_snippets(campaign, make.make_user("carol"), asked(campaign, make, origin="run"))


def test_a_judge_gets_each_snippet_directly_before_its_document(about: SnippetSet) -> None:
    tasks = own(about)
    assert [task.step for task in tasks] == ["snippet", "document"] * 4
    pairs = list(zip(tasks[::2], tasks[1::2], strict=True))
    assert all(snippet.result_id == document.result_id for snippet, document in pairs)
    assert [faults for faults in snippet_faults(about.campaign) if list(faults)] == []
    orders = [[task.result_id for task in own(about, name)] for name in ("alice", "bob")]
    assert sorted(orders[0]) == sorted(orders[1])


def test_a_document_is_graded_after_its_snippet_which_then_stays(about: SnippetSet) -> None:
    snippet, document = own(about)[:2]
    with pytest.raises(LabelRefused, match="Grade the snippet of this document first"):
        give(document, 1)
    first = give(snippet, 2, answers=True)
    take_back_snippet_grade(snippet, snippet.judge, uuid.uuid4(), first.uuid)
    assert standing_grades([snippet]) == {}
    give(snippet, 1, answers=True)
    given = give(document, 3, answers=True)
    assert not given.answers  # which is said of snippets only
    with pytest.raises(LabelRefused, match="You have graded the document of this snippet"):
        give(snippet, 3)
    take_back_snippet_grade(document, document.judge, uuid.uuid4(), given.uuid)
    with pytest.raises(LabelRefused, match="You have graded the document"):
        give(snippet, 3)
    give(document, 0)
    grades = {each.task_id: (each.grade, each.answers) for each in standing_grades(own(about)).values()}
    assert grades == {snippet.pk: (1, True), document.pk: (0, False)}


def test_a_grade_off_the_scale_and_a_changed_text_are_refused(about: SnippetSet, campaign: Campaign) -> None:
    snippet, document = own(about)[:2]
    with pytest.raises(LabelRefused, match="The scale has no grade 9"):
        give(snippet, 9)
    give(snippet, 1)
    with pytest.raises(LabelRefused, match="has changed. Read it again"):
        give(document, 1, text_hash="of another text")
    assert SnippetGrade.objects.count() == 1


def test_a_repeated_request_stores_one_grade(about: SnippetSet) -> None:
    snippet, document = own(about)[:2]
    key = uuid.uuid4()
    assert give(snippet, 1, uuid=key) == give(snippet, 1, uuid=key)
    give(document, 1)
    assert give(snippet, 1, uuid=key).uuid == key
    assert SnippetGrade.objects.count() == 2


def test_who_sees_the_name_of_the_run_does_not_judge_it(campaign: Campaign, make: Factory) -> None:
    zoe = make.make_user("zoe")
    add_member(campaign, zoe, Role.JUDGE)
    add_member(campaign, zoe, Role.PARTICIPANT, group="zebra")
    with pytest.raises(Refused, match="Choose other judges: zoe"):
        create_snippets(campaign, make.make_user("carol"), asked(campaign, make, judges=[zoe], double=0))


def test_a_set_with_grades_is_kept(about: SnippetSet, make: Factory) -> None:
    carol = make.make_user("carol")
    give(own(about)[0], 1)
    with pytest.raises(SetRefused, match="labels are never deleted"):
        discard_snippets(about, carol)
    assert "1 grade of snippets" in why_not_deleted(about.campaign)


def test_topics_that_were_begun_stay_with_their_judge(about: SnippetSet, make: Factory) -> None:
    add_member(about.campaign, make.make_user("zoe"), Role.JUDGE)
    tasks = own(about)
    give(tasks[0], 1)
    planned = give_open_tasks(
        SNIPPETS, about, tasks[0].judge, [make.make_user("zoe")], make.make_user("carol")
    )
    begun = tasks[0].result.topic_id
    assert {task.result.topic_id for task, _ in planned.given} == {task.result.topic_id for task in tasks} - {
        begun
    }
    assert [faults for faults in snippet_faults(about.campaign) if list(faults)] == []
    assert snippet_progress(about).done == 1 and progress_of(about, {}, {}).total == 0


# --- snippets of a run


def test_the_snippets_of_a_run_stand_in_its_sets(campaign: Campaign, make: Factory) -> None:
    carol, run = make.make_user("carol"), campaign.runs.get()
    load_snippets(run, carol, b"* D3 For every topic\n2 D3 For topic 2\n1 D1 Of D1\n", "own.txt")
    made = create_snippets(campaign, carol, asked(campaign, make, origin="run"))
    shown = {(each.topic.number, each.docno): each.snippet for each in made.results.all()}
    assert shown == {("1", "D1"): "Of D1", ("1", "D3"): "For every topic", ("2", "D3"): "For topic 2"}
    remove_snippets(run, carol)
    assert made.results.get(docno="D1").snippet == "Of D1" and not RunSnippet.objects.exists()


def test_a_bad_file_stores_nothing(campaign: Campaign, make: Factory) -> None:
    carol, run = make.make_user("carol"), campaign.runs.get()
    load_snippets(run, carol, b"1 D1 Of D1\n", "own.txt")
    with pytest.raises(BadFile, match="line 2"):
        load_snippets(run, carol, b"1 D2 Of D2\n1 D2\n", "own.txt")
    assert [each.text for each in run.snippets.all()] == ["Of D1"]


def test_the_same_file_again_changes_nothing(campaign: Campaign, make: Factory) -> None:
    client = signed_in(make, "carol")
    for _ in range(2):
        file = SimpleUploadedFile("own.txt", b"* D1 A snippet.\n")
        answer = client.post(RUNS, {"run": "zebra-run", "file": file}, follow=True)
        assert "zebra-run has 1 snippet: read as lines of topic, docno and snippet." in markup(answer)
    assert campaign.audit_log.filter(verb="loaded snippets of a run").count() == 1


# --- pages


def test_the_screen_shows_a_snippet_then_its_document_and_no_run(about: SnippetSet, alice: Client) -> None:
    snippet, document = own(about)[:2]
    pages = {task.step: f"{HOME}snippets/{task.pk}/" for task in (snippet, document)}
    assert alice.get(pages["document"]).headers["Location"] == pages["snippet"]
    page = markup(alice.get(pages["snippet"]))
    assert "How relevant does the document look?" in page and f"Title of {snippet.result.docno}" in page
    assert "zebra" not in page and "Result 1 of" in page
    fields = {"uuid": f"{uuid.uuid4()}", "grade": "2", "answers": "yes", "source": "click"}
    assert alice.post(pages["snippet"], fields).headers["Location"] == pages["document"]
    page = markup(alice.get(pages["document"]))
    assert "How relevant is the document?" in page and TEXTS[snippet.result.docno].split()[1] in page
    assert "zebra" not in page
    fields |= {"uuid": f"{uuid.uuid4()}", "text_hash": document.result.text_hash}
    assert alice.post(pages["document"], fields).status_code == 302
    assert [(each.grade, each.answers) for each in SnippetGrade.objects.all()] == [(2, True), (2, False)]


def test_the_outbox_stores_both_and_takes_back(about: SnippetSet, alice: Client, make: Factory) -> None:
    snippet, document = own(about)[:2]
    keys = [f"{uuid.uuid4()}" for _ in range(3)]
    labels = [
        {"uuid": keys[0], "entry": snippet.pk, "grade": "1", "answers": False, "source": "key"},
        {
            "uuid": keys[1],
            "entry": document.pk,
            "grade": "3",
            "text_hash": document.result.text_hash,
            "source": "key",
        },
        {"uuid": keys[2], "entry": document.pk, "revokes": keys[1]},
    ]
    payload = {
        "judge": make.make_user("alice").pk,
        "topic": f"{about.pk}",
        "have": [],
        "want": 3,
        "labels": labels,
    }
    page = markup(alice.post(HOME + "snippets/outbox/", payload, content_type="application/json"))
    assert "data-problem" not in page and "zebra" not in page
    assert {each.task.step for each in standing_grades(own(about)).values()} == {"snippet"}


def test_an_organiser_previews_and_makes_a_set(campaign: Campaign, make: Factory) -> None:
    client = signed_in(make, "carol")
    people = [make.make_user("alice").pk, make.make_user("bob").pk]
    fields = {
        "run": "zebra-run", "judges": people, "topics": "all", "origin": "document", "depth": "10",
        "double": "0", "seed": "3",
    }  # fmt: skip
    page = markup(client.post(SETUP, fields))
    assert "Ask for grades of 4 results?" in page and "1 result left out: without a text" in page
    assert "1 result without a word of the topic in the text" in page and "left out: 3." in page
    assert not campaign.snippet_sets.exists()
    client.post(SETUP, fields | {"confirmed": "yes"})
    assert "zebra-run" in markup(client.get(SETUP + "1/"))
