"""A chaotic sitting in small, and whether its ledger finds what it looks for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import chromium  # noqa: F401  # a fixture
from tests.soak.chaos import Intention, Ledger, chaos, ledger_faults, typed
from tests.support.server import running

LABEL = {
    "uuid": "u1", "docno": "D1", "on_screen": "D1", "relevance": 2, "reason": "", "later": False,
    "gap": 300, "repeated": True,
}  # fmt: skip
EVENT = {
    "uuid": "u1", "docno": "D1", "relevance": 2, "reason": "", "comment": "why", "evidence": "words",
    "current": True,
}  # fmt: skip


@pytest.mark.parametrize(
    ("label", "event", "meant", "fault"),
    [
        ({}, {}, "D1", ""),
        ({}, {"uuid": "u2"}, "D1", "lost: "),
        ({}, {"docno": "D2"}, "D1", "misplaced: "),
        ({"on_screen": "D2"}, {}, "D1", "misplaced: "),
        ({}, {}, "D3", "unintended: "),
        ({"gap": 600}, {}, "D3", ""),  # the machine sent the second press too late
        ({}, {"comment": ""}, "D1", "comment lost: "),
        ({}, {"evidence": ""}, "D1", "evidence lost: "),
    ],
)
def test_the_ledger_finds_a_fault(
    label: dict[str, Any], event: dict[str, Any], meant: str, fault: str
) -> None:
    ledger = Ledger(Counter([Intention(meant, "2")]), {"D1": "why"}, {"D1": "words"}, given=[LABEL | label])
    wrong = ledger_faults(ledger, [EVENT | event])
    assert any(line.startswith(fault) for line in wrong) if fault else wrong == []


@pytest.mark.slow
@pytest.mark.browser
def test_a_chaotic_sitting_loses_nothing(chromium: Browser, tmp_path: Path) -> None:  # noqa: F811
    with running(tmp_path) as server:
        server.shell("from tests.soak.scene import build; build(1, 50)")
        ledger = chaos(chromium, server, "judge00", 20)
        assert ledger_faults(ledger, typed(server, "judge00")) == []
