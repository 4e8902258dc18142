"""What this package adds to the integrity check, to the deletion of campaigns and to the demonstration."""

from __future__ import annotations

from accounts.models import User
from assess.pyramids.example import UNITS, example_peers, example_pyramid
from assess.pyramids.files import write_pan, write_pyr
from assess.pyramids.queries import CHECKS
from assess.pyramids.services import GivenFile, delete_pyramids, store_peers, store_pyramid
from assess.queries.extensions import before_deletion, demonstrations, integrity_checks
from pooling.models import Campaign, Run


def demonstrate(campaign: Campaign, organiser: User, runs: tuple[Run, Run]) -> None:
    """Store an invented pyramid for the first topic, of beginnings of documents, and two peers."""
    topic = campaign.topics.all()[0]
    docnos = topic.pooled.values("docno")
    documents = campaign.documents.filter(docno__in=docnos).exclude(text="").order_by("docno")
    texts = documents.values_list("docno", "text")[: len(UNITS)]
    labels = [f"{docno}: {' '.join(text.split()[:12])}" for docno, text in texts]
    if len(labels) < len(UNITS):
        return
    content = write_pyr(example_pyramid(labels))
    stored = store_pyramid(campaign, organiser, topic, GivenFile("invented.pyr", content))
    peers = example_peers(labels)
    store_peers(stored, organiser, [GivenFile(f"{peer}.pan", write_pan(own)) for peer, own in peers.items()])


def register() -> None:
    before_deletion.append(delete_pyramids)
    integrity_checks.extend(CHECKS)
    demonstrations.append(demonstrate)
