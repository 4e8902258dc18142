"""The models of this app, one module per noun."""

from assess.models.adjudications import Adjudication, AdjudicationClaim, AdjudicationEvent
from assess.models.judgments import (
    Judgment,
    JudgmentEvent,
    LabelSummary,
    MachineJudge,
    Progress,
    ReturnedLabel,
)
from assess.models.panels import Panel, PanelVote
from assess.models.plans import JudgingPlan
from assess.models.queues import Assignment, InvitedTopics, Probe, QueueEntry
from assess.models.releases import QrelsRelease, ReleaseFile

__all__ = [
    "Adjudication",
    "AdjudicationClaim",
    "AdjudicationEvent",
    "Assignment",
    "InvitedTopics",
    "JudgingPlan",
    "Judgment",
    "JudgmentEvent",
    "LabelSummary",
    "MachineJudge",
    "Panel",
    "PanelVote",
    "Probe",
    "Progress",
    "QrelsRelease",
    "QueueEntry",
    "ReleaseFile",
    "ReturnedLabel",
]
