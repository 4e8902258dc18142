"""A judge scored as if a run: how well a human does against other humans' qrels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pooling.columns import rounded
from pooling.qrels import Qrels, parse_qrels
from pooling.runfile import Run

from .hits import Setting
from .index import index_qrels
from .measure import Measure
from .ties import SAMPLE, TieReport, tie_report

Grades = Mapping[str, Mapping[str, int]]  # topic -> docno -> grade


def judge_as_run(grades: Grades, tag: str) -> Run:
    """Return a judge's grades as a run: every document that the judge graded, the grade as its score.

    grades: topic -> docno -> grade; topics without documents are left out. Documents of one grade are tied,
    and a judge has few grades: trec_eval would order each grade by docno, which the judge never said. Score
    it with `human_ceiling`, or show `tie_report` beside the scores. Raises ValueError without any grade.
    """
    judged = {topic: of_topic for topic, of_topic in grades.items() if of_topic}
    if not judged:
        raise ValueError("expected at least one grade")
    docnos = [docno.encode() for of_topic in judged.values() for docno in of_topic]
    scores = [float(grade) for of_topic in judged.values() for grade in of_topic.values()]
    offsets = np.cumsum([0, *map(len, judged.values())])
    width = rounded(max(map(len, docnos)))
    return Run(tag, tuple(judged), offsets, np.array(docnos, f"S{width}"), np.array(scores))


def human_ceiling(
    grades: Grades,
    others: Mapping[str, Grades],
    measures: Sequence[Measure],
    setting: Setting | None = None,
    sample: int = SAMPLE,
    seed: int = 0,
) -> dict[str, TieReport]:
    """Score a judge as if a run against each other one's grades, or against agreed ones.

    others: name -> topic -> docno -> grade. Both are cut to the topics that they share, so that a judge is
    not scored on what was never assigned; documents are not cut: what the judge left unjudged is not
    retrieved. The report's `expected` is the mean over `sample` random orders of equal grades (seeded), the
    value to show; `worst` and `best` bound it, `scored` is trec_eval's order by docno. Names that share no
    topic with the judge are absent from the answer.
    """
    found = {}
    for name, other in others.items():
        shared = [topic for topic, of_topic in other.items() if of_topic and grades.get(topic)]
        if shared:
            run = judge_as_run({topic: grades[topic] for topic in shared}, name)
            index = index_qrels(_qrels({topic: other[topic] for topic in shared}))
            found[name] = tie_report(run, index, measures, setting, sample, seed)
    return found


def _qrels(grades: Grades) -> Qrels:
    lines = (
        f"{topic} 0 {docno} {grade}\n"
        for topic, of_topic in grades.items()
        for docno, grade in of_topic.items()
    )
    return parse_qrels("".join(lines).encode())
