"""Start to send the requests of a labelling to an endpoint, and release requests to be sent again."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from django.conf import settings
from django.db import transaction

from accounts.models import User
from assess.machines.queries.labellings import unfinished_jobs_of
from assess.machines.services.prompts import BUSY
from assess.models import MachineLabelling, MachineRequest
from pooling.campaign_states import check_additions
from pooling.models import Campaign, Job
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.services.jobs import JobTask, start_job

PERMISSION = "assess.ask_endpoint"
NO_PERMISSION = "You may not send requests to endpoints. An administrator can give you this permission."


class AskingRefused(Refused):
    """Requests cannot be sent to an endpoint; the message says why."""


class AskingDetails(NamedTuple):
    """What an organiser chooses. requests: the most that are sent. parallel: how many at once.

    The ceiling and both prices are None if no prices are known.
    """

    endpoint: str
    requests: int
    parallel: int = 4
    input_price: Decimal | None = None
    output_price: Decimal | None = None
    ceiling: Decimal | None = None


def check_asking(labelling: MachineLabelling, user: User, details: AskingDetails) -> None:
    """Raise AskingRefused or StateRefused if this person cannot start to send these requests."""
    check_additions(labelling.campaign.state)
    if not user.has_perm(PERMISSION):
        raise AskingRefused(NO_PERMISSION)
    if details.endpoint not in settings.ENDPOINTS:
        raise AskingRefused("This installation has no endpoint of this name.")
    if labelling.machine_id:
        raise AskingRefused("The labels of this labelling are stored. No more requests can be sent.")
    if labelling.endpoint and labelling.endpoint != details.endpoint and _was_sent(labelling):
        raise AskingRefused(
            f"Requests of this labelling were sent to {labelling.endpoint}. All labels of a machine judge "
            "come from one endpoint: create another labelling."
        )
    prices = (details.input_price, details.output_price, details.ceiling)
    if any(price is None for price in prices) and any(price is not None for price in prices):
        raise AskingRefused("Enter both prices and the ceiling, or none of the three.")
    if details.ceiling is not None and not labelling.options.get("max_tokens"):
        raise AskingRefused("Without a limit on the tokens of a reply its cost has no upper bound.")
    if not labelling.requests.filter(state=MachineRequest.State.WAITING).exists():
        raise AskingRefused("No request is waiting.")


def _was_sent(labelling: MachineLabelling) -> bool:
    return labelling.requests.filter(charged_requests__gt=0).exists()


def start_asking(labelling: MachineLabelling, user: User, details: AskingDetails, task: JobTask) -> Job:
    """Store the limits, and start the job that sends the waiting requests. Raises AskingRefused."""
    with transaction.atomic():
        _lock_without_job(labelling)
        check_asking(labelling, user, details)
        labelling.endpoint, labelling.most_requests = details.endpoint, details.requests
        labelling.input_price, labelling.output_price = details.input_price, details.output_price
        labelling.ceiling = details.ceiling
        labelling.save(update_fields=["endpoint", "most_requests", "input_price", "output_price", "ceiling"])
        limit = "" if details.ceiling is None else f", ceiling {details.ceiling:,.2f}"
        summary = f"{labelling}, endpoint {details.endpoint}, at most {details.requests:,} requests{limit}"
        log_change(labelling.campaign, user, "sent requests", summary, labelling=labelling.number)
    arguments = {"labelling": labelling.pk, "parallel": details.parallel}
    return start_job(labelling.campaign, user, task, f"Send requests of {labelling}", arguments)


def send_again(labelling: MachineLabelling, user: User, state: str) -> int:
    """Let requests without an answer, or failed ones, wait again. Returns how many. Raises AskingRefused.

    What they may have cost stays counted.
    """
    check_additions(labelling.campaign.state)
    if not user.has_perm(PERMISSION):
        raise AskingRefused(NO_PERMISSION)
    with transaction.atomic():
        _lock_without_job(labelling)
        waiting = {"state": MachineRequest.State.WAITING, "problem": ""}
        count = labelling.requests.filter(state=state).update(**waiting)
        summary = f"{count:,} of {labelling}, which were {MachineRequest.State(state).label}"
        log_change(labelling.campaign, user, "released requests", summary, labelling=labelling.number)
    return count


def _lock_without_job(labelling: MachineLabelling) -> None:
    """Lock the labelling in the caller's transaction. Raises AskingRefused while a job works on it."""
    Campaign.objects.select_for_update(no_key=True).get(pk=labelling.campaign_id)
    MachineLabelling.objects.select_for_update(of=("self",)).get(pk=labelling.pk)
    if unfinished_jobs_of(labelling).exists():
        raise AskingRefused(BUSY)
