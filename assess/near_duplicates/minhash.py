"""MinHash signatures and locality-sensitive hashing: which texts may be near duplicates of each other.

Broder, On the resemblance and containment of documents (1997). The hash functions are of the multiply-shift
kind: Dietzfelbinger et al., A reliable randomized algorithm for the closest-pair problem (1997).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from assess.near_duplicates.shingles import Hashes, Ints, ShingleSets

BANDS, ROWS = 32, 4
CHUNK_SHINGLES = 65_536  # so that what is computed of a chunk stays in the cache of a processor
CHUNK_PAIRS = 1_000_000
Signatures: TypeAlias = NDArray[np.uint32]


def _fixed(name: str, count: int) -> Hashes:
    """Return numbers that are the same on every machine and with every version of NumPy."""
    digests = (hashlib.blake2b(f"{name} {place}".encode(), digest_size=8).digest() for place in range(count))
    return np.array([int.from_bytes(digest, "little") for digest in digests], dtype=np.uint64)


FACTORS = _fixed("factor", BANDS * ROWS) | np.uint64(1)
SUMMANDS = _fixed("summand", BANDS * ROWS)


def probability_compared(similarity: float, bands: int = BANDS, rows: int = ROWS) -> float:
    """Return the probability that a pair with this Jaccard coefficient is compared: it shares a band.

    >>> round(probability_compared(0.5), 4)
    0.8732
    """
    return float(1 - (1 - similarity**rows) ** bands)


def signatures(sets: ShingleSets) -> Signatures:
    """Return the MinHash values of each text, shape (texts, BANDS * ROWS).

    Each value is the minimum of ((factor * hash + summand) mod 2^64) >> 32 over the shingles of a text. All
    sets have a shingle.
    """
    count = len(sets.starts) - 1
    values = np.empty((count, BANDS * ROWS), dtype=np.uint32)
    for first, last in _chunks(sets.starts):
        begin, end = sets.starts[first], sets.starts[last]
        shingles = np.asarray(sets.values[begin:end])
        places = sets.starts[first:last] - begin
        hashed = np.empty_like(shingles)
        for function, (factor, summand) in enumerate(zip(FACTORS, SUMMANDS, strict=True)):
            np.multiply(shingles, factor, out=hashed)
            np.add(hashed, summand, out=hashed)
            # the minimum before the shift is that after it
            values[first:last, function] = np.minimum.reduceat(hashed, places) >> np.uint64(32)
    return values


def _chunks(starts: Ints) -> Iterator[tuple[int, int]]:
    """Yield ranges of texts with about CHUNK_SHINGLES shingles, at least one text each."""
    first, count = 0, len(starts) - 1
    while first < count:
        last = int(np.searchsorted(starts, starts[first] + CHUNK_SHINGLES, side="right")) - 1
        last = min(count, max(first + 1, last))
        yield first, last
        first = last


def band_keys(values: Signatures) -> Hashes:
    """Return one number for each band of each signature, shape (BANDS, texts): equal bands, equal numbers.

    Different bands have equal numbers by chance only, which costs a comparison.
    """
    bands = values.reshape(len(values), BANDS, ROWS)
    factors = _fixed("band", ROWS) | np.uint64(1)
    keys = np.zeros((BANDS, len(values)), dtype=np.uint64)
    for row in range(ROWS):
        keys += bands[:, :, row].T.astype(np.uint64) * factors[row]
        keys ^= keys >> np.uint64(29)
    return keys


def candidate_pairs(keys: Hashes, band: int, group: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield chunks of the pairs of texts that share this band, no earlier one, and are in different groups.

    keys: of `band_keys`. group: shape (texts,); it may change between two chunks, as groups are joined.
    """
    order = np.argsort(keys[band], kind="stable")
    sorted_keys = keys[band][order]
    bounds = np.flatnonzero(sorted_keys[1:] != sorted_keys[:-1]) + 1
    starts, ends = np.concatenate([[0], bounds]), np.concatenate([bounds, [len(order)]])
    several = ends - starts > 1
    starts, ends = starts[several], ends[several]
    # first each text with the next of its bucket: what is joined there need not be compared again
    places = _within(starts, ends - 1)
    yield from _fresh(keys, band, group, order[places], order[places + 1])
    mixed = np.array(
        [_has_two_groups(group[order[a:b]]) for a, b in zip(starts, ends, strict=True)], dtype=bool
    )
    starts, ends = starts[mixed], ends[mixed]
    places = _within(starts, ends)
    partner_count = np.repeat(ends, ends - starts) - places - 2  # those behind the next of its bucket
    places, partner_count = places[partner_count > 0], partner_count[partner_count > 0]
    totals = np.cumsum(partner_count)
    first = 0
    while first < len(places):
        done = totals[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(totals, done + CHUNK_PAIRS, side="right")))
        counts = partner_count[first:last]
        left = np.repeat(places[first:last], counts)
        right = left + 2 + _within(np.zeros_like(counts), counts)
        yield from _fresh(keys, band, group, order[left], order[right])
        first = last


def _has_two_groups(groups: Ints) -> bool:
    return bool((groups != groups[0]).any())


def _within(starts: Ints, ends: Ints) -> Ints:
    """Return start, start + 1, ... end - 1 of each range, one after another."""
    lengths = ends - starts
    offsets = np.repeat(starts - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
    return np.asarray(offsets + np.arange(lengths.sum()), dtype=np.int64)


def _fresh(keys: Hashes, band: int, group: Ints, left: Ints, right: Ints) -> Iterator[tuple[Ints, Ints]]:
    apart = group[left] != group[right]
    left, right = left[apart], right[apart]
    for earlier in range(band):
        if not len(left):
            return
        new = keys[earlier][left] != keys[earlier][right]
        left, right = left[new], right[new]
    if len(left):
        yield left, right
