"""Banks, matchings, support, gradings and pyramids in the API: the figures of the pages, and an upload."""

from __future__ import annotations

import io
from typing import Any

from django.test import Client

from accounts.services import create_token
from assess.nuggets.assignments import read_assignments
from assess.nuggets.bank_files import read_banks
from assess.support.services import Mark
from metrics.argue.queries import found_argue
from metrics.gradings.queries import found_grades, grade_rows
from metrics.magnitudes.queries import found_result as found_magnitudes
from metrics.matchings.queries import found_result, label_rows
from metrics.preferences.queries import preference_result
from metrics.pyramids.queries import campaign_scores, score_rows
from metrics.support.queries import found_result as found_support
from metrics.support.queries import label_rows as label_rows_of
from pooling.checksum import sha256_of
from pooling.models import AuditLogEntry, Campaign, Role
from pooling.services.people import add_member
from tests.support.factory import Factory

HOME = "/api/campaigns/tiny/"
NUGGETS = b'{"qid": "1", "nuggets": [{"text": "Wood floats", "importance": "vital"}]}\n'


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    for number in "12":
        make.make_topic(campaign, number)
    for name in ("alice", "bob"):
        add_member(campaign, make.make_user(name), Role.JUDGE)
    add_member(campaign, make.make_user("ada"), Role.ADJUDICATOR)
    return campaign


def client_of(make: Factory, name: str = "carol", scope: str = "all") -> Client:
    token = create_token(make.make_user(name), "test", scope)
    return Client(headers={"authorization": f"Bearer {token}"})


def got(client: Client, path: str) -> Any:
    answer = client.get(HOME + path)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_a_frozen_bank_is_downloaded_with_its_checksum(campaign: Campaign, make: Factory) -> None:
    bank, client = make.make_bank(campaign), client_of(make, "ada", "read")
    (listed,) = got(client, "nugget-banks/")["items"]
    assert (listed["number"], listed["nuggets"], listed["topics"]) == (1, 3, 1)
    file = client.get(f"{HOME}nugget-banks/1/file/")
    assert file["Content-Type"] == "application/jsonl"
    assert sha256_of(file.content) == listed["sha256"] == bank.sha256
    (read,) = read_banks(file.content).banks
    assert [nugget.text for nugget in read.nuggets] == ["Boats float", "Boats are light", "They carry goods"]


def test_a_file_begins_a_draft_and_is_loaded_into_it(campaign: Campaign, make: Factory) -> None:
    client = client_of(make)

    def sent(content: bytes) -> Any:
        return client.post(f"{HOME}nugget-banks/", {"file": io.BytesIO(content)})

    refused = sent(b'{"qid": "9", "nuggets": [{"text": "Wood floats"}]}\n')
    assert (refused.status_code, refused.json()["errors"][0]["line"]) == (422, 1)
    assert not campaign.nugget_banks.exists()  # no draft was begun
    first, again = sent(NUGGETS), sent(NUGGETS)
    assert (first.status_code, first.json()["number"], first.json()["new"]) == (201, 1, 1)
    assert (again.json()["new"], again.json()["known"]) == (0, 1)
    assert campaign.nugget_banks.get().nuggets.get().text == "Wood floats"
    assert client.get(f"{HOME}nugget-banks/1/file/").status_code == 404  # a draft is no version
    assert client_of(make, scope="read").post(f"{HOME}nugget-banks/").status_code == 403


def test_a_file_is_withdrawn_from_the_draft(campaign: Campaign, make: Factory) -> None:
    load, client = make.make_nugget_load(campaign), client_of(make, "ada")
    (listed,) = got(client, "nugget-banks/1/loads/")["items"]
    assert (listed["name"], listed["new"], listed["known"]) == ("banks.jsonl", 1, 0)
    assert (listed["sha256"], listed["withdrawn_at"]) == (load.sha256, None)
    withdraw = f"{HOME}nugget-banks/1/loads/{listed['id']}/withdrawal/"
    assert client.post(withdraw).json() == {"nuggets": 1, "votes": 0, "changed": 0}
    assert client.post(withdraw).json()["nuggets"] == 0  # a second request changes nothing
    assert got(client, "nugget-banks/1/loads/")["items"][0]["withdrawn_at"]
    assert [nugget.text for nugget in load.bank.nuggets.all()] == ["Ships float on water"]


def test_a_matching_has_the_figures_of_its_page(campaign: Campaign, make: Factory) -> None:
    matching, client = make.make_matching(campaign), client_of(make, scope="read")
    for task in matching.tasks.select_related("judge", "answer", "matching"):
        for place, label in enumerate(["support", "not_support", "partial_support"], start=1):
            make.make_nugget_label(task, place, label, 1 if label != "not_support" else None)
    (listed,) = got(client, "matchings/")["items"]
    assert (listed["number"], listed["bank"], listed["runs"], listed["answers"]) == (1, 1, 1, 2)
    scores, result = got(client, "matchings/1/scores/"), found_result(matching)
    assert scores["runs"][0]["scores"][0] == {
        "measure": "vital", "mean": 0.75, "rank": 1, "low": None, "high": None,
        "no_interval": "fewer than 10 topics",
    }  # fmt: skip
    assert (scores["labels"], scores["doubled"], scores["same"], scores["kappa"]) == (6, 3, 3, 1.0)
    assert [each["name"] for each in scores["measures"]] == [each.name for each in result.ordered.columns]
    labels = got(client, "matchings/1/labels/")
    assert [each["assignment"] for each in labels] == [each["assignment"] for each in label_rows(matching)]
    assert labels[0]["sentence"] == 1 and labels[1]["sentence"] is None and labels[0]["judge"] == 1
    file = client.get(f"{HOME}matchings/1/assignments/").content
    (answer,) = read_assignments(file)
    assert (answer.topic, answer.tag, len(answer.nuggets)) == ("1", "answers", 3)


def test_citation_support_has_the_figures_of_its_page(campaign: Campaign, make: Factory) -> None:
    make.make_answer_run(campaign, {"1": [("Boats float.", ["D1", "D2"]), ("So.", [])]}, "zebra")
    about, client = make.make_support(campaign), client_of(make, scope="read")
    marks = [Mark("Boats", "Ships"), Mark("float", "swim")]
    said = {("alice", 1): "full", ("bob", 1): "partial", ("alice", 2): "none", ("bob", 2): "cannot"}
    for task in about.tasks.select_related("judge", "support_set__campaign").order_by("pk"):
        given = said[task.judge.username, task.citation]
        make.make_support_label(task, given, marks=marks if given == "full" else [], reason="private")
    (listed,) = got(client, "support/")["items"]
    assert (listed["number"], listed["every"], listed["citations"]) == (1, True, 4)
    scores, result = got(client, "support/1/scores/"), found_support(about)
    assert (scores["labels"], scores["cannot"], scores["answers"], scores["complete"]) == (4, 1, 1, 1)
    assert (scores["doubled"], scores["same"], scores["kappa"], scores["kappa_reason"]) == (1, 0, 0.0, "")
    assert [each["name"] for each in scores["measures"]] == [each.name for each in result.ordered.columns]
    means = {each["measure"]: each["mean"] for each in scores["runs"][0]["scores"]}
    assert (means["precision"], means["recall"]) == (0.75, 0.375)  # of full and partial; of two sentences
    labels = got(client, "support/1/labels/")
    assert [each["support"] for each in labels] == [each["support"] for each in label_rows_of(about)]
    assert next(each["marks"] for each in labels if each["marks"]) == [mark._asdict() for mark in marks]
    assert {(each["judge"], each["run"]) for each in labels} == {(1, "zebra"), (2, "zebra")}
    assert client.get(f"{HOME}support/2/scores/").status_code == 404


def test_kappa_without_a_pair_says_why(campaign: Campaign, make: Factory) -> None:
    make.make_support(campaign)
    scores = got(client_of(make), "support/1/scores/")
    assert (scores["kappa"], scores["kappa_reason"]) == (None, "nothing has labels of two judges")


def test_a_grading_has_the_figures_of_its_page(campaign: Campaign, make: Factory) -> None:
    grading, client = make.make_grading(campaign), client_of(make, scope="read")
    for task in grading.tasks.select_related("judge", "answer"):
        make.make_grades(task, [2, 1] if task.judge.username == "alice" else [1, 1], "because")
    (listed,) = got(client, "gradings/")["items"]
    assert [each["name"] for each in listed["criteria"]] == ["Helpful", "Complete"]
    assert (listed["runs"], listed["judges"]) == (1, 2)
    result, page = got(client, "gradings/1/results/"), found_grades(grading).result
    assert [each["mean"] for each in result["runs"][0]["means"]] == [1.5, 1.0]
    assert [each["same"] for each in result["checks"]] == [check.same for check in page.checks] == [0, 1]
    grades = got(client, "gradings/1/grades/")
    assert [(each["criterion"], each["grade"]) for each in grades] == [
        (row["criterion"], row["grade"]) for row in grade_rows(grading)
    ]
    assert {each["judge"] for each in grades} == {1, 2}


def test_pyramids_have_the_scores_of_their_peers(campaign: Campaign, make: Factory) -> None:
    pyramid, client = make.make_pyramid(campaign), client_of(make, "ada", "read")
    (listed,) = got(client, "pyramids/")["items"]
    assert (listed["number"], listed["topic"], listed["peers"]) == (1, "1", 2)
    assert listed["sha256"] == pyramid.sha256
    assert got(client, "pyramids/scores/") == [*score_rows(campaign_scores(campaign))]


def test_argue_scores_are_those_of_the_file(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, scope="read")
    matching = make.make_matching(campaign)
    assert client.get(f"{HOME}matchings/1/argue/").status_code == 404  # without a set of citations
    about = make.make_support(campaign)
    assert got(client, "matchings/1/argue/") == found_argue(matching, about).rows()
    assert client.get(f"{HOME}matchings/1/argue/?support=2").status_code == 404


def test_preferences_magnitudes_and_snippets_have_the_rows_of_their_files(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    client = client_of(make, scope="read")
    preferences, about = make.make_preferences(campaign), make.make_magnitudes(campaign)
    snippets = make.make_snippets(campaign)
    for task in about.tasks.filter(judge__username="alice"):
        make.make_magnitude(task, "2.5")
    make.make_snippet_grade(snippets.tasks.filter(judge__username="bob", step="snippet")[0], 2, answers=True)
    (listed,) = got(client, "preferences/")["items"]
    assert (listed["number"], listed["topics"], listed["judges"]) == (1, 1, 1)
    assert got(client, "preferences/1/best/") == preference_result(preferences).topics == []  # not finished
    assert got(client, "preferences/1/votes/") == []
    assert [each["number"] for each in got(client, "magnitudes/")["items"]] == [1]
    gains = got(client, "magnitudes/1/gains/")
    assert gains == [each._asdict() for each in found_magnitudes(about).documents]
    numbers = got(client, "magnitudes/1/numbers/")
    assert {(each["number"], each["value"], each["judge"]) for each in numbers} == {("2.5", 2.5, 1)}
    assert len(numbers) == about.tasks.filter(judge__username="alice").count()
    assert [each["run"] for each in got(client, "snippets/")["items"]] == [snippets.run.tag]
    (grade,) = got(client, "snippets/1/grades/")
    assert (grade["grade"], grade["answers"], grade["step"], grade["judge"]) == (2, True, "snippet", 1)
    assert client.get(f"{HOME}snippets/2/grades/").status_code == 404


def test_labels_are_released_as_an_archive(campaign: Campaign, make: Factory) -> None:
    matching, client = make.make_matching(campaign), client_of(make)

    def sent(key: str, **body: object) -> Any:
        headers = {"Idempotency-Key": key}
        return client.post(f"{HOME}answer-releases/", body, content_type="application/json", headers=headers)

    refused = sent("early", of="matching", number=1)
    assert (refused.status_code, refused.json()["detail"]) == (422, "Matching 1 has no labels yet.")
    make.make_nugget_label(matching.tasks.all()[0], 1, "support")
    first, again = sent("once", of="matching", number=1), sent("once", of="matching", number=1)
    assert first.status_code == 201 and first.json() == again.json()
    assert (first.json()["of"], first.json()["number"], first.json()["labels"]) == ("Matching 1", 1, 1)
    archive = b"".join(client.get(f"{HOME}answer-releases/{first.json()['id']}/"))
    assert sha256_of(archive) == first.json()["sha256"]
    assert sent("other", of="grading", number=1).status_code == 422  # there is none


def test_battles_are_released_as_an_archive(campaign: Campaign, make: Factory) -> None:
    battles, client = make.make_battles(campaign), client_of(make)
    assert "no votes yet" in client.post(f"{HOME}battles/1/releases/").json()["detail"]
    make.make_battle_vote(battles.battles.all()[0], "left")
    made = client.post(f"{HOME}battles/1/releases/")
    assert (made.status_code, made.json()["number"], made.json()["votes"]) == (201, 1, 1)
    assert got(client, "battles/")["items"][0]["releases"] == [made.json()]


def test_rules_of_answers_that_are_not_sent_stay(campaign: Campaign, make: Factory) -> None:
    client = client_of(make)

    def changed(**body: object) -> Any:
        return client.patch(f"{HOME}answer-rules/", body, content_type="application/json")

    assert changed(accepts=True, form="rag-2026", words=300).json() == {
        "accepts": True, "form": "rag-2026", "words": 300,
        "characters": None, "citations": None, "references": None,
    }  # fmt: skip
    assert changed(words=None, citations=2).json() == got(client, "answer-rules/")
    rules = got(client, "answer-rules/")
    assert (rules["accepts"], rules["form"], rules["words"], rules["citations"]) == (
        True,
        "rag-2026",
        None,
        2,
    )
    assert (changed(words=0).status_code, changed(form="pdf").status_code) == (422, 422)
    assert AuditLogEntry.objects.filter(verb="changed the rules of answer runs").count() == 2
