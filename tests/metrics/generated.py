"""Random qrels and runs for property tests: ties, negative grades, unjudged documents, missing topics."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from metrics.engine.qrels_index import QrelsIndex, index_qrels
from metrics.measures.base import Measure, MeasureKind
from metrics.measures.registry import KINDS, make_measure
from metrics.trec_eval.preferences import parse_preferences
from pooling.formats.qrels import parse_prels, parse_qrels
from pooling.formats.runs import RunFile, parse_run

TOPICS = st.sampled_from(["1", "2", "10", "A"])
DOCNOS = st.integers(0, 24).map(lambda number: f"d{number}")
SCORES = st.one_of(st.integers(0, 4).map(float), st.floats(-10, 10, width=32))
Judgments = dict[str, dict[str, int]]
Rankings = dict[str, dict[str, float]]


def of_topics(
    values: st.SearchStrategy[dict[str, object]],
) -> st.SearchStrategy[dict[str, dict[str, object]]]:
    return st.dictionaries(TOPICS, values, min_size=1, max_size=4)


def judgments(lowest: int = -1) -> st.SearchStrategy[Judgments]:
    """topic -> docno -> grade; every topic has a grade of 0 or more, or trec_eval would stop."""
    judged = st.dictionaries(DOCNOS, st.integers(lowest, 3), min_size=1, max_size=25)
    return of_topics(judged.filter(lambda found: max(found.values()) >= 0))  # type: ignore[arg-type, return-value]


def rankings() -> st.SearchStrategy[Rankings]:
    """topic -> docno -> score."""
    ranked = st.dictionaries(DOCNOS, SCORES, min_size=1, max_size=25)
    return of_topics(ranked)  # type: ignore[arg-type, return-value]


def qrels_lines(judged: Judgments) -> list[str]:
    return [f"{topic} 0 {docno} {grade}\n" for topic in judged for docno, grade in judged[topic].items()]


def run_lines(ranked: Rankings) -> list[str]:
    return [
        f"{topic} Q0 {docno} 1 {score!r} tag\n" for topic in ranked for docno, score in ranked[topic].items()
    ]


def run_of(lines: list[str]) -> RunFile:
    return parse_run("".join(lines).encode())


@dataclass(frozen=True)
class Indexes:
    """The same judgments in each form that a kind may need."""

    lines: tuple[str, ...]

    def index(self, needs: str) -> QrelsIndex:
        content = "".join(self.lines).encode()
        if needs == "preferences":
            return parse_preferences(content, of_qrels=True)
        if needs == "strata":
            fields = (line.split() for line in self.lines)
            rows = (f"{topic} 0 {docno} {int(docno[1:]) % 3} {grade}\n" for topic, _, docno, grade in fields)
            return index_qrels(parse_prels("".join(rows).encode()))
        by_iteration = needs != "qrels"
        return index_qrels(parse_qrels(content, by_iteration=by_iteration), by_iteration)


def examples(kind: MeasureKind) -> list[Measure]:
    """A kind's measures: without a cut-off where it can be, and with some."""
    cuts: list[float | int | None] = [] if kind.needs_cutoff else [None]
    if kind.cutoff is not None:
        cuts += [1, 5, 20] if kind.cutoff is int else [0.1, 0.5, 1.0]
    return [make_measure(kind, cutoff=cut) for cut in cuts]


ALL = [measure for kind in KINDS.values() for measure in examples(kind)]
