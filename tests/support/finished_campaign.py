"""A campaign that has been through everything, for those who look at all of it."""

from __future__ import annotations

import uuid

from assess.models import JudgmentEvent
from assess.services.assignments import top_up
from assess.services.imports import load_judgments
from assess.services.judging import SubmittedJudgment, record_judgment
from assess.services.queues import return_to_judges
from assess.services.releases import release_qrels
from metrics.interleaving.queries import lists_of
from metrics.interleaving.services import load_clicks
from metrics.services import score_release
from pooling.models import Campaign, Document
from tests.support.factory import Factory


def make_lived_campaign(make: Factory) -> Campaign:
    """Everything that an audit looks at: three kinds of pool, labels that were changed, returned and
    imported, releases before and after, scores, images."""
    campaign = make.make_pooled_campaign()
    carol = make.make_user("carol")
    for docno in ("D1", "D2", "D3"):
        make.make_document(campaign, docno, f"The text of {docno}.")
    make.make_image(campaign, "documents/D1.png", "documents/D2/1.png", "topics/1.png")
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_judgment(campaign, "bob", "1", "D1", 1)
    make.make_judgment(campaign, "alice", "1", "D2", 0)
    make.make_judgment(campaign, "alice", "1", "D2", 1)
    refuse(make, campaign, "bob", "1", "D2")
    score_release(release_qrels(campaign, carol))
    return_to_judges(JudgmentEvent.objects.filter(relevance=None), carol)
    make.make_run(campaign, "1 D9 9\n1 D1 5\n2 D3 1", tag="later", group="davelab")
    top_up(campaign, carol, 1)
    interleaving = make.make_interleaving(campaign, "run", "later")
    clicks = f"list_id,clicks\n{lists_of(interleaving)[0].list_id},1\n".encode()
    load_clicks(interleaving, carol, clicks, "clicks.csv")
    load_judgments(campaign, carol, b"1 0 D1 2\n2 0 X7 0\n", "else.qrels", "elsewhere", extend_pool=True)
    make.make_click_log(campaign)
    make.make_judgment(campaign, "alice", "1", "D1", 2)
    score_release(release_qrels(campaign, carol))
    return campaign


def refuse(make: Factory, campaign: Campaign, judge: str, topic: str, docno: str) -> None:
    entry = make.entry(campaign, judge, topic, docno)
    shown = Document.objects.get(campaign=campaign, docno=docno).text_hash
    record_judgment(entry, SubmittedJudgment(uuid.uuid4(), docno, shown, None, reason="broken"))
