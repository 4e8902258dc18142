"""Programs for battles: requests in both orders without names, strict results, files that are withdrawn."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from assess.battle_programs.apps import demonstrate
from assess.battle_programs.prompt import DEFAULT, BadPrompt
from assess.battle_programs.queries.integrity import battle_program_faults
from assess.battle_programs.queries.requests import orders_of, request_lines
from assess.battle_programs.queries.votes import progress_of, votes_by_order, why_not_deleted
from assess.battle_programs.services import PlannedProgram, create_program, load_results, withdraw_load
from assess.battles.services import discard_battles
from assess.models import BattleProgram, BattleProgramLoad, BattleProgramVote, BattleVote
from assess.queries.campaigns import deletion_obstacle
from assess.services.judged_sets import SetRefused
from pooling.campaign_states import StateRefused
from pooling.formats.files import BadFile
from pooling.models import AuditLogEntry, Campaign, Role
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/"
LIST = HOME + "sources/battle-programs/"
PAGE = LIST + "1/"
RESULT = HOME + "scores/battle-programs/1/"
TAGS = ("zebra-one", "zebra-two", "zebra-three")


def build_campaign(make: Factory) -> Campaign:
    """Three answer runs on two topics; ann and bob have their pairs, some of them both, some with repeats."""
    campaign = make.make_campaign()
    for topic in "12":
        make.make_topic(campaign, topic, f"boats of kind {topic}")
    runs = [
        make.make_answer_run(campaign, {t: [(f"Boats of {n}.", ["D1"])] for t in "12"}, tag, "zebra-group")
        for n, tag in enumerate(TAGS)
    ]
    for name in ("ann", "bob"):
        add_member(campaign, make.make_user(name), Role.JUDGE)
    make.make_battles(campaign, ("ann", "bob"), runs=runs, per_topic=3, double=50, repeated=50)
    return campaign


@pytest.fixture
def program(campaign: Campaign, make: Factory) -> BattleProgram:
    battle_set = campaign.battle_sets.get()
    asked = PlannedProgram(battle_set, "strict", "m-1", DEFAULT)
    return create_program(campaign, make.make_user("carol"), asked)


def results_of(replies: Mapping[str, str], reason: str = "stop") -> bytes:
    lines = []
    for key, reply in replies.items():
        body = {"model": "m-1", "choices": [{"message": {"content": reply}, "finish_reason": reason}]}
        lines.append(
            json.dumps({"id": "x", "custom_id": key, "response": {"status_code": 200, "body": body}})
        )
    return "\n".join(lines).encode()


def all_left(program: BattleProgram) -> bytes:
    return results_of(dict.fromkeys(orders_of(program), "So.\n[[A]]"))


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def words_of(page: Any, place: str) -> str:
    """Return the text of a page from the element with an id on."""
    return " ".join(re.sub("<[^>]*>", " ", markup(page).split(f'id="{place}"')[1]).split())


def test_each_pair_is_asked_once_in_each_order(program: BattleProgram) -> None:
    battles = program.battle_set.battles
    assert battles.filter(is_repeat=True).exists()
    requests = [json.loads(line) for line in request_lines(program)]
    assert len(requests) == 2 * 3 * 2  # topics, pairs, orders
    assert battles.count() > 6  # with second judges and repeats
    orders = orders_of(program)
    assert {request["custom_id"] for request in requests} == orders.keys()
    asked = {(order.topic, *order.tags) for order in orders.values()}
    assert asked == {(topic, one, other) for topic in "12" for one in TAGS for other in TAGS if one != other}
    for request in requests:
        (message,) = request["body"]["messages"]
        tags = orders[request["custom_id"]].tags
        first, second = (f"Boats of {TAGS.index(tag)}." for tag in tags)
        assert (
            f"Answer A:\n{first}\n" in message["content"] and f"Answer B:\n{second}\n" in message["content"]
        )
        assert "Better is what helps." in message["content"] and "boats of kind" in message["content"]
        assert (request["method"], request["url"]) == ("POST", "/v1/chat/completions")
        assert request["body"]["model"] == "m-1"


def test_no_request_names_a_system(program: BattleProgram) -> None:
    text = "".join(request_lines(program))
    for name in (*TAGS, "zebra", "carol", "strict", "D1"):
        assert name not in text
    other = create_program(
        program.campaign, program.made_by, PlannedProgram(program.battle_set, "strict", "m-1", DEFAULT)
    )
    assert not orders_of(program).keys() & orders_of(other).keys()  # keys cannot be computed from names


def test_results_become_votes_that_people_s_results_do_not_have(
    program: BattleProgram, make: Factory
) -> None:
    before = BattleVote.objects.count()
    loaded = load_results(program, make.make_user("carol"), gzip.compress(all_left(program)), "r.jsonl.gz")
    assert (loaded.labels, loaded.unreadable, str(loaded)) == (12, 0, "12 votes stored.")
    assert BattleProgramVote.objects.filter(choice="left").count() == 12
    assert BattleVote.objects.count() == before
    assert list(request_lines(program)) == []
    entry = AuditLogEntry.objects.latest("pk")
    assert (entry.who, entry.verb) == ("carol", "loaded program votes")
    assert [*battle_program_faults(program.campaign)] == [[]]


def test_unreadable_replies_are_counted_and_shown_with_their_line(
    program: BattleProgram, make: Factory
) -> None:
    keys = list(orders_of(program))
    replies = dict(zip(keys, ["[[A]]", "I think it is A", "[[tie]]"], strict=False))
    content = results_of(replies) + b'\n{"custom_id": "%s", "error": {"message": "Late."}}' % keys[3].encode()
    loaded = load_results(program, make.make_user("carol"), content, "r.jsonl")
    assert (loaded.labels, loaded.unreadable) == (2, 2)
    progress = progress_of(program, len(keys))
    assert (progress.labelled, len(progress.unreadable), progress.without_result) == (2, 2, 8)
    text = words_of(signed_in(make, "carol").get(PAGE), "unreadable")
    assert "r.jsonl 2 The last line of the reply is not one of" in text and "I think it is A" in text
    assert "r.jsonl 4 The server reported an error: Late." in text
    assert len(list(request_lines(program))) == 10  # those without a readable vote
    later = results_of({keys[1]: "[[B]]", keys[0]: "[[B]]"})
    load_results(program, make.make_user("carol"), later, "later.jsonl")
    votes = votes_by_order(program)
    orders = orders_of(program)
    assert [votes[orders[key].left, orders[key].right].choice for key in keys[:2]] == ["left", "right"]


def test_the_one_order_that_is_left_is_asked_with_both_answers(program: BattleProgram, make: Factory) -> None:
    last, *others = orders_of(program)
    load_results(program, make.make_user("carol"), results_of(dict.fromkeys(others, "[[A]]")), "r.jsonl")
    (line,) = request_lines(program)
    text = json.loads(line)["body"]["messages"][0]["content"]
    assert all(f"Boats of {TAGS.index(tag)}." in text for tag in orders_of(program)[last].tags)


def test_a_file_of_votes_from_elsewhere_is_taken(program: BattleProgram, make: Factory) -> None:
    lines = [
        "topic,left,right,choice",
        *(f"1,{one},{other},both bad" for one, other in [TAGS[:2], TAGS[1::-1]]),
    ]
    loaded = load_results(program, make.make_user("carol"), "\n".join(lines).encode(), "v.csv")
    assert (loaded.labels, loaded.load.form) == (2, "votes")
    assert {vote.choice for vote in BattleProgramVote.objects.all()} == {"both bad"}
    assert [*battle_program_faults(program.campaign)] == [[]]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"custom_id": "%s", "error": "x"}' % (b"ab" * 32), "r.jsonl, line 1: expected the custom_id of a"),
        (b'{"custom_id": "1"}', "line 1: expected the custom_id of a request of the batch file"),
        (
            b"topic,left,right,choice\n1,zebra-one,zebra-two,left\n1,zebra-one,zebra-two,B\n",
            "line 3: expected left",
        ),
        (b"topic,left,right,choice\n1,zebra-one,other,left\n", "line 2: expected two answer runs that meet"),
        (b"\x89PNG\r\n\x1a\n", "expected a first line"),
        (b"", "expected a first line that names the fields"),
    ],
)
def test_a_bad_file_stores_nothing(program: BattleProgram, make: Factory, content: bytes, words: str) -> None:
    entries = AuditLogEntry.objects.count()
    with pytest.raises(BadFile) as refused:
        load_results(program, make.make_user("carol"), content, "r.jsonl")
    assert words in str(refused.value)
    good = results_of({next(iter(orders_of(program))): "[[A]]"})
    with pytest.raises(BadFile, match="line 2"):
        load_results(program, make.make_user("carol"), good + b"\n{}", "r.jsonl")
    assert not BattleProgramLoad.objects.exists() and AuditLogEntry.objects.count() == entries


def test_the_same_file_again_changes_nothing_until_it_is_withdrawn(
    program: BattleProgram, make: Factory
) -> None:
    carol, content = make.make_user("carol"), all_left(program)
    first = load_results(program, carol, content, "r.jsonl").load
    again = load_results(program, carol, gzip.compress(content), "copy.gz")
    assert (again.load, again.is_new, BattleProgramLoad.objects.count()) == (first, False, 1)
    withdraw_load(first, carol)
    entries = AuditLogEntry.objects.count()
    withdraw_load(first, carol)
    assert AuditLogEntry.objects.count() == entries
    assert AuditLogEntry.objects.latest("pk").verb == "withdrew program votes"
    assert votes_by_order(program) == {} and BattleProgramVote.objects.count() == 12
    assert load_results(program, carol, content, "r.jsonl").is_new
    assert len(votes_by_order(program)) == 12


def test_answers_of_a_withdrawn_run_are_not_asked_about_and_do_not_count(
    program: BattleProgram, make: Factory
) -> None:
    load_results(program, make.make_user("carol"), all_left(program), "r.jsonl")
    program.battle_set.runs.filter(tag=TAGS[0]).update(withdrawn_at=program.made_at)
    assert len(votes_by_order(program)) == 4  # one pair on two topics in both orders
    withdraw_load(program.loads.get(), make.make_user("carol"))
    assert len(list(request_lines(program))) == 4


def test_a_prompt_without_a_placeholder_makes_no_program(campaign: Campaign, make: Factory) -> None:
    asked = PlannedProgram(campaign.battle_sets.get(), "x", "m", "Which is better?")
    with pytest.raises(BadPrompt, match="question"):
        create_program(campaign, make.make_user("carol"), asked)
    assert not BattleProgram.objects.exists()


def test_a_closed_campaign_takes_no_results(program: BattleProgram, make: Factory) -> None:
    program.campaign.state = Campaign.State.CLOSED
    program.campaign.save()
    with pytest.raises(StateRefused):
        load_results(program, make.make_user("carol"), all_left(program), "r.jsonl")


def test_votes_of_a_program_keep_battles_and_campaign(program: BattleProgram, make: Factory) -> None:
    carol = make.make_user("carol")
    assert why_not_deleted(program.campaign) == ""
    load_results(program, carol, all_left(program), "r.jsonl")
    assert "It holds 12 votes of programs on battles" in deletion_obstacle(program.campaign)
    with pytest.raises(SetRefused, match="has labels of a program"):
        discard_battles(program.battle_set, carol)
    assert program.campaign.battle_sets.exists()


def test_a_program_without_results_goes_with_its_battles(program: BattleProgram, make: Factory) -> None:
    discard_battles(program.battle_set, make.make_user("carol"))
    assert not BattleProgram.objects.exists()


def test_the_integrity_check_finds_changed_votes(program: BattleProgram, make: Factory) -> None:
    load_results(program, make.make_user("carol"), all_left(program), "r.jsonl")
    first = BattleProgramVote.objects.order_by("pk")[0]
    BattleProgramVote.objects.filter(pk=first.pk).update(choice="right")
    other = next(
        vote for vote in BattleProgramVote.objects.all() if vote.left.topic_id != first.left.topic_id
    )
    BattleProgramVote.objects.filter(pk=other.pk).update(left=first.left_id)
    (faults,) = battle_program_faults(program.campaign)
    assert [(fault.what, fault.expected, fault.stored) for fault in faults] == [
        ("battle program votes on other pairs", "0", "1"),
        ("battle program choices that differ from the replies", "0", "1"),
    ]


# --- pages


def test_an_organiser_makes_a_program_and_loads_its_results(campaign: Campaign, make: Factory) -> None:
    client = signed_in(make, "carol")
    said = {"battles": "1", "name": "strict", "model": "m-1", "prompt": DEFAULT, "request_key": "once"}
    for _ in range(2):
        assert client.post(LIST, said).status_code == 302
    program = BattleProgram.objects.get()
    download = client.get(PAGE + "requests/")
    lines = b"".join(download.streaming_content).splitlines()  # type: ignore[attr-defined]
    content = results_of({json.loads(line)["custom_id"]: "[[tie]]" for line in lines})
    for _ in range(2):
        sent = client.post(PAGE, {"file": SimpleUploadedFile("r.jsonl", content)}, follow=True)
    assert "was loaded before. Nothing was changed." in sent.content.decode()
    load = program.loads.get()
    refused = client.post(
        PAGE, {"file": SimpleUploadedFile("bad.csv", b"topic,left,right,choice\n1,a,b,tie\n")}
    )
    assert "bad.csv was refused" in refused.content.decode() and "Line 2:" in refused.content.decode()
    address = f"{PAGE}loads/{load.pk}/withdraw/"
    assert "Withdraw r.jsonl?" in client.post(address).content.decode()
    assert client.post(address, {"confirmed": "yes"}).status_code == 302
    load.refresh_from_db()
    assert load.withdrawn_at and load.withdrawn_by == make.make_user("carol")


def test_a_wrong_prompt_is_named_at_its_field(campaign: Campaign, make: Factory) -> None:
    said = {"battles": "1", "name": "a", "model": "m", "prompt": "{question}"}
    page = signed_in(make, "carol").post(LIST, said)
    assert "The prompt needs the placeholder {answer_a}" in page.content.decode()


@pytest.mark.parametrize(
    ("name", "role"), [("ann", None), ("ada", Role.ADJUDICATOR), ("dave", Role.PARTICIPANT)]
)
def test_only_organisers_and_adjudicators_see_results_and_judges_nothing(
    program: BattleProgram, make: Factory, name: str, role: Role | None
) -> None:
    if role:
        group = "zebra-group" if role == Role.PARTICIPANT else ""
        add_member(program.campaign, make.make_user(name), role, group)
    client = signed_in(make, name)
    for address in (LIST, PAGE, PAGE + "requests/"):
        assert client.get(address).status_code == 403
    assert client.get(RESULT).status_code == (200 if role == Role.ADJUDICATOR else 403)


def test_the_result_is_that_of_the_program_beside_people(program: BattleProgram, make: Factory) -> None:
    carol, client = make.make_user("carol"), signed_in(make, "carol")
    assert "No votes yet" in client.get(RESULT).content.decode()
    load_results(program, carol, all_left(program), "r.jsonl")
    for battle in program.battle_set.battles.all():
        make.make_battle_vote(battle, "tie")
    page = client.get(RESULT)
    assert "Not shown to be usable in place of people." in words_of(page, "verdict")
    text = words_of(page, "checks")
    assert "First answer won 1.000" in text  # it always prefers the first answer
    assert "Same winner in both orders 0.000" in text and "6 preferred the same side in both orders" in text
    assert "Program and people 1.000" in words_of(page, "agreement")  # orders that disagree are ties
    assert "Estimate with a prior" not in words_of(page, "systems")
    assert "Half a win each way" in words_of(client.get(RESULT + "?prior=on"), "systems")
    withdraw_load(program.loads.get(), carol)
    assert "No votes yet" in client.get(RESULT).content.decode()


def test_the_demonstration_has_a_program(campaign: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    demonstrate(campaign, carol, ())  # type: ignore[arg-type]
    program = BattleProgram.objects.get()
    progress = progress_of(program, 12)
    assert (progress.labelled, len(progress.unreadable)) == (11, 1)
