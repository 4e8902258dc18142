"""Every view that changes a campaign says in the audit log who did it."""

from __future__ import annotations

import json
import uuid
from typing import Any, NamedTuple

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from accounts.models import User
from assess.battle_programs.prompt import DEFAULT
from assess.clicks.services.withdrawals import withdraw_click_log
from assess.machines.prompt import SHORT
from assess.matching_programs.prompt import DEFAULT as MATCHING_PROMPT
from assess.matchings.queries.differences import nugget_cases
from assess.models import Assignment, Judgment, QueueEntry
from assess.nuggets.queries.own_answers import code_of
from assess.pyramids.example import example_peers
from assess.pyramids.files import write_pan
from assess.queries.adjudication import dispute_in
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judging import cards_of
from assess.queries.settling import cases_of_rule
from assess.services.adjudications import Settlement, settle
from assess.services.gold import load_gold
from assess.services.judging import SubmittedJudgment, record_judgment
from assess.services.sources import withdraw_source
from metrics.interleaving.services import withdraw_clicks
from pooling.checksum import sha256_of
from pooling.models import AuditLogEntry, Campaign, Role
from pooling.scale import FOUR_STEPS, write_scale
from pooling.services.people import invite
from pooling.services.run_changes import withdraw_run
from tests.assess.answers.files import answer_file
from tests.assess.pyramids.files import PYR
from tests.config.test_roles import POST
from tests.support.factory import Factory
from tests.support.places import place

SCALE = {"scale": write_scale(FOUR_STEPS), "threshold": "2"}
RUN, QRELS, DOCUMENT = b"1 Q0 D1 1 2.0 new\n", b"1 0 D1 2\n", b'{"docno": "D1", "text": "New."}\n'
ANSWERS = answer_file({"1": [("A.", ["D1"])]})
JUDGE_RUN = b"1 Q0 D1 2 0.5 llm\n"
ASSIGNMENTS = (
    b'{"qid": "1", "run_id": "answers", "nuggets": [{"text": "Boats float", "importance": "vital",'
    b' "assignment": "support"}, {"text": "Boats are light", "importance": "okay", "assignment": "failed"},'
    b' {"text": "They carry goods", "importance": "vital", "assignment": "not_support"}]}\n'
)
VOTES = b"topic,left,right,choice\n1,zebra-one,zebra-two,tie\n"
PEER = write_pan(example_peers()["8"])
NUGGETS = b'{"qid": "1", "nuggets": [{"text": "Wood floats"}]}\n'
CLICK_LOG = b"topic,session,shown,clicks\n1,a,D1 D2,1\n1,b,D1 D2,2\n"
SUBMISSION = {"priority": "1", "tag_from": "column", "kind": "", "group": "g"}


CLICKS = b"topic,run_a,run_b,documents,teams,clicks\n1,run,other,D1 D9,A B,1\n"


class Act(NamedTuple):
    """A form that changes something. Words such as "<alice>" stand for keys that the campaign gives."""

    fields: dict[str, Any] = {}
    files: dict[str, bytes] = {}
    who: str = "carol"


ACTS = {
    "assess:documents_give": Act(),
    "assess:pool_discard": Act({"confirmed": "yes"}),
    "assess:adjudication_reasons": Act({"required": "on"}),
    "assess:invitation": Act(who="mallory"),
    "assess:invitation_renew": Act(),
    "assess:invitation_revoke": Act(),
    "assess:judge_invite": Act({"topics": "all", "part": "primary"}),
    "assess:judging": Act({"judges": "<zoe>", "topics": "all", "part": "primary", "confirmed": "yes"}),
    "assess:judgments_load": Act({"judge": "NIST", "confirmed": "yes"}, {"file": QRELS}),
    "assess:machine_list": Act(
        {"name": "LLM", "model": "m-1", "prompt_sha256": "ab" * 32, "made_on": "2026-05-04"}, {"file": QRELS}
    ),
    "assess:source": Act({"name": "LLM", "model": "m-2"}),
    "assess:source_withdraw": Act({"reason": "A mistake.", "confirmed": "yes"}),
    "assess:source_restore": Act(),
    "assess:source_replace": Act(files={"file": QRELS}),
    "assess:prompt_list": Act({"template": SHORT, "topic_fields": "title"}),
    "assess:labelling_list": Act(
        {
            "name": "LLM",
            "prompt": "1",
            "model": "m-1",
            "topics": "all",
            "max_tokens": "50",
            "samples": "1",
            "tokens_name": "max_tokens",
            "characters": "900",
            "probes": "0",
            "confirmed": "yes",
        }
    ),
    "assess:labelling": Act(),
    "assess:labelling_labels": Act({"confirmed": "yes"}),
    "metrics:machine_audit_list": Act(
        {
            "machine": "<machine>",
            "size": "2",
            "depth": "10",
            "seed": "1",
            "judges": "<zoe>",
            "per_document": "1",
            "confirmed": "yes",
        }
    ),
    "metrics:machine_audit_give": Act({"judges": "<zoe>", "per_document": "2"}),
    "assess:click_log_list": Act({"least_people": "2"}, {"file": CLICK_LOG}),
    "assess:click_log": Act(
        {
            "name": "Clicks",
            "model": "pbm",
            "cut": "thresholds",
            "thresholds": "0.1 0.2 0.3",
            "least_impressions": "1",
        }
    ),
    "assess:click_log_describe": Act({"name": "March"}),
    "assess:click_log_withdraw": Act({"reason": "A mistake.", "confirmed": "yes"}),
    "assess:click_log_restore": Act(),
    "assess:click_log_replace": Act({"least_people": "2"}, {"file": CLICK_LOG}),
    "assess:campaign_clone": Act({"name": "Next", "slug": "next", "parts": "topics"}),
    "assess:member_change": Act({"roles": "adjudicator"}),
    "assess:member_remove": Act({"confirmed": "yes"}),
    "assess:battle_setup": Act(
        {
            "runs": "<battle runs>",
            "judges": "<zoe>",
            "topics": "all",
            "better": "What helps.",
            "per_topic": "1",
        }
        | {"double": "0", "repeated": "0", "seed": "1", "confirmed": "yes"}
    ),
    "assess:battle_discard": Act({"confirmed": "yes"}),
    "metrics:battle_release": Act({"confirmed": "yes"}),
    "assess:preference_setup": Act(
        {"release": "<graded>", "judges": "<zoe>", "topics": "all", "better": "What helps.", "k": "2"}
        | {"double": "0", "seed": "1", "confirmed": "yes"}
    ),
    "assess:preference_discard": Act({"confirmed": "yes"}),
    "assess:snippet_setup": Act(
        {"run": "run", "judges": "<zoe>", "topics": "all", "origin": "document", "depth": "5"}
        | {"double": "0", "seed": "1", "confirmed": "yes"}
    ),
    "assess:snippet_discard": Act({"confirmed": "yes"}),
    "assess:snippet_runs": Act({"run": "run"}, {"file": b"* D2 A snippet.\n"}),
    "assess:snippet_remove": Act({"confirmed": "yes"}),
    "assess:magnitude_setup": Act(
        {"judges": "<zoe>", "topics": "all", "chosen": "all", "most": "5"}
        | {"double": "0", "seed": "1", "confirmed": "yes"}
    ),
    "assess:magnitude_discard": Act({"confirmed": "yes"}),
    "assess:grading_setup": Act(
        {"runs": "<battle runs>", "judges": "<zoe>", "topics": "all", "criteria": "Helpful: no, yes"}
        | {"double": "0", "seed": "1", "confirmed": "yes"}
    ),
    "assess:grading_discard": Act({"confirmed": "yes"}),
    "assess:matching_setup": Act(
        {"bank": "<bank>", "runs": "<battle runs>", "judges": "<zoe>", "topics": "all"}
        | {"double": "0", "seed": "1", "confirmed": "yes"}
    ),
    "assess:matching_discard": Act({"confirmed": "yes"}),
    "assess:support_setup": Act(
        {"runs": "<battle runs>", "judges": "<zoe>", "topics": "all"}
        | {"double": "0", "seed": "1", "confirmed": "yes"}
    ),
    "assess:support_discard": Act({"confirmed": "yes"}),
    "assess:nugget_bank_list": Act({"grading": "vital or okay"}),
    "assess:nugget_bank": Act({}, {"file": NUGGETS}),
    "assess:nugget_bank_freeze": Act({"confirmed": "yes"}),
    "assess:nugget_bank_discard": Act({"confirmed": "yes"}),
    "assess:nugget_load_withdraw": Act({"confirmed": "yes"}),
    "assess:nugget_topic": Act({"text": "Wood floats", "aggregator": "OR"}),
    "assess:nugget": Act({"text": "Wood floats", "aggregator": "OR"}, who="ada"),
    "assess:nugget_vote": Act({"importance": "okay"}, who="ada"),
    "assess:nugget_join": Act({"kept": "<nugget>", "other": "<other>"}),
    "assess:nugget_delete": Act({"confirmed": "yes"}),
    "assess:own_nugget_topic": Act(
        {"docno": "D1", "quotation": "floats", "text": "Wood floats"}, who="alice"
    ),
    "assess:own_nugget_answers": Act(
        {"answer": "<answer>", "quotation": "Boats float", "text": "Wood floats"}, who="alice"
    ),
    "assess:own_nugget_delete": Act(who="alice"),
    "assess:own_nugget_mark_delete": Act(who="alice"),
    "assess:battle_program_list": Act(
        {"battles": "<battles>", "name": "strict", "model": "m-1", "prompt": DEFAULT}
    ),
    "assess:battle_program": Act({}, {"file": VOTES}),
    "assess:battle_program_withdraw": Act({"confirmed": "yes"}),
    "metrics:answer_release_list": Act({"what": "matching-1", "confirmed": "yes"}),
    "assess:matching_program_list": Act(
        {"matching": "<matching>", "name": "strict", "model": "m-1", "prompt": MATCHING_PROMPT}
    ),
    "assess:matching_program": Act({}, {"file": ASSIGNMENTS}),
    "assess:matching_program_withdraw": Act({"confirmed": "yes"}),
    "assess:collection_load": Act({}, {"file": DOCUMENT}),
    "assess:collection_of_stored": Act(),
    "assess:review_list": Act(
        {"collection": "1", "topics": "2", "judges": "<zoe>", "first_batch": "2", "sample_size": "3"}
        | {"seed": "7"}
    ),
    "assess:review_next": Act({"number": "2"}),
    "assess:review_search": Act({"words": "oven", "rows": "4"}, who="alice"),
    "assess:review_sample": Act({"documents": "2", "drawn": "3"}),
    "assess:review_discard": Act({"confirmed": "yes"}),
    "assess:collection_remove": Act({"confirmed": "yes"}),
    "assess:review_stop": Act({"rule": "", "confirmed": "yes"}),
    "metrics:pyramid_list": Act({"topic": "2"}, {"file": PYR}),
    "metrics:pyramid": Act({}, {"file": PEER}),
    "assess:pyramid_draft_new": Act({"topic": "2", "summaries": "Wood floats.\n---\nIt sinks."}),
    "assess:pyramid_draft": Act({"quotation": "says Ann"}, who="ada"),
    "assess:pyramid_draft_unit": Act({"label": "Boats swim", "before": "Boats float"}, who="ada"),
    "assess:pyramid_draft_store": Act({"confirmed": "yes"}),
    "assess:pyramid_draft_discard": Act({"confirmed": "yes"}, who="ada"),
    "assess:pyramid_withdraw": Act({"confirmed": "yes"}),
    "assess:pyramid_peer_withdraw": Act({"confirmed": "yes"}),
    "assess:battle_handover": Act({"others": "<zoe>", "confirmed": "yes"}),
    "assess:preference_handover": Act({"others": "<zoe>", "confirmed": "yes"}),
    "assess:snippet_handover": Act({"others": "<zoe>", "confirmed": "yes"}),
    "assess:magnitude_handover": Act({"others": "<zoe>", "confirmed": "yes"}),
    "assess:grading_handover": Act({"others": "<zoe>", "confirmed": "yes"}),
    "assess:support_handover": Act({"others": "<zoe>", "confirmed": "yes"}),
    "assess:matching_differences": Act({}, who="ada"),
    "assess:matching_handover": Act({"others": "<zoe>", "confirmed": "yes"}),
    "assess:panel_setup": Act({"first": "run", "second": "other", "depth": "10", "topics": "all"}),
    "metrics:interleaving_list": Act(
        {"run_a": "run", "run_b": "other", "method": "balanced", "length": "5", "lists": "2", "topics": "all"}
    ),
    "metrics:interleaving": Act({}, {"file": CLICKS}),
    "metrics:interleaving_clicks": Act({"name": "March"}),
    "metrics:interleaving_clicks_withdraw": Act({"reason": "A mistake.", "confirmed": "yes"}),
    "metrics:interleaving_clicks_restore": Act(),
    "metrics:interleaving_clicks_replace": Act({}, {"file": CLICKS}),
    "metrics:ab_test_list": Act(
        {"name": "Snippets", "shares": "A\nB", "planned_users": "100", "outcomes": "clicks"}
    ),
    "metrics:ab_test": Act({}, {"file": b"variant,user,clicks\nA,u1,1\nB,u2,2\n"}),
    "metrics:ab_test_withdraw": Act({"confirmed": "yes"}),
    "metrics:system_quality": Act({}, {"file": b"run,latency_ms\nrun,30\n"}),
    "metrics:system_quality_remove": Act({"confirmed": "yes"}),
    "assess:people": Act({"role": "reader"}),
    "assess:people_invite": Act({"lines": "Ann", "role": "reader", "checked": sha256_of("reader\nAnn")}),
    "assess:cost": Act({"hourly_rate": "20", "currency": "EUR"}),
    "assess:plan": Act(
        {"overlap": "all", "overlap_share": "9", "overlap_count": "9", "repeat_share": "3"}
        | {"idle_seconds": "60", "idle_per_1000": "0"}
    ),
    "assess:probes": Act({"kind": "gold", "lines": "1 D3 2"}),
    "assess:probes_withdraw": Act({"probe": "<probe>"}),
    "assess:refusals": Act({"all": "1"}),
    "assess:release_audience": Act({"confirmed": "yes"}),
    "assess:release_list": Act(
        {"rule": "majority, ties to the lower grade", "cannot": "", "confirmed": "yes"}
    ),
    "assess:release_withdraw": Act({"reason": "A topic is wrong.", "confirmed": "yes"}),
    "assess:reopen": Act({"adjudication": "<adjudication>", "why": "Because."}, who="ada"),
    "assess:settings": Act(SCALE | {"name": "New", "run_depth": "1000"}),
    "assess:campaign_state": Act({"state": "closed", "confirmed": "yes"}),
    "assess:judge_run_list": Act({"kind": "automatic", "group": "g"}, {"file": JUDGE_RUN}),
    "assess:judge_run_withdraw": Act({"confirmed": "yes"}),
    "assess:answer_run_list": Act({"kind": "", "group": "g"}, {"file": ANSWERS}),
    "assess:answer_rules": Act({"accepts": "on", "words": "400"}),
    "assess:answer_run_withdraw": Act({"confirmed": "yes"}),
    "assess:run_edit": Act({"description": "New.", "kind": "automatic", "priority": "1"}),
    "assess:run_hide": Act({"hidden": "yes"}),
    "assess:run_replace": Act({}, {"file": RUN}),
    "assess:run_order": Act({"order": "lowest"}),
    "assess:run_restore": Act(),
    "assess:run_withdraw": Act({"reason": "A test.", "confirmed": "yes"}),
    "assess:schedule": Act({"time_zone": "Europe/Berlin", "late_runs": "refuse"}),
    "assess:settle": Act({"docno": "D1", "relevance": "2", "text_hash": "<hash>"}, who="ada"),
    "assess:settling": Act({"rule": "majority", "checked": "<checked>"}, who="ada"),
    "assess:ask_again": Act({"event": "<event>", "remark": "Read it again."}, who="ada"),
    "assess:top_up": Act({"k": "10", "confirmed": "yes"}),
    "assess:topics_distribute": Act({"topics": "all", "counts": "shares"}),
    "assess:judge_replace": Act({"leaves": "on"}),
    "assess:topic_move": Act({"judge": "<alice>", "new_judge": "<zoe>"}),
    "assess:topic_take_back": Act({"judge": "<alice>"}),
    "assess:near_duplicate_split": Act({"docno": "D3"}),
    "assess:near_copy_split": Act({"docno": "D3"}, who="alice"),
    "assess:webhook_list": Act({"url": "https://tools.example.org/"}),
    "assess:webhook_remove": Act(),
    "pooling:campaign_new": Act(SCALE | {"name": "Boats"}),
    "pooling:document_list": Act({"keep": "all"}, {"file": DOCUMENT}),
    "pooling:document_report": Act({"keep": "all"}, {"file": DOCUMENT}),
    "pooling:job_cancel": Act(),
    "pooling:pool": Act({"strategy": "depth", "k": "5", "seconds": "30", "confirmed": "yes"}),
    "pooling:run_report": Act(SUBMISSION, {"run_files": RUN}),
    "pooling:run_list": Act(SUBMISSION, {"run_files": RUN}, "dave"),
    "pooling:topic_edit": Act({"title": "New", "reason": "It was unclear."}),
    "pooling:topic_list": Act({"confirmed": "yes"}, {"file": b"9\tnine\n"}),
    "pooling:topic_remove": Act({"confirmed": "yes"}),
}
LABELS = {
    "assess:judgment_card",
    "assess:outbox",
    "assess:panel_topic",
    "assess:votes",
    "assess:battle",
    "assess:battle_outbox",
    "assess:preference",
    "assess:preference_outbox",
    "assess:snippet",
    "assess:snippet_outbox",
    "assess:magnitude",
    "assess:magnitude_outbox",
    "assess:grading",
    "assess:grading_outbox",
    "assess:support",
    "assess:support_outbox",
    "assess:matching",
    "assess:matching_outbox",
    "assess:decisions",
}  # events, which name their judge
CLAIMS = {"assess:claim", "assess:judge"}  # who has a case or a document open, for a while
ENDPOINTS = {"assess:labelling_endpoint", "assess:requests_again"}  # see machines/test_endpoint_page.py
MAILS = {"assess:judge_reminders", "assess:release_mail"}  # see tests/assess/test_mailings.py
BEFORE_JUDGING = {
    "assess:near_duplicates",
    "assess:near_duplicates_freeze",
    "assess:near_duplicates_discard",
}  # see tests/assess/near_duplicates/test_pages.py
SIMULATES = {"assess:review_costs"}  # in a job, which needs many labels: see tests/assess/active_learning
DELETES = {"assess:campaign_delete"}  # the audit log goes with the campaign
OUTSIDE = {name for name in POST if name.startswith(("accounts:", "admin:"))}  # of no campaign
OUTSIDE |= {"pooling:first_organiser"}

OUTSIDE |= {"assess:webhook_test", "assess:topic_note", "assess:own_terms"}  # nothing; a judge's own
BY_TOKEN = {name for name in POST if name.startswith("api:")}  # see test_api_writes


def test_every_view_that_acts_is_looked_at() -> None:
    looked_at = ACTS.keys() | LABELS | CLAIMS | ENDPOINTS | MAILS | DELETES | OUTSIDE | BY_TOKEN
    looked_at |= BEFORE_JUDGING | SIMULATES
    assert looked_at == POST.keys() | {"assess:invitation"}


def build_campaign(make: Factory) -> Campaign:
    """A campaign in which each act of the list changes something."""
    campaign = make.make_pooled_campaign()
    zoe = campaign.memberships.create(user=make.make_user("zoe"), role=Role.JUDGE).user
    make.let_create_campaigns("carol")
    make.make_run(campaign, "1 D9 2\n2 D1 1", tag="other", group="otherlab")
    for judge, relevance in (("alice", 3), ("bob", 0)):
        make.make_judgment(campaign, judge, "1", "D1", relevance)
    entry = make.entry(campaign, "alice", "2", "D1")
    (card,) = cards_of([entry])
    record_judgment(entry, SubmittedJudgment(uuid.uuid4(), "D1", card.text_hash, None, "broken"))
    load_gold(campaign, make.make_user("carol"), "gold", b"1 D2 1\n")
    make.make_release(campaign, "internal")
    make.make_interleaving(campaign, "run", "other")
    make.make_judgment(campaign, "bob", "2", "D1", 2)  # so that the next release differs
    assert not QueueEntry.objects.filter(judge=zoe).exists()
    return campaign


def differing_case(campaign: Campaign, make: Factory) -> str:
    """Have two judges differ on a nugget. Return the name of the field of the case."""
    matching = make.make_matching(campaign)
    for judge, said in (("alice", "support"), ("bob", "not_support")):
        make.make_nugget_label(matching.tasks.filter(judge__username=judge)[0], 1, said)
    return nugget_cases(matching)[0].field


def filled_in(name: str, campaign: Campaign, make: Factory) -> dict[str, Any]:
    """Return the fields and files of an act, with the keys of this campaign."""
    act = ACTS[name]
    keys: dict[str, Any] = {f"<{user}>": make.make_user(user).pk for user in ("alice", "zoe")}
    if name == "assess:probes_withdraw":
        keys["<probe>"] = campaign.pools.get(number=1).documents.get(topic__number="1", docno="D2").probe.pk
    if name in ("assess:settle", "assess:reopen"):
        ada, pooled = make.make_user("ada"), make.pooled(campaign, "1", "D1")
        card = dispute_in(CampaignReads(campaign), ada, pooled.pk)
        assert card
        keys |= {"<hash>": card.text_hash}
        said = {"uuid": str(uuid.uuid4()), "last_label": card.last_label}
        if name == "assess:reopen":
            last = Settlement(uuid.uuid4(), "D1", card.text_hash, card.last_label, 2, "because")
            keys["<adjudication>"] = settle(pooled, ada, last).pk
    else:
        said = {}
    if name == "assess:ask_again":
        labels = Judgment.objects.filter(judge__username="alice")
        keys["<event>"] = labels.get(pooled=make.pooled(campaign, "1", "D1")).event_id
    if name == "assess:settling":
        keys["<checked>"] = cases_of_rule(CampaignReads(campaign), make.make_user("ada"), "majority").checksum
    if name == "assess:labelling":
        result = {"custom_id": campaign.labellings.get().requests.all()[1].key, "error": {"message": "Late."}}
        said = {"file": SimpleUploadedFile("results.jsonl", json.dumps(result).encode())}
    if name == "assess:matching_setup":
        keys["<bank>"] = make.make_bank(campaign).number
    if name in (
        "assess:battle_setup",
        "assess:grading_setup",
        "assess:matching_setup",
        "assess:support_setup",
    ):
        keys["<battle runs>"] = [run.tag for run in make.make_battles(campaign).runs.all()]
    if name == "assess:review_list":
        make.make_collection(campaign)
    if name == "assess:matching_differences":
        said = {differing_case(campaign, make): "support"}
    if name == "assess:own_nugget_topic":
        make.make_document(campaign, "D1", "Wood floats.")
    if name == "assess:own_nugget_answers":
        answer = make.make_answer_run(campaign).answers.get()
        keys["<answer>"] = code_of(make.make_user("alice"), answer.pk)
    if name == "assess:nugget_join":
        bank = make.make_nugget_bank(campaign)
        other = make.make_nugget(bank, "carol", "Ships swim")
        keys |= {"<nugget>": bank.nuggets.all()[0].pk, "<other>": other.pk}
    if name == "assess:battle_program_list":
        keys["<battles>"] = make.make_battles(campaign).number
    if name == "metrics:answer_release_list":
        make.make_nugget_label(make.make_matching(campaign).tasks.all()[0], 1, "support")
    if name == "assess:matching_program_list":
        keys["<matching>"] = make.make_matching(campaign).number
    if name == "assess:preference_setup":
        keys["<graded>"] = make.make_preferences(campaign).release.number
    if name == "metrics:machine_audit_list":
        keys["<machine>"] = make.make_machine(campaign, "1 0 D1 3\n1 0 D3 0\n").pk
    if name in ("assess:run_replace", "assess:run_order"):
        campaign.runs.get(tag="run").pools.clear()  # only a run in no pool can be replaced
    if name == "assess:topics_distribute":
        Assignment.objects.all().delete()
    if name in ("assess:judge_replace", "assess:topics_distribute"):
        judges = User.objects.filter(memberships__campaign=campaign, memberships__role=Role.JUDGE)
        said = {f"share_{judge.pk}": "1" for judge in judges}
    if name == "assess:run_restore":
        withdraw_run(campaign.runs.get(tag="run"), make.make_user("carol"))
    if name == "assess:source_restore":
        machine = campaign.sources.programs().get()
        withdraw_source(machine, make.make_user("carol"), "A mistake.")
    if name == "assess:click_log_restore":
        withdraw_click_log(campaign.click_logs.get(), make.make_user("carol"), "A mistake.")
    if name == "metrics:interleaving_clicks_restore":
        withdraw_clicks(make.make_clicks(campaign), make.make_user("carol"), "A mistake.")
    files = {field: SimpleUploadedFile("new.run", content) for field, content in act.files.items()}
    return {field: keys.get(value, value) for field, value in act.fields.items()} | said | files


@pytest.fixture(autouse=True)
def allowed_host(settings: Settings) -> None:
    settings.WEBHOOK_HOSTS = ["tools.example.org"]


@pytest.mark.parametrize("name", ACTS)
def test_the_audit_log_names_the_person_who_acts(name: str, campaign: Campaign, make: Factory) -> None:
    who = ACTS[name].who
    user = make.make_user(who)
    client = Client()
    client.force_login(user)
    address = place(name, campaign, make)
    if name == "assess:invitation":
        address = f"/invitations/{invite(campaign, Role.READER)}/"
    if name == "pooling:topic_remove":  # a topic without a pooled document
        address = f"/campaigns/tiny/topics/{make.make_topic(campaign, '9').number}/remove/"
    if name in ("assess:documents_give", "assess:pool_discard"):  # a later pool
        number = make.make_pool(campaign).number
        address = address.replace("/pool/1/", f"/pool/{number}/")
    answers = filled_in(name, campaign, make)
    last = AuditLogEntry.objects.latest("pk").pk
    assert client.post(address, answers).status_code in (200, 201, 302)
    authors = list(AuditLogEntry.objects.filter(pk__gt=last).values_list("who", flat=True))
    assert authors and set(authors) == {who}
