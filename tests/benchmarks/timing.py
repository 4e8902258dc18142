"""How a benchmark takes a time and prints it."""

from __future__ import annotations

import time
from collections.abc import Callable


def milliseconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


def told(name: str, taken: float, goal: float | None = None) -> str:
    """A line of the report: the time in ms, and whether it reaches the goal, where there is one."""
    verdict = "" if goal is None else f"  goal {goal:g} ms: {'reached' if taken <= goal else 'missed'}"
    return f"{name:44} {taken:9.2f} ms{verdict}"
