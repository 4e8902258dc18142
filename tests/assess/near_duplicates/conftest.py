from __future__ import annotations

import pytest

from assess.models import DuplicateMember
from assess.near_duplicates.services import Settings, find_classes, freeze_classes
from assess.services.assignments import assign
from pooling.models import Campaign
from tests.support.factory import Factory

BASE = " ".join(f"word{n}" for n in range(60))
TEXTS = {
    "D1": f"{BASE} and three more words",  # the representative: the longest
    "D2": BASE,
    "D3": f"{BASE} AND three more words!",  # the same words as D1
    "D4": BASE.replace("word30", "other30"),
    "D5": "A text of its own about quite another matter.",
    "D6": "Nothing like the others is said in this one.",
}


@pytest.fixture
def pooled(make: Factory) -> Campaign:
    """Topic 1 with D1 to D6, of which D1 to D4 are near duplicates; topic 2 with D1 and D5. Alice judges."""
    campaign = make.make_campaign()
    topics = [make.make_topic(campaign, "1", "one"), make.make_topic(campaign, "2", "two")]
    lines = [f"1 {docno} {10 - place}" for place, docno in enumerate(TEXTS)] + ["2 D1 2", "2 D5 1"]
    make.make_run(campaign, "\n".join(lines))
    for docno, text in TEXTS.items():
        make.make_document(campaign, docno, text)
    make.make_pool(campaign)
    assign([make.make_user("alice")], topics)
    return campaign


def freeze(campaign: Campaign, make: Factory, share: int = 0, seed: int = 1) -> None:
    carol = make.make_user("carol")
    draft = find_classes(campaign, carol, Settings(share=share, seed=seed))
    freeze_classes(campaign, carol, draft.sha256)


def sample(*docnos: str) -> None:
    """Let these members, and no others, be judged on purpose."""
    DuplicateMember.objects.update(is_sampled=False)
    DuplicateMember.objects.filter(pooled__docno__in=docnos).update(is_sampled=True)


@pytest.fixture
def frozen(pooled: Campaign, make: Factory) -> Campaign:
    """The campaign with frozen classes, and no member judged on purpose."""
    freeze(pooled, make)
    return pooled
