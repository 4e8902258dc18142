"""Two systems or many: significance, rank correlation, overlap of rankings, and the swap of judges.

The statistics are imported when they are asked for: they bring SciPy with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metrics.evaluate import Values
from metrics.evaluate import evaluate as evaluate_run
from metrics.judge_swap import DRAWS, JudgeSwap, Spread, swap_judges
from metrics.measure import Measure
from metrics.rank_correlation import (
    Correlation,
    kendall_tau_a,
    kendall_tau_b,
    rank_biased_overlap,
    tau_ap_a,
    tau_ap_b,
)
from metrics.rank_overlap import PERSISTENCE, Overlap, average_overlap, rbo_of_lists
from metrics.ranking import upward
from pooling.arrays import Vector
from pooling.refusals import Refused

from .reading import QrelsSource, RunSource, read_runs
from .results import Result, Results, markup, paired_values
from .scoring import index_of, measures_of

if TYPE_CHECKING:
    import pandas

    from metrics.significance.all_pairs import AllPairs
    from metrics.significance.paired import PairedTest

METHODS = ("tukey", "randomised-tukey", "t")
COEFFICIENTS = {
    "tau": kendall_tau_a,
    "tau-b": kendall_tau_b,
    "tau-ap": tau_ap_a,
    "tau-ap-b": tau_ap_b,
    "rbo": rank_biased_overlap,
}
Scored = Mapping[str, float] | Sequence[float] | Vector


def compare(a: Result, b: Result, measure: str, test: str = "randomisation") -> PairedTest:
    """Test whether two runs differ in a measure, over the same topics, two-sided.

    Parameters
    ----------
    a, b
        What `evaluate` gave for the two runs. The difference is a less b.
    measure
        A measure that both were scored by, and whose score is a mean over topics.
    test
        ``"randomisation"`` (Fisher's, exact up to 16 topics), ``"t"``, ``"bootstrap"``, ``"wilcoxon"`` or
        ``"sign"``.

    Returns
    -------
    PairedTest
        With ``difference``, ``p``, ``interval`` and ``n``; where p is None, ``reason`` says why. p is not
        corrected for other comparisons.

    Examples
    --------
    >>> import jurypool as jp
    >>> qrels = {str(topic): {"D1": 1} for topic in range(6)}
    >>> good = jp.evaluate({topic: {"D1": 2.0, "D2": 1.0} for topic in qrels}, qrels, "RR")
    >>> poor = jp.evaluate({topic: {"D1": 1.0, "D2": 2.0} for topic in qrels}, qrels, "RR")
    >>> found = jp.compare(good, poor, "RR")
    >>> found.difference, found.p
    (0.5, 0.03125)
    """
    from metrics.significance.pairwise import PAIRED_TESTS

    if test not in PAIRED_TESTS:
        raise Refused(f"expected a test ({', '.join(PAIRED_TESTS)}), found {test!r}")
    _, values = paired_values([_result(a), _result(b)], measure)
    return PAIRED_TESTS[test]([values[:, 0]], values[:, 1])[0]


def _result(found: object) -> Result:
    if not isinstance(found, Result):
        raise Refused(f"expected what evaluate gives for one run, found {type(found).__name__}")
    return found


class Significance(Mapping[tuple[str, str], "PairedTest"]):
    """A test of every pair of runs: (name, name) -> the pair's test, p corrected for all pairs.

    Attributes
    ----------
    names
        The runs, best first; where lower values are better, the lowest mean.
    measure
        By which they were compared.
    test
        The matrices of the test, in the order of the results that it was made from.
    """

    def __init__(self, names: Sequence[str], measure: Measure, test: AllPairs) -> None:
        self._columns = {name: column for column, name in enumerate(names)}
        self.measure, self.test = measure, test
        order = np.argsort(-upward(test.means, measure.direction), kind="stable")
        self.names = tuple(names[column] for column in order.tolist())

    @property
    def letters(self) -> dict[str, str]:
        """Name -> letters: runs that share a letter are not told apart."""
        from metrics.significance.letters import letter_display

        order = [self._columns[name] for name in self.names]
        letters = letter_display(self.test.different, order).letters
        return {name: letters[self._columns[name]] for name in self.names}

    def __getitem__(self, pair: tuple[str, str]) -> PairedTest:
        first, second = pair
        return self.test.pair(self._columns[first], self._columns[second])

    def __iter__(self) -> Iterator[tuple[str, str]]:
        names = self.names
        return ((first, second) for at, first in enumerate(names) for second in names[at + 1 :])

    def __len__(self) -> int:
        return len(self.names) * (len(self.names) - 1) // 2

    def to_dict(self) -> dict[str, Any]:
        """Return the test as plain data, ready for JSON."""
        return {
            "test": self.test.name,
            "measure": str(self.measure),
            "alpha": self.test.alpha,
            "reason": self.test.reason,
            "runs": [
                {"run": name, "mean": self._mean(name), "letters": letters}
                for name, letters in self.letters.items()
            ],
            "pairs": [
                {"first": first, "second": second, "difference": test.difference, "p": test.p}
                for (first, second), test in self.items()
            ],
        }

    def to_pandas(self) -> pandas.DataFrame:
        """Return the corrected p of every pair as a data frame, runs down and across. Needs pandas."""
        import pandas as pd  # only whoever asks for a data frame needs it

        found = np.full((len(self.names), len(self.names)), np.nan)
        for (first, second), test in self.items():
            if test.p is not None:
                at = self.names.index(first), self.names.index(second)
                found[at] = found[at[::-1]] = test.p
        return pd.DataFrame(found, index=list(self.names), columns=list(self.names))

    def _mean(self, name: str) -> float:
        return float(self.test.means[self._columns[name]])

    def _caption(self) -> str:
        said = "runs that share a letter are not told apart"
        return f"{self.test.name}, alpha {self.test.alpha:g}; {self.test.reason or said}"

    def __repr__(self) -> str:
        width = max(map(len, self.names), default=0)
        rows = [f"{name:<{width}}  {self._mean(name):.4f}  {each}" for name, each in self.letters.items()]
        return "\n".join([*rows, f"({self.measure}; {self._caption()})"])

    def _repr_html_(self) -> str:
        rows = [[name, f"{self._mean(name):.4f}", each] for name, each in self.letters.items()]
        return markup(["run", str(self.measure), "groups"], rows, self._caption())


def significance(
    results: Results, measure: str, method: str = "tukey", *, alpha: float = 0.05, correction: str = "holm"
) -> Significance:
    """Test every pair of runs in a measure, over the same topics.

    Parameters
    ----------
    results
        What `evaluate` gave for the runs.
    measure
        A measure whose score is a mean over topics.
    method
        ``"tukey"`` (HSD on a two-way analysis of variance), ``"randomised-tukey"`` (Carterette 2012), or
        ``"t"``: the paired t-test of each pair with a `correction`.
    alpha
        The level at which two runs are told apart.
    correction
        Of the t-tests: ``"holm"``, ``"bonferroni"`` or another key of `metrics.significance.corrections`.

    Examples
    --------
    >>> import jurypool as jp
    >>> qrels = {str(topic): {"D1": 1} for topic in range(12)}
    >>> good = {topic: {"D1": 2.0, "D2": 1.0} for topic in qrels}
    >>> poor = good | {topic: {"D2": 1.0} for topic in "02468"}
    >>> found = jp.significance(jp.evaluate({"poor": poor, "good": good}, qrels, "AP"), "AP")
    >>> found.names, round(found["good", "poor"].p, 3)
    (('good', 'poor'), 0.017)
    """
    from metrics.significance.corrections import CORRECTIONS
    from metrics.significance.pairwise import pairwise_t_tests
    from metrics.significance.randomised_tukey import randomised_tukey_hsd
    from metrics.significance.tukey import tukey_hsd

    if not isinstance(results, Results):
        raise Refused(f"expected what evaluate gives for several runs, found {type(results).__name__}")
    if method not in METHODS:
        raise Refused(f"expected a method ({', '.join(METHODS)}), found {method!r}")
    if correction not in CORRECTIONS:
        raise Refused(f"expected a correction ({', '.join(CORRECTIONS)}), found {correction!r}")
    if not 0 < alpha < 1:
        raise Refused(f"expected an alpha between 0 and 1, found {alpha}")
    found, values = paired_values([*results.values()], measure)
    if method == "t":
        test = pairwise_t_tests(values, correction, alpha)
    else:
        test = (tukey_hsd if method == "tukey" else randomised_tukey_hsd)(values, alpha)
    return Significance(list(results), found, test)


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
    if not 0 < p < 1:
        raise Refused(f"expected a persistence p between 0 and 1, found {p}")
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
    for ranking in (first, second):
        if not ranking or len(set(ranking)) < len(ranking):
            raise Refused("expected two lists of at least one item, each item once in a list")
    return rbo_of_lists(first, second, _persistence(p))


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
    Source: Voorhees 2000 (assessor swap). `metrics.judge_swap` says what the spread does not cover.
    """
    asked, *more = measures_of(measure)
    if more or not asked.is_mean or asked.kind.needs != "qrels":
        raise Refused(f"expected one measure that is a mean over topics of plain qrels, found {measure!r}")
    if not isinstance(draws, int) or draws < 1:
        raise Refused(f"expected at least one draw, found {draws!r}")
    if not judges:
        raise Refused("expected the qrels of at least one judge, found none")
    read = read_runs(runs)

    def values_under(source: QrelsSource) -> tuple[tuple[str, ...], Values]:
        """Return the topics of some qrels, and the runs' values, shape (topics, runs)."""
        index = index_of(source, [asked])
        columns = [evaluate_run(run, index, [asked], relevance=relevance).values for run in read.values()]
        return index.topics, np.hstack(columns)

    topics, official = values_under(qrels)
    scores = np.zeros((len(judges), *official.shape))
    judged = np.zeros((len(judges), len(topics)), dtype=bool)
    place = {topic: at for at, topic in enumerate(topics)}
    for row, source in enumerate(judges.values()):
        own, values = values_under(source)
        rows = [at for at, topic in enumerate(own) if topic in place]
        places = [place[own[at]] for at in rows]
        scores[row, places], judged[row, places] = values[rows], True
    swap = swap_judges(
        upward(scores, asked.direction), judged, upward(official, asked.direction), draws, seed, tuple(judges)
    )
    return SwapOfJudges(tuple(read), asked.name, swap)


__all__ = [
    "Significance",
    "SwapOfJudges",
    "average_overlap",
    "compare",
    "judge_swap",
    "rank_correlation",
    "rbo",
    "significance",
]
