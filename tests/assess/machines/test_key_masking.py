"""The key of an endpoint does not come back from its server, in whatever spelling."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote, unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assess.machines.http_client import send
from assess.machines.key_masking import RUN, mask_key
from tests.support.chat_server import KEY, PRIVATE, Reply, completion, error, running_chat_server

from .test_http_client import BODY, QUICK

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~+/=:-"
KEYS = st.text(LETTERS, min_size=12, max_size=80)
SPELLINGS: list[Callable[[str], str]] = [
    str, str.upper, str.lower, str.swapcase, str.title,
    lambda text: quote(text, safe=""),
    lambda text: "".join(f"%{ord(each):02x}" for each in text),
    lambda text: "".join(f"%{ord(each):02X}" for each in text.upper()),
    lambda text: quote("".join(f"%{ord(each):02x}" for each in text), safe=""),
    lambda text: "".join(f"%{ord(each):02x}" if place % 2 else each for place, each in enumerate(text)),
]  # fmt: skip


def spelled_alike(text: str) -> str:
    while text != (decoded := unquote(text, errors="replace")):
        text = decoded
    return text.lower()


@given(KEYS, st.data(), st.sampled_from(SPELLINGS), st.text(), st.text())
@example(KEY, None, SPELLINGS[5], "Incorrect key ", " given")
def test_no_part_of_the_key_is_left(
    key: str, data: st.DataObject | None, spell: Callable[[str], str], before: str, after: str
) -> None:
    start = data.draw(st.integers(0, len(key) - RUN)) if data else 0
    end = data.draw(st.integers(start + RUN, len(key))) if data else len(key)
    said = f"{before} {spell(key[start:end])} {after}"
    left = spelled_alike(mask_key(said, key, RUN))
    parts = [key[place : place + RUN].lower() for place in range(len(key) - RUN + 1)]
    assert not any(part in left for part in parts)


@given(KEYS, st.text())
def test_a_text_without_the_key_is_not_changed(key: str, text: str) -> None:
    if key.lower() not in spelled_alike(text):
        assert mask_key(text, key) == text


@pytest.mark.parametrize("spell", SPELLINGS)
def test_neither_a_reply_nor_an_error_shows_the_key(spell: Callable[[str], str]) -> None:
    with running_chat_server() as server:
        server.script.extend(
            [
                Reply(content=completion(f"Your key is {spell(KEY)}.")),
                Reply(400, error(f"Bad key {spell(KEY)}.", hint=KEY)),
                Reply(500, error(f"Bad key {spell(KEY[4:])}.")),
            ]
        )
        reply, *errors = [send(server.endpoint(), PRIVATE, BODY, QUICK) for _ in range(3)]
    assert reply.completion is not None
    assert reply.completion.text == "Your key is [key]."
    assert [each.problem.rpartition(": ")[2] for each in errors] == ["Bad key [key]."] * 2
