"""What takes long to work out of what never changes, left in a file beside the data for other processes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache as cache_once
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from django.core.cache import cache

from assess.queries.column_files import read_columns, write_columns
from pooling.checksum import sha256_of, sha256_of_parts
from pooling.models import Campaign

FLOORS = "pooling", "assess", "metrics"  # whose code works it out
Rows = npt.NDArray[Any]


def left(campaign: Campaign, name: str, told: str, none: Rows, make: Callable[[], object], most: int) -> Rows:
    """Return the row that was left under a name for what is told, or make it and leave it there.

    told: says all that the row is made of; the code that makes it is part of the key as well. none: no rows,
    of their shape and type. most: rows that the file of a campaign holds, the newest.
    """
    key = sha256_of(f"{told} {_code()}")

    def found() -> Rows:
        no_keys = np.array([], dtype=f"S{len(key)}")
        columns = read_columns(campaign, name, {"key": no_keys, "row": none})
        keys, rows = (columns["key"], columns["row"]) if columns else (no_keys, none)
        for place in np.flatnonzero(keys == key.encode()).tolist():
            return np.asarray(rows[place])
        made = np.array([make()], dtype=rows.dtype)
        keys = np.append(keys, np.array([key], dtype=keys.dtype))[-most:]
        write_columns(campaign, name, {"key": keys, "row": np.append(rows, made, axis=0)[-most:]})
        return np.asarray(made[0])

    return np.asarray(cache.get_or_set(f"left-{campaign.pk}-{name}-{key}", found, None))


@cache_once
def _code() -> str:
    """Return what changes whenever anything might be worked out otherwise."""
    root = Path(__file__).resolve().parents[2]
    sources = [path for floor in FLOORS for path in sorted((root / floor).rglob("*.py"))]
    told = f"{sys.version} {np.__version__}".encode()
    return sha256_of_parts([told, *(path.read_bytes() for path in sources)])
