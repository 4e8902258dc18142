"""The API writes with the services of the pages: who may, with which token, and who did it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import resolve, reverse

from accounts.services import create_token
from assess.answers.services import set_answer_rules
from assess.clicks.services.withdrawals import withdraw_click_log
from assess.models import JudgmentEvent
from assess.near_duplicates.services import Settings as NearSettings
from assess.near_duplicates.services import find_classes
from assess.queries.adjudication import dispute_in
from assess.queries.campaign_reads import CampaignReads
from assess.queries.gold import gold_documents
from assess.queries.judging import cards_of
from assess.queries.settling import cases_of_rule
from assess.services.adjudications import Settlement, settle
from assess.services.gold import load_gold
from assess.services.sources import withdraw_source
from metrics.interleaving.queries import lists_of
from metrics.interleaving.services import withdraw_clicks
from pooling.models import AuditLogEntry, Campaign, Role
from pooling.scale import FOUR_STEPS
from pooling.services.people import create_campaign
from pooling.services.run_changes import withdraw_run
from tests.assess.answers.files import answer_file
from tests.config.test_roles import API, PEOPLE, undone
from tests.support.factory import Factory
from tests.support.places import URLS, place

QRELS = b"1 0 D1 2\n"
PROMPT = "Query: {topic}\nDocument: {document}\nGrades: {scale}\nAnswer with ##final score: and a grade."
Body = Callable[[Campaign, Factory], dict[str, Any] | None]


def label_of(campaign: Campaign, make: Factory, **changes: Any) -> dict[str, Any]:
    """Return a label of alice for D1 of topic 2."""
    entry = make.entry(campaign, "alice", "2", "D1")
    (card,) = cards_of([entry])
    label = {"entry": entry.pk, "uuid": str(uuid.uuid4()), "docno": "D1", "text_hash": card.text_hash}
    return label | {"relevance": 2} | changes


def withdrawn(campaign: Campaign, make: Factory) -> None:
    """Withdraw the machine judge, so that its labels can be restored."""
    withdraw_source(campaign.sources.programs().get(), make.make_user("carol"), "A mistake.")


def decision_of(campaign: Campaign, make: Factory) -> dict[str, Any]:
    """Return a decision on D1 of topic 1, which alice has labelled."""
    card = dispute_in(CampaignReads(campaign), make.make_user("carol"), make.pooled(campaign, "1", "D1").pk)
    assert card
    shown = {"docno": "D1", "text_hash": card.text_hash, "last_label": card.last_label}
    return {"uuid": str(uuid.uuid4()), "relevance": 2, "why": "The text says so."} | shown


def settled(campaign: Campaign, make: Factory) -> dict[str, Any]:
    """Settle D1 of topic 1, so that it can be reopened."""
    decision = decision_of(campaign, make)
    decision["uuid"] = uuid.UUID(decision["uuid"])
    pooled, carol = make.pooled(campaign, "1", "D1"), make.make_user("carol")
    return {"adjudication": settle(pooled, carol, Settlement(**decision)).pk}


def label_to_return(campaign: Campaign, make: Factory) -> dict[str, Any]:
    return {"event": decision_of(campaign, make)["last_label"], "remark": "Read the end."}


def rule_of(campaign: Campaign, make: Factory) -> dict[str, Any]:
    """Let bob disagree with alice, and return what the preview of a rule would settle."""
    make.make_judgment(campaign, "bob", "1", "D1", 2)
    cases = cases_of_rule(CampaignReads(campaign), make.make_user("carol"), "lower")
    return {"checksum": cases.checksum}


def gold_to_withdraw(campaign: Campaign, make: Factory) -> dict[str, Any]:
    load_gold(campaign, make.make_user("carol"), "gold", b"3 D5 2\n")
    return {"ids": [gold_documents(campaign).get().pk]}


def labelling_to_create(campaign: Campaign, make: Factory) -> dict[str, Any]:
    make.make_labelling(campaign)
    return {"name": "LLM, topic 2", "prompt": 1, "model": "model-2", "topics": ["2"]}


def result_of(campaign: Campaign, make: Factory) -> bytes:
    """Return a result file with an answer to the last request of a labelling."""
    request = make.make_labelling(campaign).requests.order_by("pk").last()
    assert request
    choices = [{"message": {"content": "##final score: 1"}, "finish_reason": "stop"}]
    body = {"model": "model-2", "choices": choices, "usage": {"prompt_tokens": 9, "completion_tokens": 2}}
    return json.dumps({"custom_id": request.key, "response": {"status_code": 200, "body": body}}).encode()


def audit_to_draw(campaign: Campaign, make: Factory) -> dict[str, Any]:
    machine = make.make_machine(campaign, "1 0 D1 3\n1 0 D3 0\n2 0 D1 2\n")
    return {"machine": machine.pk, "size": 3, "judges": ["alice"]}


def click_log_withdrawn(campaign: Campaign, make: Factory) -> None:
    withdraw_click_log(campaign.click_logs.get(), make.make_user("carol"), "A mistake.")


def reviews_to_begin(campaign: Campaign, make: Factory) -> dict[str, Any]:
    make.make_collection(campaign)
    return {
        "collection": 1,
        "topics": ["2"],
        "judges": ["zoe"],
        "first_batch": 2,
        "sample_size": 3,
        "seed": 7,
    }


def simulation_to_make(campaign: Campaign, make: Factory) -> dict[str, Any]:
    return {"collection": make.make_collection(campaign).number}


def before_judging(campaign: Campaign, make: Factory) -> dict[str, Any]:
    """Let all labels be those of files, so that judging has not begun."""
    JudgmentEvent.objects.filter(pooled__pool__campaign=campaign).update(source="import")
    return {"share": 10, "seed": 7}


def classes_to_freeze(campaign: Campaign, make: Factory) -> dict[str, Any]:
    before_judging(campaign, make)
    return {"sha256": find_classes(campaign, make.make_user("carol"), NearSettings()).sha256}


def classes_to_discard(campaign: Campaign, make: Factory) -> None:
    classes_to_freeze(campaign, make)


def set_of(**about: Any) -> Body:
    """Return what makes the body of a set of work for zoe. answers: tags of answer runs are in it, too."""
    has_answers = about.pop("answers", True)

    def body(campaign: Campaign, make: Factory) -> dict[str, Any]:
        runs = {"runs": [run.tag for run in make.make_battles(campaign).runs.all()]} if has_answers else {}
        values = {name: value(campaign, make) if callable(value) else value for name, value in about.items()}
        return {"judges": ["zoe"], "double": 0, "seed": 1} | runs | values

    return body


def number_of_bank(campaign: Campaign, make: Factory) -> int:
    return make.make_bank(campaign).number


def nugget_to_join(campaign: Campaign, make: Factory) -> dict[str, Any]:
    return {"other": make.make_nugget(make.make_nugget_bank(campaign), "carol", "Wood floats").pk}


def labels_to_release(campaign: Campaign, make: Factory) -> dict[str, Any]:
    matching = make.make_matching(campaign)
    make.make_nugget_label(matching.tasks.all()[0], 1, "support")
    return {"of": "matching", "number": matching.number}


def number_of_release(campaign: Campaign, make: Factory) -> int:
    return make.make_preferences(campaign).release.number


def run_with_texts(campaign: Campaign, make: Factory) -> str:
    return make.make_snippets(campaign).run.tag


def new_clicks(campaign: Campaign, make: Factory) -> bytes:
    """Return clicks on a list of the first comparison by interleaving, other than those of the factory."""
    merged = lists_of(campaign.interleavings.order_by("number")[0])
    return f"list_id,clicks\n{merged[0].list_id},1\n{merged[0].list_id},2\n".encode()


def clicks_withdrawn(campaign: Campaign, make: Factory) -> None:
    withdraw_clicks(make.make_clicks(campaign), make.make_user("carol"), "A mistake.")


class Write(NamedTuple):
    """A valid write, and its status for each of PEOPLE. body: JSON, or the fields beside a file.

    number, tag: those in the address, if they are other than those of `place`.
    """

    statuses: tuple[int, ...]
    body: dict[str, Any] | Body | None = None
    file: bytes | Callable[[Campaign, Factory], bytes] | None = None
    who: str = "carol"
    logs: bool = True
    number: str = ""
    tag: str = ""


ORGANISER = (201, 403, 403, 403, 403, 404, 401)
SUBMISSIONS = (
    "api:run_submit",
    "api:judge_run_submit",
    "api:answer_run_submit",
)  # which the scope "submit" allows
OWN_RUN = (200, 403, 403, 200, 403, 404, 401)
CHANGE = (200, *ORGANISER[1:])
ADJUDICATORS = (403, 403, 403, 404, 401)  # for all others
BOTH = (200, 200, *ADJUDICATORS)
JUDGED = ("battle", "grading", "preference", "magnitude", "snippet", "matching", "support")
WRITES = {
    ("post", "api:campaign_create"): Write((201, 403, 403, 403, 403, 403, 401), {"name": "Boats"}),
    ("patch", "api:settings_change"): Write(CHANGE, {"guidelines": "Read all of it."}),
    ("post", "api:topic_load"): Write(ORGANISER, {}, b"9\tnine\n"),
    ("post", "api:state_change"): Write(CHANGE, {"state": "closed"}),
    ("patch", "api:schedule_change"): Write(CHANGE, {"submission_closes_at": "2030-01-01T12:00"}),
    ("post", "api:run_describe"): Write(
        (200, 403, 403, 200, 403, 404, 401), {"description": "New."}, tag="mine"
    ),
    ("post", "api:run_replace"): Write(
        (201, 403, 403, 201, 403, 404, 401), {}, b"1 Q0 D1 1 2.0 new\n", tag="mine"
    ),
    ("post", "api:run_order"): Write(OWN_RUN, {"order": "lowest"}, tag="mine"),
    ("post", "api:run_withdraw"): Write(
        (204, 403, 403, 204, 403, 404, 401), {"reason": "A bug."}, tag="mine"
    ),
    ("post", "api:run_restore"): Write((200, 403, 403, 403, 403, 404, 401), tag="gone"),
    ("post", "api:run_hide"): Write((200, 403, 403, 403, 403, 404, 401), {"hidden": True}, tag="mine"),
    ("patch", "api:topic_change"): Write(CHANGE, {"title": "New", "reason": "It was unclear."}),
    ("delete", "api:topic_remove"): Write((204, *ORGANISER[1:]), number="3"),
    ("post", "api:document_load"): Write(ORGANISER, {"keep": "all"}, b'{"docno": "D1", "text": "New."}\n'),
    ("post", "api:run_submit"): Write(
        (201, 403, 403, 201, 403, 404, 401), {}, b"1 Q0 D1 1 2.0 new\n", "dave"
    ),
    ("post", "api:judge_run_submit"): Write(
        (201, 403, 403, 201, 403, 404, 401), {}, b"1 Q0 D1 2 0.5 llm\n", "dave"
    ),
    ("post", "api:answer_run_submit"): Write(
        (201, 403, 403, 201, 403, 404, 401), {}, answer_file({"1": [("A.", ["D1"])]}), "dave"
    ),
    ("post", "api:nugget_bank_load"): Write(
        (201, 201, 403, 403, 403, 404, 401), {}, b'{"qid": "1", "nuggets": [{"text": "Wood floats"}]}\n'
    ),
    ("post", "api:nugget_load_withdrawal"): Write(BOTH),
    ("post", "api:nugget_bank_begin"): Write((201, 201, *ADJUDICATORS), {"grading": "vital or okay"}),
    ("post", "api:nugget_bank_freeze"): Write(CHANGE),
    ("post", "api:nugget_bank_discard"): Write((204, *ORGANISER[1:])),
    ("post", "api:nugget_add"): Write((201, 201, *ADJUDICATORS), {"topic": "1", "text": "Wood floats"}),
    ("patch", "api:nugget_change"): Write(BOTH, {"text": "Wood floats"}),
    ("delete", "api:nugget_remove"): Write((204, 204, *ADJUDICATORS)),
    ("post", "api:nugget_weigh"): Write(BOTH, {"importance": "okay"}),
    ("post", "api:nugget_merge"): Write(BOTH, nugget_to_join),
    ("patch", "api:answer_rules_change"): Write(CHANGE, {"words": 200}),
    ("post", "api:answer_release_make"): Write(ORGANISER, labels_to_release),
    ("post", "api:battle_release_make"): Write(ORGANISER),
    ("post", "api:pool_freeze"): Write(ORGANISER, {"strategy": "depth", "k": 5, "runs": ["third"]}),
    ("post", "api:pool_discard"): Write(CHANGE, number="2"),
    ("post", "api:member_add"): Write(ORGANISER, {"username": "mallory", "role": "judge"}),
    ("post", "api:invitation_create"): Write(ORGANISER, {"role": "judge", "topics": ["1"], "part": "second"}),
    ("delete", "api:invitation_revoke"): Write((204, *ORGANISER[1:])),
    ("post", "api:assignment_create"): Write(ORGANISER, {"judges": ["zoe"], "topics": ["1", "2"]}),
    ("delete", "api:assignment_end"): Write(CHANGE),
    ("post", "api:documents_give"): Write(CHANGE),
    ("post", "api:judge_load"): Write(ORGANISER, {"judge": "NIST"}, QRELS),
    ("post", "api:machine_load"): Write(
        ORGANISER, {"name": "LLM", "model": "m", "prompt_sha256": "ab" * 32, "made_on": "2026-05-04"}, QRELS
    ),
    ("post", "api:source_withdraw"): Write(CHANGE, {"reason": "A mistake."}),
    ("post", "api:source_restore"): Write(CHANGE, withdrawn),
    ("patch", "api:member_change"): Write(CHANGE, {"roles": ["reader", "judge"]}),
    ("delete", "api:member_remove"): Write(CHANGE),
    ("post", "api:assignment_move"): Write(CHANGE, {"judge": "zoe"}),
    ("post", "api:answer_run_withdraw"): Write((204, 403, 403, 404, 403, 404, 401)),
    ("post", "api:judge_run_withdraw"): Write((204, 403, 403, 404, 403, 404, 401)),
    ("post", "api:rule_settle"): Write((200, 200, *ADJUDICATORS), rule_of),
    ("post", "api:dispute_settle"): Write((201, 201, *ADJUDICATORS), decision_of),
    ("post", "api:dispute_reserve"): Write((200, 200, *ADJUDICATORS), logs=False),
    ("post", "api:dispute_reopen"): Write((200, 200, *ADJUDICATORS), settled),
    ("post", "api:label_return"): Write((204, 204, *ADJUDICATORS), label_to_return),
    ("post", "api:campaign_clone"): Write(
        (201, 403, 403, 403, 403, 404, 401), {"name": "Tiny again", "slug": "tiny-2"}
    ),
    ("patch", "api:plan_change"): Write(CHANGE, {"repeat_share": 5, "reasons_required": True}),
    ("post", "api:gold_load"): Write(ORGANISER, {"kind": "gold"}, b"3 D5 2 It says so.\n"),
    ("post", "api:gold_withdraw"): Write(CHANGE, gold_to_withdraw),
    ("post", "api:prompt_create"): Write(ORGANISER, {"template": PROMPT}),
    ("post", "api:labelling_create"): Write(ORGANISER, labelling_to_create),
    ("post", "api:labelling_results"): Write(CHANGE, {}, result_of),
    ("post", "api:labelling_labels"): Write(ORGANISER),
    ("post", "api:machine_audit_draw"): Write(ORGANISER, audit_to_draw),
    ("post", "api:machine_audit_give"): Write(CHANGE, {"judges": ["alice", "zoe"], "per_document": 2}),
    ("post", "api:click_log_load"): Write(
        ORGANISER, {"least_people": 2}, b"topic,session,shown,clicks\n1,a,D1 D2,1\n1,b,D1 D2,2\n"
    ),
    ("post", "api:click_labels"): Write(
        ORGANISER,
        {"name": "Clicks", "model": "coec", "thresholds": [0.5, 1, 2], "least_impressions": 1},
    ),
    ("post", "api:click_log_withdraw"): Write(CHANGE, {"reason": "A mistake."}),
    ("post", "api:click_log_restore"): Write(CHANGE, click_log_withdrawn),
    ("post", "api:review_collection_load"): Write(ORGANISER, {}, b'{"docno": "D1", "text": "New."}\n'),
    ("delete", "api:review_collection_remove"): Write((204, *ORGANISER[1:])),
    ("post", "api:reviews_begin"): Write(ORGANISER, reviews_to_begin),
    ("post", "api:review_batch"): Write((202, *ORGANISER[1:]), {"number": 2}),
    ("post", "api:review_sample"): Write(CHANGE, {"documents": 2, "drawn": 3}),
    ("post", "api:review_stop"): Write(CHANGE, {"rule": ""}),
    ("post", "api:review_discard"): Write(CHANGE),
    ("post", "api:review_simulate"): Write((202, *ORGANISER[1:]), simulation_to_make, logs=False),
    ("post", "api:near_duplicates_find"): Write(ORGANISER, before_judging),
    ("post", "api:near_duplicates_freeze"): Write(CHANGE, classes_to_freeze),
    ("post", "api:near_duplicates_discard"): Write((204, *ORGANISER[1:]), classes_to_discard),
    ("post", "api:near_duplicate_split"): Write((204, *ORGANISER[1:]), {"docno": "D3"}),
    ("post", "api:battle_make"): Write(ORGANISER, set_of(per_topic=1, repeated=0)),
    ("post", "api:grading_make"): Write(ORGANISER, set_of(criteria=["Helpful: no, yes"])),
    ("post", "api:preference_make"): Write(ORGANISER, set_of(release=number_of_release, answers=False)),
    ("post", "api:magnitude_make"): Write(ORGANISER, set_of(chosen="all", answers=False)),
    ("post", "api:snippet_make"): Write(ORGANISER, set_of(run=run_with_texts, answers=False)),
    ("post", "api:matching_make"): Write(ORGANISER, set_of(bank=number_of_bank)),
    ("post", "api:support_make"): Write(ORGANISER, set_of()),
    **{
        ("post", f"api:{kind}_handover"): Write(CHANGE, {"judge": "alice", "others": ["zoe"]})
        for kind in JUDGED
    },
    **{("post", f"api:{kind}_discard"): Write((204, *ORGANISER[1:])) for kind in JUDGED},
    ("post", "api:interleaving_create"): Write(ORGANISER, {"run_a": "mine", "run_b": "third", "seed": 7}),
    ("post", "api:interleaving_click_load"): Write(ORGANISER, {}, new_clicks),
    ("post", "api:interleaving_clicks_replace"): Write(ORGANISER, {}, new_clicks),
    ("post", "api:interleaving_clicks_withdraw"): Write(CHANGE, {"reason": "A mistake."}),
    ("post", "api:interleaving_clicks_restore"): Write(CHANGE, clicks_withdrawn),
    ("post", "api:ab_test_create"): Write(
        ORGANISER, {"name": "Snippets", "shares": {"A": 1, "B": 1}, "planned_users": 6}
    ),
    ("post", "api:ab_test_load"): Write(ORGANISER, {}, b"variant,user,clicks\nA,u1,1\nB,u2,2\n"),
    ("post", "api:ab_test_withdraw"): Write(CHANGE),
    ("post", "api:system_figures_load"): Write(ORGANISER, {}, b"run,latency_ms\nmine,12\n"),
    ("delete", "api:system_quality_remove"): Write((204, *ORGANISER[1:])),
    ("post", "api:panel_create"): Write(ORGANISER, {"first": "mine", "second": "third"}),
    ("post", "api:release_freeze"): Write(ORGANISER, {}),
    ("post", "api:release_audience"): Write(CHANGE, {"state": "public", "licence": "CC BY 4.0"}),
    ("post", "api:release_withdraw"): Write(CHANGE, {"reason": "A run was missing."}),
    ("post", "api:document_take"): Write((404, 403, 200, 403, 403, 404, 401), who="alice", logs=False),
    ("post", "api:label_record"): Write(
        (404, 403, 201, 403, 403, 404, 401), label_of, who="alice", logs=False
    ),
}


def make_writable(make: Factory) -> Campaign:
    """Return a campaign in which each write of the list changes something.

    It has a second pool, which belongs to no judge, a topic without a pool, a release, and a later label.
    """
    campaign = make.make_pooled_campaign()
    campaign.accepts_judge_runs = True
    campaign.save()
    set_answer_rules(campaign, make.make_user("carol"), {"accepts": True})
    campaign.memberships.create(user=make.make_user("zoe"), role=Role.JUDGE)
    make.let_create_campaigns("carol")
    make.make_run(campaign, "1 D9 2\n2 D1 1", tag="other", group="otherlab")
    make.make_topic(campaign, "3")
    withdraw_run(make.make_run(campaign, "1 D6 1", tag="gone", group="davelab"), make.make_user("carol"))
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_release(campaign)
    make.make_judgment(campaign, "alice", "1", "D2", 3)
    make.make_pool(campaign)
    make.make_run(campaign, "1 D7 1", tag="mine", group="davelab")
    make.make_run(campaign, "1 D8 2\n2 D1 1", tag="third", group="otherlab")
    return campaign


def build_campaign(make: Factory) -> Campaign:
    create_campaign(make.make_user("mallory"), "Other", "other", FOUR_STEPS, 2)
    return make_writable(make)


def client_of(make: Factory, name: str, scope: str = "all") -> Client:
    token = create_token(make.make_user(name), "test", scope) if name else "jp_nobody"
    return Client(headers={"Authorization": f"Bearer {token}"})


def address(key: tuple[str, str], campaign: Campaign, make: Factory) -> str:
    """Return the URL of a write of WRITES."""
    url, own = place(key[1], campaign, make), {name: getattr(WRITES[key], name) for name in ("number", "tag")}
    return reverse(key[1], kwargs=resolve(url).kwargs | {name: own[name] for name in own if own[name]})


def send(client: Client, key: tuple[str, str], campaign: Campaign, make: Factory, slug: str = "tiny") -> Any:
    """Send a write of WRITES; slug: of the campaign through which it is sent."""
    method, write = key[0], WRITES[key]
    url = address(key, campaign, make).replace("/tiny/", f"/{slug}/")
    body = write.body(campaign, make) if callable(write.body) else write.body
    if write.file is not None:
        content = write.file(campaign, make) if callable(write.file) else write.file
        return client.post(url, (body or {}) | {"file": SimpleUploadedFile("new.txt", content)})
    return getattr(client, method)(url, body, content_type="application/json")


def test_every_write_of_the_api_is_looked_at() -> None:
    assert WRITES.keys() == {key for key in API if key[0] != "get"}


@pytest.mark.parametrize("key", WRITES, ids=" ".join)
def test_who_may_write(key: tuple[str, str], campaign: Campaign, make: Factory) -> None:
    found = []
    for person in PEOPLE:
        with undone():
            found.append(send(client_of(make, person), key, campaign, make).status_code)
    assert tuple(found) == WRITES[key].statuses


@pytest.mark.parametrize("key", WRITES, ids=" ".join)
def test_a_token_writes_what_its_scope_says(key: tuple[str, str], campaign: Campaign, make: Factory) -> None:
    who, last = WRITES[key].who, AuditLogEntry.objects.latest("pk").pk
    for scope in ("read", "submit"):
        with undone():
            response = send(client_of(make, who, scope), key, campaign, make)
            assert (response.status_code < 300) == (scope == "submit" and key[1] in SUBMISSIONS)
            if response.status_code == 403:
                assert "Create another token" in response.json()["title"]
    assert AuditLogEntry.objects.latest("pk").pk == last


@pytest.mark.parametrize("scope", ["read", "submit", "all"])
def test_every_scope_reads(scope: str, campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol", scope)
    for method, name in API:
        if method == "get" and API[method, name][0] == 200:
            response = client.get(place(name, campaign, make))
            list(response)  # a download is read to its end, which closes its file
            assert response.status_code == 200, name


@pytest.mark.parametrize("key", [key for key in WRITES if WRITES[key].logs], ids=" ".join)
def test_the_audit_log_names_the_person_who_writes(
    key: tuple[str, str], campaign: Campaign, make: Factory
) -> None:
    place(key[1], campaign, make)  # what it makes is logged before
    last = AuditLogEntry.objects.latest("pk").pk
    who = WRITES[key].who
    assert send(client_of(make, who), key, campaign, make).status_code < 300
    entries = AuditLogEntry.objects.filter(pk__gt=last)
    authors = set(entries.exclude(who="").values_list("who", flat=True))  # `place` has no author
    assert authors == {who}


@pytest.mark.parametrize("key", [key for key in WRITES if "slug" in URLS[key[1]]], ids=" ".join)
def test_nothing_is_written_through_another_campaign(
    key: tuple[str, str], campaign: Campaign, make: Factory
) -> None:
    """mallory organises `other`, which is empty: keys of `tiny` lead nowhere there."""
    names_row = {"pk", "number", "tag"} & {*URLS[key[1]]}
    with undone():
        # `place` and the bodies act as carol or as nobody
        entries = AuditLogEntry.objects.filter(campaign=campaign).exclude(verb="invited").exclude(who="carol")
        before = list(entries)
        response = send(client_of(make, "mallory"), key, campaign, make, "other")
        assert not names_row or response.status_code == 404
        assert list(entries.all()) == before
