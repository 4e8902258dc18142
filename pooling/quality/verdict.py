"""The verdict on a set of judgments, with the rule behind each finding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import fmean
from typing import NamedTuple

from pooling.quality.saturation import DepthLevel

MAX_UNJUDGED = 0.1  # mean unjudged@k of a run, or of a newcomer; above it the run's scores say little
EQUIVALENT, DIFFERENT = 0.9, 0.8  # Kendall's tau: above the one rankings count as equal, below the other not
TOO_BROAD = 1 / 3  # share of the judged that is relevant; above it a topic is too broad, or its pool shallow
LARGE_LOSS = 0.1  # of a run's score; a bound of our own, between the mean and the worst of TREC's pools
FEW_RELEVANT = 2  # relevant documents; with so few one document decides a topic's score


class JudgmentUse(StrEnum):
    """What the judgments can be used for."""

    UNKNOWN = "nothing to say yet"
    HOLES = "judge unjudged documents before comparing runs"
    PARTICIPANTS = "safe for comparing the runs that are here"
    NEW_SYSTEMS = "safe for comparing new similar systems, too"


class TopicCounts(NamedTuple):
    """How many documents of a topic are judged, and how many of them relevant."""

    judged: int
    relevant: int


@dataclass(frozen=True)
class Evidence:
    """What a verdict rests on. topics: topic -> counts. unjudged: tag -> mean unjudged@k.

    tau: Kendall's tau of the ranking of runs without what each one's group alone brought, with the full
    ranking; None when it was not computed. newcomers: tag -> mean unjudged@k where documents that the run's
    group alone brought count as unjudged, as for a run of a new group; empty when it was not computed.
    losses: tag -> the share of its score that a run loses without these. deepest: what the last level of a
    depth pool added.
    """

    topics: Mapping[str, TopicCounts]
    unjudged: Mapping[str, float]
    k: int = 10
    newcomers: Mapping[str, float] = field(default_factory=dict)
    tau: float | None = None
    losses: Mapping[str, float] = field(default_factory=dict)
    deepest: DepthLevel | None = None


class QualityFinding(NamedTuple):
    """One thing found. good: nothing needs doing. rule: what it was held against."""

    good: bool
    words: str
    rule: str


class QualityVerdict(NamedTuple):
    """use: the answer in words; rule: why it is this one; findings: what was looked at, bad ones first."""

    use: JudgmentUse
    rule: str
    findings: tuple[QualityFinding, ...]


def verdict(evidence: Evidence) -> QualityVerdict:
    """Return what the judgments are good for.

    Rules of thumb, not tests: they say what to look at before others rely on the scores.
    """
    findings = [
        *_unjudged_at_top(evidence),
        *_topics(evidence.topics),
        *_newcomers(evidence),
        *_losses(evidence.losses),
        *_depth(evidence.deepest),
    ]
    use, rule = _use(evidence)
    return QualityVerdict(use, rule, tuple(sorted(findings, key=lambda finding: finding.good)))


def _use(evidence: Evidence) -> tuple[JudgmentUse, str]:
    if not evidence.unjudged or not any(counts.judged for counts in evidence.topics.values()):
        return JudgmentUse.UNKNOWN, "no judged document, or no run to look at"
    worst = max(evidence.unjudged.values())
    bound = f"mean unjudged@{evidence.k} of every run at most {MAX_UNJUDGED}"
    if worst > MAX_UNJUDGED:
        return JudgmentUse.HOLES, f"{bound}; the worst run has {worst:.3f}"
    if evidence.tau is None or not evidence.newcomers:
        return JudgmentUse.PARTICIPANTS, f"{bound}; leave-one-group-out was not computed"
    if evidence.tau <= EQUIVALENT:
        return (
            JudgmentUse.PARTICIPANTS,
            f"{bound}; leave-one-group-out tau {evidence.tau:.3f}, not above {EQUIVALENT}",
        )
    bound += f"; leave-one-group-out tau {evidence.tau:.3f}, above {EQUIVALENT}"
    unjudged_share = fmean(evidence.newcomers.values())
    bound += f"; without the group's own documents mean unjudged@{evidence.k} {unjudged_share:.3f}"
    if unjudged_share > MAX_UNJUDGED:
        return JudgmentUse.PARTICIPANTS, f"{bound}, above {MAX_UNJUDGED}"
    return JudgmentUse.NEW_SYSTEMS, f"{bound}, at most {MAX_UNJUDGED}; systems of another kind may lose more"


def _unjudged_at_top(evidence: Evidence) -> Iterable[QualityFinding]:
    rule = f"unjudged@{evidence.k} above {MAX_UNJUDGED} in the mean over topics"
    if torn := {tag: share for tag, share in evidence.unjudged.items() if share > MAX_UNJUDGED}:
        yield QualityFinding(False, f"{_runs(len(torn))} with many unjudged documents: {_named(torn)}", rule)
    elif evidence.unjudged:
        yield QualityFinding(True, f"no run of {len(evidence.unjudged)} with many unjudged documents", rule)


def _topics(topics: Mapping[str, TopicCounts]) -> Iterable[QualityFinding]:
    judged = {topic: counts for topic, counts in topics.items() if counts.judged}
    if unjudged := sorted(topics.keys() - judged.keys()):
        yield QualityFinding(
            False, f"topics without a judged document: {_some(unjudged)}", "every topic has a judged document"
        )
    if empty := sorted(topic for topic, counts in judged.items() if counts.relevant == 0):
        yield QualityFinding(
            False, f"topics without a relevant document: {_some(empty)}", "such topics score 0 for every run"
        )
    if few := sorted(topic for topic, counts in judged.items() if 1 <= counts.relevant <= FEW_RELEVANT):
        yield QualityFinding(
            False,
            f"topics with 1 or 2 relevant documents: {_some(few)}",
            "one document decides the topic's score",
        )
    if broad := sorted(topic for topic, (all_, hits) in judged.items() if hits > TOO_BROAD * all_):
        yield QualityFinding(
            False,
            f"topics with more than a third relevant: {_some(broad)}",
            "the topic is too broad, or its pool too shallow (Voorhees 2018)",
        )


def _newcomers(evidence: Evidence) -> Iterable[QualityFinding]:
    if evidence.newcomers:
        unjudged_share = fmean(evidence.newcomers.values())
        yield QualityFinding(
            unjudged_share <= MAX_UNJUDGED,
            f"a run of a new group would have unjudged@{evidence.k} of {unjudged_share:.3f} in the mean",
            f"documents that a run's group alone brought count as unjudged; at most {MAX_UNJUDGED}",
        )
    if evidence.tau is not None:
        rule = f"leave-one-group-out tau above {EQUIVALENT} is equivalent, below {DIFFERENT} different"
        same = "equivalent" if evidence.tau > EQUIVALENT else "alike, not equivalent"
        words = same if evidence.tau >= DIFFERENT else "noticeably different"
        yield QualityFinding(evidence.tau > EQUIVALENT, f"the ranking without its own group is {words}", rule)


def _losses(losses: Mapping[str, float]) -> Iterable[QualityFinding]:
    if losses:
        worst = max(losses, key=lambda tag: losses[tag])
        mean = fmean(losses.values())
        yield QualityFinding(
            losses[worst] <= LARGE_LOSS,
            f"without its unique documents {worst} loses {losses[worst]:.1%} of its score (mean {mean:.1%})",
            f"no run loses more than {LARGE_LOSS:.0%}; TREC Terabyte 2005: mean 3.9%, worst 17.7%",
        )


def _depth(deepest: DepthLevel | None) -> Iterable[QualityFinding]:
    if deepest is not None:
        yield QualityFinding(
            deepest.relevant == 0,
            f"depth {deepest.rank} added {_relevant(deepest.relevant)} among {deepest.documents}",
            "where the last depth still adds relevant documents, a deeper pool would find more",
        )


def _relevant(count: int) -> str:
    return "1 relevant document" if count == 1 else f"{count} relevant documents"


def _runs(count: int) -> str:
    return "1 run" if count == 1 else f"{count} runs"


def _named(shares: Mapping[str, float]) -> str:
    worst = sorted(shares, key=lambda tag: (-shares[tag], tag))
    return _some([f"{tag} {shares[tag]:.3f}" for tag in worst])


def _some(names: list[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
