"""The pages of the ground floor, one module a noun."""

from pooling.views.campaigns import campaign_list, campaign_new
from pooling.views.documents import document_list, document_report, documents_missing
from pooling.views.jobs import job, job_cancel, job_list
from pooling.views.pools import pool, pool_docnos, pool_draft, pool_manifest, pool_overlap, pool_strategies
from pooling.views.runs import report, run, run_file, run_list
from pooling.views.topics import topic, topic_list
from pooling.views.trails import trail, trail_file

__all__ = [
    "campaign_list",
    "campaign_new",
    "document_list",
    "document_report",
    "documents_missing",
    "job",
    "job_cancel",
    "job_list",
    "pool",
    "pool_docnos",
    "pool_draft",
    "pool_manifest",
    "pool_overlap",
    "pool_strategies",
    "report",
    "run",
    "run_file",
    "run_list",
    "topic",
    "topic_list",
    "trail",
    "trail_file",
]
