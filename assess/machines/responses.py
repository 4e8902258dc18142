"""Bodies of requests and responses in the chat completions format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from assess.machines.prompt import Message, canonical_json
from pooling.checksum import sha256_of
from pooling.formats.text import replace_unstorable
from pooling.refusals import Refused

TOKEN_LIMITS = ("max_tokens", "max_completion_tokens")  # models with reasoning accept only the second
MOST_TOKENS = (1 << 31) - 1
MAX_NAME, MAX_REASON = 120, 40


class BadResponse(Refused):
    """A response body without a reply; says what was expected."""


class Completion(NamedTuple):
    """The reply of a model and what the server says about it. logprobs: of each token, or None."""

    text: str
    finish_reason: str = ""
    model: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    logprobs: list[Any] | None = None


def request_body(
    model: str, options: Mapping[str, Any], messages: Sequence[Message], sample: int = 1
) -> dict[str, Any]:
    """Return the body of a request.

    options: temperature, top_p, seed, top_logprobs, max_tokens, and tokens_name, the parameter name for the
    last one; None or missing: the server's default. Every sample has a seed of its own.

    >>> request_body("m", {"temperature": 0, "max_tokens": 9, "seed": 5}, [], sample=2)
    {'model': 'm', 'messages': [], 'temperature': 0, 'max_tokens': 9, 'seed': 6}
    """
    body: dict[str, Any] = {"model": model, "messages": list(messages)}
    for name in ("temperature", "top_p"):
        if options.get(name) is not None:
            body[name] = options[name]
    if options.get("max_tokens") is not None:
        body[options.get("tokens_name") or TOKEN_LIMITS[0]] = options["max_tokens"]
    if options.get("seed") is not None:
        body["seed"] = options["seed"] + sample - 1
    if options.get("top_logprobs"):
        body |= {"logprobs": True, "top_logprobs": options["top_logprobs"]}
    return body


def request_key(body: Mapping[str, Any], sample: int, probe: str) -> str:
    """Return the SHA-256 of all that decides an answer: two requests with one key are one question."""
    return sha256_of(canonical_json({"body": body, "sample": sample, "probe": probe}))


def read_completion(body: Any) -> Completion:
    """Return the reply in the body of a response. Raises BadResponse.

    Reasoning that a server puts beside the reply is not read.
    """
    choices = body.get("choices") if isinstance(body, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise BadResponse("expected choices[0].message in the body, found none")
    content, refusal = message.get("content"), message.get("refusal")
    if not isinstance(content, str | None):
        raise BadResponse("expected a text in choices[0].message.content")
    refused = not content and isinstance(refusal, str) and bool(refusal)
    usage = body["usage"] if isinstance(body.get("usage"), dict) else {}
    logprobs = choice.get("logprobs")
    tokens = logprobs.get("content") if isinstance(logprobs, dict) else None
    return Completion(
        replace_unstorable(str(refusal) if refused else content or ""),
        "refusal" if refused else _name(choice.get("finish_reason"), MAX_REASON),
        _name(body.get("model"), MAX_NAME),
        _count(usage.get("prompt_tokens")),
        _count(usage.get("completion_tokens")),
        tokens if isinstance(tokens, list) else None,
    )


def _name(value: Any, length: int) -> str:
    return replace_unstorable(value)[:length] if isinstance(value, str) else ""


def _count(value: Any) -> int | None:
    usable = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
    return value if usable else None
