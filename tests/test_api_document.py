"""The API does what its OpenAPI document says: asked in many ways, it never fails, and answers as documented.

Schemathesis makes requests from the document, valid and not, and judges the answers by it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.services import create_token
from assess.services import release_qrels
from config.api import api
from config.wsgi import application
from tests.factory import Factory

schemathesis = pytest.importorskip("schemathesis", reason="no schemathesis: see tests/requirements.in")

EXAMPLES = int(os.environ.get("JURYPOOL_API_EXAMPLES", "20"))  # requests an operation, valid and not
THERE = {"slug": "tiny", "number": 1, "tag": "run", "kind": "qrels", "form": "csv"}  # else nothing is found


def read_to_the_end(environ: dict[str, Any], start: Any) -> list[bytes]:
    """Answer as the site does, and close what was sent, as servers do."""
    answer = application(environ, start)
    try:
        return [b"".join(answer)]
    finally:
        answer.close()


DOCUMENT = schemathesis.openapi.from_wsgi("/api/openapi.json", read_to_the_end)
OPERATIONS = [found.ok() for found in DOCUMENT.get_all_operations()]
BY_MEANING = [  # not by form: which measures there are and what a run file may hold, no schema can say
    schemathesis.checks.CHECKS.get_one("positive_data_acceptance"),
]


def there(case: Any, name: str) -> Any:
    return "1" if name == "number" and "/topics/" in case.path else THERE[name]


@pytest.fixture(autouse=True)
def one_connection() -> Iterator[None]:
    """Keep the test's own connection, and with it what the test made, from one request to the next."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def headers(make: Factory) -> dict[str, str]:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_judgment(campaign, "bob", "1", "D1", 2)
    release_qrels(campaign, make.make_user("carol"))
    return {"Authorization": f"Bearer {create_token(make.make_user('carol'), 'test')}"}


def test_every_operation_of_the_document_is_asked() -> None:
    assert {each.label for each in OPERATIONS} == {
        f"{method.upper()} {path}"
        for path, methods in api.get_openapi_schema()["paths"].items()
        for method in methods
    }
    assert len(OPERATIONS) >= 19


@pytest.mark.parametrize("mode", [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE])
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_an_operation_answers_as_documented(operation: Any, mode: Any, headers: dict[str, str]) -> None:
    cases = operation.as_strategy(generation_mode=mode)

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
        derandomize=True,
    )
    @given(case=cases, known=st.booleans())
    def ask(case: Any, known: bool) -> None:
        if known and mode is schemathesis.GenerationMode.POSITIVE:
            case.path_parameters = {name: there(case, name) for name in case.path_parameters or {}}
        case.call_and_validate(headers=headers, excluded_checks=BY_MEANING)

    ask()
