"""A chaotic sitting in small, and whether its ledger finds what it looks for."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.soak import chaos
from tests.soak.chaos import ChaoticJudge, play, typed
from tests.soak.chaos_ledger import Intention, Ledger, ledger_faults
from tests.support.server import running

BE_BUSY = """(time) => void setTimeout(() => {
    const until = performance.now() + time;
    while (performance.now() < until);
})"""
LABEL = {
    "uuid": "u1", "docno": "D1", "on_screen": "D1", "relevance": 2, "reason": "", "later": False,
    "gap": 300, "repeated": True, "again": False, "unsure": False,
}  # fmt: skip
EVENT = {
    "uuid": "u1", "docno": "D1", "relevance": 2, "reason": "", "comment": "why", "evidence": "words",
    "current": True, "unsure": False,
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
        ({"gap": 600, "again": True}, {}, "D3", "unintended: "),
        ({}, {"relevance": 3}, "D1", "another answer: "),
        ({"unsure": True}, {}, "D1", "another answer: "),
        ({}, {"comment": ""}, "D1", "comment lost: "),
        ({}, {"evidence": ""}, "D1", "evidence lost: "),
    ],
)
def test_the_ledger_finds_a_fault(
    label: dict[str, Any], event: dict[str, Any], meant: str, fault: str
) -> None:
    ledger = Ledger(Counter([Intention(meant, "2")]), {"D1": "why"}, {"D1": "words"})
    ledger.given["u1"] = LABEL | label
    wrong = ledger_faults(ledger, [EVENT | event])
    assert any(line.startswith(fault) for line in wrong) if fault else wrong == []


def test_the_ledger_finds_a_note_that_is_lost() -> None:
    ledger = Ledger(note="as it was typed", stored_note="before")
    assert ledger_faults(ledger, [])[0].startswith("note lost: ")


@pytest.fixture
def judge(chromium: Browser, tmp_path: Path) -> Iterator[ChaoticJudge]:
    with running(tmp_path) as server, chromium.new_context() as context:
        server.shell("from tests.soak.scene import build; build(1, 50)")
        judge = ChaoticJudge(context, server, random.Random(1), throttle=1)
        judge.sign_in("judge00")
        judge.open_tab()
        yield judge


@pytest.mark.slow
@pytest.mark.browser
def test_a_second_press_that_comes_late_is_a_label_that_the_driver_knows(
    judge: ChaoticJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chaos, "GAPS", (0.7,))  # s: a busy machine sends the second press late
    judge.press(lambda: judge.double_key("1"), judge.ready(), "1")
    first, second = [label["docno"] for label in judge.ledger.given.values()]
    assert first != second
    assert [judge.ledger.label_of(docno) for docno in (first, second)] == ["1", "1"]
    judge.ready()
    judge.back()
    judge.comment()
    ledger = judge.settle()
    assert ledger_faults(ledger, typed(judge.server, "judge00")) == []
    assert (list(ledger.comments), ledger.slow) == ([second], 1)


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("way", ["key", "click"])
def test_a_press_that_the_page_handles_late_is_a_label_that_the_driver_knows(
    judge: ChaoticJudge, way: str
) -> None:
    docno = judge.ready()
    judge.page.evaluate(BE_BUSY, 3_000)
    acts = {"key": lambda: judge.key("2"), "click": lambda: judge.click("button.grade[value='2']")}
    judge.press(acts[way], docno, "2")
    assert (judge.ledger.label_of(docno), judge.ledger.ignored) == ("2", 0)


@pytest.mark.slow
@pytest.mark.browser
def test_a_press_before_a_page_that_comes_late_is_a_label_that_the_driver_knows(judge: ChaoticJudge) -> None:
    def press_and_leave() -> None:
        judge.key("2")
        judge.server.kill()
        judge.page.evaluate("setTimeout(() => location.reload())")
        judge.restart = judge.killer.submit(judge.server.start)

    docno = judge.ready()
    judge.press(press_and_leave, docno, "2")
    assert (judge.ledger.label_of(docno), judge.ledger.ignored) == ("2", 0)


@pytest.mark.slow
@pytest.mark.browser
def test_a_chaotic_sitting_loses_nothing(chromium: Browser, tmp_path: Path) -> None:
    with running(tmp_path) as server:
        server.shell("from tests.soak.scene import build; build(1, 50)")
        ledger = play(chromium, server, "judge00", 20)
        assert ledger_faults(ledger, typed(server, "judge00")) == []
