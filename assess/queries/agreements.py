"""The agreement of a campaign's judges, as the agreement page shows it; each part is cached."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from accounts.models import User
from assess.kappa.agreement import OF_ALL, by_topic, coefficients
from assess.kappa.bootstrap import Bootstrap
from assess.kappa.coefficient import Coefficient
from assess.kappa.labels import Labels
from assess.kappa.marginals import RarestGrade, RelevantRate, rarest_grade, relevant_rates
from assess.kappa.one_pair import SideBySide, prevalence_paradox, side_by_side
from assess.kappa.overlap import overlap_by_topic, overlap_of_pairs
from assess.kappa.pairs import Comparison, compare_pairs
from assess.kappa.registry import REGISTRY
from assess.kappa.report import Report
from assess.kappa.rest import AgainstRest, against_the_rest
from assess.queries.caching import cached, label_version
from assess.queries.independence import hidden_keys, judge_numbers, sees_names
from assess.queries.juries import Jury, jury_of
from pooling.checksum import sha256_of
from pooling.models import Campaign, Topic

BOOTSTRAP = Bootstrap()
MOST_PAIRS = 100  # pairs with intervals within a request; for more, use the command line
TOO_MANY_PAIRS = f"more than {MOST_PAIRS} pairs of judges: python -m assess.kappa computes it"
OF_TOPIC = tuple(REGISTRY[key] for key in ("percent", "fleiss", "fleiss-binary", "alpha-ordinal", "overlap"))


class Scope(NamedTuple):
    """A selection of labels for agreement. topic: None for all. machines: whether they count like people.

    view: distinguishes the labels that this reader may see from all labels; "" for all labels with names.
    hidden: number of labelled documents left out, because the reader is still to judge them.
    """

    campaign: Campaign
    jury: Jury
    version: str
    topic: Topic | None = None
    machines: bool = False
    view: str = ""
    hidden: int = 0

    @property
    def name(self) -> str:
        """A name of this scope, unique in its campaign."""
        return f"{self.part}-{'everybody' if self.machines else 'people'}"

    @property
    def part(self) -> str:
        """A name of the labels of this scope including machines, unique in its campaign."""
        return f"{self.topic.pk if self.topic else 'all'}{self.view}"

    @property
    def everybody(self) -> Labels:
        """The labels of people and machines, for pairs that the reader chose."""
        return within(self.jury.labels, self.topic)

    @property
    def labels(self) -> Labels:
        """The labels of the overall figures."""
        return self.everybody if self.machines else within(self.jury.people, self.topic)


class Overall(NamedTuple):
    """Figures over all judges. labels: number of labels. several: documents with two or more of them."""

    judges: int
    labels: int
    documents: int
    several: int
    topics: int
    coefficients: dict[str, Coefficient]
    rarest: RarestGrade | None

    @property
    def paradox(self) -> bool:
        """Whether prevalence depresses kappa, see `prevalence_paradox`."""
        percent, fleiss = self.coefficients["percent-binary"], self.coefficients["fleiss-binary"]
        return prevalence_paradox(percent.value, fleiss.value)


class TopicAgreement(NamedTuple):
    """One topic. paradox: see `prevalence_paradox`."""

    topic: str
    coefficients: dict[str, Coefficient]


class JudgeAgreement(NamedTuple):
    """One judge compared with the others of the scope."""

    rest: AgainstRest
    rate: RelevantRate


def scope_of_agreement(
    campaign: Campaign, topic: Topic | None = None, machines: bool = False, reader: User | None = None
) -> Scope:
    """Return the scope with the current labels. A topic without a label has an empty matrix.

    reader: the member who reads, whose roles `campaign` knows. Documents that the reader is still to judge
    are left out, and a reader who may not see names gets numbers. None for commands and releases.
    """
    version = label_version(campaign)
    matrix, view, hidden = jury_of(campaign, version), "", 0
    if reader is None:
        return Scope(campaign, matrix, version, topic, machines)
    if keys := hidden_keys(reader, campaign):
        documents = len(matrix.labels.items)
        matrix = matrix.without(keys)
        hidden = documents - len(matrix.labels.items)
        view, version = f"-for-{reader.pk}", f"{version}/{sha256_of(repr(sorted(keys)))}"
    if not sees_names(campaign):
        matrix, view = matrix.numbered(judge_numbers(campaign)), f"{view}-numbered"
    return Scope(campaign, matrix, version, topic, machines, view, hidden)


def within(labels: Labels, topic: Topic | None) -> Labels:
    """Return the labels of one topic, of all for None."""
    if topic is None:
        return labels
    if topic.number in labels.topics:
        return labels.of_topic(topic.number)
    nothing = np.zeros((len(labels.judges), 0), dtype=np.int8)
    none = np.zeros(0, dtype=np.int64)
    return Labels(nothing, none, labels.judges, (topic.number,), (), labels.scale, labels.threshold)


def overall(scope: Scope) -> Overall:
    return cached(scope.campaign, f"overall-{scope.name}", scope.version, lambda: _overall(scope.labels))


def _overall(labels: Labels) -> Overall:
    given = labels.places >= 0
    documents, topics = int(np.count_nonzero(given.any(axis=0))), len(np.unique(labels.topic))
    keyed = dict(zip((each.key for each in OF_ALL), drawn_coefficients(labels), strict=True))
    several, judges = keyed["percent"].n, keyed["percent"].judges
    return Overall(
        judges, int(np.count_nonzero(given)), documents, several, topics, keyed, rarest_grade(labels)
    )


def drawn_coefficients(labels: Labels) -> list[Coefficient]:
    """Return every coefficient over all judges, with intervals unless these take too long."""
    pairs = len(labels.judges) * (len(labels.judges) - 1) // 2
    if pairs <= MOST_PAIRS:
        return coefficients(labels, OF_ALL, BOOTSTRAP)
    quick = [each for each in OF_ALL if not each.from_pairs]
    slow = [each for each in OF_ALL if each.from_pairs]
    computed = dict(zip(quick, coefficients(labels, quick, BOOTSTRAP), strict=True))
    without = (each._replace(no_interval=TOO_MANY_PAIRS) for each in coefficients(labels, slow))
    computed |= dict(zip(slow, without, strict=True))
    return [computed[each] for each in OF_ALL]


def topics_of_agreement(scope: Scope) -> list[TopicAgreement]:
    """Return every topic with a document that has two labels, the least agreement first."""

    def compute() -> list[TopicAgreement]:
        keys = [each.key for each in OF_TOPIC]
        topics = [
            TopicAgreement(topic, dict(zip(keys, own, strict=True)))
            for topic, own in by_topic(scope.labels, OF_TOPIC).items()
            if own[0].n
        ]
        undefined = 2.0  # sorts last
        return sorted(
            topics, key=lambda each: undefined if (v := each.coefficients["fleiss"].value) is None else v
        )

    return cached(scope.campaign, f"topics-{scope.name}", scope.version, compute)


def judges_of_agreement(scope: Scope) -> list[JudgeAgreement]:
    """Return every judge with labels compared with the others, in the order of the label matrix."""

    def compute() -> list[JudgeAgreement]:
        labels = scope.labels
        both = zip(against_the_rest(labels), relevant_rates(labels), strict=True)
        return [JudgeAgreement(rest, rate) for rest, rate in both if rate.labels]

    return cached(scope.campaign, f"judges-{scope.name}", scope.version, compute)


def pair_of_agreement(scope: Scope, first: str, second: str) -> SideBySide:
    """Return the report of two judges. Raises ValueError when one is unknown."""
    return side_by_side(scope.everybody, first, second, BOOTSTRAP)


def agreement_report(scope: Scope) -> Report:
    """Return the whole report, for a file."""

    def compute() -> Report:
        labels = scope.labels
        return Report(
            labels, BOOTSTRAP, drawn_coefficients(labels),
            compare_pairs(labels), overlap_of_pairs(labels), overlap_by_topic(labels),
            relevant_rates(labels), against_the_rest(labels), rarest_grade(labels),
            by_topic(labels),
        )  # fmt: skip

    return cached(scope.campaign, f"report-{scope.name}", scope.version, compute)


def pairs_of_agreement(campaign: Campaign) -> list[Comparison]:
    """Return every pair of judges, people and machines, with a common document."""
    return compare_pairs(jury_of(campaign).labels, [REGISTRY["percent"], REGISTRY["cohen"]])
