"""How far the judges of a campaign agree: what stands on the agreement page, each part worked out once."""

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
MOST_PAIRS = 100  # of which intervals are drawn while somebody waits; of more, the command line draws them
TOO_MANY_PAIRS = f"more than {MOST_PAIRS} pairs of judges: python -m assess.kappa draws it"
OF_TOPIC = tuple(REGISTRY[key] for key in ("percent", "fleiss", "fleiss-binary", "alpha-ordinal", "overlap"))


class Scope(NamedTuple):
    """Whose labels of what are looked at. topic: None for all; machines: whether they count like people.

    view: what tells the labels that this reader may see from all labels, "" for all of them, with names.
    hidden: how many labelled documents are left out, because the reader is still to judge them.
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
        """What tells this scope from others of its campaign."""
        return f"{self.part}-{'everybody' if self.machines else 'people'}"

    @property
    def part(self) -> str:
        """What tells the labels of this scope, those of machines too, from others of its campaign."""
        return f"{self.topic.pk if self.topic else 'all'}{self.view}"

    @property
    def everybody(self) -> Labels:
        """The labels of people and machines, for pairs that a person chose."""
        return within(self.jury.labels, self.topic)

    @property
    def labels(self) -> Labels:
        """The labels that the overall figures are of."""
        return self.everybody if self.machines else within(self.jury.people, self.topic)


class Overall(NamedTuple):
    """The figures of all judges together. labels: how many; several: documents with two or more of them."""

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
    """One judge beside the others of the scope."""

    rest: AgainstRest
    rate: RelevantRate


def scope_of_agreement(
    campaign: Campaign, topic: Topic | None = None, machines: bool = False, reader: User | None = None
) -> Scope:
    """Return the scope, with the labels as they are now. A topic without a label has empty ones.

    reader: the member who asks, whose roles `campaign` knows. Documents that they are still to judge are left
    out, and who may not see the judges' names gets numbers. None for commands and for releases.
    """
    version = label_version(campaign)
    jury, view, hidden = jury_of(campaign, version), "", 0
    if reader is None:
        return Scope(campaign, jury, version, topic, machines)
    if keys := hidden_keys(reader, campaign):
        documents = len(jury.labels.items)
        jury = jury.without(keys)
        hidden = documents - len(jury.labels.items)
        view, version = f"-for-{reader.pk}", f"{version}/{sha256_of(repr(sorted(keys)))}"
    if not sees_names(campaign):
        jury, view = jury.numbered(judge_numbers(campaign)), f"{view}-numbered"
    return Scope(campaign, jury, version, topic, machines, view, hidden)


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
    found = dict(zip((each.key for each in OF_ALL), drawn_coefficients(labels), strict=True))
    several, judges = found["percent"].n, found["percent"].judges
    return Overall(
        judges, int(np.count_nonzero(given)), documents, several, topics, found, rarest_grade(labels)
    )


def drawn_coefficients(labels: Labels) -> list[Coefficient]:
    """Return every coefficient of all judges, with intervals as far as they take no long time."""
    many = len(labels.judges) * (len(labels.judges) - 1) // 2 > MOST_PAIRS
    if not many:
        return coefficients(labels, OF_ALL, BOOTSTRAP)
    quick = [each for each in OF_ALL if not each.from_pairs]
    slow = [each for each in OF_ALL if each.from_pairs]
    found = dict(zip(quick, coefficients(labels, quick, BOOTSTRAP), strict=True))
    without = (each._replace(no_interval=TOO_MANY_PAIRS) for each in coefficients(labels, slow))
    found |= dict(zip(slow, without, strict=True))
    return [found[each] for each in OF_ALL]


def topics_of_agreement(scope: Scope) -> list[TopicAgreement]:
    """Return every topic with two labels of one document, the least agreement first."""

    def made() -> list[TopicAgreement]:
        keys = [each.key for each in OF_TOPIC]
        found = [
            TopicAgreement(topic, dict(zip(keys, own, strict=True)))
            for topic, own in by_topic(scope.labels, OF_TOPIC).items()
            if own[0].n
        ]
        undefined = 2.0  # behind all others
        return sorted(
            found, key=lambda each: undefined if (v := each.coefficients["fleiss"].value) is None else v
        )

    return cached(scope.campaign, f"topics-{scope.name}", scope.version, made)


def judges_of_agreement(scope: Scope) -> list[JudgeAgreement]:
    """Return every judge with labels beside the rest, in the order of the jury."""

    def made() -> list[JudgeAgreement]:
        labels = scope.labels
        both = zip(against_the_rest(labels), relevant_rates(labels), strict=True)
        return [JudgeAgreement(rest, rate) for rest, rate in both if rate.labels]

    return cached(scope.campaign, f"judges-{scope.name}", scope.version, made)


def pair_of_agreement(scope: Scope, first: str, second: str) -> SideBySide:
    """Return two judges side by side. Raises ValueError when one is unknown."""
    return side_by_side(scope.everybody, first, second, BOOTSTRAP)


def agreement_report(scope: Scope) -> Report:
    """Return everything, for a file."""

    def made() -> Report:
        labels = scope.labels
        return Report(
            labels, BOOTSTRAP, drawn_coefficients(labels), compare_pairs(labels), overlap_of_pairs(labels),
            overlap_by_topic(labels), relevant_rates(labels), against_the_rest(labels),
            rarest_grade(labels), by_topic(labels),
        )  # fmt: skip

    return cached(scope.campaign, f"report-{scope.name}", scope.version, made)


def pairs_of_agreement(campaign: Campaign) -> list[Comparison]:
    """Return every pair of judges, people and machines, who share a document."""
    return compare_pairs(jury_of(campaign).labels, [REGISTRY["percent"], REGISTRY["cohen"]])
