"""Labels and agreement as records, for the API, and the stored agreement of releases."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assess.kappa.agreement import coefficients
from assess.kappa.bootstrap import Bootstrap
from assess.kappa.coefficient import Coefficient
from assess.kappa.labels import Labels, labels_of_records
from assess.kappa.registry import REGISTRY
from assess.models import QrelsRelease
from assess.release.formats import PROVENANCE
from pooling.queries.caching import cached

RELEASE_COEFFICIENTS = [
    REGISTRY[key] for key in ("percent", "light", "fleiss", "fleiss-binary", "alpha-ordinal")
]


def agreement_of_release(release: QrelsRelease) -> list[Coefficient]:
    """Return the agreement of the people whose labels a release was made of; [] without provenance.

    It is stored with the release. For releases of early versions it is computed from their files.
    """
    if release.agreement is not None:
        return coefficients_from_json(release.agreement)
    name = f"agreement-of-release-{release.number}"
    return cached(release.campaign, name, release.sha256, lambda: agreement_in_file(release))


def agreement_in_file(release: QrelsRelease) -> list[Coefficient]:
    """Return the agreement of a release, computed from the labels in its provenance file."""
    file = release.files.filter(kind=PROVENANCE).first()
    if file is None:
        return []
    scale = [int(grade["value"]) for grade in release.manifest["scale"]]
    with file.file.open("rb") as lines:
        return agreement_of(labels_of_records(_labels_in(lines), scale, release.manifest["threshold"]))


def agreement_of(labels: Labels) -> list[Coefficient]:
    """Return the agreement that is stored with a release. labels: of people, on its lines."""
    return coefficients(labels, RELEASE_COEFFICIENTS, Bootstrap())


def coefficients_to_json(computed: Iterable[Coefficient]) -> list[dict[str, Any]]:
    """Return plain data for the database."""
    return [coefficient._asdict() for coefficient in computed]


def coefficients_from_json(stored: Iterable[Mapping[str, Any]]) -> list[Coefficient]:
    """Return the coefficients from the output of `coefficients_to_json`."""
    return [
        Coefficient(**{**fields, "interval": fields["interval"] and tuple(fields["interval"])})
        for fields in stored
    ]


def _labels_in(lines: Iterable[bytes]) -> Iterator[tuple[str, str, str, int]]:
    for line in map(json.loads, lines):
        for label in line["labels"]:
            if label["relevance"] is not None and not label["machine"]:
                yield line["topic"], line["docno"], label["judge"], label["relevance"]
