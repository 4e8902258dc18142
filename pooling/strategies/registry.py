"""Every strategy, once, under the name by which manifests, forms and the command line know it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pooling.refusals import Refused
from pooling.strategies.fusion import borda, combmnz, combsum, rank_biased, reciprocal_rank_fusion
from pooling.strategies.live_orders import (
    KnownLabels,
    LiveOrder,
    Order,
    floor_of,
    hedge,
    max_mean,
    move_to_front,
    thompson,
)
from pooling.strategies.selection import by_scores, everything, in_depth_order
from pooling.strategies.strata import in_strata, parse_strata
from pooling.strategies.strategy import (
    BETA,
    BUDGETED,
    CONSTANT,
    CREDIT,
    DEPTH,
    MANUAL_K,
    PER_GROUP,
    PERSISTENCE,
    RATE,
    STRATA,
    Parameter,
    Selection,
    Strategy,
    TopicRankings,
)


def strategy_of(name: str) -> Strategy:
    """Return the strategy of a name. Raises Refused for an unknown one."""
    if name not in STRATEGIES:
        raise Refused(f"expected a strategy ({', '.join(STRATEGIES)}), found {name!r}")
    return STRATEGIES[name]


def _depth_of(values: Mapping[str, Any], kind: str) -> int:
    manual: int | None = values["manual_k"] if kind == "manual" else None
    return manual or int(values["k"])


def _fixed(
    name: str,
    title: str,
    meaning: str,
    citation: str,
    select: Selection,
    *parameters: Parameter,
    reads_scores: bool = False,
) -> Strategy:
    """Return the strategy that takes documents in an order known beforehand, behind the floor."""
    every = (*BUDGETED, *parameters)
    return Strategy(name, title, meaning, citation, every, select, _deepest, reads_scores=reads_scores)


def _live(
    name: str,
    title: str,
    meaning: str,
    citation: str,
    order: Callable[[TopicRankings, KnownLabels], Order],
    *parameters: Parameter,
) -> Strategy:
    """Return the strategy whose next document depends on the labels, behind the floor."""

    def of_topic(rankings: TopicRankings) -> LiveOrder:
        floor = floor_of(rankings.lists, rankings["floor"], rankings.draw)
        return LiveOrder(tuple(floor), lambda known: order(rankings, known), rankings["budget"])

    every = (*BUDGETED, *parameters)
    return Strategy(name, title, meaning, citation, every, everything, _deepest, of_topic)


def _deepest(values: Mapping[str, Any], kind: str) -> int:
    return int(values["deepest"])


STRATEGIES: dict[str, Strategy] = {
    strategy.name: strategy
    for strategy in (
        Strategy(
            "depth",
            "Depth k",
            "the first k documents of every run",
            "Sparck Jones & van Rijsbergen 1975; TREC",
            (DEPTH, MANUAL_K, PER_GROUP),
            everything,
            _depth_of,
        ),
        _fixed(
            "take",
            "Fixed budget in depth order",
            "every run's first, every run's second …, until the budget is spent; runs take random turns",
            "Lipani et al. 2017 (FairTake)",
            in_depth_order,
        ),
        _fixed(
            "rrf",
            "Reciprocal rank fusion",
            "highest sum of 1 / (constant + rank) over the runs",
            "Cormack, Clarke & Buettcher 2009",
            by_scores(lambda c, settings: reciprocal_rank_fusion(c, settings.values["constant"])),
            CONSTANT,
        ),
        _fixed(
            "borda",
            "Borda count",
            "highest sum of points, one more for every document that a run ranks lower",
            "Aslam & Montague 2001",
            by_scores(lambda c, settings: borda(c)),
        ),
        _fixed(
            "rbp",
            "Rank-biased weights",
            "highest sum of (1 - p) p^(rank - 1) over the runs",
            "Moffat, Webber & Zobel 2007 (method A)",
            by_scores(lambda c, settings: rank_biased(c, settings.values["p"])),
            PERSISTENCE,
        ),
        _fixed(
            "combsum",
            "CombSUM",
            "highest sum of the runs' scores, each run's brought to 0..1",
            "Fox & Shaw 1994; Lee 1997",
            by_scores(lambda c, settings: combsum(c)),
            reads_scores=True,
        ),
        _fixed(
            "combmnz",
            "CombMNZ",
            "CombSUM times the number of runs that hold the document",
            "Fox & Shaw 1994; Lee 1997",
            by_scores(lambda c, settings: combmnz(c)),
            reads_scores=True,
        ),
        Strategy(
            "stratified",
            "Stratified sample",
            "of each stratum of best ranks a random share; for infAP and xinfAP, not for plain measures",
            "Yilmaz, Kanoulas & Aslam 2008",
            (STRATA, PER_GROUP),
            in_strata,
            lambda values, kind: parse_strata(values["strata"])[-1].deepest,
        ),
        _live(
            "mtf",
            "Move-to-front",
            "stays with a run while its documents are relevant",
            "Cormack, Palmer & Clarke 1998",
            lambda b, known: move_to_front(b.lists, known, b.draw),
        ),
        _live(
            "maxmean",
            "MaxMean",
            "the run with the largest expected share of relevant documents",
            "Losada, Parapar & Barreiro 2016",
            lambda b, known: max_mean(b.lists, known, b.draw, credit=b["credit"]),
            CREDIT,
        ),
        _live(
            "maxmean-ns",
            "MaxMean, non-stationary",
            "MaxMean, where earlier labels fade",
            "Losada, Parapar & Barreiro 2017",
            lambda b, known: max_mean(b.lists, known, b.draw, b["rate"], b["credit"]),
            RATE,
            CREDIT,
        ),
        _live(
            "thompson",
            "Thompson sampling",
            "the run with the largest random draw from what is known of its share of relevant documents",
            "Thompson 1933; Losada, Parapar & Barreiro 2016",
            lambda b, known: thompson(b.lists, known, b.draw, credit=b["credit"]),
            CREDIT,
        ),
        _live(
            "hedge",
            "Hedge",
            "the document that the runs rank highest, weighted by how well each has ranked so far",
            "Aslam, Pavlu & Savell 2003",
            lambda b, known: hedge(b.lists, known, b["beta"], b["deepest"], b.settings.ties),
            BETA,
        ),
    )
}

OTHER_TITLES = {"holes": "Unjudged documents", "probes": "Test documents"}
"""Titles of the pools that the application freezes itself, without a strategy of the registry."""


def strategy_in_words(name: str, parameters: Mapping[str, Any]) -> str:
    """Return the title of a pool's strategy with the values of its parameters, for people."""
    if name in STRATEGIES:
        return STRATEGIES[name].in_words(parameters)
    values = (f"{key} {value}" for key, value in parameters.items() if value not in (None, ""))
    return ", ".join((OTHER_TITLES.get(name, name.capitalize()), *values))
