"""The sources of a grade: people, adjudication, and the kinds of machine judges whose labels decided it."""

from __future__ import annotations

import numpy as np

from assess.consensus import ADJUDICATED_PRIMARY, ONE_JUDGE, USES_SETTLED, LabelColumns
from assess.event_columns import Ints
from assess.no_grade import NoGrade

PEOPLE, SHOWN, ADJUDICATION = "people", "people who saw a machine's grade", "adjudication"
MACHINES = {"file": "machine: file", "model": "machine: language model", "clicks": "machine: clicks"}
"""Kind of a machine judge, as stored -> source."""
SOURCES = (PEOPLE, SHOWN, ADJUDICATION, *MACHINES.values())
"""Every source; its place is its bit in the columns below."""
BETWEEN = "; "  # between several sources in a cell
WORDS = {
    MACHINES["file"]: "programs (files)",
    MACHINES["model"]: "programs (language models)",
    MACHINES["clicks"]: "programs (clicks)",
}
"""Source -> how pages name it after "by", where files have the source itself."""


def source_of_label(machine_kind: str, suggested: bool) -> str:
    """Return the source of one label. machine_kind: empty for a person; suggested: a grade was on screen.

    >>> source_of_label("", False), source_of_label("model", False)
    ('people', 'machine: language model')
    """
    if machine_kind:
        return MACHINES[machine_kind]
    return SHOWN if suggested else PEOPLE


def in_words(cell: str) -> str:
    """Return the sources of a cell, to follow "by".

    >>> in_words("people"), in_words("machine: file; people")
    ('people', 'programs (files) and people')
    """
    return " and ".join(WORDS.get(source, source) for source in cell.split(BETWEEN))


def by_programs_alone(cell: str) -> bool:
    """Whether all sources of a cell are programs.

    >>> by_programs_alone("machine: file"), by_programs_alone("machine: file; people")
    (True, False)
    """
    return set(cell.split(BETWEEN)) <= set(MACHINES.values())


def bit_of(source: str) -> int:
    return 1 << SOURCES.index(source)


def names_of(bits: int) -> tuple[str, ...]:
    """Return the sources of a set of bits, in alphabetical order.

    >>> names_of(bit_of(PEOPLE) | bit_of("machine: file"))
    ('machine: file', 'people')
    """
    return tuple(sorted(source for place, source in enumerate(SOURCES) if bits >> place & 1))


def sources_of(
    rule: str, labels: LabelColumns, source: Ints, primary: Ints, settled: Ints, chosen: int = -1
) -> Ints:
    """Return the sources that entered the decision on each document, as sets of bits; shape (documents,).

    source: the bit of each label, shape (labels,). primary, settled: as in `consensus.decide`. chosen: place
    of the judge that the rule "one judge" follows. All grades of a document enter the decision, unless the
    rule follows one judge; a document without a grade has the sources of its labels *cannot judge*. A settled
    grade that the rule uses is the only source.
    """
    if rule == ONE_JUDGE:
        enters = labels.judge == chosen
    elif rule == ADJUDICATED_PRIMARY:
        enters = labels.judge == primary[labels.document]
    else:
        graded = np.zeros(len(primary), dtype=bool)
        graded[labels.document[labels.relevance >= 0]] = True
        enters = (labels.relevance >= 0) | ~graded[labels.document]
    bits = np.zeros(len(primary), dtype=np.int64)
    np.bitwise_or.at(bits, labels.document[enters], source[enters])
    if rule in USES_SETTLED:
        bits[settled != NoGrade.MISSING] = bit_of(ADJUDICATION)
    return bits
