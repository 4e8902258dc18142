"""Counts of documents and topics."""

from __future__ import annotations

from math import inf

import numpy as np

from metrics.hits import Hits
from metrics.measure import NIST, Direction, Family, Kind
from metrics.parameters import REL
from pooling.arrays import Vector


def topics(hits: Hits) -> Vector:
    """1 for every topic (trec_eval `num_q` is their sum)."""
    return np.ones(hits.topics)


def retrieved(hits: Hits) -> Vector:
    """How many documents the run has for each topic (trec_eval `num_ret`)."""
    return np.where(hits.in_run, hits.retrieved, 0).astype(np.float64)


def relevant(hits: Hits, rel: int | None = None) -> Vector:
    """R: how many documents were judged relevant (trec_eval `num_rel`)."""
    return hits.relevant(rel).total.astype(np.float64)


def relevant_retrieved(hits: Hits, rel: int | None = None) -> Vector:
    """How many of the retrieved documents are relevant (trec_eval `num_rel_ret`)."""
    return hits.relevant(rel).counts.astype(np.float64)


def nonrelevant_judged_retrieved(hits: Hits, rel: int | None = None) -> Vector:
    """How many of the retrieved documents were judged and are not relevant (`num_nonrel_judged_ret`)."""
    return (hits.judged.counts - hits.relevant(rel).counts).astype(np.float64)


def _count(
    name: str,
    compute: object,
    meaning: str,
    trec_eval: str,
    takes_rel: bool,
    direction: Direction,
    formula: str,
) -> Kind:
    return Kind(
        name=name,
        compute=compute,  # type: ignore[arg-type]
        meaning=meaning,
        citation=NIST,
        uses="threshold" if takes_rel else "neither",
        high=inf,
        parameters={"rel": REL} if takes_rel else {},
        trec_eval=trec_eval,
        average="sum",
        direction=direction,
        formula=formula,
        where="Summed over topics.",
    )


COUNTS = Family("Counts", (
    _count(
        "NumQ",
        topics,
        "The number of topics.",
        "num_q",
        False,
        "neither",
        formula="NumQ = 1",
    ),
    _count(
        "NumRet",
        retrieved,
        "The number of documents retrieved.",
        "num_ret",
        False,
        "neither",
        formula="NumRet = n",
    ),
    _count(
        "NumRel",
        relevant,
        "The number of relevant documents in the qrels.",
        "num_rel",
        True,
        "neither",
        formula="NumRel = R",
    ),
    _count(
        "NumRelRet",
        relevant_retrieved,
        "The number of relevant documents retrieved.",
        "num_rel_ret",
        True,
        "higher",
        formula="NumRelRet = Σ rel(k)",
    ),
    _count(
        "NumNonRelRet",
        nonrelevant_judged_retrieved,
        "The number of documents retrieved that were judged not relevant.",
        "num_nonrel_judged_ret",
        True,
        "lower",
        formula="NumNonRelRet = judged retrieved − Σ rel(k)",
    ),
))  # fmt: skip
