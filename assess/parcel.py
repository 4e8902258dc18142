"""What a judge's page sends: the labels that it has kept, and which cards it still holds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pooling.refusals import Refused

MOST_LABELS = 100
MOST_CARDS = 24
MOST_ON_PAGE = 500  # a page has asked for a few at a time


@dataclass(frozen=True)
class Parcel:
    """Labels in the order of the presses, each as the fields of a form.

    judge: who was signed in where they were pressed. topic: of which more cards are wanted, if any. have: the
    cards on the page. want: how many it would like to hold; 0 asks for none.
    """

    judge: int
    topic: str
    have: tuple[int, ...]
    want: int
    labels: tuple[dict[str, Any], ...]


def read_parcel(body: bytes) -> Parcel:
    """Read a parcel from JSON. Raises Refused, saying what was expected.

    >>> read_parcel(b'{"judge": 1, "topic": "7", "have": [4], "want": 3, "labels": []}').have
    (4,)
    """
    try:
        found = json.loads(body.decode())
        if b"\\u" in body:  # the only way to write half a character in UTF-8
            found = _whole(found)
    except (ValueError, RecursionError) as error:
        raise Refused(f"expected JSON ({error})") from None
    if not isinstance(found, dict):
        raise Refused(f"expected an object with labels, found {type(found).__name__}")
    have, labels = _list(found, "have", int), _list(found, "labels", dict)
    if len(labels) > MOST_LABELS:
        raise Refused(f"expected at most {MOST_LABELS} labels at once, found {len(labels)}")
    if len(have) > MOST_ON_PAGE:
        raise Refused(f"expected at most {MOST_ON_PAGE} cards on a page, found {len(have)}")
    want = min(_one(found, "want", int), MOST_CARDS)
    return Parcel(_one(found, "judge", int), _one(found, "topic", str), tuple(have), want, tuple(labels))


def _whole(found: Any) -> Any:
    """Return what was found, U+FFFD in place of half a character: a text may have been cut inside one."""
    if isinstance(found, str):
        return found.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(found, list):
        return [_whole(value) for value in found]
    if isinstance(found, dict):
        return {_whole(name): _whole(value) for name, value in found.items()}
    return found


def _one(found: dict[str, Any], name: str, kind: type) -> Any:
    value = found.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise Refused(f"{name}: expected {kind.__name__}, found {value!r:.40}")
    return value


def _list(found: dict[str, Any], name: str, kind: type) -> list[Any]:
    values = found.get(name)
    if not isinstance(values, list) or not all(isinstance(value, kind) for value in values):
        raise Refused(f"{name}: expected a list of {kind.__name__}, found {values!r:.40}")
    return values
