"""The formula of every kind of measure, as text: what `compute` does for one topic, in the field's signs.

Signs that all of them use: k, a rank; n, how many documents were retrieved; R, how many are relevant;
rel(k), 1 where the document at rank k is relevant, else 0; g(k), its grade, 0 without one; P(k), precision at
rank k; tp, fp, fn, tn, the confusion matrix; N, the size of the collection.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Formula(NamedTuple):
    """text: the formula. where: what its own signs mean, and what is undefined; "" where nothing is."""

    text: str
    where: str = ""


SIGNS: Mapping[str, str] = {
    "k": "a rank, from 1",
    "n": "how many documents the run retrieved for the topic",
    "R": "how many documents are relevant: their grade reaches the threshold",
    "rel(k)": "1 where the document at rank k is relevant, else 0",
    "g(k)": "the grade of the document at rank k, 0 without one",
    "P(k)": "precision at rank k: Σ rel(i) over the ranks 1 to k, divided by k",
    "tp, fp, fn, tn": "relevant retrieved, other retrieved, relevant missed, all others",
    "N": "how many documents the collection has",
}

NO_RELEVANT = "0 where R is 0."
NO_GAIN = "0 where no document has a positive grade."
JUDGES = "0 where nobody judged the topic."
GEOMETRIC = "Over topics: exp(mean of ln(max(value, 0.00001)))."
MICRO = "Over topics: the sums of the counts, not the mean of the values."
CWL = "Score = Σ W(k) r(k), W(1) = 1 / Σ Π C, W(k + 1) = C(k) W(k); r(k) = the grade scaled to 0 … 1. "
SUBTOPICS = "|S|: subtopics with a relevant document; c(s, k): relevant to s above rank k. "
PREFERENCE = "A preference (a over b) is fulfilled when a is retrieved above b, or b is not retrieved. "
DISCOUNT = "D(k) = log₂(k + 1). "
AP_TEXT = "AP = (1 / R) Σ P(k) rel(k)"
BPREF_TEXT = "bpref = (1 / R) Σ over relevant retrieved (1 − min(above, R) / min(J, R))"
BPREF_WHERE = "above: judged non-relevant documents above it; J: judged non-relevant in all. "

COUNTS = {
    "NumQ": Formula("NumQ = 1", "Summed over topics."),
    "NumRet": Formula("NumRet = n", "Summed over topics."),
    "NumRel": Formula("NumRel = R", "Summed over topics."),
    "NumRelRet": Formula("NumRelRet = Σ rel(k)", "Summed over topics."),
    "NumNonRelRet": Formula("NumNonRelRet = judged retrieved − Σ rel(k)", "Summed over topics."),
    "TP": Formula("TP = tp", "Of the top k with a cut-off."),
    "FP": Formula("FP = fp", "Of the top k with a cut-off."),
    "FN": Formula("FN = fn", "Of the top k with a cut-off."),
    "TN": Formula("TN = N − tp − fp − fn", "Of the top k with a cut-off."),
}

TOP = {
    "P": Formula("P@k = (1 / k) Σ rel(i) over ranks i ≤ k", "Divided by k even where fewer were retrieved."),
    "R": Formula("R@k = (1 / R) Σ rel(i) over ranks i ≤ k", NO_RELEVANT),
    "RelP": Formula("RelP@k = Σ rel(i) over ranks i ≤ k / min(k, R)", NO_RELEVANT),
    "Success": Formula("Success@k = 1 if rel(i) = 1 at any rank i ≤ k, else 0"),
    "Rprec": Formula("Rprec = P(R)", NO_RELEVANT),
    "RprecMult": Formula("RprecMult@m = P(⌊m R + 0.9⌋)", "0 where that rank is 0."),
    "RR": Formula(
        "RR = 1 / (rank of the first relevant document)", "0 where none is retrieved, or in the top k."
    ),
    "Unjudged": Formula("Unjudged@k = (1 / k) (documents in the top k without a grade)"),
    "Judged": Formula(
        "Judged@k = (judged documents in the top k) / min(k, n)", "0 where nothing was retrieved."
    ),
}

SETS = {
    "SetP": Formula("SetP = tp / n", "0 where nothing was retrieved."),
    "SetR": Formula("SetR = tp / R", NO_RELEVANT),
    "SetRelP": Formula("SetRelP = tp / min(n, R)", NO_RELEVANT),
    "SetAP": Formula("SetAP = (tp / n) (tp / R)", NO_RELEVANT),
    "SetF": Formula(
        "SetF = (β + 1) SetP SetR / (β SetP + SetR)",
        "β here is the square of the textbook's β, as in trec_eval.",
    ),
    "Utility": Formula("Utility = a tp + b fp + c fn + d tn"),
    "FBeta": Formula("F = (β² + 1) P R / (β² P + R) = (1 + β²) tp / ((1 + β²) tp + β² fn + fp)"),
    "Dice": Formula("Dice = 2 |retrieved ∩ relevant| / (|retrieved| + |relevant|) = 2 tp / (2 tp + fp + fn)"),
    "MicroP": Formula("MicroP = Σ tp / Σ (tp + fp)", MICRO),
    "MicroR": Formula("MicroR = Σ tp / Σ (tp + fn)", MICRO),
    "MicroF": Formula("MicroF = Σ (1 + β²) tp / Σ ((1 + β²) tp + β² fn + fp)", MICRO),
    "SetAccuracy": Formula("SetAccuracy = (tp + tn) / N"),
    "SetError": Formula("SetError = (fp + fn) / N"),
    "Fallout": Formula("Fallout = fp / (fp + tn)", "0 where every document is relevant."),
    "Specificity": Formula("Specificity = tn / (fp + tn) = 1 − Fallout"),
    "AUC": Formula(
        "AUC = pairs (relevant, non-relevant) in the right order / (R (N − R))",
        "A pair of two documents that were not retrieved counts 1/2 (tail = random) or 0 (tail = worst).",
    ),
    "Accuracy": Formula(
        "Accuracy = pairs (relevant, non-relevant) of the retrieved in the right order / (tp · fp)",
        "0 where nothing relevant was retrieved, 1 where nothing else was.",
    ),
}

AVERAGES = {
    "AP": Formula(AP_TEXT, NO_RELEVANT),
    "GMAP": Formula(AP_TEXT, f"{NO_RELEVANT} {GEOMETRIC}"),
    "bpref": Formula(BPREF_TEXT, BPREF_WHERE + NO_RELEVANT),
    "GMbpref": Formula(BPREF_TEXT, f"{BPREF_WHERE}{NO_RELEVANT} {GEOMETRIC}"),
    "BprefR": Formula(
        "bpref-R = (1 / R) Σ over relevant retrieved (1 − min(above, R) / R)",
        f"above: judged non-relevant documents above it. {NO_RELEVANT}",
    ),
    "infAP": Formula(
        "infAP = (1 / R) Σ over relevant retrieved [1/k + ((k − 1)/k) (pooled/(k − 1)) "
        "(relevant + ε)/(judged + 2ε)]",
        f"Counted above rank k; ε = 0.00001. {NO_RELEVANT}",
    ),
    "IPrec": Formula(
        "IPrec@r = max P(k) over ranks at which max(⌊r R + 0.9⌋, 1) relevant were found, or more",
        f"trec_eval 9's level; trec_eval 10 takes ⌊r R + 0.5⌋. {NO_RELEVANT}",
    ),
    "11ptAvg": Formula("11ptAvg = (1 / 11) Σ IPrec@r over r = 0, 0.1, … 1", NO_RELEVANT),
    "ExactIPrec": Formula("ExactIPrec@r = max P(k) over ranks at which recall is r or more", NO_RELEVANT),
    "Exact11pt": Formula("Exact11pt = (1 / 11) Σ ExactIPrec@r over r = 0, 0.1, … 1", NO_RELEVANT),
    "BEP": Formula(
        "BEP = x where the line through (r, ExactIPrec@r), r = 0, 0.1, … 1, has the value x", NO_RELEVANT
    ),
    "YAAP": Formula("YAAP = ln((1 + s) / (1 + R − s)), s = Σ P(k) rel(k)"),
    "AP_avgjg": Formula("AP_avgjg = mean over judges of AP with that judge's grades", JUDGES),
    "P_avgjg": Formula("P_avgjg@k = mean over judges of P@k with that judge's grades", JUDGES),
    "RprecMult_avgjg": Formula(
        "RprecMult_avgjg@m = mean over judges of RprecMult@m with that judge's grades", JUDGES
    ),
    "xinfAP": Formula(
        "xinfAP = Σ over strata ê(s) · mean over relevant retrieved of P̂(k) / Σ ê(s), "
        "P̂(k) = (1/k) (1 + Σ over strata d(s) (rel + 0.00001)/(sampled + 0.00003))",
        "ê(s): estimated relevant in the stratum; d, rel, sampled: counted above rank k.",
    ),
}

GAINS = {
    "CG": Formula("CG@k = Σ g(i) over ranks i ≤ k"),
    "DCG": Formula(
        "DCG@k = Σ g(i) / log₂(i + 1) over ranks i ≤ k",
        "dcg='exp-log2': 2^g(i) − 1 instead of g(i); 'jk-log2': no discount before rank b.",
    ),
    "IdealDCG": Formula(
        "IdealDCG@k = Σ g*(i) / log₂(i + 1)", "g*: the grades of all judged documents, best first."
    ),
    "nDCG": Formula("nDCG@k = DCG@k / IdealDCG@k", f"DCG@k = Σ g(i) / log₂(i + 1). {NO_GAIN}"),
    "SDCG": Formula(
        "SDCG@k = Σ r(i) / log₂(i + 1) / Σ 1 / log₂(i + 1), both over ranks i ≤ k",
        "r(i): the grade scaled to 0 … 1.",
    ),
    "nDCGrel": Formula(
        "nDCGrel = mean over documents of positive grade of nDCG at their rank",
        "Those not retrieved count with nDCG of the whole ranking.",
    ),
    "Rndcg": Formula(
        "Rndcg = mean of nDCG at the ranks where the ideal ranking's grade falls",
        "With one more term, nDCG of the whole ranking, where more than one document too many came.",
    ),
    "G": Formula(
        "G = Σ g(k) / log₂(2 + C(k) − S(k)) / Σ g*(i)",
        "S(k): grades summed to rank k; C(k): the ideal's, at least 1 a rank. " + NO_GAIN,
    ),
    "binG": Formula("binG = (1 / R) Σ rel(k) / log₂(2 + non-relevant above k)", NO_RELEVANT),
    "infNDCG": Formula(
        "infNDCG = Σ over strata (pooled/sampled) Σ g(k) / D(k) / estimated IdealDCG",
        f"{DISCOUNT}Counted in the first 1,000 ranks.",
    ),
}

READERS = {
    "ERR": Formula(
        "ERR@k = Σ (1/i) q(i) Π over j < i (1 − q(j)), q(i) = (2^g(i) − 1) / 2^gmax",
        "gmax: max_rel, or the highest grade of the qrels.",
    ),
    "RBP": Formula(
        "RBP = (1 − p) Σ r(k) p^(k − 1)", "r(k): grade / highest grade, or rel(k) where rel is set."
    ),
    "RBPResidual": Formula(
        "residual = 1 − (1 − p) Σ over judged p^(k − 1)",
        "What RBP would gain if everything else were of the highest grade.",
    ),
    "TrecRBP": Formula(
        "rbp = (1 − p) Σ (g(k) / gmax) p^(k − 1)", "gmax: the topic's highest grade, at least 1."
    ),
    "TrecRBPResidual": Formula(
        "rbp_resid = p^n + (1 − p) Σ over unjudged p^(k − 1)",
        "0 where everything retrieved was judged, unless tail is set.",
    ),
    "INSQ": Formula("C(k) = ((k + 2T − 1) / (k + 2T))²", CWL + "C: the chance of reading on."),
    "INST": Formula(
        "C(k) = ((k + T + T(k) − 1) / (k + T + T(k)))²", CWL + "T(k) = T less the gain to rank k."
    ),
    "BPM": Formula("C(k) = 1 while the gain is below T and k is below the cut-off, else 0", CWL),
    "NERR8": Formula("C(k) = 1 − r(k) before the cut-off, 0 there", CWL),
    "NERR9": Formula("C(k) = (k / (k + 1)) (1 − r(k)) before the cut-off, 0 there", CWL),
    "NERR10": Formula("C(k) = p (1 − r(k))", CWL),
    "NERR11": Formula("C(k) = ((k + 2T − 1) / (k + 2T))² (1 − r(k))", CWL),
    "Compat": Formula(
        "Compat = RBO(ranking, ideal) / RBO(ideal, ideal), RBO = Σ p^(d − 1) overlap(d) / d, d ≤ 1000",
        "ideal: of all orders of the positive grades, the one nearest to the ranking. " + NO_GAIN,
    ),
}

DIVERSITY = {
    "alpha_DCG": Formula(
        "α-DCG@k = Σ gain(i) / log₂(i + 1) / highest possible, gain(i) = Σ (1 − α)^c(s, i)",
        SUBTOPICS + "The highest possible: every subtopic at every rank.",
    ),
    "alpha_nDCG": Formula(
        "α-nDCG@k = Σ gain(i) / log₂(i + 1) / the same of the greedy ideal",
        SUBTOPICS + "gain(i) = Σ (1 − α)^c(s, i).",
    ),
    "ERR_IA": Formula(
        "ERR-IA@k = Σ gain(i) / i / highest possible", SUBTOPICS + "gain(i) = Σ (1 − α)^c(s, i)."
    ),
    "nERR_IA": Formula(
        "nERR-IA@k = Σ gain(i) / i / the same of the greedy ideal", SUBTOPICS + "gain(i) = Σ (1 − α)^c(s, i)."
    ),
    "NRBP": Formula(
        "NRBP = ((1 − (1 − α) β) / |S|) Σ gain(k) β^(k − 1)", SUBTOPICS + "gain(k) = Σ (1 − α)^c(s, k)."
    ),
    "nNRBP": Formula("nNRBP = NRBP / NRBP of the greedy ideal", SUBTOPICS),
    "AP_IA": Formula("AP-IA = (1 / |S|) Σ over subtopics of AP", SUBTOPICS),
    "P_IA": Formula("P-IA@k = (1 / |S|) Σ over subtopics of P@k", SUBTOPICS),
    "StRecall": Formula("StRecall@k = subtopics with a relevant document in the top k / |S|", SUBTOPICS),
}

RET = " Both documents retrieved."
IMP = " One of the two retrieved at least."
PREFERENCES = {
    "prefs_num_prefs_poss": Formula("the number of preferences", PREFERENCE),
    "prefs_num_prefs_ful": Formula("the number of fulfilled preferences", PREFERENCE),
    "prefs_num_prefs_ful_ret": Formula("the number of fulfilled preferences", PREFERENCE + RET),
    **{
        f"prefs_simp{ending}": Formula("fulfilled / possible, all judges together", PREFERENCE + limit)
        for ending, limit in (("", ""), ("_ret", RET), ("_imp", IMP))
    },
    **{
        f"prefs_pair{ending}": Formula(
            "mean over pairs of (judges fulfilled / judges with an opinion)", PREFERENCE + limit
        )
        for ending, limit in (("", ""), ("_ret", RET), ("_imp", IMP))
    },
    **{
        f"prefs_avgjg{ending}": Formula("mean over judges of fulfilled / possible", PREFERENCE + limit)
        for ending, limit in (("", ""), ("_ret", RET), ("_imp", IMP))
    },
    **{
        f"prefs_avgjg_Rnonrel{ending}": Formula(
            "mean over judges of fulfilled / possible, with as many non-relevant as relevant documents",
            PREFERENCE
            + "Of more non-relevant ones only the first count; missing ones are thought of, unretrieved."
            + limit,
        )
        for ending, limit in (("", ""), ("_ret", RET))
    },
}

FORMULAS: Mapping[str, Formula] = {
    **COUNTS,
    **TOP,
    **SETS,
    **AVERAGES,
    **GAINS,
    **READERS,
    **DIVERSITY,
    **PREFERENCES,
}
