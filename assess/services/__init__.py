"""The only writers of the first floor, one module a noun. They never see a request."""

from assess.services.adjudications import (
    NotSettled,
    Settlement,
    claim_case,
    claim_first,
    open_again,
    require_reasons,
    settle,
)
from assess.services.assignments import MoveRefused, assign, move_topic, share_out, take_back, top_up
from assess.services.imports import Loaded, load_judgments, store_labels
from assess.services.invitations import accept_invitation, invite_to_topics, join_as_new_user
from assess.services.machines import Machine, load_machine_labels
from assess.services.panels import PanelRefused, Vote, VoteRefused, make_panel, record_vote
from assess.services.plans import FIXED, PlanLocked, change_plan
from assess.services.presses import LabelRefused, Press, record_judgment
from assess.services.probe_sets import LoadedProbes, load_probes, withdraw_probes
from assess.services.progress import repair_counters
from assess.services.queues import extend_queue, next_documents, postpone, renew_leases, return_to_judges
from assess.services.releases import (
    NothingToRelease,
    announce,
    check_plan,
    release_in_background,
    release_qrels,
)
from assess.services.settings import ScaleLocked, change_settings

__all__ = [
    "FIXED",
    "LabelRefused",
    "Loaded",
    "LoadedProbes",
    "Machine",
    "MoveRefused",
    "NotSettled",
    "NothingToRelease",
    "PanelRefused",
    "PlanLocked",
    "Press",
    "ScaleLocked",
    "Settlement",
    "Vote",
    "VoteRefused",
    "accept_invitation",
    "announce",
    "assign",
    "change_plan",
    "change_settings",
    "check_plan",
    "claim_case",
    "claim_first",
    "extend_queue",
    "invite_to_topics",
    "join_as_new_user",
    "load_judgments",
    "load_machine_labels",
    "load_probes",
    "make_panel",
    "move_topic",
    "next_documents",
    "open_again",
    "postpone",
    "record_judgment",
    "record_vote",
    "release_in_background",
    "release_qrels",
    "renew_leases",
    "repair_counters",
    "require_reasons",
    "return_to_judges",
    "settle",
    "share_out",
    "store_labels",
    "take_back",
    "top_up",
    "withdraw_probes",
]
