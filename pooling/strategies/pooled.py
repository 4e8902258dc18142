"""What a pool is: the documents to judge for each topic, and how runs found them."""

from __future__ import annotations

from typing import NamedTuple


class Found(NamedTuple):
    """How runs found a pooled document: its best rank in any (None: in no run), and in how many."""

    best_rank: int | None
    run_count: int


Pooled = dict[str, dict[str, Found]]
"""topic -> docno -> how it was found."""
