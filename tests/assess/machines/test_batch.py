"""Batch files: what is written, and which result lines are read and which refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assess.machines.batch import RESULT_EXAMPLE, batch_line, read_results
from assess.machines.responses import Completion, request_body, request_key
from pooling.formats.files import BadFile, BadLine

KEY, OTHER = "ab" * 32, "cd" * 32


def result(key: str = KEY, text: Any = "##final score: 3", **changed: Any) -> dict[str, Any]:
    body = {
        "model": "m-1",
        "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 40, "completion_tokens": 6},
    }
    return {
        "id": "r",
        "custom_id": key,
        "response": {"status_code": 200, "body": body},
        "error": None,
    } | changed


def file_of(*lines: Any) -> bytes:
    return "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines).encode()


def test_a_line_has_the_request_and_its_key() -> None:
    body = request_body(
        "m-1", {"temperature": 0, "max_tokens": 9, "tokens_name": "max_completion_tokens"}, []
    )
    line = batch_line(KEY, body)
    assert line.endswith("}\n") and line.count("\n") == 1
    assert json.loads(line) == {
        "custom_id": KEY,
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {"model": "m-1", "messages": [], "temperature": 0, "max_completion_tokens": 9},
    }


def test_a_key_differs_by_sample_probe_and_body() -> None:
    body = request_body("m-1", {"seed": 1}, [])
    keys = [request_key(body, 1, ""), request_key(body, 2, ""), request_key(body, 1, "words")]
    assert len({*keys, request_key(body | {"seed": 2}, 1, "")}) == 4
    assert request_body("m-1", {"top_logprobs": 5}, [])["logprobs"] is True


def test_results_in_any_order_are_read_with_errors_as_problems() -> None:
    broken = {"custom_id": OTHER, "response": None, "error": {"code": "expired", "message": "Too\nlate."}}
    first, second = read_results(file_of(broken, "", result()))
    assert (first.line, first.completion, first.problem) == (
        1,
        None,
        "The server reported an error: Too late.",
    )
    assert second.line == 3 and second.key == KEY
    assert second.completion == Completion("##final score: 3", "stop", "m-1", 40, 6)


def test_other_answers_of_a_server() -> None:
    status = {"status_code": 429, "body": {"error": {"message": "Slow down"}}}
    (slow,) = read_results(file_of(result(response=status)))
    assert slow.problem == "The server answered with status 429: Slow down"
    refusal = {"choices": [{"message": {"content": None, "refusal": "No."}, "finish_reason": "stop"}]}
    (no,) = read_results(file_of(result(response={"status_code": 200, "body": refusal})))
    assert no.completion == Completion("No.", "refusal")
    (odd,) = read_results(file_of(result(text="a\0\ud800b")))
    assert odd.completion and odd.completion.text == "a\ufffd\ufffdb"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("no JSON", "expected a JSON object in UTF-8"),
        ("[1]", "expected a JSON object"),
        ("[" * 100_000, "expected a JSON object in UTF-8"),
        ({"error": None}, "expected the custom_id of a request"),
        (result(key="7"), "expected the custom_id of a request"),
        (result(), "this request already has a result on line 1"),
        (result(OTHER, response=None), "expected an error, or a response"),
        (result(OTHER, response={"status_code": "200"}), "expected an error, or a response"),
        (
            result(OTHER, response={"status_code": 200, "body": {"choices": []}}),
            "expected choices[0].message",
        ),
        (result(OTHER, text=[1]), "expected a text in choices[0].message.content"),
    ],
)
def test_a_line_that_is_no_result_is_refused_with_its_number(line: Any, expected: str) -> None:
    with pytest.raises(BadLine) as refused:
        read_results(file_of(result(), line), "results.jsonl")
    assert refused.value.line == 2 and expected in str(refused.value)


def test_a_file_without_results_is_refused() -> None:
    with pytest.raises(BadFile, match="found none"):
        read_results(b"\n\n")


def test_the_example_that_people_see_is_a_result() -> None:
    (result,) = read_results(RESULT_EXAMPLE.replace("…", "ab" * 32).encode())
    assert result.completion and result.completion.text == "2"
