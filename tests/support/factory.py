"""What tests are made of. Alice and bob judge, carol organises, dave takes part, mallory is outside."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from accounts.models import User
from assess.active_learning.services.batches import freeze_batches
from assess.active_learning.services.collections import load_collection
from assess.active_learning.services.reviews import PlannedReviews, begin_reviews
from assess.answers.services import AnswerRunDetails, submit_answer_run
from assess.battle_programs.prompt import DEFAULT as PROGRAM_PROMPT
from assess.battle_programs.queries.requests import orders_of
from assess.battle_programs.services import PlannedProgram, create_program, load_results
from assess.battles.queries.plan import PlannedBattles
from assess.battles.services import SubmittedVote, create_battles
from assess.battles.services import record_vote as record_battle_vote
from assess.clicks.services.loading import load_click_log, log_details, unpacked_files
from assess.gradings.criteria import criteria_in
from assess.gradings.queries.plan import PlannedGrading
from assess.gradings.services import SubmittedGrades, create_grading, record_grades
from assess.judge_runs.services import JudgeRunDetails, submit_judge_run
from assess.machines.prompt import STEPS
from assess.machines.services.labellings import LabellingDetails, create_labelling
from assess.machines.services.prompts import PromptDetails, create_prompt
from assess.machines.services.requests import ServerAnswer, store_answer
from assess.magnitudes.queries.plan import PlannedMagnitudes
from assess.magnitudes.services import SubmittedMagnitude, create_magnitudes, record_magnitude
from assess.matching_programs.prompt import DEFAULT as MATCHING_PROMPT
from assess.matching_programs.services import PlannedProgram as PlannedMatchingProgram
from assess.matching_programs.services import create_program as create_matching_program
from assess.matching_programs.services import load_results as load_matching_results
from assess.matchings.queries.plan import PlannedMatching
from assess.matchings.services import SubmittedLabel, create_matching, record_label
from assess.models import (
    AnswerMark,
    AnswerRelease,
    AnswerRun,
    Bank,
    BankNugget,
    Battle,
    BattleProgram,
    BattleSet,
    BattleVote,
    ClickLog,
    DuplicateClassification,
    GivenGrades,
    Grading,
    GradingTask,
    JudgeRun,
    Judgment,
    MachineAudit,
    MachineLabelling,
    Magnitude,
    MagnitudeSet,
    MagnitudeTask,
    Matching,
    MatchingProgram,
    MatchingTask,
    NuggetLabel,
    NuggetLoad,
    Panel,
    PanelVote,
    PreferenceSet,
    PyramidDraft,
    QrelsRelease,
    QueueEntry,
    Review,
    ReviewCollection,
    SnippetGrade,
    SnippetSet,
    SnippetTask,
    Source,
    SupportLabel,
    SupportSet,
    SupportTask,
    TopicPyramid,
)
from assess.near_duplicates.services import Settings
from assess.nuggets.assignments import AssignedAnswer, AssignedNugget, Assignment, write_assignments
from assess.nuggets.banks import TWO_GRADES, write_banks
from assess.nuggets.queries.banks import nuggets_of, pure_banks
from assess.nuggets.services.banks import begin_draft
from assess.nuggets.services.loads import load_banks
from assess.nuggets.services.marks import MarkedWords, span_of
from assess.nuggets.services.nuggets import NuggetDetails, add_nugget
from assess.panels.services import Vote, create_panel, record_vote
from assess.preferences.queries.plan import PlannedPreferences
from assess.preferences.services import create_preferences
from assess.pyramids.drafts.services import SelectedWords, begin_pyramid, mark_words
from assess.pyramids.example import example_peers, example_pyramid
from assess.pyramids.files import write_pan, write_pyr
from assess.pyramids.services import GivenFile, store_peers, store_pyramid
from assess.queries.campaign_reads import CampaignReads
from assess.queries.documents import text_hashes
from assess.queries.judging import cards_of
from assess.services.assignments import assign
from assess.services.audiences import change_audience
from assess.services.imports import MachineDetails, load_machine_labels
from assess.services.judging import SubmittedJudgment, record_judgment
from assess.services.releases import release_qrels
from assess.snippets.queries.plan import PlannedSnippets
from assess.snippets.services import SubmittedGrade, create_snippets, load_snippets, record_snippet_grade
from assess.support.queries.plan import PlannedSupport
from assess.support.services import SubmittedSupport, create_support, record_support
from metrics.ab_tests.services import PlannedTest, create_ab_test, load_users
from metrics.answer_releases.services import release_answers
from metrics.interleaving.queries import lists_of
from metrics.interleaving.services import InterleavingPlan, create_interleaving, load_clicks
from metrics.machine_audits.queries.samples import SamplePlan, population_of
from metrics.machine_audits.services import draw_audit
from metrics.models import ABTest, Interleaving, InterleavingClicks, SystemFigures
from metrics.system_quality.services import load_figures
from metrics.tasks import score_release
from pooling.checksum import sha256_of, text_hash
from pooling.formats.documents.reading import read_documents
from pooling.manifest import PoolPlan
from pooling.models import Campaign, Document, Image, Job, Pool, PooledDocument, Role, Run, Topic
from pooling.queries.runs import top_docnos
from pooling.scale import FOUR_STEPS, Grade
from pooling.services.images import import_images
from pooling.services.people import add_member, create_campaign
from pooling.services.pools import freeze_pool
from pooling.services.runs import Submission, submit_run
from tests.assess.answers.files import Answers, answer_file
from tests.support.images import png, zipped

PASSWORD = "correct horse battery"
AB_USERS = b"variant,user,clicks\nA,u1,1\nA,u2,2\nA,u3,0\nB,u4,3\nB,u5,2\nB,u6,4\n"


class Factory:
    def make_user(self, name: str) -> User:
        return User.objects.filter(username=name).first() or User.objects.create_user(name, password=PASSWORD)

    def make_administrator(self, name: str) -> User:
        """A person who administers the site, and is a member of nothing."""
        user = self.make_user(name)
        user.is_staff = user.is_superuser = True
        user.save()
        return user

    def let_create_campaigns(self, name: str) -> None:
        right = Permission.objects.get(content_type__app_label="pooling", codename="add_campaign")
        self.make_user(name).user_permissions.add(right)

    def make_campaign(
        self, slug: str = "tiny", grades: tuple[Grade, ...] = FOUR_STEPS, threshold: int = 2
    ) -> Campaign:
        """A campaign with everybody in it."""
        campaign = create_campaign(
            self.make_user("carol"),
            slug.capitalize(),
            slug,
            grades,
            threshold,
            state=Campaign.State.OPEN,
        )
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
            campaign, self.make_user("carol"), list(campaign.runs.active()), PoolPlan("depth", {"k": depth})
        )

    def make_document(
        self, campaign: Campaign, docno: str, text: str = "Some text.", title: str = ""
    ) -> Document:
        return Document.objects.create(
            campaign=campaign, docno=docno, title=title, text=text, text_hash=text_hash(title, text)
        )

    def make_image(self, campaign: Campaign, *paths: str) -> Image:
        """Store the same image for these paths, such as documents/D1.png; return the newest."""
        import_images(campaign, zipped(dict.fromkeys(paths, png())), "images.zip", pooled_only=False)
        return campaign.images.latest("pk")

    def make_forty(self) -> Campaign:
        """One topic of forty documents in a pool, D00 first, assigned to nobody."""
        campaign = self.make_campaign()
        self.make_topic(campaign)
        self.make_run(campaign, "\n".join(f"1 D{rank:02} {100 - rank}" for rank in range(40)))
        self.make_pool(campaign, depth=40)
        return campaign

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
        entry = self.entry(campaign, judge, topic, docno)
        (card,) = cards_of([entry])
        return Judgment.objects.get(
            event=record_judgment(entry, SubmittedJudgment(uuid.uuid4(), docno, card.text_hash, relevance))
        )

    def entry(self, campaign: Campaign, judge: str, topic: str, docno: str) -> QueueEntry:
        """The place of a document in a judge's queue."""
        pooled = self.pooled(campaign, topic, docno)
        return QueueEntry.objects.select_related("pooled", "topic__campaign", "judge").get(
            judge__username=judge, pooled=pooled, kind=QueueEntry.Kind.JUDGING
        )

    def make_release(self, campaign: Campaign, state: str = QrelsRelease.State.SHARED) -> QrelsRelease:
        """A release that members see unless the state says otherwise."""
        release = release_qrels(campaign, self.make_user("carol"))
        if state != release.state:
            change_audience(release, state, self.make_user("carol"))
        return release

    def publish(self, campaign: Campaign) -> None:
        """Make every release of a campaign public."""
        for release in campaign.releases.exclude(state=QrelsRelease.State.PUBLIC).order_by("number"):
            change_audience(release, QrelsRelease.State.PUBLIC, self.make_user("carol"))

    def make_job(self, campaign: Campaign, title: str = "Score the runs against v1", **row: Any) -> Job:
        """A job that waits, without a task in the queue: nobody begins it."""
        row = {"task": score_release.module_path, "arguments": {"release": 0}} | row
        return Job.objects.create(campaign=campaign, user=self.make_user("carol"), title=title, **row)

    def make_machine(self, campaign: Campaign, qrels: str, name: str = "robot") -> Source:
        machine = MachineDetails(name, "model-1", "ab" * 32, date(2026, 5, 4), "a short prompt")
        return load_machine_labels(campaign, self.make_user("carol"), qrels.encode(), "robot.qrels", machine)

    def make_judge_run(
        self, campaign: Campaign, lines: str = "1 Q0 D1 3 0.9 gpt\n", group: str = "carolab"
    ) -> JudgeRun:
        """A run of a machine judge, submitted by carol; the one of this content if there is one."""
        tag = lines.split()[-1]
        if found := campaign.judge_runs.active().filter(tag=tag).first():
            return found
        about = JudgeRunDetails(group, model="model-1", description="a short prompt")
        return submit_judge_run(campaign, self.make_user("carol"), lines.encode(), f"{tag}.txt", about)

    def make_answer_run(
        self,
        campaign: Campaign,
        answers: Answers | None = None,
        tag: str = "answers",
        group: str = "carolab",
        form: str = "rag",
    ) -> AnswerRun:
        """An answer run, submitted by carol; the one of this tag if there is one."""
        if found := campaign.answer_runs.active().filter(tag=tag).first():
            return found
        default: Answers = {"1": [("Boats float.", ["D1"]), ("They carry goods.", ["D1", "D2"])]}
        content = answer_file(answers or default, form, tag=tag, group=group)
        about = AnswerRunDetails(description="a short prompt")
        return submit_answer_run(campaign, self.make_user("carol"), content, f"{tag}.jsonl", about)

    def make_battles(self, campaign: Campaign, judges: Sequence[str] = ("alice",), **asked: Any) -> BattleSet:
        """Battles between two answer runs to topic 1, or as `asked`; the first set if there is one."""
        if found := campaign.battle_sets.first():
            return found
        tags, sentences = ("zebra-one", "zebra-two"), ["Boats float.", "They carry goods."]
        runs = asked.pop("runs", None) or [
            self.make_answer_run(campaign, {"1": [(text, ["D1", "D2"]) for text in own]}, tag, "zebra-group")
            for tag, own in zip(tags, (sentences, sentences[::-1]), strict=True)
        ]
        plan: dict[str, Any] = {
            "per_topic": 1,
            "double": 0,
            "repeated": 0,
            "seed": 7,
            "better": "Better is what helps.",
        }
        people = [self.make_user(name) for name in judges]
        topics = list(campaign.topics.all())
        return create_battles(
            campaign, self.make_user("carol"), PlannedBattles(runs, people, topics, **plan | asked)
        )

    def make_battle_vote(self, battle: Battle, choice: str, reason: str = "") -> BattleVote:
        """choice: left, right, tie or both bad; by the judge of the battle."""
        return record_battle_vote(battle, battle.judge, SubmittedVote(uuid.uuid4(), choice, reason))

    def make_battle_program(self, campaign: Campaign) -> BattleProgram:
        """A program for the battles of `make_battles`, with a vote on one order; the one if it is there."""
        if found := campaign.battle_programs.first():
            return found
        asked = PlannedProgram(self.make_battles(campaign), "strict", "m-1", PROGRAM_PROMPT)
        program = create_program(campaign, self.make_user("carol"), asked)
        order = next(iter(orders_of(program).values()))
        content = f"topic,left,right,choice\n{','.join(order.named)},left\n"
        load_results(program, self.make_user("carol"), content.encode(), "votes.csv")
        return program

    def make_preferences(self, campaign: Campaign, judge: str = "alice") -> PreferenceSet:
        """Preferences over the documents of topic 1 by one judge; the first set if there is one."""
        if found := campaign.preference_sets.first():
            return found
        queues = QueueEntry.objects.filter(topic__campaign=campaign, topic__number="1", kind="judging")
        for entry in queues.select_related("judge", "pooled"):  # others agree where they have judged
            has_judged = Judgment.objects.filter(judge=entry.judge, pooled=entry.pooled).exists()
            if has_judged or entry.judge.username == judge:
                self.make_judgment(campaign, entry.judge.username, "1", entry.pooled.docno, 2)
        release = self.make_release(campaign)
        topics, people = list(campaign.topics.filter(number="1")), [self.make_user(judge)]
        plan = PlannedPreferences(release, people, topics, 2, 0, 7, "Better is what helps.")
        return create_preferences(campaign, self.make_user("carol"), plan)

    def make_snippets(
        self, campaign: Campaign, judges: Sequence[str] = ("alice", "bob"), **asked: Any
    ) -> SnippetSet:
        """Snippets of a run, all topics by all judges; the first set if there is one.

        The documents of the run get a text, if they have none.
        """
        if found := campaign.snippet_sets.first():
            return found
        run = campaign.runs.active().filter(tag="run").first() or campaign.runs.active()[0]
        plan: dict[str, Any] = {
            "run": run,
            "origin": "document",
            "depth": 3,
            "double": 100,
            "seed": 7,
        } | asked
        plan.setdefault("topics", list(campaign.topics.all()))
        for topic in plan["topics"]:
            for docno in top_docnos(plan["run"], topic.number, plan["depth"]):
                if not campaign.documents.filter(docno=docno).exists():
                    self.make_document(campaign, docno, f"The text of {docno}, on {topic.title}.")
        people = [self.make_user(name) for name in judges]
        return create_snippets(
            campaign, self.make_user("carol"), PlannedSnippets(campaign, judges=people, **plan)
        )

    def make_snippet_grade(self, task: SnippetTask, grade: int, **submitted: Any) -> SnippetGrade:
        """Grade a snippet, or a document whose text is as stored with the set."""
        about = {"text_hash": task.result.text_hash if task.step == "document" else ""} | submitted
        return record_snippet_grade(task, task.judge, SubmittedGrade(uuid.uuid4(), grade, **about))

    def make_run_snippets(self, campaign: Campaign) -> Run:
        """A run with a snippet of its own."""
        run = campaign.runs.active().filter(tag="run").first() or campaign.runs.active()[0]
        if not run.snippets.exists():
            load_snippets(run, self.make_user("carol"), b"* D1 A snippet of D1.\n", "snippets.txt")
        return run

    def make_magnitudes(
        self, campaign: Campaign, judges: Sequence[str] = ("alice", "bob"), **asked: Any
    ) -> MagnitudeSet:
        """Magnitudes of all pooled documents, all topics by all judges; the first set if there is one."""
        if found := campaign.magnitude_sets.first():
            return found
        plan: dict[str, Any] = {"chosen": "all", "most": 20, "double": 100, "seed": 7} | asked
        plan.setdefault("topics", list(campaign.topics.all()))
        people = [self.make_user(name) for name in judges]
        return create_magnitudes(
            campaign, self.make_user("carol"), PlannedMagnitudes(campaign, people, **plan)
        )

    def make_magnitude(self, task: MagnitudeTask, number: str, **submitted: Any) -> Magnitude:
        """By the judge of the task, who has read the text as it is."""
        docno = task.pooled.docno
        now = text_hashes(task.magnitude_set.campaign, [docno]).get(docno, "")
        given = SubmittedMagnitude(uuid.uuid4(), number, **{"text_hash": now} | submitted)
        return record_magnitude(task, task.judge, given)

    def make_grading(
        self, campaign: Campaign, judges: Sequence[str] = ("alice", "bob"), **asked: Any
    ) -> Grading:
        """A grading of answer runs by two criteria, all topics by all judges; the first if there is one."""
        if found := campaign.gradings.first():
            return found
        runs = asked.pop("runs", None) or list(campaign.answer_runs.active())
        runs = runs or [self.make_answer_run(campaign)]
        criteria = criteria_in("Helpful: no, partly, yes\nComplete: nothing, a part, all")
        plan: dict[str, Any] = {"criteria": criteria, "double": 100, "seed": 7} | asked
        people, topics = [self.make_user(name) for name in judges], list(campaign.topics.all())
        return create_grading(campaign, self.make_user("carol"), PlannedGrading(runs, people, topics, **plan))

    def make_grades(self, task: GradingTask, grades: Sequence[int], reason: str = "") -> GivenGrades:
        """By the judge of the task."""
        return record_grades(task, task.judge, SubmittedGrades(uuid.uuid4(), grades, reason))

    def make_pyramid(self, campaign: Campaign) -> TopicPyramid:
        """The pyramid of an example for topic 1, with its two peers; the first pyramid if there is one."""
        if found := campaign.pyramids.first():
            return found
        carol, topic = self.make_user("carol"), campaign.topics.get(number="1")
        pyramid = store_pyramid(campaign, carol, topic, GivenFile("wales.pyr", write_pyr(example_pyramid())))
        peers = [GivenFile(f"{peer}.pan", write_pan(own)) for peer, own in example_peers().items()]
        store_peers(pyramid, carol, peers)
        return pyramid

    def make_pyramid_draft(self, campaign: Campaign) -> PyramidDraft:
        """A draft for topic 2 with a unit of weight 2; the first draft if there is one."""
        if found := campaign.pyramid_drafts.first():
            return found
        carol, topic = self.make_user("carol"), campaign.topics.get(number="2")
        draft = begin_pyramid(campaign, carol, topic, ["Boats float.", "All boats float, says Ann."])
        mark_words(draft, carol, SelectedWords("Boats float"))
        mark_words(draft, carol, SelectedWords("boats float"), uid=1)
        draft.refresh_from_db()
        return draft

    def make_nugget_bank(self, campaign: Campaign, topic: str = "1") -> Bank:
        """A draft with a nugget of carol's; the draft that is there, if there is one."""
        if found := campaign.nugget_banks.filter(frozen_at=None).first():
            return found
        draft = begin_draft(campaign, self.make_user("carol"), TWO_GRADES)
        self.make_nugget(draft, "carol", "Ships float on water", topic, importance="vital")
        return draft

    def make_nugget(self, bank: Bank, by: str, text: str, topic: str = "1", **details: Any) -> BankNugget:
        about = bank.campaign.topics.get(number=topic)
        return add_nugget(bank, about, self.make_user(by), NuggetDetails(text, **details))

    def make_nugget_load(self, campaign: Campaign) -> NuggetLoad:
        """A file with a nugget of topic 1 in the draft of `make_nugget_bank`; the first one."""
        draft = self.make_nugget_bank(campaign)
        if not draft.loads.exists():
            content = b'{"qid": "1", "nuggets": [{"text": "Wood floats", "importance": "okay"}]}'
            load_banks(draft, self.make_user("carol"), content, "banks.jsonl")
        return draft.loads.all()[0]

    def make_answer_mark(
        self, nugget: BankNugget, words: str = "Boats float", judge: str = "alice"
    ) -> AnswerMark:
        """Words of an answer that holds a nugget; the one of this judge if there is one."""
        if found := nugget.marks.filter(author__username=judge).first():
            return found
        run = self.make_answer_run(nugget.bank.campaign)
        answer = run.answers.get(topic=nugget.topic)
        span = span_of(MarkedWords(answer, words))._asdict()
        return AnswerMark.objects.create(nugget=nugget, answer=answer, author=self.make_user(judge), **span)

    def make_bank(
        self, campaign: Campaign, nuggets: Mapping[str, Sequence[tuple[str, str]]] | None = None
    ) -> Bank:
        """A frozen bank. nuggets: topic -> texts with their importance. The newest one if there is one."""
        if found := campaign.nugget_banks.exclude(frozen_at=None).first():
            return found
        carol, now = self.make_user("carol"), timezone.now()
        number = campaign.nugget_banks.count() + 1
        bank = Bank.objects.create(
            campaign=campaign, number=number, made_by=carol, frozen_by=carol, frozen_at=now
        )
        default = {
            "1": [("Boats float", "vital"), ("Boats are light", "okay"), ("They carry goods", "vital")]
        }
        for name, own in (nuggets or default).items():
            topic = campaign.topics.get(number=name)
            for place, (text, importance) in enumerate(own, start=1):
                BankNugget.objects.create(
                    bank=bank, topic=topic, place=place, text=text, importance=importance, author=carol
                )
        bank.sha256 = sha256_of(write_banks(pure_banks(nuggets_of(bank))))
        bank.save()
        return bank

    def make_matching(
        self, campaign: Campaign, judges: Sequence[str] = ("alice", "bob"), **asked: Any
    ) -> Matching:
        """A matching of answer runs and a frozen bank, all topics by all judges; or the first one."""
        if found := campaign.matchings.first():
            return found
        runs = asked.pop("runs", None) or list(campaign.answer_runs.active())
        runs = runs or [self.make_answer_run(campaign)]
        plan: dict[str, Any] = {"contradicts": False, "double": 100, "seed": 7} | asked
        plan.setdefault("bank", self.make_bank(campaign))
        people, topics = [self.make_user(name) for name in judges], list(campaign.topics.all())
        planned = PlannedMatching(runs=runs, judges=people, topics=topics, **plan)
        return create_matching(campaign, self.make_user("carol"), planned)

    def make_support(
        self, campaign: Campaign, judges: Sequence[str] = ("alice", "bob"), **asked: Any
    ) -> SupportSet:
        """The citations of answer runs, all topics by all judges; the first set if there is one."""
        if found := campaign.support_sets.first():
            return found
        runs = asked.pop("runs", None) or list(campaign.answer_runs.active())
        runs = runs or [self.make_answer_run(campaign)]
        plan: dict[str, Any] = {"every": True, "double": 100, "seed": 7} | asked
        people, topics = [self.make_user(name) for name in judges], list(campaign.topics.all())
        return create_support(campaign, self.make_user("carol"), PlannedSupport(runs, people, topics, **plan))

    def make_support_label(self, task: SupportTask, support: str, **submitted: Any) -> SupportLabel:
        """By the judge of the task, who has read the text as it is."""
        now = text_hashes(task.support_set.campaign, [task.docno]).get(task.docno, "")
        given = SubmittedSupport(uuid.uuid4(), support, **{"text_hash": now} | submitted)
        return record_support(task, task.judge, given)

    def make_nugget_label(
        self, task: MatchingTask, place: int, assignment: str, sentence: int | None = None
    ) -> NuggetLabel:
        """Of the nugget at a place of its topic, by the judge of the task."""
        nugget = BankNugget.objects.get(bank=task.matching.bank_id, topic=task.answer.topic_id, place=place)
        return record_label(task, task.judge, SubmittedLabel(uuid.uuid4(), nugget, assignment, sentence))

    def make_answer_release(self, campaign: Campaign) -> AnswerRelease:
        """A release of the matching of `make_matching`, with a label; the first one."""
        if found := campaign.answer_releases.first():
            return found
        matching = self.make_matching(campaign)
        self.make_nugget_label(matching.tasks.all()[0], 1, "support")
        return release_answers(matching, self.make_user("carol"))

    def make_matching_program(self, campaign: Campaign) -> MatchingProgram:
        """A program for the matching of `make_matching`, with labels of one answer; the first one."""
        if found := campaign.matching_programs.first():
            return found
        carol, matching = self.make_user("carol"), self.make_matching(campaign)
        asked = PlannedMatchingProgram(matching, "strict", "m-1", MATCHING_PROMPT)
        program = create_matching_program(campaign, carol, asked)
        answer = matching.tasks.select_related("answer__topic", "answer__run")[0].answer
        own = matching.bank.nuggets.filter(topic=answer.topic)
        nuggets = tuple(AssignedNugget(each.text, each.importance, Assignment.SUPPORT) for each in own)
        content = write_assignments([AssignedAnswer(answer.topic.number, answer.run.tag, nuggets)])
        load_matching_results(program, carol, content, "labels.jsonl")
        return program

    def make_labelling(self, campaign: Campaign) -> MachineLabelling:
        """A labelling of topic 1 by a prompt, with one answer; the same one if it is there."""
        if campaign.labellings.exists():
            return campaign.labellings.get()
        carol = self.make_user("carol")
        for docno in ("D1", "D2", "D3"):
            if not campaign.documents.filter(docno=docno).exists():
                self.make_document(campaign, docno, f"The text of {docno}.")
        prompt = create_prompt(campaign, carol, PromptDetails(STEPS))
        details = LabellingDetails(prompt, "model judge", "model-2", {"max_tokens": 50}, {"topics": ["1"]})
        labelling = create_labelling(campaign, carol, details)
        store_answer(labelling.requests.all()[0], ServerAnswer("##final score: 2"))
        return labelling

    def make_audit(self, campaign: Campaign, judge: str = "alice") -> MachineAudit:
        """An audit of all documents that a machine judge labelled; without one, of three documents."""
        machine = campaign.sources.standing().programs().first()
        machine = machine or self.make_machine(campaign, "1 0 D1 3\n1 0 D3 0\n2 0 D1 2\n")
        plan = SamplePlan(machine, population_of(CampaignReads(campaign), machine).size, seed=7)
        return draw_audit(campaign, self.make_user("carol"), plan, [self.make_user(judge)]).audit

    def make_click_log(self, campaign: Campaign, content: str = "", name: str = "clicks.csv") -> ClickLog:
        """A click log as CSV; by default three users who saw D1 and D2 for topic 1."""
        lists = "".join(f"1,{user},D1 D2,{clicks}\n" for user, clicks in enumerate(("1", "1 2", "")))
        file = SimpleUploadedFile(name, (content or f"topic,session,shown,clicks\n{lists}").encode())
        details = log_details([(name, file)], least_people=2)
        carol = self.make_user("carol")
        return load_click_log(campaign, carol, unpacked_files([(name, file)]), b"", details)

    def make_collection(self, campaign: Campaign, texts: Mapping[str, str] | None = None) -> ReviewCollection:
        """docno -> text, by default D1 and eleven others; the first collection if there is one."""
        if found := campaign.review_collections.first():
            return found
        boats = ["sail", "mast", "keel", "hull", "deck", "sail"]
        texts = texts or {"D1": "sail and mast"} | {
            f"C{place:02}": f"{boats[place % 6]} {'one flour oven' if place % 2 else 'first things'}"
            for place in range(11)
        }
        lines = [json.dumps({"docno": docno, "text": text}) for docno, text in texts.items()]
        reading = read_documents("\n".join(lines).encode(), "boats.jsonl")
        return load_collection(campaign, self.make_user("carol"), reading, "boats.jsonl")

    def make_review(
        self, campaign: Campaign, number: str = "1", judges: Sequence[str] = ("alice", "bob"), **asked: Any
    ) -> Review:
        """A review of a topic with its first batch, by default 2 documents and 2 of a sample of 3."""
        topic = campaign.topics.get(number=number)
        if found := Review.objects.filter(topic=topic).first():
            return found
        plan: dict[str, Any] = {"first_batch": 2, "sample_size": 3, "seed": 7} | asked
        people, carol = [self.make_user(name) for name in judges], self.make_user("carol")
        planned = PlannedReviews(self.make_collection(campaign), [topic], people, **plan)
        (review,) = begin_reviews(campaign, carol, planned)
        freeze_batches(campaign, {review.pk: 1}, carol)
        return Review.objects.select_related("topic", "collection").get(pk=review.pk)

    def make_near_duplicates(
        self, campaign: Campaign, topic: str = "1", docnos: tuple[str, str] = ("D1", "D3")
    ) -> DuplicateClassification:
        """Frozen classes, in which the second document gets the labels of the first for a topic.

        The same ones if they are there.
        """
        if found := DuplicateClassification.objects.filter(campaign=campaign).first():
            return found
        by = {"created_by": self.make_user("carol"), "frozen_by": self.make_user("carol")}
        about = {"parameters": Settings().parameters(), "sha256": "ab" * 32, "document_count": 3}
        found = DuplicateClassification.objects.create(
            campaign=campaign, frozen_at=timezone.now(), **by, **about
        )
        representative, member = (self.pooled(campaign, topic, docno) for docno in docnos)
        group = found.classes.create(representative=representative, size=2, lowest=0.9)
        group.members.create(pooled=member, similarity=0.9)
        return found

    def make_panel(self, campaign: Campaign, depth: int = 10) -> Panel:
        """Two runs of other documents side by side, on every topic on which they differ."""
        tags = ("zebra-left", "zebra-right")
        if not campaign.runs.filter(tag__in=tags).exists():
            for docno in ("P1", "P2"):
                self.make_document(campaign, docno, f"The text of {docno}.", title=f"Paper {docno}")
            self.make_run(campaign, "1 P1 2\n1 P2 1\n2 P1 1", tag=tags[0], group="zebra-group")
            self.make_run(campaign, "1 P2 2\n1 P1 1\n2 P2 1", tag=tags[1], group="zebra-group")
        first, second = (campaign.runs.get(tag=tag) for tag in tags)
        carol, topics = self.make_user("carol"), campaign.topics.all()
        return create_panel(campaign, carol, (first, second), depth, topics, seed=7)

    def make_system_figures(self, campaign: Campaign) -> SystemFigures:
        """Figures of the run `run`, or of the first one, unless it has some."""
        run = campaign.runs.active().filter(tag="run").first() or campaign.runs.active()[0]
        if not SystemFigures.objects.filter(run=run).exists():
            table = json.dumps([{"run": run.tag, "latency_ms": 12.5, "hardware": "a server"}])
            load_figures(campaign, self.make_user("carol"), table.encode(), "figures.json")
        return SystemFigures.objects.get(run=run)

    def make_interleaving(self, campaign: Campaign, first: str, second: str) -> Interleaving:
        """A comparison of two runs by team draft, with two lists of each topic on which they differ."""
        runs = campaign.runs.get(tag=first), campaign.runs.get(tag=second)
        plan = InterleavingPlan(*runs, "team-draft", 10, 2, 7, list(campaign.topics.all()))
        return create_interleaving(campaign, self.make_user("carol"), plan)

    def make_clicks(self, campaign: Campaign) -> InterleavingClicks:
        """A file of clicks on a list of the first comparison by interleaving: one session."""
        compared = campaign.interleavings.order_by("number")[0]
        if known := compared.clicks.first():
            return known
        shown = f"list_id,clicks\n{lists_of(compared)[0].list_id},1\n".encode()
        return load_clicks(compared, self.make_user("carol"), shown, "clicks.csv")

    def make_ab_test(self, campaign: Campaign) -> ABTest:
        """A test of two variants, with a file of users at its end; the first one."""
        if found := campaign.ab_tests.first():
            return found
        plan = PlannedTest("Snippets", "B: longer ones.", {"A": 1.0, "B": 1.0}, 6, "clicks: more, sum")
        test = create_ab_test(campaign, self.make_user("carol"), plan)
        load_users(test, self.make_user("carol"), AB_USERS, "users.csv", is_end=True)
        return test

    def make_vote(self, panel: Panel, judge: str, topic: str, choice: str, reason: str = "") -> PanelVote:
        """choice: left, right or equal."""
        vote = Vote(uuid.uuid4(), choice, reason)
        return record_vote(panel, panel.topics.get(number=topic), self.make_user(judge), vote)
