"""Labels of the demonstration are loaded whole or not at all."""

from __future__ import annotations

import pytest

from assess.models import JudgmentEvent
from assess.services.assignments import assign
from config.demo import campaign as demo
from pooling.refusals import Refused
from tests.support.factory import Factory

LABEL = {
    "judge": "ada", "topic": "1", "docno": "D1", "grade": "3",
    "active_seconds": "12.5", "seconds_ago": "60", "comment": "Clear.",
}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "fits"),
    [({}, True), ({"text_hash": "0123456789ab"}, False), ({"docno": "D99"}, False), ({"topic": "9"}, False)],
)
def test_a_label_needs_its_pooled_document_with_the_text_that_was_judged(
    make: Factory, monkeypatch: pytest.MonkeyPatch, changed: dict[str, str], fits: bool
) -> None:
    campaign = make.make_pooled_campaign()
    ada = make.make_user("ada")
    assign([ada], campaign.topics.all())
    demo.backdate(campaign.pools.get())
    text_hash = make.make_document(campaign, "D1").text_hash[:12]
    monkeypatch.setattr(demo, "rows_of", lambda name: iter([LABEL | {"text_hash": text_hash} | changed]))
    if not fits:
        with pytest.raises(
            Refused, match=f"has no document {(LABEL | changed)['docno']} with the text judged"
        ):
            demo.record_labels(campaign, {"ada": ada})
        return
    demo.record_labels(campaign, {"ada": ada})
    event = JudgmentEvent.objects.get()
    assert (event.relevance, event.active_seconds, event.comment) == (3, 12.5, "Clear.")
    assert (event.at - event.pressed_at).total_seconds() == pytest.approx(60, abs=5)
