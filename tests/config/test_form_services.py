"""What a form lets through, the service behind it takes, or refuses in words; nothing of the rest is stored.

Each form is sent to its place, filled in as in `test_forms`; its view does with it what it always does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from django import forms
from django.apps import apps
from django.db import transaction
from django.http import QueryDict
from django.test import Client
from hypothesis import HealthCheck, given, settings

from accounts import forms as accounts_forms
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
from assess.answers.forms import AnswerRulesForm, AnswerRunForm
from assess.battle_programs.forms import BattleProgramForm
from assess.battles.forms import BattleSetForm, BattleVoteForm
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
from assess.magnitudes.forms import MagnitudeForm, MagnitudeSetForm
from assess.matching_programs.forms import MatchingProgramForm
from assess.matchings.forms import DecisionsForm, MatchingForm, NuggetLabelForm
from assess.models import Judgment
from assess.near_duplicates.forms import DraftForm, NearDuplicatesForm, SplitForm
from assess.notes.forms import NoteForm
from assess.nuggets.forms import (
    BankForm,
    ImportanceForm,
    JoinNuggetsForm,
    NuggetForm,
    OwnMarkForm,
    OwnNuggetForm,
)
from assess.nuggets.queries.own_answers import code_of
from assess.panels.forms import PanelForm, VoteForm
from assess.preferences.forms import PreferenceForm, PreferenceSetForm
from assess.pyramids.drafts.forms import PyramidDraftForm, UnitForm, UnitWordsForm
from assess.queries.adjudication import DisputeCard, dispute_in
from assess.queries.campaign_reads import CampaignReads
from assess.queries.documents import text_hashes
from assess.queries.judge_replacement import leaving_judge
from assess.queries.judging import cards_of
from assess.queries.people import colleagues_of
from assess.services.queues import extend_queue
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
from pooling.forms.campaigns import AuditLogForm, CampaignForm
from pooling.forms.documents import DocumentsForm
from pooling.forms.files import FileForm
from pooling.forms.people import JoinForm, MemberForm, RolesForm
from pooling.forms.pools import PoolForm
from pooling.forms.runs import OrderForm, SubmissionForm
from pooling.forms.topics import TopicForm, TopicsSourceForm
from pooling.models import Campaign, Role
from pooling.services.people import invite
from tests.config.test_forms import FORMS, Files, answers, make_campaign
from tests.support.factory import PASSWORD, Factory

HOME = "/campaigns/tiny/"


class Place(NamedTuple):
    """Where a form is sent to, and by whom; nobody: who is not signed in."""

    url: str
    who: str = "carol"
    looks: bool = False


PLACES: dict[type[forms.BaseForm], Place] = {
    accounts_forms.TokenForm: Place("/tokens/"),
    accounts_forms.AccountForm: Place("/account/"),
    accounts_forms.MailForm: Place("/account/mail/"),
    accounts_forms.ChangePasswordForm: Place("/account/password/"),
    accounts_forms.SignInForm: Place("/sign-in/", ""),
    accounts_forms.PasswordForgottenForm: Place("/password/forgotten/", ""),
    CampaignForm: Place("/new-campaign/"),
    TopicsSourceForm: Place(HOME + "topics/"),
    TopicForm: Place(HOME + "topics/1/edit/"),
    SubmissionForm: Place(HOME + "report/"),
    PoolForm: Place(HOME + "pool/"),
    DocumentsForm: Place(HOME + "documents/report/"),
    MemberForm: Place(HOME + "people/"),
    InvitationsForm: Place(HOME + "people/invite/"),
    DistributionForm: Place(HOME + "judging/distribute/"),
    ReplaceJudgeForm: Place(HOME + "judging/judges/{member}/replace/"),
    RolesForm: Place(HOME + "people/members/{member}/"),
    CloneForm: Place(HOME + "settings/clone/"),
    JoinForm: Place("/invitations/{token}/", ""),
    AuditLogForm: Place(HOME + "trail/", looks=True),
    AssignmentForm: Place(HOME + "judging/"),
    InvitationForm: Place(HOME + "judging/invite/"),
    TopicJudgeForm: Place(HOME + "judging/topics/1/move/"),
    BudgetForm: Place(HOME + "budget/", looks=True),
    TopUpForm: Place(HOME + "pool/top-up/"),
    DisputesForm: Place(HOME + "adjudication/", looks=True),
    SettleForm: Place(HOME + "adjudication/{dispute}/", "ada"),
    AskAgainForm: Place(HOME + "adjudication/{dispute}/ask/", "ada"),
    SettlingForm: Place(HOME + "adjudication/rules/", "ada"),
    ReopenForm: Place(HOME + "adjudication/{dispute}/reopen/", "ada"),
    JudgmentsForm: Place(HOME + "judging/load/"),
    MachineForm: Place(HOME + "judging/machines/"),
    SourceForm: Place(HOME + "judging/sources/{source}/"),
    SourceFileForm: Place(HOME + "judging/sources/{source}/replace/"),
    SourceWithdrawalForm: Place(HOME + "judging/sources/{source}/withdraw/"),
    PromptForm: Place(HOME + "judging/machines/prompts/"),
    PreviewForm: Place(HOME + "judging/machines/prompts/1/", looks=True),
    LabellingForm: Place(HOME + "judging/machines/labellings/"),
    ClickLogForm: Place(HOME + "judging/clicks/"),
    ClickJudgeForm: Place(HOME + "judging/clicks/{log}/"),
    DescriptionForm: Place(HOME + "judging/clicks/{log}/describe/"),
    JudgmentForm: Place(HOME + "judge/{entry}/", "alice"),
    MyLabelsForm: Place(HOME + "judge/labels/", "alice", looks=True),
    AuditForm: Place(HOME + "judging/machines/audits/"),
    JudgesForm: Place(HOME + "judging/machines/audits/1/give/"),
    BattleSetForm: Place(HOME + "judging/battles/"),
    HandoverForm: Place(HOME + "judging/battles/1/judges/{battler}/give/"),
    BattleProgramForm: Place(HOME + "sources/battle-programs/"),
    MatchingProgramForm: Place(HOME + "sources/matching-programs/"),
    AnswerReleaseForm: Place(HOME + "scores/answer-releases/"),
    PreferenceSetForm: Place(HOME + "judging/preferences/"),
    PreferenceForm: Place(HOME + "preferences/{pair}/", "alice"),
    MagnitudeSetForm: Place(HOME + "judging/magnitudes/"),
    RunSnippetsForm: Place(HOME + "judging/snippets/runs/"),
    SnippetSetForm: Place(HOME + "judging/snippets/"),
    SnippetGradeForm: Place(HOME + "snippets/{snippet}/", "alice"),
    MagnitudeForm: Place(HOME + "magnitudes/{numbered}/", "alice"),
    GradingForm: Place(HOME + "judging/gradings/"),
    GradesForm: Place(HOME + "gradings/{graded}/", "alice"),
    SupportForm: Place(HOME + "judging/support/"),
    SupportLabelForm: Place(HOME + "support/{checked}/", "alice"),
    MatchingForm: Place(HOME + "judging/matchings/"),
    NuggetLabelForm: Place(HOME + "matchings/{matched}/", "alice"),
    BattleVoteForm: Place(HOME + "battles/{battle}/", "alice"),
    BankForm: Place(HOME + "judging/nuggets/"),
    NuggetForm: Place(HOME + "judging/nuggets/{bank}/topics/1/"),
    OwnNuggetForm: Place(HOME + "nuggets/topics/1/", "alice"),
    OwnMarkForm: Place(HOME + "nuggets/topics/1/answers/", "alice"),
    ImportanceForm: Place(HOME + "judging/nuggets/{bank}/nuggets/{nugget}/vote/"),
    JoinNuggetsForm: Place(HOME + "judging/nuggets/{bank}/nuggets/{nugget}/join/"),
    PanelForm: Place(HOME + "judging/panels/"),
    CollectionForm: Place(HOME + "judging/high-recall/collections/"),
    ReviewsForm: Place(HOME + "judging/high-recall/"),
    SimulationForm: Place(HOME + "judging/high-recall/costs/"),
    BatchForm: Place(HOME + "judging/high-recall/topics/1/next/"),
    SearchForm: Place(HOME + "judge/topics/1/search/", "alice", looks=True),
    FoundForm: Place(HOME + "judge/topics/1/search/", "alice"),
    SampleForm: Place(HOME + "judging/high-recall/topics/1/sample/"),
    StopForm: Place(HOME + "judging/high-recall/topics/1/stop/"),
    NearDuplicatesForm: Place(HOME + "judging/near-duplicates/"),
    DraftForm: Place(HOME + "judging/near-duplicates/freeze/"),
    NoteForm: Place(HOME + "judge/topics/1/note/", "alice"),
    WebhookForm: Place(HOME + "webhooks/"),
    VoteForm: Place(HOME + "panels/{panel}/topics/1/", "alice"),
    RatesForm: Place(HOME + "judging/cost/"),
    PlanForm: Place(HOME + "judging/plan/"),
    ProbesForm: Place(HOME + "judging/probes/"),
    ReleaseForm: Place(HOME + "qrels/"),
    PublicDetailsForm: Place(HOME + "qrels/1/audience/public/"),
    ReasonForm: Place(HOME + "qrels/1/audience/internal/"),
    ReleaseWithdrawalForm: Place(HOME + "qrels/1/withdraw/"),
    DifferenceForm: Place(HOME + "qrels/diff/", looks=True),
    SettingsForm: Place(HOME + "settings/"),
    ScheduleForm: Place(HOME + "settings/dates/"),
    AnswerRunForm: Place(HOME + "answer-runs/"),
    AnswerRulesForm: Place(HOME + "answer-runs/rules/"),
    JudgeRunForm: Place(HOME + "judge-runs/"),
    RunForm: Place(HOME + "runs/run/edit/"),
    ReplacementForm: Place(HOME + "runs/other/replace/"),
    OrderForm: Place(HOME + "runs/other/order/"),
    WithdrawalForm: Place(HOME + "runs/run/withdraw/"),
    metrics_forms.ScoresForm: Place(HOME + "scores/1/", looks=True),
    metrics_forms.SignificanceForm: Place(HOME + "scores/1/significance/", looks=True),
    metrics_forms.ComparisonForm: Place(HOME + "scores/1/compare/", looks=True),
    InterleavingForm: Place(HOME + "interleaving/"),
    ClicksForm: Place(HOME + "interleaving/1/"),
    ABTestForm: Place(HOME + "ab-tests/"),
    UsersForm: Place(HOME + "ab-tests/1/"),
    SizeForm: Place(HOME + "ab-tests/size/", looks=True),
    SystemFiguresForm: Place(HOME + "scores/system-quality/"),
    PyramidForm: Place(HOME + "scores/pyramids/"),
    PyramidDraftForm: Place(HOME + "scores/pyramids/new/"),
    UnitWordsForm: Place(HOME + "scores/pyramids/drafts/{draft}/"),
    UnitForm: Place(HOME + "scores/pyramids/drafts/{draft}/units/1/"),
    PeersForm: Place(HOME + "scores/pyramids/1/"),
}
ELSEWHERE = {
    AskingForm,  # of an installation with endpoints: see machines/test_endpoint_page.py
    accounts_forms.NewPasswordForm,  # behind a link that is mailed: see the tests of passwords
    JudgeSharesForm,  # what two others are made of
    FileForm,  # what others are made of
    AnswerSetForm,  # what others are made of
    JudgedSetForm,  # what others are made of
    TopicsForm,  # what two others are made of
    OwnTermForm,  # refused as JSON: see tests/assess/test_own_terms.py
    SplitForm,  # of a class of near duplicates: see tests/assess/near_duplicates
    TakeBackForm,  # JSON of the outbox: see tests/assess/battles/
    DecisionsForm,  # of cases of judges who differ: see tests/assess/matchings
    RevokeForm,  # JSON of the outbox: see tests/assess/test_adjudication.py
}


def test_every_form_has_its_place() -> None:
    assert PLACES.keys() | ELSEWHERE == FORMS.keys()


def true_answers(form: type[forms.BaseForm], campaign: Campaign, make: Factory) -> dict[str, Any]:
    """Return what this campaign alone can tell: keys of things, hashes of texts, names of people."""
    alice, bob = make.make_user("alice"), make.make_user("bob")
    judges, runs = [alice.pk, bob.pk], ["zebra-one", "zebra-two"]
    if form in (OwnNuggetForm, OwnMarkForm):
        make.make_nugget_bank(campaign)

    def dispute() -> DisputeCard:
        d1, ada = make.pooled(campaign, "1", "D1"), make.make_user("ada")
        found = dispute_in(CampaignReads(campaign), ada, d1.pk)
        assert found
        return found

    def hash_of(docno: str) -> str:
        return text_hashes(campaign, [docno]).get(docno, "")

    told: dict[type[forms.BaseForm], Callable[[], dict[str, Any]]] = {
        accounts_forms.ChangePasswordForm: lambda: {
            "old_password": PASSWORD,
            "new_password1": "battery staple 9", "new_password2": "battery staple 9",
        },
        AssignmentForm: lambda: {"judges": judges},
        AuditForm: lambda: {"machine": make.make_audit(campaign).machine_id, "judges": judges},
        JudgesForm: lambda: {"judges": judges},
        BattleSetForm: lambda: {"runs": runs, "judges": judges},
        HandoverForm: lambda: {"others": [bob.pk]},
        ReviewsForm: lambda: {"judges": judges},
        PreferenceSetForm: lambda: {"release": 1, "judges": judges},
        MagnitudeSetForm: lambda: {"judges": judges},
        SnippetSetForm: lambda: {"judges": judges},
        MagnitudeForm: lambda: {
            "text_hash": hash_of(make.make_magnitudes(campaign).tasks.filter(judge=alice)[0].pooled.docno)
        },
        GradingForm: lambda: {"runs": runs, "judges": judges},
        GradesForm: lambda: {"criterion_2": "1"},
        SupportLabelForm: lambda: {
            "text_hash": hash_of(make.make_support(campaign).tasks.filter(judge=alice)[0].docno)
        },
        SupportForm: lambda: {"runs": runs, "judges": judges},
        MatchingForm: lambda: {"bank": make.make_bank(campaign).number, "runs": runs, "judges": judges},
        OwnMarkForm: lambda: {"answer": code_of(alice, make.make_answer_run(campaign).answers.get().pk)},
        NuggetLabelForm: lambda: {"nugget": make.make_matching(campaign).bank.nuggets.all()[0].pk},
        AskAgainForm: lambda: {
            "event": Judgment.objects.get(pooled=dispute().pooled, judge=alice).event_id
        },
        DistributionForm: lambda: {f"share_{each.judge.pk}": "1" for each in colleagues_of(campaign)},
        ReplaceJudgeForm: lambda: {
            f"share_{colleague.judge.pk}": "1"
            for colleague in leaving_judge(CampaignReads(campaign), bob).colleagues
        },
        TopicJudgeForm: lambda: {"judge": alice.pk, "new_judge": bob.pk},
        JudgmentForm: lambda: {
            "docno": "D2", "evidence": "",
            "text_hash": cards_of([make.entry(campaign, "alice", "1", "D2")])[0].text_hash,
        },
        SettleForm: lambda: {
            "docno": "D1", "text_hash": dispute().text_hash, "last_label": dispute().last_label,
        },
    }  # fmt: skip
    return told[form]() if form in told else {}


class AddressKeys(dict[str, Any]):
    """What the address of a form names: made when it is asked for, because each needs a lot of rows."""

    def __init__(self, campaign: Campaign, make: Factory) -> None:
        self.campaign, self.make = campaign, make

    def __missing__(self, name: str) -> Any:
        campaign, make = self.campaign, self.make
        match name:
            case "bank":
                return make.make_nugget_bank(campaign).number
            case "nugget":
                return make.make_nugget_bank(campaign).nuggets.all()[0].pk
            case "token":
                return invite(campaign, Role.READER)
            case "member":
                return make.make_user("bob").pk
            case "dispute":
                return make.pooled(campaign, "1", "D1").pk
            case "entry":
                return make.entry(campaign, "alice", "1", "D2").pk
            case "battle":
                return make.make_battles(campaign).battles.all()[0].pk
            case "battler":
                return make.make_user("alice").pk
            case "pair":
                return make.make_preferences(campaign).tasks.get().pairs.all()[0].pk
            case "snippet":
                return make.make_snippets(campaign).tasks.filter(judge__username="alice")[0].pk
            case "numbered":
                return make.make_magnitudes(campaign).tasks.filter(judge__username="alice")[0].pk
            case "graded":
                return make.make_grading(campaign).tasks.filter(judge__username="alice")[0].pk
            case "checked":
                return make.make_support(campaign).tasks.filter(judge__username="alice")[0].pk
            case "matched":
                return make.make_matching(campaign).tasks.filter(judge__username="alice")[0].pk
            case "draft":
                return make.make_pyramid_draft(campaign).pk
            case "panel":
                return make.make_panel(campaign).pk
            case "log":
                return make.make_click_log(campaign).number
            case "source":
                return make.make_audit(campaign).machine_id
        raise KeyError(name)


def stored() -> dict[str, int]:
    """Return how many rows each table of ours has."""
    floors = (apps.get_app_config(name) for name in ("pooling", "assess", "metrics"))
    return {
        model.__name__: model._default_manager.count() for floor in floors for model in floor.get_models()
    }


def build_campaign(make: Factory) -> Campaign:
    """A campaign with something for every place."""
    campaign = make_campaign(make)
    make.make_preferences(campaign)
    make.make_grading(campaign)
    make.make_matching(campaign)
    make.make_support(campaign)
    make.make_battles(campaign)
    make.make_snippets(campaign)
    make.make_magnitudes(campaign)
    make.make_audit(campaign)
    make.make_panel(campaign)
    make.make_click_log(campaign)
    make.let_create_campaigns("carol")
    return campaign


@pytest.mark.parametrize("form", PLACES, ids=lambda form: form.__name__)
def test_what_a_form_lets_through_its_service_takes(
    form: type[forms.BaseForm], campaign: Campaign, make: Factory
) -> None:
    maker, good = FORMS[form]
    good = good | true_answers(form, campaign, make)
    place = PLACES[form]
    url = place.url.format_map(AddressKeys(campaign, make))
    client = Client()
    if place.who:
        client.force_login(make.make_user(place.who))
    fields = [*maker(QueryDict(), Files(), campaign).fields]
    if form is JudgmentForm:
        extend_queue(make.make_user("alice"), campaign.topics.get(number="1"), 8)  # every page extends it

    def send(data: Any, files: Files) -> None:
        sent = QueryDict(data.urlencode())  # a field without a value is not sent at all
        refused = not files and not maker(sent, files, campaign).is_valid()
        before = stored()
        said = {name: sent.getlist(name) for name in sent}
        if place.looks:
            assert client.get(url, said).status_code in (200, 302)
            return
        response = client.post(url, said | {name: files.getlist(name) for name in files})
        assert response.status_code in (200, 302)
        if refused:
            assert stored() == before

    @settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
    @given(answers(good, fields))
    def fill_in(said: Any) -> None:
        with transaction.atomic():
            send(*said)
            transaction.set_rollback(True)

    fill_in()
