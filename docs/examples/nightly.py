"""Submit tonight's run to a campaign, read its scores, and fail if a score fell.

    export JURYPOOL_TOKEN=jp_...
    python nightly.py http://127.0.0.1:8000 python my.run.gz --measure nDCG@10 --baseline best.json

It needs Python 3.11 and no other package. The token needs the scope "Read, and submit runs". The exit code
is 0 if the score is not lower than that in the baseline file, 1 if it fell, and 2 if there is no score: a
request was refused, or no release of the qrels can be seen after `--wait` minutes. A better score is written
to the baseline file.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

PAUSE = 30  # seconds between two questions whether qrels are shared


class Api:
    """The operations of one campaign."""

    def __init__(self, server: str, campaign: str, token: str) -> None:
        self.home = f"{server.rstrip('/')}/api/campaigns/{urllib.parse.quote(campaign, safe='')}/"
        self.token = token

    def get(self, path: str) -> Any:
        return self._send(urllib.request.Request(self.home + path))

    def submit(self, file: Path, **fields: str) -> Any:
        """Send a run file with the fields of a form (multipart); return the run as the server stored it."""
        boundary = uuid.uuid4().hex
        parts = [f'name="{name}"\r\n\r\n{value}\r\n'.encode() for name, value in fields.items()]
        head = f'name="file"; filename="{file.name}"\r\nContent-Type: application/octet-stream\r\n\r\n'
        parts.append(head.encode() + file.read_bytes() + b"\r\n")
        start = f"--{boundary}\r\nContent-Disposition: form-data; ".encode()
        body = b"".join(start + part for part in parts) + f"--{boundary}--\r\n".encode()
        request = urllib.request.Request(self.home + "runs/", body, method="POST")
        request.add_header("Content-Type", f"multipart/form-data; boundary={boundary}")
        return self._send(request)

    def _send(self, request: urllib.request.Request) -> Any:
        request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:  # the body is a problem document: what is wrong, by line
            raise Failure(f"{request.full_url}: {error.code} {error.read().decode()}") from error
        except OSError as error:
            raise Failure(f"{request.full_url}: {error}") from error


class Failure(Exception):
    """There is no score; the message says why."""


def scores_of(api: Api, tag: str, measure: str, minutes: float) -> dict[str, Any]:
    """Return the scores of a run against the newest release; wait until there is one."""
    end = time.monotonic() + 60 * minutes
    while not (releases := api.get("releases/?limit=500")["items"]):
        if time.monotonic() > end:
            raise Failure(f"No release of the qrels can be seen after {minutes:g} minutes.")
        time.sleep(PAUSE)
    newest = [release for release in releases if not release["withdrawn_at"]][-1:] or releases[-1:]
    number, query = newest[0]["number"], urllib.parse.urlencode({"measures": measure})
    scores: dict[str, Any] = api.get(f"releases/{number}/scores/{urllib.parse.quote(tag, safe='')}/?{query}")
    return scores


def is_worse(value: float, measure: str, release: int, baseline: Path) -> bool:
    """Compare a score with the baseline; write it there if it is better or the first one of the release."""
    best = json.loads(baseline.read_text()) if baseline.exists() else {}
    if best.get("measure") == measure and best.get("release") == release:
        print(f"baseline {best['value']:.4f}")
        if value <= best["value"]:
            return bool(value < best["value"])
    baseline.write_text(json.dumps({"measure": measure, "release": release, "value": value}) + "\n")
    return False


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Submit a run and read its scores.")
    parser.add_argument("server")
    parser.add_argument("campaign", help="the short name in the addresses of the campaign")
    parser.add_argument("run", type=Path, help="a TREC run: plain, gz, bz2 or xz")
    parser.add_argument(
        "--tag", default=f"nightly-{datetime.now(UTC):%Y-%m-%d-%H%M%S}", help="default: by the time"
    )
    parser.add_argument("--description", default="")
    parser.add_argument("--measure", default="nDCG@10")
    parser.add_argument("--baseline", type=Path, default=Path("baseline.json"))
    parser.add_argument("--wait", type=float, default=0, metavar="MINUTES", help="for the first release")
    options = parser.parse_args(words)
    api = Api(options.server, options.campaign, os.environ.get("JURYPOOL_TOKEN", ""))
    try:
        run = api.submit(options.run, tag=options.tag, description=options.description)
        for warning in run["warnings"]:
            print(f"warning: {warning['what']}", file=sys.stderr)
        scores = scores_of(api, run["tag"], options.measure, options.wait)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 2
    value = next(iter(scores["means"].values()))
    print(f"{run['tag']} {options.measure} {value:.4f} on release {scores['release']}")
    return int(is_worse(value, options.measure, scores["release"], options.baseline))


if __name__ == "__main__":
    sys.exit(main())
