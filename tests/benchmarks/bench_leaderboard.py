"""How fast a leaderboard is shown: 130 runs x 50 topics x 1,000 documents, 30 measures as columns.

python -m tests.benchmarks.bench_leaderboard [--runs N] [--repeat N]

A campaign is made in a folder that is removed again. Each page is asked for in a new process first: once with
no score stored, once with all of them, then again and again. Beside it, as a ratio: the intervals of all runs
against scipy.stats.bootstrap, one run after the other.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from urllib.parse import quote

import numpy as np
from scipy.stats import bootstrap

from metrics.intervals import DRAWS, mean_intervals
from tests.benchmarks.bench_pooling import TOPICS, generated, milliseconds

MEASURES = (
    "nDCG@10 nDCG@20 nDCG nDCG@5 nDCG@100 AP AP@100 bpref infAP Rprec RR P@5 P@10 P@15 P@20 P@30 P@100 P@200"
    " R@10 R@100 R@1000 RBP(p=0.8) RBP(p=0.5) ERR@20 Success@1 Success@5 Success@10 SetP SetR DCG@10"
)
PAGE = f"/campaigns/big/scores/1/?measures={quote(MEASURES)}"
GOALS = {"all scores stored, new process": 1000.0, "again": 200.0}  # milliseconds


def build(runs: int) -> None:
    """Make the campaign: its runs, and a release of 75,000 judgments of which runs find some."""
    import django

    django.setup()
    from accounts.models import User
    from assess.models import QrelsRelease
    from pooling.checksum import sha256_of
    from pooling.models import Topic
    from pooling.scale import FOUR_STEPS
    from pooling.services import Submission, create_campaign, keep_file, submit_run

    random, carol = np.random.default_rng(1), User.objects.create_user("carol")
    campaign = create_campaign(carol, "Big", "big", FOUR_STEPS, 1)
    numbers = [str(topic) for topic in range(401, 401 + TOPICS)]
    Topic.objects.bulk_create(
        Topic(campaign=campaign, number=number, title=number, place=place)
        for place, number in enumerate(numbers)
    )
    for run in range(runs):
        about = Submission(tag=f"run{run}", group=f"group{run // 3}")
        submit_run(campaign, carol, generated(random, run), f"run{run}", about)
    lines = []
    for number in numbers:
        documents = np.unique((528_155 * random.random(3000) ** 3).astype(int))[:1500]
        grades = random.choice(4, len(documents), p=[0.7, 0.15, 0.1, 0.05])
        lines += [
            f"{number} 0 FT{d // 1000:03d}-{d % 1000:05d} {grade}\n"
            for d, grade in zip(documents.tolist(), grades.tolist(), strict=True)
        ]
    content = "".join(lines).encode()
    QrelsRelease.objects.create(
        campaign=campaign, number=1, rule="made up", sha256=sha256_of(content), line_count=len(lines),
        file=keep_file("qrels/big.txt", content), released_by=carol,
        manifest={"threshold": 1, "topics": TOPICS, "scale": campaign.scale},
    )  # fmt: skip


def look(times: int) -> None:
    """Ask for the page in this process; print the milliseconds of each time as JSON."""
    import django

    django.setup()
    from django.conf import settings
    from django.test import Client

    from accounts.models import User

    settings.ALLOWED_HOSTS = ["testserver"]
    client, taken = Client(), []
    client.force_login(User.objects.get(username="carol"))
    for _ in range(times):
        taken.append(milliseconds(lambda: client.get(PAGE).content))
    print(json.dumps(taken))


def in_new_process(*words: str) -> str:
    command = [sys.executable, "-m", "tests.benchmarks.bench_leaderboard", *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def intervals(runs: int, repeat: int) -> None:
    values = np.random.default_rng(2).beta(2, 3, (TOPICS, runs))

    def one_by_one() -> None:
        for column in values.T:
            bootstrap((column,), np.mean, n_resamples=DRAWS, method="percentile")

    contenders: dict[str, Callable[[], object]] = {
        "ours": lambda: mean_intervals(values),
        "scipy": one_by_one,
    }
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(repeat):
        for name, work in contenders.items():
            taken[name].append(milliseconds(work))
    ours, theirs = (statistics.median(taken[name]) for name in contenders)
    print(f"{'intervals of all runs':34} {ours:9.1f} ms  {theirs / ours:.1f}x scipy.stats.bootstrap")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=130)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--step", choices=["build", "look"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    if options.step:
        build(options.runs) if options.step == "build" else look(options.repeat)
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["JURYPOOL_DATA"] = folder
        subprocess.run([sys.executable, "manage.py", "migrate", "--verbosity", "0"], check=True)
        subprocess.run(
            [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"], check=True
        )
        start = time.perf_counter()
        in_new_process("--step", "build", "--runs", str(options.runs))
        print(f"{options.runs} runs submitted in {time.perf_counter() - start:.1f} s")
        (first,) = json.loads(in_new_process("--step", "look", "--repeat", "1"))
        cold, *again = json.loads(in_new_process("--step", "look", "--repeat", str(options.repeat)))
    times = {"no score stored, new process": first, "all scores stored, new process": cold}
    for name, taken in {**times, "again": statistics.median(again)}.items():
        goal = (
            f"  goal {GOALS[name]:g} ms: {'reached' if taken <= GOALS[name] else 'missed'}"
            if name in GOALS
            else ""
        )
        print(f"{name:34} {taken:9.1f} ms{goal}")
    intervals(options.runs, min(options.repeat, 3))


if __name__ == "__main__":
    main()
