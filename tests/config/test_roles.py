"""Who gets in where: every URL, for every kind of person. A new URL without a row here fails."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import resolve

from accounts.models import User
from accounts.services import create_token
from pooling.models import Campaign
from pooling.scale import FOUR_STEPS
from pooling.services.people import create_campaign
from tests.support.factory import Factory
from tests.support.markup import markup
from tests.support.places import URLS, place

PEOPLE = ["carol", "ada", "alice", "dave", "rita", "mallory", ""]
#          organiser, adjudicator, judge, participant, reader, organiser of another campaign, anonymous

GET: dict[str, tuple[int, ...]] = {
    "operations:live": (200, 200, 200, 200, 200, 200, 200),
    "operations:ready": (200, 200, 200, 200, 200, 200, 200),
    "operations:metrics": (404, 404, 404, 404, 404, 404, 404),  # until the settings have a token for it
    "operations:documentation": (404, 404, 404, 404, 404, 404, 404),  # a page that does not exist
    "accounts:sign_in": (302, 302, 302, 302, 302, 302, 200),
    "accounts:provider_start": (404, 404, 404, 404, 404, 404, 404),  # until the settings name a provider
    "accounts:provider_callback": (404, 404, 404, 404, 404, 404, 404),
    "accounts:password_forgotten": (200, 200, 200, 200, 200, 200, 200),
    "accounts:password_mailed": (200, 200, 200, 200, 200, 200, 200),
    "accounts:password_new": (200, 200, 200, 200, 200, 200, 200),
    "accounts:account": (200, 200, 200, 200, 200, 200, 302),
    "accounts:mail_off": (200, 200, 200, 200, 200, 200, 200),
    "accounts:password": (200, 200, 200, 200, 200, 200, 302),
    "accounts:session_list": (200, 200, 200, 200, 200, 200, 302),
    "accounts:token_list": (200, 200, 200, 200, 200, 200, 302),
    "api:openapi-json": (200, 200, 200, 200, 200, 200, 200),
    "api:openapi-view": (200, 200, 200, 200, 200, 200, 200),
    "api:api-root": (404, 404, 404, 404, 404, 404, 404),
    "api:unknown-address": (404, 404, 404, 404, 404, 404, 404),
    "pooling:campaign_list": (200, 200, 200, 200, 200, 200, 302),
    "assess:home": (200, 200, 302, 200, 200, 200, 302),  # a judge gets My topics
    "pooling:campaign_new": (403, 403, 403, 403, 403, 403, 302),  # a right that administrators give
    "pooling:first_organiser": (410, 410, 410, 410, 410, 410, 410),  # works while no account exists
    "assess:people": (200, 403, 403, 403, 403, 404, 302),
    "assess:people_invite": (200, 403, 403, 403, 403, 404, 302),
    "assess:invitation": (200, 200, 200, 200, 200, 200, 200),
    "pooling:topic_list": (200, 200, 200, 200, 200, 404, 302),
    "pooling:topic": (200, 200, 200, 200, 200, 404, 302),
    "pooling:topic_edit": (200, 403, 403, 403, 403, 404, 302),
    "pooling:run_list": (200, 200, 403, 200, 200, 404, 302),
    "pooling:run": (200, 200, 403, 404, 200, 404, 302),
    "pooling:run_file": (200, 200, 403, 404, 200, 404, 302),
    "pooling:run_receipt": (200, 200, 403, 404, 200, 404, 302),
    "pooling:pool": (200, 403, 403, 403, 403, 404, 302),
    "pooling:pool_draft": (200, 403, 403, 403, 403, 404, 302),
    "pooling:pool_strategies": (200, 403, 403, 403, 403, 404, 302),
    "pooling:pool_overlap": (200, 403, 403, 403, 403, 404, 302),
    "pooling:pool_docnos": (200, 403, 403, 403, 403, 404, 302),
    "pooling:pool_manifest": (200, 403, 403, 403, 403, 404, 302),
    "pooling:document_list": (200, 403, 403, 403, 403, 404, 302),
    "pooling:documents_missing": (200, 403, 403, 403, 403, 404, 302),
    "pooling:audit_log": (200, 403, 403, 403, 403, 404, 302),
    "pooling:audit_log_file": (200, 403, 403, 403, 403, 404, 302),
    "pooling:job_list": (200, 403, 403, 403, 403, 404, 302),
    "pooling:job": (200, 403, 403, 403, 403, 404, 302),
    "assess:overview": (200, 200, 302, 302, 200, 404, 302),
    "assess:participate": (200, 403, 403, 200, 403, 404, 302),
    "assess:participate_topics": (200, 403, 403, 200, 403, 404, 302),
    "assess:judge_run_list": (200, 403, 403, 200, 403, 404, 302),
    "assess:judge_run_pool": (200, 403, 403, 403, 403, 404, 302),  # the switch is off
    "assess:judge_run_file": (200, 403, 403, 404, 403, 404, 302),
    "assess:answer_run_list": (200, 403, 403, 200, 403, 404, 302),
    "assess:cited_missing": (200, 403, 403, 403, 403, 404, 302),
    "assess:answer_run": (200, 403, 403, 404, 403, 404, 302),
    "assess:answer_run_file": (200, 403, 403, 404, 403, 404, 302),
    "assess:answer_run_receipt": (200, 403, 403, 404, 403, 404, 302),
    "assess:answer": (200, 403, 403, 404, 403, 404, 302),
    "assess:cited_passage": (200, 403, 403, 404, 403, 404, 302),
    "assess:progress": (200, 200, 403, 403, 403, 404, 302),
    "assess:budget": (200, 200, 403, 403, 403, 404, 302),
    "assess:settings": (200, 403, 403, 403, 403, 404, 302),
    "assess:webhook_list": (200, 403, 403, 403, 403, 404, 302),
    "assess:guideline_version_list": (200, 200, 403, 403, 200, 404, 302),
    "assess:campaign_clone": (403, 403, 403, 403, 403, 404, 302),  # a right that administrators give
    "assess:campaign_delete": (200, 403, 403, 403, 403, 404, 302),
    "assess:judge_reminders": (200, 403, 403, 403, 403, 404, 302),
    "assess:release_mail": (200, 403, 403, 403, 403, 404, 302),
    "assess:schedule": (200, 403, 403, 403, 403, 404, 302),
    "assess:run_edit": (200, 403, 403, 404, 403, 404, 302),
    "assess:judging": (200, 403, 403, 403, 403, 404, 302),
    "assess:unassigned_documents": (200, 403, 403, 403, 403, 404, 302),
    "assess:plan": (200, 403, 403, 403, 403, 404, 302),
    "assess:cost": (200, 403, 403, 403, 403, 404, 302),
    "assess:timesheet": (200, 403, 403, 403, 403, 404, 302),
    "assess:topic_judges": (200, 403, 403, 403, 403, 404, 302),
    "assess:refusals": (200, 403, 403, 403, 403, 404, 302),
    "assess:probes": (200, 403, 403, 403, 403, 404, 302),
    "assess:consistency": (200, 403, 403, 403, 403, 404, 302),
    "assess:topics_distribute": (200, 403, 403, 403, 403, 404, 302),
    "assess:judge_replace": (200, 403, 403, 403, 403, 404, 302),
    "assess:judge_labels": (200, 403, 403, 403, 403, 404, 302),
    "assess:my_topics": (200, 403, 200, 403, 403, 404, 302),
    "assess:my_labels": (200, 403, 200, 403, 403, 404, 302),
    "assess:judge": (404, 403, 200, 403, 403, 404, 302),
    "assess:judgment_card": (404, 403, 200, 403, 403, 404, 302),
    "assess:document_part": (404, 403, 200, 403, 403, 404, 302),
    "assess:recent_labels": (404, 403, 200, 403, 403, 404, 302),
    "assess:own_examples": (404, 403, 200, 403, 403, 404, 302),
    "assess:agreement": (200, 200, 403, 403, 200, 404, 302),
    "assess:agreement_news": (200, 200, 403, 403, 200, 404, 302),
    "assess:agreement_overall": (200, 200, 403, 403, 200, 404, 302),
    "assess:agreement_matrix": (200, 200, 403, 403, 200, 404, 302),
    "assess:agreement_pairs": (200, 200, 403, 403, 200, 404, 302),
    "assess:agreement_confusion": (200, 200, 403, 403, 200, 404, 302),
    "assess:agreement_topics": (200, 200, 403, 403, 200, 404, 302),
    "assess:agreement_judges": (200, 200, 403, 403, 200, 404, 302),
    "assess:agreement_drift": (200, 200, 403, 403, 200, 404, 302),
    "assess:agreement_csv": (200, 200, 403, 403, 200, 404, 302),
    "assess:agreement_json": (200, 200, 403, 403, 200, 404, 302),
    "assess:agreement_pairs_tsv": (200, 200, 403, 403, 200, 404, 302),
    "assess:agreement_documents": (200, 200, 403, 403, 403, 404, 302),
    "assess:agreement_document": (200, 200, 403, 403, 403, 404, 302),
    "assess:labels": (200, 200, 403, 403, 403, 404, 302),
    "assess:topic_note": (404, 403, 200, 403, 403, 404, 302),
    "assess:case_notes": (200, 200, 403, 403, 403, 404, 302),
    "assess:review_list": (200, 403, 403, 403, 403, 404, 302),
    "assess:collection_load": (200, 403, 403, 403, 403, 404, 302),
    "assess:review_costs": (200, 403, 403, 403, 403, 404, 302),
    "assess:review": (200, 403, 403, 403, 403, 404, 302),
    "assess:review_file": (200, 403, 403, 403, 403, 404, 302),
    "assess:review_search": (404, 403, 200, 403, 403, 404, 302),
    "assess:near_duplicates": (200, 403, 403, 403, 403, 404, 302),
    "assess:near_duplicates_tsv": (200, 403, 403, 403, 403, 404, 302),
    "assess:near_duplicate_class": (200, 403, 403, 403, 403, 404, 302),
    "assess:near_copies": (404, 403, 200, 403, 403, 404, 302),
    "metrics:near_duplicate_scores": (200, 200, 403, 200, 200, 404, 302),
    "metrics:near_duplicate_scores_csv": (404, 404, 403, 404, 404, 404, 302),  # without propagated labels
    "assess:settling": (200, 200, 403, 403, 403, 404, 302),
    "assess:adjudication": (200, 200, 403, 403, 403, 404, 302),
    "assess:dispute_part": (200, 200, 403, 403, 403, 404, 302),
    "assess:release_list": (200, 200, 403, 200, 200, 404, 302),
    "assess:qrels_file": (200, 200, 403, 200, 200, 404, 302),
    "assess:qrels_manifest": (200, 200, 403, 200, 200, 404, 302),
    "assess:release": (200, 200, 403, 200, 200, 404, 302),
    "assess:release_file": (200, 200, 403, 403, 403, 404, 302),  # provenance, which names judges
    "assess:release_labels": (200, 403, 403, 403, 403, 404, 302),
    "assess:release_preview": (200, 403, 403, 403, 403, 404, 302),
    "assess:release_audience": (200, 403, 403, 403, 403, 404, 302),
    "assess:release_withdraw": (200, 403, 403, 403, 403, 404, 302),
    "assess:release_diff": (200, 200, 403, 200, 200, 404, 302),
    "assess:release_diff_tsv": (200, 200, 403, 200, 200, 404, 302),
    "assess:machine_list": (200, 403, 403, 403, 403, 404, 302),
    "assess:source_list": (200, 403, 403, 403, 403, 404, 302),
    "assess:source": (200, 403, 403, 403, 403, 404, 302),
    "assess:prompt_list": (200, 403, 403, 403, 403, 404, 302),
    "assess:prompt": (200, 403, 403, 403, 403, 404, 302),
    "assess:labelling_list": (200, 403, 403, 403, 403, 404, 302),
    "assess:labelling": (200, 403, 403, 403, 403, 404, 302),
    "assess:labelling_endpoint": (200, 403, 403, 403, 403, 404, 302),
    "assess:labelling_batch": (200, 403, 403, 403, 403, 404, 302),
    "metrics:machine_audit_list": (200, 403, 403, 403, 403, 404, 302),
    "metrics:machine_audit": (200, 403, 403, 403, 403, 404, 302),
    "metrics:machine_audit_csv": (200, 403, 403, 403, 403, 404, 302),
    "metrics:machine_audit_json": (200, 403, 403, 403, 403, 404, 302),
    "assess:click_log_list": (200, 403, 403, 403, 403, 404, 302),
    "assess:click_log": (200, 403, 403, 403, 403, 404, 302),
    "assess:click_log_csv": (200, 403, 403, 403, 403, 404, 302),
    "assess:image": (200, 200, 200, 404, 404, 404, 302),  # of a document
    "assess:run_results": (200, 200, 403, 403, 403, 404, 302),
    "assess:snippet_setup": (200, 403, 403, 403, 403, 404, 302),
    "assess:snippet_set": (200, 403, 403, 403, 403, 404, 302),
    "assess:snippet_runs": (200, 403, 403, 403, 403, 404, 302),
    "assess:snippet_handover": (200, 403, 403, 403, 403, 404, 302),
    "assess:snippet_list": (302, 403, 200, 403, 403, 404, 302),
    "assess:snippet": (404, 403, 200, 403, 403, 404, 302),
    "metrics:snippet_result_list": (200, 200, 403, 403, 403, 404, 302),
    "metrics:snippet_result": (200, 200, 403, 403, 403, 404, 302),
    "metrics:snippet_grades_file": (200, 403, 403, 403, 403, 404, 302),
    "assess:magnitude_setup": (200, 403, 403, 403, 403, 404, 302),
    "assess:magnitude_set": (200, 403, 403, 403, 403, 404, 302),
    "assess:magnitude_handover": (200, 403, 403, 403, 403, 404, 302),
    "assess:magnitude_list": (302, 403, 200, 403, 403, 404, 302),
    "assess:magnitude": (404, 403, 200, 403, 403, 404, 302),
    "metrics:magnitude_result_list": (200, 200, 403, 403, 403, 404, 302),
    "metrics:magnitude_result": (200, 200, 403, 403, 403, 404, 302),
    "metrics:magnitude_qrels": (200, 403, 403, 403, 403, 404, 302),
    "metrics:magnitude_gains_file": (200, 403, 403, 403, 403, 404, 302),
    "metrics:magnitude_numbers_file": (200, 403, 403, 403, 403, 404, 302),
    "assess:preference_setup": (200, 403, 403, 403, 403, 404, 302),
    "assess:preference_set": (200, 403, 403, 403, 403, 404, 302),
    "assess:preference_handover": (200, 403, 403, 403, 403, 404, 302),
    "assess:preference_list": (302, 403, 200, 403, 403, 404, 302),
    "assess:preference": (404, 403, 200, 403, 403, 404, 302),
    "metrics:preference_result_list": (200, 200, 403, 403, 403, 404, 302),
    "metrics:preference_result": (200, 200, 403, 403, 403, 404, 302),
    "metrics:preference_qrels": (200, 403, 403, 403, 403, 404, 302),
    "metrics:preference_votes_file": (200, 403, 403, 403, 403, 404, 302),
    "assess:grading_setup": (200, 403, 403, 403, 403, 404, 302),
    "assess:grading_set": (200, 403, 403, 403, 403, 404, 302),
    "assess:grading_handover": (200, 403, 403, 403, 403, 404, 302),
    "assess:grading_list": (302, 403, 200, 403, 403, 404, 302),
    "assess:grading": (404, 403, 200, 403, 403, 404, 302),
    "assess:grading_source": (404, 403, 200, 403, 403, 404, 302),
    "metrics:confusion": (200, 200, 403, 403, 403, 404, 302),
    "metrics:confusion_file": (200, 200, 403, 403, 403, 404, 302),
    "metrics:generalisability": (200, 200, 403, 200, 200, 404, 302),
    "metrics:generalisability_file": (200, 200, 403, 200, 200, 404, 302),
    "metrics:reproducibility": (200, 200, 403, 200, 200, 404, 302),
    "metrics:reproducibility_file": (200, 200, 403, 200, 200, 404, 302),
    "metrics:reproducibility_topics_file": (200, 200, 403, 200, 200, 404, 302),
    "assess:matching_setup": (200, 403, 403, 403, 403, 404, 302),
    "assess:matching_set": (200, 403, 403, 403, 403, 404, 302),
    "assess:matching_differences": (200, 200, 403, 403, 403, 404, 302),
    "assess:matching_handover": (200, 403, 403, 403, 403, 404, 302),
    "assess:matching_list": (302, 403, 200, 403, 403, 404, 302),
    "assess:matching": (404, 403, 200, 403, 403, 404, 302),
    "assess:support_setup": (200, 403, 403, 403, 403, 404, 302),
    "assess:support_set": (200, 403, 403, 403, 403, 404, 302),
    "assess:support_handover": (200, 403, 403, 403, 403, 404, 302),
    "assess:support_list": (302, 403, 200, 403, 403, 404, 302),
    "assess:support": (404, 403, 200, 403, 403, 404, 302),
    "metrics:support_result_list": (200, 200, 403, 403, 403, 404, 302),
    "metrics:support_result": (200, 200, 403, 403, 403, 404, 302),
    "metrics:support_scores_file": (200, 403, 403, 403, 403, 404, 302),
    "metrics:support_labels_file": (200, 403, 403, 403, 403, 404, 302),
    "metrics:matching_result_list": (200, 200, 403, 403, 403, 404, 302),
    "metrics:matching_result": (200, 200, 403, 403, 403, 404, 302),
    "metrics:matching_assignments_file": (200, 403, 403, 403, 403, 404, 302),
    "metrics:matching_scores_file": (200, 403, 403, 403, 403, 404, 302),
    "metrics:matching_labels_file": (200, 403, 403, 403, 403, 404, 302),
    "metrics:argue_result": (200, 200, 403, 403, 403, 404, 302),
    "metrics:argue_scores_file": (200, 403, 403, 403, 403, 404, 302),
    "metrics:grading_result_list": (200, 200, 403, 403, 403, 404, 302),
    "metrics:grading_result": (200, 200, 403, 403, 403, 404, 302),
    "metrics:grading_grades_file": (200, 403, 403, 403, 403, 404, 302),
    "metrics:pyramid_list": (200, 200, 403, 403, 403, 404, 302),
    "metrics:pyramid": (200, 200, 403, 403, 403, 404, 302),
    "metrics:pyramid_scores_file": (200, 200, 403, 403, 403, 404, 302),
    "assess:pyramid_file": (200, 200, 403, 403, 403, 404, 302),
    "assess:pyramid_draft_new": (200, 200, 403, 403, 403, 404, 302),
    "assess:pyramid_draft": (200, 200, 403, 403, 403, 404, 302),
    "assess:pyramid_draft_file": (200, 200, 403, 403, 403, 404, 302),
    "assess:pyramid_peer_file": (200, 200, 403, 403, 403, 404, 302),
    "assess:nugget_bank_list": (200, 200, 403, 403, 403, 404, 302),
    "assess:nugget_bank": (200, 200, 403, 403, 403, 404, 302),
    "assess:nugget_bank_file": (200, 200, 403, 403, 403, 404, 302),
    "assess:nugget_bank_marks": (200, 200, 403, 403, 403, 404, 302),
    "assess:nugget_topic": (200, 200, 403, 403, 403, 404, 302),
    "assess:nugget": (200, 200, 403, 403, 403, 404, 302),
    "assess:nugget_join": (200, 200, 403, 403, 403, 404, 302),
    "assess:own_nugget_list": (302, 403, 200, 403, 403, 404, 302),
    "assess:own_nugget_topic": (404, 403, 200, 403, 403, 404, 302),
    "assess:own_nugget_answers": (404, 403, 200, 403, 403, 404, 302),
    "assess:battle_program_list": (200, 403, 403, 403, 403, 404, 302),
    "assess:battle_program": (200, 403, 403, 403, 403, 404, 302),
    "assess:battle_program_requests": (200, 403, 403, 403, 403, 404, 302),
    "metrics:battle_program_result_list": (200, 200, 403, 403, 403, 404, 302),
    "metrics:battle_program_result": (200, 200, 403, 403, 403, 404, 302),
    "metrics:answer_release_list": (200, 403, 403, 403, 403, 404, 302),
    "metrics:answer_release_file": (200, 403, 403, 403, 403, 404, 302),
    "assess:matching_program_list": (200, 403, 403, 403, 403, 404, 302),
    "assess:matching_program": (200, 403, 403, 403, 403, 404, 302),
    "assess:matching_program_requests": (200, 403, 403, 403, 403, 404, 302),
    "metrics:matching_program_result_list": (200, 200, 403, 403, 403, 404, 302),
    "metrics:matching_program_result": (200, 200, 403, 403, 403, 404, 302),
    "assess:battle_setup": (200, 403, 403, 403, 403, 404, 302),
    "assess:battle_set": (200, 403, 403, 403, 403, 404, 302),
    "assess:battle_handover": (200, 403, 403, 403, 403, 404, 302),
    "assess:battle_list": (302, 403, 200, 403, 403, 404, 302),
    "assess:battle": (404, 403, 200, 403, 403, 404, 302),
    "assess:battle_source": (404, 403, 200, 403, 403, 404, 302),
    "metrics:battle_result_list": (200, 200, 403, 403, 403, 404, 302),
    "metrics:battle_result": (200, 200, 403, 403, 403, 404, 302),
    "metrics:battle_result_tsv": (200, 403, 403, 403, 403, 404, 302),
    "metrics:battle_result_json": (200, 403, 403, 403, 403, 404, 302),
    "metrics:battle_release_file": (200, 403, 403, 403, 403, 404, 302),
    "metrics:battle_votes_tsv": (200, 403, 403, 403, 403, 404, 302),
    "metrics:battle_votes_json": (200, 403, 403, 403, 403, 404, 302),
    "assess:panel_setup": (200, 403, 403, 403, 403, 404, 302),
    "assess:panel_list": (302, 403, 200, 403, 403, 404, 302),
    "assess:panel_topic": (404, 403, 200, 403, 403, 404, 302),
    "assess:panel_document": (404, 403, 200, 403, 403, 404, 302),
    "assess:panel_image": (404, 403, 200, 403, 403, 404, 302),
    "metrics:panel_result": (200, 200, 403, 404, 200, 404, 302),
    "metrics:system_quality": (200, 200, 403, 200, 200, 404, 302),
    "metrics:system_quality_file": (200, 200, 403, 404, 200, 404, 302),  # dave has no run with figures
    "metrics:interleaving_list": (200, 403, 403, 403, 403, 404, 302),
    "metrics:interleaving": (200, 403, 403, 403, 403, 404, 302),
    "metrics:interleaving_lists": (200, 403, 403, 403, 403, 404, 302),
    "metrics:interleaving_clicks": (200, 403, 403, 403, 403, 404, 302),
    "metrics:interleaving_csv": (200, 403, 403, 403, 403, 404, 302),
    "metrics:ab_test_list": (200, 403, 403, 403, 403, 404, 302),
    "metrics:ab_test_size": (200, 403, 403, 403, 403, 404, 302),
    "metrics:ab_test": (200, 403, 403, 403, 403, 404, 302),
    "metrics:ab_test_tsv": (200, 403, 403, 403, 403, 404, 302),
    "metrics:ab_test_json": (200, 403, 403, 403, 403, 404, 302),
    "metrics:quality": (200, 200, 403, 403, 403, 404, 302),
    "metrics:quality_report": (200, 200, 403, 403, 403, 404, 302),
    "metrics:saturation": (200, 200, 403, 403, 403, 404, 302),
    "metrics:judge_swap": (200, 200, 403, 403, 200, 404, 302),
    "metrics:swap_draws": (404, 404, 403, 403, 404, 404, 302),  # one judge: nobody to swap with
    "metrics:human_ceiling": (200, 200, 403, 403, 200, 404, 302),
    "metrics:scores": (302, 302, 403, 302, 302, 404, 302),
    "metrics:leaderboard": (200, 200, 403, 200, 200, 404, 302),
    "metrics:judge_runs": (200, 200, 403, 200, 200, 404, 302),
    "metrics:judge_runs_csv": (200, 200, 403, 200, 200, 404, 302),
    "metrics:scoring": (200, 200, 403, 200, 200, 404, 302),
    "metrics:leaderboard_csv": (200, 200, 403, 200, 200, 404, 302),
    "metrics:topics_tsv": (200, 200, 403, 200, 200, 404, 302),
    "metrics:topic_scores": (200, 200, 403, 200, 200, 404, 302),
    "metrics:run_scores": (200, 200, 403, 404, 200, 404, 302),
    "metrics:run_topic": (200, 200, 403, 404, 200, 404, 302),
    "metrics:topic_measure": (200, 200, 403, 404, 200, 404, 302),
    "metrics:ties": (200, 200, 403, 404, 200, 404, 302),
    "metrics:topic_statistics_csv": (404, 404, 403, 404, 404, 404, 302),  # the settings do not show them
    "metrics:downloads": (200, 200, 403, 200, 200, 404, 302),
    "metrics:topics_file": (200, 200, 403, 200, 200, 404, 302),
    "metrics:scores_file": (200, 200, 403, 200, 200, 404, 302),
    "metrics:collection": (200, 200, 403, 200, 200, 404, 302),
    "metrics:collection_sum": (200, 200, 403, 200, 200, 404, 302),
    "metrics:public_list": (200, 200, 200, 200, 200, 200, 200),
    "metrics:public": (404, 404, 404, 404, 404, 404, 404),  # until it is published: see tests of public pages
    "metrics:public_release": (404, 404, 404, 404, 404, 404, 404),
    "metrics:public_file": (404, 404, 404, 404, 404, 404, 404),
    "metrics:public_manifest": (404, 404, 404, 404, 404, 404, 404),
    "metrics:public_topics": (404, 404, 404, 404, 404, 404, 404),
    "metrics:public_scores": (404, 404, 404, 404, 404, 404, 404),
    "metrics:public_collection": (404, 404, 404, 404, 404, 404, 404),
    "metrics:public_collection_sum": (404, 404, 404, 404, 404, 404, 404),
    "metrics:compare": (200, 200, 403, 200, 200, 404, 302),
    "metrics:other_tests": (200, 200, 403, 200, 200, 404, 302),
    "metrics:significance": (200, 200, 403, 200, 200, 404, 302),
    "metrics:randomised_groups": (200, 200, 403, 200, 200, 404, 302),
    "metrics:groups_csv": (200, 200, 403, 200, 200, 404, 302),
    "metrics:measure_agreement": (200, 200, 403, 200, 200, 404, 302),
    "metrics:measure_agreement_csv": (200, 200, 403, 200, 200, 404, 302),
    "metrics:measure_list": (200, 200, 200, 200, 200, 200, 302),
    "metrics:measure": (200, 200, 200, 200, 200, 200, 302),
}
POST: dict[str, tuple[int, ...]] = {
    "accounts:sign_in": (302, 302, 302, 302, 302, 302, 200),
    "accounts:password_forgotten": (200, 200, 200, 200, 200, 200, 200),
    "accounts:password_new": (200, 200, 200, 200, 200, 200, 200),
    "accounts:account": (200, 200, 200, 200, 200, 200, 302),
    "accounts:mail_off": (200, 200, 200, 200, 200, 200, 200),
    "accounts:mail_preferences": (302, 302, 302, 302, 302, 302, 302),
    "accounts:provider_link": (404, 404, 404, 404, 404, 404, 302),  # until the settings name a provider
    "accounts:provider_unlink": (404, 404, 404, 404, 404, 404, 302),
    "accounts:password": (200, 200, 200, 200, 200, 200, 302),
    "accounts:session_end": (302, 404, 404, 404, 404, 404, 302),
    "accounts:session_end_others": (302, 302, 302, 302, 302, 302, 302),
    "accounts:token_list": (200, 200, 200, 200, 200, 200, 302),
    "accounts:sign_out": (302, 302, 302, 302, 302, 302, 302),
    "accounts:token_revoke": (302, 404, 404, 404, 404, 404, 302),
    "pooling:campaign_new": (403, 403, 403, 403, 403, 403, 302),  # a right that administrators give
    "pooling:first_organiser": (410, 410, 410, 410, 410, 410, 410),
    "assess:people": (200, 403, 403, 403, 403, 404, 302),
    "assess:people_invite": (200, 403, 403, 403, 403, 404, 302),
    "assess:member_change": (302, 403, 403, 403, 403, 404, 302),
    "assess:member_remove": (200, 403, 403, 403, 403, 404, 302),  # it asks first
    "assess:invitation_renew": (200, 403, 403, 403, 403, 404, 302),
    "assess:invitation_revoke": (302, 403, 403, 403, 403, 404, 302),
    "pooling:topic_list": (200, 403, 403, 403, 403, 404, 302),
    "pooling:topic_edit": (200, 403, 403, 403, 403, 404, 302),
    "pooling:topic_remove": (302, 403, 403, 403, 403, 404, 302),
    "pooling:run_list": (200, 403, 403, 200, 403, 404, 302),
    "pooling:run_report": (200, 403, 403, 200, 403, 404, 302),
    "pooling:job_cancel": (302, 403, 403, 403, 403, 404, 302),
    "pooling:document_report": (200, 403, 403, 403, 403, 404, 302),
    "pooling:pool": (200, 403, 403, 403, 403, 404, 302),
    "pooling:document_list": (200, 403, 403, 403, 403, 404, 302),
    "assess:settings": (200, 403, 403, 403, 403, 404, 302),
    "assess:campaign_clone": (403, 403, 403, 403, 403, 404, 302),  # a right that administrators give
    "assess:campaign_delete": (200, 403, 403, 403, 403, 404, 302),
    "assess:judge_reminders": (302, 403, 403, 403, 403, 404, 302),
    "assess:release_mail": (302, 403, 403, 403, 403, 404, 302),
    "assess:schedule": (200, 403, 403, 403, 403, 404, 302),
    "assess:campaign_state": (302, 403, 403, 403, 403, 404, 302),
    "assess:run_edit": (200, 403, 403, 404, 403, 404, 302),
    "assess:run_replace": (200, 403, 403, 404, 403, 404, 302),
    "assess:run_order": (302, 403, 403, 404, 403, 404, 302),
    "assess:run_hide": (302, 403, 403, 404, 403, 404, 302),
    "assess:run_withdraw": (200, 403, 403, 404, 403, 404, 302),
    "assess:judge_run_list": (200, 403, 403, 200, 403, 404, 302),
    "assess:judge_run_withdraw": (200, 403, 403, 404, 403, 404, 302),
    "assess:answer_run_list": (200, 403, 403, 200, 403, 404, 302),
    "assess:answer_rules": (302, 403, 403, 403, 403, 404, 302),
    "assess:answer_run_withdraw": (200, 403, 403, 404, 403, 404, 302),
    "assess:run_restore": (302, 403, 403, 404, 403, 404, 302),
    "assess:source": (200, 403, 403, 403, 403, 404, 302),
    "assess:source_withdraw": (200, 403, 403, 403, 403, 404, 302),
    "assess:source_restore": (302, 403, 403, 403, 403, 404, 302),
    "assess:source_replace": (200, 403, 403, 403, 403, 404, 302),
    "assess:judging": (200, 403, 403, 403, 403, 404, 302),
    "assess:webhook_list": (200, 403, 403, 403, 403, 404, 302),
    "assess:webhook_test": (302, 403, 403, 403, 403, 404, 302),
    "assess:webhook_remove": (302, 403, 403, 403, 403, 404, 302),
    "assess:topics_distribute": (200, 403, 403, 403, 403, 404, 302),
    "assess:judge_replace": (200, 403, 403, 403, 403, 404, 302),
    "assess:judge_invite": (200, 403, 403, 403, 403, 404, 302),
    "assess:cost": (200, 403, 403, 403, 403, 404, 302),
    "assess:plan": (200, 403, 403, 403, 403, 404, 302),
    "assess:topic_move": (302, 403, 403, 403, 403, 404, 302),
    "assess:topic_take_back": (302, 403, 403, 403, 403, 404, 302),
    "assess:refusals": (302, 403, 403, 403, 403, 404, 302),
    "assess:probes": (200, 403, 403, 403, 403, 404, 302),
    "assess:probes_withdraw": (302, 403, 403, 403, 403, 404, 302),
    "assess:top_up": (302, 403, 403, 403, 403, 404, 302),
    "assess:pool_discard": (302, 403, 403, 403, 403, 404, 302),
    "assess:documents_give": (302, 403, 403, 403, 403, 404, 302),
    "assess:judgments_load": (200, 403, 403, 403, 403, 404, 302),
    "assess:judge": (404, 403, 302, 403, 403, 404, 302),
    "assess:judgment_card": (404, 403, 302, 403, 403, 404, 302),
    "assess:outbox": (400, 403, 400, 403, 403, 404, 302),
    "assess:release_list": (200, 403, 403, 403, 403, 404, 302),  # a form, before it asks and freezes
    "assess:release_audience": (200, 403, 403, 403, 403, 404, 302),
    "assess:release_withdraw": (200, 403, 403, 403, 403, 404, 302),
    "assess:machine_list": (200, 403, 403, 403, 403, 404, 302),
    "assess:prompt_list": (200, 403, 403, 403, 403, 404, 302),
    "assess:labelling_list": (200, 403, 403, 403, 403, 404, 302),
    "assess:labelling": (200, 403, 403, 403, 403, 404, 302),
    "assess:labelling_endpoint": (200, 403, 403, 403, 403, 404, 302),
    "assess:labelling_labels": (200, 403, 403, 403, 403, 404, 302),
    "metrics:machine_audit_list": (200, 403, 403, 403, 403, 404, 302),
    "metrics:machine_audit_give": (302, 403, 403, 403, 403, 404, 302),
    "assess:click_log_list": (200, 403, 403, 403, 403, 404, 302),
    "assess:click_log": (200, 403, 403, 403, 403, 404, 302),
    "assess:click_log_describe": (302, 403, 403, 403, 403, 404, 302),
    "assess:click_log_withdraw": (200, 403, 403, 403, 403, 404, 302),
    "assess:click_log_restore": (302, 403, 403, 403, 403, 404, 302),
    "assess:click_log_replace": (200, 403, 403, 403, 403, 404, 302),
    "assess:requests_again": (200, 403, 403, 403, 403, 404, 302),
    "assess:decisions": (400, 400, 403, 403, 403, 404, 302),
    "assess:votes": (404, 403, 400, 403, 403, 404, 302),
    "assess:claim": (302, 302, 403, 403, 403, 404, 302),
    "assess:settle": (302, 302, 403, 403, 403, 404, 302),
    "assess:topic_note": (404, 403, 200, 403, 403, 404, 302),
    "assess:own_terms": (404, 403, 400, 403, 403, 404, 302),
    "assess:review_list": (200, 403, 403, 403, 403, 404, 302),
    "assess:collection_load": (200, 403, 403, 403, 403, 404, 302),
    "assess:collection_of_stored": (302, 403, 403, 403, 403, 404, 302),
    "assess:review_costs": (200, 403, 403, 403, 403, 404, 302),
    "assess:review_next": (302, 403, 403, 403, 403, 404, 302),
    "assess:review_search": (404, 403, 200, 403, 403, 404, 302),
    "assess:review_sample": (200, 403, 403, 403, 403, 404, 302),
    "assess:review_stop": (200, 403, 403, 403, 403, 404, 302),
    "assess:review_discard": (200, 403, 403, 403, 403, 404, 302),
    "assess:collection_remove": (200, 403, 403, 403, 403, 404, 302),
    "assess:near_duplicates": (200, 403, 403, 403, 403, 404, 302),
    "assess:near_duplicates_freeze": (302, 403, 403, 403, 403, 404, 302),
    "assess:near_duplicates_discard": (302, 403, 403, 403, 403, 404, 302),
    "assess:near_duplicate_split": (404, 403, 403, 403, 403, 404, 302),
    "assess:near_copy_split": (404, 403, 404, 403, 403, 404, 302),
    "assess:ask_again": (302, 302, 403, 403, 403, 404, 302),
    "assess:settling": (200, 200, 403, 403, 403, 404, 302),
    "assess:reopen": (302, 302, 403, 403, 403, 404, 302),
    "assess:adjudication_reasons": (302, 403, 403, 403, 403, 404, 302),
    "metrics:interleaving_list": (200, 403, 403, 403, 403, 404, 302),
    "metrics:interleaving": (200, 403, 403, 403, 403, 404, 302),
    "metrics:system_quality": (200, 403, 403, 403, 403, 404, 302),
    "metrics:system_quality_remove": (200, 403, 403, 403, 403, 404, 302),
    "metrics:interleaving_clicks": (302, 403, 403, 403, 403, 404, 302),
    "metrics:interleaving_clicks_withdraw": (200, 403, 403, 403, 403, 404, 302),
    "metrics:interleaving_clicks_restore": (302, 403, 403, 403, 403, 404, 302),
    "metrics:interleaving_clicks_replace": (200, 403, 403, 403, 403, 404, 302),
    "assess:snippet_setup": (200, 403, 403, 403, 403, 404, 302),
    "assess:snippet_runs": (200, 403, 403, 403, 403, 404, 302),
    "assess:snippet_remove": (200, 403, 403, 403, 403, 404, 302),
    "assess:snippet_discard": (200, 403, 403, 403, 403, 404, 302),
    "assess:snippet_handover": (200, 403, 403, 403, 403, 404, 302),
    "assess:snippet": (404, 403, 200, 403, 403, 404, 302),
    "assess:snippet_outbox": (404, 403, 400, 403, 403, 404, 302),
    "assess:magnitude_setup": (200, 403, 403, 403, 403, 404, 302),
    "assess:magnitude_discard": (200, 403, 403, 403, 403, 404, 302),
    "assess:magnitude_handover": (200, 403, 403, 403, 403, 404, 302),
    "assess:magnitude": (404, 403, 200, 403, 403, 404, 302),
    "assess:magnitude_outbox": (404, 403, 400, 403, 403, 404, 302),
    "metrics:ab_test_list": (200, 403, 403, 403, 403, 404, 302),
    "metrics:ab_test": (200, 403, 403, 403, 403, 404, 302),
    "metrics:ab_test_withdraw": (200, 403, 403, 403, 403, 404, 302),
    "assess:preference_setup": (200, 403, 403, 403, 403, 404, 302),
    "assess:preference_discard": (200, 403, 403, 403, 403, 404, 302),
    "assess:preference_handover": (200, 403, 403, 403, 403, 404, 302),
    "assess:preference": (404, 403, 200, 403, 403, 404, 302),
    "assess:preference_outbox": (404, 403, 400, 403, 403, 404, 302),
    "assess:grading_setup": (200, 403, 403, 403, 403, 404, 302),
    "assess:grading_discard": (200, 403, 403, 403, 403, 404, 302),
    "assess:grading_handover": (200, 403, 403, 403, 403, 404, 302),
    "assess:grading": (404, 403, 200, 403, 403, 404, 302),
    "assess:matching_setup": (200, 403, 403, 403, 403, 404, 302),
    "assess:matching_discard": (200, 403, 403, 403, 403, 404, 302),
    "assess:matching_differences": (200, 200, 403, 403, 403, 404, 302),
    "assess:matching_handover": (200, 403, 403, 403, 403, 404, 302),
    "assess:support_setup": (200, 403, 403, 403, 403, 404, 302),
    "assess:support_discard": (200, 403, 403, 403, 403, 404, 302),
    "assess:support_handover": (200, 403, 403, 403, 403, 404, 302),
    "assess:support": (404, 403, 200, 403, 403, 404, 302),
    "assess:support_outbox": (404, 403, 400, 403, 403, 404, 302),
    "assess:matching": (404, 403, 200, 403, 403, 404, 302),
    "assess:matching_outbox": (404, 403, 400, 403, 403, 404, 302),
    "assess:grading_outbox": (404, 403, 400, 403, 403, 404, 302),
    "metrics:pyramid_list": (200, 403, 403, 403, 403, 404, 302),
    "metrics:pyramid": (200, 403, 403, 403, 403, 404, 302),
    "assess:pyramid_draft_new": (200, 200, 403, 403, 403, 404, 302),
    "assess:pyramid_draft": (200, 200, 403, 403, 403, 404, 302),
    "assess:pyramid_draft_unit": (302, 302, 403, 403, 403, 404, 302),
    "assess:pyramid_draft_store": (200, 403, 403, 403, 403, 404, 302),
    "assess:pyramid_draft_discard": (200, 200, 403, 403, 403, 404, 302),
    "assess:pyramid_withdraw": (200, 403, 403, 403, 403, 404, 302),
    "assess:pyramid_peer_withdraw": (200, 403, 403, 403, 403, 404, 302),
    "assess:nugget_bank_list": (200, 200, 403, 403, 403, 404, 302),
    "assess:nugget_bank": (200, 200, 403, 403, 403, 404, 302),
    "assess:nugget_topic": (200, 200, 403, 403, 403, 404, 302),
    "assess:nugget": (200, 200, 403, 403, 403, 404, 302),
    "assess:nugget_join": (200, 200, 403, 403, 403, 404, 302),
    "assess:nugget_delete": (200, 200, 403, 403, 403, 404, 302),
    "assess:own_nugget_topic": (404, 403, 200, 403, 403, 404, 302),
    "assess:own_nugget_answers": (404, 403, 200, 403, 403, 404, 302),
    "assess:own_nugget_delete": (404, 403, 302, 403, 403, 404, 302),
    "assess:own_nugget_mark_delete": (404, 403, 302, 403, 403, 404, 302),
    "assess:nugget_vote": (302, 302, 403, 403, 403, 404, 302),
    "assess:nugget_bank_freeze": (200, 403, 403, 403, 403, 404, 302),
    "assess:nugget_bank_discard": (200, 403, 403, 403, 403, 404, 302),
    "assess:nugget_load_withdraw": (200, 200, 403, 403, 403, 404, 302),
    "assess:battle_program_list": (200, 403, 403, 403, 403, 404, 302),
    "assess:battle_program": (200, 403, 403, 403, 403, 404, 302),
    "assess:battle_program_withdraw": (200, 403, 403, 403, 403, 404, 302),
    "metrics:answer_release_list": (200, 403, 403, 403, 403, 404, 302),
    "assess:matching_program_list": (200, 403, 403, 403, 403, 404, 302),
    "assess:matching_program": (200, 403, 403, 403, 403, 404, 302),
    "assess:matching_program_withdraw": (200, 403, 403, 403, 403, 404, 302),
    "assess:battle_setup": (200, 403, 403, 403, 403, 404, 302),
    "metrics:battle_release": (200, 403, 403, 403, 403, 404, 302),
    "assess:battle_discard": (200, 403, 403, 403, 403, 404, 302),
    "assess:battle_handover": (200, 403, 403, 403, 403, 404, 302),
    "assess:battle": (404, 403, 200, 403, 403, 404, 302),
    "assess:battle_outbox": (404, 403, 400, 403, 403, 404, 302),
    "assess:panel_setup": (200, 403, 403, 403, 403, 404, 302),
    "assess:panel_topic": (404, 403, 200, 403, 403, 404, 302),
}


API: dict[tuple[str, str], tuple[int, ...]] = {  # by token
    ("get", "api:campaign_list"): (200, 200, 200, 200, 200, 200, 401),
    ("get", "api:campaign"): (200, 200, 200, 200, 200, 404, 401),
    ("post", "api:campaign_create"): (400, 400, 400, 400, 400, 400, 401),  # no JSON: see test_api_writes
    ("patch", "api:settings_change"): (422, 422, 422, 422, 422, 422, 401),
    ("post", "api:state_change"): (400, 400, 400, 400, 400, 400, 401),
    ("patch", "api:schedule_change"): (422, 422, 422, 422, 422, 422, 401),
    ("get", "api:topic_list"): (200, 200, 200, 200, 200, 404, 401),
    ("post", "api:topic_load"): (422, 422, 422, 422, 422, 422, 401),  # no file
    ("get", "api:topic"): (200, 200, 200, 200, 200, 404, 401),
    ("patch", "api:topic_change"): (422, 422, 422, 422, 422, 422, 401),
    ("delete", "api:topic_remove"): (409, 403, 403, 403, 403, 404, 401),  # its documents are pooled
    ("post", "api:document_load"): (422, 422, 422, 422, 422, 422, 401),
    ("get", "api:job"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:run_list"): (200, 200, 403, 200, 200, 404, 401),
    ("post", "api:run_submit"): (422, 422, 422, 422, 422, 422, 401),  # no file: nobody is told more
    ("get", "api:run"): (200, 200, 403, 404, 200, 404, 401),
    ("get", "api:run_file"): (200, 200, 403, 404, 200, 404, 401),
    ("post", "api:run_describe"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:run_replace"): (422, 422, 422, 422, 422, 422, 401),
    ("post", "api:run_order"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:run_withdraw"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:run_restore"): (409, 403, 403, 404, 403, 404, 401),  # it is not withdrawn
    ("post", "api:run_hide"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:battle_sets"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:battle_votes"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:battle_results"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:battle_release"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:battle_release_make"): (201, 403, 403, 403, 403, 404, 401),
    ("get", "api:answer_releases"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:answer_release"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:answer_release_make"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:gradings"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:grading_results"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:grading_grades"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:matchings"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:matching_scores"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:matching_labels"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:matching_assignments"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:support_sets"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:support_scores"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:support_labels"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:ab_tests"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:ab_test_results"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:snippet_sets"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:snippet_results"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:snippet_grades"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:compared_label_sources"): (200, 200, 403, 403, 403, 404, 401),
    ("get", "api:confusion"): (200, 200, 403, 403, 403, 404, 401),
    ("get", "api:pyramids"): (200, 200, 403, 403, 403, 404, 401),
    ("get", "api:pyramid_scores"): (200, 200, 403, 403, 403, 404, 401),
    ("get", "api:nugget_banks"): (200, 200, 403, 403, 403, 404, 401),
    ("get", "api:nugget_bank_download"): (200, 200, 403, 403, 403, 404, 401),
    ("get", "api:nugget_load_list"): (200, 200, 403, 403, 403, 404, 401),
    ("post", "api:nugget_load_withdrawal"): (200, 200, 403, 403, 403, 404, 401),
    ("post", "api:nugget_bank_load"): (422, 422, 422, 422, 422, 422, 401),
    ("post", "api:nugget_bank_begin"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:nugget_bank_freeze"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:nugget_bank_discard"): (204, 403, 403, 403, 403, 404, 401),
    ("get", "api:nugget_list"): (200, 200, 403, 403, 403, 404, 401),
    ("post", "api:nugget_add"): (400, 400, 400, 400, 400, 400, 401),
    ("patch", "api:nugget_change"): (422, 422, 422, 422, 422, 422, 401),
    ("delete", "api:nugget_remove"): (204, 404, 403, 403, 403, 404, 401),  # gone for the second
    ("post", "api:nugget_weigh"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:nugget_merge"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:answer_rules"): (200, 403, 403, 200, 403, 404, 401),
    ("patch", "api:answer_rules_change"): (422, 422, 422, 422, 422, 422, 401),
    ("get", "api:answer_run_list"): (200, 403, 403, 200, 403, 404, 401),
    ("post", "api:answer_run_submit"): (422, 422, 422, 422, 422, 422, 401),
    ("get", "api:answer_list"): (200, 403, 403, 404, 403, 404, 401),
    ("get", "api:judge_run_list"): (200, 403, 403, 200, 403, 404, 401),
    ("post", "api:judge_run_submit"): (422, 422, 422, 422, 422, 422, 401),
    ("get", "api:pool_list"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:pool_draft"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:pool_freeze"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:pool"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:pool_documents"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:pool_discard"): (409, 403, 403, 403, 403, 404, 401),  # its documents are judged
    ("get", "api:member_list"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:member_add"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:invitation_list"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:invitation_create"): (400, 400, 400, 400, 400, 400, 401),
    ("delete", "api:invitation_revoke"): (204, 403, 403, 403, 403, 404, 401),
    ("get", "api:assignment_list"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:assignment_create"): (400, 400, 400, 400, 400, 400, 401),
    ("delete", "api:assignment_end"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:documents_give"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:my_topic_list"): (200, 403, 200, 403, 403, 404, 401),
    ("get", "api:next_document_list"): (404, 403, 200, 403, 403, 404, 401),
    ("post", "api:document_take"): (404, 403, 200, 403, 403, 404, 401),
    ("post", "api:label_record"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:judge_load"): (422, 422, 422, 422, 422, 422, 401),
    ("post", "api:machine_load"): (422, 422, 422, 422, 422, 422, 401),
    ("get", "api:source_list"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:source_withdraw"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:source_restore"): (409, 403, 403, 403, 403, 404, 401),  # it is not withdrawn
    ("get", "api:label_list"): (200, 200, 403, 403, 403, 404, 401),
    ("get", "api:agreement"): (200, 200, 403, 403, 200, 404, 401),
    ("patch", "api:member_change"): (422, 422, 422, 422, 422, 422, 401),
    ("delete", "api:member_remove"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:assignment_move"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:answer_run_withdraw"): (204, 403, 403, 404, 403, 404, 401),
    ("post", "api:judge_run_withdraw"): (204, 403, 403, 404, 403, 404, 401),
    ("get", "api:argue_scores"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:preference_sets"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:preference_best"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:preference_votes"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:magnitude_sets"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:magnitude_gains"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:magnitude_numbers"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:rule_preview"): (200, 200, 403, 403, 403, 404, 401),
    ("post", "api:rule_settle"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:dispute_list"): (200, 200, 403, 403, 403, 404, 401),
    ("get", "api:settled_list"): (200, 200, 403, 403, 403, 404, 401),
    ("get", "api:dispute"): (200, 200, 403, 403, 403, 404, 401),
    ("post", "api:dispute_settle"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:dispute_reserve"): (200, 200, 403, 403, 403, 404, 401),
    ("post", "api:dispute_reopen"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:label_return"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:campaign_clone"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:plan"): (200, 403, 403, 403, 403, 404, 401),
    ("patch", "api:plan_change"): (422, 422, 422, 422, 422, 422, 401),
    ("get", "api:progress"): (200, 200, 403, 403, 403, 404, 401),
    ("get", "api:gold_list"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:gold_load"): (422, 422, 422, 422, 422, 422, 401),
    ("post", "api:gold_withdraw"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:prompts"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:prompt_create"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:labellings"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:labelling_create"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:labelling"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:labelling_batch"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:labelling_results"): (422, 422, 422, 422, 422, 422, 401),
    ("post", "api:labelling_labels"): (201, 403, 403, 403, 403, 404, 401),
    ("get", "api:machine_audits"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:machine_audit_draw"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:machine_audit_result"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:machine_audit_give"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:click_logs"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:click_log_load"): (422, 422, 422, 422, 422, 422, 401),
    ("get", "api:click_documents"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:click_labels"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:click_log_withdraw"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:click_log_restore"): (409, 403, 403, 403, 403, 404, 401),  # it is not withdrawn
    ("get", "api:review_collections"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:review_collection_load"): (422, 422, 422, 422, 422, 422, 401),
    ("delete", "api:review_collection_remove"): (204, 403, 403, 403, 403, 404, 401),
    ("get", "api:reviews"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:reviews_begin"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:review_state"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:review_documents"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:review_batch"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:review_sample"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:review_stop"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:review_discard"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:review_simulations"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:review_simulate"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:near_duplicates"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:near_duplicates_find"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:near_duplicate_classes"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:near_duplicates_freeze"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:near_duplicates_discard"): (404, 403, 403, 403, 403, 404, 401),  # there are none
    ("post", "api:near_duplicate_split"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:battle_make"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:battle_progress"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:battle_handover"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:battle_discard"): (204, 403, 403, 403, 403, 404, 401),
    ("post", "api:grading_make"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:grading_progress"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:grading_handover"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:grading_discard"): (204, 403, 403, 403, 403, 404, 401),
    ("post", "api:preference_make"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:preference_progress"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:preference_handover"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:preference_discard"): (204, 403, 403, 403, 403, 404, 401),
    ("post", "api:magnitude_make"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:magnitude_progress"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:magnitude_handover"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:magnitude_discard"): (204, 403, 403, 403, 403, 404, 401),
    ("post", "api:snippet_make"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:snippet_progress"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:snippet_handover"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:snippet_discard"): (204, 403, 403, 403, 403, 404, 401),
    ("post", "api:matching_make"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:matching_progress"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:matching_handover"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:matching_discard"): (204, 403, 403, 403, 403, 404, 401),
    ("post", "api:support_make"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:support_progress"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:support_handover"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:support_discard"): (204, 403, 403, 403, 403, 404, 401),
    ("get", "api:interleavings"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:interleaving_create"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:interleaving_lists"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:interleaving_results"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:interleaving_click_list"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:interleaving_click_load"): (422, 422, 422, 422, 422, 422, 401),
    ("post", "api:interleaving_clicks_replace"): (422, 422, 422, 422, 422, 422, 401),
    ("post", "api:interleaving_clicks_withdraw"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:interleaving_clicks_restore"): (422, 403, 403, 403, 403, 404, 401),  # it is not withdrawn
    ("post", "api:ab_test_create"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:ab_test_files"): (200, 403, 403, 403, 403, 404, 401),
    ("post", "api:ab_test_load"): (422, 422, 422, 422, 422, 422, 401),
    ("post", "api:ab_test_withdraw"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:judging_cost"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:timesheet"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:judge_consistency"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:swap_result"): (200, 200, 403, 403, 200, 404, 401),
    ("get", "api:swap_ceilings"): (200, 200, 403, 403, 200, 404, 401),
    ("get", "api:generalisability"): (200, 200, 403, 200, 200, 404, 401),
    ("get", "api:system_quality"): (200, 200, 403, 200, 200, 404, 401),
    ("get", "api:reproducibility"): (404, 404, 403, 404, 404, 404, 401),  # there is one run
    ("post", "api:system_figures_load"): (422, 422, 422, 422, 422, 422, 401),
    ("delete", "api:system_quality_remove"): (204, 403, 403, 403, 403, 404, 401),
    ("get", "api:panels"): (200, 403, 403, 403, 403, 404, 401),
    ("get", "api:panel_results"): (200, 200, 403, 200, 200, 404, 401),
    ("post", "api:panel_create"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:panel_votes"): (200, 200, 403, 404, 200, 404, 401),
    ("get", "api:release_list"): (200, 200, 403, 200, 200, 404, 401),
    ("post", "api:release_freeze"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:release"): (200, 200, 403, 200, 200, 404, 401),
    ("post", "api:release_audience"): (400, 400, 400, 400, 400, 400, 401),
    ("post", "api:release_withdraw"): (400, 400, 400, 400, 400, 400, 401),
    ("get", "api:release_file"): (200, 200, 403, 403, 403, 404, 401),
    ("get", "api:score_list"): (200, 200, 403, 200, 200, 404, 401),
    ("get", "api:run_scores"): (200, 200, 403, 404, 200, 404, 401),
    ("get", "api:scores_file"): (200, 200, 403, 200, 200, 404, 401),
    ("get", "api:collection"): (200, 200, 403, 200, 200, 404, 401),
}
for method, operation in API:  # a session opens no door of the API
    if method in ("get", "post"):
        {"get": GET, "post": POST}[method][operation] = (401,) * len(PEOPLE)


SITE: dict[
    tuple[str, str], int
] = {  # what sam gets, who administers the site; to all others there is nothing
    ("get", "admin:index"): 200,
    ("get", "admin:login"): 302,
    ("get", "admin:logout"): 405,
    ("get", "admin:password_change"): 200,
    ("get", "admin:password_change_done"): 200,
    ("get", "admin:autocomplete"): 403,
    ("get", "admin:jsi18n"): 200,
    ("get", "admin:view_on_site"): 404,
    ("get", "admin:app_list"): 200,
    ("get", "admin:accounts_user_changelist"): 200,
    ("get", "admin:accounts_user_add"): 403,
    ("get", "admin:accounts_user_change"): 200,
    ("get", "admin:accounts_user_delete"): 403,
    ("get", "admin:accounts_user_history"): 200,
    ("get", "admin:auth_user_password_change"): 200,
    ("get", "admin:pooling_campaign_changelist"): 200,
    ("get", "admin:pooling_campaign_add"): 403,
    ("get", "admin:pooling_campaign_change"): 200,
    ("get", "admin:pooling_campaign_delete"): 403,
    ("get", "admin:pooling_campaign_history"): 200,
    ("post", "admin:login"): 302,
    ("post", "admin:logout"): 302,
    ("post", "admin:password_change"): 200,
    ("post", "admin:accounts_user_changelist"): 200,
    ("post", "admin:accounts_user_add"): 403,
    ("post", "admin:accounts_user_change"): 302,
    ("post", "admin:accounts_user_delete"): 403,
    ("post", "admin:auth_user_password_change"): 200,
    ("post", "admin:pooling_campaign_changelist"): 200,
    ("post", "admin:pooling_campaign_add"): 403,
    ("post", "admin:pooling_campaign_change"): 403,
    ("post", "admin:pooling_campaign_delete"): 403,
}
for method, name in SITE:
    {"get": GET, "post": POST}[method][name] = (404, 404, 404, 404, 404, 404, 302)
SITE |= {(method, "pooling:campaign_new"): 200 for method in ("get", "post")}


def test_every_url_has_a_row() -> None:
    assert set(URLS) == {*GET, *POST, *(name for _, name in API)}


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_release(campaign)
    create_campaign(make.make_user("mallory"), "Other", "other", FOUR_STEPS, 2)
    return campaign


@contextmanager
def undone() -> Iterator[None]:
    """Undo what is stored within, so that the next place is tried on the same campaign."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    cache.clear()


def signed_in(user: User | None) -> Client:
    client = Client()
    if user:
        client.force_login(user)
    return client


def with_token(user: User | None) -> Client:
    token = create_token(user, "test") if user else "jp_nobody"
    return Client(headers={"Authorization": f"Bearer {token}"})


def status(client: Client, method: str, url: str) -> int:
    cookies = deepcopy(client.cookies)
    response = getattr(client, method)(url)
    list(response)  # a download is read to its end, which closes its file
    client.cookies = cookies  # which the answer may have ended
    return int(response.status_code)


def everybody(make: Factory, client_of: Callable[[User | None], Client] = signed_in) -> list[Client]:
    return [client_of(make.make_user(person) if person else None) for person in PEOPLE]


def statuses(
    method: str, name: str, campaign: Campaign, make: Factory, people: list[Client]
) -> tuple[int, ...]:
    """Return what each of PEOPLE gets, in turn."""
    with undone():
        url = place(name, campaign, make)
        return tuple(status(client, method, url) for client in people)


@pytest.mark.parametrize("app", sorted({name.split(":")[0] for name in GET}))
def test_who_may_look(app: str, campaign: Campaign, make: Factory) -> None:
    expected = {name: row for name, row in GET.items() if name.startswith(f"{app}:")}
    people = everybody(make)
    assert {name: statuses("get", name, campaign, make, people) for name in expected} == expected


@pytest.mark.parametrize("app", sorted({name.split(":")[0] for name in POST}))
def test_who_may_act(app: str, campaign: Campaign, make: Factory) -> None:
    expected = {name: row for name, row in POST.items() if name.startswith(f"{app}:")}
    people = everybody(make)
    assert {name: statuses("post", name, campaign, make, people) for name in expected} == expected


@pytest.mark.parametrize(("method", "table"), [("get", GET), ("post", POST)], ids=["get", "post"])
def test_who_administers_the_site_is_an_outsider_in_a_campaign(
    method: str, table: dict[str, tuple[int, ...]], campaign: Campaign, make: Factory
) -> None:
    sam, found = signed_in(make.make_administrator("sam")), {}
    for name in table:
        with undone():
            found[name] = status(sam, method, place(name, campaign, make))
    outsider = PEOPLE.index("mallory")
    assert found == {name: SITE.get((method, name), row[outsider]) for name, row in table.items()}


def test_what_one_campaign_holds_cannot_be_reached_through_another(campaign: Campaign, make: Factory) -> None:
    """mallory organises `other`, which is empty: nothing that `tiny` holds is found there."""
    mallory, found, expected = signed_in(make.make_user("mallory")), {}, {}
    for method, table in (("get", GET), ("post", POST)):
        for name in (name for name in table if {"slug"} < set(URLS[name])):
            with undone():
                url = place(name, campaign, make).replace("/tiny/", "/other/")
                found[method, name] = status(mallory, method, url)
            expected[method, name] = 401 if name.startswith("api:") else 404
    assert found == expected


def test_who_may_use_the_api(campaign: Campaign, make: Factory) -> None:
    people = everybody(make, with_token)
    found = {key: statuses(*key, campaign, make, people) for key in API}
    assert found == API


def test_the_api_has_a_row_for_every_operation() -> None:
    assert {name for _, name in API} == {name for name in URLS if name.startswith("api:")} - {
        "api:openapi-json",
        "api:openapi-view",
        "api:api-root",
        "api:unknown-address",
    }


ACTS_ONLY = [
    name for name in URLS if name not in GET and name != "accounts:sign_out" and not name.startswith("api:")
]


FRAGMENTS = {
    "assess:votes",
    "assess:battle_outbox",
    "assess:preference_outbox",
    "assess:snippet_outbox",
    "assess:magnitude_outbox",
    "assess:grading_outbox",
    "assess:support_outbox",
    "assess:matching_outbox",
    "assess:decisions",
}
# requests of a script: nobody comes back to their address


def shows_a_page(url: str) -> bool:
    """Whether a view can answer with a page, such as a question, instead of leading to one."""
    source = inspect.getsource(inspect.unwrap(resolve(url).func))
    return bool(re.search(r"render\(|_page\(|_confirmation\(", source))


def test_what_acts_answers_a_look_with_the_page_that_has_its_button(
    campaign: Campaign, make: Factory
) -> None:
    carol, strange, led = signed_in(make.make_user("carol")), {}, 0
    for name in ACTS_ONLY:
        with undone():
            url = place(name, campaign, make)
            leads = shows_a_page(url) and name not in FRAGMENTS
            chain = carol.get(url, follow=True)
            found = [status for _, status in chain.redirect_chain] + [chain.status_code]
            led += leads
            if found != ([302, 200] if leads else [405]):
                strange[name] = found
    assert strange == {} and led > 15


def test_a_participant_sees_own_runs_and_scores_alone(campaign: Campaign, make: Factory) -> None:
    make.make_run(campaign, "1 D1 1", tag="mine", group="davelab")
    client = Client()
    client.force_login(make.make_user("dave"))
    for url in (
        "runs/",
        "scores/1/",
        "scores/1/csv/",
        "scores/1/topics/",
        "scores/1/topics/tsv/",
        "scores/1/compare/",
    ):
        content = markup(client.get(f"/campaigns/tiny/{url}"))
        assert "mine" in content
        assert "carolab" not in content and ">run<" not in content and "\nrun" not in content
    assert client.get("/campaigns/tiny/runs/mine/").status_code == 200


SECRETS = ("zebra", "bob", "7.125", "9.5", "run_count", "best_rank")
JUDGE_MAY_SEE = [
    "pooling:campaign_list",
    "pooling:topic_list",
    "pooling:topic",
    "assess:my_topics",
    "assess:my_labels",
    "assess:topic_note",
    "assess:near_copies",
    "assess:review_search",
    "assess:judge",
    "assess:judgment_card",
    "assess:document_part",
    "assess:own_examples",
    "assess:recent_labels",
    "assess:preference_list",
    "assess:preference",
    "assess:snippet_list",
    "assess:snippet",
    "assess:magnitude_list",
    "assess:magnitude",
    "assess:own_nugget_list",
    "assess:own_nugget_topic",
    "assess:own_nugget_answers",
    "assess:grading_list",
    "assess:grading",
    "assess:grading_source",
    "assess:support_list",
    "assess:support",
    "assess:matching_list",
    "assess:matching",
    "assess:battle_list",
    "assess:battle",
    "assess:battle_source",
    "assess:panel_list",
    "assess:panel_topic",
    "assess:panel_document",
    "assess:image",
    "assess:panel_image",
]


WITHOUT_CAMPAIGN = {
    "accounts:account",
    "accounts:mail_off",
    "accounts:password",
    "accounts:password_forgotten",
    "accounts:password_mailed",
    "accounts:password_new",
    "accounts:session_list",
    "accounts:token_list",
    "api:openapi-json",
    "api:openapi-view",
    "assess:invitation",
    "operations:live",
    "operations:ready",
    "metrics:public_list",
    "metrics:measure",
    "metrics:measure_list",
}


def test_nothing_that_a_judge_can_open_tells_of_runs_or_of_other_judges(
    campaign: Campaign, make: Factory
) -> None:
    make.make_run(campaign, "1 D1 7.125", tag="zebra-run", group="zebra-group")
    make.make_judgment(campaign, "bob", "2", "D1", 1)
    make.make_vote(make.make_panel(campaign), "bob", "1", "left", "because of 9.5")
    opened = {name for name, expected in GET.items() if expected[PEOPLE.index("alice")] == 200}
    assert opened == {*JUDGE_MAY_SEE, *WITHOUT_CAMPAIGN}
    client = Client()
    client.force_login(make.make_user("alice"))
    for name in JUDGE_MAY_SEE:
        response = client.get(place(name, campaign, make))
        page = markup(response) + str(response.headers)
        for secret in SECRETS:
            assert secret not in page, (name, secret)
        assert 'aria-pressed="true"' not in page, name


def test_the_answer_to_a_label_tells_nothing_of_runs_or_of_other_judges(
    campaign: Campaign, make: Factory
) -> None:
    make.make_run(campaign, "1 D1 7.125", tag="zebra-run", group="zebra-group")
    for docno in ("D1", "D2", "D3"):
        make.make_judgment(campaign, "bob", "1", docno, 1)
    client = Client()
    client.force_login(make.make_user("alice"))
    parcel = {"judge": make.make_user("alice").pk, "topic": "1", "have": [], "want": 4, "labels": []}
    response = client.post("/campaigns/tiny/judge/outbox/", parcel, "application/json")
    answer = markup(response) + str(response.headers)
    assert answer.count("<template>") == 2  # alice has labelled one of three
    assert answer.count('data-relevance=""') == 2
    for secret in SECRETS:
        assert secret not in answer
