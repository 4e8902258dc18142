"""Docnos <-> numbers: a collection numbers its documents once, and stored runs hold the numbers."""

from __future__ import annotations

import numpy as np

from pooling.arrays import Docnos, IntVector, Words, as_bytes, as_words, pad_to_words
from pooling.formats.grouping import hash_rows

UNKNOWN = -1
FREE = -1
SLACK = 2  # how much larger the hash table is than what it holds, at least


class DocnoTable:
    """The docnos of a collection, numbered from 0 in the order in which they came. It only grows.

    Holds a hash table with open addressing, so that a run's docnos are looked up and added a column at a
    time.
    """

    def __init__(self, docnos: Docnos | None = None) -> None:
        self._words: Words = np.empty((0, 1), dtype=np.uint64)
        self._count = 0
        self._slots: IntVector = np.full(16, FREE)
        if docnos is not None:
            self.add(docnos)

    def __len__(self) -> int:
        return self._count

    def docnos(self, ids: IntVector | None = None) -> Docnos:
        """Return the docnos of some numbers, or all of them in order; bytes at a width of whole words."""
        words = self._words[: self._count] if ids is None else self._words.take(ids, axis=0)
        return as_bytes(words)

    def find(self, docnos: Docnos) -> IntVector:
        """Return each docno's number, UNKNOWN for those that were never added; shape as given."""
        return self._look_up(as_words(pad_to_words(docnos)))

    def add(self, docnos: Docnos) -> IntVector:
        """Return each docno's number; new ones are numbered in the order of their first place."""
        words = as_words(pad_to_words(docnos))
        ids = self._look_up(words)
        new = np.flatnonzero(ids == UNKNOWN)
        if len(new):
            rows = words[new].view(f"V{words.shape[1] * 8}").ravel()
            _, first, which = np.unique(
                rows.view(f"S{rows.itemsize}"), return_index=True, return_inverse=True
            )
            order = np.argsort(first)
            number = np.empty(len(order), dtype=np.int64)
            number[order] = np.arange(self._count, self._count + len(order))
            self._append(words[new[first[order]]])
            ids[new] = number[which]
        return ids

    def append(self, docnos: Docnos) -> None:
        """Number docnos that differ from each other and from those in the table, in order."""
        self._append(as_words(pad_to_words(docnos)))

    def _look_up(self, words: Words) -> IntVector:
        ids: IntVector = np.full(len(words), UNKNOWN)
        mask = len(self._slots) - 1
        rows, slots = np.arange(len(words)), (hash_rows(words) & np.uint64(mask)).astype(np.int64)
        width = min(words.shape[1], self._words.shape[1])
        fits = np.logical_not(words[:, width:].any(axis=1))
        while len(rows):
            stored = self._slots[slots]
            taken = stored != FREE
            rows, slots, stored = rows[taken], slots[taken], stored[taken]
            wanted, known = words.take(rows, axis=0), self._words.take(stored, axis=0)
            same = (wanted[:, :width] == known[:, :width]).all(axis=1)
            same &= ~known[:, width:].any(axis=1)
            same &= fits[rows]
            ids[rows[same]] = stored[same]
            rows, slots = rows[~same], (slots[~same] + 1) & mask
        return ids

    def _append(self, words: Words) -> None:
        """Add new, different docnos, in order."""
        count = self._count + len(words)
        width = max(words.shape[1], self._words.shape[1])
        if count > len(self._words) or width > self._words.shape[1]:
            room = np.zeros((max(count, 2 * len(self._words)), width), dtype=np.uint64)
            room[: self._count, : self._words.shape[1]] = self._words[: self._count]
            self._words = room
        self._words[self._count : count, : words.shape[1]] = words
        fresh = np.arange(self._count, count)
        self._count = count
        if SLACK * count > len(self._slots):
            self._slots = np.full(1 << int(2 * SLACK * count).bit_length(), FREE)
            fresh = np.arange(count)
        self._place(fresh)

    def _place(self, ids: IntVector) -> None:
        """Write numbers into the first free slot from where their hash points to."""
        mask = len(self._slots) - 1
        slots = (hash_rows(self._words.take(ids, axis=0)) & np.uint64(mask)).astype(np.int64)
        while len(ids):
            free = self._slots[slots] == FREE
            self._slots[slots[free]] = ids[free]  # of several that want one slot, the last stays
            without_slot = self._slots[slots] != ids
            ids, slots = ids[without_slot], (slots[without_slot] + 1) & mask
