"""The models of this app, one module per noun."""

from assess.models.active_learning import (
    Review,
    ReviewCollection,
    ReviewedDocument,
    ReviewRound,
    ReviewSimulation,
    SearchedDocument,
)
from assess.models.adjudications import Adjudication, AdjudicationClaim, AdjudicationEvent
from assess.models.answer_releases import AnswerRelease
from assess.models.answers import Answer, AnswerRules, AnswerRun, CitedDocument
from assess.models.battle_programs import BattleProgram, BattleProgramLoad, BattleProgramVote
from assess.models.battles import Battle, BattleRelease, BattleSet, BattleVote
from assess.models.click_logs import ClickedDocument, ClickLabels, ClickLog
from assess.models.gradings import Criterion, GivenGrades, Grading, GradingTask
from assess.models.judge_runs import JudgeRun
from assess.models.judgments import (
    Judgment,
    JudgmentEvent,
    LabelSummary,
    Progress,
    ReturnedLabel,
)
from assess.models.loads import UnfinishedLoad
from assess.models.machine_audits import AuditedDocument, MachineAudit
from assess.models.machines import MachineLabelling, MachinePrompt, MachineRequest
from assess.models.magnitudes import Magnitude, MagnitudeSet, MagnitudeTask
from assess.models.matching_programs import MatchingProgram, MatchingProgramLoad, ProgramNuggetLabel
from assess.models.matchings import Matching, MatchingTask, NuggetDecision, NuggetLabel
from assess.models.near_duplicates import (
    DuplicateClass,
    DuplicateClassification,
    DuplicateMember,
    DuplicateSplit,
)
from assess.models.notes import TopicNote
from assess.models.nuggets import AnswerMark, Bank, BankNugget, ImportanceVote, NuggetLoad, NuggetPart
from assess.models.panels import Panel, PanelVote
from assess.models.plans import JudgingPlan
from assess.models.preferences import Preference, PreferencePair, PreferenceSet, PreferenceTask
from assess.models.pyramids import AnnotatedPeer, PyramidDraft, TopicPyramid
from assess.models.queues import Assignment, InvitedTopics, Probe, QueueEntry
from assess.models.releases import QrelsRelease, ReleaseFile
from assess.models.snippets import RunSnippet, SnippetGrade, SnippetResult, SnippetSet, SnippetTask
from assess.models.sources import Load, Source, Withdrawable
from assess.models.support import SupportLabel, SupportSet, SupportTask
from assess.models.terms import OwnTerms
from assess.models.webhooks import Webhook

__all__ = [
    "Adjudication",
    "AdjudicationClaim",
    "AdjudicationEvent",
    "AnnotatedPeer",
    "Answer",
    "AnswerMark",
    "AnswerRelease",
    "AnswerRules",
    "AnswerRun",
    "Assignment",
    "AuditedDocument",
    "Bank",
    "BankNugget",
    "Battle",
    "BattleProgram",
    "BattleProgramLoad",
    "BattleProgramVote",
    "BattleRelease",
    "BattleSet",
    "BattleVote",
    "CitedDocument",
    "ClickLabels",
    "ClickLog",
    "ClickedDocument",
    "Criterion",
    "DuplicateClass",
    "DuplicateClassification",
    "DuplicateMember",
    "DuplicateSplit",
    "GivenGrades",
    "Grading",
    "GradingTask",
    "ImportanceVote",
    "InvitedTopics",
    "JudgeRun",
    "JudgingPlan",
    "Judgment",
    "JudgmentEvent",
    "LabelSummary",
    "Load",
    "MachineAudit",
    "MachineLabelling",
    "MachinePrompt",
    "MachineRequest",
    "Magnitude",
    "MagnitudeSet",
    "MagnitudeTask",
    "Matching",
    "MatchingProgram",
    "MatchingProgramLoad",
    "MatchingTask",
    "NuggetDecision",
    "NuggetLabel",
    "NuggetLoad",
    "NuggetPart",
    "OwnTerms",
    "Panel",
    "PanelVote",
    "Preference",
    "PreferencePair",
    "PreferenceSet",
    "PreferenceTask",
    "Probe",
    "ProgramNuggetLabel",
    "Progress",
    "PyramidDraft",
    "QrelsRelease",
    "QueueEntry",
    "ReleaseFile",
    "ReturnedLabel",
    "Review",
    "ReviewCollection",
    "ReviewRound",
    "ReviewSimulation",
    "SearchedDocument",
    "ReviewedDocument",
    "RunSnippet",
    "SnippetGrade",
    "SnippetResult",
    "SnippetSet",
    "SnippetTask",
    "Source",
    "SupportLabel",
    "SupportSet",
    "SupportTask",
    "TopicNote",
    "TopicPyramid",
    "UnfinishedLoad",
    "Webhook",
    "Withdrawable",
]
