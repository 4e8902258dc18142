"""A judge to whom everything happens: the network fails, the server is killed, tabs come and go.

Whether the page took a press is read from the notes that the page makes of its labels, never from a clock:
the browser answers a key or a click when the page has handled it.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Dialog, Error

from tests.soak.chaos_ledger import RECORDER, Intention, Ledger, intention_of
from tests.soak.sitting import PATIENCE, Typist
from tests.support.server import Server

GAPS = (0.12, 0.22, 0.3, 0.35, 0.4, 0.48)  # s between the presses of a double press
NOTED = """([prefix, known]) => Object.entries(localStorage)
    .filter(([key]) => key.startsWith(prefix) && !known.includes(key.slice(prefix.length)))
    .map(([, text]) => JSON.parse(text))"""
SHOWN = "() => document.querySelector('#judgment-card .docno')?.innerText ?? ''"
CARD = """() => {
    const { docno, relevance, reason } = document.querySelector("#judgment-card").dataset;
    return [docno, relevance || reason];
}"""
EVIDENCE = "() => document.getElementById('evidence').textContent"
IS_WRITING = "() => document.activeElement.id === 'comment'"
SELECT = """([start, end]) => {
    const words = document.querySelector("[data-paragraph='0']");
    const text = document.createTreeWalker(words, NodeFilter.SHOW_TEXT).nextNode();
    getSelection().setBaseAndExtent(text, start, text, Math.min(end, text.length));
    return getSelection().toString().trim();
}"""
NOTE_DRAFT = "() => Object.keys(localStorage).some((key) => key.startsWith('jurypool note '))"
DRAFTS = """() => Object.entries(localStorage).filter(([key]) => /^jurypool (comment|evidence)/.test(key))
    .map(([key, text]) => key.startsWith("jurypool comment") ? text : JSON.parse(text).quote)"""


class ChaoticJudge(Typist):
    """Plays a judge; every act leaves the screen at some document."""

    recorder = RECORDER

    def __init__(self, context: BrowserContext, server: Server, draw: random.Random, throttle: int) -> None:
        super().__init__(context, server, "1", latency=draw.choice((0, 0, 50, 200)))
        self.draw, self.throttle, self.ledger = draw, throttle, Ledger()
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
        """Do what gives one label, and learn whether the page took it."""
        meant = Intention(docno, answer)
        self.learn()
        self.ledger.intended[meant] += 1
        self.note(f"press {docno} {answer}")
        try:
            act()
        finally:
            if meant not in self.learn():
                self.ledger.ignored += 1
                self.note(f"ignored {docno} {answer}")
                self.ledger.intended[meant] -= 1

    def learn(self) -> list[Intention]:
        """Take the labels that the page has noted since the last time; return what they say."""
        noted = self.read_notes("ledger ", list(self.ledger.given))
        labels = [*self.ledger.given.values(), *noted]
        ordered = sorted(labels, key=lambda label: float(label["pressed"]))
        self.ledger.given = {label["uuid"]: label for label in ordered}
        for label in noted:
            self.note(f"given {label['uuid']} {intention_of(label)}")
        return [intention_of(label) for label in noted]

    def read_notes(self, prefix: str, known: list[str]) -> list[Any]:
        """Return the page's notes; if it is on its way to another page, that page's. Raises TimeoutError."""
        until, reopen_at = time.monotonic() + PATIENCE, time.monotonic() + 3
        while time.monotonic() < until:
            if self.page.is_closed():
                self.open_tab()
            try:
                notes: list[Any] = self.page.evaluate(NOTED, [prefix, known])
                return notes
            except Error:
                time.sleep(0.05)
            if time.monotonic() > reopen_at:  # it could not be loaded: the server is dead, or the network cut
                self.go_anywhere()
                self.go()
        raise TimeoutError(f"no page for {PATIENCE} s: {self.page.url}")

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
        """Type a comment; while the field is in use, the page must not leave the document."""
        text = f"comment {self.draw.random()}"
        self.ready()
        self.key("c")
        if not self.page.evaluate(IS_WRITING):  # the page has just moved by itself, and the key did not count
            return
        docno, label = self.page.evaluate(CARD)
        self.page.locator("#comment").fill(text)
        self.stays(docno)
        self.ledger.comments[docno] = text
        self.note(f"comment {docno} {label} {text}")
        self.will_send_again(docno, label)
        self.key("Escape")
        self.leave(docno)

    def take_evidence(self) -> None:
        """Select words and take them as evidence; while they are selected, the page must not leave."""
        self.ready()
        start = self.draw.randrange(20)
        quote = self.page.evaluate(SELECT, [start, start + 12])
        docno, label = self.page.evaluate(CARD)
        if not quote or not self.is_awake():  # the page has just moved by itself, and the key would not count
            return
        self.key("e")
        self.stays(docno)
        if quote not in (taken := self.page.evaluate(EVIDENCE)):
            self.ledger.wrong.append(f"evidence not taken: {docno}: {quote!r}, the page shows {taken!r}")
            return
        self.ledger.evidence[docno] = quote
        self.note(f"evidence {docno} {label} {quote}")
        self.will_send_again(docno, label)
        self.leave(docno)

    def mark_unsure(self) -> None:
        """Mark the label of a document as unsure, or take the mark back."""
        self.ready()
        docno, label = self.page.evaluate(CARD)
        if not self.is_awake():  # the page has just moved by itself, and the key would not count
            return
        self.key("w")
        self.stays(docno)
        self.note(f"unsure {docno} {label}")
        self.will_send_again(docno, label)
        self.leave(docno)

    def write_note(self) -> None:
        """Write on the topic; what was typed last stays, whatever happens to the page and its server."""
        self.ready()
        field = self.page.locator("#note")
        if not field.is_visible():
            self.page.locator("details:has(#note) > summary").click()
        text = f"note {self.draw.random()}"
        field.fill(text, timeout=2000)
        self.ledger.note = text
        self.note(text)
        field.blur()
        self.draw.choice((self.grade, self.reload, self.reopen, self.go_on))()

    def look_back(self) -> None:
        """Look at own examples of the grades, over the document."""
        self.ready()
        docno, _ = self.page.evaluate(CARD)
        if self.is_awake():
            self.key("v")
            self.stays(docno)
            self.key(self.draw.choice(("v", "Escape")))

    def stays(self, docno: str) -> None:
        if (shown := self.page.evaluate(SHOWN)) != docno:
            self.ledger.wrong.append(f"{shown} came while the judge was writing about {docno}")

    def will_send_again(self, docno: str, label: str) -> None:
        """Intend that the label on screen, which must be the last one, is sent again with what was typed."""
        if not label:
            return
        self.learn()
        if label != self.ledger.label_of(docno):
            given = self.ledger.label_of(docno)
            self.ledger.wrong.append(f"{docno} is shown with {label!r}, its last label is {given!r}")
        self.ledger.intended[Intention(docno, label, again=True)] += 1

    def leave(self, docno: str) -> None:
        """Leave the document by any way. The page sends what was typed with the label that is there."""
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
            (8, self.take_evidence), (6, self.mark_unsure), (4, self.write_note), (3, self.look_back),
            (3, self.reload), (2, self.pause), (2, self.reopen), (2, self.go_back),
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
        self.learn()
        self.page.wait_for_function(f"() => !({NOTE_DRAFT})()", timeout=1000 * PATIENCE)
        self.go()
        self.page.locator("#note").wait_for(state="attached")
        self.ledger.stored_note = self.page.locator("#note").input_value()
        self.ledger.painted = self.read_notes("paint ", [])
        self.ledger.drafts = self.page.evaluate(DRAFTS)
        return self.ledger


def accept(dialog: Dialog) -> None:
    with suppress(Error):  # the tab is closed already
        dialog.accept()


def play(
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
