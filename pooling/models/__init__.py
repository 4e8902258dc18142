"""The models of pooling, one module for each noun."""

from pooling.models.audit_log import AuditLogEntry, AuditLogQuerySet
from pooling.models.campaigns import (
    WORD,
    Campaign,
    CampaignQuerySet,
    Invitation,
    Membership,
    Role,
    Topic,
    TopicRevision,
)
from pooling.models.images import Image, ImageQuerySet
from pooling.models.jobs import Job
from pooling.models.pools import Document, Pool, PooledDocument
from pooling.models.runs import DocnoBlock, Run, RunColumns, RunQuerySet

__all__ = [
    "Campaign",
    "CampaignQuerySet",
    "DocnoBlock",
    "Document",
    "Image",
    "ImageQuerySet",
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
    "TopicRevision",
    "AuditLogEntry",
    "AuditLogQuerySet",
    "WORD",
]
