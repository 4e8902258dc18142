"""Send the requests of a labelling to an endpoint: the work of a background job.

The thread of the job alone uses the database; a thread for each request under way only speaks HTTP. A request
is stored as sent, with the most that it can cost, before it leaves. So a process that is killed leaves it in
this state, and no later attempt sends it again.
"""

from __future__ import annotations

import heapq
import logging
import queue
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from assess.endpoints import Endpoint
from assess.machines import http_client
from assess.machines.http_client import Outcome, Result
from assess.machines.parameter_fallbacks import adjust, adjusted
from assess.machines.queries.endpoints import open_requests
from assess.machines.queries.requests import Outdated, body_of
from assess.machines.questions import CHARACTERS_A_TOKEN
from assess.machines.rate_limits import MAX_ASKED_WAIT, asked_wait, backoff, pace_wait
from assess.machines.services.endpoints import AskingRefused
from assess.machines.services.request_log import Ledger, Sent, reuse_answer
from assess.machines.services.requests import store_failure
from assess.machines.spending import upper_bound
from assess.models import MachineLabelling, MachineRequest
from pooling.campaign_states import check_additions
from pooling.models import Job
from pooling.services import jobs
from pooling.services.jobs import Stopped, finish

log = logging.getLogger("jurypool.endpoints")

MAX_TRIES = 6  # of a request that the server did not accept
MAX_FAILURES = 10  # requests that failed, one after another
CHUNK = 5_000  # keys of waiting requests that are in memory
LOOK, LATE = 0.5, 5.0  # s: between two looks at the state of the job; for answers after its end
MORE_THAN_BOUND = "The server counted more tokens than the upper bound, so a ceiling cannot be guaranteed."


def now() -> float:
    return time.monotonic()


def pause(seconds: float) -> None:
    """Sleep, but not past the moment at which this process is asked to end."""
    jobs.SHUTDOWN.wait(seconds)


def ask_in_background(job: Job) -> None:
    """Send the waiting requests of the labelling of a job, within its limits. Raises AskingRefused."""
    labelling = MachineLabelling.objects.select_related("prompt").get(pk=job.arguments["labelling"])
    labelling.campaign = job.campaign
    check_additions(job.campaign.state)
    endpoint = settings.ENDPOINTS.get(labelling.endpoint)
    if endpoint is None:
        raise AskingRefused(f"The worker has no endpoint {labelling.endpoint} in its settings.")
    asking = Asking(Ledger(job, labelling), endpoint, job.arguments["parallel"])
    try:
        asking.run()
    except Stopped:
        asking.store_late_answers()
        raise


@dataclass
class Asking:
    """An attempt of a job. waiting: (time, key) of requests that may be sent from this time on.

    failures: requests that failed since the last answer. stop: why no more requests are sent.
    """

    ledger: Ledger
    endpoint: Endpoint
    parallel: int
    under_way: dict[int, Sent] = field(default_factory=dict)
    results: queue.SimpleQueue[tuple[int, Outcome]] = field(default_factory=queue.SimpleQueue)
    waiting: list[tuple[float, int]] = field(default_factory=list)
    tries: Counter[int] = field(default_factory=Counter)
    last_loaded: int = 0
    all_loaded: bool = False
    not_before: float = 0.0
    failures: int = 0
    stop: str = ""

    @property
    def labelling(self) -> MachineLabelling:
        return self.ledger.labelling

    def run(self) -> None:
        while True:
            self._send_ready()
            if self.under_way:
                self._take_result()
            elif self.stop:
                raise AskingRefused(f"{self.stop} {self.ledger.figures()}")
            elif self.waiting or self._load():
                self.ledger.report()
                pause(min(LOOK, max(self.waiting[0][0], self.not_before) - now()))
            else:
                break
        page = reverse("assess:labelling", args=[self.ledger.job.campaign.slug, self.labelling.number])
        finish(self.ledger.job, self.ledger.figures(), page)

    def _load(self) -> bool:
        """Load the keys of further waiting requests. Return whether there are any."""
        if self.all_loaded:
            return False
        rows = open_requests(self.labelling).filter(pk__gt=self.last_loaded)
        keys = list(rows.values_list("pk", flat=True)[:CHUNK])
        for key in keys:
            heapq.heappush(self.waiting, (0.0, key))
        self.last_loaded = keys[-1] if keys else self.last_loaded
        self.all_loaded = len(keys) < CHUNK
        return bool(keys)

    def _send_ready(self) -> None:
        """Send requests until as many as allowed are under way, or until a limit or a wait forbids it."""
        while not self.stop and len(self.under_way) < self.parallel and now() >= self.not_before:
            if (not self.waiting or self.waiting[0][0] > now()) and not self._load():
                return
            _, key = heapq.heappop(self.waiting)
            sent = self._prepare(key)
            if sent is None:
                continue
            if problem := self.ledger.problem(sent.bound):
                heapq.heappush(self.waiting, (0.0, key))
                if not self.under_way:  # no answer can free what is reserved
                    self.stop = problem
                return
            if self.ledger.store_sent(sent):
                self.under_way[key] = sent
                threading.Thread(target=self._send, args=(sent,), daemon=True).start()

    def _prepare(self, key: int) -> Sent | None:
        """Return the request to send; None if it needs no answer any more or cannot be sent."""
        request = self.labelling.requests.select_related("pooled__topic").get(pk=key)
        request.labelling = self.labelling
        if request.state != MachineRequest.State.WAITING:
            return None
        if reuse_answer(request):
            self.ledger.done += 1
            return None
        try:
            body = adjusted(body_of(request), self.labelling.adjustments)
        except Outdated as error:
            store_failure(request, str(error), request.attempts)
            self.ledger.done += 1
            return None
        return Sent(request, body, upper_bound(body))

    def _send(self, sent: Sent) -> None:
        """Send a request, in a thread of its own, without the database."""
        try:
            outcome = http_client.send(self.endpoint, settings.PRIVATE_ENDPOINTS, sent.body)
        except Exception as error:  # its text may hold what was sent
            log.error("a request to %s: %s", self.endpoint.name, type(error).__name__)
            outcome = Outcome(Result.LOST, http_client.NO_ANSWER)
        self.results.put((sent.request.pk, outcome))

    def _take_result(self) -> None:
        """Wait a short time for a result, and store it. Raises Stopped."""
        try:
            key, outcome = self.results.get(timeout=LOOK)
        except queue.Empty:
            self.ledger.report()
            return
        sent = self.under_way[key]
        try:
            with transaction.atomic():
                self._handle(sent, outcome)
                self.ledger.advance()
        except Stopped:
            self.results.put((key, outcome))  # for `store_late_answers`
            raise
        del self.under_way[key]
        tokens = sent.bound.input_tokens // CHARACTERS_A_TOKEN
        self.not_before = max(
            self.not_before, now() + pace_wait(outcome.headers, len(self.under_way), tokens)
        )
        if self.failures >= MAX_FAILURES and not self.stop:
            self.stop = f"{MAX_FAILURES} requests in a row failed. The last problem: {outcome.problem}"

    def store_late_answers(self) -> None:
        """After the end of the attempt, store answers to requests that are under way: they are paid for."""
        end = time.monotonic() + LATE
        while self.under_way and (seconds := end - time.monotonic()) > 0:
            try:
                key, outcome = self.results.get(timeout=seconds)
            except queue.Empty:
                return
            sent = self.under_way.pop(key)
            if outcome.completion:
                with transaction.atomic():
                    self.ledger.store_answer(sent, outcome.completion, outcome.seconds)

    def _handle(self, sent: Sent, outcome: Outcome) -> None:
        match outcome.result:
            case Result.ANSWERED:
                self._answered(sent, outcome)
            case Result.AGAIN:
                self._again(sent, outcome)
            case Result.PARAMETER if self._learn(outcome.parameter):
                self.ledger.give_back(sent)
                heapq.heappush(self.waiting, (0.0, sent.request.pk))
            case Result.FAILED | Result.PARAMETER:
                self.ledger.give_back(sent)
                self._failed(sent, outcome.problem)
            case Result.UNREADABLE:
                self._failed(sent, outcome.problem)
            case Result.LOST:
                self.ledger.store_lost(sent, outcome.problem)
                self.failures += 1
            case Result.STOP:
                self.ledger.give_back(sent)
                self.stop = outcome.problem

    def _answered(self, sent: Sent, outcome: Outcome) -> None:
        assert outcome.completion is not None
        actual = self.ledger.store_answer(sent, outcome.completion, outcome.seconds)
        self.failures = 0
        if self.ledger.limits.ceiling is not None and any(map(int.__gt__, actual, sent.bound)):
            self.stop = MORE_THAN_BOUND

    def _again(self, sent: Sent, outcome: Outcome) -> None:
        """Let a request that was not accepted wait, as long as the server asks or ever longer."""
        key, wait = sent.request.pk, asked_wait(outcome.headers, timezone.now())
        self.ledger.give_back(sent)
        self.tries[key] += 1
        if wait is not None and wait > MAX_ASKED_WAIT:
            self.stop = f"The endpoint asks to wait for {wait / 60:,.0f} minutes. {outcome.problem}"
        elif self.tries[key] >= MAX_TRIES:
            self._failed(sent, f"No answer after {MAX_TRIES} times. {outcome.problem}")
        elif wait is not None:
            self.not_before = max(self.not_before, now() + wait)
            heapq.heappush(self.waiting, (self.not_before, key))
        else:
            heapq.heappush(self.waiting, (now() + backoff(self.tries[key]), key))

    def _learn(self, parameter: str) -> bool:
        """Store that the endpoint refuses a parameter. Return False if no request can do without it."""
        adjustments = self.labelling.adjustments
        if parameter not in adjustments:
            changed = adjust(adjustments, parameter)
            if changed is None:
                return False
            self.labelling.adjustments = changed
            self.labelling.save(update_fields=["adjustments"])
        return True

    def _failed(self, sent: Sent, problem: str) -> None:
        self.ledger.store_failure(sent, problem)
        self.failures += 1
