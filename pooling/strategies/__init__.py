"""Ways from rankings to a pool: which documents of which topic are to be judged, and in which order."""

from .budget import fair_take
from .candidates import Candidates, candidates_of
from .depth import depth_pool, pool_by_depths
from .live import Label, LiveOrder, Order, next_document, simulate
from .parameter import Parameter, Value
from .pooled import Found, Pooled, merged, without
from .pools import build, choose, eligible, order_of, played, reaches, sample_of
from .registry import STRATEGIES, strategy_of
from .runs import (
    ASCENDING,
    DESCENDING,
    TIE_RULES,
    Lists,
    Rankings,
    RunRankings,
    first_of_groups,
    ranked,
    residual,
    topics_of,
)
from .strata import Sample, Stratum, parse_strata, prels_rows, strata_sizes, stratified_sample
from .strategy import Strategy

__all__ = [
    "ASCENDING", "DESCENDING", "STRATEGIES", "TIE_RULES", "Candidates", "Found", "Label", "Lists",
    "LiveOrder", "Order", "Parameter", "Pooled", "Rankings", "RunRankings", "Sample", "Strategy", "Stratum",
    "Value", "build", "candidates_of", "choose", "depth_pool", "eligible", "fair_take", "first_of_groups",
    "merged", "next_document", "order_of", "parse_strata", "played", "pool_by_depths", "prels_rows", "ranked",
    "reaches", "residual", "sample_of", "simulate", "strata_sizes", "strategy_of", "stratified_sample",
    "topics_of", "without",
]  # fmt: skip
