"""What makes rows makes them once, although its request comes twice: pressed twice, or sent again.

Every form, every other URL that takes a POST, and every write of the API is either pressed twice at once
here, or a test shows that one press makes no row. The admin is Django's own.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django import forms
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.urls import resolve
from django_tasks_db.models import DBTaskResult
from pytest_django import Settings

from accounts import forms as accounts_forms
from accounts.models import RequestKey
from assess.active_learning.forms import BatchForm, CollectionForm, FoundForm, ReviewsForm, SimulationForm
from assess.answers.forms import AnswerRulesForm, AnswerRunForm
from assess.battle_programs.forms import BattleProgramForm
from assess.battles.forms import BattleSetForm, BattleVoteForm
from assess.clicks.forms import ClickJudgeForm, ClickLogForm
from assess.forms.adjudication import AskAgainForm, SettleForm
from assess.forms.assignments import AssignmentForm, InvitationForm, TopUpForm
from assess.forms.imports import JudgmentsForm, MachineForm
from assess.forms.invitations import InvitationsForm
from assess.forms.judge_shares import ReplaceJudgeForm
from assess.forms.judging import JudgmentForm
from assess.forms.plans import ProbesForm
from assess.forms.releases import ReleaseForm
from assess.forms.runs import ReplacementForm
from assess.forms.settings import CloneForm
from assess.forms.sources import SourceFileForm
from assess.gradings.forms import GradesForm, GradingForm
from assess.judge_runs.forms import JudgeRunForm
from assess.machines.forms import LabellingForm, PromptForm
from assess.magnitudes.forms import MagnitudeForm, MagnitudeSetForm
from assess.matching_programs.forms import MatchingProgramForm
from assess.matchings.forms import MatchingForm, NuggetLabelForm
from assess.notes.forms import NoteForm
from assess.nuggets.forms import BankForm, ImportanceForm, NuggetForm, OwnMarkForm, OwnNuggetForm
from assess.panels.forms import PanelForm, VoteForm
from assess.preferences.forms import PreferenceForm, PreferenceSetForm
from assess.pyramids.drafts.forms import PyramidDraftForm
from assess.pyramids.example import example_peers
from assess.pyramids.files import write_pan
from assess.snippets.forms import RunSnippetsForm, SnippetGradeForm, SnippetSetForm
from assess.support.forms import SupportForm, SupportLabelForm
from config import settings as installed
from config.archives.tables import stored_models
from metrics.ab_tests.forms import ABTestForm, UsersForm
from metrics.answer_releases.forms import AnswerReleaseForm
from metrics.interleaving.forms import ClicksForm, InterleavingForm
from metrics.machine_audits.forms import AuditForm, JudgesForm
from metrics.models import Score
from metrics.pyramids.forms import PeersForm, PyramidForm
from metrics.system_quality.forms import SystemFiguresForm
from pooling.forms.campaigns import CampaignForm
from pooling.forms.documents import DocumentsForm
from pooling.forms.people import JoinForm, MemberForm
from pooling.forms.pools import PoolForm
from pooling.forms.runs import OrderForm, SubmissionForm
from pooling.forms.topics import TopicForm, TopicsSourceForm
from pooling.models import AuditLogEntry, Campaign, Document, Role
from pooling.services.jobs import start_job
from pooling.services.people import add_member
from pooling.tasks import import_documents
from tests.assess.answers.files import answer_file
from tests.assess.pyramids.files import PYR
from tests.config.test_api_writes import WRITES, address, client_of, make_writable
from tests.config.test_form_services import PLACES, AddressKeys, true_answers
from tests.config.test_forms import FORMS
from tests.config.test_forms import make_campaign as campaign_with_everything
from tests.config.test_roles import POST, undone
from tests.support.factory import Factory

QRELS, RUN = b"1 0 D1 2\n", b"1 Q0 D7 1 2.0 new\n"
FILES: dict[type[forms.BaseForm], tuple[str, bytes]] = {
    SubmissionForm: ("run_files", RUN),
    CollectionForm: ("file", b'{"docno": "D7", "text": "New."}\n'),
    DocumentsForm: ("file", b'{"docno": "D7", "text": "New."}\n'),
    JudgmentsForm: ("file", QRELS),
    MachineForm: ("file", QRELS),
    ClickLogForm: ("file", b"topic,session,shown,clicks\n1,1,D1 D2,1\n1,2,D1 D2,1 2\n"),
    AnswerRunForm: ("file", answer_file({"1": [("A.", ["D1"])]})),
    JudgeRunForm: ("file", b"1 Q0 D1 2 0.5 llm\n"),
    ReplacementForm: ("file", RUN),
    SourceFileForm: ("file", QRELS),
    PyramidForm: ("file", PYR),
    PeersForm: ("file", write_pan(example_peers()["7"])),
    ClicksForm: ("file", b"list_id,clicks\n{list},1\n"),
    UsersForm: ("file", b"variant,user,clicks\nA,u1,1\nB,u2,2\n"),
    RunSnippetsForm: ("file", b"* D1 A snippet.\n"),
    SystemFiguresForm: ("file", b"run,latency_ms\nrun,12\n"),
}
ANSWERS: dict[type[forms.BaseForm], dict[str, Any]] = {  # where those of `test_forms` make nothing
    MemberForm: {"username": "mallory"},
    AuditForm: {"size": "3"},
    JudgesForm: {"per_document": "2"},
    ProbesForm: {"lines": "1 D9 2 Says it."},
}
CREATING_FORMS = (
    accounts_forms.TokenForm, CampaignForm, TopicsSourceForm, TopicForm,
    SubmissionForm, PoolForm, DocumentsForm, MemberForm, InvitationsForm, CloneForm,
    SourceFileForm,
    JoinForm, AssignmentForm, InvitationForm, TopUpForm, SettleForm, JudgmentsForm, MachineForm,
    PromptForm, LabellingForm, ClickLogForm, ClickJudgeForm, JudgmentForm, AuditForm, JudgesForm, PanelForm,
    VoteForm, AskAgainForm, NoteForm, ProbesForm, ReleaseForm, JudgeRunForm, ReplacementForm,
    AnswerRunForm, AnswerRulesForm,
    InterleavingForm, ReplaceJudgeForm,
    ClicksForm, OrderForm, BattleSetForm, BattleVoteForm, BattleProgramForm,
    PreferenceSetForm, PreferenceForm, MagnitudeSetForm, MagnitudeForm, GradingForm, GradesForm,
    ClicksForm, ABTestForm, UsersForm, OrderForm, BattleSetForm, BattleVoteForm, BattleProgramForm,
    PreferenceSetForm, PreferenceForm, GradingForm, GradesForm,
    PyramidForm, PeersForm, CollectionForm, ReviewsForm, BatchForm, SimulationForm, FoundForm,
    PyramidForm, PeersForm, SystemFiguresForm,
    SnippetSetForm, SnippetGradeForm, RunSnippetsForm,
    BankForm, NuggetForm, ImportanceForm, OwnNuggetForm,
    PyramidForm, PeersForm, PyramidDraftForm,
    BankForm, NuggetForm, ImportanceForm, OwnNuggetForm, OwnMarkForm,
    MatchingForm, NuggetLabelForm, SupportForm, SupportLabelForm, MatchingProgramForm, AnswerReleaseForm,
)  # fmt: skip
CREATING_WRITES = (
    "api:campaign_create", "api:topic_load", "api:run_replace", "api:run_order", "api:topic_change",
    "api:document_load", "api:run_submit", "api:judge_run_submit", "api:answer_run_submit",
    "api:nugget_bank_load", "api:nugget_bank_begin", "api:nugget_add", "api:nugget_weigh",
    "api:answer_release_make", "api:battle_release_make",
    "api:pool_freeze", "api:member_add", "api:invitation_create", "api:assignment_create",
    "api:documents_give", "api:judge_load",
    "api:machine_load", "api:source_restore", "api:release_freeze", "api:label_record",
    "api:dispute_settle", "api:dispute_reserve", "api:dispute_reopen", "api:label_return",
    "api:campaign_clone", "api:plan_change", "api:gold_load", "api:labelling_create", "api:labelling_labels",
    "api:prompt_create",
    "api:machine_audit_draw", "api:machine_audit_give", "api:click_log_load", "api:click_labels",
    "api:review_collection_load", "api:reviews_begin", "api:review_batch", "api:review_simulate",
    "api:near_duplicates_find", "api:near_duplicate_split",
    "api:battle_make", "api:grading_make", "api:preference_make", "api:magnitude_make",
    "api:snippet_make", "api:matching_make", "api:support_make",
    "api:interleaving_create", "api:interleaving_click_load", "api:interleaving_clicks_replace",
    "api:ab_test_create", "api:ab_test_load", "api:system_figures_load",
    "api:panel_create", "api:member_change", "api:assignment_move", "api:rule_settle",
)  # fmt: skip
WITHOUT_A_FORM = {  # what else takes a POST -> why a second one makes nothing more, or who presses it
    "accounts:sign_out": "makes nothing",
    "accounts:password_new": "changes the account",
    "accounts:mail_off": "changes the account",
    "accounts:provider_link": "begins a sign-in in this session",
    "accounts:provider_unlink": "removes",
    "accounts:session_end": "removes",
    "accounts:session_end_others": "removes",
    "accounts:token_revoke": "removes",
    "pooling:first_organiser": "test_of_two_requests_at_once_one_creates_an_account",
    "pooling:run_list": "SubmissionForm without JavaScript",
    "pooling:document_list": "DocumentsForm without JavaScript",
    "pooling:topic_remove": "removes",
    "pooling:job_cancel": "changes the job",
    "assess:member_remove": "removes",
    "assess:invitation_renew": "changes the invitation",
    "assess:invitation_revoke": "removes",
    "assess:campaign_delete": "removes",
    "assess:campaign_state": "changes the campaign",
    "assess:near_duplicates_discard": "removes",
    "assess:near_duplicate_split": "one split for each document",
    "assess:near_copy_split": "one split for each document",
    "assess:webhook_test": "makes nothing",
    "assess:webhook_remove": "removes",
    "assess:judge_reminders": "test_news_is_mailed_once",
    "assess:release_mail": "test_news_is_mailed_once",
    "assess:run_hide": "changes the run",
    "assess:run_restore": "changes the run",
    "assess:source_restore": "changes the source",
    "assess:click_log_withdraw": "changes the click log",
    "assess:click_log_restore": "changes the click log",
    "assess:click_log_replace": "ClickLogForm with the same key",
    "metrics:system_quality_remove": "removes",
    "metrics:interleaving_clicks": "changes the file of clicks",
    "metrics:interleaving_clicks_withdraw": "changes the file of clicks",
    "metrics:interleaving_clicks_restore": "changes the file of clicks",
    "metrics:interleaving_clicks_replace": "ClicksForm: a file is counted once",
    "metrics:ab_test_withdraw": "changes the file of users",
    "assess:judge_run_withdraw": "changes the judge run",
    "assess:answer_run_withdraw": "changes the answer run",
    "assess:topic_take_back": "removes",
    "assess:refusals": "one returned label for each label",
    "assess:probes_withdraw": "removes",
    "assess:pool_discard": "removes",
    "assess:documents_give": "api:documents_give",
    "assess:judge": "one place in the queue for each judge and document",
    "assess:outbox": "JudgmentForm with the same uuid",
    "assess:own_terms": "a term that is on the list is not added again",
    "assess:decisions": "SettleForm with the same uuid",
    "assess:votes": "VoteForm with the same uuid",
    "assess:battle_outbox": "BattleVoteForm with the same uuid",
    "assess:preference_outbox": "PreferenceForm with the same uuid",
    "assess:preference_discard": "removes",
    "assess:snippet_outbox": "SnippetGradeForm with the same uuid",
    "assess:snippet_discard": "removes",
    "assess:snippet_remove": "removes",
    "assess:magnitude_outbox": "MagnitudeForm with the same uuid",
    "assess:magnitude_discard": "removes",
    "assess:review_discard": "removes",
    "assess:collection_of_stored": "test_the_stored_documents_make_the_collection_that_their_file_makes",
    "assess:collection_remove": "removes",
    "assess:grading_outbox": "GradesForm with the same uuid",
    "assess:grading_discard": "removes",
    "assess:pyramid_draft_store": "test_a_draft_that_is_stored_is_gone",
    "assess:pyramid_draft_discard": "removes",
    "assess:pyramid_withdraw": "changes the pyramid",
    "assess:pyramid_peer_withdraw": "changes the annotated peer",
    "assess:nugget_bank": "test_a_file_is_loaded_once_and_programs_make_suggestions",
    "assess:nugget_bank_freeze": "changes the draft",
    "assess:nugget_bank_discard": "removes",
    "assess:nugget_load_withdraw": "changes the file of nuggets",
    "assess:nugget": "changes the nugget",
    "assess:nugget_delete": "removes",
    "assess:own_nugget_delete": "removes",
    "assess:own_nugget_mark_delete": "removes",
    "assess:support_outbox": "SupportLabelForm with the same uuid",
    "assess:support_discard": "removes",
    "assess:matching_outbox": "NuggetLabelForm with the same uuid",
    "assess:matching_discard": "removes",
    "assess:matching_differences": "a decision that stands is not stored again",
    "assess:battle_program": "test_the_same_file_again_changes_nothing_until_it_is_withdrawn",
    "assess:battle_program_withdraw": "changes the file of results",
    "assess:battle_discard": "removes",
    "assess:preference_handover": "HandoverForm, as of battles",
    "assess:snippet_handover": "HandoverForm, as of battles",
    "assess:magnitude_handover": "HandoverForm, as of battles",
    "assess:grading_handover": "HandoverForm, as of battles",
    "assess:matching_handover": "HandoverForm, as of battles",
    "assess:support_handover": "HandoverForm, as of battles",
    "assess:matching_program": "test_the_same_file_again_changes_nothing_until_it_is_withdrawn",
    "assess:matching_program_withdraw": "changes the file of results",
    "metrics:battle_release": "test_a_release_that_is_asked_for_twice_is_one",
    "assess:claim": "test_the_same_press_in_two_threads_and_two_claims_at_once",
    "assess:adjudication_reasons": "changes the plan",
    "assess:labelling": "test_a_job_that_waits_is_not_started_again",
    "assess:labelling_endpoint": "one job for each labelling",
    "assess:labelling_labels": "one job for each labelling",
    "assess:requests_again": "changes the requests",
}
# A second request that changes nothing may be logged. Scores are computed after the transaction.
NOT_COUNTED = (AuditLogEntry, RequestKey, Score)


@pytest.fixture
def waiting_tasks(settings: Settings) -> None:
    """Jobs and mails wait in the queue until a worker takes them."""
    settings.TASKS = installed.TASKS


def rows() -> dict[str, int]:
    """Return how many rows each table has, by the name of its model."""
    counted = (model for model in stored_models() if model not in NOT_COUNTED)
    return {model.__name__: model._base_manager.count() for model in counted}


def made_by(press: Callable[[], Any]) -> dict[str, int]:
    """Return how many rows tables have got by a press."""
    before = rows()
    press()
    return {name: count - before[name] for name, count in rows().items() if count > before[name]}


def twice_at_once(press: Callable[[], Any]) -> list[Any]:
    """Press in two threads, as if two servers answered."""
    start = threading.Barrier(2)

    def run(_: int) -> Any:
        start.wait()
        try:
            return press()
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        return list(threads.map(run, range(2)))


def form_press(form: type[forms.BaseForm], campaign: Campaign, make: Factory) -> Callable[[], Any]:
    """Return what sends a form, filled in; it always comes from the same page."""
    place = PLACES[form]
    newcomer = make.make_user("zoe")
    add_member(campaign, newcomer, Role.JUDGE)
    with campaign.interleavings.get().file.open() as file:
        merged = json.loads(file.readline())["list_id"]
    values = FORMS[form][1] | true_answers(form, campaign, make) | ANSWERS.get(form, {})
    keys = AddressKeys(campaign, make)
    values |= {"confirmed": "yes", "request_key": "of this page"}
    if "Preference" in form.__name__:  # which need labels and a release that other forms do not expect
        preferences = make.make_preferences(campaign)
        values |= {"release": preferences.release.number}
    if form is AnswerReleaseForm:
        make.make_nugget_label(make.make_matching(campaign).tasks.all()[0], 1, "support")
    if form is JudgesForm:
        make.make_audit(campaign)
    if form is MatchingProgramForm:
        make.make_matching(campaign)
    if form in (PoolForm, TopUpForm):
        make.make_panel(campaign)  # its runs have documents that are in no pool
    if form is OwnNuggetForm:
        Document.objects.filter(campaign=campaign, docno="D1").delete()
        make.make_document(campaign, "D1", "Wood floats.")
    if form is AssignmentForm:
        values |= {"judges": [newcomer.pk], "part": "second"}
    make.let_create_campaigns("carol")
    browser, url = Client(), place.url.format_map(keys)
    if place.who:
        browser.force_login(make.make_user(place.who))

    def press() -> Any:
        client = Client()  # one of its own for each thread
        client.cookies = browser.cookies
        name, content = FILES.get(form, ("", b""))
        content = content.replace(b"{list}", merged.encode())
        file = {name: SimpleUploadedFile("new.txt", content)} if name else {}
        return client.post(url, values | file)

    return press


def api_press(key: tuple[str, str], campaign: Campaign, make: Factory) -> Callable[[], Any]:
    """Return what sends a write of the API; it always has the same header."""
    method, write = key[0], WRITES[key]
    url = address(key, campaign, make)
    body = write.body(campaign, make) if callable(write.body) else write.body
    content = write.file(campaign, make) if callable(write.file) else write.file
    client = client_of(make, write.who)

    def press() -> Any:
        headers = {"Idempotency-Key": "of this call"}
        if content is None:
            return getattr(client, method)(url, body, content_type="application/json", headers=headers)
        file = SimpleUploadedFile("new.txt", content)
        return client.post(url, (body or {}) | {"file": file}, headers=headers)

    return press


def test_every_url_that_takes_a_post_is_looked_at() -> None:
    keys = (
        "member",
        "dispute",
        "entry",
        "panel",
        "log",
        "source",
        "battle",
        "battler",
        "pair",
        "graded",
        "matched",
        "checked",
        "numbered",
        "draft",
        "snippet",
    )
    dummies: dict[str, object] = {"token": "x"} | dict.fromkeys(keys, 1)
    dummies |= {"bank": 1, "nugget": 1}
    urls = [place.url.format(**dummies) for place in PLACES.values() if not place.looks]
    ours = {name for name in POST if not name.startswith(("admin:", "api:"))}
    assert ours - {resolve(url).view_name for url in urls} == WITHOUT_A_FORM.keys()


def test_no_other_form_makes_rows(make: Factory, waiting_tasks: None) -> None:
    campaign = campaign_with_everything(make)
    creating = set()
    for form, place in PLACES.items():
        with undone():
            press = form_press(form, campaign, make)
            if not place.looks and made_by(press):
                creating.add(form)
    assert creating == set(CREATING_FORMS)


def test_no_other_write_of_the_api_makes_rows(make: Factory, waiting_tasks: None) -> None:
    campaign = make_writable(make)
    creating = set()
    for key in WRITES:
        with undone():
            if made_by(api_press(key, campaign, make)):
                creating.add(key[1])
    assert creating == set(CREATING_WRITES)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("form", CREATING_FORMS, ids=lambda form: form.__name__)
def test_a_form_that_is_sent_twice_at_once_makes_one_thing(
    form: type[forms.BaseForm], make: Factory, waiting_tasks: None
) -> None:
    press = form_press(form, campaign_with_everything(make), make)
    with undone():
        one = made_by(press)
    assert one and made_by(lambda: twice_at_once(press)) == one


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", CREATING_WRITES)
def test_a_write_of_the_api_that_is_sent_twice_at_once_makes_one_thing(
    name: str, make: Factory, waiting_tasks: None
) -> None:
    (key,) = (key for key in WRITES if key[1] == name)
    press = api_press(key, make_writable(make), make)
    with undone():
        one = made_by(press)
    assert one and made_by(lambda: twice_at_once(press)) == one


@pytest.mark.django_db(transaction=True)
def test_news_is_mailed_once(make: Factory, waiting_tasks: None, settings: Settings) -> None:
    settings.SENDS_MAIL = True
    campaign = campaign_with_everything(make)
    make.publish(campaign)
    dave = make.make_user("dave")
    dave.email = "dave@example.org"
    dave.save()
    browser = Client()
    browser.force_login(make.make_user("carol"))

    def press() -> Any:
        client = Client()
        client.cookies = browser.cookies
        return client.post("/campaigns/tiny/qrels/1/mail/", {"request_key": "of this page"})

    twice_at_once(press)
    assert DBTaskResult.objects.filter(task_path__endswith="send_mail").count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_job_that_waits_is_not_started_again(make: Factory, waiting_tasks: None) -> None:
    campaign, carol = campaign_with_everything(make), make.make_user("carol")
    about = {"name": "new.jsonl", "form": "", "elements": "", "pooled_only": True, "replace": False}
    before = campaign.jobs.count()

    def start(content: bytes) -> Any:
        upload = SimpleUploadedFile("new.jsonl", content)
        return start_job(campaign, carol, import_documents, "Load documents", about, upload)

    first, second = twice_at_once(lambda: start(b"one"))
    assert first == second and campaign.jobs.count() == before + 1
    assert len(list(Path(default_storage.path("uploads")).iterdir())) == 1
    assert start(b"two") != first


@pytest.mark.parametrize(
    ("changes", "count"), [({}, 1), ({"recipient": "Rosa"}, 2), ({"request_key": "of another page"}, 2)]
)
def test_a_form_that_was_changed_after_back_makes_something_else(
    changes: dict[str, str], count: int, make: Factory
) -> None:
    campaign = make.make_pooled_campaign()
    carol = Client()
    carol.force_login(make.make_user("carol"))
    values = {"role": "reader", "recipient": "Ada", "request_key": "of this page"}
    for sent in (values, values | changes):
        link = re.search(
            r"/invitations/[\w-]{20,}/", carol.post("/campaigns/tiny/people/", sent).content.decode()
        )
        assert link and Client().get(link[0]).status_code == 200
    assert campaign.invitations.count() == count
