"""Reproducible random draws.

Neither Python nor NumPy promises that its next version shuffles alike, and a pool must be rebuilt from its
seed in ten years' time. So every draw is a hash of the seed and of what is drawn for: no generator with a
state, and no dependence on the order in which runs or documents come along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from hashlib import sha256

import numpy as np

from pooling.arrays import Docnos, IntVector

Draw = Callable[..., float]
"""Words that name one draw -> its number in [0, 1)."""


def draw_source(seed: int, topic: str) -> Draw:
    """Return the source of a topic's draws.

    >>> draw = draw_source(seed=1, topic="401")
    >>> draw("BM25", 3) == draw("BM25", 3) != draw("BM25", 4)
    True
    """
    return partial(_uniform, seed, topic)


def _uniform(*words: str | int) -> float:
    """Return the number in [0, 1) of some words: the first 53 bits of their SHA-256."""
    digest = sha256("\0".join(map(str, words)).encode()).digest()
    return (int.from_bytes(digest[:7], "big") >> 3) / (1 << 53)


def shuffle(words: Iterable[str], draw: Draw, *occasion: str | int) -> list[str]:
    """Return words in a random order that depends on them and on the occasion, not on how they came."""
    return sorted(words, key=lambda word: (draw(*occasion, word), word))


def document_draws(docnos: Docnos, seed: int, topic: str, *occasion: str | int) -> IntVector:
    """Return a draw for each document in units of 2**-53; int64, of the shape of `docnos`."""
    start = "\0".join(map(str, (seed, topic, *occasion, ""))).encode()
    digests = b"".join([sha256(start + docno).digest() for docno in docnos.tolist()])
    firsts = np.frombuffer(digests, dtype=">u8")[::4]
    return (firsts >> np.uint64(11)).astype(np.int64)
