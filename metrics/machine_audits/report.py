"""The figures of an audit of a machine judge, as its page shows them."""

from __future__ import annotations

from typing import NamedTuple

from assess.release.machine_use import AuditAnswer
from metrics.machine_audits.circularity import Circularity
from metrics.machine_audits.confusion import GradeRow, Rates
from metrics.machine_audits.estimates import DesignEffect, Estimate
from metrics.machine_audits.verdict import AuditedUse, AuditVerdict

SIGNIFICANT = 0.05
ANSWER_CLASSES = {AuditAnswer.ALLOWED: "", AuditAnswer.NOT_ALLOWED: "alert", AuditAnswer.UNKNOWN: "muted"}


class SampleCounts(NamedTuple):
    """Sampled documents. graded: with an agreed grade; cannot: labelled, but without one."""

    documents: int
    sampled: int
    graded: int
    cannot: int

    @property
    def missing(self) -> int:
        """Sampled documents that have no label of people yet."""
        return self.sampled - self.graded - self.cannot

    @property
    def without(self) -> int:
        """Sampled documents without a grade of people."""
        return self.sampled - self.graded


class Means(NamedTuple):
    """Estimates of one mean over the pool. machine: the mean of the machine's own labels.

    stratified: the default. others: of other methods; none if the design does not allow them.
    """

    machine: float
    stratified: Estimate
    others: tuple[Estimate, ...]


class MatrixCell(NamedTuple):
    """documents: of the pool, estimated. share: of those with this machine grade. same: for equal grades."""

    documents: float
    share: float
    same: bool


class MatrixRow(NamedTuple):
    """Documents of the pool, estimated, with a machine grade: by the grade of people, and in all."""

    grade: int
    cells: list[MatrixCell]
    total: float


class TopicRow(NamedTuple):
    topic: str
    labels: int
    over_rating: float | None


class GroupRow(NamedTuple):
    """A group of runs.

    over_rating: of documents that the group retrieved, in grades. test: whether it differs from that of
    documents of the same human grade that only other groups retrieved.
    """

    group: str
    over_rating: Estimate
    test: Circularity

    @property
    def significant(self) -> bool:
        return self.test.corrected is not None and self.test.corrected < SIGNIFICANT


class RunRow(NamedTuple):
    """P@k of a run: by the machine's labels alone, and as estimated with the sample."""

    tag: str
    group: str
    machine: float
    estimate: Estimate
    outside: str

    @property
    def why_no_interval(self) -> str:
        """Why the score has no interval; "" if it has one."""
        return self.estimate.note.split("; ")[0] if self.estimate.low is None else ""


class RunDifference(NamedTuple):
    """P@k of the first run minus that of the second: by the machine's labels, and as estimated."""

    first: str
    second: str
    machine: float
    estimate: Estimate

    @property
    def sentence(self) -> str:
        """Which run is better, or that the sample cannot tell."""
        low, high = self.estimate.low, self.estimate.high
        if low is None or high is None:
            return f"The sample cannot tell which run is better: {self.estimate.note}."
        if low > 0 or high < 0:
            better, worse = (self.first, self.second) if low > 0 else (self.second, self.first)
            return f"{better} is better than {worse}: the interval does not contain 0."
        if low == high == 0:
            return "Both runs have the same score."
        return "The sample cannot tell which run is better: the interval contains 0."


class OrderAgreement(NamedTuple):
    """Kendall's tau of the orders of runs by P@k: by the machine's labels and by people's grades.

    cutoff: k. documents: pooled documents among the first k of a run. lacking: how many of them have no
    independent grade of people. tau: None if some lack one, or where it is undefined.
    """

    tau: float | None
    cutoff: int
    documents: int
    lacking: int

    @property
    def sentence(self) -> str:
        """What is known of the order of runs, or why it is not known."""
        if self.tau is not None:
            return (
                "Kendall's tau of the orders of runs by machine labels and by people's grades is"
                f" {self.tau:.3f}, from {self.documents:,} documents that people graded."
            )
        if self.lacking:
            return (
                f"The order of runs by people's grades is not known: {self.lacking:,} of {self.documents:,}"
                f" pooled documents among the first {self.cutoff} of the runs have no independent grade of"
                " people."
            )
        return "Kendall's tau is undefined: there are fewer than two runs, or all have the same score."


class AuditReport(NamedTuple):
    """The figures of an audit. share: of relevant documents. mean: of grades.

    verdict: None while too many sampled documents have no grade of people.
    """

    counts: SampleCounts
    rule: str
    threshold: int
    cutoff: int
    notes: tuple[str, ...]
    share: Means
    mean: Means
    effect: DesignEffect
    rates: Rates
    kappa: Estimate
    matrix: list[MatrixRow]
    grades: list[GradeRow]
    groups: list[GroupRow]
    runs: list[RunRow]
    order: OrderAgreement
    verdict: AuditVerdict | None

    @property
    def estimates(self) -> list[tuple[str, Estimate, Estimate]]:
        """(name, share, mean grade) by every method that the design allows, the default first."""
        shares = (self.share.stratified, *self.share.others)
        means = (self.mean.stratified, *self.mean.others)
        return [(share.method, share, mean) for share, mean in zip(shares, means, strict=True)]

    @property
    def named_rates(self) -> list[tuple[str, Estimate]]:
        """(name, rate) of relevance, and kappa of all grades."""
        rates = self.rates
        return [
            ("Precision", rates.precision),
            ("True-positive rate", rates.true_positive_rate),
            ("False-positive rate", rates.false_positive_rate),
            ("Agreement", rates.agreement),
            ("Cohen's kappa", rates.kappa),
            ("Cohen's kappa of all grades", self.kappa),
        ]

    @property
    def uses(self) -> list[tuple[AuditedUse, str, str]]:
        """The uses of the verdict, each with the CSS class of its answer and the reason."""
        uses = self.verdict or ()
        return [(use, ANSWER_CLASSES[use.answer], use.first_reason) for use in uses]

    @property
    def verdict_sentence(self) -> str:
        """Which uses are allowed, which are not, and which are not known yet; "" without a verdict."""
        by_answer = {
            answer: [use.name.lower() for use in self.verdict or () if use.answer == answer]
            for answer in AuditAnswer
        }
        return " ".join(
            f"{answer.capitalize()}: {', '.join(names)}." for answer, names in by_answer.items() if names
        )

    @property
    def estimate_notes(self) -> list[str]:
        """What a reader has to know about the estimates, each once."""
        estimates = [estimate for _, share, mean in self.estimates for estimate in (share, mean)]
        return list(
            dict.fromkeys(note for estimate in estimates for note in estimate.note.split("; ") if note)
        )

    @property
    def why_no_interval(self) -> list[str]:
        """Why scores of runs have no interval, each reason once."""
        return list(dict.fromkeys(row.why_no_interval for row in self.runs if row.why_no_interval))

    @property
    def outside(self) -> bool:
        """Whether the score of a run, or its interval, leaves 0 to 1."""
        return any(row.outside for row in self.runs)
