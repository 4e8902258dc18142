"""The models of pooling, one module for each noun."""

from pooling.models.campaigns import WORD, Campaign, CampaignQuerySet, Invitation, Membership, Role, Topic
from pooling.models.documents import Document
from pooling.models.jobs import Job
from pooling.models.pools import Pool, PooledDocument
from pooling.models.runs import DocnoBlock, Run, RunColumns, RunQuerySet
from pooling.models.trails import TrailEntry, TrailQuerySet

__all__ = [
    "Campaign",
    "CampaignQuerySet",
    "DocnoBlock",
    "Document",
    "Invitation",
    "Job",
    "Membership",
    "Pool",
    "PooledDocument",
    "Role",
    "Run",
    "RunColumns",
    "RunQuerySet",
    "Topic",
    "TrailEntry",
    "TrailQuerySet",
    "WORD",
]
