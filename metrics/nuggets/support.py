"""Support of citations: precision and recall over the sentences of an answer, as in TREC RAG 2024.

A citation gives its sentence full support (1), partial support (0.5) or none (0). Hard scores count full
support only. A sentence with several citations takes the first, the best (any), or their mean (all).

Source: N. Thakur et al., Support Evaluation for the TREC 2024 RAG Track, arXiv 2504.15205.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import partial
from statistics import fmean

from metrics.nuggets.values import NuggetMeasure, NuggetScore, ratio
from pooling.refusals import Refused

THAKUR_2025 = (
    "N. Thakur et al. Support Evaluation for the TREC 2024 RAG Track: Comparing Human versus LLM Judges. "
    "arXiv 2504.15205"
)
FIRST, ANY, ALL = "first", "any", "all"
CHOICES = (FIRST, ANY, ALL)
NO_CITED = "no sentence has a citation"
NO_SENTENCES = "there are no sentences"


class Support(StrEnum):
    """How far a document supports the sentence that cites it."""

    FULL = "full"
    PARTIAL = "partial"
    NONE = "none"


SOFT = {Support.FULL: 1.0, Support.PARTIAL: 0.5, Support.NONE: 0.0}
HARD = {Support.FULL: 1.0, Support.PARTIAL: 0.0, Support.NONE: 0.0}

Sentences = Sequence[Sequence[Support | None]]


def support_precision(sentences: Sentences, hard: bool = False, citations: str = FIRST) -> NuggetScore:
    """Return the support of the sentences with a citation, on average.

    sentences: for each sentence of an answer the support by each of its citations, in order; None where
    nobody has judged. citations: FIRST, ANY or ALL. Undefined without a citation, and where a citation that
    counts is not judged. Raises Refused for another choice.

    >>> sentences = [[Support.FULL], [Support.PARTIAL], [Support.NONE], [], [Support.FULL]]
    >>> support_precision(sentences).value, support_precision(sentences, hard=True).value
    (0.625, 0.5)
    """
    cited = sum(bool(sentence) for sentence in sentences)
    return _score(sentences, cited, NO_CITED, hard, citations)


def support_recall(sentences: Sentences, hard: bool = False, citations: str = FIRST) -> NuggetScore:
    """Return the support of all sentences, on average; a sentence without citation has 0.

    The arguments are those of `support_precision`. Undefined without a sentence.
    """
    return _score(sentences, len(sentences), NO_SENTENCES, hard, citations)


def _score(sentences: Sentences, whole: int, why_none: str, hard: bool, citations: str) -> NuggetScore:
    if citations not in CHOICES:
        raise Refused(f"expected {', '.join(CHOICES[:-1])} or {CHOICES[-1]} citations, found {citations!r}")
    counted = [sentence[:1] if citations == FIRST else sentence for sentence in sentences]
    labels = [label for sentence in counted for label in sentence]
    if missing := sum(label is None for label in labels):
        return NuggetScore(None, f"{missing:,} of {len(labels):,} citations are not judged")
    value_of = HARD if hard else SOFT
    values = [[value_of[label] for label in sentence if label] for sentence in counted if sentence]
    gained = sum(fmean(own) if citations == ALL else max(own) for own in values)
    return ratio(gained, whole, why_none)


UNCITED = "without a citation, and where a citation is not judged"
EMPTY = "without a sentence, and where a citation is not judged"
MEASURES = tuple(
    NuggetMeasure(
        f"support_{name}{'_hard' if hard else ''}{'' if citations == FIRST else f'_{citations}'}",
        "citations",
        partial(compute, hard=hard, citations=citations),
        f"how far sentences {whole} are supported{' in full' if hard else ''} by {which}",
        f"Σ {'[full]' if hard else 'support'} / sentences {below}",
        undefined,
        THAKUR_2025,
    )
    for name, compute, whole, below, undefined in (
        ("precision", support_precision, "with a citation", "with a citation", UNCITED),
        ("recall", support_recall, "of an answer", "of the answer", EMPTY),
    )
    for hard in (False, True)
    for citations, which in (
        (FIRST, "their first citation"),
        (ANY, "their best citation"),
        (ALL, "their citations, on average"),
    )
)
