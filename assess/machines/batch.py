"""Batch files: requests out, one JSON object a line, and the file of their results back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from assess.machines.responses import BadResponse, Completion, read_completion
from pooling.formats.files import BadFile, BadLine
from pooling.formats.text import replace_unstorable

URL = "/v1/chat/completions"
MOST_LINES = 50_000  # of one batch file
KEY = re.compile(r"[0-9a-f]{64}")
MAX_PROBLEM = 200
# A line of results, for people who write a program of their own:
RESULT_EXAMPLE = (
    '{"custom_id": "…", "response": {"status_code": 200,'
    ' "body": {"choices": [{"message": {"content": "2"}}]}}}'
)
EXPECTED = (
    "expected an error, or a response with status_code and body, with the reply in"
    " body.choices[0].message.content"
)


class BatchResult(NamedTuple):
    """The result of one request: a completion, or the problem as a sentence."""

    line: int
    key: str
    completion: Completion | None
    problem: str = ""


def batch_line(key: str, body: Mapping[str, Any]) -> str:
    """Return a line of a batch file, with its line end. key: comes back with the result."""
    request = {"custom_id": key, "method": "POST", "url": URL, "body": body}
    return json.dumps(request, ensure_ascii=False, separators=(",", ":")) + "\n"


def read_results(content: bytes, name: str = "") -> list[BatchResult]:
    """Return the results in a file, in its order, which may be any. Blank lines are skipped.

    Raises BadLine for the first line that is not a result, and for a second result of one request, and
    BadFile for a file without any.
    """
    results: dict[str, BatchResult] = {}
    for number, line in _lines(content):
        result = _result(number, line, name)
        if result.key in results:
            message = f"this request already has a result on line {results[result.key].line}"
            raise BadLine(number, message, name)
        results[result.key] = result
    if not results:
        raise BadFile("expected results, one JSON object a line, found none", name=name)
    return list(results.values())


def _lines(content: bytes) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if line.strip():
            yield number, line


def _result(number: int, line: bytes, name: str) -> BatchResult:
    try:
        read = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        raise BadLine(number, "expected a JSON object in UTF-8", name) from error
    if not isinstance(read, dict):
        raise BadLine(number, "expected a JSON object", name)
    key = read.get("custom_id")
    if not isinstance(key, str) or not KEY.fullmatch(key):
        raise BadLine(number, "expected the custom_id of a request of the batch file", name)
    if read.get("error"):
        return BatchResult(number, key, None, _problem("The server reported an error", read["error"]))
    response = read.get("response")
    if not isinstance(response, dict) or not isinstance(response.get("status_code"), int):
        raise BadLine(number, EXPECTED, name)
    if response["status_code"] != 200:
        words = f"The server answered with status {response['status_code']}"
        return BatchResult(number, key, None, _problem(words, response.get("body")))
    try:
        return BatchResult(number, key, read_completion(response.get("body")))
    except BadResponse as problem:
        raise BadLine(number, str(problem), name) from problem


def _problem(words: str, error: Any) -> str:
    """Return a sentence with the message of an error body, whatever it holds."""
    if isinstance(error, dict) and isinstance(error.get("error"), dict | str):
        error = error["error"]
    said = (error.get("message") or error.get("code")) if isinstance(error, dict) else error
    text = f"{words}: {said}" if isinstance(said, str) and said else f"{words}."
    return replace_unstorable(" ".join(text.split()))[:MAX_PROBLEM]
