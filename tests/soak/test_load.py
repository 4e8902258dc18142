"""Judges over HTTP, in small: what must hold on any machine. `make soak` measures how fast it goes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.soak.crash import crash
from tests.soak.ledger import derived_faults, faults, stored
from tests.soak.load import trial
from tests.support.judges import signed_in
from tests.support.names import SHARED
from tests.support.postgres import found, server
from tests.support.server import Server, running

JUDGES = 6


def built(web: Server) -> Server:
    web.shell(f"from tests.soak.scene import build; build({JUDGES}, 40)")
    return web


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Server]:
    with running(tmp_path) as web:
        yield built(web)


@pytest.mark.slow
def test_judges_at_once_lose_nothing_and_share_a_topic_without_meeting(web: Server) -> None:
    figures, judges = trial(web, JUDGES, seconds=8, topics=["1", SHARED])
    labels = [label for judge in judges for label in judge.labels]
    assert figures.errors == []
    assert figures.labels == len(labels) > 50
    assert faults(labels, stored(web)) == []


@pytest.mark.slow
def test_a_double_press_and_a_repeated_save_leave_what_one_leaves(
    web: Server, request: pytest.FixtureRequest
) -> None:
    (judge,) = signed_in(web, 1)
    request.addfinalizer(judge.close)
    judge.open_topic("1")
    card, other = judge.cards[:2]
    press = {
        "uuid": "11111111-1111-4111-8111-111111111111",
        "entry": int(card["entry"]),
        "docno": card["docno"],
        "text_hash": card["text-hash"],
        "relevance": 2,
        "source": "key",
    }
    once = judge.send(press)
    first = stored(web)
    assert (once.status, once.problems, len(first["event"])) == (200, [], 1)
    assert judge.send(press, press).problems == []
    again = press | {"entry": int(other["entry"]), "docno": other["docno"], "text_hash": other["text-hash"]}
    assert judge.send(again).problems != []  # the same press cannot label another document
    assert stored(web) == first
    assert derived_faults(first) == []


@pytest.mark.parametrize(
    ("database", "seconds"),
    [
        ("sqlite", 12),
        pytest.param("sqlite", 20, marks=pytest.mark.slow),
        pytest.param("postgresql", 25, marks=pytest.mark.slow),
    ],
)
def test_every_acknowledged_label_is_there_once_after_kill_9(
    tmp_path: Path, database: str, seconds: float
) -> None:
    if database == "sqlite":
        with running(tmp_path) as web:
            outcome = crash(built(web), JUDGES, seconds, every=5, topics=["1", SHARED])
    elif found():
        with server(durable=True) as postgres, running(tmp_path, postgres.url) as web:
            outcome = crash(built(web), JUDGES, seconds, every=2, topics=["1", SHARED], postgres=postgres)
    else:
        pytest.skip("no PostgreSQL on this machine")
    assert outcome.faults == []
    assert outcome.kills >= (1 if database == "sqlite" else 2)  # a slow machine starts slowly
    assert outcome.acknowledged > 20
