"""trec_eval's measures: their names, the order in which it prints them, their default parameters, its
nicknames."""

from __future__ import annotations

import math
from typing import NamedTuple

from metrics.measures.base import BadMeasure, Measure, Value
from metrics.measures.registry import KINDS, LARGEST_CUTOFF, make_measure

CUTOFFS = "5,10,15,20,30,100,200,500,1000"
RECALLS = "0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1"
MULTIPLES = ".2,.4,.6,.8,1,1.2,1.4,1.6,1.8,2"


class Entry(NamedTuple):
    """One of trec_eval's measures. form: the syntax of its parameters. default: its default parameters."""

    kind: str
    form: str = "plain"
    default: str = ""


ENTRIES: dict[str, Entry] = {
    "num_q": Entry("NumQ"),
    "num_ret": Entry("NumRet"),
    "num_rel": Entry("NumRel"),
    "num_rel_ret": Entry("NumRelRet"),
    "map": Entry("AP"),
    "gm_map": Entry("GMAP"),
    "Rprec": Entry("Rprec"),
    "bpref": Entry("bpref"),
    "recip_rank": Entry("RR"),
    "iprec_at_recall": Entry("IPrec", "fractions", RECALLS),
    "P": Entry("P", "cutoffs", CUTOFFS),
    "relstring": Entry("", "relstring", "10"),
    "recall": Entry("R", "cutoffs", CUTOFFS),
    "infAP": Entry("infAP"),
    "gm_bpref": Entry("GMbpref"),
    "Rprec_mult": Entry("RprecMult", "fractions", MULTIPLES),
    "utility": Entry("Utility", "coefficients"),
    "11pt_avg": Entry("11ptAvg", "levels"),
    "binG": Entry("binG"),
    "G": Entry("G", "gains"),
    "dcg": Entry("DCG", "gains"),
    "ideal_dcg": Entry("IdealDCG", "gains"),
    "ndcg": Entry("nDCG", "gains"),
    "ndcg_rel": Entry("nDCGrel", "gains"),
    "Rndcg": Entry("Rndcg", "gains"),
    "ndcg_cut": Entry("nDCG", "cutoffs", CUTOFFS),
    "map_cut": Entry("AP", "cutoffs", CUTOFFS),
    "relative_P": Entry("RelP", "cutoffs", CUTOFFS),
    "success": Entry("Success", "cutoffs", "1,5,10"),
    "set_P": Entry("SetP"),
    "set_relative_P": Entry("SetRelP"),
    "set_recall": Entry("SetR"),
    "set_map": Entry("SetAP"),
    "set_F": Entry("SetF", "beta"),
    "num_nonrel_judged_ret": Entry("NumNonRelRet"),
    "prefs_num_prefs_poss": Entry("prefs_num_prefs_poss"),
    "prefs_num_prefs_ful": Entry("prefs_num_prefs_ful"),
    "prefs_num_prefs_ful_ret": Entry("prefs_num_prefs_ful_ret"),
    "prefs_simp": Entry("prefs_simp"),
    "prefs_pair": Entry("prefs_pair"),
    "prefs_avgjg": Entry("prefs_avgjg"),
    "prefs_avgjg_Rnonrel": Entry("prefs_avgjg_Rnonrel"),
    "prefs_simp_ret": Entry("prefs_simp_ret"),
    "prefs_pair_ret": Entry("prefs_pair_ret"),
    "prefs_avgjg_ret": Entry("prefs_avgjg_ret"),
    "prefs_avgjg_Rnonrel_ret": Entry("prefs_avgjg_Rnonrel_ret"),
    "prefs_simp_imp": Entry("prefs_simp_imp"),
    "prefs_pair_imp": Entry("prefs_pair_imp"),
    "prefs_avgjg_imp": Entry("prefs_avgjg_imp"),
    "map_avgjg": Entry("AP_avgjg"),
    "P_avgjg": Entry("P_avgjg", "cutoffs", CUTOFFS),
    "Rprec_mult_avgjg": Entry("RprecMult_avgjg", "fractions", MULTIPLES),
    "yaap": Entry("YAAP"),
    "rbp": Entry("TrecRBP", "p and gains"),
    "rbp_resid": Entry("TrecRBPResidual", "p"),
    "unj": Entry("Unjudged", "cutoffs", "5,10,20"),
}
ORDER = {name: position for position, name in enumerate(("runid", *ENTRIES))}
ONLY_10 = ("dcg", "ideal_dcg", "rbp", "rbp_resid", "unj")

PREFERENCES = tuple(name for name in ENTRIES if name.startswith("prefs_"))
OFFICIAL = (
    "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
    "iprec_at_recall", "P",
)  # fmt: skip
ALL_TREC = (
    *OFFICIAL, "relstring", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG", "G",
    "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success", "set_P", "set_relative_P",
    "set_recall", "set_map", "set_F", "num_nonrel_judged_ret", "rbp", "rbp_resid", "unj",
)  # fmt: skip
NICKNAMES: dict[str, tuple[str, ...]] = {
    "official": OFFICIAL,
    "all_trec": ALL_TREC,
    "set": (
        "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_recall",
        "set_relative_P", "set_map", "set_F",
    ),
    "all_prefs": ("runid", "num_q", *PREFERENCES),
    "prefs": ("runid", "num_q", *PREFERENCES[:6]),
    "qrels_jg": ("runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}  # fmt: skip


def measures_of_nickname(name: str, profile: str) -> tuple[str, ...]:
    """Return the measures that a nickname stands for."""
    return tuple(part for part in NICKNAMES[name] if profile == "trec_eval-10" or part not in ONLY_10)


def measures_of(name: str, parameters: str = "") -> list[Measure]:
    """Return the measures of `-m name.parameters` in trec_eval's order: one measure per cut-off.

    Raises BadMeasure for cut-offs that are not positive or repeated, and for malformed pairs.
    """
    kind_name, form, default = ENTRIES[name]
    kind = KINDS[kind_name]
    if form in ("cutoffs", "fractions"):
        cuts = _cutoffs(name, parameters or default, whole=form == "cutoffs")
        return [make_measure(kind, cutoff=cut) for cut in cuts]
    if not parameters or form == "plain":
        return [make_measure(kind)]
    given = _parameters(name, form, parameters)
    return [make_measure(kind, given.items(), label=f"{name}_{parameters}")]


def _cutoffs(name: str, text: str, whole: bool) -> list[float] | list[int]:
    cuts = sorted(_number(name, cut) for cut in text.split(","))
    if cuts[-1] > LARGEST_CUTOFF:
        raise BadMeasure(f"{name}.{text}: expected cut-offs of at most {LARGEST_CUTOFF:,}")
    if whole:
        cuts = [int(cut) for cut in cuts]  # trec_eval reads 23.4 as 23
    if cuts[0] < 0 or (whole and cuts[0] == 0):
        raise BadMeasure(f"{name}.{text}: expected positive cut-offs")
    if len(set(cuts)) < len(cuts):
        raise BadMeasure(f"{name}.{text}: expected different cut-offs")
    return cuts


def _parameters(name: str, form: str, text: str) -> dict[str, Value]:
    """Return the parameters of a name that is one measure for all parameters."""
    if form == "levels":
        _cutoffs(name, text, whole=False)
        return {"levels": text}
    if form == "gains":
        return {"gains": text}
    if form in ("p", "p and gains"):
        pairs = text.split(",")
        gains = [pair for pair in pairs if not pair.startswith("p=")]
        p = [_number(name, pair[2:]) for pair in pairs if pair.startswith("p=")]
        values: dict[str, Value] = {"p": p[-1] if p else 0.9}
        return values | {"gains": ",".join(gains)} if form == "p and gains" else values
    numbers = [_number(name, number) for number in text.split(",")]
    if form == "coefficients":
        if len(numbers) != 4:
            raise BadMeasure(f"{name}.{text}: expected four coefficients, found {len(numbers)}")
        return dict(zip("abcd", numbers, strict=True))
    return {"beta": numbers[0]}


def _number(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BadMeasure(f"{name}: expected a number, found {text!r}")
    return number
