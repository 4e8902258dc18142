"""One of each thing that a campaign may have besides runs, pools, labels and releases, for their pages."""

from __future__ import annotations

from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import User
from assess.answers.services import AnswerRunDetails, submit_answer_run
from assess.battles.queries.plan import PlannedBattles
from assess.battles.services import create_battles
from assess.clicks.services.loading import load_click_log, log_details, unpacked_files
from assess.judge_runs.services import JudgeRunDetails, submit_judge_run
from assess.machines.prompt import STEPS
from assess.machines.services.labellings import LabellingDetails, create_labelling
from assess.machines.services.prompts import PromptDetails, create_prompt
from assess.machines.services.requests import store_machine_labels
from assess.models import MachineLabelling, MachineRequest, Panel
from metrics.interleaving.queries import lists_of
from metrics.interleaving.services import InterleavingPlan, create_interleaving, load_clicks
from metrics.machine_audits.queries.samples import SamplePlan
from metrics.machine_audits.services import draw_audit
from metrics.system_quality.services import load_figures
from pooling.models import Campaign
from pooling.queries.runs import top_docnos
from pooling.services.images import import_images
from tests.assess.answers.files import answer_file
from tests.support.images import png, zipped

DEPTH = 10  # documents of a topic that a program judged, and that people saw
SAMPLE = 10  # documents of an audit
LISTS = 2  # of a topic, in an interleaving


def add_features(campaign: Campaign, olga: User, panel: Panel) -> None:
    """Add a labelling by a program, its audit, a judge run, an answer run, clicks, lists and an image."""
    runs = panel.first, panel.second
    topics = list(campaign.topics.order_by("place"))
    labelling = _label_by_program(campaign, olga)
    machine = store_machine_labels(labelling, olga)
    auditor = User.objects.get(
        username="judge02"
    )  # the pages are visited as judge00, judge01 labels meanwhile
    draw_audit(campaign, olga, SamplePlan(machine, SAMPLE, seed=7), [auditor])
    best = {topic.number: top_docnos(panel.first, topic.number, DEPTH) for topic in topics}
    lines = "".join(
        f"{number} Q0 {docno} {place % 4} {1 / place:.3f} program\n"
        for number, docnos in best.items()
        for place, docno in enumerate(docnos, start=1)
    )
    details = JudgeRunDetails("group00", model="model-1", description="a short prompt")
    submit_judge_run(campaign, olga, lines.encode(), "program.txt", details)
    answers = {number: [(f"Sentence on {number}.", docnos[:3])] for number, docnos in best.items()}
    content = answer_file(answers, tag="answers", group="group00")
    submit_answer_run(campaign, olga, content, "answers.jsonl", AnswerRunDetails("group00"))
    others = {number: [(f"Another on {number}.", docnos[:2])] for number, docnos in best.items()}
    content = answer_file(others, tag="other-answers", group="group01")
    submit_answer_run(campaign, olga, content, "other.jsonl", AnswerRunDetails("group01"))
    judges = list(User.objects.filter(username__in=("judge00", "judge02")).order_by("username"))
    asked = PlannedBattles(list(campaign.answer_runs.all()), judges, topics, 1, 0, 0, 7, "What helps.")
    create_battles(campaign, olga, asked)
    _load_clicks(campaign, olga, best)
    merged = create_interleaving(campaign, olga, InterleavingPlan(*runs, "team-draft", 10, LISTS, 7, topics))
    load_clicks(merged, olga, f"list_id,clicks\n{lists_of(merged)[0].list_id},1\n".encode(), "users.csv")
    figures = "".join(f"{run.tag},{12.5 + place}\n" for place, run in enumerate(campaign.runs.active()))
    load_figures(campaign, olga, f"run,latency_ms\n{figures}".encode(), "figures.csv")
    firsts = [docno for run in runs for topic in topics for docno in top_docnos(run, topic.number, 1)]
    images = {f"documents/{docno}.png": png() for docno in firsts}
    import_images(campaign, zipped(images), "images.zip", pooled_only=False)


def _label_by_program(campaign: Campaign, olga: User) -> MachineLabelling:
    prompt = create_prompt(campaign, olga, PromptDetails(STEPS))
    details = LabellingDetails(prompt, "model judge", "model-2", {"max_tokens": 50}, {"topics": ["1", "2"]})
    labelling = create_labelling(campaign, olga, details)
    answered = MachineRequest.State.ANSWERED
    labelling.requests.update(state=answered, relevance=2, reply="##final score: 2", key="answered")
    return labelling


def _load_clicks(campaign: Campaign, olga: User, best: dict[str, list[str]]) -> None:
    """Load a log of three people who saw the best documents of every topic, and clicked on the first ones."""
    rows = "".join(
        f"{number},{person},{' '.join(docnos)},{clicks}\n"
        for number, docnos in best.items()
        for person, clicks in enumerate(("1", "1 2", ""))
    )
    file = SimpleUploadedFile("clicks.csv", f"topic,session,shown,clicks\n{rows}".encode())
    details = log_details([(file.name or "", file)], least_people=2)
    load_click_log(campaign, olga, unpacked_files([(file.name or "", file)]), b"", details)
