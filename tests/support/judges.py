"""Judges without a browser: threads that send what the judging screen sends, over http.client."""

from __future__ import annotations

import json
import random
import re
import time
import uuid
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode

from tests.support.names import PASSWORD, SLUG
from tests.support.server import Server

PATIENCE = 60  # s after which a label that nobody takes is an error
HELD, SPREAD, STOCK = 4, 4, 14  # cards on the page: with about how many it asks, and to have how many
CARD = re.compile(r'<article\s+id="judgment-card"([^>]*)>')
ATTRIBUTE = re.compile(r'data-([\w-]+)="([^"]*)"')
OUTBOX = f"/campaigns/{SLUG}/judge/outbox/"


@dataclass
class Label:
    """One press. attempts: how often it was sent until the server said that it has it."""

    uuid: str
    judge: str
    topic: str
    docno: str
    relevance: int
    attempts: int = 0
    seconds: float = 0
    acknowledged: bool = False


@dataclass
class Answer:
    status: int
    body: str

    @property
    def problems(self) -> list[str]:
        return re.findall(r"<p data-problem>\s*(.*?)\s*</p>", self.body, re.DOTALL)

    @property
    def cards(self) -> list[dict[str, str]]:
        return [dict(ATTRIBUTE.findall(tag)) for tag in CARD.findall(self.body)]


@dataclass
class Judge:
    """A signed-in judge: which cards are on the page, and every label ever pressed."""

    server: Server
    name: str
    patient: bool = False  # tries again until the server is back, as the outbox does
    topic: str = ""
    labels: list[Label] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    cards: list[dict[str, str]] = field(default_factory=list)
    cookies: dict[str, str] = field(default_factory=dict)
    number: int = 0

    def __post_init__(self) -> None:
        self.draw = random.Random(self.name)
        self.connection = HTTPConnection("127.0.0.1", self.server.port, timeout=30)

    def request(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """Return the answer. A connection that was closed while idle is opened anew, as browsers do."""
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        reused = self.connection.sock is not None
        try:
            return self._request(method, path, body, headers)
        except (OSError, HTTPException):
            self.connection.close()
            if not reused:
                raise
        try:
            return self._request(method, path, body, headers)
        except (OSError, HTTPException):
            self.connection.close()
            raise

    def _request(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        text = response.read().decode()
        for cookie in response.headers.get_all("Set-Cookie") or []:
            self.cookies |= {name: morsel.value for name, morsel in SimpleCookie(cookie).items()}
        return Answer(response.status, text)

    def close(self) -> None:
        self.connection.close()

    def sign_in(self) -> None:
        page = self.request("GET", "/sign-in/").body
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        assert token
        fields = {"csrfmiddlewaretoken": token[1], "username": self.name, "password": PASSWORD}
        form = urlencode(fields).encode()
        answer = self.request(
            "POST", "/sign-in/", form, **{"Content-Type": "application/x-www-form-urlencoded"}
        )
        assert answer.status == 302, f"{self.name} could not sign in: {answer.status}"

    def open_topic(self, topic: str) -> None:
        """Open the judging page and keep its cards; a shared topic gives its first ones to a POST alone."""
        answer = self.request("GET", f"/campaigns/{SLUG}/judge/topics/{topic}/")
        assert answer.status == 200, f"{self.name} could not open topic {topic}: {answer.status}"
        found = re.search(r'id="judging-screen"\s+data-judge="(\d+)"', answer.body)
        self.topic, self.cards = topic, answer.cards
        self.number = int(found[1]) if found else 0
        if not self.cards:
            self.cards = self.send().cards

    def parcel(self, *presses: dict[str, Any]) -> bytes:
        have = [int(card["entry"]) for card in self.cards]
        want = STOCK if len(have) <= HELD + self.draw.randrange(SPREAD) else 0
        fields = {"judge": self.number, "topic": self.topic, "want": want, "have": have}
        return json.dumps(fields | {"labels": presses}).encode()

    def send(self, *presses: dict[str, Any]) -> Answer:
        headers = {"X-CSRFToken": self.cookies["csrftoken"], "Content-Type": "application/json"}
        return self.request("POST", OUTBOX, self.parcel(*presses), **headers)

    def press(self) -> Label | None:
        """Label the card on screen and wait until it is saved; None when there is no card."""
        if not self.cards:
            return None
        card = self.cards.pop(0)
        relevance = self.draw.choice([0, 0, 0, 1, 2, 3])
        label = Label(str(uuid.uuid4()), self.name, self.topic, card["docno"], relevance)
        self.labels.append(label)
        fields = {
            "uuid": label.uuid,
            "entry": int(card["entry"]),
            "docno": card["docno"],
            "text_hash": card["text-hash"],
            "postponed": int(card["postponed"]),
            "relevance": relevance,
            "reason": "",
            "later": False,
            "source": "key",
            "evidence": None,
            "comment": "",
            "active_seconds": 2.5,
            "highlighted": False,
        }
        self.deliver(label, fields)
        return label

    def deliver(self, label: Label, fields: dict[str, Any]) -> None:
        """Send a label, with the same UUID until the server has it if this judge is patient."""
        first = time.perf_counter()
        while not label.acknowledged:
            label.attempts += 1
            began = time.perf_counter()
            try:
                answer = self.send(fields)
                trouble = "" if answer.status == 200 else f"status {answer.status}"
            except (OSError, HTTPException) as error:
                trouble = type(error).__name__
            label.seconds = time.perf_counter() - began
            if not trouble:
                self.errors += answer.problems
                label.acknowledged = not answer.problems
                have = {card["entry"] for card in self.cards}
                self.cards += [card for card in answer.cards if card["entry"] not in have]
                return
            if not self.patient or began > first + PATIENCE:
                self.errors.append(trouble)
                return
            time.sleep(0.1 + self.draw.random() * 0.2)

    def work(self, topics: Iterable[str], until: float, pause: Callable[[random.Random], float]) -> None:
        """Label topic after topic until the clock stands at `until` or there is nothing more.

        The first label comes anywhere in the first pause: people do not press in step.
        """
        time.sleep(self.draw.random() * pause(self.draw))
        for topic in topics:
            while time.monotonic() < until:
                try:
                    self.open_topic(topic)
                    break
                except (OSError, HTTPException, AssertionError):
                    if not self.patient:
                        raise
                    time.sleep(0.2)
            while time.monotonic() < until:
                time.sleep(pause(self.draw))
                if not self.press():
                    break
        self.close()


def signed_in(server: Server, count: int, patient: bool = False) -> list[Judge]:
    judges = [Judge(server, f"judge{number:02}", patient) for number in range(count)]
    for judge in judges:
        judge.sign_in()
    return judges


def all_work(
    judges: list[Judge],
    topics: Iterable[str],
    seconds: float,
    pause: Callable[[random.Random], float] = lambda draw: 0,
) -> float:
    """Let all judges work at once; return the seconds it took. Raises what any of them raised."""
    topics, began = list(topics), time.monotonic()
    with ThreadPoolExecutor(len(judges)) as threads:
        tasks = [threads.submit(judge.work, topics, began + seconds, pause) for judge in judges]
    for task in tasks:
        task.result()
    return time.monotonic() - began
