"""Labels and their agreement as records: for programs, which want all of it at once."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from accounts.models import User
from assess.kappa.agreement import coefficients
from assess.kappa.bootstrap import Bootstrap
from assess.kappa.coefficient import Coefficient
from assess.kappa.labels import Labels, labels_of_records
from assess.kappa.pairs import Comparison, compare_pairs
from assess.kappa.registry import REGISTRY
from assess.models import QrelsRelease
from assess.queries.agreements import overall, scope_of_agreement
from assess.queries.caching import cached
from assess.queries.labels import by_topic
from assess.release_formats.kinds import PROVENANCE
from pooling.models import Campaign

HEADLINES = [REGISTRY[key] for key in ("percent", "light", "fleiss", "fleiss-binary", "alpha-ordinal")]
OF_A_PAIR = [REGISTRY[key] for key in ("percent", "cohen", "cohen-binary")]


class LabelRecord(NamedTuple):
    """The current label of a judge. relevance: None where there is a reason instead."""

    topic: str
    docno: str
    judge: str
    machine: bool
    relevance: int | None
    reason: str
    at: datetime


def label_records(campaign: Campaign, hidden: Collection[int] = frozenset()) -> Iterator[LabelRecord]:
    """Yield every current label, by topic, docno and judge, but those of hidden pooled documents."""
    fields = (
        "pooled__topic__number", "pooled__docno", "judge__username", "judge__machine", "relevance",
        "event__reason", "event__at",
    )  # fmt: skip
    for topic, docno, judge, machine, relevance, reason, at in by_topic(campaign, hidden, *fields):
        yield LabelRecord(topic, docno, judge, machine is not None, relevance, reason, at)


class AgreementRecord(NamedTuple):
    """coefficients: of people. pairs: of people and machines; machines: which judges those are."""

    coefficients: list[Coefficient]
    pairs: list[Comparison]
    machines: frozenset[str]


def agreement_record(campaign: Campaign, reader: User | None = None) -> AgreementRecord:
    """Return how far the judges of a campaign agree as its labels stand now, as `scope_of_agreement`."""
    scope = scope_of_agreement(campaign, reader=reader)

    def made() -> list[Comparison]:
        return compare_pairs(scope.jury.labels, OF_A_PAIR)

    pairs = cached(campaign, f"pairs-of-everybody-{scope.part}", scope.version, made)
    return AgreementRecord(list(overall(scope).coefficients.values()), pairs, scope.jury.machines)


def agreement_of_release(release: QrelsRelease) -> list[Coefficient]:
    """Return how far the people agree whose labels a release was made of; nothing where it does not say.

    It is stored with the release, except for old ones: theirs is computed from their files.
    """
    if release.agreement is not None:
        return coefficients_from_json(release.agreement)
    name = f"agreement-of-release-{release.number}"
    return cached(release.campaign, name, release.sha256, lambda: agreement_in_file(release))


def agreement_in_file(release: QrelsRelease) -> list[Coefficient]:
    """Return the agreement of a release, worked out anew from the labels that its provenance names."""
    file = release.files.filter(kind=PROVENANCE).first()
    if file is None:
        return []
    scale = [int(grade["value"]) for grade in release.manifest["scale"]]
    with file.file.open("rb") as lines:
        return agreement_of(labels_of_records(_labels_in(lines), scale, release.manifest["threshold"]))


def agreement_of(labels: Labels) -> list[Coefficient]:
    """Return how far people agree whose labels a release is made of."""
    return coefficients(labels, HEADLINES, Bootstrap())


def coefficients_to_json(made: Iterable[Coefficient]) -> list[dict[str, Any]]:
    """Return plain data for the database."""
    return [coefficient._asdict() for coefficient in made]


def coefficients_from_json(stored: Iterable[Mapping[str, Any]]) -> list[Coefficient]:
    """Return what `coefficients_to_json` was given."""
    return [
        Coefficient(**{**fields, "interval": fields["interval"] and tuple(fields["interval"])})
        for fields in stored
    ]


def _labels_in(lines: Iterable[bytes]) -> Iterator[tuple[str, str, str, int]]:
    for line in map(json.loads, lines):
        for label in line["labels"]:
            if label["relevance"] is not None and not label["machine"]:
                yield line["topic"], line["docno"], label["judge"], label["relevance"]
