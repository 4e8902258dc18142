"""The pages of the first floor, one module a noun."""

from assess.views.adjudication import adjudication, adjudication_reasons, claim, dispute_part, reopen, settle
from assess.views.agreement_documents import agreement_document, agreement_documents
from assess.views.agreement_files import agreement_csv, agreement_json, agreement_pairs_tsv, labels
from assess.views.agreements import (
    agreement,
    agreement_confusion,
    agreement_drift,
    agreement_judges,
    agreement_matrix,
    agreement_news,
    agreement_overall,
    agreement_pairs,
    agreement_topics,
)
from assess.views.assignments import (
    judge_invite,
    judging,
    judgments_load,
    top_up,
    topic_judges,
    topic_move,
    topic_take_back,
)
from assess.views.campaigns import budget, grid, overview, progress, settings
from assess.views.cards import document_part, judge, judgment_card, my_topics, recent_labels
from assess.views.consistency import consistency, judge_labels
from assess.views.invitations import invitation
from assess.views.machines import machine_list
from assess.views.outbox import outbox
from assess.views.panels import panel_document, panel_list, panel_setup, panel_topic
from assess.views.people import invitation_revoke, member_remove, people
from assess.views.plans import plan
from assess.views.probes import probes, probes_withdraw
from assess.views.refusals import refusals
from assess.views.releases import (
    qrels_file,
    qrels_manifest,
    release,
    release_diff,
    release_diff_tsv,
    release_file,
    release_list,
    release_preview,
)

__all__ = [
    "claim",
    "adjudication",
    "adjudication_reasons",
    "agreement",
    "agreement_confusion",
    "agreement_csv",
    "agreement_document",
    "agreement_documents",
    "agreement_drift",
    "agreement_json",
    "agreement_judges",
    "agreement_matrix",
    "agreement_news",
    "agreement_overall",
    "agreement_pairs",
    "agreement_pairs_tsv",
    "agreement_topics",
    "budget",
    "consistency",
    "dispute_part",
    "document_part",
    "grid",
    "invitation",
    "invitation_revoke",
    "judge",
    "judge_invite",
    "judge_labels",
    "judging",
    "judgment_card",
    "judgments_load",
    "labels",
    "machine_list",
    "member_remove",
    "my_topics",
    "outbox",
    "overview",
    "panel_document",
    "panel_list",
    "panel_setup",
    "panel_topic",
    "people",
    "plan",
    "probes",
    "probes_withdraw",
    "progress",
    "qrels_file",
    "qrels_manifest",
    "recent_labels",
    "refusals",
    "release",
    "release_diff",
    "release_diff_tsv",
    "release_file",
    "release_list",
    "release_preview",
    "reopen",
    "settings",
    "settle",
    "top_up",
    "topic_judges",
    "topic_move",
    "topic_take_back",
]
