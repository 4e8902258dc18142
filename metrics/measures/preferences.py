"""How many preferences between documents a ranking fulfils. Needs qrels read by `parse_preferences`."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, cast

import numpy as np

from metrics.engine.hits import Hits
from metrics.measures.base import BadMeasure, Direction, Family, MeasureKind, Parameter
from pooling.arrays import Flags, Vector

if TYPE_CHECKING:
    from metrics.trec_eval.preferences import Fulfilment, PreferencesIndex

NIST = "C. Buckley. Preference measures in trec_eval 9 (NIST), 2008"
TopicValue = Callable[[list["Fulfilment"]], float]


def by_topic(hits: Hits, value: TopicValue) -> Vector:
    """Return one value per topic. Raises BadMeasure when the qrels hold no preferences."""
    if not hits.index.prefers:
        raise BadMeasure("preference measures need preferences instead of qrels (-R prefs or -R qrels_prefs)")
    index = cast("PreferencesIndex", hits.index)
    return np.array([value(groups) for groups in hits.cached("fulfilments", lambda: index.fulfilments(hits))])


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


# Each variant counts other pairs: all; those with both documents retrieved; those with one at least.
def _counted(group: Fulfilment, variant: str) -> tuple[int, int]:
    """Return how many preferences of a group are fulfilled, and how many there are."""
    ful_both, both, ful_one, one, none = group.counts
    if variant == "ret":
        return ful_both, both
    return ful_both + ful_one, both + one + (0 if variant == "imp" else none)


def possible(hits: Hits) -> Vector:
    """How many preferences there are (trec_eval `prefs_num_prefs_poss`)."""
    return by_topic(hits, lambda groups: sum(_counted(group, "")[1] for group in groups))


def fulfilled(hits: Hits, both: bool = False) -> Vector:
    """How many are fulfilled (`prefs_num_prefs_ful`), `both` documents retrieved (`.._ful_ret`)."""
    variant = "ret" if both else ""
    return by_topic(hits, lambda groups: sum(_counted(group, variant)[0] for group in groups))


def simple(hits: Hits, variant: str = "") -> Vector:
    """Fulfilled over possible, all groups of the topic together (`prefs_simp`)."""

    def value(groups: list[Fulfilment]) -> float:
        counts = [_counted(group, variant) for group in groups]
        return _share(sum(ful for ful, _ in counts), sum(poss for _, poss in counts))

    return by_topic(hits, value)


def by_group(hits: Hits, variant: str = "") -> Vector:
    """Fulfilled over possible, averaged over groups (`prefs_avgjg`)."""
    return by_topic(
        hits, lambda groups: sum(_share(*_counted(group, variant)) for group in groups) / len(groups)
    )


def by_pair(hits: Hits, variant: str = "") -> Vector:
    """For each pair of documents, the share of opinions fulfilled, averaged over pairs (`prefs_pair`)."""

    def value(groups: list[Fulfilment]) -> float:
        retrieved = groups[0].retrieved
        prefer = np.sum([group.prefers for group in groups], axis=0, dtype=np.int64)
        ahead, pairs = np.triu(prefer, 1), np.triu(prefer + prefer.T, 1)
        if variant == "ret":
            ahead, pairs = ahead[:retrieved, :retrieved], pairs[:retrieved, :retrieved]
        elif variant == "imp":
            ahead, pairs = ahead[:retrieved], pairs[:retrieved]
        has_pairs = pairs > 0
        shares = ahead[:retrieved][has_pairs[:retrieved]] / pairs[:retrieved][has_pairs[:retrieved]]
        return _share(float(np.cumsum(shares)[-1]) if len(shares) else 0.0, int(has_pairs.sum()))

    return by_topic(hits, value)


def by_group_balanced(hits: Hits, both: bool = False) -> Vector:
    """As `by_group`, with as many non-relevant documents as relevant ones (`prefs_avgjg_Rnonrel`): like
    bpref.

    With R relevant and N < R non-relevant documents in a group, R - N more are thought of, which no run
    retrieves; with more than R, only the R first ranked count. `both`: of the retrieved ones (`.._ret`).
    """

    def value(groups: list[Fulfilment]) -> float:
        shares = [_balanced(group, both) for group in groups]
        # a group without any preference makes trec_eval's sum not a number, and the topic's value 0
        return 0.0 if any(share is None for share in shares) else sum(filter(None, shares)) / len(shares)

    return by_topic(hits, value)


def _balanced(group: Fulfilment, both: bool) -> float | None:
    n = group.retrieved if both else len(group.level)
    relevant, nonrelevant = int(group.relevant[:n].sum()), int(group.nonrelevant[:n].sum())
    if relevant >= nonrelevant:
        ful, poss = _counted(group, "ret" if both else "")
        ful += int(group.relevant[: group.retrieved].sum()) * (relevant - nonrelevant)
        poss += int(group.relevant.sum()) * (relevant - nonrelevant)
    else:
        limit = relevant if group.complete or not both else int(group.relevant.sum())
        ful, poss = _first_nonrelevant(group, n, limit)
    return ful / poss if poss else None


def _first_nonrelevant(group: Fulfilment, n: int, limit: int) -> tuple[int, int]:
    """Count preferences among the first n documents and the `limit` first non-relevant ones of them.

    In a group without subgroups trec_eval compares these also with all non-relevant documents: no
    preference, but counted as possible, and as fulfilled in the order of the ranking. Kept, for equal
    numbers.
    """
    first = np.flatnonzero(group.nonrelevant[:n])[:limit]
    selected: Flags = np.ones(n, dtype=bool)
    selected[np.flatnonzero(group.nonrelevant[:n])[limit:]] = False
    prefers = group.prefers[:n, :n] & selected[None, :]
    if group.complete:
        prefers[np.ix_(np.flatnonzero(group.nonrelevant[:n]), first)] = True
    else:
        prefers &= selected[:, None]
    ful = np.triu(prefers, 1)[: group.retrieved]
    return int(ful.sum()), int(prefers.sum())


def _kind(
    name: str,
    compute: Callable[..., Vector],
    meaning: str,
    formula: str,
    limit: str = "",
    **arguments: bool | str,
) -> MeasureKind:
    return MeasureKind(
        name,
        compute,
        meaning,
        NIST,
        "grades",
        parameters={key: PARAMETERS[key].with_default(value) for key, value in arguments.items()},
        trec_eval=name,
        needs="preferences",
        direction="higher",
        formula=formula,
        where=FULFILLED + limit,
    )


def _number(
    name: str,
    compute: Callable[..., Vector],
    meaning: str,
    computed: bool,
    direction: Direction,
    formula: str,
    limit: str = "",
    **arguments: bool,
) -> MeasureKind:
    return MeasureKind(
        name, compute, meaning, NIST, "grades", high=inf,
        parameters={key: PARAMETERS[key].with_default(value) for key, value in arguments.items()},
        trec_eval=name, average="sum", needs="preferences", missing="computed" if computed else "zero",
        direction=direction, formula=formula, where=FULFILLED + limit,
    )  # fmt: skip


RET, IMP = ", both retrieved", ", one retrieved at least"
FULFILLED = "A preference (a over b) is fulfilled when a is retrieved above b, or b is not retrieved. "
PARAMETERS = {
    "variant": Parameter("", "which pairs count: all, both retrieved (ret), one at least (imp)"),
    "both": Parameter(False, "whether only pairs count of which both documents were retrieved"),
}
BOTH_RETRIEVED, ONE_RETRIEVED = " Both documents retrieved.", " One of the two retrieved at least."
POSSIBLE, NUMBER = "the number of preferences", "the number of fulfilled preferences"
SIMPLE = "fulfilled / possible, all judges together"
BY_PAIR = "mean over pairs of (judges fulfilled / judges with an opinion)"
BY_JUDGE = "mean over judges of fulfilled / possible"
BALANCED = f"{BY_JUDGE}, with as many non-relevant as relevant documents"
BALANCING = "Of more non-relevant ones only the first count; missing ones are thought of, unretrieved."
PREFERENCES = Family("Preferences", (
    _number("prefs_num_prefs_poss", possible, "The number of preferences.", True, "neither", POSSIBLE),
    _number(
        "prefs_num_prefs_ful", fulfilled, "The number of preferences fulfilled.", False, "higher", NUMBER,
    ),
    _number(
        "prefs_num_prefs_ful_ret", fulfilled, f"The number fulfilled{RET}.", False, "higher", NUMBER,
        BOTH_RETRIEVED, both=True,
    ),
    _kind("prefs_simp", simple, "The share of preferences fulfilled.", SIMPLE, variant=""),
    _kind(
        "prefs_pair", by_pair, "The share of opinions fulfilled, averaged over pairs.", BY_PAIR, variant="",
    ),
    _kind(
        "prefs_avgjg", by_group, "The share of preferences fulfilled, averaged over judges.", BY_JUDGE,
        variant="",
    ),
    _kind(
        "prefs_avgjg_Rnonrel", by_group_balanced, "As prefs_avgjg, with R non-relevant documents.", BALANCED,
        BALANCING,
    ),
    _kind(
        "prefs_simp_ret", simple, f"The share of preferences fulfilled{RET}.", SIMPLE, BOTH_RETRIEVED,
        variant="ret",
    ),
    _kind(
        "prefs_pair_ret", by_pair, f"Opinions fulfilled, averaged over pairs{RET}.", BY_PAIR, BOTH_RETRIEVED,
        variant="ret",
    ),
    _kind("prefs_avgjg_ret", by_group, f"As prefs_avgjg{RET}.", BY_JUDGE, BOTH_RETRIEVED, variant="ret"),
    _kind(
        "prefs_avgjg_Rnonrel_ret", by_group_balanced, f"As prefs_avgjg_Rnonrel{RET}.", BALANCED,
        BALANCING + BOTH_RETRIEVED, both=True,
    ),
    _kind(
        "prefs_simp_imp", simple, f"The share of preferences fulfilled{IMP}.", SIMPLE, ONE_RETRIEVED,
        variant="imp",
    ),
    _kind(
        "prefs_pair_imp", by_pair, f"Opinions fulfilled, averaged over pairs{IMP}.", BY_PAIR, ONE_RETRIEVED,
        variant="imp",
    ),
    _kind("prefs_avgjg_imp", by_group, f"As prefs_avgjg{IMP}.", BY_JUDGE, ONE_RETRIEVED, variant="imp"),
))  # fmt: skip
