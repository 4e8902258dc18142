from __future__ import annotations

from typing import Any

from accounts.models import User
from assess.kappa.agreement import coefficients
from assess.kappa.coefficient import Coefficient
from assess.kappa.registry import REGISTRY
from assess.queries.agreement import agreement_of_pairs
from assess.queries.campaign_reads import CampaignReads
from assess.queries.label_matrix import label_matrix
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign


class Command(CampaignCommand):
    help = (
        "Print Cohen's kappa of every pair of judges, and the mean over all pairs of people (Light's kappa)."
    )

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        reads = CampaignReads(campaign)
        pairs = agreement_of_pairs(reads)
        (mean,) = coefficients(label_matrix(reads).people, [REGISTRY["light"]])
        self.write("first\tsecond\tn\tpercent\tkappa")
        for pair in pairs:
            percent, cohen = pair.coefficients
            self.write(f"{pair.first}\t{pair.second}\t{cohen.n}\t{_figure(percent)}\t{_figure(cohen)}")
        self.write(f"mean over pairs of people\t\t{mean.n}\t\t{_figure(mean)}")


def _figure(coefficient: Coefficient) -> str:
    return "undefined" if coefficient.value is None else f"{coefficient.value:.4f}"
