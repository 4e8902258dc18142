"""The JSON that a judge's page sends to the outbox: labels, and the cards on the page."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pooling.refusals import Refused

MOST_LABELS = 100
MOST_CARDS = 24
MOST_ON_PAGE = 500  # pages request a few at a time


@dataclass(frozen=True)
class Parcel:
    """Labels in the order of the presses, each as the fields of a form.

    judge: key of the user who was signed in when they were pressed. topic: number of the topic whose next
    cards are requested. have: keys of the cards on the page. want: how many cards the page should have; 0
    requests none.
    """

    judge: int
    topic: str
    have: tuple[int, ...]
    want: int
    labels: tuple[dict[str, Any], ...]


def read_parcel(body: bytes) -> Parcel:
    """Parse the payload. Raises Refused with what was expected.

    >>> read_parcel(b'{"judge": 1, "topic": "7", "have": [4], "want": 3, "labels": []}').have
    (4,)
    """
    try:
        payload = json.loads(body.decode())
        if b"\\u" in body:  # only an escape can encode a lone surrogate in UTF-8
            payload = _whole(payload)
    except (ValueError, RecursionError) as error:
        raise Refused(f"expected JSON ({error})") from None
    if not isinstance(payload, dict):
        raise Refused(f"expected an object with labels, found {type(payload).__name__}")
    have, labels = _list(payload, "have", int), _list(payload, "labels", dict)
    if len(labels) > MOST_LABELS:
        raise Refused(f"expected at most {MOST_LABELS} labels at once, found {len(labels)}")
    if len(have) > MOST_ON_PAGE:
        raise Refused(f"expected at most {MOST_ON_PAGE} cards on a page, found {len(have)}")
    want, judge = min(_one(payload, "want", int), MOST_CARDS), _one(payload, "judge", int)
    return Parcel(judge, _one(payload, "topic", str), tuple(have), want, tuple(labels))


def _whole(value: Any) -> Any:
    """Replace lone surrogates by U+FFFD: the browser may have cut a text inside a character."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole(each) for each in value]
    if isinstance(value, dict):
        return {_whole(name): _whole(each) for name, each in value.items()}
    return value


def _one(payload: dict[str, Any], name: str, kind: type) -> Any:
    value = payload.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise Refused(f"{name}: expected {kind.__name__}, found {value!r:.40}")
    return value


def _list(payload: dict[str, Any], name: str, kind: type) -> list[Any]:
    values = payload.get(name)
    if not isinstance(values, list) or not all(isinstance(value, kind) for value in values):
        raise Refused(f"{name}: expected a list of {kind.__name__}, found {values!r:.40}")
    return values
