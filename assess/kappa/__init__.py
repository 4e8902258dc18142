"""How far judges agree: every coefficient, each a value or the reason why there is none; never a bare nan."""

from .agreement import OF_ALL, by_topic, coefficients, fleiss_by_grade, light_of_tables
from .bootstrap import Bootstrap
from .coefficient import Coefficient
from .confusion import binarised, confusion
from .definition import Definition
from .errors import StandardErrors, cohen_errors, fleiss_null_error
from .labels import Labels, labels_of, labels_of_judges, labels_of_records
from .marginals import (
    Balance,
    Homogeneity,
    RarestGrade,
    RelevantRate,
    balance,
    bhapkar,
    mcnemar,
    rarest_grade,
    rarest_of_table,
    relevant_rates,
    stuart_maxwell,
)
from .overlap import PairOverlap, TopicOverlap, overlap_by_topic, overlap_of_pairs
from .pairs import (
    OF_PAIRS,
    Comparison,
    Pair,
    agreement_of_pairs,
    compare_pairs,
    mean_over_pairs,
    of_table,
    of_tables,
)
from .registry import REGISTRY
from .repeat import self_agreement
from .rest import AgainstRest, against_the_rest
from .two_judges import cohen, percent_agreement, scott
from .verbal import KRIPPENDORFF, LANDIS_KOCH, MANNING, VERBAL_SCALES, VerbalScale, words

__all__ = [
    "KRIPPENDORFF", "LANDIS_KOCH", "MANNING", "OF_ALL", "OF_PAIRS", "REGISTRY", "VERBAL_SCALES",
    "AgainstRest", "Balance", "Bootstrap", "Coefficient", "Comparison", "Definition", "Homogeneity",
    "Labels", "Pair", "PairOverlap", "RarestGrade", "RelevantRate", "StandardErrors", "TopicOverlap",
    "VerbalScale",
    "against_the_rest", "agreement_of_pairs", "balance", "bhapkar", "binarised", "by_topic",
    "coefficients", "cohen", "cohen_errors", "compare_pairs", "confusion", "fleiss_by_grade",
    "fleiss_null_error", "labels_of", "labels_of_judges", "labels_of_records",
    "light_of_tables", "mcnemar", "mean_over_pairs", "of_table", "of_tables", "overlap_by_topic",
    "overlap_of_pairs", "percent_agreement", "rarest_grade", "rarest_of_table",
    "relevant_rates", "scott", "self_agreement", "stuart_maxwell",
    "words",
]  # fmt: skip
