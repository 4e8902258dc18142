"""Background jobs."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django_tasks.base import Task

from pooling.models import Campaign, Job


def unfinished_jobs(campaign: Campaign, task: Task[..., Any]) -> QuerySet[Job]:
    """Return the waiting and the running jobs of a task."""
    return campaign.jobs.filter(task=task.module_path, state__in=Job.UNFINISHED)
