"""Tiny rankings written by hand, scored through the same doors as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from metrics.engine.evaluate import Scores, evaluate
from metrics.engine.hits import Hits, Settings, find_hits
from metrics.engine.qrels_index import index_qrels, index_subtopics
from metrics.measures.names import parse_measures
from pooling.formats.qrels import Qrels, parse_qrels
from pooling.formats.runs import RunFile, parse_run

Rankings = Mapping[str, Sequence[str]]
Grades = Mapping[str, Mapping[str, int]]


def run_of(rankings: Rankings) -> RunFile:
    """Return a run that ranks each topic's documents in the order given."""
    lines = [
        f"{topic} Q0 {docno} 0 {len(ranking) - place} tag\n"
        for topic, ranking in rankings.items()
        for place, docno in enumerate(ranking)
    ]
    return parse_run("".join(lines).encode())


def qrels_of(grades: Grades) -> Qrels:
    """Return qrels: topic -> docno -> grade; a docno such as "2/d1" is d1 in the subtopic 2."""
    lines = []
    for topic, judged in grades.items():
        for docno, grade in judged.items():
            iteration, _, name = docno.rpartition("/")
            lines.append(f"{topic} {iteration or 0} {name} {grade}\n")
    return parse_qrels("".join(lines).encode(), by_iteration=True)


def hits_of(ranking: Sequence[str], grades: Mapping[str, int], **setting: int) -> Hits:
    """Return the hits of one topic."""
    index = index_qrels(qrels_of({"1": grades}))
    return find_hits(run_of({"1": ranking}), index, Settings(**setting))  # type: ignore[arg-type]


def scored(rankings: Rankings, grades: Grades, names: str, collection: int | None = None) -> Scores:
    """Score measures over every topic of the qrels."""
    index = index_subtopics(qrels_of(grades))
    return evaluate(run_of(rankings), index, parse_measures(names), collection=collection)


def value(
    ranking: Sequence[str], grades: Mapping[str, int], name: str, collection: int | None = None
) -> float:
    """Score one measure of one topic."""
    return float(scored({"1": ranking}, {"1": grades}, name, collection).values[0, 0])


def pattern(letters: str, relevant: int | None = None) -> tuple[list[str], dict[str, int]]:
    """Return the ranking and grades of "R N R": relevant or not; `relevant` in all, the rest not found."""
    marks = letters.split()
    ranking = [f"{mark}{place}" for place, mark in enumerate(marks)]
    grades = {docno: int(docno.startswith("R")) for docno in ranking}
    missing = 0 if relevant is None else relevant - marks.count("R")
    return ranking, {**grades, **{f"missing{number}": 1 for number in range(missing)}}


def graded(letters: str) -> tuple[list[str], dict[str, int]]:
    """Return the ranking and the grades of "3 2 3 0 1 2"."""
    grades = {f"d{place}": int(grade) for place, grade in enumerate(letters.split())}
    return list(grades), grades
