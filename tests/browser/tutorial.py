"""A person who has read nothing but a tutorial: does in the browser what its sentences say, in their order.

A tutorial uses these sentences; words in bold are texts of the page:

    Click **NAME**, then **NAME**.   Write `TEXT` into **FIELD**.   Choose `OPTION` in **FIELD**.
    Choose the file `NAME` in **FIELD**.   The page says **TEXT**.   Judge all documents.

An image is the moment for a picture. A campaign has two windows: the organiser's and the judge's.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

TUTORIALS = Path(__file__).resolve().parents[2] / "docs" / "tutorials"
READING_TIME = 600  # ms: an earlier press of the same key counts as a part of a double press
OTHERWISE = {("1", "thorns"): 0, ("1", "tube-swap"): 3, ("2", "bright-coat"): 1, ("3", "backpack"): 1}
BOLD, CODE = r"\*\*(?P<{}>[^*]+)\*\*", r"`(?P<{}>[^`]+)`"


class Tutorial:
    """The instructions of a page of docs/tutorials/, and the windows in which they are followed.

    take: is called at each image with the window and the path of the picture.
    """

    def __init__(
        self,
        name: str,
        organiser: Page,
        judge: Page,
        take: Callable[[Page, Path], None],
    ) -> None:
        self.organiser, self.judge, self.take = organiser, judge, take
        self.page, self.link = organiser, ""
        text = (TUTORIALS / name).read_text().partition("\n## ")[2]
        self.text = re.sub(r"\s+", " ", text)

    def follow(self) -> None:
        """Carry out every instruction. A text in bold that no instruction uses must be on the page."""
        actions: list[tuple[str, Callable[..., None]]] = [
            (r"\]\((?P<path>pictures/[^)]+)\)", lambda path: self.take(self.page, TUTORIALS / path)),
            (r"Copy the link", self.copy_link),
            (r"Open the link", self.open_link),
            (r"[Jj]udge all documents", self.judge_topic),
            (r"window of the organiser", self.go_back),
            (r"[Cc]hoose the files? (?P<files>[^*]+?) in " + BOLD.format("name"), self.choose_files),
            (r"[Cc]hoose " + CODE.format("option") + " in " + BOLD.format("name"), self.choose),
            (CODE.format("value") + " into " + BOLD.format("name"), self.write),
            (r"(?:[Cc]lick|then) " + BOLD.format("name"), self.click),
            (BOLD.format("text"), self.see),
        ]
        pattern = re.compile("|".join(f"(?P<a{i}>{_anonymous(each)})" for i, (each, _) in enumerate(actions)))
        for match in pattern.finditer(self.text):
            number = next(i for i in range(len(actions)) if match[f"a{i}"])
            each, act = actions[number]
            words = re.fullmatch(each, match[0])
            assert words
            act(**words.groupdict())

    def click(self, name: str) -> None:
        """Click the link, the button or the opener with this text, or that begins with it."""
        words = re.escape(name)
        whole, beginning = (
            self.page.get_by_role("button", name=re.compile(pattern)).or_(
                self.page.get_by_role("link", name=re.compile(pattern))
            )
            for pattern in (f"^{words}$", f"^{words} ")
        )
        expect(whole.or_(beginning).first).to_be_visible()
        (whole if whole.count() else beginning).first.click()
        self.page.wait_for_load_state("networkidle")

    def field(self, name: str) -> Locator:
        return self.page.get_by_label(name, exact=True).last

    def write(self, value: str, name: str) -> None:
        self.field(name).fill(value)

    def choose(self, option: str, name: str) -> None:
        self.field(name).select_option(label=option)
        self.page.wait_for_load_state("networkidle")

    def choose_files(self, files: str, name: str) -> None:
        self.field(name).set_input_files(
            [TUTORIALS / "files" / each for each in re.findall("`([^`]+)`", files)]
        )

    def see(self, text: str) -> None:
        expect(self.page.get_by_text(text).filter(visible=True).first).to_be_visible()

    def copy_link(self) -> None:
        self.link = self.page.locator("#invitation-link").inner_text()

    def open_link(self) -> None:
        if not self.link:  # the link for the first account, which is open
            return
        self.page = self.judge
        self.page.goto(self.link)

    def go_back(self) -> None:
        self.page = self.organiser

    def judge_topic(self) -> None:
        """Grade the documents of the topic on screen."""
        screen, card = self.page.locator("#judging-screen[data-enabled]"), self.page.locator("#judgment-card")
        expect(screen).to_be_visible()
        grades = grades_of_the_judge()[screen.get_attribute("data-topic") or ""]
        for _ in grades:
            docno = card.get_attribute("data-docno") or ""
            self.page.wait_for_timeout(READING_TIME)
            self.page.keyboard.press(str(grades[docno]))
            expect(card.and_(self.page.locator(f'[data-docno="{docno}"]'))).to_have_count(0)


def grades_of_the_judge() -> dict[str, dict[str, int]]:
    """Return topic number -> docno -> grade: those of the second judge, but for a few documents."""
    grades: dict[str, dict[str, int]] = {}
    for line in (TUTORIALS / "files" / "second-judge.qrels").read_text().splitlines():
        topic, _, docno, grade = line.split()
        grades.setdefault(topic, {})[docno] = OTHERWISE.get((topic, docno), int(grade))
    return grades


def _anonymous(pattern: str) -> str:
    return re.sub(r"\(\?P<\w+>", "(?:", pattern)
