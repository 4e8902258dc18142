"""Every form of the site accepts any input: it is stored, or refused with a message; nothing is raised.

Lone surrogates are not tried here: `config.charset` accepts only UTF-8, and the judgment form replaces those
that come as JSON.
"""

from __future__ import annotations

import importlib
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django import forms
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.http import QueryDict
from django.test import RequestFactory
from django.utils.datastructures import MultiValueDict
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts import forms as accounts_forms
from accounts.models import User
from assess.active_learning.forms import (
    BatchForm,
    CollectionForm,
    FoundForm,
    ReviewsForm,
    SampleForm,
    SearchForm,
    SimulationForm,
    StopForm,
)
from assess.active_learning.search_index import FoundDocument
from assess.answers.forms import AnswerRulesForm, AnswerRunForm
from assess.battle_programs.forms import BattleProgramForm
from assess.battle_programs.prompt import DEFAULT as PROGRAM_PROMPT
from assess.battles.forms import BattleSetForm, BattleVoteForm
from assess.battles.queries.sets import BATTLES
from assess.clicks.forms import ClickJudgeForm, ClickLogForm
from assess.forms.adjudication import (
    AskAgainForm,
    DisputesForm,
    ReopenForm,
    RevokeForm,
    SettleForm,
    SettlingForm,
)
from assess.forms.assignments import (
    AssignmentForm,
    BudgetForm,
    InvitationForm,
    TopicJudgeForm,
    TopicsForm,
    TopUpForm,
)
from assess.forms.imports import JudgmentsForm, MachineForm
from assess.forms.invitations import InvitationsForm
from assess.forms.judge_shares import DistributionForm, JudgeSharesForm, ReplaceJudgeForm
from assess.forms.judged_sets import AnswerSetForm, HandoverForm, JudgedSetForm, TakeBackForm
from assess.forms.judging import JudgmentForm, MyLabelsForm, OwnTermForm
from assess.forms.plans import PlanForm, ProbesForm
from assess.forms.releases import (
    DifferenceForm,
    PublicDetailsForm,
    ReasonForm,
    ReleaseForm,
    ReleaseWithdrawalForm,
)
from assess.forms.runs import ReplacementForm, RunForm, WithdrawalForm
from assess.forms.settings import CloneForm, RatesForm, ScheduleForm, SettingsForm
from assess.forms.sources import DescriptionForm, SourceFileForm, SourceForm, SourceWithdrawalForm
from assess.gradings.forms import GradesForm, GradingForm
from assess.judge_runs.forms import JudgeRunForm
from assess.machines.forms import AskingForm, LabellingForm, PreviewForm, PromptForm
from assess.machines.prompt import SHORT
from assess.magnitudes.forms import MagnitudeForm, MagnitudeSetForm
from assess.matching_programs.forms import MatchingProgramForm
from assess.matching_programs.prompt import DEFAULT as MATCHING_PROMPT
from assess.matchings.forms import DecisionsForm, MatchingForm, NuggetLabelForm
from assess.matchings.queries.differences import NuggetCase
from assess.models import Answer, BankNugget, Criterion, Matching, MatchingTask, Source
from assess.near_duplicates.forms import DraftForm, NearDuplicatesForm, SplitForm
from assess.notes.forms import NoteForm
from assess.nuggets.banks import TWO_GRADES
from assess.nuggets.forms import (
    BankForm,
    ImportanceForm,
    JoinNuggetsForm,
    NuggetForm,
    OwnMarkForm,
    OwnNuggetForm,
)
from assess.panels.forms import PanelForm, VoteForm
from assess.preferences.forms import PreferenceForm, PreferenceSetForm
from assess.pyramids.drafts.forms import PyramidDraftForm, UnitForm, UnitWordsForm
from assess.pyramids.drafts.units import DraftUnit
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judge_replacement import leaving_judge
from assess.queries.people import Colleague, colleagues_of
from assess.queries.queues import judging_plan_of
from assess.queries.topic_distribution import free_topics
from assess.snippets.forms import RunSnippetsForm, SnippetGradeForm, SnippetSetForm
from assess.support.forms import SupportForm, SupportLabelForm
from assess.webhooks.forms import WebhookForm
from metrics import forms as metrics_forms
from metrics.ab_tests.forms import ABTestForm, SizeForm, UsersForm
from metrics.answer_releases.forms import AnswerReleaseForm
from metrics.interleaving.forms import ClicksForm, InterleavingForm
from metrics.machine_audits.forms import AuditForm, JudgesForm
from metrics.pyramids.forms import PeersForm, PyramidForm
from metrics.system_quality.forms import SystemFiguresForm
from pooling.checksum import sha256_of
from pooling.forms.campaigns import AuditLogForm, CampaignForm
from pooling.forms.documents import DocumentsForm
from pooling.forms.files import FileForm
from pooling.forms.people import JoinForm, MemberForm, RolesForm
from pooling.forms.pools import PoolForm
from pooling.forms.runs import OrderForm, SubmissionForm
from pooling.forms.topics import TopicForm, TopicsSourceForm
from pooling.models import Campaign
from pooling.queries.reads import PoolingReads
from pooling.scale import BINARY, FOUR_STEPS, write_scale
from tests.support.factory import Factory
from tests.test_architecture import MODULES

Files = MultiValueDict[str, Any]
Maker = Callable[[QueryDict, Files, Campaign], forms.BaseForm]
SCALE = write_scale(FOUR_STEPS)
SHA256 = "ab" * 32


YES_OR_NO = Criterion(place=1, name="Helpful", levels=["no", "yes"])


def plain(form: Callable[..., forms.BaseForm]) -> Maker:
    return lambda data, files, campaign: form(data)


def of_campaign(form: Callable[..., forms.BaseForm]) -> Maker:
    return lambda data, files, campaign: form(data, campaign=campaign)


def of_reads(form: Callable[..., forms.BaseForm]) -> Maker:
    return lambda data, files, campaign: form(data, reads=CampaignReads(campaign))


def with_files(form: Callable[..., forms.BaseForm]) -> Maker:
    return lambda data, files, campaign: form(data, files)


def of_release(form: Callable[..., forms.BaseForm]) -> Maker:
    return lambda data, files, campaign: form(data, campaign.releases.get(number=1))


def of_carol(form: Callable[..., forms.BaseForm], keyword: bool = False) -> Maker:
    def make(data: QueryDict, files: Files, campaign: Campaign) -> forms.BaseForm:
        carol = campaign.runs.all()[0].submitted_by
        return form(data, user=carol) if keyword else form(carol, data)

    return make


def colleagues_of_bob(campaign: Campaign) -> list[Colleague]:
    return leaving_judge(CampaignReads(campaign), User.objects.get(username="bob")).colleagues


def decisions_form(data: QueryDict, files: Files, campaign: Campaign) -> DecisionsForm:
    answer, nugget = Answer(pk=1, topic=campaign.topics.all()[0]), BankNugget(pk=2, text="It floats")
    case = NuggetCase(answer, nugget, [], None)
    return DecisionsForm(data, cases=[case], contradicts=True)


def of_alices_battles(data: QueryDict, files: Files, campaign: Campaign) -> HandoverForm:
    alice = User.objects.get(username="alice")
    return HandoverForm(data, judges=BATTLES.successors(campaign.battle_sets.get(number=1), alice))


def nugget_label_form(data: QueryDict, files: Files, campaign: Campaign) -> NuggetLabelForm:
    own = MatchingTask.objects.filter(matching__campaign=campaign, judge__username="alice")
    none = MatchingTask(matching=Matching(bank_id=0), answer=Answer(topic_id=0, sentences=[]))
    return NuggetLabelForm(data, task=own.first() or none)


FORMS: Mapping[type[forms.BaseForm], tuple[Maker, dict[str, Any]]] = {  # form -> how it is made, good answers
    accounts_forms.TokenForm: (plain(accounts_forms.TokenForm), {"name": "a script", "scope": "read"}),
    accounts_forms.SignInForm: (
        lambda data, files, campaign: accounts_forms.SignInForm(RequestFactory().post("/sign-in/"), data),
        {"username": "a", "password": "b"},
    ),
    accounts_forms.AccountForm: (of_carol(accounts_forms.AccountForm, keyword=True), {"name": "Carol"}),
    accounts_forms.MailForm: (plain(accounts_forms.MailForm), {"wants_digest": "on"}),
    accounts_forms.NewPasswordForm: (
        of_carol(accounts_forms.NewPasswordForm),
        {"new_password1": "battery staple 9", "new_password2": "battery staple 9"},
    ),
    accounts_forms.ChangePasswordForm: (of_carol(accounts_forms.ChangePasswordForm), {"old_password": "x"}),
    accounts_forms.PasswordForgottenForm: (
        plain(accounts_forms.PasswordForgottenForm), {"email": "a@example.org"},
    ),
    CampaignForm: (
        plain(CampaignForm), {"name": "Boats", "scale": SCALE, "threshold": "2"},
    ),
    FileForm: (with_files(FileForm), {}),
    TopicsSourceForm: (with_files(TopicsSourceForm), {"text": "sailing boats", "name": "a.txt"}),
    TopicForm: (
        lambda data, files, campaign: TopicForm(data, topic=campaign.topics.all()[0], is_pooled=True),
        {"title": "Boats", "description": "Why?", "narrative": "All.", "reason": "It was unclear."},
    ),
    SubmissionForm: (
        with_files(SubmissionForm), {"group": "g", "priority": "1", "tag_from": "column"},
    ),
    PoolForm: (
        lambda data, files, campaign: PoolForm(data, PoolingReads(campaign)),
        {"strategy": "depth", "k": "10", "seed": "1", "seconds": "30", "topics": "1-2", "without": "other"},
    ),
    DocumentsForm: (
        with_files(DocumentsForm), {"keep": "all", "elements": "document=A docno=B text=C"},
    ),
    MemberForm: (plain(MemberForm), {"username": "bob", "role": "judge"}),
    InvitationsForm: (
        lambda data, files, campaign: InvitationsForm(data, reads=CampaignReads(campaign)),
        {"lines": "Ann, ann@example.org", "role": "judge",
         "checked": sha256_of("judge\nAnn, ann@example.org")},
    ),
    JudgeSharesForm: (
        lambda data, files, campaign: JudgeSharesForm(data, colleagues=colleagues_of(campaign)), {},
    ),
    DistributionForm: (
        lambda data, files, campaign: DistributionForm(
            data,
            colleagues=colleagues_of(campaign),
            reads=CampaignReads(campaign),
            free=[topic.number for topic in free_topics(CampaignReads(campaign))],
        ),
        {"topics": "all", "counts": "shares"},
    ),
    ReplaceJudgeForm: (
        lambda data, files, campaign: ReplaceJudgeForm(data, colleagues=colleagues_of_bob(campaign)),
        {"leaves": "on"},
    ),
    RolesForm: (plain(RolesForm), {"roles": "judge", "group": "g"}),
    CloneForm: (plain(CloneForm), {"name": "Next", "slug": "next", "parts": "topics"}),
    JoinForm: (
        plain(JoinForm),
        {"username": "eve", "name": "Eve", "email": "e@example.org", "password": "battery staple 9"},
    ),
    AuditLogForm: (
        of_campaign(AuditLogForm), {"who": "carol", "since": "2026-01-01", "before": "7"},
    ),
    MyLabelsForm: (
        lambda data, files, campaign: MyLabelsForm(
            data, campaign=campaign, judge=campaign.memberships.filter(role="judge")[0].user
        ),
        {"grade": "2", "text": "D1", "remarks": "on"},
    ),
    TopicsForm: (of_reads(TopicsForm), {"topics": "all"}),
    AssignmentForm: (of_reads(AssignmentForm), {"topics": "1, 2", "part": "deal", "seconds": "0"}),
    InvitationForm: (of_reads(InvitationForm), {"topics": "1", "part": "primary"}),
    TopicJudgeForm: (
        lambda data, files, campaign: TopicJudgeForm(data, campaign=campaign, topic=campaign.topics.all()[0]),
        {"judge": "1", "new_judge": "2"},
    ),
    BudgetForm: (plain(BudgetForm), {"hours_a_day": "4", "budget": "10"}),
    TopUpForm: (plain(TopUpForm), {"k": "10"}),
    DisputesForm: (
        of_campaign(DisputesForm),
        {"show": "differ", "order": "distance", "topic": "1", "grades": "0 3", "first": "alice"},
    ),
    SettleForm: (
        of_campaign(SettleForm),
        {"uuid": f"{uuid.UUID(int=1)}", "docno": "D1", "text_hash": SHA256, "last_label": "1",
         "relevance": "2"},
    ),
    AskAgainForm: (plain(AskAgainForm), {"event": "1", "remark": "Read it again."}),
    SettlingForm: (of_campaign(SettlingForm), {"rule": "majority", "topic": "1", "checked": "x"}),
    ReopenForm: (plain(ReopenForm), {"adjudication": "1", "why": "Because."}),
    RevokeForm: (plain(RevokeForm), {"uuid": f"{uuid.UUID(int=4)}", "revokes": f"{uuid.UUID(int=5)}"}),
    JudgmentsForm: (with_files(JudgmentsForm), {"judge": "NIST", "grades": "-1=0 5=3"}),
    MachineForm: (
        with_files(MachineForm),
        {"name": "LLM", "model": "m-1", "prompt_sha256": SHA256, "made_on": "2026-05-04", "grades": "5=3"},
    ),
    SourceForm: (
        lambda data, files, campaign: SourceForm(data, source=Source(kind="file", user=User(name="robot"))),
        {"name": "LLM", "model": "m-2", "independent": "yes", "note": "Greedy."},
    ),
    SourceFileForm: (with_files(SourceFileForm), {"grades": "-1=0 5=3"}),
    DescriptionForm: (plain(DescriptionForm), {"name": "March", "note": "A note."}),
    SourceWithdrawalForm: (plain(SourceWithdrawalForm), {"reason": "A mistake.", "confirmed": "yes"}),
    PromptForm: (
        of_campaign(PromptForm), {"template": SHORT, "system": "Be fair.", "topic_fields": "title"},
    ),
    PreviewForm: (plain(PreviewForm), {"topic": "1", "docno": "D1"}),
    LabellingForm: (
        of_campaign(LabellingForm),
        {"name": "LLM", "prompt": "1", "model": "m-1", "topics": "all", "max_tokens": "50", "samples": "1",
         "tokens_name": "max_tokens", "characters": "900", "probes": "1", "input_price": "2.5",
         "confirmed": "yes"},
    ),
    ClickLogForm: (with_files(ClickLogForm), {"least_people": "2"}),
    ClickJudgeForm: (
        lambda data, files, campaign: ClickJudgeForm(data, grades=len(campaign.grades)),
        {"name": "Clicks", "model": "sdbn", "cut": "thresholds", "thresholds": "0.1 0.2 0.3",
         "least_impressions": "1"},
    ),
    AskingForm: (
        lambda data, files, campaign: AskingForm(data, labelling=campaign.labellings.get()),
        {"endpoint": "local", "requests": "10", "parallel": "2", "ceiling": "5"},
    ),
    JudgmentForm: (
        of_campaign(JudgmentForm),
        {"uuid": f"{uuid.UUID(int=2)}", "docno": "D1", "text_hash": SHA256, "relevance": "2", "source": "key",
         "active_seconds": "2.5", "evidence": '{"quote": "a", "paragraph": 0, "start": 1}'},
    ),
    JudgesForm: (of_campaign(JudgesForm), {"per_document": "1"}),
    AuditForm: (
        of_campaign(AuditForm),
        {"size": "2", "depth": "10", "seed": "5", "per_document": "1"},
    ),
    BattleSetForm: (
        of_campaign(BattleSetForm),
        {"topics": "all", "better": "What helps.", "per_topic": "1"}
        | {"double": "0", "repeated": "0", "seed": "5"},
    ),
    JudgedSetForm: (of_campaign(JudgedSetForm), {"topics": "all", "double": "0", "seed": "5"}),
    AnswerSetForm: (of_campaign(AnswerSetForm), {"topics": "all", "double": "0", "seed": "5"}),
    HandoverForm: (of_alices_battles, {}),
    BankForm: (of_campaign(BankForm), {"grading": TWO_GRADES}),
    NuggetForm: (
        lambda data, files, campaign: NuggetForm(data, grading=TWO_GRADES),
        {"text": "Wood floats", "importance": "okay", "aggregator": "OR"},
    ),
    OwnNuggetForm: (
        lambda data, files, campaign: OwnNuggetForm(data, grading=TWO_GRADES),
        {"docno": "D1", "quotation": "Wood floats", "text": "Wood floats", "importance": ""},
    ),
    OwnMarkForm: (
        lambda data, files, campaign: OwnMarkForm(data, grading=TWO_GRADES, own=BankNugget.objects.none()),
        {"answer": "0" * 20, "quotation": "Boats float", "text": "Boats float", "importance": ""}
        | {"place": "1", "start": "0"},
    ),
    ImportanceForm: (
        lambda data, files, campaign: ImportanceForm(data, grading=TWO_GRADES), {"importance": "vital"},
    ),
    JoinNuggetsForm: (
        lambda data, files, campaign: JoinNuggetsForm(data, bank=0, topic=0), {},
    ),
    BattleProgramForm: (
        of_campaign(BattleProgramForm),
        {"battles": "1", "name": "strict", "model": "m-1", "prompt": PROGRAM_PROMPT},
    ),
    MatchingProgramForm: (
        of_campaign(MatchingProgramForm),
        {"matching": "1", "name": "strict", "model": "m-1", "prompt": MATCHING_PROMPT},
    ),
    AnswerReleaseForm: (of_campaign(AnswerReleaseForm), {"what": "matching-1"}),
    PreferenceSetForm: (
        of_campaign(PreferenceSetForm),
        {"topics": "all", "better": "What helps.", "k": "3", "double": "0", "seed": "5"},
    ),
    PreferenceForm: (
        plain(PreferenceForm), {"uuid": f"{uuid.UUID(int=6)}", "choice": "tie", "source": "key"},
    ),
    MagnitudeSetForm: (
        of_campaign(MagnitudeSetForm),
        {"topics": "all", "chosen": "all", "most": "5", "double": "0", "seed": "5"},
    ),
    RunSnippetsForm: (
        lambda data, files, campaign: RunSnippetsForm(data, files, campaign=campaign), {"run": "run"},
    ),
    SnippetSetForm: (
        of_campaign(SnippetSetForm),
        {"run": "run", "topics": "all", "origin": "document", "depth": "5", "double": "0", "seed": "5"},
    ),
    SnippetGradeForm: (
        lambda data, files, campaign: SnippetGradeForm(data, grades=BINARY),
        {"uuid": f"{uuid.UUID(int=15)}", "grade": "1", "source": "key"},
    ),
    MagnitudeForm: (
        plain(MagnitudeForm), {"uuid": f"{uuid.UUID(int=14)}", "number": "2/3", "source": "key"},
    ),
    GradingForm: (
        of_campaign(GradingForm),
        {"topics": "all", "criteria": "Helpful: no, yes", "double": "0", "seed": "5"},
    ),
    GradesForm: (
        lambda data, files, campaign: GradesForm(data, criteria=[YES_OR_NO]),
        {"uuid": f"{uuid.UUID(int=8)}", "criterion_1": "1", "source": "key"},
    ),
    SupportForm: (of_campaign(SupportForm), {"topics": "all", "every": "on", "double": "0", "seed": "5"}),
    SupportLabelForm: (
        plain(SupportLabelForm),
        {"uuid": f"{uuid.UUID(int=12)}", "support": "full", "source": "key"},
    ),
    MatchingForm: (of_campaign(MatchingForm), {"bank": "1", "topics": "all", "double": "0", "seed": "5"}),
    DecisionsForm: (decisions_form, {"case_1_2": "support"}),
    NuggetLabelForm: (
        nugget_label_form,
        {"uuid": f"{uuid.UUID(int=10)}", "assignment": "support", "sentence": "1", "source": "key"},
    ),
    BattleVoteForm: (
        plain(BattleVoteForm), {"uuid": f"{uuid.UUID(int=4)}", "choice": "both bad", "source": "key"},
    ),
    TakeBackForm: (
        plain(TakeBackForm), {"uuid": f"{uuid.UUID(int=5)}", "revokes": f"{uuid.UUID(int=4)}"},
    ),
    PanelForm: (of_campaign(PanelForm), {"first": "run", "second": "other", "depth": "10", "topics": "all"}),
    OwnTermForm: (plain(OwnTermForm), {"term": "heart attack", "wanted": "on"}),
    CollectionForm: (with_files(CollectionForm), {}),
    ReviewsForm: (
        of_campaign(ReviewsForm),
        {"collection": "1", "topics": "2", "first_batch": "2", "sample_size": "3", "seed": "7"},
    ),
    SimulationForm: (of_campaign(SimulationForm), {"collection": "1", "sample_size": "3", "seed": "7"}),
    BatchForm: (plain(BatchForm), {"number": "2"}),
    SearchForm: (plain(SearchForm), {"words": "oven"}),
    FoundForm: (
        lambda data, files, campaign: FoundForm(data, found=[FoundDocument(4, "C03", "", ())]),
        {"words": "oven", "rows": "4"},
    ),
    SampleForm: (plain(SampleForm), {"documents": "5", "drawn": "3"}),
    StopForm: (lambda data, files, campaign: StopForm(data, advisers=[]), {"rule": "", "confirmed": "yes"}),
    NearDuplicatesForm: (plain(NearDuplicatesForm), {"threshold": "0.8", "share": "5", "seed": "1"}),
    DraftForm: (plain(DraftForm), {"sha256": SHA256}),
    SplitForm: (plain(SplitForm), {"docno": "D3"}),
    NoteForm: (plain(NoteForm), {"text": "New.", "based_on": ""}),
    WebhookForm: (plain(WebhookForm), {"url": "https://tools.example.org/"}),
    VoteForm: (plain(VoteForm), {"uuid": f"{uuid.UUID(int=3)}", "choice": "left", "source": "key"}),
    RatesForm: (of_campaign(RatesForm), {"hourly_rate": "18.50", "currency": "EUR"}),
    PlanForm: (
        lambda data, files, campaign: PlanForm(data, plan=judging_plan_of(campaign)),
        {"overlap": "all", "overlap_share": "10", "overlap_count": "20", "repeat_share": "3", "seed": "1",
         "idle_seconds": "60", "idle_per_1000": "0"},
    ),
    ProbesForm: (with_files(ProbesForm), {"kind": "gold", "lines": "1 D1 2 Says it."}),
    ReleaseForm: (
        of_reads(ReleaseForm),
        {"rule": "one judge", "judge": "alice", "threshold": "2", "topics": "1", "pools": "1", "after": "1",
         "confirmed": "yes"},
    ),
    PublicDetailsForm: (
        lambda data, files, campaign: PublicDetailsForm(data, campaign),
        {"licence": "CC BY 4.0", "contact": "Carol", "home_page": "https://boats.example/",
         "confirmed": "yes"},
    ),
    ReasonForm: (plain(ReasonForm), {"reason": "A topic is wrong.", "confirmed": "yes"}),
    ReleaseWithdrawalForm: (plain(ReleaseWithdrawalForm), {"reason": "A topic.", "confirmed": "yes"}),
    DifferenceForm: (of_campaign(DifferenceForm), {"first": "1", "second": "1", "topic": "1", "before": "0"}),
    SettingsForm: (
        plain(SettingsForm),
        {"name": "Boats", "scale": SCALE, "threshold": "2", "run_depth": "1000"},
    ),
    ScheduleForm: (
        plain(ScheduleForm),
        {"time_zone": "Europe/Berlin", "submission_closes_at": "2026-12-12T23:59", "late_runs": "mark"},
    ),
    AnswerRunForm: (with_files(AnswerRunForm), {"group": "g", "kind": "automatic"}),
    AnswerRulesForm: (plain(AnswerRulesForm), {"accepts": "on", "form": "rag", "words": "400"}),
    JudgeRunForm: (with_files(JudgeRunForm), {"group": "g", "kind": "automatic", "model": "m-1"}),
    PyramidForm: (
        lambda data, files, campaign: PyramidForm(data, files, campaign=campaign),
        {"topic": "2"},
    ),
    PeersForm: (with_files(PeersForm), {}),
    PyramidDraftForm: (
        lambda data, files, campaign: PyramidDraftForm(data, files, campaign=campaign),
        {"topic": "2", "summaries": "Boats float.\n---\nWood floats."},
    ),
    UnitWordsForm: (
        lambda data, files, campaign: UnitWordsForm(data, units=[DraftUnit(1, "Boats float", ())]),
        {"quotation": "says Ann", "unit": "", "label": "Ann says it", "place": "2", "start": "17"},
    ),
    UnitForm: (plain(UnitForm), {"label": "Boats swim", "before": "Boats float", "remove": ""}),
    RunForm: (  # of a run in a pool, whose tag is fixed
        lambda data, files, campaign: RunForm(data, initial={"tag": "run"}, why_fixed="It is in a pool."),
        {"description": "BM25.", "kind": "automatic", "priority": "1"},
    ),
    ReplacementForm: (with_files(ReplacementForm), {}),
    OrderForm: (plain(OrderForm), {"order": "lowest"}),
    WithdrawalForm: (
        lambda data, files, campaign: WithdrawalForm(data, is_organiser=True), {"reason": "A test."},
    ),
    metrics_forms.ScoresForm: (
        of_release(metrics_forms.ScoresForm), {"measures": "nDCG@10 AP(rel=2)", "groups": "best", "k": "10"},
    ),
    metrics_forms.SignificanceForm: (
        of_release(metrics_forms.SignificanceForm), {"measures": "P@5", "alpha": "0.05", "order": "P@5"},
    ),
    InterleavingForm: (
        of_campaign(InterleavingForm),
        {"run_a": "run", "run_b": "other", "method": "team-draft", "length": "10", "lists": "2",
         "topics": "all", "seed": "1"},
    ),
    ClicksForm: (with_files(ClicksForm), {}),
    ABTestForm: (
        plain(ABTestForm),
        {"name": "Snippets", "shares": "A: 1\nB: 1", "planned_users": "100", "outcomes": "clicks: more, sum"},
    ),
    UsersForm: (with_files(UsersForm), {"is_end": "on"}),
    SizeForm: (
        plain(SizeForm), {"users": "1000", "deviation": "1", "share": "0.5", "alpha": "0.05", "power": "0.8"},
    ),
    SystemFiguresForm: (with_files(SystemFiguresForm), {}),
    metrics_forms.ComparisonForm: (
        of_release(metrics_forms.ComparisonForm),
        {"measure": "P@5", "runs": "run", "test": "t", "alpha": "0.1"},
    ),
}  # fmt: skip


def forms_of_the_house() -> set[type[forms.BaseForm]]:
    """Return every form class of the floors; a mixin is what others are made of."""
    paths = [path for path in MODULES if path.parts[0] != "jurypool" and "forms" in {*path.parts, path.stem}]
    modules = [importlib.import_module(".".join(path.with_suffix("").parts)) for path in paths]
    return {
        found
        for module in modules
        for found in vars(module).values()
        if isinstance(found, type) and issubclass(found, forms.BaseForm)
        if found.__module__.split(".")[0] in ("accounts", "pooling", "assess", "metrics")
        if not found.__name__.endswith("Mixin")
    }


def test_every_form_of_the_house_is_filled_in() -> None:
    assert forms_of_the_house() == FORMS.keys()


ODD = [
    "", " ", "\0", "a\0b", "9" * 400, "-" + "9" * 400, "1e400", "-1e400", "nan", "inf", "1_000", "٣", "0x10",
    "-1", "0", "1.5", "99999999999999999999", "2147483648", "true", "[]", "{}", "[" * 20_000, "9" * 5000,
    '{"quote": 1}', "null", "x" * 10_000, "all all", ",", "\u2028", "\ufffe", "\U0010ffff", "\r\n", "a b c",
    "<script>", "%s", "{0}", "../../etc/passwd", "0000-00-00", "9999-99-99", "1=1", "-1=0 -1=" + "9" * 5000,
    "0 | no | x | 1e999\n1 | yes", "0|a\n" * 2000, "AP(rel=" + "9" * 400 + ")", "P@" + "9" * 400,
    "RBP(p=nan)", "document=A docno=A@B text=" + "+".join("A" * 3000),
]  # fmt: skip
values = st.sampled_from(ODD) | st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
names = st.sampled_from(["a.txt", "", "../../a", "a\0b", "x" * 500, "a\nb.gz", "\u202e.exe", "a/b\\c"])
contents = st.binary(max_size=60) | st.sampled_from(
    [b"", b"1 Q0 D1 1 2.0 new\n", b"1 0 D1 1\n", b"\x1f\x8b", b"PK\x03\x04"]
)


def make_campaign(make: Factory) -> Campaign:
    """A campaign with labels that differ, a release and two runs."""
    campaign = make.make_pooled_campaign()
    make.make_run(campaign, "1 D2 2\n2 D1 1", tag="other", group="otherlab")
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_judgment(campaign, "bob", "1", "D1", 0)
    make.make_labelling(campaign)
    make.make_release(campaign)
    make.make_interleaving(campaign, "run", "other")
    make.make_ab_test(campaign)
    make.make_battles(campaign)
    make.make_pyramid(campaign)
    make.make_review(campaign)
    return campaign


build_campaign = make_campaign


@st.composite
def answers(draw: st.DrawFn, good: dict[str, Any], fields: list[str]) -> tuple[QueryDict, Files]:
    """Good answers with some of them odd, left out or given twice, and files under any names."""
    data, files = QueryDict(mutable=True), Files()
    data.update(good)
    for field in draw(st.lists(st.sampled_from([*fields, *good]), max_size=3)):
        data.setlist(field, draw(st.lists(values, max_size=2)))
    for field in draw(st.lists(st.sampled_from(fields), max_size=2)):
        files.appendlist(field, SimpleUploadedFile(draw(names) or "a", draw(contents)))
    return data, files


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_a_form_takes_whatever_is_typed_or_says_what_it_expected(
    form: type[forms.BaseForm], campaign: Campaign
) -> None:
    make, good = FORMS[form]
    fields = [*make(QueryDict("strategy=rrf"), Files(), campaign).fields]

    @settings(max_examples=20, suppress_health_check=list(HealthCheck))
    @given(answers(good, fields))
    def fill_in(said: tuple[QueryDict, Files]) -> None:
        with transaction.atomic():
            filled = make(*said, campaign)
            if not filled.is_valid():
                told = [str(each) for errors in filled.errors.values() for each in errors]
                assert told and all(message.strip() for message in told)
            str(filled)
            transaction.set_rollback(True)

    fill_in()


def test_a_whole_number_beyond_all_floats_is_refused_in_words(campaign: Campaign) -> None:
    form = PoolForm({"strategy": "depth", "k": "9" * 400, "seconds": "30"}, PoolingReads(campaign))
    assert str(form.errors["k"][0]).startswith("k: expected a whole number from 1 to")


@pytest.mark.parametrize(
    "evidence", ["[" * 20_000, "9" * 5000, "{", "\0"], ids=["deep", "long", "open", "nul"]
)
def test_evidence_that_is_no_json_is_refused_in_words(campaign: Campaign, evidence: str) -> None:
    form = JudgmentForm(FORMS[JudgmentForm][1] | {"evidence": evidence}, campaign=campaign)
    assert form.errors["evidence"] == ["Enter a valid JSON."] and str(form)
