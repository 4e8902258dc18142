"""Audits of machine judges: which documents people judge, and what their labels say about the machine's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from metrics.machine_audits import confusion, estimates
from metrics.machine_audits.confusion import GradeRow, Rates
from metrics.machine_audits.design import LEAST_LABELS
from metrics.machine_audits.estimates import DesignEffect, Estimate
from metrics.machine_audits.sample import SampleStratum, allocate, draw
from pooling.notebook import fields_html
from pooling.refusals import Refused

from .pools import qrels_of
from .reading import QrelsSource

Document = tuple[str, str]


class MachineAudit(NamedTuple):
    """What a sample of human labels says about a machine judge, over the whole pool.

    Attributes
    ----------
    share
        The share of relevant documents, with standard error and 95 % interval.
    grade
        The mean human grade.
    rates
        Precision, true-positive, false-positive and false-negative rate, agreement, Cohen's kappa, and the
        machine's share minus people's, at the threshold.
    kappa
        Cohen's kappa of all grades.
    grades
        For each machine grade, the mean human grade, the over-rating and the share of relevant documents.
    effect
        How many labels of a plain sample, judged without a machine, would be as precise.
    """

    share: Estimate
    grade: Estimate
    rates: Rates
    kappa: Estimate
    grades: list[GradeRow]
    effect: DesignEffect

    def _repr_html_(self) -> str:
        return fields_html(self)


def audit_sample(machine: QrelsSource, n: int, *, seed: int = 0) -> list[Document]:
    """Return a random sample of documents for people to judge: ``(topic, docno)``, sorted.

    Parameters
    ----------
    machine
        The machine's labels of the whole pool, in the forms of qrels.
    n
        How many documents. They are allocated to the machine grades in proportion, at least 5 to each grade
        or all it has.
    seed
        Of the draw. The same labels and seed give the same sample, in whatever order the labels come.

    Examples
    --------
    >>> import jurypool as jp
    >>> machine = {"7": {f"D{n}": int(n > 60) for n in range(100)}}
    >>> len(jp.audit_sample(machine, 20))
    20
    """
    pool = _grades_of(machine)
    documents, grades = sorted(pool), sorted(set(pool.values()))
    stratum = np.array([grades.index(pool[document]) for document in documents], dtype=np.int64)
    sizes = np.bincount(stratum, minlength=len(grades)).tolist()
    indices = draw(stratum, allocate(sizes, n, least=LEAST_LABELS), seed)
    return [documents[index] for index in indices.tolist()]


def machine_audit(machine: QrelsSource, people: QrelsSource, *, threshold: int = 1) -> MachineAudit:
    """Return what human labels of a random sample say about the machine's labels of the pool.

    Parameters
    ----------
    machine
        The machine's labels of the whole pool, in the forms of qrels. Negative grades are no labels.
    people
        Human labels of a random sample, such as `audit_sample` draws: within a machine grade, every document
        had the same chance. Labels that exist for another reason give wrong intervals.
    threshold
        The lowest relevant grade.

    Raises
    ------
    Refused
        For labels that cannot be read, and for a human label of a document without a machine label.

    Examples
    --------
    >>> import jurypool as jp
    >>> machine = {"7": {f"D{n}": int(n > 60) for n in range(100)}}
    >>> people = {"7": {f"D{n}": int(n > 50) for n in range(0, 100, 2)}}
    >>> audit = jp.machine_audit(machine, people)
    >>> round(audit.share.value, 3), round(audit.share.low, 3), round(audit.share.high, 3)
    (0.488, 0.432, 0.545)
    """
    pool, human = _grades_of(machine), _grades_of(people)
    if unknown := next((document for document in human if document not in pool), None):
        raise Refused(
            f"expected a machine label of {unknown[1]!r} of topic {unknown[0]!r}, which people labelled"
        )
    grades = sorted(set(pool.values()))
    y = np.array([*human.values()], dtype=np.int64)
    f = np.array([pool[document] for document in human], dtype=np.int64)
    stratum, strata = np.searchsorted(grades, f), _strata(grades, pool.values(), f.tolist())
    labels = confusion.labelled(y, f, stratum, strata)
    scale = 1 + max([*grades, *y.tolist()], default=1)
    return MachineAudit(
        estimates.stratified(y >= threshold, stratum, strata, share=True),
        estimates.stratified(y, stratum, strata, share=False),
        confusion.rates(labels, threshold),
        confusion.kappa(labels, scale),
        confusion.by_grade(labels, scale, threshold),
        estimates.design_effect(y >= threshold, f >= threshold, stratum, strata),
    )


def _strata(grades: list[int], pool: Iterable[int], sampled: list[int]) -> list[SampleStratum]:
    documents = list(pool)
    return [SampleStratum(f"grade {grade}", documents.count(grade), sampled.count(grade)) for grade in grades]


def _grades_of(source: QrelsSource) -> dict[Document, int]:
    """Return (topic, docno) -> grade of every label that is not negative."""
    qrels = qrels_of(source)
    topics = [qrels.topics[index] for index in qrels.topic_of_rows().tolist()]
    docnos = [docno.decode() for docno in qrels.docnos.tolist()]
    rows = zip(topics, docnos, qrels.grades.tolist(), strict=True)
    return {(topic, docno): grade for topic, docno, grade in rows if grade >= 0}
