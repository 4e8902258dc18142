from __future__ import annotations

from typing import Any

from accounts.models import User
from assess.queries import agreement
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign


class Command(CampaignCommand):
    help = "Print Cohen's kappa of every pair of judges, and the mean over pairs."

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        found = agreement(campaign)
        self.say("first\tsecond\tn\tpercent\tkappa")
        for pair in found.pairs:
            self.say(f"{pair.first}\t{pair.second}\t{pair.n}\t{_figure(pair.percent)}\t{_figure(pair.kappa)}")
        self.say(f"mean over {len(found.pairs)} pairs\t\t{found.documents}\t\t{_figure(found.mean)}")


def _figure(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"
