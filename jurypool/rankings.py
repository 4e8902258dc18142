"""Correlation of rankings of systems and of documents, and the effect of other judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from metrics.engine.evaluate import evaluate as evaluate_run
from metrics.rankings import rank_overlap
from metrics.rankings.judge_swap import DRAWS, JudgeSwap, Spread, swap_judges
from metrics.rankings.rank_correlation import (
    Correlation,
    kendall_tau_a,
    kendall_tau_b,
    rank_biased_overlap,
    tau_ap_a,
    tau_ap_b,
)
from metrics.rankings.rank_overlap import PERSISTENCE, Overlap, rbo_of_lists
from metrics.rankings.ranking import upward
from pooling.arrays import Matrix, Vector
from pooling.notebook import markup
from pooling.plotting import Axes, plot_intervals
from pooling.progress import progress
from pooling.refusals import Refused

from .reading import QrelsSource, RunSource, read_runs
from .scoring import index_of, measures_of

COEFFICIENTS = {
    "tau": kendall_tau_a,
    "tau-b": kendall_tau_b,
    "tau-ap": tau_ap_a,
    "tau-ap-b": tau_ap_b,
    "rbo": rank_biased_overlap,
}
Scored = Mapping[str, float] | Sequence[float] | Vector


def rank_correlation(
    first: Scored, second: Scored, coefficient: str = "tau", p: float = PERSISTENCE
) -> Correlation:
    """Return how alike two rankings of the same systems are.

    Parameters
    ----------
    first, second
        Scores of the systems, higher is better: mappings name -> score with the same names, such as
        ``results.means("AP")``, or scores in the same order.
    coefficient
        ``"tau"`` (Kendall's tau-a), ``"tau-b"``, ``"tau-ap"`` (tau_AP,a; `first` is the truth),
        ``"tau-ap-b"`` or ``"rbo"``.
    p
        The persistence of ``"rbo"``.

    Examples
    --------
    >>> import jurypool as jp
    >>> jp.rank_correlation({"a": 3.0, "b": 2.0, "c": 1.0}, {"c": 1.0, "b": 3.0, "a": 2.0}).value
    0.3333333333333333
    """
    if coefficient not in COEFFICIENTS:
        raise Refused(f"expected a coefficient ({', '.join(COEFFICIENTS)}), found {coefficient!r}")
    one, other = _aligned(first, second)
    if coefficient == "rbo":
        return rank_biased_overlap(one, other, _persistence(p))
    return COEFFICIENTS[coefficient](one, other)


def _aligned(first: Scored, second: Scored) -> tuple[Vector, Vector]:
    """Return two vectors of scores of the same systems in the same order."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        if first.keys() != second.keys():
            odd = sorted(map(str, first.keys() ^ second.keys()))
            raise Refused(
                f"expected the same systems in both rankings, found only in one: {', '.join(odd[:5])}"
            )
        second = [second[name] for name in first]
        first = list(first.values())
    if isinstance(first, Mapping) or isinstance(second, Mapping):
        raise Refused("expected both rankings as mappings name -> score, or both as scores in order")
    try:
        vectors = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    except (TypeError, ValueError):
        raise Refused("expected numbers as scores of systems") from None
    if vectors[0].shape != vectors[1].shape or vectors[0].ndim != 1:
        raise Refused(f"expected as many scores in both rankings, found {len(first)} and {len(second)}")
    if not all(np.isfinite(vector).all() for vector in vectors):
        raise Refused("expected finite scores of systems")
    return vectors


def _persistence(p: float) -> float:
    if not isinstance(p, int | float) or not 0 < p < 1:
        raise Refused(f"expected a persistence p between 0 and 1, found {p!r}")
    return p


def rbo(first: Sequence[str], second: Sequence[str], p: float = PERSISTENCE) -> Overlap:
    """Return the rank-biased overlap of two ranked lists, which may have any lengths.

    ``extrapolated`` is the value, ``low`` and ``high`` are its bounds whatever follows the lists. Source:
    Webber, Moffat & Zobel 2010.

    Examples
    --------
    >>> import jurypool as jp
    >>> round(jp.rbo(["D1", "D2", "D3"], ["D1", "D3", "D2"], p=0.9).extrapolated, 3)
    0.955
    """
    _check_lists(first, second)
    return rbo_of_lists(first, second, _persistence(p))


def average_overlap(first: Sequence[str], second: Sequence[str]) -> list[float]:
    """Return the average overlap of two ranked lists at every depth of the longer one.

    Source: Fagin, Kumar & Sivakumar 2003.

    Examples
    --------
    >>> import jurypool as jp
    >>> jp.average_overlap(["D1", "D2"], ["D1", "D3"])
    [1.0, 0.75]
    """
    _check_lists(first, second)
    return [float(value) for value in rank_overlap.average_overlap(first, second)]


def _check_lists(*rankings: Sequence[str]) -> None:
    if any(not ranking or len(set(ranking)) < len(ranking) for ranking in rankings):
        raise Refused("expected two lists of at least one item, each item once in a list")


def weight_of_top(depth: int, p: float = PERSISTENCE) -> float:
    """Return the share of RBO that the first `depth` items of two lists decide: helps to choose p.

    Source: Webber, Moffat & Zobel 2010, equation 21.

    Examples
    --------
    >>> import jurypool as jp
    >>> round(jp.weight_of_top(10, p=0.9), 4)
    0.8556
    """
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 1:
        raise Refused(f"expected a depth of 1 or more, found {depth!r}")
    return rank_overlap.weight_of_top(depth, _persistence(p))


@dataclass(frozen=True, eq=False, repr=False)
class SwapOfJudges:
    """What became of the ranking of runs when judges were swapped.

    Attributes
    ----------
    names
        The runs, in the order of the arrays of `swap`.
    measure
        By which they are ranked.
    swap
        The arrays: ranks, best, worst, low, high, swaps; and the alternatives.
    """

    names: tuple[str, ...]
    measure: str
    swap: JudgeSwap

    @property
    def tau(self) -> Spread:
        """Kendall's tau between the drawn rankings and the official one."""
        return self.swap.tau

    @property
    def tau_ap(self) -> Spread:
        """tau_AP between the drawn rankings and the official one."""
        return self.swap.tau_ap

    @property
    def ranks(self) -> dict[str, tuple[int, int, int]]:
        """Run -> its official rank, and the best and the worst rank over the draws."""
        columns = (self.swap.ranks, self.swap.best, self.swap.worst)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return dict(zip(self.names, rows, strict=True))

    @property
    def swapped(self) -> list[tuple[str, str, float]]:
        """Pairs of runs, the officially better one first, and the share of draws that turn them round."""
        return [(self.names[pair.better], self.names[pair.worse], pair.share) for pair in self.swap.swapped]

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as plain data, ready for JSON."""
        return {
            "measure": self.measure,
            "topics": self.swap.topics,
            "draws": self.swap.draws,
            "seed": self.swap.seed,
            "tau": asdict(self.swap.tau),
            "tau_ap": asdict(self.swap.tau_ap),
            "rbo": asdict(self.swap.rbo),
            "ranks": {name: list(ranks) for name, ranks in self.ranks.items()},
            "swapped": [list(pair) for pair in self.swapped],
        }

    def plot(self, ax: Axes = None) -> Axes:
        """Draw the official rank of each run, and a line from its best to its worst rank over the draws.

        Returns the axes. Needs matplotlib.
        """
        ordered = dict(sorted(self.ranks.items(), key=lambda item: item[1]))
        axes = plot_intervals(
            {name: rank for name, (rank, _, _) in ordered.items()},
            {name: (best, worst) for name, (_, best, worst) in ordered.items()},
            "official rank; best to worst rank under other judges",
            self._caption(),
            ax,
        )
        axes.xaxis.get_major_locator().set_params(integer=True)
        return axes

    def _rows(self) -> list[list[str]]:
        ordered = sorted(self.ranks.items(), key=lambda item: item[1])
        return [[name, *map(str, ranks)] for name, ranks in ordered]

    def _caption(self) -> str:
        tau = self.tau.reason if self.tau.mean is None else f"{self.tau.mean:.4f} in the mean"
        return f"{self.measure}; {self.swap.topics} topics; {self.swap.draws} draws; Kendall's tau {tau}"

    def __repr__(self) -> str:
        width = max(map(len, self.names), default=0)
        rows = [
            f"{name:<{width}}  rank {rank}, {best} to {worst}" for name, rank, best, worst in self._rows()
        ]
        return "\n".join([*rows, f"({self._caption()})"])

    def _repr_html_(self) -> str:
        return markup(["run", "rank", "best", "worst"], self._rows(), self._caption())


def judge_swap(
    runs: Mapping[str, RunSource] | Sequence[RunSource],
    qrels: QrelsSource,
    judges: Mapping[str, QrelsSource],
    measure: str = "AP",
    *,
    draws: int = DRAWS,
    seed: int = 0,
    relevance: int = 1,
) -> SwapOfJudges:
    """Rank runs by qrels that take one judge for each topic, drawn at random, and compare with the official.

    Parameters
    ----------
    runs
        At least two, as `evaluate` takes several.
    qrels
        The official qrels; they say what the topics are.
    judges
        Name of the judge -> that judge's own qrels, of the topics that the judge judged.
    measure
        By which runs are ranked; its score must be a mean over topics.
    draws, seed
        How many qrels are drawn, and what chance depends on.
    relevance
        The grade from which a document is relevant.

    Notes
    -----
    Source: Voorhees 2000 (assessor swap). `metrics.rankings.judge_swap` says what the spread does not cover.
    """
    asked, *more = measures_of(measure)
    if more or not asked.is_mean or asked.kind.needs != "qrels":
        raise Refused(f"expected one measure that is a mean over topics of plain qrels, found {measure!r}")
    if not isinstance(draws, int) or draws < 1:
        raise Refused(f"expected at least one draw, found {draws!r}")
    if not judges:
        raise Refused("expected the qrels of at least one judge, found none")
    read = read_runs(runs)

    def values_under(source: QrelsSource) -> tuple[tuple[str, ...], Matrix]:
        """Return the topics of some qrels, and the runs' values, shape (topics, runs)."""
        index = index_of(source, [asked])
        columns = [evaluate_run(run, index, [asked], relevance=relevance).values for run in read.values()]
        return index.topics, np.hstack(columns)

    topics, official = values_under(qrels)
    scores = np.zeros((len(judges), *official.shape))
    judged = np.zeros((len(judges), len(topics)), dtype=bool)
    index_of_topic = {topic: at for at, topic in enumerate(topics)}
    for row, source in enumerate(progress(judges.values(), "judges")):
        own, values = values_under(source)
        rows = [at for at, topic in enumerate(own) if topic in index_of_topic]
        indices = [index_of_topic[own[at]] for at in rows]
        scores[row, indices], judged[row, indices] = values[rows], True
    swap = swap_judges(
        upward(scores, asked.direction), judged, upward(official, asked.direction), draws, seed, tuple(judges)
    )
    return SwapOfJudges(tuple(read), asked.name, swap)
