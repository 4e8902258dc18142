"""The forms of the first floor, one module a noun."""

from assess.forms.assignments import (
    DEAL,
    DEALING,
    PARTS,
    AssignmentForm,
    BudgetForm,
    InvitationForm,
    TopicJudgeForm,
    TopicsForm,
    TopUpForm,
    judges_to_choose,
    part_field,
)
from assess.forms.choices import explained, radio
from assess.forms.disputes import DisputesForm, OpenAgainForm, SettleForm
from assess.forms.imports import GradesMixin, JudgmentsForm, MachineForm, parse_grades
from assess.forms.judging import JudgmentForm
from assess.forms.panels import PanelForm, VoteForm
from assess.forms.plans import PlanForm, ProbesForm
from assess.forms.releases import DifferenceForm, ReleaseForm, first_plan
from assess.forms.settings import SettingsForm

__all__ = [
    "AssignmentForm",
    "BudgetForm",
    "DEAL",
    "DEALING",
    "DifferenceForm",
    "DisputesForm",
    "GradesMixin",
    "InvitationForm",
    "JudgmentForm",
    "JudgmentsForm",
    "MachineForm",
    "OpenAgainForm",
    "PARTS",
    "PanelForm",
    "PlanForm",
    "ProbesForm",
    "ReleaseForm",
    "SettingsForm",
    "SettleForm",
    "TopUpForm",
    "TopicJudgeForm",
    "TopicsForm",
    "VoteForm",
    "explained",
    "first_plan",
    "judges_to_choose",
    "parse_grades",
    "part_field",
    "radio",
]
