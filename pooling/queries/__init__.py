"""The reads of the ground floor that need a name, one module a noun. They never write."""

from pooling.queries.campaigns import (
    campaign_or_404,
    campaigns_with_roles,
    group_of,
    may_create_campaigns,
    note_roles,
    published_campaigns,
    published_or_404,
    runs_seen_by,
    topic_page,
    topics_with_pool_sizes,
)
from pooling.queries.candidates import new_documents
from pooling.queries.documents import (
    IMPORTED,
    docnos_without_text,
    document_counts,
    document_of,
    imports_so_far,
)
from pooling.queries.drafts import (
    Compared,
    Draft,
    compared_plans,
    draft_of,
    overlap_of,
)
from pooling.queries.jobs import unfinished_jobs
from pooling.queries.pools import pooled_before, pooled_in
from pooling.queries.runs import (
    docno_table,
    in_collection,
    numbered,
    ranked_runs,
    stored,
    text_of,
)
from pooling.queries.snapshots import snapshot
from pooling.queries.trails import Trail, trail_lines, trail_of, trail_page

__all__ = [
    "IMPORTED",
    "Compared",
    "Draft",
    "Trail",
    "campaign_or_404",
    "campaigns_with_roles",
    "compared_plans",
    "docno_table",
    "docnos_without_text",
    "document_counts",
    "document_of",
    "draft_of",
    "group_of",
    "may_create_campaigns",
    "imports_so_far",
    "in_collection",
    "new_documents",
    "note_roles",
    "numbered",
    "overlap_of",
    "pooled_before",
    "pooled_in",
    "published_campaigns",
    "published_or_404",
    "ranked_runs",
    "runs_seen_by",
    "topic_page",
    "snapshot",
    "stored",
    "text_of",
    "topics_with_pool_sizes",
    "trail_lines",
    "trail_of",
    "trail_page",
    "unfinished_jobs",
]
