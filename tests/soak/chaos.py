"""A judge to whom everything happens, and a ledger of what the judge meant.

The script that plays the judge notes each label that it intends, and each comment and each evidence that it
leaves. The page notes each label that it takes, with the document that was on screen. The database must hold
what was intended: no label lost, twice, on another document or without an intention, and no comment lost.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from playwright.sync_api import Browser, BrowserContext, Dialog, Error

from tests.soak.load import quantile
from tests.soak.sitting import PATIENCE, Typist
from tests.support.server import Server

DOUBLE_CLICK_TIME = 500  # ms: a second press of a key after that is a press of its own
GAPS = (0.12, 0.22, 0.3, 0.35, 0.4, 0.48)  # s between the presses of a double press
TAKEN = 1.0  # s to wait for the page to take a press
# Notes each label that the page gives to its outbox, with the document on screen, and how long the press took
# to paint the next one. It stays in the browser's storage, so that a closed tab takes nothing with it.
RECORDER = """
    const shown = () => document.querySelector("#judgment-card .docno")?.innerText ?? "";
    const store = Storage.prototype.setItem;
    let last = { time: -Infinity }, gap = Infinity, repeated = false;
    const notePress = (what, time) => {
        [gap, repeated] = [time - last.time, what === last.what];
        last = { what, time };
    };
    addEventListener("keydown", ({ key, timeStamp }) => notePress(key, timeStamp), true);
    const look = (pressed, docno, name) => {
        if (shown() !== docno) store.call(localStorage, name, performance.now() - pressed);
        else if (performance.now() - pressed < 2000) requestAnimationFrame(() => look(pressed, docno, name));
    };
    Storage.prototype.setItem = function (key, value) {
        store.call(this, key, value);
        if (this !== localStorage || !key.startsWith("jurypool label")) return;
        const label = JSON.parse(value), on_screen = shown();
        store.call(this, `ledger ${label.uuid}`, JSON.stringify({ ...label, on_screen, gap, repeated }));
        const pressed = label.pressed - performance.timeOrigin;
        requestAnimationFrame(() => look(pressed, on_screen, `paint ${label.uuid}`));
    };
"""
NOTED = """(prefix) => Object.keys(localStorage).filter((key) => key.startsWith(prefix))
    .map((key) => JSON.parse(localStorage.getItem(key)))"""
COUNT = "() => Object.keys(localStorage).filter((key) => key.startsWith('ledger ')).length"
SHOWN = "() => document.querySelector('#judgment-card .docno')?.innerText ?? ''"
IS_LABELLED = """() => {
    const { relevance, reason } = document.querySelector("#judgment-card").dataset;
    return Boolean(relevance || reason);
}"""
SELECT = """([start, end]) => {
    const words = document.querySelector("[data-paragraph='0']");
    const text = document.createTreeWalker(words, NodeFilter.SHOW_TEXT).nextNode();
    getSelection().setBaseAndExtent(text, start, text, Math.min(end, text.length));
    return getSelection().toString().trim();
}"""
DRAFTS = """() => Object.entries(localStorage).filter(([key]) => key.startsWith("jurypool comment"))
    .map(([, text]) => text)"""


class Intention(NamedTuple):
    """A label that the judge means to give. answer: the grade, the reason, or "later"."""

    docno: str
    answer: str


@dataclass
class Ledger:
    """What one judge meant, and what the page and the database have of it."""

    intended: Counter[Intention] = field(default_factory=Counter)
    comments: dict[str, str] = field(default_factory=dict)  # docno -> the text that was typed last
    evidence: dict[str, str] = field(default_factory=dict)
    acts: Counter[str] = field(default_factory=Counter)
    history: list[str] = field(default_factory=list)
    ignored: int = 0
    slow: int = 0  # second presses of a double press that the busy machine sent too late
    given: list[dict[str, Any]] = field(default_factory=list)
    painted: list[float] = field(default_factory=list)
    drafts: list[str] = field(default_factory=list)
    waiting: int = 0

    def __str__(self) -> str:
        labels = sum(not label["later"] for label in self.given)
        return (
            f"{labels} labels, {len(self.comments)} comments, {len(self.evidence)} pieces of evidence;"
            f" {sum(self.acts.values())} acts, {self.ignored} presses ignored,"
            f" {self.slow} second presses after {DOUBLE_CLICK_TIME} ms;"
            f" painted p50 {quantile(self.painted, 0.5):.1f} p95 {quantile(self.painted, 0.95):.1f} ms"
        )


def answer_of(label: dict[str, Any]) -> str:
    if label["later"]:
        return "later"
    return label["reason"] or str(label["relevance"])


def ledger_faults(ledger: Ledger, events: list[dict[str, Any]]) -> list[str]:
    """Return what is lost, doubled, misplaced, unintended, or typed and gone."""
    given = {label["uuid"]: label for label in ledger.given if not label["later"]}
    stored = {event["uuid"]: event for event in events}
    wrong = [f"lost: {given[key]}" for key in given.keys() - stored.keys()]
    wrong += [f"nobody's: {stored[key]}" for key in stored.keys() - given.keys()]
    for key in given.keys() & stored.keys():
        if (stored[key]["docno"], stored[key]["docno"]) != (given[key]["docno"], given[key]["on_screen"]):
            wrong.append(f"misplaced: {stored[key]}, given as {given[key]}")
    wrong += _unintended(ledger)
    return (
        wrong + _typed_faults(ledger, events) + ([f"{ledger.waiting} labels wait"] if ledger.waiting else [])
    )


def _unintended(ledger: Ledger) -> list[str]:
    """Return the labels that the judge did not mean, but for second presses of a key that came too late."""
    left, wrong = ledger.intended.copy(), []
    for label in ledger.given:
        meant = Intention(label["docno"], answer_of(label))
        left[meant] -= 1
        if left[meant] >= 0:
            continue
        if label["repeated"] and label["gap"] > DOUBLE_CLICK_TIME:
            ledger.slow += 1
        else:
            wrong.append(f"unintended: {meant}, {label['gap']} ms after the press before")
    return wrong


def _typed_faults(ledger: Ledger, events: list[dict[str, Any]]) -> list[str]:
    """Return the comments and the evidence that the current label does not have, and no draft either."""
    current = {event["docno"]: event for event in events if event["current"]}
    wrong = []
    for docno, text in ledger.comments.items():
        found = current[docno]["comment"] if docno in current else None
        if found != text and text not in ledger.drafts:
            wrong.append(f"comment lost: {docno}: {text!r}, found {found!r}")
    for docno, quote in ledger.evidence.items():
        if docno in current and current[docno]["evidence"] != quote:
            wrong.append(f"evidence lost: {docno}: {quote!r}, found {current[docno]['evidence']!r}")
    return wrong


class ChaoticJudge(Typist):
    """Plays a judge; every act leaves the screen at some document."""

    recorder = RECORDER

    def __init__(self, context: BrowserContext, server: Server, draw: random.Random, throttle: int) -> None:
        super().__init__(context, server, "1", latency=draw.choice((0, 0, 50, 200)))
        self.draw, self.throttle, self.ledger = draw, throttle, Ledger()
        self.answers: dict[str, str] = {}  # docno -> the answer that was intended last
        self.reasons: list[str] = []

    def note(self, words: str) -> None:
        self.ledger.history.append(f"{time.time():.2f} {words}")

    # the screen

    def open_tab(self) -> None:
        super().open_tab()
        self.page.on("dialog", lambda dialog: accept(dialog))
        devtools = self.context.new_cdp_session(self.page)
        devtools.send("Emulation.setCPUThrottlingRate", {"rate": self.throttle})

    def ready(self) -> str:
        """Wait for a document that takes a press; return its docno."""
        self.wait_until_awake()
        self.reasons = self.reasons or self.page.eval_on_selector_all(
            ".reasons button", "buttons => buttons.map(({ value }) => value)"
        )
        return str(self.page.evaluate(SHOWN))

    def go_anywhere(self) -> None:
        """Be online with a server, because a page cannot be opened without."""
        self.context.set_offline(False)
        self.online_at = 0
        if self.restart:
            self.restart.result()

    # labels

    def press(self, act: Callable[[], None], docno: str, answer: str) -> None:
        """Do what gives one label, and see whether the page took it."""
        self.ledger.intended[Intention(docno, answer)] += 1
        self.note(f"press {docno} {answer}")
        before = self.page.evaluate(COUNT)
        act()
        until = time.monotonic() + TAKEN
        while time.monotonic() < until:
            if self._is_taken(before):
                self.answers[docno] = self.answers.get(docno, answer) if answer == "later" else answer
                return
            time.sleep(0.02)
        self.ledger.ignored += 1
        self.note(f"ignored {docno} {answer}")
        self.ledger.intended[Intention(docno, answer)] -= 1

    def _is_taken(self, before: int) -> bool:
        try:
            return bool(self.page.evaluate(COUNT) > before)
        except Error:  # the page is on its way to another
            return False

    def key(self, key: str) -> None:
        self.page.keyboard.press(key)

    def click(self, selector: str, count: int = 1) -> None:
        box = self.page.locator(selector).bounding_box()
        assert box, selector
        self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        for each in range(1, count + 1):
            if each > 1:
                time.sleep(self.draw.choice(GAPS))
            self.page.mouse.down(click_count=each)
            self.page.mouse.up(click_count=each)

    def double_key(self, key: str) -> None:
        self.key(key)
        time.sleep(self.draw.choice(GAPS))
        self.key(key)

    def hold_key(self, key: str) -> None:
        for _ in range(12):
            self.page.keyboard.down(key)
            time.sleep(0.06)
        self.page.keyboard.up(key)

    def grade(self) -> None:
        docno, key = self.ready(), self.draw.choice("0123")
        way = self.draw.choice(("key", "key", "click", "double key", "double click", "held key"))
        button = f"button.grade[value='{key}']"
        acts: dict[str, Callable[[], None]] = {
            "key": lambda: self.key(key),
            "click": lambda: self.click(button),
            "double key": lambda: self.double_key(key),
            "double click": lambda: self.click(button, 2),
            "held key": lambda: self.hold_key(key),
        }
        self.ledger.acts[way] += 1
        self.press(acts[way], docno, key)

    def refuse(self) -> None:
        """Say that the document cannot be judged, by a digit or the mouse, once or twice."""
        docno, place = self.ready(), self.draw.randrange(len(self.reasons))
        self.key("x")
        if not self.page.locator(".reasons").is_visible():
            return
        act = self.draw.choice(
            (
                lambda: self.double_key(str(place + 1)),
                lambda: self.click(f".reasons button >> nth={place}", 2),
                lambda: self.key(str(place + 1)),
            )
        )
        self.press(act, docno, self.reasons[place])

    def postpone(self) -> None:
        self.press(lambda: self.double_key("l"), self.ready(), "later")

    def undo(self) -> None:
        """Go back one or two documents, and give a label, go on, or write a comment."""
        self.ready()
        for _ in range(self.draw.choice((1, 1, 2))):
            self.key("u")
            time.sleep(self.draw.choice((0.05, 0.3)))
        after = self.draw.choice(("grade", "on", "comment", "evidence"))
        if after == "on":
            self.key("o")
        else:
            {"grade": self.grade, "comment": self.comment, "evidence": self.take_evidence}[after]()

    # what is typed

    def comment(self) -> None:
        docno, text = self.ready(), f"comment {self.draw.random()}"
        self.key("c")
        self.page.locator("#comment").fill(text)
        self.key("Escape")
        if self.page.evaluate(SHOWN) != docno:
            raise AssertionError("another document came while the judge was writing")
        self.ledger.comments[docno] = text
        self.note(f"comment {docno} {text}")
        self.leave(docno)

    def take_evidence(self) -> None:
        docno, start = self.ready(), self.draw.randrange(20)
        quote = self.page.evaluate(SELECT, [start, start + 12])
        if not quote:
            return
        self.key("e")
        self.ledger.evidence[docno] = quote
        self.note(f"evidence {docno} {quote}")
        self.leave(docno)

    def leave(self, docno: str) -> None:
        """Leave the document by any way. The page sends what was typed with the label that is there."""
        if self.page.evaluate(IS_LABELLED):
            self.ledger.intended[Intention(docno, self.answers[docno])] += 1
        ways = (
            self.grade,
            self.grade,
            self.postpone,
            self.go_on,
            self.back,
            self.reload,
            self.pause,
            self.reopen,
        )
        way = self.draw.choice(ways)
        self.note(f"leave {docno} by {way.__name__}")
        way()

    # ways through the pages

    def go_on(self) -> None:
        self.key("o")

    def back(self) -> None:
        self.key("u")

    def reload(self) -> None:
        self.go_anywhere()
        self.page.reload()

    def pause(self) -> None:
        self.go_anywhere()
        self.page.locator("header .brand").click()
        time.sleep(self.draw.choice((0.0, 0.5)))
        self.go()

    def reopen(self) -> None:
        self.go_anywhere()
        self.page.close(run_before_unload=False)
        self.open_tab()

    def go_back(self) -> None:
        self.go_anywhere()
        self.page.go_back()
        time.sleep(0.3)
        self.go()

    def use_second_tab(self) -> None:
        """Label a document in another tab beside this one, and close one of the two."""
        self.go_anywhere()
        first = self.page
        self.open_tab()
        self.grade()
        second = self.page
        self.page = self.draw.choice((first, second))
        (second if self.page is first else first).close()

    def act(self) -> None:
        """Do one thing, most often a label."""
        acts: tuple[tuple[int, Callable[[], None]], ...] = (
            (40, self.grade), (6, self.refuse), (4, self.postpone), (12, self.undo), (12, self.comment),
            (8, self.take_evidence), (3, self.reload), (2, self.pause), (2, self.reopen), (2, self.go_back),
            (3, self.use_second_tab), (4, self.cut), (2, self.kill),
        )  # fmt: skip
        (chosen,) = self.draw.choices([act for _, act in acts], [weight for weight, _ in acts])
        self.ledger.acts[chosen.__name__] += 1
        self.note(chosen.__name__)
        try:
            chosen()
        except Error as error:  # the tab, the page or its server went away in the middle of the act
            self.note(f"{error}".splitlines()[0])
            self.ledger.acts["failed"] += 1
            self.go_anywhere()
            if self.page.is_closed():
                self.open_tab()

    def settle(self) -> Ledger:
        """Wait until everything is sent; take what the page has noted."""
        self.go_anywhere()
        self.go()
        self.finish()
        self.ledger.waiting = self.left
        self.ledger.given = self.page.evaluate(NOTED, "ledger ")
        self.ledger.painted = self.page.evaluate(NOTED, "paint ")
        self.ledger.drafts = self.page.evaluate(DRAFTS)
        return self.ledger


def accept(dialog: Dialog) -> None:
    with suppress(Error):  # the tab is closed already
        dialog.accept()


def chaos(
    browser: Browser, server: Server, name: str, labels: int, throttle: int = 1, seed: int = 0
) -> Ledger:
    """Judge until so many labels are given. throttle: how many times slower the processor is."""
    context = browser.new_context()
    try:
        judge = ChaoticJudge(context, server, random.Random(f"{seed} {name}"), throttle)
        judge.sign_in(name)
        judge.open_tab()
        until = time.monotonic() + PATIENCE + 4 * labels
        while judge.ledger.intended.total() < labels and time.monotonic() < until:
            judge.act()
        return judge.settle()
    finally:
        context.close()


def typed(server: Server, name: str) -> list[dict[str, Any]]:
    lines = server.shell(f"from tests.soak.scene import dump_typed; dump_typed({name!r})").splitlines()
    return [json.loads(line) for line in lines]
