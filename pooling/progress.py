"""The progress of long work, by tqdm where it is installed: on a terminal and in a notebook, nowhere else."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sized
from importlib import import_module
from importlib.util import find_spec
from math import inf
from time import monotonic
from typing import Any, TypeVar

Item = TypeVar("Item")
WAIT = 1.0  # seconds until the first bar: most work ends earlier, and tqdm is not even imported


def progress(items: Iterable[Item], unit: str) -> Iterator[Item]:
    """Yield the items; after WAIT seconds a bar shows how many are done.

    unit: one item, as the bar calls it. Nothing is shown where tqdm is not installed or standard error is a
    file or a pipe.
    """
    bar, due = None, monotonic() + WAIT
    total = len(items) if isinstance(items, Sized) else None
    try:
        for done, item in enumerate(items):
            if bar is not None:
                bar.update()
            elif monotonic() > due:
                bar, due = _bar(unit, total, done), inf
            yield item
    finally:
        if bar is not None:
            bar.close()


def _bar(unit: str, total: int | None, done: int) -> Any:
    """Return a bar of tqdm; None without tqdm."""
    if not find_spec("tqdm"):
        return None
    with warnings.catch_warnings():  # that a notebook without ipywidgets has no bars is no warning
        warnings.simplefilter("ignore")
        tqdm = import_module("tqdm.auto").tqdm
    return tqdm(total=total, initial=done, unit=f" {unit}", leave=False, disable=None)
