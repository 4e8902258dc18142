"""What a chaotic judge meant, what the page took, and what the database holds.

The driver that plays the judge notes each label that it intends, and each comment and each evidence that it
leaves. The page notes each label that it takes, with the document on screen and the event that gave it. The
database must hold what was intended: no label lost, twice, on another document or without an intention, and
no comment lost.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.soak.load import quantile

DOUBLE_CLICK_TIME = 500  # ms: a second press of a key after that is a press of its own
# Notes each label that the page gives to its outbox: the document on screen, whether the label is one sent
# again with a changed comment, the time since the press before, and how long the next document took to be
# painted. The notes stay in the browser's storage, so that a closed tab takes nothing with it.
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
        const again = label.source !== "key" && window.event?.type !== "submit";
        const note = { ...label, on_screen, again, gap, repeated };
        store.call(this, `ledger ${label.uuid}`, JSON.stringify(note));
        const pressed = label.pressed - performance.timeOrigin;
        requestAnimationFrame(() => look(pressed, on_screen, `paint ${label.uuid}`));
    };
"""


class Intention(NamedTuple):
    """A label that the judge means to give. answer: the grade, the reason, or "later".

    again: whether it is the label that the document has, sent again with what was typed.
    """

    docno: str
    answer: str
    again: bool = False


def intention_of(label: dict[str, Any]) -> Intention:
    """Return what a label that the page took says."""
    answer = "later" if label["later"] else label["reason"] or str(label["relevance"])
    return Intention(label["docno"], answer, label["again"])


@dataclass
class Ledger:
    """What one judge meant, and what the page and the database have of it.

    given: UUID -> label that the page took, in the order of their presses. wrong: what the judge saw that
    must not be.
    """

    intended: Counter[Intention] = field(default_factory=Counter)
    comments: dict[str, str] = field(default_factory=dict)  # docno -> the text that was typed last
    evidence: dict[str, str] = field(default_factory=dict)
    note: str = ""  # on the topic, as it was typed last
    stored_note: str = ""
    acts: Counter[str] = field(default_factory=Counter)
    history: list[str] = field(default_factory=list)
    ignored: int = 0
    slow: int = 0  # second presses of a double press that the busy machine sent too late
    given: dict[str, dict[str, Any]] = field(default_factory=dict)
    painted: list[float] = field(default_factory=list)
    drafts: list[str] = field(default_factory=list)
    waiting: int = 0
    wrong: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        labels = sum(not label["later"] for label in self.given.values())
        unsure = sum(label["unsure"] for label in self.given.values())
        return (
            f"{labels} labels, {unsure} unsure, {len(self.comments)} comments,"
            f" {len(self.evidence)} pieces of evidence;"
            f" {sum(self.acts.values())} acts, {self.ignored} presses ignored,"
            f" {self.slow} second presses after {DOUBLE_CLICK_TIME} ms;"
            f" painted p50 {quantile(self.painted, 0.5):.1f} p95 {quantile(self.painted, 0.95):.1f} ms"
        )

    def label_of(self, docno: str) -> str:
        """Return the last answer that the page took for a document; "" if none but "later"."""
        answers = [intention_of(label) for label in self.given.values() if not label["later"]]
        return next((each.answer for each in reversed(answers) if each.docno == docno), "")


def ledger_faults(ledger: Ledger, events: list[dict[str, Any]]) -> list[str]:
    """Return what is lost, doubled, misplaced, unintended, or typed and gone."""
    given = {uuid: label for uuid, label in ledger.given.items() if not label["later"]}
    stored = {event["uuid"]: event for event in events}
    wrong = [f"lost: {given[key]}" for key in given.keys() - stored.keys()]
    wrong += [f"nobody's: {stored[key]}" for key in stored.keys() - given.keys()]
    for key in given.keys() & stored.keys():
        if (stored[key]["docno"], stored[key]["docno"]) != (given[key]["docno"], given[key]["on_screen"]):
            wrong.append(f"misplaced: {stored[key]}, given as {given[key]}")
        if _answer(stored[key]) != _answer(given[key]):
            wrong.append(f"another answer: {stored[key]}, given as {given[key]}")
    if ledger.note not in ledger.stored_note:
        wrong.append(f"note lost: {ledger.note!r}, stored {ledger.stored_note!r}")
    wrong += ledger.wrong + _unintended(ledger) + _typed_faults(ledger, events)
    return wrong + ([f"{ledger.waiting} labels wait"] if ledger.waiting else [])


def _answer(row: dict[str, Any]) -> tuple[int | None, str, bool]:
    return row["relevance"], row["reason"], row["unsure"]


def _unintended(ledger: Ledger) -> list[str]:
    """Return the labels that the judge did not mean, but for second presses of a key that came too late."""
    left, wrong = ledger.intended.copy(), []
    for label in ledger.given.values():
        meant = intention_of(label)
        left[meant] -= 1
        if left[meant] >= 0:
            continue
        if label["repeated"] and label["gap"] > DOUBLE_CLICK_TIME and not label["again"]:
            ledger.slow += 1
        else:
            wrong.append(f"unintended: {meant}, {label['gap']} ms after the press before")
    return wrong


def _typed_faults(ledger: Ledger, events: list[dict[str, Any]]) -> list[str]:
    """Return the comments and the evidence that the current label does not have, and no draft either."""
    current = {event["docno"]: event for event in events if event["current"]}
    wrong = []
    for docno, text in ledger.comments.items():
        stored = current[docno]["comment"] if docno in current else None
        if stored != text and text not in ledger.drafts:
            wrong.append(f"comment lost: {docno}: {text!r}, stored {stored!r}")
    for docno, quote in ledger.evidence.items():
        if docno in current and current[docno]["evidence"] != quote:
            where = "a draft" if quote in ledger.drafts else f"stored {current[docno]['evidence']!r}"
            wrong.append(f"evidence lost: {docno}: {quote!r}, {where}")
    return wrong
