"""Work outside a request."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django_tasks.base import Task

from pooling.models import Campaign, Job


def unfinished_jobs(campaign: Campaign, task: Task[..., Any]) -> QuerySet[Job]:
    """Return the jobs of this task that wait or run."""
    return campaign.jobs.filter(task=task.module_path, state__in=Job.UNFINISHED)
