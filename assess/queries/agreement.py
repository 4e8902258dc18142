"""The agreement of a campaign's judges, as the agreement page shows it; each part is cached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np
from django.db.models import TextField
from django.db.models.functions import Cast

from accounts.models import User
from assess.event_columns import seconds_since_1970
from assess.kappa.against_rest import AgainstRest, against_the_rest
from assess.kappa.agreement import ALL_JUDGE_COEFFICIENTS, coefficients, coefficients_by_topic
from assess.kappa.bootstrap import Bootstrap
from assess.kappa.coefficient import Coefficient, Floats
from assess.kappa.drift import Period, drift, thirds
from assess.kappa.labels import Labels
from assess.kappa.marginals import RarestGrade, RelevantRate, rarest_grade, relevant_rates
from assess.kappa.overlap import overlap_by_topic, overlap_of_pairs
from assess.kappa.pairs import PairAgreement, PairReport, compare_pairs, pair_report, prevalence_paradox
from assess.kappa.registry import REGISTRY
from assess.kappa.report import Report
from assess.no_grade import NoGrade
from assess.queries.campaign_reads import CampaignReads
from assess.queries.guideline_versions import guideline_versions
from assess.queries.independence import hidden_keys, judge_numbers, sees_names
from assess.queries.label_matrix import LabelMatrix, label_matrix, labels_not_read, unsure_labels
from pooling.arrays import IntVector
from pooling.checksum import sha256_of
from pooling.models import Campaign, Topic
from pooling.schedule import zone_of

BOOTSTRAP = Bootstrap()
MAX_PAIRS = 100  # pairs with intervals within a request; for more, use the command line
TOO_MANY_PAIRS = f"more than {MAX_PAIRS} pairs of judges: python -m assess.kappa computes it"
TOPIC_COEFFICIENTS = tuple(
    REGISTRY[key] for key in ("percent", "fleiss", "fleiss-binary", "alpha-ordinal", "overlap")
)


class AgreementScope(NamedTuple):
    """A selection of labels for agreement. topic: None for all. machines: whether they count like people.

    reader_key: distinguishes the labels that this reader may see; "" for all labels with names.
    hidden: number of labelled documents left out, because the reader is still to judge them. sure: whether
    labels that their judges marked as unsure are left out. read: PASSAGE or WHOLE for the labels of people
    who read that, "" for all.
    """

    reads: CampaignReads
    matrix: LabelMatrix
    version: str
    topic: Topic | None = None
    machines: bool = False
    reader_key: str = ""
    hidden: int = 0
    sure: bool = False
    read: str = ""

    @property
    def campaign(self) -> Campaign:
        return self.reads.campaign

    @property
    def cache_key(self) -> str:
        """The key of this scope in the cache of its campaign."""
        return f"{self.labels_cache_key}-{'everybody' if self.machines else 'people'}"

    @property
    def labels_cache_key(self) -> str:
        """The key of the labels of this scope including machines, in the cache of its campaign."""
        return f"{self.topic.pk if self.topic else 'all'}{self.reader_key}"

    @property
    def everybody(self) -> Labels:
        """The labels of people and machines, for pairs that the reader chose."""
        return labels_of_topic(self.matrix.labels, self.topic)

    @property
    def labels(self) -> Labels:
        """The labels of the overall figures."""
        return self.everybody if self.machines else labels_of_topic(self.matrix.people, self.topic)


class OverallAgreement(NamedTuple):
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


def agreement_scope(
    reads: CampaignReads,
    topic: Topic | None = None,
    machines: bool = False,
    reader: User | None = None,
    sure: bool = False,
    read: str = "",
) -> AgreementScope:
    """Return the scope with the current labels. A topic without a label has an empty matrix.

    reader: the member who reads, whose roles `reads.campaign` knows. Documents that the reader is still to
    judge are left out, and a reader who may not see names gets numbers. None for commands and releases.
    sure, read: as of AgreementScope.
    """
    matrix, version, reader_key, hidden = label_matrix(reads), reads.version, "", 0
    if sure:
        matrix, reader_key = matrix.without_labels(unsure_labels(reads.campaign)), "-sure"
    if read:
        matrix = matrix.without_labels(labels_not_read(reads.campaign, read))
        reader_key = f"{reader_key}-{read}"
    if reader is None:
        return AgreementScope(reads, matrix, version, topic, machines, reader_key, sure=sure, read=read)
    if keys := hidden_keys(reader, reads.campaign):
        documents = len(matrix.labels.items)
        matrix = matrix.without(keys)
        hidden = documents - len(matrix.labels.items)
        reader_key, version = f"{reader_key}-for-{reader.pk}", f"{version}/{sha256_of(repr(sorted(keys)))}"
    if not sees_names(reads.campaign):
        matrix, reader_key = matrix.numbered(judge_numbers(reads)), f"{reader_key}-numbered"
    return AgreementScope(reads, matrix, version, topic, machines, reader_key, hidden, sure, read)


def labels_of_topic(labels: Labels, topic: Topic | None) -> Labels:
    """Return the labels of one topic, of all for None."""
    if topic is None:
        return labels
    if topic.number in labels.topics:
        return labels.of_topic(topic.number)
    nothing = np.zeros((len(labels.judges), 0), dtype=np.int8)
    none = np.zeros(0, dtype=np.int64)
    return Labels(nothing, none, labels.judges, (topic.number,), (), labels.scale, labels.threshold)


def overall_agreement(scope: AgreementScope) -> OverallAgreement:
    name = f"overall-{scope.cache_key}"
    return scope.reads.cached(name, scope.version, lambda: _overall_agreement(scope.labels))


def _overall_agreement(labels: Labels) -> OverallAgreement:
    given = labels.places >= 0
    documents, topics = int(np.count_nonzero(given.any(axis=0))), len(np.unique(labels.topic))
    keyed = dict(
        zip((each.key for each in ALL_JUDGE_COEFFICIENTS), coefficients_with_intervals(labels), strict=True)
    )
    several, judges = keyed["percent"].n, keyed["percent"].judges
    return OverallAgreement(
        judges, int(np.count_nonzero(given)), documents, several, topics, keyed, rarest_grade(labels)
    )


def coefficients_with_intervals(labels: Labels) -> list[Coefficient]:
    """Return every coefficient over all judges, with intervals unless these take too long."""
    pairs = len(labels.judges) * (len(labels.judges) - 1) // 2
    if pairs <= MAX_PAIRS:
        return coefficients(labels, ALL_JUDGE_COEFFICIENTS, BOOTSTRAP)
    quick = [each for each in ALL_JUDGE_COEFFICIENTS if not each.needs_pair_tables]
    slow = [each for each in ALL_JUDGE_COEFFICIENTS if each.needs_pair_tables]
    computed = dict(zip(quick, coefficients(labels, quick, BOOTSTRAP), strict=True))
    without = (each._replace(no_interval=TOO_MANY_PAIRS) for each in coefficients(labels, slow))
    computed |= dict(zip(slow, without, strict=True))
    return [computed[each] for each in ALL_JUDGE_COEFFICIENTS]


def agreement_by_topic(scope: AgreementScope) -> list[TopicAgreement]:
    """Return every topic with a document that has two labels, the least agreement first."""

    def compute() -> list[TopicAgreement]:
        keys = [each.key for each in TOPIC_COEFFICIENTS]
        topics = [
            TopicAgreement(topic, dict(zip(keys, own, strict=True)))
            for topic, own in coefficients_by_topic(scope.labels, TOPIC_COEFFICIENTS).items()
            if own[0].n
        ]
        undefined = 2.0  # sorts last
        return sorted(
            topics, key=lambda each: undefined if (v := each.coefficients["fleiss"].value) is None else v
        )

    return scope.reads.cached(f"topics-{scope.cache_key}", scope.version, compute)


def agreement_by_judge(scope: AgreementScope) -> list[JudgeAgreement]:
    """Return every judge with labels compared with the others, in the order of the label matrix."""

    def compute() -> list[JudgeAgreement]:
        labels = scope.labels
        both = zip(against_the_rest(labels), relevant_rates(labels), strict=True)
        return [JudgeAgreement(rest, rate) for rest, rate in both if rate.labels]

    return scope.reads.cached(f"judges-{scope.cache_key}", scope.version, compute)


def agreement_of_pair(scope: AgreementScope, first: str, second: str) -> PairReport:
    """Return the report of two judges. Raises ValueError when one is unknown."""
    return pair_report(scope.everybody, first, second, BOOTSTRAP)


def agreement_report(scope: AgreementScope) -> Report:
    """Return the complete report, for a file."""

    def compute() -> Report:
        labels = scope.labels
        return Report(
            labels, BOOTSTRAP, coefficients_with_intervals(labels),
            compare_pairs(labels), overlap_of_pairs(labels), overlap_by_topic(labels),
            relevant_rates(labels), against_the_rest(labels), rarest_grade(labels),
            coefficients_by_topic(labels),
        )  # fmt: skip

    return scope.reads.cached(f"report-{scope.cache_key}", scope.version, compute)


def agreement_of_pairs(reads: CampaignReads) -> list[PairAgreement]:
    """Return every pair of judges, people and machines, with a common document."""
    return compare_pairs(label_matrix(reads).labels, [REGISTRY["percent"], REGISTRY["cohen"]])


RECORD_PAIR_COEFFICIENTS = [REGISTRY[key] for key in ("percent", "cohen", "cohen-binary")]


class AgreementRecord(NamedTuple):
    """coefficients: of people. pairs: of people and machines. machines: names of the machine judges."""

    coefficients: list[Coefficient]
    pairs: list[PairAgreement]
    machines: frozenset[str]


def agreement_record(reads: CampaignReads, reader: User | None = None) -> AgreementRecord:
    """Return the agreement of a campaign's judges now, as `scope_of_agreement`."""
    scope = agreement_scope(reads, reader=reader)

    def compute() -> list[PairAgreement]:
        return compare_pairs(scope.matrix.labels, RECORD_PAIR_COEFFICIENTS)

    pairs = reads.cached(f"pairs-of-everybody-{scope.labels_cache_key}", scope.version, compute)
    return AgreementRecord(list(overall_agreement(scope).coefficients.values()), pairs, scope.matrix.machines)


MAX_WEEKS = 60


class AgreementDrift(NamedTuple):
    """Periods of judging. begins: of each. judges: with a label. without_time: number of labels."""

    periods: list[Period]
    begins: list[datetime]
    judges: list[str]
    without_time: int


THIRDS, WEEKS, VERSIONS = "", "week", "version"
PERIODS = {THIRDS: "Three equal parts", WEEKS: "Weeks", VERSIONS: "Versions of the guidelines"}


def drift_by_period(scope: AgreementScope, periods: str = THIRDS) -> AgreementDrift:
    """Return relevant rate and agreement of people over time.

    periods: a key of PERIODS. Weeks begin on Monday.
    """
    zone = scope.campaign.time_zone
    begins = [
        version.begins.timestamp()
        for version in (guideline_versions(scope.campaign) if periods == VERSIONS else ())
        if version.begins
    ]
    name = f"drift-{periods or 'third'}-{scope.labels_cache_key}"
    version = scope.version, zone, begins
    return scope.reads.cached(name, version, lambda: _drift_by_period(scope, periods, begins))


def _drift_by_period(scope: AgreementScope, periods: str, begins: Sequence[float]) -> AgreementDrift:
    people = labels_of_topic(scope.matrix.people, scope.topic)
    times = _label_times(scope, people)
    timed = replace(people, places=np.where(np.isnan(times), NoGrade.MISSING, people.places).astype(np.int8))
    zone = zone_of(scope.campaign.time_zone)
    edges = {
        THIRDS: lambda: thirds(times),
        WEEKS: lambda: _week_edges(times, zone),
        VERSIONS: lambda: _edges_at(times, begins),
    }
    agreement_drift = drift(timed, times, edges[periods]())
    without_time = int((people.places >= 0).sum() - (timed.places >= 0).sum())
    given: list[bool] = np.asarray((timed.places >= 0).any(axis=1)).tolist()
    judges = [judge for judge, any_given in zip(people.judges, given, strict=True) if any_given]
    return AgreementDrift(
        agreement_drift,
        [datetime.fromtimestamp(each.begin, UTC) for each in agreement_drift],
        judges,
        without_time,
    )


def _label_times(scope: AgreementScope, labels: Labels) -> Floats:
    """Return the time of each label in seconds; nan for no label and for imported ones."""
    times = np.full(labels.places.shape, np.nan)
    judgments = (
        scope.reads.judgments_of_people().filter(relevance__isnull=False).exclude(event__source="import")
    )
    if scope.topic:
        judgments = judgments.filter(pooled__topic=scope.topic)
    rows = list(judgments.order_by().values_list("judge", "pooled", Cast("event__pressed_at", TextField())))
    judges, documents, pressed = zip(*rows, strict=True) if rows else ((), (), ())
    row = _rows_of_judges(scope, labels, np.array(judges, dtype=np.int64))
    column = _places_among(np.array(labels.items, dtype=np.int64), np.array(documents, dtype=np.int64))
    known = (row >= 0) & (column >= 0)
    times[row[known], column[known]] = seconds_since_1970(pressed)[known]
    return times


def _rows_of_judges(scope: AgreementScope, labels: Labels, judges: IntVector) -> IntVector:
    """Return the row of each judge, given by key; -1 for a judge without one."""
    keys = scope.matrix.keys
    return _places_among(np.array([keys[judge] for judge in labels.judges], dtype=np.int64), judges)


def _places_among(keys: IntVector, wanted: IntVector) -> IntVector:
    """Return the place of each wanted key among some keys, -1 for a key that is not there."""
    if not len(keys):
        return np.full(len(wanted), -1)
    order = np.argsort(keys)
    place = order[np.searchsorted(keys, wanted, sorter=order).clip(max=len(keys) - 1)]
    return np.where(keys[place] == wanted, place, -1)


def _edges_at(times: Floats, begins: Sequence[float]) -> list[float]:
    """Return the moments that divide the labels, from the first label's time to the last one's."""
    given = times[~np.isnan(times)]
    if not len(given):
        return []
    first, last = float(given.min()), float(given.max())
    return [first, *(moment for moment in begins if first < moment <= last), last]


def _week_edges(times: Floats, zone: ZoneInfo) -> list[float]:
    """Return the Mondays in a zone that divide the labels, from the first label's; at most MAX_WEEKS."""
    given = times[~np.isnan(times)]
    if not len(given):
        return []
    first, last = (datetime.fromtimestamp(float(edge), zone) for edge in (given.min(), given.max()))
    monday = (first - timedelta(days=first.weekday())).replace(hour=0, minute=0, second=0, microsecond=0)
    weeks = min((last - monday).days // 7 + 1, MAX_WEEKS)
    return [(monday + timedelta(weeks=week)).timestamp() for week in range(weeks)] + [float(last.timestamp())]
