"""How fast battles of 20 systems are designed, and their results are shown.

python -m tests.benchmarks.bench_battles [--repeat N] [--systems N] [--topics N]

The designs let every pair of systems meet once on a topic. The page shows all these battles of 20 judges,
each with a vote, beside qrels of 200 documents a topic and a run of documents of each system that is not
scored yet. It is asked for in a new process, and then again and again.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics

from tests.benchmarks.sites import empty_site, in_new_process, look
from tests.benchmarks.timing import milliseconds, told

PAGE = "/campaigns/battles/scores/battles/1/"
GOAL_OF_DESIGN, GOAL_OF_PAGE = 10_000.0, 1_500.0  # milliseconds
JUDGES, DOCUMENTS, SENTENCES, WORDS = 20, 200, 10, 25


def build(systems: int, topics: int) -> None:
    """Make the campaign: answer runs, qrels, battles, votes. Print the milliseconds of making battles."""
    import random
    import uuid

    from django.utils import timezone

    from accounts.models import User
    from assess.answers.services import AnswerRunDetails, submit_answer_run
    from assess.battles.queries.plan import PlannedBattles
    from assess.battles.services import create_battles
    from assess.models import BattleVote
    from assess.services.releases import release_qrels
    from pooling.models import Role, Topic
    from pooling.scale import FOUR_STEPS
    from pooling.services.people import add_member, create_campaign
    from pooling.services.runs import Submission, submit_run
    from tests.assess.answers.files import answer_file
    from tests.assess.many_labels import store_labels

    draw = random.Random(7)
    carol = User.objects.create_user("carol")
    campaign = create_campaign(carol, "Battles", "battles", FOUR_STEPS, 1)
    numbers = [str(number) for number in range(1, topics + 1)]
    Topic.objects.bulk_create(
        Topic(campaign=campaign, number=number, title=f"topic {number}", place=place)
        for place, number in enumerate(numbers)
    )
    docnos = [f"D{number}" for number in range(2 * DOCUMENTS)]
    pooled = docnos[:DOCUMENTS]
    grades = {(topic, docno): draw.randrange(4) for topic in numbers for docno in pooled}
    store_labels(campaign, {"nist": grades})
    campaign.pools.update(manifest={"sha256": "0" * 64})  # the one that holds the labels
    release_qrels(campaign, carol)
    runs = []
    for system in range(systems):
        tag = f"system-{system}"
        answers = {
            topic: [("word " * WORDS + "end.", draw.sample(docnos, 3)) for _ in range(SENTENCES + system % 7)]
            for topic in numbers
        }
        content = answer_file(answers, "report", tag=tag, group="lab")
        runs.append(submit_answer_run(campaign, carol, content, f"{tag}.jsonl", AnswerRunDetails()))
        lines = (f"{topic} Q0 {docno} 0 {draw.random()} {tag}\n" for topic in numbers for docno in pooled)
        submit_run(campaign, carol, "".join(lines).encode(), f"{tag}.run", Submission(group="lab"))
    judges = [User.objects.create_user(f"judge-{number}") for number in range(JUDGES)]
    for judge in judges:
        add_member(campaign, judge, Role.JUDGE, by=carol)
    per_topic = systems * (systems - 1) // 2
    asked = PlannedBattles(
        runs, judges, list(campaign.topics.all()), per_topic, 10, 10, 7, "Better is what helps."
    )
    print(json.dumps(milliseconds(lambda: create_battles(campaign, carol, asked))))
    strength = {run.pk: place for place, run in enumerate(runs)}
    rows = campaign.battle_sets.get().battles.order_by("pk").values_list("pk", "left__run", "right__run")
    votes = []
    for battle, left, right in rows:
        chance = 1 / (1 + 1.1 ** (strength[right] - strength[left]))
        choice = "tie" if draw.random() < 0.15 else "left" if draw.random() < chance else "right"
        votes.append(
            BattleVote(uuid=uuid.uuid4(), battle_id=battle, choice=choice, pressed_at=timezone.now())
        )
    BattleVote.objects.bulk_create(votes, batch_size=1000)


def design(systems: int, topics: int, judges: int) -> float:
    """Return the milliseconds of a design in which every pair of systems meets once on a topic."""
    from assess.battles.design import BattlePlan, battle_design

    names = [f"system-{number}" for number in range(systems)]
    answers = {str(topic): names for topic in range(topics)}
    plan = BattlePlan(answers, [f"judge-{number}" for number in range(judges)], systems * (systems - 1) // 2)
    return milliseconds(lambda: battle_design(plan))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--systems", type=int, default=20)
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--step", choices=["build", "look"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    size = ["--systems", str(options.systems), "--topics", str(options.topics)]
    if options.step:
        import django

        django.setup()
        if options.step == "build":
            build(options.systems, options.topics)
        else:
            look(PAGE, options.repeat)
        return
    for topics, judges in ((options.topics, JUDGES), (options.topics, 200), (200, JUDGES)):
        taken = design(options.systems, topics, judges)
        name = f"design: {options.systems} systems, {topics} topics, {judges} judges"
        print(told(name, taken, GOAL_OF_DESIGN), flush=True)
    with empty_site():
        made = json.loads(in_new_process("bench_battles", "--step", "build", *size))
        print(told("battles designed and stored", made, GOAL_OF_DESIGN))
        cold, *again = json.loads(
            in_new_process("bench_battles", "--step", "look", "--repeat", str(options.repeat))
        )
    print(told("page of results, new process", cold, GOAL_OF_PAGE))
    print(told("again", statistics.median(again), GOAL_OF_PAGE))


if __name__ == "__main__":
    main()
