"""Sittings against a real server that loses its network, its tab, its life. In small: see `make soak`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.soak.ledger import audit_faults, derived_faults, stored
from tests.soak.sitting import Mishaps, evenly, sit, sitting_faults
from tests.support.server import Server, running

pytestmark = pytest.mark.browser
LABELS, PAST_A_BREAK = 30, 55
CASES = {
    "nothing, past a break": (0, Mishaps()),
    "200 ms": (200, Mishaps()),
    "2,000 ms and a network cut twice": (2000, Mishaps(cut=evenly(2, LABELS))),
    "kill -9 three times and a tab closed twice": (
        0,
        Mishaps(kill=evenly(3, LABELS), close=evenly(2, LABELS)),
    ),
}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("web")) as web:
        web.shell(f"from tests.soak.scene import build; build({len(CASES)}, {PAST_A_BREAK + 10})")
        yield web


@pytest.mark.parametrize("case", CASES)
def test_every_label_is_on_the_document_that_was_on_screen(chromium: Browser, web: Server, case: str) -> None:
    latency, mishaps = CASES[case]
    name, labels = f"judge{list(CASES).index(case):02}", PAST_A_BREAK if "break" in case else LABELS
    sitting = sit(chromium, web, name, labels, latency=latency, mishaps=mishaps)
    found = stored(web)
    assert sitting_faults(sitting, name, "1", found["event"]) == []
    assert len(sitting.presses) + sitting.ignored == labels
    assert derived_faults(found) == []
    assert audit_faults(web) == []
