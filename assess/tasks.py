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
from assess.clicks.tasks import load_clicks as load_clicks
from assess.services.asking import ask_in_background
from assess.services.imports import load_judgments_in_background
from assess.services.machine_labellings import create_in_background
from assess.services.machine_requests import store_labels_in_background
from assess.services.machine_results import load_results_in_background
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


@job_task
def ask_endpoint(context: TaskContext, pk: int) -> None:
    """Send the requests of a labelling to an endpoint; pk: of the job."""
    run_attempt(pk, context.task_result.id, ask_in_background)


@job_task
def create_requests(context: TaskContext, pk: int) -> None:
    """Create the requests of a labelling; pk: of the job."""
    run_attempt(pk, context.task_result.id, create_in_background)


@job_task
def load_results(context: TaskContext, pk: int) -> None:
    """Load the result file of a job; pk: of the job."""
    run_attempt(pk, context.task_result.id, load_results_in_background)


@job_task
def store_labels(context: TaskContext, pk: int) -> None:
    """Store the labels of a labelling; pk: of the job."""
    run_attempt(pk, context.task_result.id, store_labels_in_background)


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
