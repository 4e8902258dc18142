"""The key of an endpoint in what its server says: masked in every spelling that a person could turn back."""

from __future__ import annotations

import re
from string import ascii_lowercase, ascii_uppercase

LEAST_SECRET = 12  # characters; a shorter key is none, such as the "EMPTY" that some servers expect
RUN = 8  # characters of the key, one after the other, that are masked in the message of an error
ESCAPE = re.compile(r"%(?:25)*[0-9A-Fa-f]{2}")  # also of a text that was encoded more than once
CHARACTER = re.compile(rf"{ESCAPE.pattern}|.", re.DOTALL)
SMALL = str.maketrans(ascii_uppercase, ascii_lowercase)


def mask_key(text: str, key: str, run: int | None = None) -> str:
    """Return the text without the key and without its parts of `run` characters; None: the whole key alone.

    Capital and small letters are the same, and so are a character and its percent-encoded form.

    >>> mask_key("Bad key SECRET%2D1234!", "sk-secret-1234", run=8)
    'Bad key [key]!'
    """
    if len(key) < LEAST_SECRET:
        return text
    length, key = run or len(key), key.translate(SMALL)
    parts = {key[start : start + length] for start in range(len(key) - length + 1)}
    plain = ESCAPE.sub(lambda escape: _decoded(escape[0]), text).translate(SMALL)
    if not any(part in plain for part in parts):
        return text
    masked = {
        place
        for part in parts
        for match in re.finditer(f"(?={re.escape(part)})", plain)
        for place in range(match.start(), match.start() + length)
    }
    return "".join(
        character if place not in masked else "" if place - 1 in masked else "[key]"
        for place, character in enumerate(CHARACTER.findall(text))
    )


def _decoded(escape: str) -> str:
    return chr(int(escape[-2:], 16))
