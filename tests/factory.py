"""What tests are made of. Alice and bob judge, carol organises, dave takes part, mallory is outside."""

from __future__ import annotations

import uuid

from accounts.models import User
from assess.models import Judgment
from assess.queries import card_of
from assess.services import Press, assign, record_judgment
from pooling.checksum import text_hash
from pooling.manifest import Plan
from pooling.models import Campaign, Document, Pool, PooledDocument, Role, Run, Topic
from pooling.scale import FOUR_STEPS, Grade
from pooling.services import Submission, add_member, create_campaign, freeze_pool, submit_run

PASSWORD = "correct horse battery"


class Factory:
    def make_user(self, name: str) -> User:
        return User.objects.filter(username=name).first() or User.objects.create_user(name, password=PASSWORD)

    def make_campaign(
        self, slug: str = "tiny", grades: tuple[Grade, ...] = FOUR_STEPS, threshold: int = 2
    ) -> Campaign:
        """A campaign with everybody in it."""
        campaign = create_campaign(self.make_user("carol"), slug.capitalize(), slug, grades, threshold)
        for name in ("alice", "bob"):
            add_member(campaign, self.make_user(name), Role.JUDGE)
        add_member(campaign, self.make_user("dave"), Role.PARTICIPANT, group="davelab")
        add_member(campaign, self.make_user("rita"), Role.READER)
        add_member(campaign, self.make_user("ada"), Role.ADJUDICATOR)
        self.make_user("mallory")
        return campaign

    def make_topic(self, campaign: Campaign, number: str = "1", title: str = "one") -> Topic:
        place = campaign.topics.count() + 1
        return Topic.objects.create(campaign=campaign, number=number, title=title, place=place)

    def make_run(self, campaign: Campaign, lines: str, tag: str = "run", group: str = "carolab") -> Run:
        """A run from lines of `topic docno score`."""
        rows = [line.split() for line in lines.strip().splitlines()]
        text = "".join(f"{topic} Q0 {docno} 0 {score} {tag}\n" for topic, docno, score in rows)
        about = Submission(group=group)
        return submit_run(campaign, self.make_user("carol"), text.encode(), f"{tag}.run", about)

    def make_pool(self, campaign: Campaign, depth: int = 10) -> Pool:
        return freeze_pool(
            campaign, self.make_user("carol"), list(campaign.runs.all()), Plan("depth", {"k": depth})
        )

    def make_document(
        self, campaign: Campaign, docno: str, text: str = "Some text.", title: str = ""
    ) -> Document:
        return Document.objects.create(
            campaign=campaign, docno=docno, title=title, text=text, text_hash=text_hash(title, text)
        )

    def make_pooled_campaign(self) -> Campaign:
        """Two topics of three and one documents, pooled, assigned to alice and bob."""
        campaign = self.make_campaign()
        topics = [
            self.make_topic(campaign, "1", "first things"),
            self.make_topic(campaign, "2", "second things"),
        ]
        self.make_run(campaign, "1 D1 3\n1 D2 2\n1 D3 1\n2 D1 1")
        self.make_pool(campaign)
        assign([self.make_user("alice"), self.make_user("bob")], topics)
        return campaign

    def pooled(self, campaign: Campaign, topic: str, docno: str) -> PooledDocument:
        return PooledDocument.objects.get(pool__campaign=campaign, topic__number=topic, docno=docno)

    def make_judgment(
        self, campaign: Campaign, judge: str, topic: str, docno: str, relevance: int
    ) -> Judgment:
        user, pooled = self.make_user(judge), self.pooled(campaign, topic, docno)
        press = Press(uuid.uuid4(), docno, card_of(user, pooled).text_hash, relevance)
        return record_judgment(pooled, user, press)
