"""A judge who types as fast as the screen takes it, in a real browser, whatever happens meanwhile."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

from playwright.sync_api import Browser, BrowserContext, Error, Page, Request

from tests.soak.load import quantile
from tests.support.names import PASSWORD, SLUG
from tests.support.server import Server

PATIENCE = 90  # s to wait for a card that takes a press
CUT = 2.5  # s without network
KEYS = "0123"

# Counts what moved without being told to, each entry of the browser's own list once.
SHIFTS = """
    new PerformanceObserver((list) => {
        localStorage.setItem("shifts", Number(localStorage.getItem("shifts")) + list.getEntries().length);
    }).observe({ type: "layout-shift", buffered: true });
"""
SHIFTED = 'Number(localStorage.getItem("shifts"))'

# A page with nothing but a number that goes up at each press: what any page pays on this machine.
EMPTY = """<!doctype html><title>Empty</title>
    <main id="judging-screen" data-enabled><p id="judgment-card"><b class="docno">0</b></p></main>
    <script>addEventListener("keydown", () => { document.querySelector("b").textContent++; });</script>"""

# Notes what stood on screen at each press, before the page's own listener sees the key, and when the next
# document stood there; in the browser's store, so that a closed tab takes nothing with it.
RECORDER = """
    const shown = () => document.querySelector("#judgment-card .docno")?.innerText ?? "";
    addEventListener("keydown", ({ key }) => {
        const pressed = performance.now(), docno = shown();
        if (!"0123".includes(key)) return;
        const name = `stress ${performance.timeOrigin + pressed}`;
        const offered = document.querySelector("dialog[open]");  // a break: no key goes to the card behind it
        const awake = document.querySelector("#judging-screen").matches("[data-enabled]") && !offered;
        const note = (painted) => localStorage.setItem(name, JSON.stringify({ key, docno, awake, painted }));
        const look = () => {  // a task of its own runs when the frame is painted
            if (shown() === docno) requestAnimationFrame(look);
            else setTimeout(() => note(performance.now() - pressed));
        };
        note(null);
        requestAnimationFrame(look);
    }, true);
"""
PRESSES = """() => Object.keys(localStorage).filter((name) => name.startsWith("stress "))
    .sort((one, other) => one.slice(7) - other.slice(7))
    .map((name) => JSON.parse(localStorage.getItem(name)))"""
WAITING = 'Object.keys(localStorage).filter((key) => key.startsWith("jurypool label")).length'
AWAKE = (  # the page's script says so: before it runs, and where it could not be loaded, no key counts
    'document.querySelector("#judging-screen[data-enabled]") && !document.querySelector("dialog[open]")'
)
GO_ON = 'document.querySelector("#break[open] button")?.click()'


TRY_NOW = 'document.getElementById("try-now")?.click()'


class Press(NamedTuple):
    """A key on a card that took it. painted: ms until another document stood there, if the tab lived."""

    docno: str
    relevance: int
    painted: float | None


class Mishaps(NamedTuple):
    """Before which presses the network is cut, the server killed, the tab closed and another one opened."""

    cut: Collection[int] = ()
    kill: Collection[int] = ()
    close: Collection[int] = ()


@dataclass
class Sitting:
    """presses: in their order. requests: parcels that were sent. ignored: keys on a card that slept.

    shifts: layout shifts that the browser counted, also those soon after a press.
    """

    presses: list[Press] = field(default_factory=list)
    requests: int = 0
    ignored: int = 0
    left: int = 0
    shifts: int = 0
    busy: float = 0

    @property
    def painted(self) -> list[float]:
        return [press.painted for press in self.presses if press.painted is not None]

    def __str__(self) -> str:
        labels = len(self.presses)
        return (
            f"{labels} labels  next document painted p50 {quantile(self.painted, 0.5):.1f}"
            f" p95 {quantile(self.painted, 0.95):.1f} ms  {self.requests / labels:.2f} requests"
            f" and {self.shifts / labels:.2f} layout shifts a label  load average {self.busy:.1f}"
        )


def evenly(count: int, among: int) -> set[int]:
    """Return so many places, evenly spread.

    >>> sorted(evenly(2, 30))
    [10, 20]
    """
    return {among * step // (count + 1) for step in range(1, count + 1)}


class Typist:
    """One judge in one browser context; tabs come and go."""

    recorder = RECORDER

    def __init__(self, context: BrowserContext, server: Server, topic: str, latency: int) -> None:
        self.context, self.server, self.latency = context, server, latency
        self.place = f"{server.url}/campaigns/{SLUG}/judge/topics/{topic}/"
        self.requests, self.online_at = 0, 0.0
        self.killer = ThreadPoolExecutor(1)
        self.restart: Future[float] | None = None

    def sign_in(self, name: str) -> None:
        page = self.context.new_page()
        page.goto(f"{self.server.url}/sign-in/")
        page.get_by_label("Sign-in name").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("button", name="Sign out").wait_for()
        page.close()

    def open_tab(self) -> None:
        self.page: Page = self.context.new_page()
        self.page.add_init_script(self.recorder + SHIFTS)
        self.page.on("request", self._count)
        devtools = self.context.new_cdp_session(self.page)
        devtools.send("Network.enable")
        devtools.send(
            "Network.emulateNetworkConditions",
            {"offline": False, "latency": self.latency, "downloadThroughput": -1, "uploadThroughput": -1},
        )
        self.go()

    def _count(self, request: Request) -> None:
        self.requests += request.url.endswith("/judge/outbox/") and '"labels":[{' in (request.post_data or "")

    def go(self) -> None:
        try:
            self.page.goto(self.place)
        except Error:  # the server is dead at this moment
            time.sleep(0.3)

    def wait_until_awake(self) -> None:
        """Wait for a card that takes a press, and take no break; raises TimeoutError."""
        began = time.monotonic()
        while not self.is_awake():
            waited = time.monotonic() - began
            if waited > PATIENCE:
                raise TimeoutError(f"no card took a press for {PATIENCE} s: {self.page.inner_text('body')}")
            self._come_online()
            if waited > 3:
                self._help()
            time.sleep(0.01)

    def _help(self) -> None:
        """Do what a judge does whose page stands still: try now, or open the topic anew."""
        if self.page.locator("#try-now").is_visible():
            self.page.evaluate(TRY_NOW)
        else:
            self.go()
        time.sleep(0.5)

    def is_awake(self) -> bool:
        try:
            self.page.evaluate(GO_ON)
            return bool(self.page.evaluate(AWAKE))
        except Error:  # the page is on its way to another
            return False

    def cut(self) -> None:
        self.context.set_offline(True)
        self.online_at = time.monotonic() + CUT

    def _come_online(self) -> None:
        if self.online_at and time.monotonic() > self.online_at:
            self.context.set_offline(False)
            self.online_at = 0

    def kill(self) -> None:
        """Kill the server at once; it comes back while the typing goes on."""
        if self.restart:
            self.restart.result()
        self.server.kill()
        self.restart = self.killer.submit(self.server.start)

    def finish(self) -> list[dict[str, object]]:
        """Wait until everything is delivered; return what the recorder noted."""
        if self.restart:
            self.restart.result()
        self.killer.shutdown()
        self.context.set_offline(False)
        until = time.monotonic() + PATIENCE
        while self.page.evaluate(WAITING) and time.monotonic() < until:
            if self.page.locator("#try-now").is_visible():
                self.page.evaluate(TRY_NOW)
            time.sleep(0.1)
        self.left = int(self.page.evaluate(WAITING))
        self.shifts = int(self.page.evaluate(SHIFTED))
        found: list[dict[str, object]] = self.page.evaluate(PRESSES)
        return found


def sit(
    browser: Browser,
    server: Server,
    name: str,
    labels: int,
    topic: str = "1",
    latency: int = 0,
    mishaps: Mishaps = Mishaps(),  # noqa: B008  # a tuple
) -> Sitting:
    """Type so many labels. latency: ms that the browser adds to every answer."""
    context = browser.new_context()
    typist, sitting = Typist(context, server, topic, latency), Sitting()
    try:
        typist.sign_in(name)
        typist.open_tab()
        for number in range(labels):
            typist.wait_until_awake()
            typist._come_online()
            if number in mishaps.close:
                typist.page.close()
                typist.open_tab()
                typist.wait_until_awake()
            if number in mishaps.cut:
                typist.cut()
            if number in mishaps.kill:
                typist.kill()
            typist.page.keyboard.press(KEYS[number % len(KEYS)])
        noted = typist.finish()
    finally:
        context.close()
    for note in noted:
        painted = note["painted"]
        assert painted is None or isinstance(painted, float | int)
        press = Press(str(note["docno"]), int(str(note["key"])), painted)
        if note["awake"]:
            sitting.presses.append(press)
        else:
            sitting.ignored += 1
    sitting.requests, sitting.left, sitting.shifts = typist.requests, typist.left, typist.shifts
    sitting.busy = os.getloadavg()[0]
    return sitting


def empty_paints(browser: Browser, server: Server, presses: int) -> list[float]:
    """Return how many ms after each press an empty page of the same server shows its change."""
    page = browser.new_page()
    page.route("**/empty", lambda route: route.fulfill(body=EMPTY, content_type="text/html"))
    page.add_init_script(RECORDER)
    page.goto(f"{server.url}/empty")
    for number in range(presses):
        page.keyboard.press(KEYS[number % len(KEYS)])
        page.wait_for_timeout(50)
    painted: list[float] = [note["painted"] for note in page.evaluate(PRESSES)]
    page.close()
    return painted


def sitting_faults(sitting: Sitting, name: str, topic: str, events: Collection[tuple[str, ...]]) -> list[str]:
    """Return where the database differs from what was on screen at each press: lost, twice, misplaced."""
    pressed = [(press.docno, str(press.relevance)) for press in sitting.presses]
    recorded = [(row[3], row[4]) for row in events if row[1:3] == (name, topic)]
    wrong = [
        f"press {place}: {one}, stored {other}"
        for place, (one, other) in enumerate(zip(pressed, recorded, strict=False))
        if one != other
    ]
    if len(pressed) != len(recorded):
        wrong.append(
            f"{len(pressed)} presses, {len(recorded)} events: {json.dumps(sorted({*pressed} ^ {*recorded}))}"
        )
    if len({docno for docno, _ in recorded}) < len(recorded):
        wrong.append("a document was labelled twice")
    return wrong + ([f"{sitting.left} labels still wait"] if sitting.left else [])
