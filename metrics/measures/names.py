"""Measures by name: `nDCG@10`, `AP(rel=2)@100` as ir_measures writes, `ndcg_cut.10`, `P.5,10` as
trec_eval, `ndcg@10`, `hit_rate@5` as ranx."""

from __future__ import annotations

import re
from difflib import get_close_matches

from metrics.measures.base import BadMeasure, Measure, MeasureKind, UnknownMeasure, Value
from metrics.measures.registry import ALIASES, KINDS, make_measure
from metrics.trec_eval.names import ENTRIES, NICKNAMES, measures_of

SHAPE = re.compile(r"(?P<name>[\w\-]+?)(?:\((?P<inside>[^()]*)\))?(?:@(?P<cutoff>[0-9.]+))?")
PAIR = re.compile(r"\s*(?P<name>\w+)\s*=\s*(?P<value>'[^']*'|\"[^\"]*\"|[^,'\"]+?)\s*(?:,|$)")
WORD = re.compile(r"[^\s(]+(?:\([^)]*\)\S*)?")
COMMA = re.compile(r",(?=\s*[^\W\d])(?![^()]*\))")  # before a name, outside parentheses
CUTOFFS = re.compile(r"[0-9.,]+")
RANX_RBP = re.compile(r"rbp(\.[0-9]+)")
# ranx's name -> measure to which a cut-off may be added; names that trec_eval has, too, are its without one
RANX = {
    "hit_rate": "Success", "precision": "P", "recall": "R", "f1": "FBeta", "mrr": "RR",
    "map": "AP", "r-precision": "Rprec", "dcg": "DCG", "dcg_burges": "DCG(dcg='exp-log2')", "ndcg": "nDCG",
    "ndcg_burges": "nDCG(dcg='exp-log2')",
}  # fmt: skip
RANX_ALL = {"precision": "SetP", "f1": "SetF"}  # without a cut-off, of all that was retrieved
GRADED_MEASURES, BINARY_MEASURES = "nDCG@10 AP bpref P@5 P@10 R@100 RR", "AP P@5 P@10 Rprec bpref R@100 RR"
NOT_NUMBERS = ("runid", "relstring")  # trec_eval prints them among its measures


def signature(kind: MeasureKind) -> str:
    """Return the signature of a measure with default parameters: `RBP(p=0.8, rel=, max_rel=)[@k]`."""
    inside = ", ".join(
        f"{name}={'' if value is None else repr(value)}" for name, value in kind.defaults.items()
    )
    letter = "k" if kind.cutoff is int else "r"
    cut = "" if kind.cutoff is None else f"@{letter}" if kind.needs_cutoff else f"[@{letter}]"
    return f"{kind.name}({inside}){cut}" if inside else f"{kind.name}{cut}"


def nearest_name(text: str) -> str:
    """Return the most similar known name, with the cut-off of the text where it takes one; or "".

    Two names of ranx are never taken, because the values differ: its `hits` is a mean over topics, the number
    here a sum, and its `rbp` does not divide grades by the highest one.
    """
    if rbp := RANX_RBP.fullmatch(text):
        return f"RBP(p=0{rbp[1]})"
    word, _, cutoff = text.strip().partition("@")
    taking = [*RANX, *(name for name, kind in KINDS.items() if kind.cutoff is int)]
    known = {name.lower(): name for name in (taking if cutoff else (*ENTRIES, *KINDS))} | {"hits": "TP"}
    matches = get_close_matches(re.split(r"[(.]", word, maxsplit=1)[0].lower(), known, n=1, cutoff=0.5)
    nearest = known[matches[0]] if matches else ""
    return f"{nearest}@{cutoff}" if nearest and CUTOFFS.fullmatch(cutoff) else nearest


def usual_measures(grades: int) -> list[Measure]:
    """Return the default measures of a scale with a number of grades: two, or more."""
    return parse_measures(GRADED_MEASURES if grades > 2 else BINARY_MEASURES)


def parse_measure(text: str) -> Measure:
    """Return one measure. Raises UnknownMeasure for an unknown name, BadMeasure for parameters that do not
    fit."""
    measures = parse_measures(text)
    if len(measures) != 1:
        raise BadMeasure(f"expected one measure, found {len(measures)} in {text!r}")
    return measures[0]


def parse_measures(text: str) -> list[Measure]:
    """Return the measures of a text that separates them by blanks.

    `P.5,10` is two measures, `official` and trec_eval's other nicknames are several. Raises UnknownMeasure
    for an unknown name, which names the nearest known one, BadMeasure for parameters that do not fit.
    """
    return [
        measure
        for word in split_names(text)
        for measure in _from_trec_eval(word) or [_from_ir_measures(word)]
    ]


def split_names(text: str) -> list[str]:
    """Return the names in a text, which blanks or commas separate except inside parentheses.

    A comma before a digit separates cut-offs of one measure, as in trec_eval's `P.5,10`.

    >>> split_names("nDCG@10 AP(rel=2, judged_only=True)@5")
    ['nDCG@10', 'AP(rel=2, judged_only=True)@5']
    >>> split_names("nDCG@10,AP(rel=2, judged_only=True),P.5,10")
    ['nDCG@10', 'AP(rel=2, judged_only=True)', 'P.5,10']
    """
    return WORD.findall(COMMA.sub(" ", text))


def _from_ranx(text: str) -> str:
    """Return a name of ranx as ir_measures writes; any other text as it is."""
    name, at, cutoff = text.partition("@")
    return (RANX if at else RANX | RANX_ALL).get(name, name) + at + cutoff


def _from_ir_measures(text: str) -> Measure:
    shape = SHAPE.fullmatch(_from_ranx(text))
    name = ALIASES.get(shape["name"], shape["name"]) if shape else ""
    if shape is None or name not in KINDS:
        raise UnknownMeasure(text, nearest_name(text))
    pairs = _pairs(text, shape["inside"] or "")
    if name == "NumRet" and any(key == "rel" for key, _ in pairs):
        name = "NumRelRet"  # as ir_measures defines NumRet(rel=1)
    return make_measure(KINDS[name], pairs, shape["cutoff"])


def _pairs(text: str, inside: str) -> list[tuple[str, Value]]:
    pairs, position = [], 0
    while inside[position:].strip():
        pair = PAIR.match(inside, position)
        if pair is None:
            raise BadMeasure(f"{text}: expected name=value, found {inside[position:].strip()!r}")
        pairs.append((pair["name"], _value(pair["value"])))
        position = pair.end()
    return pairs


def _value(text: str) -> Value:
    if text[0] in "'\"":
        return text[1:-1]
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return {"True": True, "False": False, "None": None}.get(text, text)


def _from_trec_eval(text: str) -> list[Measure]:
    """Return the measures of `map`, `P.5,10`, `P_5` or `official`; none if the text has another form."""
    if (re.split(r"[@(]", text, maxsplit=1)[0] in KINDS and text not in ENTRIES) or RANX_RBP.fullmatch(text):
        return []  # `P_IA@5` is not trec_eval's P
    name, dot, parameters = text.partition(".")
    if name in NICKNAMES and not dot:
        return [
            measure for part in NICKNAMES[name] if part not in NOT_NUMBERS for measure in measures_of(part)
        ]
    if name not in ENTRIES:
        name, _, parameters = text.rpartition("_")
        if not CUTOFFS.fullmatch(parameters):
            return []
    if name not in ENTRIES or name in NOT_NUMBERS:
        return []
    return measures_of(name, parameters)
