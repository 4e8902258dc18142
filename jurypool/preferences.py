"""The best documents by preferences, and magnitudes on one scale."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from assess.preferences.stages import PAIRINGS, THRESHOLD, Best, best_by_preference, pairs_of_stage
from metrics.magnitudes.gains import CodedGains
from metrics.magnitudes.gains import code_gains as code
from metrics.magnitudes.normalised import normalised
from metrics.rankings.transitivity import Transitivity
from metrics.rankings.transitivity import transitivity as transitivity_of
from pooling.refusals import Refused


def preference_pairs(
    documents: Sequence[str],
    *,
    seed: int,
    stage: int = 1,
    threshold: int = THRESHOLD,
    pairings: int = PAIRINGS,
) -> list[tuple[str, str]]:
    """Return the pairs of documents to judge in a stage, each as (left, right).

    Parameters
    ----------
    documents
        The documents that are left, of one topic.
    seed, stage
        Decide the pairs, their order and the sides.
    threshold
        For up to so many documents, all pairs are judged: this is the final stage.
    pairings
        The number of pairs of each document before. Keep the documents that win more than half of them.

    Examples
    --------
    >>> import jurypool as jp
    >>> len(jp.preference_pairs([f"D{number}" for number in range(20)], seed=1))
    70
    """
    if len(set(documents)) < len(documents):
        raise Refused("expected each document once, found one twice")
    _check_positive(threshold=threshold, pairings=pairings)
    return pairs_of_stage(documents, seed, stage, threshold, pairings)


def top_by_preference(
    grades: Mapping[str, int],
    prefer: Callable[[str, str], str],
    k: int = 5,
    *,
    seed: int,
    threshold: int = THRESHOLD,
    pairings: int = PAIRINGS,
) -> Best:
    """Find the k best documents of a topic by preferences, in stages.

    Documents with a grade above 0 take part, the best grades first, with all that tie with the k-th. The
    result has
    `grades`, in which the best documents are above all others: wins in the final stage + highest grade + 100;
    and
    `stages`, the judged pairs of each stage. Score runs with these grades by the measure Compat. Source: the
    program
    claclark/preferences.

    The stages drop documents by their wins in a few pairs each. Even if the judge is consistent, one of the k
    best can be dropped when it meets better documents in most of its pairs; that is rare, and part of the
    published procedure.

    Parameters
    ----------
    grades
        docno -> grade.
    prefer
        A function that returns the preferred one of two documents, left and right.
    k
        The number of documents that are wanted. A tie for the last place gives more.
    seed, threshold, pairings
        As for `preference_pairs`.

    Examples
    --------
    >>> import jurypool as jp
    >>> jp.top_by_preference({"a": 1, "b": 2, "c": 2, "d": 0}, max, k=1, seed=1).grades
    {'a': 1, 'b': 2, 'c': 103, 'd': 0}
    """
    _check_positive(k=k, threshold=threshold, pairings=pairings)

    def checked(left: str, right: str) -> str:
        winner = prefer(left, right)
        if winner not in (left, right):
            raise Refused(f"expected {left!r} or {right!r} as the preferred document, found {winner!r}")
        return winner

    return best_by_preference(grades, checked, k, seed, threshold, pairings)


def transitivity(judged: Iterable[tuple[str, str]]) -> Transitivity:
    """Count the triples of documents whose pairs were all judged, and the cycles among them.

    The result has `triples`, `cycles` and `share`, the part of the triples without a cycle.

    Parameters
    ----------
    judged
        Tuples (preferred document, other document) of one topic. A pair that was judged both ways equally
        often counts
        as not judged.

    Examples
    --------
    >>> import jurypool as jp
    >>> jp.transitivity([("a", "b"), ("b", "c"), ("c", "a")]).share
    0.0
    """
    return transitivity_of(judged)


def normalise_magnitudes(
    magnitudes: Mapping[str, Mapping[str, Mapping[str, float]]],
) -> dict[str, dict[str, dict[str, float]]]:
    """Return magnitudes with the same geometric mean for each judge of a topic: that of all its magnitudes.

    Magnitudes are positive numbers that a judge chooses in proportion to relevance. The median of a
    document's
    normalised magnitudes can serve as its gain.

    Parameters
    ----------
    magnitudes
        judge -> topic -> docno -> number above 0.

    Examples
    --------
    >>> import jurypool as jp
    >>> labels = {"ann": {"7": {"a": 10, "b": 40}}, "bob": {"7": {"a": 50, "b": 400}}}
    >>> scores = jp.normalise_magnitudes(labels)
    >>> round(scores["ann"]["7"]["a"], 4), round(scores["bob"]["7"]["b"], 4)
    (26.5915, 150.4241)
    """
    topics = dict.fromkeys(topic for own in magnitudes.values() for topic in own)
    by_topic = {
        topic: normalised({judge: own[topic] for judge, own in magnitudes.items() if topic in own})
        for topic in topics
    }
    return {judge: {topic: by_topic[topic][judge] for topic in own} for judge, own in magnitudes.items()}


def code_gains(gains: Mapping[str, Mapping[str, float]]) -> CodedGains:
    """Return whole numbers in place of real-valued gains, for qrels, and the gain that each stands for.

    Grades of qrels are whole numbers, and DCG and nDCG take other gains by their parameter `gains`. The
    result has `grades` (topic -> docno -> number) and `gains`, the text of that parameter. A gain of 0 stays
    0, so that other measures can read the same grades, in their order.

    Parameters
    ----------
    gains
        topic -> docno -> number of 0 or more, such as a median of normalised magnitudes.

    Raises
    ------
    Refused
        For a gain below 0 or one that is not finite.

    Examples
    --------
    >>> import jurypool as jp
    >>> coded = jp.code_gains({"7": {"a": 22.7, "b": 128.4}})
    >>> coded.grades, coded.gains
    ({'7': {'a': 1, 'b': 2}}, '1=22.7,2=128.4')
    >>> run = {"7": {"a": 2.0, "b": 1.0}}
    >>> scores = jp.evaluate(run, coded.grades, f"nDCG(gains='{coded.gains}')@10")
    >>> round(*scores.means.values(), 4)
    0.7267
    """
    return code(gains)


def _check_positive(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 1:
            raise Refused(f"expected {name} of at least 1, found {number}")
