"""A page for each measure of the registry, and the page that lists them."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from docs.generator.markdown import block, code, prose, table
from metrics.measures.base import SYMBOLS, MeasureKind, Parameter
from metrics.measures.registry import ALIASES, FAMILIES, KINDS
from metrics.worked_example import COLLECTION, MISSED, RANKING, read_example, usual_measure, worked_example

DIRECTIONS = {
    "higher": "higher values are better",
    "lower": "lower values are better",
    "neither": "none: it does not measure the quality of a run, so runs are not ranked by it",
}
JUDGMENTS = {
    "qrels": "qrels",
    "judges": "qrels with one iteration for each judge",
    "subtopics": "qrels with one iteration for each subtopic",
    "strata": "sampled judgments with strata (prels)",
    "preferences": "preferences between documents",
}
USES = {
    "grades": "grades",
    "threshold": "binary relevance: whether the grade reaches the threshold",
    "neither": "neither grades nor binary relevance",
}
MISSING = {
    "zero": "0",
    "computed": "0 in the profile `trec_eval-9`, the value of one unjudged document in `trec_eval-10`",
    "labelled": "0; in the profile `trec_eval-10` that of one unjudged document if the name has parameters",
    "always": "its value for an empty ranking",
}
OUTSIDE_NAVIGATION = "---\norphan: true\n---\n"  # about a hundred entries would hide the others
AVERAGES = {"mean": "arithmetic mean", "sum": "sum", "geometric": "geometric mean"}


def pages() -> dict[str, str]:
    return {"measures/index.md": _index()} | {
        f"measures/{kind.name}.md": _page(kind) for kind in KINDS.values()
    }


def _index() -> str:
    parts = [
        "# Measures\n",
        f"{len(KINDS)} measures. A name is written as in ir_measures (`nDCG@10`, `AP(rel=2)@100`) or as in"
        " trec_eval (`map`, `ndcg_cut.10`). An example is computed by the code that scores runs.\n",
    ]
    for family in FAMILIES:
        rows = (
            [f"[{prose(kind.name)}]({kind.name}.md)", prose(kind.meaning), kind.direction]
            for kind in family.kinds
        )
        parts += [f"## {prose(family.title)}\n", table(["measure", "meaning", "better values"], rows)]
    return "\n".join(parts)


def _page(kind: MeasureKind) -> str:
    parts = [
        OUTSIDE_NAVIGATION,
        f"# {prose(kind.name)}\n",
        f"{prose(kind.meaning)} ([All measures](index.md).)\n",
        "## Formula\n",
        block(kind.formula),
    ]
    if kind.where:
        parts.append(f"{prose(kind.where)}\n")
    signs = [(sign, meaning) for sign, meaning in SYMBOLS.items() if _contains(kind.formula, sign)]
    if signs:
        parts.append(table(["symbol", "meaning"], ([prose(sign), prose(meaning)] for sign, meaning in signs)))
    parts += ["## Properties\n", table(["property", "value"], _properties(kind))]
    if kind.parameters:
        rows = ([code(name), *_parameter(each)] for name, each in kind.parameters.items())
        parts += ["## Parameters\n", table(["parameter", "default", "range", "meaning"], rows)]
    return "\n".join([*parts, "## Example\n", *_example(kind)])


def _contains(formula: str, signs: str) -> bool:
    """Tell whether a formula contains one of some symbols, which are separated by commas."""
    words = formula.replace("(", " ( ").split()
    return any(sign in words if sign.isalnum() else sign in formula for sign in signs.split(", "))


def _properties(kind: MeasureKind) -> Iterator[list[str]]:
    others = [code(other) for other, name in ALIASES.items() if name == kind.name]
    if others:
        yield ["other names", ", ".join(others)]
    cut = f"{kind.trec_eval_cut}_k" if kind.trec_eval_cut else ""
    yield ["trec_eval", ", ".join(code(name) for name in (kind.trec_eval, cut) if name) or "no such measure"]
    yield ["direction", DIRECTIONS[kind.direction]]
    yield [
        "range",
        _range(kind.low, kind.high) + ("; the ideal ranking has the highest value" if kind.perfect else ""),
    ]
    yield ["input", f"{JUDGMENTS[kind.needs]}; {USES[kind.uses]}"]
    yield ["cut-off", _cutoff(kind)]
    yield ["over topics", "ratio of sums of counts" if kind.parts else AVERAGES[kind.average]]
    yield ["a topic that the run lacks", MISSING[kind.missing]]
    yield ["source", prose(kind.citation)]


def _cutoff(kind: MeasureKind) -> str:
    if kind.cutoff is None:
        return "none"
    number = "a rank" if kind.cutoff is int else "a number"
    return f"{number}, required" if kind.needs_cutoff else f"{number}; without it the whole ranking"


def _range(low: float, high: float) -> str:
    ends = (f"from {low:g}" if low > -inf else "", f"to {high:g}" if high < inf else "")
    return " ".join(end for end in ends if end) or "any number"


def _parameter(parameter: Parameter) -> list[str]:
    default = "not set" if parameter.default in (None, "") else code(parameter.default)
    choices = ", ".join(map(code, parameter.choices))
    is_number = not isinstance(parameter.default, bool | str)
    return [
        default,
        choices or (_range(parameter.low, parameter.high) if is_number else ""),
        prose(parameter.meaning),
    ]


def _example(kind: MeasureKind) -> Iterator[str]:
    worked = worked_example(usual_measure(kind), read_example(RANKING, MISSED))
    yield "Relevant from grade 1." + (f" N = {COLLECTION}." if "N" in kind.parameters else "") + "\n"
    also = [prose(worked.head.lower())] if worked.head else []
    rows = []
    for each in worked.documents:
        value = f"{worked.steps[each.rank - 1]:.4f}" if each.rank else ""
        grade = "not judged" if each.grade is None else f"{each.grade}"
        more = [prose(each.also)] if worked.head else []
        rows.append([f"{each.rank or 'not retrieved'}", each.docno, grade, *more, value])
    by = prose(worked.by) if worked.by.startswith(kind.name) else "value of the ranking up to here"
    yield table(["rank", "document", "grade", *also, by], rows)
    yield f"{code(worked.measure.name)} of this ranking is **{worked.value:.4f}**.\n"
