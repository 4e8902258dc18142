"""Answer runs in a campaign: submitted, seen, withdrawn, exported, and the documents that they cite."""

from __future__ import annotations

import gzip
import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from assess.answers.queries import answer_run_faults, cited_texts, cited_without_text
from assess.answers.services import (
    AnswerRunDetails,
    set_answer_rules,
    submit_answer_run,
    withdraw_answer_run,
)
from assess.models import Answer, AnswerRun, CitedDocument
from assess.queries.campaigns import named_files
from assess.services.campaigns import delete_campaign
from config.archives.campaigns import export_campaign, import_campaign
from pooling.campaign_states import StateRefused
from pooling.formats.files import BadFile
from pooling.formats.run_checks import RunRefused
from pooling.models import Campaign, Topic
from pooling.services.campaign_states import change_schedule
from pooling.services.topics import TopicRefused, remove_topic
from tests.assess.answers.files import GOOD, Answers, answer_file
from tests.support.factory import Factory

PAGE = "/campaigns/tiny/answer-runs/"


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    for number, title in (("1", "Why do boats float?"), ("2", "What else?")):
        make.make_topic(campaign, number, title)
    set_answer_rules(campaign, make.make_user("carol"), {"accepts": True})
    return campaign


def client_of(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def submit(campaign: Campaign, make: Factory, who: str = "dave", content: bytes = b"") -> AnswerRun:
    details = AnswerRunDetails("davelab")
    content = content or answer_file(group="davelab")
    return submit_answer_run(campaign, make.make_user(who), content, "one.jsonl", details)


def faults(campaign: Campaign) -> list[str]:
    return [fault.what for each in answer_run_faults(campaign) for fault in each]


@pytest.mark.parametrize("form", ["rag", "rag-2024", "rag-2026", "report", "scores"])
def test_every_form_is_stored_as_sentences_with_docnos(campaign: Campaign, make: Factory, form: str) -> None:
    run = submit(campaign, make, content=gzip.compress(answer_file(GOOD, form, group="davelab")))
    assert (run.tag, run.group, run.answer_count) == ("one", "davelab", 2)
    first, second = Answer.objects.filter(run=run).order_by("line")
    assert [(s.text, list(s.citations)) for s in first.stored_sentences] == [
        ("Boats float.", ["D1"]), ("They carry people and goods.", ["D1", "D2"])
    ]  # fmt: skip
    assert [list(s.scores) for s in first.stored_sentences] == (
        [[100], [100, 99]] if form == "scores" else [[], []]
    )
    assert (first.topic.number, first.line, first.words, first.characters) == ("1", 1, 7, 41)
    assert (first.references, second.references) == (["D1", "D2"], [])
    assert list(first.cited.values_list("docno", "place")) == [("D1", 1), ("D2", 2)]
    assert (second.words, second.cited.count()) == (2, 0)
    assert faults(campaign) == []


def test_a_refused_file_stores_nothing(campaign: Campaign, make: Factory) -> None:
    with pytest.raises(RunRefused):
        submit(campaign, make, content=answer_file() + b"{\n")
    assert not AnswerRun.objects.exists() and not Answer.objects.exists()
    assert not list(campaign.audit_log.filter(verb="submitted an answer run"))


def test_a_tag_is_free_again_after_withdrawal(campaign: Campaign, make: Factory) -> None:
    run = submit(campaign, make)
    with pytest.raises(BadFile, match="the tag one is taken by another answer run"):
        submit(campaign, make)
    withdraw_answer_run(run, make.make_user("dave"))
    again = submit(campaign, make)
    assert list(campaign.answer_runs.active()) == [again]
    said = campaign.audit_log.filter(verb__contains="answer run").order_by("number")
    assert [(entry.verb, entry.who) for entry in said] == [
        ("changed the rules of answer runs", "carol"),
        ("submitted an answer run", "dave"),
        ("withdrew an answer run", "dave"),
        ("submitted an answer run", "dave"),
    ]
    assert faults(campaign) == []


def test_who_may_submit_and_when(campaign: Campaign, make: Factory) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(
        submission_closes_at=timezone.now() - timedelta(hours=1), late_runs="mark"
    )
    campaign.refresh_from_db()
    assert submit(campaign, make).is_late
    Campaign.objects.filter(pk=campaign.pk).update(late_runs="refuse")
    campaign.refresh_from_db()
    with pytest.raises(StateRefused, match="Submission closed on"):
        submit(campaign, make, content=answer_file(tag="two"))
    assert submit(campaign, make, "carol", answer_file(tag="two")).is_late is False
    Campaign.objects.filter(pk=campaign.pk).update(submission_closes_at=None)
    set_answer_rules(campaign, make.make_user("carol"), {"accepts": False})
    campaign.refresh_from_db()
    with pytest.raises(StateRefused, match="The organiser has switched submission off"):
        submit(campaign, make, content=answer_file(tag="three"))
    Campaign.objects.filter(pk=campaign.pk).update(state="archived")
    campaign.refresh_from_db()
    with pytest.raises(StateRefused, match="archived"):
        submit(campaign, make, "carol", answer_file(tag="three"))


def test_the_rules_of_the_campaign_hold(campaign: Campaign, make: Factory) -> None:
    set_answer_rules(campaign, make.make_user("carol"), {"words": 6, "form": "rag"})
    with pytest.raises(RunRefused, match="line 1: expected at most 6 words, found 7"):
        submit(campaign, make)
    with pytest.raises(RunRefused, match="found reports"):
        submit(campaign, make, content=answer_file(form="report"))
    set_answer_rules(campaign, make.make_user("carol"), {"words": 7})
    assert submit(campaign, make).answer_count == 2


def test_warnings_of_the_campaign(campaign: Campaign, make: Factory) -> None:
    run = submit(campaign, make, content=answer_file(group="pier"))
    assert [warning["what"] for warning in run.warnings] == [
        "docnos were not checked, because the campaign has no texts",
        "the file has the team_id pier, submitted by davelab",
    ]
    make.make_document(campaign, "D2")
    run = submit(campaign, make, content=answer_file(tag="two", group="davelab"))
    assert [warning["what"] for warning in run.warnings] == []
    content = answer_file({"1": [("A.", ["D7"])], "2": GOOD["2"]}, tag="three", group="davelab")
    run = submit(campaign, make, content=content)
    assert [warning["what"] for warning in run.warnings] == [
        "no cited document is among the loaded documents"
    ]
    withdraw_answer_run(run, make.make_user("dave"))
    same = submit(campaign, make, content=content)
    assert len(same.warnings) == 1  # the withdrawn one does not count


def test_a_docno_outside_the_collection_is_refused(campaign: Campaign, make: Factory) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(collection_size=1)
    campaign.refresh_from_db()
    make.make_document(campaign, "D1")
    with pytest.raises(RunRefused, match="line 1: 1 docno not in the collection: D2"):
        submit(campaign, make)


def test_cited_documents_without_a_text_are_counted_and_named(campaign: Campaign, make: Factory) -> None:
    make.make_document(campaign, "D1")
    submit(campaign, make)
    other: Answers = {"1": [("A.", ["D2", "D3"])], "2": [("B.", ["D3", "D1"])]}
    second = submit(campaign, make, content=answer_file(other, tag="two"))
    assert list(cited_without_text(campaign)) == [
        {"docno": "D2", "answers": 2}, {"docno": "D3", "answers": 2}
    ]  # fmt: skip
    assert cited_texts(campaign)[:2] == (3, 2)
    carol = client_of(make, "carol")
    assert carol.get(f"{PAGE}missing/").content == b"D2\nD3\n"
    page = " ".join(carol.get(PAGE).content.decode().split())
    assert "2 of 3 cited documents without text" in page
    assert '<span class="docno">D2</span> in 2 answers' in page
    withdraw_answer_run(second, make.make_user("dave"))
    assert cited_texts(campaign)[:2] == (2, 1)


def test_a_participant_submits_by_the_page_and_sees_only_the_own_group(
    campaign: Campaign, make: Factory
) -> None:
    other = make.make_answer_run(campaign, tag="zebra")
    dave = client_of(make, "dave")
    assert "Answer runs" in dave.get("/campaigns/tiny/participate/").content.decode()
    file = SimpleUploadedFile("one.jsonl", answer_file(group="davelab"))
    response = dave.post(PAGE, {"file": file, "kind": "manual", "description": "Ours."}, follow=True)
    run = campaign.answer_runs.get(tag="one")
    assert (run.group, run.kind, run.description) == ("davelab", "manual", "Ours.")
    page = response.content.decode()
    assert "one stored, 2 answers." in page and run.sha256 in page
    assert "zebra" not in dave.get(PAGE).content.decode().partition("<main")[2]
    assert dave.get(f"{PAGE}{other.pk}/file/").status_code == 404
    for part in ("", "receipt/", "topics/1/"):
        assert dave.get(f"{PAGE}{other.pk}/{part}").status_code == 404
        assert dave.get(f"{PAGE}{run.pk}/{part}").status_code == 200
    assert gzip.decompress(dave.get(f"{PAGE}{run.pk}/file/").getvalue()) == answer_file(group="davelab")


def test_a_refused_file_is_explained_on_the_page(campaign: Campaign, make: Factory) -> None:
    dave = client_of(make, "dave")
    file = SimpleUploadedFile("one.jsonl", answer_file({"01": GOOD["1"], "9": GOOD["2"]}))
    page = dave.post(PAGE, {"file": file}).content.decode()
    assert "topic 01 is not in this campaign" in page and "topic 9 is not in this campaign" in page
    assert "1 topic would be of this campaign without leading zeros: 01 is 1" in page
    file = SimpleUploadedFile("one.jsonl", answer_file({"01": GOOD["1"]}))
    dave.post(PAGE, {"file": file, "match_topics": "on"})
    run = campaign.answer_runs.get()
    assert (run.topic_numbers, run.answers.get().topic.number) == ({"01": "1"}, "1")
    assert faults(campaign) == []


def test_several_files_are_stored_or_refused_each_on_its_own(campaign: Campaign, make: Factory) -> None:
    dave = client_of(make, "dave")
    files = [
        SimpleUploadedFile("one.jsonl", answer_file()),
        SimpleUploadedFile("bad.jsonl", answer_file(tag="bad") + b"{\n"),
        SimpleUploadedFile("again.jsonl", answer_file()),
        SimpleUploadedFile("two.jsonl", answer_file(tag="two")),
    ]
    response = dave.post(PAGE, {"file": files})
    page = " ".join(response.content.decode().split())
    assert sorted(campaign.answer_runs.values_list("tag", flat=True)) == ["one", "two"]
    refusals = page.partition('id="submit"')[2].partition("<form")[0]
    assert "<b>one.jsonl</b> stored as <code>one</code>, 2 answers." in refusals
    assert "<b>two.jsonl</b> stored as <code>two</code>, 2 answers." in refusals
    assert refusals.count("was refused; nothing from it was stored") == 2
    assert "bad.jsonl was refused" in refusals and "Line 3: expected one JSON object" in refusals
    assert "again.jsonl was refused" in refusals and "the tag one is taken by another answer run" in refusals
    assert f'action="{PAGE}#submit"' in page


def test_files_beyond_the_limit_of_a_day_are_refused_by_name(campaign: Campaign, make: Factory) -> None:
    change_schedule(campaign, runs_per_day=1)
    files = [SimpleUploadedFile(f"{tag}.jsonl", answer_file(tag=tag)) for tag in ("one", "two")]
    page = " ".join(client_of(make, "dave").post(PAGE, {"file": files}).content.decode().split())
    assert [run.tag for run in campaign.answer_runs.all()] == ["one"]
    assert "two.jsonl was refused" in page and "1 of 1 answer runs today" in page


def test_several_good_files_lead_to_the_list(campaign: Campaign, make: Factory) -> None:
    files = [SimpleUploadedFile(f"{tag}.jsonl", answer_file(tag=tag)) for tag in ("one", "two")]
    assert client_of(make, "dave").post(PAGE, {"file": files})["Location"] == f"{PAGE}#main"


def test_a_receipt_as_text_and_json(campaign: Campaign, make: Factory) -> None:
    run = submit(campaign, make)
    dave = client_of(make, "dave")
    text = dave.get(f"{PAGE}{run.pk}/receipt/").content.decode()
    assert text.startswith("Receipt of an answer run submitted to Tiny\n")
    assert f"sha256:       {run.sha256}\n" in text and "answers:      2\n" in text
    receipt = json.loads(dave.get(f"{PAGE}{run.pk}/receipt/?format=json").content)
    assert (receipt["tag"], receipt["form"], receipt["late"]) == ("one", "RAG 2024 and 2025", False)


def test_withdrawal_asks_first_and_is_for_the_own_group(campaign: Campaign, make: Factory) -> None:
    run = submit(campaign, make)
    dave = client_of(make, "dave")
    assert b"Withdraw one?" in dave.post(f"{PAGE}{run.pk}/withdraw/").content
    dave.post(f"{PAGE}{run.pk}/withdraw/", {"confirmed": "yes"})
    run.refresh_from_db()
    assert run.withdrawn_by == make.make_user("dave")
    assert (
        b"withdrawn already"
        in dave.post(f"{PAGE}{run.pk}/withdraw/", {"confirmed": "yes"}, follow=True).content
    )
    late = submit(campaign, make)
    Campaign.objects.filter(pk=campaign.pk).update(submission_closes_at=timezone.now() - timedelta(hours=1))
    response = dave.post(f"{PAGE}{late.pk}/withdraw/", {"confirmed": "yes"})
    assert response.status_code == 409
    late.refresh_from_db()
    assert late.withdrawn_at is None


def test_an_organiser_sets_the_rules(campaign: Campaign, make: Factory) -> None:
    carol = client_of(make, "carol")
    values = {"accepts": "on", "form": "rag-2026", "words": "250", "characters": ""}
    carol.post(f"{PAGE}rules/", values)
    campaign.refresh_from_db()
    rules = campaign.answer_rules
    assert (rules.accepts, rules.form, rules.words, rules.characters) == (True, "rag-2026", 250, None)
    page = client_of(make, "dave").get(PAGE).content.decode()
    assert "at most 250 words" in page and "3 citations per sentence" in page and "RAG 2024" not in page
    page = carol.post(f"{PAGE}rules/", values | {"words": "0"}).content.decode()
    assert "greater than or equal to 1" in page
    assert client_of(make, "dave").post(f"{PAGE}rules/", values).status_code == 403


def test_the_integrity_check_finds_changed_answers(campaign: Campaign, make: Factory) -> None:
    run = submit(campaign, make)
    answer = run.answers.get(topic__number="1")
    Answer.objects.filter(pk=answer.pk).update(sentences=[["Boats sink.", ["D1"]]])
    assert faults(campaign) == ["answer run sentences"]
    CitedDocument.objects.filter(docno="D2").delete()
    AnswerRun.objects.update(answer_count=3)
    found = faults(campaign)
    assert found == ["answer run answer count", "answer run sentences", "answer run cited documents"]
    Path(run.original.path).unlink()
    assert faults(campaign) == ["original of an answer run"]


def test_answer_runs_are_exported_deleted_and_imported(
    campaign: Campaign, make: Factory, tmp_path: Path, settings: Settings
) -> None:
    settings.TASKS = {"default": {"BACKEND": "django_tasks.backends.dummy.DummyBackend"}}
    run = submit(campaign, make)
    archive = tmp_path / "a.zip"
    assert export_campaign(campaign, archive)["lost"] == []
    assert run.original.name in named_files(campaign)
    delete_campaign(campaign, make.make_user("carol"))
    assert not AnswerRun.objects.exists()
    people = {name: name for name in ("carol", "alice", "bob", "dave", "rita", "ada")}
    imported = import_campaign(archive, people).campaign
    copy = imported.answer_runs.get()
    assert (copy.tag, copy.answers.count(), imported.answer_rules.accepts) == ("one", 2, True)
    assert copy.answers.get(topic__number="1").sentences[1] == ["They carry people and goods.", ["D1", "D2"]]
    assert faults(imported) == []


def test_a_topic_with_an_answer_is_not_removed(campaign: Campaign, make: Factory) -> None:
    submit(campaign, make)
    with pytest.raises(TopicRefused, match="Topic 1 cannot be removed: it has answers"):
        remove_topic(Topic.objects.get(number="1"), make.make_user("carol"))


def test_many_answers_are_stored_with_few_statements(
    campaign: Campaign, make: Factory, django_assert_max_num_queries: object
) -> None:
    for number in range(3, 103):
        make.make_topic(campaign, str(number))
    answers: Answers = {str(n): [(f"Sentence {n}.", [f"D{n}", "D0"])] for n in range(1, 101)}
    with django_assert_max_num_queries(45):  # type: ignore[operator]
        run = submit(campaign, make, content=answer_file(answers))
    assert run.answers.count() == 100 and CitedDocument.objects.count() == 200
