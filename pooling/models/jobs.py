"""Work outside requests."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from pooling.models.campaigns import Campaign


class Job(models.Model):
    """Work outside a request: what is to be done, how far it is, and what a restart needs.

    The queue (`django-tasks`) holds the key of this row and no more. task_id: the id of the queue's task for
    the current attempt, which alone may write; a requeued job gets a new one. attempts: how many attempts
    were started. stalled_attempts: attempts since the last progress. heartbeat_at: the last heartbeat of the
    worker. All times but created_at are the database's.
    """

    class State(models.TextChoices):
        HELD = "held", "held until a pool is frozen"
        WAITING = "waiting", "waiting"
        RUNNING = "running", "running"
        DONE = "done", "done"
        FAILED = "failed", "failed"
        CANCELLED = "cancelled", "cancelled"

    QUEUED = (State.WAITING, State.RUNNING)
    UNFINISHED = (State.HELD, *QUEUED)

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="jobs")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    task = models.CharField(max_length=120, help_text="Where the task is in the code.")
    task_id = models.CharField(max_length=36, blank=True, help_text="Its last task in the queue.")
    title = models.CharField(max_length=300)
    arguments = models.JSONField(default=dict)
    upload = models.FileField(blank=True, help_text="What was handed in for it; dropped when it has ended.")
    state = models.CharField(max_length=9, choices=State, default=State.WAITING)
    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(default=0, help_text="0 where it is not known.")
    cursor = models.JSONField(default=dict, help_text="From where the next attempt goes on.")
    message = models.TextField(blank=True)
    result_url = models.CharField(max_length=300, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    stalled_attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["state"], name="job_by_state")]

    def __str__(self) -> str:
        return self.title

    @property
    def is_unfinished(self) -> bool:
        return self.state in self.UNFINISHED

    @property
    def is_queued(self) -> bool:
        """Whether a worker does this work or will do it next."""
        return self.state in self.QUEUED

    @property
    def is_held(self) -> bool:
        return self.state == self.State.HELD
