"""What an organiser does while judges work: a hundred runs over HTTP, a pool, a release, its scores."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from http.client import HTTPException

from tests.stress.judges import PATIENCE, Judge
from tests.stress.names import SHARED, SLUG, run_file
from tests.stress.server import Server

BOUNDARY = "a-line-of-no-run"
REPORT = f"/campaigns/{SLUG}/report/"
TOLD = """
from pooling.models import Campaign; campaign = Campaign.objects.get(slug="load")
print(campaign.runs.count(), campaign.pools.count(), campaign.releases.count())
"""


def organise(runs: int, documents: int) -> Callable[[Server], None]:
    """Return the work: so many runs of so many documents a topic, then pool, release and scores.

    Every step is repeated until it is through, whatever dies meanwhile.
    """

    def work(server: Server) -> None:
        olga = Judge(server, "olga", patient=True)
        again(olga.sign_in)
        for number in range(runs):
            again(lambda tag=f"run{number:03}": submit(olga, tag, documents))  # type: ignore[misc]
        olga.close()
        for words in (("freeze_pool", SLUG, "--depth", "30"), ("release_qrels", SLUG), ("score", SLUG)):
            again(lambda words=words: command(server, *words))  # type: ignore[misc]

    return work


def again(step: Callable[[], None]) -> None:
    """Repeat a step until it succeeds. Raises what it raised last."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return step()
        except (OSError, HTTPException, AssertionError):
            if time.monotonic() > until:
                raise
            time.sleep(0.3)


def submit(olga: Judge, tag: str, documents: int) -> None:
    draw = random.Random(tag)
    docnos = [f"C{number:04}" for number in draw.sample(range(1, 3 * documents), documents)]
    fields = {"csrfmiddlewaretoken": olga.cookies["csrftoken"], "priority": "1", "tag_from": "column"}
    parts = [
        f'Content-Disposition: form-data; name="{name}"\r\n\r\n{value}' for name, value in fields.items()
    ]
    content = run_file(["1", SHARED], docnos, tag).decode()
    parts.append(f'Content-Disposition: form-data; name="run_files"; filename="{tag}.run"\r\n\r\n{content}')
    body = "".join(f"--{BOUNDARY}\r\n{part}\r\n" for part in parts) + f"--{BOUNDARY}--\r\n"
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    answer = olga.request("POST", REPORT, body.encode(), **{"Content-Type": kind})
    assert answer.status == 200 and tag in answer.body, f"{tag}: {answer.status}"


def command(server: Server, *words: str) -> None:
    """Run a command of the organiser's. What an earlier try has done already may be refused now."""
    found = server.attempt(*words)
    assert found.returncode == 0 or words[0] == "freeze_pool" and told(server)[1] > 1, words


def told(server: Server) -> list[int]:
    """Return how many runs, pools and releases there are."""
    return [int(word) for word in server.shell(TOLD).split()]
