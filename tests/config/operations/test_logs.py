"""A line of the log says to which request, person or job it belongs, and gives no secret away."""

from __future__ import annotations

import json
import logging
import logging.config
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.test import Client

from accounts.services import create_token
from config.operations.logs import LogFieldsFilter, logging_settings
from pooling.log_fields import logged_with
from pooling.models import Job, Role
from pooling.refusals import Refused
from pooling.services.jobs import cancel_job, finish, run_attempt
from pooling.services.people import invite
from tests.support.factory import Factory
from tests.support.markup import markup


class Told(logging.Handler):
    """Keeps records as the console's handler would get them."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[Any] = []
        self.addFilter(LogFieldsFilter())

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    handler = Told()
    for name in ("jurypool.request", "jurypool.jobs", "django.request"):
        logger = logging.getLogger(name)
        monkeypatch.setattr(logger, "handlers", [handler])
        monkeypatch.setattr(logger, "level", logging.INFO)
        logger.manager._clear_cache()  # type: ignore[attr-defined]
    return handler


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("0123456789abcdef", True),
        ("a-b_c.d-e-f-g", True),
        ("", False),
        ("short", False),
        ("x" * 65, False),
        ("has blanks in it", False),
        ("line\u2028break-and-more", False),
    ],
)
def test_a_request_has_the_proxys_id_if_it_is_one(client: Client, sent: str, kept: bool) -> None:
    name = client.get("/sign-in/", headers={"X-Request-ID": sent})["X-Request-ID"]
    assert (name == sent) is kept
    assert len(name) >= 8


@pytest.mark.django_db
def test_two_requests_have_two_ids(client: Client) -> None:
    assert client.get("/sign-in/")["X-Request-ID"] != client.get("/sign-in/")["X-Request-ID"]


def test_a_request_is_a_line(make: Factory, client: Client, told: Told) -> None:
    user = make.make_user("alice")
    client.force_login(user)
    response = client.get("/campaigns/nowhere/?q=private", headers={"X-Request-ID": "abcdefgh"})
    (record,) = [record for record in told.records if record.name == "jurypool.request"]
    assert (record.method, record.path, record.status) == ("GET", "/campaigns/nowhere/", 404)
    assert (record.user_id, record.request_id) == (user.pk, response["X-Request-ID"])
    assert record.ms > 0
    assert record.getMessage() == f"GET /campaigns/nowhere/ 404 {record.ms} ms"


def test_a_token_says_who_asks(make: Factory, told: Told) -> None:
    user = make.make_user("alice")
    client = Client(headers={"Authorization": f"Bearer {create_token(user, 'test')}"})
    client.get("/api/campaigns/")
    assert told.records[-1].user_id == user.pk


def test_whoever_is_not_signed_in_is_nobody_and_no_session_is_opened_for_the_log(
    db: None, client: Client, told: Told, django_assert_num_queries: Callable[..., Any]
) -> None:
    with django_assert_num_queries(0):
        client.get("/password/mailed/")
    assert not hasattr(told.records[-1], "user_id")


def test_a_link_that_lets_in_is_not_logged(make: Factory, client: Client, told: Told) -> None:
    token = invite(make.make_campaign(), Role.JUDGE)
    assert client.get(f"/invitations/{token}/").status_code == 200
    assert told.records[-1].path == "/invitations/.../"


@pytest.mark.django_db
def test_an_error_of_ours_shows_its_id_and_logs_it_with_the_traceback(
    told: Told, monkeypatch: pytest.MonkeyPatch, make: Factory
) -> None:
    def fail(*args: object) -> None:
        raise RuntimeError("planted")

    token = invite(make.make_campaign(), Role.JUDGE)
    monkeypatch.setattr("assess.views.people.open_invitation", fail)
    client = Client(raise_request_exception=False)
    response = client.get(f"/invitations/{token}/", headers={"X-Request-ID": "report-me-1"})
    assert response.status_code == 500
    assert "<code>report-me-1</code>" in markup(response)
    (failed,) = [record for record in told.records if record.name == "django.request"]
    assert (failed.request_id, failed.exc_info[0]) == ("report-me-1", RuntimeError)
    assert token not in failed.getMessage()


def end(job: Job) -> None:
    finish(job, "Done")


def refuse(job: Job) -> None:
    raise Refused("expected a run")


def cancelled(job: Job) -> None:
    cancel_job(job)
    end(job)


@pytest.mark.parametrize(
    ("service", "said"),
    [
        (end, ["begun: Sum, attempt 1", "done"]),
        (refuse, ["begun: Sum, attempt 1", "refused: expected a run"]),
        (cancelled, ["begun: Sum, attempt 1", "stopped"]),
    ],
)
def test_every_line_of_a_job_has_its_number(
    make: Factory, told: Told, service: Callable[[Job], None], said: list[str]
) -> None:
    job = make.make_job(make.make_campaign(), "Sum")
    run_attempt(job.pk, "ticket", service)
    assert [record.job for record in told.records] == [job.pk, job.pk]
    assert [
        record.getMessage()[: len(words)] for record, words in zip(told.records, said, strict=True)
    ] == said


def test_a_job_that_fails_logs_why(make: Factory, told: Told) -> None:
    job = make.make_job(make.make_campaign())
    with pytest.raises(ZeroDivisionError):
        run_attempt(job.pk, "ticket", lambda job: print(1 // 0))
    assert told.records[-1].exc_info[0] is ZeroDivisionError


def lines_in(form: str, say: Callable[[logging.Logger], object]) -> str:
    """Return what a handler with this form's formatter writes."""
    configured, out = logging_settings(form, "info"), StringIO()
    name = f"test.{form}"
    about = {"version": 1, "disable_existing_loggers": False, "filters": configured["filters"]}
    about["formatters"] = configured["formatters"]
    about["handlers"] = {"here": {**configured["handlers"]["console"], "stream": out}}
    about["loggers"] = {name: {"handlers": ["here"], "level": "INFO", "propagate": False}}
    logging.config.dictConfig(about)
    say(logging.getLogger(name))
    return out.getvalue()


def test_a_line_of_json_has_a_field_for_each_thing() -> None:
    with logged_with(request_id="abcdefgh"):
        line = json.loads(lines_in("json", lambda log: log.info("it is %s", "so", extra={"status": 200})))
    assert line.pop("time")[10:11] == "T"
    assert line == {
        "level": "INFO",
        "logger": "test.json",
        "message": "it is so",
        "status": 200,
        "request_id": "abcdefgh",
    }


def test_a_library_that_sets_the_level_of_its_logger_writes_no_more_than_is_asked_for() -> None:
    def say(log: logging.Logger) -> None:
        log.setLevel("DEBUG")
        log.debug("too much")

    assert lines_in("text", say) == ""


def test_a_traceback_stays_on_its_line_of_json() -> None:
    def say(log: logging.Logger) -> None:
        try:
            print(1 // 0)
        except ZeroDivisionError:
            log.exception("two\nlines")

    (line,) = lines_in("json", say).splitlines()
    assert "ZeroDivisionError" in json.loads(line)["exc_info"]


def test_a_line_of_text_ends_with_what_is_known() -> None:
    with logged_with(request_id="abcdefgh"):
        line = lines_in("text", lambda log: log.warning("careful"))
    assert line.endswith("WARNING test.text: careful request_id=abcdefgh\n")


def test_an_unknown_form_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="JURYPOOL_LOG_FORMAT: expected one of text, json, found 'xml'"):
        logging_settings("xml", "info")


def test_the_web_server_needs_no_django_to_log() -> None:
    code = "import sys, config.operations.logs; sys.exit('django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
