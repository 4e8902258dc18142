"""Which judgments the measures of a request read, and the index of them, from a file or from qrels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from metrics.engine.qrels_index import QrelsIndex, index_qrels, index_subtopics
from metrics.measures.base import Measure, Needs
from metrics.trec_eval.preferences import parse_preferences
from pooling.formats.qrels import Qrels, parse_prels, parse_qrels
from pooling.formats.runs import RunFile
from pooling.intake.tables import AS_IT_IS, Reading
from pooling.refusals import Refused

RELEVANCE_HELP = """\
the grade from which a document is relevant, for measures that do not say
(default: 1; a note says where higher grades occur)"""


class BadArguments(Refused):
    """Arguments that cannot be used together."""


def check_measures(
    measures: Sequence[Measure], collection: int | None, option: str = "--collection-size"
) -> None:
    """Raise BadArguments unless the measures can be computed together.

    collection: the number of documents, which some measures need. option: the caller's name for it, for the
    error message.
    """
    for measure in measures:
        if measure.arguments.get("N", 0) is None and collection is None:
            raise BadArguments(f"{measure} counts documents that were not retrieved: expected {option}")
    needs = required_judgments(measures)
    if len(needs - {"qrels"}) > 1 or {"qrels", "preferences"} <= needs:
        raise BadArguments("expected measures that read judgments of one form, found several (--list tells)")


def required_judgments(measures: Sequence[Measure]) -> set[Needs]:
    """Return the forms of judgments that the measures read."""
    return {measure.kind.needs for measure in measures}


def read_index(
    content: bytes,
    name: str,
    measures: Sequence[Measure],
    reading: Reading = AS_IT_IS,
    note: Callable[[str], object] = lambda text: None,
) -> QrelsIndex:
    """Return the judgments of an unpacked file, read as the measures need them.

    reading: what fields and words of the file mean. note: is called with how a file of another form than TREC
    qrels was read, and with what was left out of it.
    """
    needs = required_judgments(measures)
    if "preferences" in needs:
        return parse_preferences(content, name)
    if "strata" in needs:
        return index_qrels(parse_prels(content, name))
    qrels = parse_qrels(content, name, by_iteration=reads_iterations(measures), reading=reading)
    for text in qrels.notes:
        note(f"{name}: {text}")
    return index_as_needed(qrels, measures)


def reads_iterations(measures: Sequence[Measure]) -> bool:
    """Tell whether all measures read judges or subtopics, so that each may judge the same document.

    A measure of documents does not, and its value must not depend on the measures beside it.
    """
    return required_judgments(measures) <= {"judges", "subtopics"}


def index_as_needed(qrels: Qrels, measures: Sequence[Measure]) -> QrelsIndex:
    """Return an index of qrels, with separate judges or subtopics if the measures need them."""
    needs = required_judgments(measures)
    return index_subtopics(qrels) if "subtopics" in needs else index_qrels(qrels, "judges" in needs)


def threshold_and_note(
    relevance: int | None, index: QrelsIndex, measures: Sequence[Measure]
) -> tuple[int, str]:
    """Return the grade from which a document is relevant, 1 if not given, and a note on higher grades, or "".

    Only measures that read whether a document is relevant, and have no threshold of their own, need the note.
    """
    if relevance is not None:
        return relevance, ""
    reads = [m for m in measures if m.kind.uses == "threshold" and m.arguments.get("rel") is None]
    if reads and not index.prefers and index.grades.max(initial=0) > 1:
        note = f"grades above 1 occur; {reads[0]} counts documents as relevant from grade 1 (see --relevance)"
        return 1, note
    return 1, ""


def common_topics(name: str, run: RunFile, index: QrelsIndex) -> int:
    """Return the number of topics in both the run and the qrels. Raises BadArguments if there is none."""
    common = len(set(run.topics) & set(index.topics))
    if not common:
        raise BadArguments(
            f"{name}: expected topics of the qrels, found none (the run's first is {run.topics[0]!r},"
            f" the first of the qrels {index.topics[0]!r})"
        )
    return common
