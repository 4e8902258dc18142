"""The API does what its OpenAPI document says: asked in many ways, it never fails, and answers as documented.

Schemathesis makes requests from the document, valid and not, and judges the answers by it.
"""

from __future__ import annotations

import os
from typing import Any, cast

import pytest
import schemathesis
from django.urls import resolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.services import create_token
from config.api import api
from pooling.models import Campaign
from tests.config.test_api_writes import WRITES, address, make_writable
from tests.config.test_roles import API
from tests.support.factory import Factory
from tests.support.places import place
from tests.support.served import read_to_the_end

pytestmark = pytest.mark.usefixtures("one_connection")

EXAMPLES = int(os.environ.get("JURYPOOL_API_EXAMPLES", "4"))  # valid and not, of an operation
DOCUMENT = schemathesis.openapi.from_wsgi("/api/openapi.json", read_to_the_end)
OPERATIONS: list[Any] = [found.ok() for found in cast(Any, DOCUMENT.get_all_operations())]
BY_MEANING = [  # not by form: which measures there are and what a run file may hold, no schema can say
    schemathesis.checks.CHECKS.get_one("positive_data_acceptance"),
]
DOORS = {  # who knocks -> whose token that is, and its scope
    "nobody": None,
    "a wrong token": None,
    "an organiser to read": ("carol", "read"),
    "an organiser to submit": ("carol", "submit"),
    "an organiser to do all": ("carol", "all"),
    "a participant to submit": ("dave", "submit"),
    "a judge to do all": ("alice", "all"),
    "an outsider to do all": ("mallory", "all"),
}


build_campaign = make_writable


@pytest.fixture
def doors(make: Factory) -> dict[str, dict[str, str]]:
    """Return who knocks -> the headers that they send."""
    tokens = {
        door: create_token(make.make_user(held[0]), "test", held[1]) if held else "jp_wrong"
        for door, held in DOORS.items()
    }
    return {
        door: {} if door == "nobody" else {"Authorization": f"Bearer {token}"}
        for door, token in tokens.items()
    }


def name_of(operation: Any) -> str:
    """Return the name of an operation's URL."""
    return f"api:{operation.definition.raw['operationId']}"


def body_of(key: tuple[str, str], campaign: Campaign, make: Factory) -> dict[str, Any] | None:
    """Return a valid body of an operation, if it has one."""
    if key not in WRITES:
        return None
    write = WRITES[key]
    body = write.body(campaign, make) if callable(write.body) else write.body
    if write.file is None:
        return body
    content = write.file(campaign, make) if callable(write.file) else write.file
    return {**(body or {}), "file": content}


def fill(case: Any, body: dict[str, Any] | None) -> None:
    """Give a request a valid body, in place, or no query."""
    if body is not None:
        case.body.clear()
        case.body.update(body)
    elif case.query:
        case.query.clear()


def test_every_operation_of_the_document_is_asked() -> None:
    assert {each.label for each in OPERATIONS} == {
        f"{method.upper()} {path}"
        for path, methods in api.get_openapi_schema()["paths"].items()
        for method in methods
    }
    assert len(OPERATIONS) == len(API)


@pytest.mark.parametrize("mode", [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE])
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_an_operation_answers_as_documented(
    operation: Any, mode: Any, campaign: Campaign, doors: dict[str, dict[str, str]], make: Factory
) -> None:
    cases = operation.as_strategy(generation_mode=mode)
    key = (operation.method, name_of(operation))
    url = address(key, campaign, make) if key in WRITES else place(key[1], campaign, make)
    there, valid = resolve(url).kwargs, body_of(key, campaign, make)

    @settings(
        max_examples=EXAMPLES,
        suppress_health_check=list(HealthCheck),
        database=None,
        derandomize="JURYPOOL_API_EXAMPLES" not in os.environ,
    )
    @given(case=cases, known=st.sampled_from(["all", "address", "nothing"]))
    def ask(case: Any, known: str) -> None:
        if known != "nothing" and mode is schemathesis.GenerationMode.POSITIVE:
            case.path_parameters = there
            if known == "all":
                fill(case, valid)
        for door, sent in doors.items():
            answer = case.call_and_validate(headers=sent, excluded_checks=BY_MEANING)
            assert DOORS[door] or answer.status_code in (400, 401, 404), (door, answer.status_code)
            answers.add(answer.status_code)
            assert operation.method == "get" or "read" not in door or answer.status_code >= 400, door

    answers: set[int] = set()
    ask()
    assert mode is schemathesis.GenerationMode.NEGATIVE or min(answers) < 300  # some door opens
