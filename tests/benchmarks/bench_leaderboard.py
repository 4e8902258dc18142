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
from collections.abc import Callable
from urllib.parse import quote

import numpy as np
from scipy.stats import bootstrap

from metrics.significance.intervals import DRAWS, mean_intervals
from tests.benchmarks.bench_pooling import TOPICS, generated
from tests.benchmarks.sites import empty_site, in_new_process, look
from tests.benchmarks.timing import in_turns, milliseconds, told

MEASURES = (
    "nDCG@10 nDCG@20 nDCG nDCG@5 nDCG@100 AP AP@100 bpref infAP Rprec RR P@5 P@10 P@15 P@20 P@30 P@100 P@200"
    " R@10 R@100 R@1000 RBP(p=0.8) RBP(p=0.5) ERR@20 Success@1 Success@5 Success@10 SetP SetR DCG@10"
)
NAME = "bench_leaderboard"
PAGE = f"/campaigns/big/scores/1/?measures={quote(MEASURES)}"
GOALS = {"all scores stored, new process": 1000.0, "again": 200.0}  # milliseconds


def build(runs: int) -> None:
    """Make the campaign: its runs, and a release of 75,000 judgments of which runs find some."""
    from django.core.files.base import ContentFile
    from django.core.files.storage import default_storage

    from accounts.models import User
    from assess.models import QrelsRelease
    from pooling.checksum import sha256_of
    from pooling.models import Topic
    from pooling.scale import FOUR_STEPS
    from pooling.services.people import create_campaign
    from pooling.services.runs import Submission, submit_run

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
        file=default_storage.save("qrels/big.txt", ContentFile(content)), released_by=carol,
        manifest={"threshold": 1, "topics": TOPICS, "scale": campaign.scale},
    )  # fmt: skip


def intervals(runs: int, repeat: int) -> None:
    values = np.random.default_rng(2).beta(2, 3, (TOPICS, runs))

    def one_by_one() -> None:
        for column in values.T:
            bootstrap((column,), np.mean, n_resamples=DRAWS, method="percentile")

    contenders: dict[str, Callable[[], object]] = {
        "ours": lambda: mean_intervals(values),
        "scipy": one_by_one,
    }
    taken = in_turns(contenders, repeat)
    ours, theirs = (statistics.median(taken[name]) for name in contenders)
    print(f"{told('intervals of all runs', ours)}  {theirs / ours:.1f}x scipy.stats.bootstrap")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=130)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--step", choices=["build", "look"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    if options.step:
        import django

        django.setup()
        build(options.runs) if options.step == "build" else look(PAGE, options.repeat)
        return
    with empty_site():
        taken = milliseconds(lambda: in_new_process(NAME, "--step", "build", "--runs", str(options.runs)))
        print(f"{options.runs} runs submitted in {taken / 1000:.1f} s")
        (first,) = json.loads(in_new_process(NAME, "--step", "look", "--repeat", "1"))
        cold, *again = json.loads(in_new_process(NAME, "--step", "look", "--repeat", str(options.repeat)))
    times = {"no score stored, new process": first, "all scores stored, new process": cold}
    for name, taken in {**times, "again": statistics.median(again)}.items():
        print(told(name, taken, GOALS.get(name)))
    intervals(options.runs, min(options.repeat, 3))


if __name__ == "__main__":
    main()
