"""What an organiser does while judges work: a hundred runs over HTTP, a pool, a release, its scores."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from http.client import HTTPException
from urllib.parse import urlencode

from tests.soak.track_runs import track_run
from tests.support.judges import PATIENCE, Judge
from tests.support.names import SHARED, SLUG, TRACK, run_file
from tests.support.server import Server

BOUNDARY = "a-line-of-no-run"
POOLED = """
from pooling.models import PooledDocument
print(PooledDocument.objects.filter(pool__campaign__slug="track").count())
"""
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


def fill_track(runs: int, topics: int, depth: int) -> Callable[[Server], None]:
    """Return the work: submit so many runs of the second campaign, then freeze a pool of depth 100."""
    numbers = [str(number) for number in range(1, topics + 1)]
    files = [track_run(number, runs, numbers, depth) for number in range(runs)]

    def work(server: Server) -> None:
        olga = Judge(server, "olga")
        olga.sign_in()
        began = time.monotonic()
        for number, content in enumerate(files):
            send_run(olga, TRACK, f"run{number:03}", content)
        submitted = time.monotonic()
        form = {
            "csrfmiddlewaretoken": olga.cookies["csrftoken"],
            "strategy": "depth",
            "k": "100",
            "seconds": "30",
            "confirmed": "yes",
        }
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        answer = olga.request("POST", f"/campaigns/{TRACK}/pool/", urlencode(form).encode(), **kind)
        frozen = time.monotonic()
        olga.close()
        pools = int(server.shell(POOLED))
        assert answer.status == 302 and pools, f"no pool was frozen: {answer.status}"
        print(
            f"    organiser: {runs} runs in {submitted - began:.1f} s,"
            f" a pool of {pools:,} documents in {frozen - submitted:.1f} s",
            flush=True,
        )

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
    send_run(olga, SLUG, tag, run_file(["1", SHARED], docnos, tag))


def send_run(olga: Judge, slug: str, tag: str, content: bytes) -> None:
    """Submit a run as the form does; the tag comes from the file's name."""
    fields = {"csrfmiddlewaretoken": olga.cookies["csrftoken"], "priority": "1", "tag_from": "name"}
    parts = [
        f'Content-Disposition: form-data; name="{name}"\r\n\r\n{value}' for name, value in fields.items()
    ]
    parts.append(f'Content-Disposition: form-data; name="run_files"; filename="{tag}.run"\r\n\r\n')
    head = "".join(f"--{BOUNDARY}\r\n{part}\r\n" for part in parts).removesuffix("\r\n").encode()
    body = head + content + f"\r\n--{BOUNDARY}--\r\n".encode()
    kind = f"multipart/form-data; boundary={BOUNDARY}"
    answer = olga.request("POST", f"/campaigns/{slug}/report/", body, **{"Content-Type": kind})
    assert answer.status == 200 and tag in answer.body, f"{tag}: {answer.status}"


def command(server: Server, *words: str) -> None:
    """Run a command of the organiser's. What an earlier try has done already may be refused now."""
    found = server.attempt(*words)
    assert found.returncode == 0 or words[0] == "freeze_pool" and told(server)[1] > 1, words


def told(server: Server) -> list[int]:
    """Return how many runs, pools and releases there are."""
    return [int(word) for word in server.shell(TOLD).split()]
