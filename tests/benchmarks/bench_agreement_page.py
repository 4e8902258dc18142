"""How fast the agreement page of 34 judges and 4,423 documents is shown, with the matrix of all of them.

python -m tests.benchmarks.bench_agreement_page [--repeat N]

The labels are those of NIST and of 33 language models, from the collections beside the repository; without
them nothing is measured. The page is asked for in a new process, once and then again and again.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics

from tests.benchmarks.sites import empty_site, in_new_process, look
from tests.benchmarks.timing import told
from tests.metrics.shared_data import BUNDLED

LABELS = BUNDLED / "judges-llmjudge-2024"
PAGE = "/campaigns/llmjudge/agreement/?first=NIST&second=willia-umbrela1"
GOAL = 2000.0  # milliseconds


def build() -> None:
    """Make the campaign with every label in it."""
    from accounts.models import User
    from pooling.scale import FOUR_STEPS
    from pooling.services.people import create_campaign
    from tests.assess.many_labels import llm_judges, store_labels

    campaign = create_campaign(User.objects.create_user("carol"), "LLMJudge", "llmjudge", FOUR_STEPS, 1)
    people, machines = llm_judges(LABELS)
    store_labels(campaign, people | machines, machines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--step", choices=["build", "look"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    if options.step:
        import django

        django.setup()
        build() if options.step == "build" else look(PAGE, options.repeat)
        return
    if not LABELS.is_dir():
        print(f"{LABELS.name} is not beside the repository; the agreement page is left out")
        return
    with empty_site():
        in_new_process("bench_agreement_page", "--step", "build")
        cold, *again = json.loads(
            in_new_process("bench_agreement_page", "--step", "look", "--repeat", str(options.repeat))
        )
    print(told("agreement page of 34 judges, new process", cold, GOAL))
    print(told("again", statistics.median(again)))


if __name__ == "__main__":
    main()
