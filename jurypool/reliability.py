"""How far results hold: of replicas of runs, and of an order of runs on other topics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from metrics.generalisability.mappings import Indicators, indicators
from metrics.generalisability.studies import STABILITY, GStudy, Stability, TopicsNeeded, among_best, g_study
from metrics.measures.base import Measure
from metrics.reproducibility.replicas import (
    DEPTH,
    PERSISTENCE,
    DocumentOrders,
    Experiment,
    UnpairedTest,
    document_orders,
    effect_ratio,
    relative_delta,
    rmse,
    unpaired_t_test,
)
from metrics.significance.paired import LEVEL, EffectSize, PairedTest, paired_t_test
from pooling.arrays import Vector
from pooling.formats.run_order import scoring_order
from pooling.formats.runs import RunFile
from pooling.notebook import fields_html, markup
from pooling.refusals import Refused

from .reading import QrelsSource, RunSource, read_run
from .results import Result, Results, paired_values
from .scoring import Measures, evaluate

if TYPE_CHECKING:
    import pandas

GIVEN = "AP nDCG@10 P@10"


class MeasureReproduction(NamedTuple):
    """An original and its replica by one measure.

    Attributes
    ----------
    original, replica
        The score of each run.
    rmse
        The root mean square error of the scores of topics; None where the topics are others.
    test
        The paired t-test of the scores of topics, an unpaired one where the topics are others.
    effect_ratio, relative_delta
        Of the improvements over the baselines; None without baselines. Each has a ``value``, or None and a
        ``reason``.
    """

    original: float
    replica: float
    rmse: float | None
    test: PairedTest | UnpairedTest
    effect_ratio: EffectSize | None
    relative_delta: EffectSize | None

    def _repr_html_(self) -> str:
        return fields_html(self)


class Reproduction(Mapping[str, MeasureReproduction]):
    """How near a replica comes to its original: measure -> `MeasureReproduction`.

    Attributes
    ----------
    orders
        The order of documents by topic, with the means ``tau`` and ``rbo``; None where the topics are others.
    """

    def __init__(
        self, reproductions: Mapping[str, MeasureReproduction], orders: DocumentOrders | None
    ) -> None:
        self._found, self.orders = dict(reproductions), orders

    def __getitem__(self, measure: str) -> MeasureReproduction:
        if measure not in self._found:
            raise KeyError(f"{measure} was not computed (there are {', '.join(self._found)})")
        return self._found[measure]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as plain data, ready for JSON."""
        orders = self.orders and {"depth": self.orders.depth, "tau": self.orders.tau, "rbo": self.orders.rbo}
        return {
            "orders": orders,
            "measures": {name: _plain(reproduction) for name, reproduction in self.items()},
        }

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a row for each measure. Needs pandas."""
        import pandas as pd  # imported only if a data frame is requested

        rows = {name: _plain(reproduction) for name, reproduction in self.items()}
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("measure")

    def _rows(self) -> list[list[str]]:
        return [
            [name, *(_shown(value) for value in _plain(reproduction).values())]
            for name, reproduction in self.items()
        ]

    def _caption(self) -> str:
        if not self.orders:
            return "the topics are others: unpaired t-test"
        tau, overlap = _shown(self.orders.tau), _shown(self.orders.rbo)
        return f"documents to rank {self.orders.depth}: Kendall's tau of the union {tau}, RBO {overlap}"

    def __repr__(self) -> str:
        rows = [["measure", *COLUMNS], *self._rows()]
        width = max(len(row[0]) for row in rows)
        lines = [f"{name:<{width}}" + "".join(f"  {cell:>8}" for cell in cells) for name, *cells in rows]
        return "\n".join([*lines, f"({self._caption()})"])

    def _repr_html_(self) -> str:
        return markup(["measure", *COLUMNS], self._rows(), self._caption())


COLUMNS = ("original", "replica", "RMSE", "p", "ER", "delta RI")


def _plain(reproduction: MeasureReproduction) -> dict[str, float | None]:
    ratio, delta = reproduction.effect_ratio, reproduction.relative_delta
    return {
        "original": reproduction.original,
        "replica": reproduction.replica,
        "rmse": reproduction.rmse,
        "p": reproduction.test.p,
        "effect_ratio": ratio.value if ratio else None,
        "relative_delta": delta.value if delta else None,
    }


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def reproducibility(
    original: RunSource,
    replica: RunSource,
    qrels: QrelsSource,
    measures: Measures = GIVEN,
    *,
    baselines: tuple[RunSource, RunSource] | None = None,
    replica_qrels: QrelsSource | None = None,
    depth: int = DEPTH,
    p: float = PERSISTENCE,
    relevance: int = 1,
) -> Reproduction:
    """Compare a run with the one that it reproduces, from the order of documents to effects.

    Parameters
    ----------
    original, replica
        The runs, in the forms that `evaluate` takes.
    qrels
        Of the original, and of the replica unless `replica_qrels` are given.
    measures
        As `evaluate` takes them; the score must be a mean over topics.
    baselines
        The baseline of the original and its replica. With them, ``effect_ratio`` is the mean improvement of
        the replica over that of the original (1 if as large), and ``relative_delta`` the relative improvement
        of the original less that of the replica (0 if alike).
    replica_qrels
        Of another collection, on which the experiment was repeated. Its topics are others, so that the order
        of documents and the RMSE are undefined and the t-test is unpaired.
    depth
        How many documents of a topic are compared.
    p
        The persistence of the rank-biased overlap.
    relevance
        The grade from which a document is relevant.

    Notes
    -----
    Source: Breuer et al. 2020 (SIGIR), whose program is repro_eval. Kendall's tau-b is over the union of both
    lists, where a document that a list lacks stands behind it; repro_eval numbers documents by their docnos
    instead, so that its tau differs. A large p does not show that a run was reproduced.

    Examples
    --------
    >>> import jurypool as jp
    >>> qrels = {"7": {"D1": 1}, "8": {"D1": 1, "D2": 1}}
    >>> mine = {"7": {"D1": 2.0, "D2": 1.0}, "8": {"D1": 2.0, "D2": 1.0}}
    >>> theirs = mine | {"7": {"D2": 2.0, "D1": 1.0}}
    >>> found = jp.reproducibility(mine, theirs, qrels, "AP")
    >>> round(found["AP"].rmse, 4), found.orders.tau
    (0.3536, 0.0)
    """
    if not isinstance(depth, int) or isinstance(depth, bool) or depth < 1:
        raise Refused(f"expected a depth of 1 or more, found {depth!r}")
    if not isinstance(p, int | float) or not 0 < p < 1:
        raise Refused(f"expected a persistence p between 0 and 1, found {p!r}")
    same = replica_qrels is None
    pairs = [(original, replica), *([baselines] if baselines else [])]
    read = [(read_run(first, "original"), read_run(second, "replica")) for first, second in pairs]
    firsts = [evaluate(each[0], qrels, measures, relevance=relevance) for each in read]
    others = replica_qrels if replica_qrels is not None else qrels
    seconds = [evaluate(each[1], others, measures, relevance=relevance) for each in read]
    reproductions = {name: _by_measure(name, firsts, seconds, same) for name in firsts[0].measures}
    if not same:
        return Reproduction(reproductions, None)
    first, second = (_documents(run, firsts[0].topics) for run in read[0])
    return Reproduction(reproductions, document_orders(first, second, depth, p))


def _by_measure(
    name: str, firsts: Sequence[Result], seconds: Sequence[Result], same: bool
) -> MeasureReproduction:
    """Return what one measure says. firsts, seconds: the run, and its baseline if there is one."""
    original, replica = ([_values(result, name) for result in results] for results in (firsts, seconds))
    experiments = (Experiment(*original), Experiment(*replica)) if len(original) > 1 else None
    return MeasureReproduction(
        firsts[0][name].mean,
        seconds[0][name].mean,
        rmse(original[0], replica[0]) if same else None,
        paired_t_test(original[0], replica[0]) if same else unpaired_t_test(original[0], replica[0]),
        effect_ratio(*experiments) if experiments else None,
        relative_delta(*experiments) if experiments else None,
    )


def _values(result: Result, name: str) -> Vector:
    return paired_values([result], name)[1][:, 0]


def _documents(run: RunFile, topics: Sequence[str]) -> dict[str, list[bytes]]:
    """Return topic -> docnos, in the order of scoring, for some topics."""
    docnos, offsets = run.docnos[scoring_order(run)].tolist(), run.offsets.tolist()
    documents = {topic: docnos[offsets[at] : offsets[at + 1]] for at, topic in enumerate(run.topics)}
    return {topic: documents[topic] for topic in topics if topic in documents}


@dataclass(frozen=True, eq=False, repr=False)
class Generalisability:
    """How far the scores of runs would hold on other topics.

    Attributes
    ----------
    measure
        Of which the scores are.
    runs
        The names of the runs in the study.
    study
        The G study: ``variances`` of systems, topics and the residual, their ``shares``, ``mean_squares``,
        and the names of components with a ``negative`` estimate, which were set to 0.
    level
        The confidence of intervals.
    """

    measure: Measure
    runs: tuple[str, ...]
    study: GStudy
    level: float

    def _repr_html_(self) -> str:
        return fields_html(self)

    def stability(self, topics: int | None = None) -> Stability:
        """Return the stability of means over a number of topics, by default that of the scores.

        ``relative`` (E rho squared) is of the order of runs and their differences, ``absolute`` (Phi) of the
        scores themselves; each has a ``value``, ``low`` and ``high``.
        """
        number = self.study.topics if topics is None else topics
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise Refused(f"expected a number of topics of 1 or more, found {topics!r}")
        return self.study.stability(number, self.level)

    def indicators(self, topics: int | None = None) -> Indicators:
        """Return what the stability of ``stability`` meant in TREC collections, by Urbano and others 2013.

        ``tau``, ``tau_ap``, ``power``, ``minor``, ``major``, ``sensitivity`` are of the order of runs,
        ``relative_sensitivity`` and ``rmse`` of the scores. They are a fit and not measured on these runs.
        """
        figures = self.stability(topics)
        return indicators(figures.relative.value, figures.absolute.value)

    def topics_needed(self, stability: float = STABILITY) -> TopicsNeeded:
        """Return how many topics a stability needs: ``relative`` and ``absolute``, each with an interval."""
        if not isinstance(stability, int | float) or not 0 < stability < 1:
            raise Refused(f"expected a stability between 0 and 1, found {stability!r}")
        return self.study.topics_needed(stability, self.level)

    def to_dict(self) -> dict[str, Any]:
        """Return the study as plain data, ready for JSON."""
        stability, study = self.stability(), self.study
        return {
            "measure": str(self.measure),
            "runs": list(self.runs),
            "topics": study.topics,
            "variances": study.variances and study.variances._asdict(),
            "negative": list(study.negative),
            "reason": study.reason,
            "level": self.level,
            "relative": stability.relative._asdict(),
            "absolute": stability.absolute._asdict(),
        }

    def __repr__(self) -> str:
        if not self.study.shares:
            return f"({self.measure}: {self.study.reason})"
        stability, needed = self.stability(), self.topics_needed()
        shares = ", ".join(f"{name} {share:.1%}" for name, share in self.study.shares._asdict().items())
        return (
            f"E rho squared {_shown(stability.relative.value)}, Phi {_shown(stability.absolute.value)}"
            f" with {stability.topics} topics; {needed.relative.value} and {needed.absolute.value} topics for"
            f" {needed.stability:g}\n({self.measure}, {len(self.runs)} runs; variance: {shares})"
        )


def generalisability(
    results: Results, measure: str, *, leave_out: float = 0.0, level: float = LEVEL
) -> Generalisability:
    """Return how many topics a stable order of runs needs: a G study of their scores and its D study.

    Parameters
    ----------
    results
        What `evaluate` gave for the runs, over the same topics.
    measure
        A measure whose score is a mean over topics.
    leave_out
        The share of runs with the worst means that is left out, 0.25 say: very bad runs are easy to tell
        apart.
    level
        The confidence of intervals, which take scores as normally distributed.

    Notes
    -----
    Sources: Brennan 2001; Urbano, Marrero & Martín 2013, whose R package is gt4ireval. Intervals: Feldt 1965;
    Arteaga, Jeyaratnam & Franklin 1982.

    Examples
    --------
    >>> import jurypool as jp
    >>> qrels = {str(topic): {"D1": 1} for topic in range(12)}
    >>> good = {topic: {"D1": 2.0, "D2": 1.0} for topic in qrels}
    >>> poor = good | {topic: {"D2": 1.0} for topic in "02468"}
    >>> study = jp.generalisability(jp.evaluate({"poor": poor, "good": good}, qrels, "AP"), "AP")
    >>> round(study.stability(50).relative.value, 3), study.topics_needed(0.9).relative.value
    (0.966, 16)
    """
    if not isinstance(results, Results):
        raise Refused(f"expected what evaluate gives for several runs, found {type(results).__name__}")
    if not isinstance(leave_out, int | float) or not 0 <= leave_out < 1:
        raise Refused(f"expected a share of runs from 0 to below 1, found {leave_out!r}")
    if not isinstance(level, int | float) or not 0 < level < 1:
        raise Refused(f"expected a level of confidence between 0 and 1, found {level!r}")
    studied, values = paired_values([*results.values()], measure)
    remains = among_best(values, leave_out, studied.direction)
    names = tuple(name for name, stays in zip(results, remains.tolist(), strict=True) if stays)
    return Generalisability(studied, names, g_study(np.ascontiguousarray(values[:, remains])), level)
