"""Runs as large as those of a TREC track. Knows no Django, as those who send them over HTTP."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

NOISE = 1.65  # between runs: the first 100 of a hundred runs are 1,800 documents


def docno(topic: str, place: int) -> str:
    """Return the name of a topic's document; 0 is what the best of all systems would rank first."""
    return f"doc-{topic}-{place:05}" if place >= 0 else f"probe-{topic}"


def track_run(number: int, runs: int, topics: Sequence[str], depth: int) -> bytes:
    """Return a run that knows the best ranking, the less the higher its number. depth: documents a topic."""
    best = -np.log(np.arange(1, 3 * depth + 1))
    draw, noise = np.random.default_rng(number), NOISE * (0.5 + number / runs)
    lines = []
    for topic in topics:
        scores = best + draw.normal(size=len(best)) * noise
        ranked = np.argsort(-scores)[:depth].tolist()
        lines += [f"{topic} Q0 {docno(topic, place)} 0 {scores[place]:.6f} run\n" for place in ranked]
    return "".join(lines).encode()
