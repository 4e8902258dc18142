"""Answer runs: who may submit and see them, the documents that they cite, and their files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Count, QuerySet, Sum
from django.utils import timezone

from accounts.models import User
from assess.answers.answer_checks import AnswerRequirements, parse_answers
from assess.answers.answer_files import FORMS, AnswerFile, Limits
from assess.models import Answer, AnswerRules, AnswerRun, CitedDocument
from assess.models.answers import AnswerRunQuerySet
from assess.queries.answers import submitted_text
from pooling.checksum import NO_TEXT, sha256_of
from pooling.formats.files import BadFile
from pooling.integrity import Check, Fault, Faults, differing
from pooling.models import Campaign, Role, Topic
from pooling.queries.campaigns import is_of_group
from pooling.queries.runs import in_collection
from pooling.queries.schedule import SubmittedRuns, count_of_group, limited_acceptance, submission_window
from pooling.schedule import Acceptance, SubmissionWindow, acceptance, may_change_runs

MOST_LISTED = 20  # documents without a text that a page names


def rules_of(campaign: Campaign) -> AnswerRules:
    """Return the rules of a campaign; unsaved ones, which accept nothing, if none are set."""
    return AnswerRules.objects.filter(campaign=campaign).first() or AnswerRules(campaign=campaign)


def limits_of(rules: AnswerRules, form: str) -> Limits:
    """Return the limits of a form in a campaign: its own, otherwise those of the track."""
    own = {name: getattr(rules, name) for name in ("words", "characters", "citations", "references")}
    given = {name: value for name, value in own.items() if value is not None}
    return FORMS[form].limits._replace(**given)


def requirements_of(campaign: Campaign, matches_topics: bool) -> AnswerRequirements:
    rules = rules_of(campaign)
    return AnswerRequirements(
        frozenset(campaign.topics.values_list("number", flat=True)),
        rules.form,
        lambda form: limits_of(rules, form),
        matches_topics,
        in_collection(campaign),
    )


def _window(campaign: Campaign) -> SubmissionWindow:
    """Return the dates of runs, with the switch of answer runs."""
    return submission_window(campaign)._replace(accepts_runs=rules_of(campaign).accepts)


def _is_organiser(campaign: Campaign, user: User) -> bool:
    return campaign.memberships.filter(user=user, role=Role.ORGANISER).exists()


def answer_acceptance(campaign: Campaign, user: User, now: datetime | None = None) -> Acceptance:
    """Return whether the campaign accepts answer runs from this person now."""
    now = now or timezone.now()
    window = _window(campaign)
    return limited_acceptance(campaign, user, window, now, lambda: counted_answer_runs(campaign, user, now))


def counted_answer_runs(campaign: Campaign, user: User, now: datetime) -> SubmittedRuns:
    """Return how many answer runs the group of a participant has. The limits are those of runs."""
    counted = count_of_group(campaign, _of_group(user, campaign), now)
    return counted._replace(kind="answer runs", way_out="Withdraw one first.")


def why_answers_are_fixed(campaign: Campaign, user: User) -> str:
    """Return why this person cannot withdraw own answer runs now; "" if they can."""
    if campaign.is_archived:
        return "The campaign is archived and read-only."
    if _is_organiser(campaign, user) or may_change_runs(_window(campaign), timezone.now()):
        return ""
    sentence = acceptance(_window(campaign), timezone.now()).sentence
    return f"{sentence} Answer runs can be withdrawn only before the deadline. Ask an organiser."


def submitted_answer_runs(user: User, campaign: Campaign) -> AnswerRunQuerySet:
    """Return the answer runs that the user may see and withdraw: all for an organiser, else the group's."""
    if Role.ORGANISER in campaign.my_roles:
        return campaign.answer_runs.all()
    return _of_group(user, campaign)


def _of_group(user: User, campaign: Campaign) -> AnswerRunQuerySet:
    return campaign.answer_runs.filter(is_of_group(user, campaign))


def _texts(campaign: Campaign) -> QuerySet[Any]:
    return campaign.documents.exclude(text_hash=NO_TEXT).values("docno")


def cited_without_text(campaign: Campaign) -> QuerySet[Any, Any]:
    """Return docno and `answers` of the cited documents without a text here, the most cited ones first."""
    cited = _cited(campaign).exclude(docno__in=_texts(campaign))
    return cited.values("docno").annotate(answers=Count("pk")).order_by("-answers", "docno")


def _cited(campaign: Campaign) -> QuerySet[CitedDocument]:
    runs = campaign.answer_runs.active()
    return CitedDocument.objects.filter(answer__run__in=runs).order_by()


class CitedTexts(NamedTuple):
    """How many documents the answers of a campaign cite, and which have no text: the first of them."""

    documents: int
    missing: int
    first: Sequence[Mapping[str, Any]]


def cited_texts(campaign: Campaign) -> CitedTexts:
    missing = cited_without_text(campaign)
    documents = _cited(campaign).values("docno").distinct().count()
    return CitedTexts(documents, missing.count(), list(missing[:MOST_LISTED]))


def answers_of(run: AnswerRun) -> QuerySet[Answer]:
    """Return the answers of a run, in the order of the topics, with the count of cited documents."""
    answers = run.answers.select_related("topic").order_by("topic__place")
    return answers.annotate(cited_count=Count("cited")).defer("metadata", "references")


def lengths_of(runs: Sequence[AnswerRun]) -> dict[int, Mapping[str, int]]:
    """Return, for the key of each run, the words of its answers and the documents that they cite."""
    rows = Answer.objects.filter(run__in=runs).order_by().values("run")
    words = {row["run"]: row["words"] for row in rows.annotate(words=Sum("words"))}
    cited = rows.annotate(documents=Count("cited__docno", distinct=True))
    return {row["run"]: {"words": words[row["run"]], "cited": row["documents"]} for row in cited}


def neighbours_of(answer: Answer) -> tuple[Topic | None, Topic | None]:
    """Return the topics before and after this one to which the run has answers."""
    topics = Topic.objects.filter(answers__run=answer.run_id)
    before = topics.filter(place__lt=answer.topic.place).order_by("-place").first()
    return before, topics.filter(place__gt=answer.topic.place).order_by("place").first()


def receipt_of(run: AnswerRun) -> dict[str, Any]:
    """Return the receipt of an answer run, for JSON. Times are in UTC. sha256: of the text, unpacked."""
    return {
        "campaign": run.campaign.slug,
        "campaign_name": run.campaign.name,
        "group": run.group,
        "tag": run.tag,
        "file_name": run.file_name,
        "sha256": run.sha256,
        "form": FORMS[run.form].title,
        "answers": run.answer_count,
        "warnings": [warning["what"] for warning in run.warnings],
        "submitted_at": run.submitted_at.astimezone(UTC).isoformat(timespec="seconds"),
        "late": run.is_late,
        "software": f"Jurypool {settings.VERSION}",
    }


def answer_run_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every answer run: its file against the stored answers."""
    for run in campaign.answer_runs.iterator(chunk_size=20):
        try:
            text = submitted_text(run)
            file = parse_answers(text, run.file_name, run.form)
        except (OSError, BadFile) as error:
            expected = f"the file {run.original.name}"
            yield [Fault("original of an answer run", run.tag, expected, str(error))]
            continue
        yield differing("answer run", run.tag, _compared(run, text, file))


def _compared(run: AnswerRun, text: bytes, file: AnswerFile) -> dict[str, tuple[object, object]]:
    """Return name -> (value of the file, stored value)."""
    stored = {answer.topic.number: answer for answer in run.answers.select_related("topic")}
    cited: dict[int, list[str]] = {}
    rows = CitedDocument.objects.filter(answer__run=run).order_by("place")
    for key, docno in rows.values_list("answer", "docno"):
        cited.setdefault(key, []).append(docno)
    compared: dict[str, tuple[object, object]] = {
        "checksum": (sha256_of(text), run.sha256),
        "tag": (file.tag, run.tag),
        "answer count": (len(file.answers), run.answer_count),
    }
    topics = [run.topic_numbers.get(each.topic, each.topic) for each in file.answers]
    compared["topics"] = (sorted(topics), sorted(stored))
    for number, answer in zip(topics, file.answers, strict=True):
        if number in stored:
            here = stored[number]
            sentences = answer_rows(answer.sentences)
            if sentences != here.sentences:
                compared["sentences"] = (f"those of line {answer.line}", f"others of topic {number}")
            if answer.cited != cited.get(here.pk, []):
                compared["cited documents"] = (answer.cited, cited.get(here.pk, []))
    return compared


def answer_rows(sentences: Sequence[Any]) -> list[list[Any]]:
    """Return sentences as an Answer stores them."""
    return [
        [each.text, list(each.citations), *([list(each.scores)] if each.scores else [])] for each in sentences
    ]


CHECKS = (Check("answer runs", answer_run_faults),)
