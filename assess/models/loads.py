"""Files that were stored, and labels and requests that are being stored, with managers that hide them."""

from __future__ import annotations

from typing import TypeVar

from django.conf import settings
from django.db import models
from django.utils import timezone

from pooling.models import Campaign

M = TypeVar("M", bound=models.Model)


class WithdrawableFile(models.Model):
    """A file that was stored, and that can be withdrawn; its row stays. name: of the file.

    sha256: of the text, after unpacking.
    """

    name = models.CharField(max_length=255, help_text="Name of the file.")
    sha256 = models.CharField(max_length=64)
    loaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    loaded_at = models.DateTimeField(default=timezone.now)
    withdrawn_at = models.DateTimeField(null=True)
    withdrawn_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        abstract = True
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.name


class UnfinishedLoad(models.Model):
    """The labels of a judge, or the requests of a labelling, are being stored in several transactions.

    While this row exists, the default managers leave them out; the last transaction deletes it. A writer
    stores rows only while its own row exists, so a later writer that replaces the row ends the earlier one.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="unfinished_loads")
    judge = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    labelling = models.OneToOneField(
        "assess.MachineLabelling", on_delete=models.CASCADE, null=True, related_name="+"
    )
    written_at = models.DateTimeField(default=timezone.now, help_text="Time of the last rows.")

    def __str__(self) -> str:
        return str(self.judge or self.labelling)


class FinishedManager(models.Manager[M]):
    """Leaves out the rows of unfinished loads. column: the one that has the judge or the labelling."""

    column: str
    owner: str

    def get_queryset(self) -> models.QuerySet[M]:
        unfinished = UnfinishedLoad.objects.filter(**{f"{self.owner}__isnull": False}).values(self.owner)
        return super().get_queryset().exclude(**{f"{self.column}__in": unfinished})


class LabelManager(FinishedManager[M]):
    column, owner = "judge", "judge"


class LabellingManager(FinishedManager[M]):
    column, owner = "pk", "labelling"


class RequestManager(FinishedManager[M]):
    column, owner = "labelling", "labelling"
