"""The reads of the ground floor that need a name, one module a noun. They never write."""

from pooling.queries.campaigns import (
    campaign_or_404,
    campaigns_with_roles,
    group_of,
    runs_seen_by,
    topics_with_pool_sizes,
)
from pooling.queries.documents import docnos_without_text, document_counts, document_of
from pooling.queries.drafts import (
    Compared,
    Draft,
    compared_plans,
    deepest_rank,
    draft_of,
    overlap_of,
)
from pooling.queries.pools import pooled_before, pooled_in
from pooling.queries.runs import (
    docno_table,
    in_collection,
    ranked_ids,
    ranked_runs,
    stored,
)

__all__ = [
    "Compared",
    "Draft",
    "campaign_or_404",
    "campaigns_with_roles",
    "compared_plans",
    "deepest_rank",
    "docno_table",
    "docnos_without_text",
    "document_counts",
    "document_of",
    "draft_of",
    "group_of",
    "in_collection",
    "overlap_of",
    "pooled_before",
    "pooled_in",
    "ranked_ids",
    "ranked_runs",
    "runs_seen_by",
    "stored",
    "topics_with_pool_sizes",
]
