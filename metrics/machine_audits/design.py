"""The labels of a stratified random sample, with what every estimate needs of its design."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from metrics.machine_audits.sample import SampleStratum
from pooling.arrays import Flags, IntVector, Matrix, Vector

LEAST_LABELS = 5  # labels in a stratum, below which its standard deviation is too uncertain for an interval
ROUNDING = 1e-12  # of the largest value: smaller deviations from the mean are rounding errors


class Design(NamedTuple):
    """Where the labels of a sample come from.

    stratum: place of the stratum of every label, shape (labels,). documents: N_h and labels: n_h of the
    strata, shape (strata,). notes: what a reader of the estimates has to know about the strata.
    """

    stratum: IntVector
    documents: Vector
    labels: Vector
    notes: tuple[str, ...] = ()

    @property
    def weights(self) -> Vector:
        """How many documents of the pool each label stands for, N_h / n_h; shape (labels,)."""
        return (self.documents / np.maximum(self.labels, 1))[self.stratum]

    @property
    def open_share(self) -> Vector:
        """The share of each stratum's documents without a label, 1 - n_h / N_h; shape (strata,)."""
        return (self.documents - self.labels) / self.documents

    @property
    def complete(self) -> bool:
        """Whether every document of the pool has a label, so that there is no sampling error."""
        return bool((self.labels == self.documents).all())

    @property
    def measurable(self) -> bool:
        """Whether variances can be estimated: two labels or more in every stratum that is not complete."""
        return not self._short(2).any()

    @property
    def small(self) -> bool:
        """Whether a stratum that is not complete has fewer than LEAST_LABELS labels."""
        return bool(self._short(LEAST_LABELS).any())

    def _short(self, least: int) -> Flags:
        return (self.labels < least) & (self.labels < self.documents)

    def total(self, values: Matrix) -> Matrix:
        """Return the estimated sum over the pool of values of the labels, (..., labels) -> (...)."""
        total: Matrix = values @ self.weights
        return total

    def variance_of_total(self, values: Matrix) -> Matrix:
        """Return the variance of `total`: sum of N_h^2 (1 - n_h/N_h) s_h^2 / n_h; (..., labels) -> (...).

        Source: Cochran, Sampling Techniques, section 5.3. Needs a `measurable` design.
        """
        belongs = (self.stratum[:, None] == np.arange(len(self.labels))).astype(np.float64)
        means = values @ belongs / np.maximum(self.labels, 1)
        off = values - means[..., self.stratum]
        off[np.abs(off) <= ROUNDING * np.abs(values).max(initial=0.0)] = 0.0
        squares = off**2 @ belongs
        factors = self.documents**2 * self.open_share / np.maximum(self.labels * (self.labels - 1), 1)
        variance: Matrix = squares @ factors
        return variance


def design_of(
    stratum: npt.ArrayLike, strata: Sequence[SampleStratum], labels: int | None = None, merge: bool = True
) -> Design:
    """Return the design of the labels that exist.

    stratum: place in `strata` of the stratum of every label. merge: whether a stratum with fewer than two
    labels, unless it is complete, is merged with a neighbour, the one with fewer labels; the strata have to
    be in the order of their machine grades for that. n_h is the number of labels that exist: sampled
    documents without a label count as not sampled, and a note says so. Strata without documents are ignored.

    Raises ValueError for a stratum that is not there, more labels than documents, or labels of another number
    than `labels`.
    """
    places = np.asarray(stratum, dtype=np.int64).reshape(-1)
    sizes = np.array([stratum.documents for stratum in strata], dtype=np.float64)
    if labels not in (None, len(places)) or (places < 0).any() or (places >= len(sizes)).any():
        raise ValueError(f"expected one of {len(sizes)} strata for every label")
    counts = np.bincount(places, minlength=len(sizes))
    if (counts > sizes).any():
        raise ValueError("expected at most as many labels as documents in every stratum")
    groups = [[index] for index in range(len(sizes)) if sizes[index]]
    notes = _missing(strata, counts)
    if merge and len(places):
        groups = _merged(groups, counts, sizes)
        notes += [_merging([strata[index].name for index in group]) for group in groups if len(group) > 1]
    group_of = np.zeros(len(sizes), dtype=np.int64)
    for number, group in enumerate(groups):
        group_of[group] = number
    documents = np.array([sizes[group].sum() for group in groups])
    return Design(
        group_of[places],
        documents,
        np.array([float(counts[group].sum()) for group in groups]),
        tuple(notes),
    )


def _merged(groups: list[list[int]], counts: IntVector, sizes: Vector) -> list[list[int]]:
    """Merge groups of strata until each has two labels or is complete, or there is one group."""
    groups = list(groups)
    while len(groups) > 1:
        labels = [int(counts[group].sum()) for group in groups]
        short = [n < 2 and n < sizes[group].sum() for n, group in zip(labels, groups, strict=True)]
        if True not in short:
            break
        at = short.index(True)
        neighbours = [index for index in (at - 1, at + 1) if 0 <= index < len(groups)]
        first = min(at, min(neighbours, key=lambda index: labels[index]))
        groups[first : first + 2] = [groups[first] + groups[first + 1]]
    return groups


def _missing(strata: Sequence[SampleStratum], counts: IntVector) -> list[str]:
    sampled = sum(stratum.sampled for stratum in strata)
    without = sum(max(stratum.sampled - int(n), 0) for stratum, n in zip(strata, counts, strict=True))
    if not without:
        return []
    return [
        f"{without:,} of {sampled:,} sampled documents have no label yet: the estimate holds only if they do "
        "not differ from the others"
    ]


def _merging(names: Sequence[str]) -> str:
    return (
        f"strata {', '.join(names)} are merged, because one of them has fewer than 2 labels: the estimate "
        "holds only if their documents do not differ"
    )
