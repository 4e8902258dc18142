"""Classes of near duplicates: texts that share most of their shingles with another text of the class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.csgraph import connected_components

from assess.near_duplicates.minhash import BANDS, band_keys, candidate_pairs, signatures
from assess.near_duplicates.shingles import Ints, ShingleSets, distinct_texts
from pooling.checksum import sha256_of

Floats: TypeAlias = NDArray[np.float64]

THRESHOLD = 0.8  # Jaccard coefficient from which two texts are in one class
ALL_PAIRS_BELOW = 2_000  # texts of which all pairs are compared
LARGE = 50  # members of a class above which somebody should look at it
DIFFERENT_ENDS = 0.5  # Jaccard coefficient of two members below which somebody should look at a class
CHUNK_VALUES = 4_000_000  # shingles that are compared at once


class NearDuplicateClass(NamedTuple):
    """Documents with nearly the same text.

    members: docnos, ascending, with that of the representative. similarities: the Jaccard coefficient of each
    member and the representative. lowest: that of the two members that have least in common; of the
    representative and another member if there are more than LARGE different texts.
    """

    representative: str
    members: tuple[str, ...]
    similarities: tuple[float, ...]
    lowest: float

    @property
    def is_doubtful(self) -> bool:
        """Whether somebody should look at the class before it is used."""
        return len(self.members) > LARGE or self.lowest < DIFFERENT_ENDS


def near_duplicates(
    documents: Iterable[tuple[str, str]], threshold: float = THRESHOLD, all_pairs_below: int = ALL_PAIRS_BELOW
) -> list[NearDuplicateClass]:
    """Return the classes of two or more documents, in the order of their representatives.

    documents: docno and text; each docno once. Two documents are in one class if the Jaccard coefficient of
    their shingles is at least the threshold, or if a chain of such documents connects them. The
    representative is the longest text (characters of the normalised text); of equally long ones the lowest
    docno. Documents without words are in no class.

    Below `all_pairs_below` distinct texts all pairs are compared; above it those that share a band of their
    MinHash signatures, which misses a pair at the default threshold in one of 2 * 10^7 cases. Memory: about
    1 kB a document, apart from the texts, which are read once, and their shingles, which are in a file.
    Raises ValueError for a threshold that is not above 0 and at most 1.
    """
    if not 0 < threshold <= 1:
        raise ValueError(f"expected a threshold above 0 and at most 1, found {threshold}")
    docnos: list[str] = []

    def texts() -> Iterator[str]:
        for docno, text in documents:
            docnos.append(docno)
            yield text

    distinct = distinct_texts(texts())
    sets = distinct.shingles
    few = len(sets.starts) - 1 < all_pairs_below
    group = _joined_by_all_pairs(sets, threshold) if few else _joined_by_bands(sets, threshold)
    of_document = np.where(distinct.text >= 0, group[distinct.text] if len(group) else -1, -1)
    lengths = distinct.lengths.tolist()
    by_group: dict[int, list[int]] = {}
    for place, number in enumerate(of_document.tolist()):
        if number >= 0:
            by_group.setdefault(number, []).append(place)
    groups = [sorted(places, key=docnos.__getitem__) for places in by_group.values() if len(places) > 1]
    first = [min(places, key=lambda place: (-lengths[place], docnos[place])) for places in groups]
    texts_of = [distinct.text[places] for places in groups]
    similarities = _similarities(sets, texts_of, distinct.text[first])
    lowest = _lowest(sets, texts_of, similarities)
    classes = [
        NearDuplicateClass(
            docnos[chosen], tuple(docnos[place] for place in places), tuple(alike.tolist()), low
        )
        for places, chosen, alike, low in zip(groups, first, similarities, lowest.tolist(), strict=True)
    ]
    return sorted(classes)


def checksum(classes: Sequence[NearDuplicateClass]) -> str:
    """Return the SHA-256 of the lines "representative, members", separated by blanks, in order."""
    return sha256_of("".join(f"{each.representative} {' '.join(each.members)}\n" for each in classes))


def _matrix(sets: ShingleSets) -> Any:
    """Return the binary matrix of texts and shingles. Its columns are the hashes: do not transpose it."""
    ones = np.ones(len(sets.values), dtype=np.int8)
    shape = len(sets.starts) - 1, np.iinfo(np.int64).max
    matrix = csr_matrix((ones, sets.values.view(np.int64), sets.starts), shape=shape, copy=False)
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    return matrix


def jaccard_of_pairs(sets: ShingleSets, left: Ints, right: Ints) -> Floats:
    """Return the Jaccard coefficient of the sets of each pair; left and right of shape (pairs,)."""
    sizes = sets.sizes
    result = np.empty(len(left), dtype=np.float64)
    totals = np.cumsum(sizes[left] + sizes[right])
    first = 0
    while first < len(left):
        done = totals[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(totals, done + CHUNK_VALUES, side="right")))
        here, there = left[first:last], right[first:last]
        common = _common(sets, here, there)
        result[first:last] = common / (sizes[here] + sizes[there] - common)
        first = last
    return result


def _common(sets: ShingleSets, left: Ints, right: Ints) -> Ints:
    """Return how many shingles the sets of each pair have in common."""
    rows, places = np.unique(np.concatenate([left, right]), return_inverse=True)
    starts = np.concatenate([[0], np.cumsum(sets.sizes[rows])])
    values = np.concatenate([sets.values[sets.starts[row] : sets.starts[row + 1]] for row in rows])
    matrix = _matrix(ShingleSets(values, starts))
    first, second = matrix[places[: len(left)]], matrix[places[len(left) :]]
    for each in (first, second):
        each.has_sorted_indices = each.has_canonical_format = True
    return np.asarray(np.diff(first.multiply(second).tocsr().indptr), dtype=np.int64)


def _joined_by_all_pairs(sets: ShingleSets, threshold: float) -> Ints:
    """Return the group of each text, with all pairs compared through a product of sparse matrices."""
    count = len(sets.starts) - 1
    if not count:
        return np.zeros(0, dtype=np.int64)
    columns, places = np.unique(np.asarray(sets.values), return_inverse=True)
    shape = count, len(columns)
    matrix = csr_matrix((np.ones(len(places), dtype=np.int32), places.ravel(), sets.starts), shape=shape)
    common = (matrix @ matrix.T).tocoo()
    sizes = sets.sizes
    union = sizes[common.row] + sizes[common.col] - common.data
    alike = common.data / union >= threshold
    return _components(count, common.row[alike], common.col[alike])


def _joined_by_bands(sets: ShingleSets, threshold: float) -> Ints:
    """Return the group of each text, with the pairs compared that share a band of their signatures."""
    count, sizes = len(sets.starts) - 1, sets.sizes
    keys = band_keys(signatures(sets))
    group = np.arange(count)
    for band in range(BANDS):
        for left, right in candidate_pairs(keys, band, group):
            smaller, larger = np.minimum(sizes[left], sizes[right]), np.maximum(sizes[left], sizes[right])
            possible = smaller / larger >= threshold  # the coefficient is at most the ratio of the sizes
            left, right = left[possible], right[possible]
            alike = jaccard_of_pairs(sets, left, right) >= threshold
            if alike.any():
                group[:] = _components(count, group[left[alike]], group[right[alike]])[group]
    return group


def _components(count: int, left: Ints, right: Ints) -> Ints:
    edges = coo_matrix((np.ones(len(left), dtype=np.int8), (left, right)), shape=(count, count))
    return np.asarray(connected_components(edges, directed=False)[1], dtype=np.int64)


def _similarities(sets: ShingleSets, classes: Sequence[Ints], representatives: Ints) -> list[Floats]:
    """Return the Jaccard coefficients of the texts of each class and the text of its representative."""
    if not classes:
        return []
    sizes = [len(texts) for texts in classes]
    values = jaccard_of_pairs(sets, np.concatenate(classes), np.repeat(representatives, sizes))
    return np.split(values, np.cumsum(sizes)[:-1])


def _lowest(sets: ShingleSets, classes: Sequence[Ints], similarities: Sequence[Floats]) -> Floats:
    """Return the lowest Jaccard coefficient of two texts of each class; 1 for a class of exact copies."""
    lowest = np.array([values.min() for values in similarities], dtype=np.float64)
    left, right, of_class = list[Ints](), list[Ints](), list[Ints]()
    for number, members in enumerate(classes):
        texts = np.unique(members)
        if 2 < len(texts) <= LARGE:
            above = np.triu_indices(len(texts), 1)
            left.append(texts[above[0]])
            right.append(texts[above[1]])
            of_class.append(np.full(len(above[0]), number))
    if left:
        values = jaccard_of_pairs(sets, np.concatenate(left), np.concatenate(right))
        np.minimum.at(lowest, np.concatenate(of_class), values)
    return lowest
