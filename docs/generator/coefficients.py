"""The page of the coefficients of agreement."""

from __future__ import annotations

from collections.abc import Iterator

import jurypool
from assess.kappa.coefficient import (
    BELOW_ZERO,
    NO_LABELS,
    NO_OVERLAP,
    ONE_JUDGE,
    TOO_FEW,
    Coefficient,
)
from assess.kappa.registry import REGISTRY, Definition
from docs.generator.markdown import code, prose, table

EXAMPLE = {
    "ann": {"7": {"D1": 2, "D2": 0, "D3": 0}, "8": {"D4": 1, "D5": 0, "D6": 2}},
    "ben": {"7": {"D1": 2, "D2": 1, "D3": 0}, "8": {"D4": 2, "D5": 0, "D6": 1}},
    "chi": {"7": {"D1": 2, "D2": 0}, "8": {"D4": 1, "D5": 0, "D6": 2}},
}
SCALE, THRESHOLD = (0, 1, 2), 1


def pages() -> dict[str, str]:
    return {"coefficients.md": "\n".join(_parts())}


def _parts() -> Iterator[str]:
    yield "# Coefficients of agreement\n"
    yield (
        f"{len(REGISTRY)} coefficients. A coefficient beyond chance is (observed − expected) / (1 − expected)"
        ' agreement; 1 is full agreement, 0 is agreement as by chance. A label "cannot judge" is no grade.'
        " Judges may have judged different documents.\n"
    )
    reasons = ", or ".join((NO_LABELS, ONE_JUDGE, NO_OVERLAP, TOO_FEW))
    yield f"A coefficient is undefined if {reasons}. Each section adds its own case.\n"
    yield "## The example\n"
    yield f"Grades {', '.join(map(str, SCALE))}; for binary coefficients relevant from {THRESHOLD}.\n"
    rows = ((topic, docno) for topic, docnos in EXAMPLE["ann"].items() for docno in docnos)
    cells = ([topic, docno, *(_grade(judge, topic, docno) for judge in EXAMPLE)] for topic, docno in rows)
    yield table(["topic", "document", *EXAMPLE], cells)
    of_three = jurypool.agreement(EXAMPLE, scale=SCALE, threshold=THRESHOLD, draws=0)
    two = {judge: EXAMPLE[judge] for judge in ("ann", "ben")}
    of_two = jurypool.agreement(two, scale=SCALE, threshold=THRESHOLD, draws=0)
    for key, definition in REGISTRY.items():
        yield f"({_anchor(key)})=\n## {prose(definition.name)}\n"
        yield f"{_sentence(definition.formula)}\n"
        found, judges = (
            (of_three[key], "the three judges")
            if definition.from_statistics
            else (of_two[key], "ann and ben")
        )
        yield table(["property", "value"], [*_properties(definition), [f"example, {judges}", _value(found)]])


def _anchor(key: str) -> str:
    return f"coefficient-{key}"


def _grade(judge: str, topic: str, docno: str) -> str:
    return f"{EXAMPLE[judge][topic].get(docno, 'no label')}"


def _sentence(text: str) -> str:
    words = prose(text)
    return f"{words[:1].upper()}{words[1:]}."


def _properties(definition: Definition) -> Iterator[list[str]]:
    yield ["key", code(definition.key)]
    yield ["judges", "two or more" if definition.from_statistics else "two"]
    yield ["order of grades", "counts" if definition.ordered else "does not count"]
    yield [
        "undefined",
        prose(definition.undefined) + (f"; {BELOW_ZERO}" if definition.needs_grades_from_zero else ""),
    ]
    yield ["interval", "bootstrap over topics" if definition.from_statistics else "none by bootstrap"]
    if definition.error_source:
        yield ["standard error", prose(definition.error_source)]
    yield ["source", prose(definition.citation)]


def _value(found: Coefficient) -> str:
    return found.reason if found.value is None else f"{found.value:.4f}"
