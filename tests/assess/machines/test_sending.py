"""The job that sends the requests of a labelling: its limits, its waits, and what it leaves if it dies."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import OperationalError
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from assess.machines import tasks
from assess.machines.queries.endpoints import plan, spent
from assess.machines.services import sending as asking
from assess.machines.services.endpoints import AskingDetails, AskingRefused, send_again, start_asking
from assess.machines.services.labellings import LabellingDetails, create_labelling
from assess.machines.services.prompts import PromptDetails, create_prompt
from assess.machines.services.requests import store_machine_labels
from assess.machines.services.sending import ask_in_background
from assess.machines.spending import Charge
from assess.models import MachineLabelling, MachineRequest
from pooling.models import Job
from pooling.services import jobs
from tests.support.chat_server import PRIVATE, ChatServer, Reply, completion, error, running_chat_server
from tests.support.factory import Factory

OPTIONS = {"temperature": 0, "max_tokens": 9, "seed": 1, "samples": 1}
PRICES = (Decimal(1000), Decimal(2000))
State = MachineRequest.State


class Clock:
    """Time that passes only in pauses."""

    def __init__(self) -> None:
        self.time, self.pauses = 1000.0, 0.0

    def now(self) -> float:
        return self.time

    def pause(self, seconds: float) -> None:
        self.time += max(seconds, 0.001)
        self.pauses += seconds


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(asking, "now", clock.now)
    monkeypatch.setattr(asking, "pause", clock.pause)
    return clock


@pytest.fixture
def server(settings: Settings) -> Iterator[ChatServer]:
    with running_chat_server() as server:
        settings.ENDPOINTS = {"local": server.endpoint()}
        settings.PRIVATE_ENDPOINTS = PRIVATE
        yield server


def make_labelling(make: Factory, documents: int = 5, **options: Any) -> MachineLabelling:
    campaign, carol = make.make_campaign(), make.make_user("carol")
    make.make_topic(campaign)
    for number in range(documents):
        make.make_document(campaign, f"D{number}", f"Text number {number}. \u00e9")
    make.make_run(campaign, "\n".join(f"1 D{number} {documents - number}" for number in range(documents)))
    make.make_pool(campaign, documents)
    carol.user_permissions.add(Permission.objects.get(codename="ask_endpoint"))
    prompt = create_prompt(campaign, carol, PromptDetails("{scale} {topic} {document}"))
    return create_labelling(campaign, carol, LabellingDetails(prompt, "llm", "m", OPTIONS | options, {}))


def ask(labelling: MachineLabelling, requests: int = 100, parallel: int = 1, **limits: Any) -> Job:
    details = AskingDetails("local", requests, parallel, **limits)
    job = start_asking(labelling, labelling.created_by, details, tasks.ask_endpoint)
    labelling.refresh_from_db()
    return job


def priced(ceiling: str) -> dict[str, Any]:
    return {"input_price": PRICES[0], "output_price": PRICES[1], "ceiling": Decimal(ceiling)}


def states(labelling: MachineLabelling) -> list[str]:
    return list(labelling.requests.order_by("pk").values_list("state", flat=True))


def test_all_requests_are_answered_and_become_labels(make: Factory, server: ChatServer) -> None:
    labelling = make_labelling(make)
    job = ask(labelling, parallel=4, **priced("5"))
    assert (job.state, job.done, job.total) == ("done", 5, 5)
    assert (
        job.message
        == "5 of 5 requests have an answer or failed; cost at most 0.30 of 5.00, the rest about 0.00."
    )
    assert job.result_url == reverse("assess:labelling", args=["tiny", 1])
    assert spent(labelling).all == spent(labelling).settled == Charge(5, 250, 25)
    request = labelling.requests.first()
    assert request is not None
    assert (request.state, request.relevance, request.attempts) == ("answered", 1, 1)
    assert (request.input_tokens, request.output_tokens, request.server_model) == (50, 5, "judge-1")
    assert request.seconds is not None
    assert store_machine_labels(labelling, labelling.created_by).user.judgments.count() == 5
    assert labelling.campaign.audit_log.get(verb="sent requests").who == "carol"


def test_equal_questions_are_asked_once(make: Factory, server: ChatServer) -> None:
    labelling = make_labelling(make, 3)
    first = labelling.requests.order_by("pk")[0]
    labelling.requests.exclude(pk=first.pk).update(key=first.key)
    ask(labelling, parallel=4)
    assert (states(labelling), len(server.bodies)) == (["answered"] * 3, 1)


@pytest.mark.parametrize(("headers", "least"), [({"Retry-After": "30"}, 30), ({}, 0)])
def test_a_busy_server_is_asked_again_later(
    make: Factory, server: ChatServer, clock: Clock, headers: dict[str, str], least: float
) -> None:
    server.script = [Reply(429, error(), headers), Reply(500, error()), Reply(200, completion())]
    labelling = make_labelling(make, 1)
    job = ask(labelling, **priced("5"))
    assert (job.state, states(labelling), len(server.bodies)) == ("done", ["answered"], 3)
    assert least <= clock.pauses <= least + 4
    assert labelling.requests.get().attempts == 3
    assert spent(labelling).all == Charge(1, 50, 5)  # what was not accepted was not paid for


def test_requests_wait_for_the_limits_that_the_server_reports(
    make: Factory, server: ChatServer, clock: Clock
) -> None:
    headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6s"}
    server.always = lambda body: Reply(200, completion(), headers)
    ask(make_labelling(make, 3))
    assert 12 <= clock.pauses < 13  # between three requests


def test_a_server_that_asks_for_an_hour_ends_the_job(make: Factory, server: ChatServer) -> None:
    server.script = [Reply(429, error("Slow down."), {"Retry-After": "3600"})]
    labelling = make_labelling(make, 2)
    job = ask(labelling)
    assert (job.state, states(labelling)) == ("failed", ["waiting"] * 2)
    assert job.message.startswith("The endpoint asks to wait for 60 minutes.")


def test_a_request_that_is_never_accepted_fails(make: Factory, server: ChatServer) -> None:
    server.script = [Reply(503, error("Overloaded."))] * asking.MAX_TRIES
    labelling = make_labelling(make, 1)
    assert ask(labelling).state == "done"
    assert (states(labelling), len(server.bodies)) == (["failed"], asking.MAX_TRIES)
    problem = labelling.requests.get(state="failed").problem
    assert problem == "No answer after 6 times. The server answered with status 503: Overloaded."


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(401, error("Wrong key")), "The endpoint refused the key."),
        (Reply(403, error()), "The endpoint refused the key."),
        (Reply(429, error(code="insufficient_quota")), "The endpoint says that the quota"),
        (Reply(302, b"", {"Location": "http://127.0.0.1/"}), "The endpoint answered with a redirect"),
    ],
)
def test_what_would_refuse_every_request_ends_the_job_at_once(
    make: Factory, server: ChatServer, reply: Reply, message: str
) -> None:
    server.always = lambda body: reply
    labelling = make_labelling(make)
    job = ask(labelling)
    assert job.state == "failed" and job.message.startswith(message)
    assert (states(labelling), len(server.bodies)) == (["waiting"] * 5, 1)
    assert spent(labelling).all == Charge()


def test_ten_failures_in_a_row_end_the_job(make: Factory, server: ChatServer) -> None:
    server.always = lambda body: Reply(400, error("No such model."))
    labelling = make_labelling(make, 15)
    job = ask(labelling)
    assert job.message.startswith(
        "10 requests in a row failed. The last problem: The server answered with status 400: No such model."
    )
    assert states(labelling).count("failed") == len(server.bodies) == 10


def test_a_parameter_that_is_not_supported_is_left_out_from_then_on(
    make: Factory, server: ChatServer
) -> None:
    def strict(body: dict[str, Any]) -> Reply:
        for name in ("temperature", "max_tokens"):
            if name in body:
                problem = error(f"Unsupported parameter: '{name}'. Use 'max_completion_tokens'.", param=name)
                return Reply(400, problem)
        return Reply(200, completion())

    server.always = strict
    labelling = make_labelling(make)
    assert ask(labelling, parallel=3).state == "done"
    assert labelling.adjustments == {"temperature": "", "max_tokens": "max_completion_tokens"}
    assert states(labelling) == ["answered"] * 5
    answered = [
        body for body in server.bodies if "max_completion_tokens" in body and "temperature" not in body
    ]
    assert len(answered) == 5 and answered[0]["seed"] == 1


def test_an_answer_that_is_not_json_is_counted_and_not_asked_for_again(
    make: Factory, server: ChatServer
) -> None:
    server.script = [Reply(200, b'{"choices": [')]
    labelling = make_labelling(make, 2)
    ask(labelling)
    assert (states(labelling), len(server.bodies)) == (["failed", "answered"], 2)
    assert spent(labelling).all.requests == 2
    assert spent(labelling).all.input_tokens > 50 + 200  # an upper bound for the first one


def test_a_lost_answer_may_have_been_paid_for_and_is_asked_for_only_on_request(
    make: Factory, server: ChatServer
) -> None:
    server.script = [Reply(200, completion(), cut=9)]
    labelling = make_labelling(make, 3)
    assert ask(labelling).state == "done"
    assert states(labelling) == ["sent", "answered", "answered"]
    with pytest.raises(AskingRefused, match="No request is waiting"):
        ask(labelling)
    assert server.most_asked() == 1
    once = spent(labelling).all
    assert send_again(labelling, labelling.created_by, State.SENT) == 1
    assert ask(labelling).state == "done"
    assert states(labelling) == ["answered"] * 3
    assert spent(labelling).all == once.plus(Charge(1, 50, 5))  # the first time stays counted


@pytest.mark.parametrize("usage", [{"prompt_tokens": 200, "completion_tokens": 5}, None])
def test_the_ceiling_is_never_passed(make: Factory, server: ChatServer, usage: Any) -> None:
    """Without a count of the server, each request counts with its upper bound."""
    server.always = lambda body: Reply(200, completion() | {"usage": usage})
    labelling = make_labelling(make, 12)
    most = plan(labelling).most
    one = (most.input_tokens * PRICES[0] + most.output_tokens * PRICES[1]) / 12 / 1_000_000
    ceiling = (one * 4).quantize(Decimal("0.01"))
    job = ask(labelling, parallel=3, **priced(str(ceiling)))
    assert job.state == "failed"
    assert job.message.startswith(f"The next request could pass the ceiling of {ceiling}.")
    charged = spent(labelling).all
    cost = (charged.input_tokens * PRICES[0] + charged.output_tokens * PRICES[1]) / 1_000_000
    assert cost <= ceiling
    answered = states(labelling).count("answered")
    assert answered == len(server.bodies) == charged.requests
    assert answered >= 5 if usage else 3 <= answered <= 4


def test_without_prices_the_number_of_requests_is_limited(make: Factory, server: ChatServer) -> None:
    labelling = make_labelling(make)
    job = ask(labelling, requests=2, parallel=4)
    assert job.message.startswith("The limit of 2 requests is reached.")
    assert len(server.bodies) == 2
    assert ask(labelling, requests=5).state == "done"
    assert server.most_asked() == 1


def test_a_server_that_counts_more_than_the_upper_bound_ends_the_job(
    make: Factory, server: ChatServer
) -> None:
    server.always = lambda body: Reply(200, completion(usage={"prompt_tokens": 9, "completion_tokens": 10}))
    job = ask(make_labelling(make), **priced("5"))
    assert job.message.startswith(asking.MORE_THAN_BOUND)
    assert len(server.bodies) == 1


def test_the_plan_is_an_upper_bound_of_all_requests(make: Factory, server: ChatServer) -> None:
    labelling = make_labelling(make, 4, samples=2)
    before = plan(labelling)
    server.always = lambda body: Reply(200, completion() | {"usage": None})
    ask(labelling)
    charged = spent(labelling).all
    assert charged.requests == before.most.requests == 8
    assert charged.input_tokens <= before.most.input_tokens <= charged.input_tokens + 8 * 4
    assert charged.output_tokens == before.most.output_tokens == 72
    assert before.estimate.input_tokens == before.most.input_tokens // 4


def begin(labelling: MachineLabelling, settings: Settings) -> Job:
    """Start a job in a queue from which a worker has to take it."""
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
    return ask(labelling, parallel=2)


def attempt(job: Job) -> None:
    jobs.run_attempt(job.pk, Job.objects.get(pk=job.pk).task_id, ask_in_background)


def abandon() -> None:
    Job.objects.update(heartbeat_at=timezone.now() - timedelta(hours=1))
    jobs.requeue_abandoned()


@pytest.mark.parametrize(
    "place", ["assess.machines.services.sending.Asking._take_result", "threading.Thread.start"]
)
def test_a_process_that_dies_leaves_requests_that_are_not_sent_again(
    make: Factory, server: ChatServer, settings: Settings, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """It ends after requests were stored as sent: in one case before they left, in the other one after."""
    labelling = make_labelling(make, 6)
    job = begin(labelling, settings)
    with monkeypatch.context() as patched, pytest.raises(OperationalError):
        patched.setattr(place, dying_after(1, place))
        attempt(job)
    assert states(labelling).count("sent") in (1, 2)
    lost = states(labelling).count("sent")
    abandon()
    attempt(job)
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("done", 2)
    assert sorted(states(labelling)) == ["answered"] * (6 - lost) + ["sent"] * lost
    assert server.most_asked() == 1


def dying_after(count: int, place: str) -> Callable[..., Any]:
    real = asking.Asking._take_result if "Asking" in place else threading.Thread.start
    calls: list[Any] = []

    def dies(*args: Any) -> Any:
        calls.append(args)
        if len(calls) > count:
            raise OperationalError("as if the process was killed")
        return real(*args)

    return dies


def test_a_job_that_is_cancelled_sends_nothing_more_and_stores_the_answers_on_their_way(
    make: Factory, server: ChatServer, settings: Settings
) -> None:
    labelling = make_labelling(make, 6)
    job = begin(labelling, settings)
    asked = threading.Event()

    def cancelling(body: dict[str, Any]) -> Reply:
        if len(server.bodies) == 2 and not asked.is_set():
            asked.set()
            jobs.SHUTDOWN.set()
        return Reply(200, completion())

    server.always = cancelling
    try:
        attempt(job)
    finally:
        jobs.SHUTDOWN.clear()
    job.refresh_from_db()
    assert job.state == "waiting"  # handed back: another worker continues
    assert states(labelling).count("answered") == len(server.bodies) < 6
    attempt(job)
    assert (states(labelling), server.most_asked()) == (["answered"] * 6, 1)


def test_who_may_start(make: Factory, server: ChatServer, settings: Settings) -> None:
    labelling = make_labelling(make)
    details = AskingDetails("local", 5)
    with pytest.raises(AskingRefused, match="An administrator can give you"):
        start_asking(labelling, make.make_user("alice"), details, tasks.ask_endpoint)
    with pytest.raises(AskingRefused, match="no endpoint of this name"):
        start_asking(labelling, labelling.created_by, details._replace(endpoint="x"), tasks.ask_endpoint)
    with pytest.raises(AskingRefused, match="both prices and the ceiling"):
        ask(labelling, ceiling=Decimal(1))
    job = begin(labelling, settings)
    with pytest.raises(AskingRefused, match="A job is sending"):
        ask(labelling)
    with pytest.raises(AskingRefused, match="A job is sending"):
        send_again(labelling, labelling.created_by, State.SENT)
    settings.ENDPOINTS = {}
    attempt(job)
    job.refresh_from_db()
    assert job.message == "The worker has no endpoint local in its settings."
    assert server.bodies == []
