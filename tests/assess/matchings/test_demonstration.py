"""The demonstration: a bank where there is none, and labels of all judges but the last."""

from __future__ import annotations

from assess.matchings.apps import demonstrate
from assess.matchings.queries.integrity import matching_faults
from assess.models import NuggetLabel
from pooling.models import Campaign
from tests.assess.matchings.test_matchings import campaign
from tests.support.factory import Factory

__all__ = ["campaign"]


def test_the_demonstration_makes_a_bank_and_labels(campaign: Campaign, make: Factory) -> None:  # noqa: F811
    run = make.make_run(campaign, "1 D1 1")
    campaign.nugget_banks.all().delete()
    demonstrate(campaign, make.make_user("carol"), (run, run))
    bank, matching = campaign.nugget_banks.get(), campaign.matchings.get()
    assert not bank.is_draft and len(bank.sha256) == 64
    assert {each.topic.number for each in bank.nuggets.select_related("topic")} == {"1", "2"}
    judges = set(NuggetLabel.objects.values_list("task__judge__username", flat=True))
    assert judges == {"alice"} and matching.tasks.filter(judge__username="bob").exists()
    assert {"support"} <= set(NuggetLabel.objects.values_list("assignment", flat=True))
    assert [fault for faults in matching_faults(campaign) for fault in faults] == []


def test_the_demonstration_takes_a_frozen_bank(campaign: Campaign, make: Factory) -> None:  # noqa: F811
    run, bank = make.make_run(campaign, "1 D1 1"), campaign.nugget_banks.get()
    demonstrate(campaign, make.make_user("carol"), (run, run))
    assert campaign.nugget_banks.get() == bank == campaign.matchings.get().bank
