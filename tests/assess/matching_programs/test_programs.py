"""Programs for nuggets: requests without names, strict results, files that are withdrawn."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from assess.machines.prompt import BadPrompt
from assess.matching_programs.apps import demonstrate
from assess.matching_programs.prompt import DEFAULT
from assess.matching_programs.queries.integrity import matching_program_faults
from assess.matching_programs.queries.labels import labels_by_cell, progress_of, why_not_deleted
from assess.matching_programs.queries.requests import cells_of, request_lines, requests_of
from assess.matching_programs.services import PlannedProgram, create_program, load_results, withdraw_load
from assess.matchings.services import discard_matching
from assess.models import (
    BankNugget,
    Matching,
    MatchingProgram,
    MatchingProgramLoad,
    NuggetLabel,
    ProgramNuggetLabel,
)
from assess.nuggets.assignments import AssignedAnswer, AssignedNugget, Assignment, write_assignments
from assess.queries.campaigns import deletion_obstacle
from assess.services.judged_sets import SetRefused
from pooling.campaign_states import StateRefused
from pooling.formats.files import BadFile
from pooling.models import AuditLogEntry, Campaign, Role
from pooling.services.people import add_member
from tests.assess.matchings.test_matchings import NUGGETS, TAGS, campaign, matching, own
from tests.support.factory import Factory
from tests.support.markup import markup

__all__ = ["campaign", "matching"]
HOME = "/campaigns/tiny/"
LIST = HOME + "sources/matching-programs/"
PAGE = LIST + "1/"
RESULT = HOME + "scores/matching-programs/1/"
S, P, N, C = Assignment
CELLS = 9  # three answers to topic 1 with two nuggets, three to topic 2 with one


@pytest.fixture
def program(matching: Matching, make: Factory) -> MatchingProgram:  # noqa: F811
    asked = PlannedProgram(matching, "strict", "m-1", DEFAULT)
    return create_program(matching.campaign, make.make_user("carol"), asked)


def results_of(replies: Mapping[str, str], reason: str = "stop") -> bytes:
    lines = []
    for key, reply in replies.items():
        body = {"model": "m-1", "choices": [{"message": {"content": reply}, "finish_reason": reason}]}
        lines.append(
            json.dumps({"id": "x", "custom_id": key, "response": {"status_code": 200, "body": body}})
        )
    return "\n".join(lines).encode()


def all_support(program: MatchingProgram) -> bytes:
    return results_of(dict.fromkeys(requests_of(program), "So.\n[[support]]"))


def assigned(topic: str, tag: str, *given: Assignment | None) -> AssignedAnswer:
    nuggets = zip(NUGGETS[topic], given, strict=False)
    return AssignedAnswer(topic, tag, tuple(AssignedNugget(*about, label) for about, label in nuggets))


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def words_of(page: Any, place: str) -> str:
    """Return the text of a page from the element with an id on."""
    return " ".join(re.sub("<[^>]*>", " ", markup(page).split(f'id="{place}"')[1]).split())


def test_each_nugget_is_asked_once_of_each_answer(program: MatchingProgram) -> None:
    assert program.matching.tasks.count() == 12  # both judges have all six answers
    requests = [json.loads(line) for line in request_lines(program)]
    cells = requests_of(program)
    assert len(requests) == len(cells) == CELLS
    assert {request["custom_id"] for request in requests} == cells.keys()
    expected = {
        (topic, tag, text) for topic, nuggets in NUGGETS.items() for text, _ in nuggets for tag in TAGS
    }
    texts = dict(BankNugget.objects.values_list("pk", "text"))
    assert {(cell.topic, cell.tag, texts[cell.nugget]) for cell in cells.values()} == expected
    for request in requests:
        cell = cells[request["custom_id"]]
        (message,) = request["body"]["messages"]
        answer = f"Answer {cell.tag[6:]} to {cell.topic}. It has a second sentence."
        assert f"Nugget:\n{texts[cell.nugget]}\n" in message["content"]
        assert f"Answer:\n{answer}\n" in message["content"]
        assert f"question {cell.topic}\n" in message["content"]
        assert "[[contradicts]]" not in message["content"] and "[[partial]]" in message["content"]
        assert (request["method"], request["url"]) == ("POST", "/v1/chat/completions")
        assert request["body"]["model"] == "m-1"


def test_no_request_names_a_system_or_an_importance(program: MatchingProgram) -> None:
    text = "".join(request_lines(program))
    for name in (*TAGS, "zebra", "carol", "strict", "D1", "vital", "okay"):
        assert name not in text
    asked = PlannedProgram(program.matching, "strict", "m-1", DEFAULT)
    other = create_program(program.campaign, program.made_by, asked)
    assert not requests_of(program).keys() & requests_of(other).keys()  # not computed from names alone


def test_prompts_have_versions(program: MatchingProgram, make: Factory) -> None:
    def made(prompt: str) -> int:
        asked = PlannedProgram(program.matching, "other", "m-2", prompt)
        return create_program(program.campaign, make.make_user("carol"), asked).prompt_version

    assert program.prompt_version == 1
    assert [made(DEFAULT + "!"), made(DEFAULT), made(DEFAULT + "?"), made(DEFAULT + "!")] == [2, 1, 3, 2]


def test_results_become_labels_apart_from_those_of_people(program: MatchingProgram, make: Factory) -> None:
    content = gzip.compress(all_support(program))
    loaded = load_results(program, make.make_user("carol"), content, "r.jsonl.gz")
    assert (loaded.labels, loaded.unreadable, str(loaded)) == (CELLS, 0, f"{CELLS} labels stored.")
    assert ProgramNuggetLabel.objects.filter(assignment=S).count() == CELLS
    assert not NuggetLabel.objects.exists()
    assert list(request_lines(program)) == []
    entry = AuditLogEntry.objects.latest("pk")
    assert (entry.who, entry.verb) == ("carol", "loaded program labels of nuggets")
    assert [*matching_program_faults(program.campaign)] == [[]]


def test_unreadable_replies_are_counted_and_shown_with_their_line(
    program: MatchingProgram, make: Factory
) -> None:
    keys = list(requests_of(program))
    replies = dict(zip(keys, ["[[support]]", "It supports it", "[[partial]]"], strict=False))
    content = results_of(replies) + b'\n{"custom_id": "%s", "error": {"message": "Late."}}' % keys[3].encode()
    loaded = load_results(program, make.make_user("carol"), content, "r.jsonl")
    assert (loaded.labels, loaded.unreadable) == (2, 2)
    progress = progress_of(program, len(keys))
    assert (progress.labelled, len(progress.unreadable), progress.without_result) == (2, 2, CELLS - 4)
    text = words_of(signed_in(make, "carol").get(PAGE), "unreadable")
    assert "r.jsonl 2 The last line of the reply is not one of" in text and "It supports it" in text
    assert "r.jsonl 4 The server reported an error: Late." in text
    assert len(list(request_lines(program))) == CELLS - 2  # those without a readable label
    assert len(list(request_lines(program, most=3))) == 3
    later = results_of({keys[1]: "[[none]]", keys[0]: "[[none]]"})
    load_results(program, make.make_user("carol"), later, "later.jsonl")
    labels, cells = labels_by_cell(program), requests_of(program)
    given = [labels[cells[key].answer, cells[key].nugget].assignment for key in keys[:2]]
    assert given == [S, N]  # the first readable one counts


def test_assignments_of_a_program_that_was_run_elsewhere_are_taken(
    program: MatchingProgram, make: Factory
) -> None:
    content = write_assignments([assigned("1", TAGS[0], P, None), assigned("2", TAGS[1], N)])
    loaded = load_results(program, make.make_user("carol"), content, "a.jsonl")
    assert (loaded.labels, loaded.unreadable, loaded.load.form) == (2, 1, "assignments")
    rows = ProgramNuggetLabel.objects.order_by("line", "nugget__place")
    fields = ("line", "answer__run__tag", "nugget__text", "assignment", "problem")
    assert list(rows.values_list(*fields)) == [
        (1, TAGS[0], "It floats", P, ""),
        (1, TAGS[0], "It is light", "", "The file gives no assignment: failed."),
        (2, TAGS[1], "It sinks", N, ""),
    ]
    assert [*matching_program_faults(program.campaign)] == [[]]


UNKNOWN = b'{"custom_id": "%s", "error": "x"}' % (b"ab" * 32)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (UNKNOWN, "r.jsonl, line 1: expected the custom_id of a request of this program"),
        (b'{"custom_id": "1"}', "line 1: expected the custom_id of a request of the batch file"),
        (UNKNOWN + b"\n{}", "line 2: expected the custom_id of a request of the batch file"),
        (UNKNOWN + b"\n" + UNKNOWN, "line 2: this request already has a result on line 1"),
        (write_assignments([assigned("1", TAGS[0], S, S), assigned("1", "other", S, S)]),
         "line 2: expected an answer of this matching, found run other on topic 1"),
        (write_assignments([assigned("2", TAGS[0], S), assigned("1", TAGS[0], S)]), "line 2"),  # one of two
        (write_assignments([assigned("1", TAGS[0], S, C)]), "line 1: nugget 2: expected support, partial"),
        (write_assignments([assigned("2", TAGS[0], S)] * 2), "answers topic 2 again, first on line 1"),
        (write_assignments([assigned("2", TAGS[0], S)]).replace(b'"support"', b'"yes"'),
         "nugget 1: expected an assignment"),
        (write_assignments([assigned("2", TAGS[0], S)]).replace(b"It sinks", b"It flies"), "It flies"),
        (b"\x89PNG\r\n\x1a\n", "line 1"),
        (b"", "expected at least one answer with assignments"),
    ],
)  # fmt: skip
def test_a_bad_file_stores_nothing(
    program: MatchingProgram, make: Factory, content: bytes, words: str
) -> None:
    entries = AuditLogEntry.objects.count()
    with pytest.raises(BadFile) as refused:
        load_results(program, make.make_user("carol"), content, "r.jsonl")
    assert words in str(refused.value)
    good = results_of({next(iter(requests_of(program))): "[[support]]"})
    with pytest.raises(BadFile, match="line 2"):
        load_results(program, make.make_user("carol"), good + b"\n{}", "r.jsonl")
    assert not MatchingProgramLoad.objects.exists() and AuditLogEntry.objects.count() == entries


def test_contradicts_is_taken_where_judges_may_say_so(campaign: Campaign, make: Factory) -> None:  # noqa: F811
    matching = make.make_matching(campaign, contradicts=True)  # noqa: F811
    asked = PlannedProgram(matching, "strict", "m-1", DEFAULT)
    program = create_program(campaign, make.make_user("carol"), asked)
    assert all("[[contradicts]]" in line for line in request_lines(program))
    content = write_assignments([assigned("1", TAGS[0], S, C)])
    assert load_results(program, make.make_user("carol"), content, "a.jsonl").labels == 2
    replies = results_of(dict.fromkeys(requests_of(program), "[[contradicts]]"))
    assert load_results(program, make.make_user("carol"), replies, "r.jsonl").labels == CELLS
    assert [*matching_program_faults(campaign)] == [[]]


def test_the_same_file_again_changes_nothing_until_it_is_withdrawn(
    program: MatchingProgram, make: Factory
) -> None:
    carol, content = make.make_user("carol"), all_support(program)
    first = load_results(program, carol, content, "r.jsonl").load
    again = load_results(program, carol, gzip.compress(content), "copy.gz")
    assert (again.load, again.is_new, MatchingProgramLoad.objects.count()) == (first, False, 1)
    withdraw_load(first, carol)
    entries = AuditLogEntry.objects.count()
    withdraw_load(first, carol)
    assert AuditLogEntry.objects.count() == entries
    assert AuditLogEntry.objects.latest("pk").verb == "withdrew program labels of nuggets"
    assert labels_by_cell(program) == {} and ProgramNuggetLabel.objects.count() == CELLS
    assert load_results(program, carol, content, "r.jsonl").is_new
    assert len(labels_by_cell(program)) == CELLS


def test_answers_of_a_withdrawn_run_are_not_asked_about_and_do_not_count(
    program: MatchingProgram, make: Factory
) -> None:
    load_results(program, make.make_user("carol"), all_support(program), "r.jsonl")
    program.matching.runs.filter(tag=TAGS[0]).update(withdrawn_at=program.made_at)
    assert len(labels_by_cell(program)) == sum(cell.is_standing for cell in cells_of(program.matching)) == 6
    withdraw_load(program.loads.get(), make.make_user("carol"))
    assert len(list(request_lines(program))) == 6


def test_a_prompt_without_a_placeholder_makes_no_program(
    matching: Matching,  # noqa: F811
    make: Factory,
) -> None:
    asked = PlannedProgram(matching, "x", "m", "Does it hold it?")
    with pytest.raises(BadPrompt, match="question"):
        create_program(matching.campaign, make.make_user("carol"), asked)
    assert not MatchingProgram.objects.exists()


def test_a_closed_campaign_takes_no_results(program: MatchingProgram, make: Factory) -> None:
    program.campaign.state = Campaign.State.CLOSED
    program.campaign.save()
    with pytest.raises(StateRefused):
        load_results(program, make.make_user("carol"), all_support(program), "r.jsonl")


def test_labels_of_a_program_keep_matching_and_campaign(program: MatchingProgram, make: Factory) -> None:
    carol = make.make_user("carol")
    assert why_not_deleted(program.campaign) == ""
    load_results(program, carol, all_support(program), "r.jsonl")
    said = "It holds 9 labels of programs on nuggets, and labels are never deleted."
    assert why_not_deleted(program.campaign) == said
    assert deletion_obstacle(program.campaign)
    with pytest.raises(SetRefused, match="has labels of a program"):
        discard_matching(program.matching, carol)
    assert program.campaign.matchings.exists()


def test_a_program_without_results_goes_with_its_matching(program: MatchingProgram, make: Factory) -> None:
    discard_matching(program.matching, make.make_user("carol"))
    assert not MatchingProgram.objects.exists()


def test_the_integrity_check_finds_changed_labels(program: MatchingProgram, make: Factory) -> None:
    load_results(program, make.make_user("carol"), all_support(program), "r.jsonl")
    first = ProgramNuggetLabel.objects.order_by("pk")[0]
    ProgramNuggetLabel.objects.filter(pk=first.pk).update(assignment=N)
    other = ProgramNuggetLabel.objects.exclude(nugget__topic=first.nugget.topic)[0]
    ProgramNuggetLabel.objects.filter(pk=other.pk).update(nugget=first.nugget_id)
    MatchingProgram.objects.update(prompt="changed")
    (faults,) = matching_program_faults(program.campaign)
    assert [fault.what for fault in faults] == [
        "matching program prompt",
        "matching program labels of other answers or nuggets",
        "matching program labels that differ from the replies",
    ]
    assert [(fault.expected, fault.stored) for fault in faults[1:]] == [("0", "1")] * 2


# --- pages


def test_an_organiser_makes_a_program_and_loads_its_results(
    matching: Matching,  # noqa: F811
    make: Factory,
) -> None:
    client = signed_in(make, "carol")
    assert "No programs yet" in markup(client.get(LIST))
    said = {"matching": "1", "name": "strict", "model": "m-1", "prompt": DEFAULT, "request_key": "once"}
    for _ in range(2):
        assert client.post(LIST, said).status_code == 302
    program = MatchingProgram.objects.get()
    download = client.get(PAGE + "requests/")
    assert 'filename="tiny-matching-program-1-prompt-1.jsonl"' in download["Content-Disposition"]
    lines = b"".join(download.streaming_content).splitlines()  # type: ignore[attr-defined]
    content = results_of({json.loads(line)["custom_id"]: "[[none]]" for line in lines})
    for _ in range(2):
        sent = client.post(PAGE, {"file": SimpleUploadedFile("r.jsonl", content)}, follow=True)
    assert "was loaded before. Nothing was changed." in sent.content.decode()
    load = program.loads.get()
    bad = write_assignments([assigned("1", "other", S, S)])
    refused = client.post(PAGE, {"file": SimpleUploadedFile("bad.jsonl", bad)})
    assert "bad.jsonl was refused" in refused.content.decode() and "Line 1:" in refused.content.decode()
    address = f"{PAGE}loads/{load.pk}/withdraw/"
    assert "Withdraw r.jsonl?" in client.post(address).content.decode()
    assert client.post(address, {"confirmed": "yes"}).status_code == 302
    load.refresh_from_db()
    assert load.withdrawn_at and load.withdrawn_by == make.make_user("carol")
    assert matching.programs.get() == program


def test_a_wrong_prompt_is_named_at_its_field(matching: Matching, make: Factory) -> None:  # noqa: F811
    said = {"matching": f"{matching.number}", "name": "a", "model": "m", "prompt": "{question}"}
    page = signed_in(make, "carol").post(LIST, said)
    assert "The prompt needs the placeholder {nugget}" in page.content.decode()


@pytest.mark.parametrize(
    ("name", "role"), [("alice", None), ("ada", Role.ADJUDICATOR), ("dave", Role.PARTICIPANT)]
)
def test_only_organisers_and_adjudicators_see_results_and_judges_nothing(
    program: MatchingProgram, make: Factory, name: str, role: Role | None
) -> None:
    if role:
        group = "zebra-group" if role == Role.PARTICIPANT else ""
        add_member(program.campaign, make.make_user(name), role, group)
    client = signed_in(make, name)
    for address in (LIST, PAGE, PAGE + "requests/"):
        assert client.get(address).status_code == 403
    assert client.get(RESULT).status_code == (200 if role == Role.ADJUDICATOR else 403)


def test_a_judge_sees_nothing_of_a_program(program: MatchingProgram, make: Factory) -> None:
    (task, *_) = own(program.matching)
    client, addresses = signed_in(make, "alice"), (f"{HOME}matchings/", f"{HOME}matchings/{task.pk}/")
    before = [re.sub('value="[^"]*"', "", markup(client.get(address))) for address in addresses]
    load_results(program, make.make_user("carol"), all_support(program), "r.jsonl")
    assert [re.sub('value="[^"]*"', "", markup(client.get(address))) for address in addresses] == before


def test_the_demonstration_has_a_program(matching: Matching, make: Factory) -> None:  # noqa: F811
    demonstrate(matching.campaign, make.make_user("carol"), ())  # type: ignore[arg-type]
    program = MatchingProgram.objects.get()
    assert len(labels_by_cell(program)) == CELLS
    assert sum(not label.assignment for label in labels_by_cell(program).values()) == 1
