"""Take the pictures of the documentation again: `make pictures`.

Those of the README are of the demonstration. Those of a tutorial are taken where it has an image, while its
instructions are followed on an empty site.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tests.browser.chromium import CHROMIUM
from tests.browser.tutorial import Tutorial

BASE = "http://127.0.0.1:8765"
VIEWPORT: ViewportSize = {"width": 1280, "height": 720}
FOLDER = Path(__file__).resolve().parents[2] / "static/pictures"
PICTURES = [
    ("runs", "olga", "/campaigns/python/runs/", "light"),
    ("pool", "olga", "/campaigns/again/pool/", "light"),
    ("judging", "ada", "/campaigns/python/judge/topics/1/", "light"),
    ("judging-dark", "ada", "/campaigns/python/judge/topics/1/", "dark"),
    ("progress", "olga", "/campaigns/python/progress/", "light"),
    ("agreement", "olga", "/campaigns/python/agreement/?first=ada&second=chi", "light"),
    ("leaderboard", "olga", "/campaigns/python/scores/2/", "light"),
]
AGAIN = """
from accounts.models import User; from pooling.models import Campaign
from pooling.services.people import create_campaign
from pooling.services.runs import Submission, submit_run
from pooling.services.topics import load_topics
first, olga = Campaign.objects.get(slug="python"), User.objects.get(username="olga")
again = create_campaign(olga, "Python, searched again", "again", first.grades, 2)
load_topics(again, open("config/demo/topics.trec", "rb").read(), "topics.trec")
for run in first.runs.all():
    submit_run(again, olga, run.original.read(), run.file_name, Submission(group=run.group))
"""  # a campaign whose pool is still a draft


def take(browser: Browser, name: str, user: str, path: str, mode: str) -> None:
    context = browser.new_context(
        base_url=BASE,
        viewport=VIEWPORT,
        color_scheme="dark" if mode == "dark" else "light",
    )
    page = context.new_page()
    page.goto(f"/sign-in/?next={path.replace('&', '%26')}")
    page.get_by_label("Sign-in name").fill(user)
    page.get_by_label("Password").fill("jurypool")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"**{path}")
    shoot(page, FOLDER / f"{name}.png")
    context.close()


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        with site(["load_demo"], ["shell", "-v0", "-c", AGAIN]):
            for picture in PICTURES:
                take(browser, *picture)
        with site() as manage:
            organiser, judge = (browser.new_page(base_url=BASE, viewport=VIEWPORT) for _ in range(2))
            organiser.goto(manage("first_organiser_link", "--site", BASE).split()[-1])
            Tutorial("first-campaign.md", organiser, judge, shoot).follow()
        browser.close()


@contextmanager
def site(*commands: list[str]) -> Iterator[Callable[..., str]]:
    """Serve a new site on which these management commands were called; yield the function that calls more."""
    with tempfile.TemporaryDirectory() as data:
        environment = {**os.environ, "JURYPOOL_DATA": data, "JURYPOOL_BIND": BASE.removeprefix("http://")}

        def manage(*words: str) -> str:
            command = [sys.executable, "manage.py", *words]
            return subprocess.run(
                command, env=environment, check=True, stdout=subprocess.PIPE, text=True
            ).stdout

        for words in (["migrate", "-v0"], ["collectstatic", "--noinput", "-v0"], *commands):
            manage(*words)
        server = [sys.executable, "manage.py", "serve"]
        with subprocess.Popen(server, env=environment) as web:
            try:
                wait_for_the_door()
                yield manage
            finally:
                web.terminate()


def shoot(page: Page, path: Path) -> None:
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(800)
    page.screenshot(path=path)


def wait_for_the_door() -> None:
    for _ in range(300):
        try:
            urlopen(f"{BASE}/sign-in/").close()
        except URLError:
            time.sleep(0.1)
        else:
            return
    sys.exit("The server did not start.")


if __name__ == "__main__":
    main()
