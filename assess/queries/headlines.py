"""What every page says of a campaign's labels: how many, how far judges agree, what waits to be settled."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from assess.disputes import LabelColumns, disputes_of
from assess.kappa import REGISTRY, Coefficient, coefficients
from assess.queries.caching import cached, label_version
from assess.queries.current_labels import CurrentLabels, current_labels, people_of
from assess.queries.disputes import settled_in
from assess.queries.juries import jury_of
from pooling.models import Campaign


class Headlines:
    """The figures of a campaign as its labels are now."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign

    @cached_property
    def _version(self) -> str:
        return label_version(self.campaign)

    @cached_property
    def _people(self) -> CurrentLabels:
        return people_of(self.campaign, current_labels(self.campaign, self._version))

    @property
    def labels(self) -> int:
        """How many labels of people there are, *cannot judge* too."""
        return cached(self.campaign, "count-of-labels", self._version, lambda: len(self._people.judge))

    @property
    def waiting(self) -> int:
        """On how many documents people gave different grades that nobody has settled."""
        return cached(self.campaign, "waiting", self._version, self._waiting)

    @property
    def kappa(self) -> Coefficient:
        """The mean over pairs of people of Cohen's kappa (Light's), without an interval."""
        return cached(self.campaign, "light", self._version, self._kappa)

    def _waiting(self) -> int:
        labels = self._people
        disputes = disputes_of(LabelColumns(labels.pooled, labels.judge, labels.relevance))
        settled = settled_in(self.campaign).order_by().values_list("pooled", flat=True)
        differ = disputes.documents[disputes.distance > 0]
        return int((~np.isin(differ, np.fromiter(settled, dtype=np.int64))).sum())

    def _kappa(self) -> Coefficient:
        return coefficients(jury_of(self.campaign, self._version).people, [REGISTRY["light"]])[0]
