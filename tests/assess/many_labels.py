"""Labels of other people's studies, put into a campaign at once."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from pathlib import Path

from accounts.models import User
from assess.models import Judgment, JudgmentEvent, Source
from assess.services.counters import repair_counters
from pooling.models import Campaign, Pool, PooledDocument, Topic

Grades = dict[tuple[str, str], int]  # (topic, docno) -> grade
Labels = Mapping[str, Mapping[tuple[str, str], int]]  # judge -> (topic, docno) -> grade


def llm_judges(folder: Path) -> tuple[dict[str, Grades], dict[str, Grades]]:
    """Return NIST's labels and those of 33 models; what is off the scale counts as its highest grade."""

    def grades_of(path: Path) -> Grades:
        lines = (line.split() for line in path.read_text().splitlines())
        return {(topic, docno): min(int(grade), 3) for topic, _, docno, grade in lines}

    machines = {path.stem: grades_of(path) for path in sorted((folder / "scores").glob("*.txt"))}
    return {"NIST": grades_of(folder / "llmjudge_test_qrel_idx.txt")}, machines


def store_labels(
    campaign: Campaign, labels: Labels, machines: Iterable[str] = (), at: datetime | None = None
) -> None:
    """Store labels as if they were loaded from files; given one by one at `at`, if that is said."""
    pairs = list(dict.fromkeys(pair for own in labels.values() for pair in own))
    document = _pooled(campaign, pairs)
    carol = User.objects.get(username="carol")
    judges = {name: User.objects.create(username=name, is_active=False) for name in labels}
    for name in machines:
        Source.objects.create(
            campaign=campaign, user=judges[name], kind=Source.Kind.FILE, model=name, prompt_sha256="ab" * 32,
            made_on=date(2024, 6, 1), loaded_by=carol,
        )  # fmt: skip
    events = JudgmentEvent.objects.bulk_create(
        (
            JudgmentEvent(
                uuid=uuid.uuid4(), judge=judges[name], pooled=document[pair], relevance=grade,
                source="click" if at else "import", text_hash="",
                **({"at": at, "pressed_at": at} if at else {}),
            )
            for name, own in labels.items() for pair, grade in own.items()
        ),
        batch_size=5000,
    )  # fmt: skip
    Judgment.objects.bulk_create(
        (
            Judgment(judge_id=e.judge_id, pooled_id=e.pooled_id, event=e, relevance=e.relevance)
            for e in events
        ),
        batch_size=5000,
    )
    repair_counters(campaign)


def _pooled(campaign: Campaign, pairs: list[tuple[str, str]]) -> dict[tuple[str, str], PooledDocument]:
    """Return (topic, docno) -> pooled document; what no pool holds is pooled."""
    known = {
        (each.topic.number, each.docno): each
        for each in PooledDocument.objects.filter(pool__campaign=campaign).select_related("topic")
    }
    topics = {topic.number: topic for topic in campaign.topics.all()}
    for number in dict.fromkeys(topic for topic, _ in pairs):
        if number not in topics:
            topics[number] = Topic.objects.create(
                campaign=campaign, number=number, title=number, place=len(topics)
            )
    pool = Pool.objects.create(
        campaign=campaign,
        number=campaign.pools.count() + 1,
        strategy="none",
        parameters={},
        manifest={},
        frozen_by=User.objects.get(username="carol"),
    )
    missing = [pair for pair in pairs if pair not in known]
    made = PooledDocument.objects.bulk_create(
        PooledDocument(pool=pool, topic=topics[topic], docno=docno) for topic, docno in missing
    )
    return known | dict(zip(missing, made, strict=True))
