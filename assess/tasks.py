"""Background tasks, run by a worker.

The tasks of feature packages are imported: a worker imports only this module, and tasks that the last version
queued name it.
"""

from __future__ import annotations

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse
from django_tasks import TaskContext, task

from accounts.mail import subject_and_text
from assess.active_learning.tasks import freeze_batches as freeze_batches
from assess.active_learning.tasks import load_collection as load_collection
from assess.active_learning.tasks import simulate_reviews as simulate_reviews
from assess.clicks.tasks import load_clicks as load_clicks
from assess.machines.tasks import ask_endpoint as ask_endpoint
from assess.machines.tasks import create_requests as create_requests
from assess.machines.tasks import load_results as load_results
from assess.machines.tasks import store_labels as store_labels
from assess.near_duplicates.tasks import find_near_duplicates as find_near_duplicates
from assess.services.imports import load_judgments_in_background
from assess.services.releases import release_in_background
from pooling.models import Invitation
from pooling.services.jobs import job_task, run_attempt
from pooling.services.people import replace_link


@job_task
def freeze_release(context: TaskContext, pk: int) -> None:
    """Freeze the release of a job; pk: of the job."""
    run_attempt(pk, context.task_result.id, release_in_background)


@job_task
def load_judgments(context: TaskContext, pk: int) -> None:
    """Load the judgments of a job; pk: of the job."""
    run_attempt(pk, context.task_result.id, load_judgments_in_background)


@task
def mail_invitation(pk: int, site: str) -> None:
    """Mail a link for an open invitation. The link is made here, so that no task stores its secret."""
    invitation = Invitation.objects.open().filter(pk=pk).exclude(email="").select_related("campaign").first()
    if invitation:
        link = site + reverse("assess:invitation", args=[replace_link(invitation, is_mailed_only=True)])
        subject, text = subject_and_text(
            "assess/mail_invitation.txt", {"invitation": invitation, "link": link}
        )
        EmailMessage(subject, text, settings.DEFAULT_FROM_EMAIL, [invitation.email]).send()
