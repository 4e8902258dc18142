"""Ways from rankings to a pool: which documents of which topic are to be judged, and in which order."""

from .candidates import Candidates, RankedIds, candidates_of
from .live import Label, LiveOrder, Order, next_document, simulate
from .parameter import Parameter, Value
from .pooled import Found, Pooled
from .pools import build, candidates_for, choose, eligible, order_of, played, reaches, sample_of
from .registry import STRATEGIES, strategy_of
from .runs import (
    ASCENDING,
    DESCENDING,
    TIE_RULES,
    Lists,
    Rankings,
    RunRankings,
    Submitted,
    first_of_groups,
    ranked,
    topics_of,
)
from .strata import Sample, Stratum, parse_strata, prels_rows
from .strategy import Strategy

__all__ = [
    "ASCENDING", "Candidates", "DESCENDING", "Found", "Label", "Lists", "LiveOrder", "Order", "Parameter",
    "Pooled", "RankedIds", "Rankings", "RunRankings", "STRATEGIES", "Sample", "Strategy", "Stratum",
    "Submitted", "TIE_RULES", "Value", "build", "candidates_for", "candidates_of", "choose", "eligible",
    "first_of_groups", "next_document", "order_of", "parse_strata", "played", "prels_rows", "ranked",
    "reaches", "sample_of", "simulate", "strategy_of", "topics_of",
]  # fmt: skip
