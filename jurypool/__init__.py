"""Jurypool as a library: score runs, test differences, measure agreement, make pools.

>>> import jurypool as jp
>>> result = jp.evaluate({"7": {"D1": 2.0, "D2": 1.0}}, {"7": {"D1": 2, "D2": 0}}, "nDCG@10 AP RBP(p=0.9)")
>>> result["AP"].mean
1.0

Nothing here imports Django, and neither pandas nor polars is imported unless a data frame is asked for.
`import jurypool` alone is quick: a module is imported when one of its public names is first used.
Whatever cannot be taken raises `Refused`, a ValueError whose message says what was expected.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from . import own_packages  # noqa: F401  (before the imports that a module of the caller can break)

# isort: split
from pooling.version import VERSION as __version__

if TYPE_CHECKING:
    from assess.active_learning.effort import RecallEffort
    from assess.active_learning.recall import SampleEstimate
    from assess.active_learning.scal import Strata, Stratum
    from assess.active_learning.simulation import Stop
    from assess.active_learning.stopping import Advice, RandomSample, StoppingRule
    from assess.answers.answer_files import Answer, Sentence
    from assess.nuggets.assignments import AssignedAnswer
    from assess.nuggets.banks import Nugget, NuggetBank
    from assess.pyramids.model import PeerAnnotation, Pyramid
    from metrics.nuggets.argue import ArgueCounts, JudgedCitation, JudgedSentence
    from metrics.pyramids.scores import OptimalSummaries, PyramidScores
    from pooling.formats.files import BadFile, BadLine
    from pooling.refusals import Refused

    from .ab_tests import ABTest, ab_test, sample_ratio
    from .answers import AnswerRun, read_answers
    from .auditing import MachineAudit, audit_sample, machine_audit
    from .battles import BattleStrengths, DavidsonStrengths, Strength, bradley_terry, davidson
    from .comparing import Significance, compare, significance
    from .comparison import Comparison
    from .costs import undominated
    from .curves import PrecisionRecall, precision_recall
    from .fusion import FusedRun, TunedFusion, fuse, tune_fusion
    from .judging import Agreement, agreement, confusion_matrix
    from .nuggets import (
        NuggetBanks,
        NuggetScores,
        nugget_scores,
        read_assignments,
        read_nuggets,
        support_scores,
        write_assignments,
    )
    from .pools import Pool, PoolQuality, pool, pool_quality
    from .preferences import (
        code_gains,
        normalise_magnitudes,
        preference_pairs,
        top_by_preference,
        transitivity,
    )
    from .pyramid import optimal_summaries, pyramid_score, read_peer_annotation, read_pyramid, write_pyramid
    from .rankings import SwapOfJudges, average_overlap, judge_swap, rank_correlation, rbo, weight_of_top
    from .reading import read_qrels, read_run
    from .recall import (
        recall_effort,
        recall_from_rest,
        recall_in_sample,
        relevant_in_all,
        stopping_advice,
        stopping_rules,
    )
    from .reliability import (
        Generalisability,
        MeasureReproduction,
        Reproduction,
        generalisability,
        reproducibility,
    )
    from .reports import ArgueScores, argue_scores, rubric_scores
    from .results import Result, Results, Score
    from .reviews import (
        CalReview,
        DocumentFeatures,
        ScalSimulation,
        simulate_cal,
        simulate_scal,
        text_features,
    )
    from .scoring import MeasureFacts, evaluate, measure, measures

__all__ = [
    "ABTest", "Advice", "Agreement", "Answer", "AnswerRun", "ArgueCounts", "ArgueScores", "AssignedAnswer",
    "BadFile", "BadLine", "BattleStrengths", "CalReview", "Comparison", "DavidsonStrengths",
    "DocumentFeatures", "FusedRun", "Generalisability", "JudgedCitation", "JudgedSentence", "MachineAudit",
    "MeasureFacts", "MeasureReproduction", "Nugget", "NuggetBank", "NuggetBanks", "NuggetScores",
    "OptimalSummaries", "PeerAnnotation", "Pool", "PoolQuality", "PrecisionRecall", "Pyramid",
    "PyramidScores", "RandomSample", "RecallEffort", "Refused", "Reproduction", "Result", "Results",
    "SampleEstimate", "ScalSimulation", "Score", "Sentence", "Significance", "Stop", "StoppingRule",
    "Strata", "Stratum", "Strength", "SwapOfJudges", "TunedFusion", "__version__", "ab_test", "agreement",
    "argue_scores", "audit_sample", "average_overlap", "bradley_terry", "code_gains", "compare",
    "confusion_matrix", "davidson", "evaluate", "fuse", "generalisability", "judge_swap", "machine_audit",
    "measure", "measures", "normalise_magnitudes", "nugget_scores", "optimal_summaries", "pool",
    "pool_quality", "precision_recall", "preference_pairs", "pyramid_score", "rank_correlation", "rbo",
    "read_answers", "read_assignments", "read_nuggets", "read_peer_annotation", "read_pyramid", "read_qrels",
    "read_run", "recall_effort", "recall_from_rest", "recall_in_sample", "relevant_in_all",
    "reproducibility", "rubric_scores", "sample_ratio", "significance", "simulate_cal", "simulate_scal",
    "stopping_advice", "stopping_rules", "support_scores", "text_features", "top_by_preference",
    "transitivity", "tune_fusion", "undominated", "weight_of_top", "write_assignments", "write_pyramid",
]  # fmt: skip

# Module -> the names that it gives: the imports above say the same to a type checker.
MODULES = {
    "assess.active_learning.effort": "RecallEffort",
    "assess.active_learning.recall": "SampleEstimate",
    "assess.active_learning.scal": "Strata Stratum",
    "assess.active_learning.simulation": "Stop",
    "assess.active_learning.stopping": "Advice RandomSample StoppingRule",
    "assess.answers.answer_files": "Answer Sentence",
    "assess.nuggets.assignments": "AssignedAnswer",
    "assess.nuggets.banks": "Nugget NuggetBank",
    "assess.pyramids.model": "PeerAnnotation Pyramid",
    "metrics.nuggets.argue": "ArgueCounts JudgedCitation JudgedSentence",
    "metrics.pyramids.scores": "OptimalSummaries PyramidScores",
    "pooling.formats.files": "BadFile BadLine",
    "pooling.refusals": "Refused",
    ".ab_tests": "ABTest ab_test sample_ratio",
    ".answers": "AnswerRun read_answers",
    ".auditing": "MachineAudit audit_sample machine_audit",
    ".battles": "BattleStrengths DavidsonStrengths Strength bradley_terry davidson",
    ".comparing": "Significance compare significance",
    ".comparison": "Comparison",
    ".costs": "undominated",
    ".curves": "PrecisionRecall precision_recall",
    ".fusion": "FusedRun TunedFusion fuse tune_fusion",
    ".judging": "Agreement agreement confusion_matrix",
    ".nuggets": (
        "NuggetBanks NuggetScores nugget_scores read_assignments read_nuggets support_scores "
        "write_assignments"
    ),
    ".pools": "Pool PoolQuality pool pool_quality",
    ".preferences": "code_gains normalise_magnitudes preference_pairs top_by_preference transitivity",
    ".pyramid": "optimal_summaries pyramid_score read_peer_annotation read_pyramid write_pyramid",
    ".rankings": "SwapOfJudges average_overlap judge_swap rank_correlation rbo weight_of_top",
    ".reading": "read_qrels read_run",
    ".recall": (
        "recall_effort recall_from_rest recall_in_sample relevant_in_all stopping_advice stopping_rules"
    ),
    ".reliability": "Generalisability MeasureReproduction Reproduction generalisability reproducibility",
    ".reports": "ArgueScores argue_scores rubric_scores",
    ".results": "Result Results Score",
    ".reviews": "CalReview DocumentFeatures ScalSimulation simulate_cal simulate_scal text_features",
    ".scoring": "MeasureFacts evaluate measure measures",
}
MODULE_OF = {name: module for module, names in MODULES.items() for name in names.split()}

if not TYPE_CHECKING:  # to a type checker, a module with __getattr__ has every name

    def __getattr__(name: str) -> object:
        if name not in MODULE_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value = getattr(import_module(MODULE_OF[name], __name__), name)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
