"""Pools with people's grades, groups of runs, and machine judges that do or do not favour a group."""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from metrics.machine_audits.circularity import circularities
from metrics.machine_audits.sample import allocate, draw
from pooling.arrays import Flags, IntVector

from .llmjudge import grades

DEPTH = 10
DRAWS = 100  # for each group, so that p can pass Holm's correction
Random = np.random.Generator


class World(NamedTuple):
    """people: grades of all documents. groups: name -> which documents its runs retrieved."""

    people: IntVector
    groups: dict[str, Flags]


def machine_right(share: float, world: World, rng: Random) -> IntVector:
    """Return grades of a machine that is right in this share, else one grade off, whoever retrieved them."""
    top = int(world.people.max())
    off = rng.choice([-1, 1], len(world.people)) * (rng.random(len(world.people)) >= share)
    given: IntVector = np.clip(world.people + off, 0, top)
    return given


def favouring(group: str, share: float, machine: IntVector, world: World, rng: Random) -> IntVector:
    """Return a machine's grades with one grade added to this share of the documents of a group."""
    added = world.groups[group] & (rng.random(len(machine)) < share)
    return np.minimum(machine + added, int(world.people.max()))


def imagined(kind: str, rng: Random) -> World:
    """Return 4,000 documents and five groups of a kind, which retrieve documents by people's grade."""
    people = rng.choice(4, 4000, p=[0.55, 0.2, 0.15, 0.1])
    if kind == "two grades":
        people = (people >= 2).astype(np.int64)
    chances = np.full((5, 4), 0.3)
    if kind == "one better":
        chances[0] = [0.2, 0.35, 0.5, 0.65]
    if kind in ("unequal", "two grades"):
        chances = np.linspace([0.4, 0.3, 0.2, 0.1], [0.15, 0.3, 0.5, 0.7], 5)
    if kind == "two grades":
        chances = chances[:, [0, 3]]
    members = rng.random((5, 4000)) < chances[:, people]
    return World(people, {str(place): member for place, member in enumerate(members)})


def of_real_judge(machine: str, rng: Random) -> tuple[World, IntVector]:
    """Return unequal groups on the documents of the LLMJudge challenge, and the grades of a real machine."""
    people, given = grades(machine)
    chances = np.linspace([0.4, 0.3, 0.2, 0.1], [0.15, 0.3, 0.5, 0.7], 5)
    members = rng.random((5, len(people))) < chances[:, people]
    return World(people, {str(place): member for place, member in enumerate(members)}), given


@cache
def trec_covid(folder: Path) -> World:
    """Return the judged documents of TREC-COVID round 1, and what the teams of the pool retrieved."""
    lines = [line.split() for line in (folder / "qrels-rnd1.txt").read_text().splitlines()]
    place_of = {(topic, docno): place for place, (topic, _, docno, _) in enumerate(lines)}
    with (folder / "leaderboard.csv").open(encoding="utf-8") as file:
        teams = {row["run"]: row["team"] for row in csv.DictReader(file)}
    groups = defaultdict[str, Flags](lambda: np.zeros(len(lines), dtype=np.bool_))
    for path in sorted((folder / "runs-contributing-top20").glob("*.gz")):
        places = [place_of[pair] for pair in _first(path) if pair in place_of]
        groups[teams[path.name.removesuffix(".gz")]][places] = True
    return World(np.array([int(grade) for *_, grade in lines]), dict(groups))


def _first(path: Path) -> list[tuple[str, str]]:
    """Return (topic, docno) of the first documents of each topic of a run."""
    of_topic = defaultdict[str, list[tuple[float, str]]](list)
    with gzip.open(path, "rt") as file:
        for line in file:
            topic, _, docno, _, score, _ = line.split()
            of_topic[topic].append((-float(score), docno))
    return [(topic, docno) for topic, found in of_topic.items() for _, docno in sorted(found)[:DEPTH]]


Stratum = Callable[[IntVector, IntVector], IntVector]


def by_people(people: IntVector, machine: IntVector) -> IntVector:
    return people


def by_machine(people: IntVector, machine: IntVector) -> IntVector:
    """The test that was used before: it takes the runs' quality for a bias of the machine."""
    return machine


def accused(
    world: World, machine: IntVector, labels: int, seed: int, strata: Stratum = by_people
) -> set[str]:
    """Return the groups that the test of an audit of so many labels finds to be treated differently."""
    retrieved = np.flatnonzero(np.any([*world.groups.values()], axis=0))
    of_machine = machine[retrieved]
    sizes = np.bincount(of_machine).tolist()
    sample = retrieved[draw(of_machine, allocate(sizes, labels), seed)]
    y, f = world.people[sample], machine[sample]
    members = {name: member[sample] for name, member in world.groups.items()}
    found = circularities(y - f, strata(y, f), members, draws=DRAWS * len(members), seed=seed)
    return {name for name, test in found.items() if test.corrected is not None and test.corrected <= 0.05}
