"""How a benchmark takes a time and prints it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping


def milliseconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


def in_turns(contenders: Mapping[str, Callable[[], object]], repeat: int) -> dict[str, list[float]]:
    """Return the milliseconds of each contender, from one loop: a slow moment meets them all."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(repeat):
        for name, work in contenders.items():
            times[name].append(milliseconds(work))
    return times


def told(name: str, taken: float, goal: float | None = None) -> str:
    """A line of the report: the time in ms, and whether it reaches the goal, where there is one."""
    verdict = "" if goal is None else f"  goal {goal:g} ms: {'reached' if taken <= goal else 'missed'}"
    return f"{name:44} {taken:9.2f} ms{verdict}"
