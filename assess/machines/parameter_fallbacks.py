"""Parameters that a server does not accept: they are left out or renamed, and the organiser is informed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from assess.machines.responses import TOKEN_LIMITS

DROPPED = ""  # instead of another name
ADJUSTABLE = (
    "response_format", "seed", "top_logprobs", "logprobs", "temperature", "top_p", *TOKEN_LIMITS,
)  # fmt: skip
WITH = {"logprobs": ("top_logprobs",), "top_logprobs": ("logprobs",)}  # one is not accepted without the other
REFUSAL = re.compile(
    r"unsupported|not support|only the default|unknown|unrecogni[sz]ed|unexpected|not permitted|not allowed"
    r"|extra (inputs|fields)|not available|extra_forbidden",
    re.IGNORECASE,
)


def refused_parameter(error: Mapping[str, Any], body: Mapping[str, Any]) -> str:
    """Return the parameter of the body that an error names as not supported; "" if it names none.

    >>> refused_parameter({"message": "Unsupported parameter: 'seed'"}, {"seed": 1})
    'seed'
    >>> refused_parameter({"message": "Too long: messages and max_tokens pass 4096"}, {"max_tokens": 1})
    ''
    """
    texts = [str(error.get(field) or "") for field in ("message", "code", "type")]
    if not any(map(REFUSAL.search, texts)):
        return ""
    if error.get("param") in ADJUSTABLE and error["param"] in body:
        return str(error["param"])
    named = re.findall("|".join(rf"\b{name}\b" for name in ADJUSTABLE), texts[0])
    return next((name for name in named if name in body), "")


def adjust(adjustments: Mapping[str, str], parameter: str) -> dict[str, str] | None:
    """Return the adjustments with one for a parameter that is not accepted; None if there is no way.

    Of the names of the limit of tokens, the other one is tried. Without any limit a reply has no upper bound.
    """
    if parameter not in TOKEN_LIMITS:
        return {**adjustments, **dict.fromkeys((parameter, *WITH.get(parameter, ())), DROPPED)}
    other = TOKEN_LIMITS[1 - TOKEN_LIMITS.index(parameter)]
    return None if adjustments.get(other) == parameter else {**adjustments, parameter: other}


def adjusted(body: Mapping[str, Any], adjustments: Mapping[str, str]) -> dict[str, Any]:
    """Return a body without the parameters that are not accepted, and with others under their other name.

    >>> adjusted({"model": "m", "seed": 1, "max_tokens": 9}, {"seed": "", "max_tokens": "most"})
    {'model': 'm', 'most': 9}
    """
    named = {adjustments.get(name, name): value for name, value in body.items()}
    return {name: value for name, value in named.items() if name != DROPPED}


def in_words(adjustments: Mapping[str, str]) -> list[str]:
    """Return each adjustment as a sentence."""
    return [
        f"{name} is sent as {other}." if other else f"{name} is not sent: the server uses its own setting."
        for name, other in sorted(adjustments.items())
    ]
