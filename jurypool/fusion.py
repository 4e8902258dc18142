"""Fusion: several runs as one run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np

from metrics.measures.names import parse_measure
from pooling.arrays import Vector
from pooling.notebook import markup
from pooling.progress import progress
from pooling.refusals import Refused
from pooling.strategies.candidates import Candidates, candidates_of_rankings
from pooling.strategies.fusion import (
    borda,
    inverse_square_rank,
    min_max,
    rank_biased,
    reciprocal_rank_fusion,
)

from .pools import Runs, qrels_of, rankings_of
from .reading import QrelsSource
from .scoring import evaluate, index_of

STEPS = 10  # of a tuned weight, from 0 to 1
MOST_TUNED = 4  # runs: 286 settings of the weights
DEEPEST = 2**31 - 1
OF_RANKS: Mapping[str, tuple[Callable[..., Vector], frozenset[str]]] = {
    "rrf": (reciprocal_rank_fusion, frozenset({"constant"})),
    "isr": (inverse_square_rank, frozenset()),
    "borda": (borda, frozenset()),
    "rank-biased": (rank_biased, frozenset({"p"})),
}  # method -> its function, and the parameters that this takes
OF_SCORES = ("combsum", "combmnz", "combanz", "combmax", "combmin", "combmed")
NORMALISATIONS = ("min-max", "max", "sum", "zmuv", "none")


class FusedRun(dict[str, dict[str, float]]):
    """A run that was fused: topic -> docno -> score, best first. Every function takes it as a run."""

    def _repr_html_(self) -> str:
        rows = [[topic, str(len(scores)), next(iter(scores), "")] for topic, scores in self.items()]
        return markup(["topic", "documents", "first"], rows, f"fused run, {len(self)} topics")

    def to_text(self, tag: str = "fused") -> str:
        """Return the lines of a run file."""
        return "".join(
            f"{topic} Q0 {docno} {rank} {score!r} {tag}\n"
            for topic, scores in self.items()
            for rank, (docno, score) in enumerate(scores.items(), 1)
        )


class TunedFusion(NamedTuple):
    """A fusion whose weights were chosen by labels.

    Attributes
    ----------
    run
        Each topic is fused with the weights that were the best on the topics of the other folds, so that its
        score is no reward for what it was tuned on.
    weights
        Name of a run -> its weight, the best on all topics: for new topics.
    by_fold
        The weights of each fold.
    folds
        Topic -> the number of its fold, from 0.
    """

    run: FusedRun
    weights: dict[str, float]
    by_fold: list[dict[str, float]]
    folds: dict[str, int]

    def _repr_html_(self) -> str:
        folds = zip(*(each.values() for each in self.by_fold), strict=True)
        rows = [
            [name, f"{weight:.1f}", *(f"{each:.1f}" for each in own)]
            for (name, weight), own in zip(self.weights.items(), folds, strict=True)
        ]
        head = ["run", "all topics", *(f"fold {number}" for number in range(len(self.by_fold)))]
        return markup(head, rows, f"weights of a tuned fusion, {len(self.folds)} topics")


def fuse(
    runs: Runs,
    method: str = "rrf",
    *,
    normalise: str = "min-max",
    weights: Mapping[str, float] | None = None,
    **parameters: float,
) -> FusedRun:
    """Return one run with the documents of several.

    Parameters
    ----------
    runs
        As `evaluate` takes several.
    method
        By ranks: ``"rrf"`` (reciprocal rank fusion, Cormack et al. 2009), ``"isr"`` (inverse square rank,
        Mourao et al. 2013), ``"borda"`` (Aslam & Montague 2001), ``"rank-biased"`` (method A of Moffat et al.
        2007). By scores, of the runs that hold the document (Fox & Shaw 1994): ``"combsum"``, ``"combmnz"``
        (the sum times the number of these runs), ``"combanz"`` (their mean), ``"combmax"``, ``"combmin"``,
        ``"combmed"`` (their median). Pools use the same functions.
    normalise
        What is done with the scores of a run for a topic before they are combined: ``"min-max"`` (to 0..1),
        ``"max"`` (divided by the highest, which must be above 0), ``"sum"`` (lowest 0, their sum 1),
        ``"zmuv"`` (mean 0, variance 1), or ``"none"``. Where all scores of a list are equal, each becomes 1
        by min-max, 1 / n by sum, and 0 by zmuv.
    weights
        Of ``"combsum"``: name of a run -> weight; a run without one has weight 1.
    **parameters
        Of the method: ``constant=60`` of rrf, ``p=0.8`` of rank-biased.

    Raises
    ------
    Refused
        For an unknown method, normalisation, parameter or run.

    Examples
    --------
    >>> import jurypool as jp
    >>> runs = {"a": {"7": {"D1": 9.0, "D2": 5.0, "D3": 1.0}}, "b": {"7": {"D3": 0.4, "D1": 0.2}}}
    >>> jp.fuse(runs, "combsum")["7"]
    {'D1': 1.0, 'D3': 1.0, 'D2': 0.5}
    >>> jp.fuse(runs, "combsum", weights={"b": 0.5})["7"]
    {'D1': 1.0, 'D2': 0.5, 'D3': 0.5}
    """
    if method in OF_RANKS:
        function, known = OF_RANKS[method]
        if weights is not None or normalise != "min-max":
            raise Refused(f"{method} reads ranks: weights and normalise are of {' and '.join(OF_SCORES)}")
        _check_parameters(method, parameters, known)
        candidates = _candidates(runs)
        return _fused(candidates, function(candidates, **parameters))
    if method not in OF_SCORES:
        raise Refused(f"expected a method ({', '.join((*OF_RANKS, *OF_SCORES))}), found {method!r}")
    _check_parameters(method, parameters, frozenset())
    if weights is not None and method != "combsum":
        raise Refused(f"weights are of combsum, found them for {method}")
    candidates = _candidates(runs)
    shares = (
        _normalised(candidates, normalise) * _weights(candidates, weights or {})[candidates.postings.runs]
    )
    return _fused(candidates, _combined(candidates, method, shares))


def tune_fusion(
    runs: Runs,
    qrels: QrelsSource,
    measure: str = "nDCG@10",
    *,
    normalise: str = "min-max",
    folds: int = 5,
    seed: int = 0,
) -> TunedFusion:
    """Return a weighted CombSUM of up to four runs whose weights are chosen by cross-validation over topics.

    All weights that are whole tenths with the sum 1 are tried. Of equally good ones, the first in
    lexicographic order wins.

    Parameters
    ----------
    runs
        As `evaluate` takes several.
    qrels
        The labels; only topics with labels are fused.
    measure
        What is to become as large as possible, as a mean over the topics of the other folds.
    normalise
        As in `fuse`.
    folds, seed
        Into how many parts the topics are divided, at random by the seed.

    Examples
    --------
    >>> import jurypool as jp
    >>> qrels = {str(topic): {"D1": 1} for topic in range(10)}
    >>> good = {topic: {"D1": 2.0, "D2": 1.0} for topic in qrels}
    >>> poor = {topic: {"D2": 2.0, "D3": 1.0} for topic in qrels}
    >>> jp.tune_fusion({"good": good, "poor": poor}, qrels, "RR").weights
    {'good': 0.6, 'poor': 0.4}
    """
    asked = parse_measure(measure)
    if asked.direction != "higher":
        raise Refused(f"expected a measure whose higher values are better, found {asked}")
    candidates = _candidates(runs)
    tags = list(candidates.tags)
    if not 2 <= len(tags) <= MOST_TUNED:
        raise Refused(f"expected 2 to {MOST_TUNED} runs, found {len(tags)}; give weights to fuse")
    labels = qrels_of(qrels)
    judged = set(index_of(labels, [asked]).topics)
    topics = [topic for topic in candidates.topics if topic in judged]
    if not 2 <= folds <= len(topics):
        raise Refused(f"expected 2 to {len(topics)} folds, the number of topics with labels, found {folds}")
    shares = _normalised(candidates, normalise)
    settings = _simplex(len(tags))
    fused = [
        _fused(candidates, candidates.summed(shares * each[candidates.postings.runs])) for each in settings
    ]
    scores = [evaluate(run, labels, measure)[str(asked)].by_topic for run in progress(fused, "settings")]
    values = np.array([[own[topic] for topic in topics] for own in scores])
    fold = np.random.default_rng(seed).permutation(len(topics)) % folds
    best = [int(values[:, fold != number].mean(axis=1).argmax()) for number in range(folds)]
    weights = [dict(zip(tags, each.tolist(), strict=True)) for each in settings]
    return TunedFusion(
        FusedRun(
            {topic: fused[best[number]][topic] for topic, number in zip(topics, fold.tolist(), strict=True)}
        ),
        weights[int(values.mean(axis=1).argmax())],
        [weights[setting] for setting in best],
        dict(zip(topics, fold.tolist(), strict=True)),
    )


def _candidates(runs: Runs) -> Candidates:
    rankings = rankings_of(runs)
    return candidates_of_rankings(rankings, [DEEPEST] * len(rankings), with_scores=True)


def _fused(candidates: Candidates, scores: Vector) -> FusedRun:
    """Return documents by their scores, of equal ones the lower docno first. scores: shape (documents,)."""
    names = candidates.docnos(candidates.documents.ids)
    order = np.lexsort((names, -scores, candidates.documents.topics))
    topics = candidates.documents.topics[order].tolist()
    run = FusedRun()
    for topic, docno, score in zip(topics, names[order].tolist(), scores[order].tolist(), strict=True):
        run.setdefault(candidates.topics[topic], {})[docno.decode()] = score
    return run


def _normalised(candidates: Candidates, how: str) -> Vector:
    """Return the normalised score of every posting; shape (postings,)."""
    shares: Vector
    if how not in NORMALISATIONS:
        raise Refused(f"expected a normalisation ({', '.join(NORMALISATIONS)}), found {how!r}")
    if how == "min-max":
        return min_max(candidates)
    scores, lists, shape = candidates.scores, candidates.lists_of_finds, candidates.lengths.size
    if how == "none":
        return scores
    counts = np.maximum(np.bincount(lists, minlength=shape), 1)
    if how == "zmuv":
        apart = scores - (np.bincount(lists, scores, shape) / counts)[lists]
        deviation = np.sqrt(np.bincount(lists, apart**2, shape) / counts)[lists]
        shares = np.divide(apart, deviation, out=np.zeros_like(apart), where=deviation > 0)
        return shares
    high, low = np.full(shape, -np.inf), np.full(shape, np.inf)
    np.maximum.at(high, lists, scores)
    np.minimum.at(low, lists, scores)
    if how == "max":
        if (high[lists] <= 0).any():
            raise Refused("normalise='max' needs a highest score above 0 in each list, found one without")
        shares = scores / high[lists]
        return shares
    above = scores - low[lists]
    total = np.bincount(lists, above, shape)[lists]
    shares = np.divide(above, total, out=1 / counts[lists], where=total > 0)
    return shares


def _combined(candidates: Candidates, method: str, shares: Vector) -> Vector:
    """Return the score of every document by a method of `OF_SCORES`; shape (documents,)."""
    counts = candidates.documents.run_counts
    if method in ("combsum", "combmnz", "combanz"):
        sums = candidates.summed(shares)
        return sums if method == "combsum" else sums * counts if method == "combmnz" else sums / counts
    ascending = shares[np.lexsort((shares, candidates.postings.documents))]  # within each document
    ends = np.cumsum(counts)
    starts = ends - counts
    places = {
        "combmin": (starts, starts),
        "combmed": (starts + (counts - 1) // 2, starts + counts // 2),
        "combmax": (ends - 1, ends - 1),
    }
    lower, upper = places[method]
    middle: Vector = (ascending[lower] + ascending[upper]) / 2
    return middle


def _weights(candidates: Candidates, weights: Mapping[str, float]) -> Vector:
    """Return the weight of each run; shape (runs,)."""
    if unknown := sorted({*weights} - {*candidates.tags}):
        raise Refused(
            f"expected weights of the runs {', '.join(candidates.tags)}, found one of {unknown[0]!r}"
        )
    return np.array([float(weights.get(tag, 1.0)) for tag in candidates.tags])


def _check_parameters(method: str, parameters: Mapping[str, float], known: frozenset[str]) -> None:
    if unknown := sorted({*parameters} - known):
        expected = ", ".join(sorted(known)) or "no parameter"
        raise Refused(f"{method}: expected {expected}, found {unknown[0]!r}")


def _simplex(runs: int) -> list[Vector]:
    """Return every setting of weights that are whole tenths with the sum 1."""
    last = STEPS + runs - 1  # bars among so many places: the gaps between them are the weights
    return [(np.diff([-1, *bars, last]) - 1) / STEPS for bars in combinations(range(last), runs - 1)]
