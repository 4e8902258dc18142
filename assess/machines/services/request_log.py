"""The states and costs of the requests of a labelling while a job sends them, and the job's progress."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import F

from assess.machines.queries.endpoints import limits_of, rest_cost, spent
from assess.machines.responses import Completion
from assess.machines.services.labellings import ANSWER_FIELDS
from assess.machines.services.requests import answer_of, lock_open_requests, store_answer, store_failure
from assess.machines.spending import Charge, Limits
from assess.models import MachineLabelling, MachineRequest
from pooling.models import Job
from pooling.services.jobs import advance, report_progress

State = MachineRequest.State


class Sent(NamedTuple):
    """A request under way. bound: the most that it can cost."""

    request: MachineRequest
    body: dict[str, Any]
    bound: Charge


class Ledger:
    """The figures of a labelling during an attempt. They are those of its rows, without a query each time.

    charged: what was or may have been paid for. settled: of it, requests that have an answer.
    """

    def __init__(self, job: Job, labelling: MachineLabelling) -> None:
        requests = labelling.requests
        self.job, self.labelling = job, labelling
        self.limits: Limits = limits_of(labelling)
        self.charged, self.settled = spent(labelling)
        self.total = requests.count()
        self.done = requests.filter(state__in=[State.ANSWERED, State.FAILED]).count()

    def problem(self, bound: Charge) -> str:
        """Return which limit one more request would pass, or ""."""
        return self.limits.problem(self.charged.plus(bound))

    def store_sent(self, sent: Sent) -> bool:
        """Store that a request is sent, and what it can cost, before it leaves. Raises Stopped.

        Return False if it must not be sent any more.
        """
        row = self.labelling.requests.filter(pk=sent.request.pk, state=State.WAITING, labelling__machine=None)
        with transaction.atomic():
            if not row.update(state=State.SENT, attempts=F("attempts") + 1, **_charges(sent.bound)):
                return False
            self.advance()
        sent.request.attempts += 1
        self.charged = self.charged.plus(sent.bound)
        return True

    def store_answer(self, sent: Sent, completion: Completion, seconds: float) -> Charge:
        """Store an answer. Return what it cost: the upper bound where the server does not say."""
        grades = self.labelling.prompt.content["grades"]
        store_answer(sent.request, answer_of(completion, grades, seconds, sent.request.attempts))
        counted = (1, completion.input_tokens, completion.output_tokens)
        actual = Charge(
            *(
                most if counted_tokens is None else counted_tokens
                for counted_tokens, most in zip(counted, sent.bound, strict=True)
            )
        )
        self._settle(sent, actual)
        self.settled = self.settled.plus(actual)
        self.done += 1
        return actual

    def store_failure(self, sent: Sent, problem: str) -> None:
        store_failure(sent.request, problem, sent.request.attempts)
        self.done += 1

    def store_lost(self, sent: Sent, problem: str) -> None:
        """Leave the request in the state in which it may have been paid for."""
        self.labelling.requests.filter(pk=sent.request.pk, state=State.SENT).update(problem=problem)

    def give_back(self, sent: Sent) -> None:
        """Store that a request waits again, and that it cost nothing this time."""
        self._settle(sent, Charge())
        self.labelling.requests.filter(pk=sent.request.pk, state=State.SENT).update(state=State.WAITING)

    def _settle(self, sent: Sent, actual: Charge) -> None:
        """Replace the upper bound of a request by what it cost."""
        change = actual.minus(sent.bound)
        self.labelling.requests.filter(pk=sent.request.pk).update(**_charges(change))
        self.charged = self.charged.plus(change)

    def advance(self) -> None:
        advance(self.job, self.done, self.total, self.figures())

    def report(self) -> None:
        report_progress(self.job, self.done, self.total, self.figures())

    def figures(self) -> str:
        """Return the progress in words."""
        words = f"{self.done:,} of {self.total:,} requests have an answer or failed"
        cost, ceiling = self.limits.cost(self.charged), self.limits.ceiling
        if cost is None or ceiling is None:
            return f"{words}; {self.charged.requests:,} of at most {self.limits.requests:,} count as sent."
        words += f"; cost at most {cost:,.2f} of {ceiling:,.2f}"
        rest = rest_cost(self.limits, self.settled, self.total - self.done)
        return f"{words}." if rest is None else f"{words}, the rest about {rest:,.2f}."


def reuse_answer(request: MachineRequest) -> bool:
    """Store an answer that the campaign has for the same question. Return whether there is one."""
    labelling = request.labelling
    answered = MachineRequest.objects.filter(
        labelling__campaign=labelling.campaign,
        labelling__adjustments=labelling.adjustments,
        key=request.key,
        state=State.ANSWERED,
    )
    answer = answered.order_by("key").first()  # all have this key; by default the rows would be sorted
    if answer is None:
        return False
    values = {name: getattr(answer, name) for name in ANSWER_FIELDS} | {"reused": True}
    with transaction.atomic():
        lock_open_requests(labelling).filter(key=request.key).update(**values)
    return True


def _charges(change: Charge) -> dict[str, Any]:
    return {
        "charged_requests": F("charged_requests") + change.requests,
        "charged_input": F("charged_input") + change.input_tokens,
        "charged_output": F("charged_output") + change.output_tokens,
    }
