"""The write lock is short while labels are loaded and releases frozen: what takes time comes before."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from assess.models import JudgmentEvent
from assess.services import load_judgments
from pooling.models import Campaign
from pooling.textfile import BadFile
from tests.factory import Factory
from tests.pooling.test_transactions import Watch, watch

__all__ = ["watch"]
pytestmark = pytest.mark.django_db(transaction=True)
QRELS = b"1 0 D1 2\n1 0 NEW 3\n2 0 D1 1\n"


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    return make.make_pooled_campaign()


def test_judgments_are_read_and_compared_outside_the_transaction(
    campaign: Campaign, make: Factory, watch: Watch
) -> None:
    imports = import_module("assess.services.imports")
    watch.outside(imports, "unpack", "check_records", "labels_of", "_not_pooled")
    watch.outside(imports.trec, "read_judgments")
    loaded = load_judgments(campaign, make.make_user("carol"), QRELS, "nist.qrels", "NIST")
    assert (loaded.labels, loaded.newly_pooled) == (3, 1)
    assert len(watch.ran) == 5
    labels = loaded.judge.judgments.values_list("pooled__topic__number", "pooled__docno", "relevance")
    assert sorted(labels) == [("1", "D1", 2), ("1", "NEW", 3), ("2", "D1", 1)]
    assert all(each.event.relevance == each.relevance for each in loaded.judge.judgments.all())
    assert all(each.event.pooled_id == each.pooled_id for each in loaded.judge.judgments.all())


def test_judgments_are_refused_when_a_pool_is_frozen_while_they_are_read(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    imports = import_module("assess.services.imports")
    carol, read = make.make_user("carol"), imports.labels_of

    def slow(*args: Any) -> Any:
        monkeypatch.setattr(imports, "labels_of", read)
        found = read(*args)
        load_judgments(campaign, carol, QRELS, "first.qrels", "first")
        return found

    monkeypatch.setattr(imports, "labels_of", slow)
    with pytest.raises(BadFile, match=r"second.qrels: .*another was frozen meanwhile: load the file again"):
        load_judgments(campaign, carol, QRELS, "second.qrels", "second")
    assert not campaign.memberships.filter(user__name="second").exists()
    assert JudgmentEvent.objects.filter(source="import").count() == 3
    assert load_judgments(campaign, carol, QRELS, "second.qrels", "second").newly_pooled == 0
