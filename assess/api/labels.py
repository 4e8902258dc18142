"""Labels in the API: all labels for organisers, and files of labels of other judges and of machines."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from ninja import File, Form, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from assess.forms.imports import JudgmentsForm, MachineForm
from assess.models import Source
from assess.queries.independence import hidden_keys
from assess.queries.labels import label_records
from assess.services.imports import load_judgments, load_machine_labels
from assess.views.downloads import with_hidden_count
from pooling.api.access import (
    MAP_FIELD,
    PROBLEMS,
    WRITE_PROBLEMS,
    MapText,
    PathName,
    Text,
    api_campaign,
    api_user,
    checked,
)
from pooling.models import Campaign, Role
from pooling.services.files import read_upload

router = Router(tags=["labels"])
TEXT = {"schema": {"type": "string"}}


class GradesIn(Schema):
    grades: Text = Field(
        "",
        max_length=1000,
        description="Grade in the file = grade of the campaign, such as `5=3 -1=0`; `=-1` is cannot judge.",
    )

    map: MapText = MAP_FIELD
    words: Text = Field(
        "", max_length=2000, description="Grades of labels in words: `not relevant=0, relevant=1`."
    )

    match_topics: bool = Field(
        False, description="Take topic numbers that differ only in how they are written for the campaign's."
    )
    match_docnos: bool = Field(
        False, description="Take docnos that differ only in how they are written for pooled ones."
    )


class JudgeIn(GradesIn):
    judge: Text = Field(min_length=1, max_length=60, description="The name that pages show.")
    extend_pool: bool = Field(
        False,
        description="Make a pool of the judged documents that are in no pool; by default they are left out.",
    )
    in_plan: bool = Field(
        False,
        description="Assign the topics of the file to the judge; by default: no part in the judging plan.",
    )


class MatchOut(Schema):
    """Unknown docnos of the file that differ from pooled ones only in how they are written."""

    rule: str = Field(description="What is left out of both names, such as upper case or endings.")
    names: dict[str, str] = Field(description="Docno in the file -> pooled docno.")


class TopicCountsOut(Schema):
    topic: str
    judgments: int
    pooled: int = Field(description="Judgments of documents that were in a pool.")


class GradeCountsOut(Schema):
    grade: int = Field(description="After mapping; negative for cannot judge.")
    judgments: int
    pooled: int = Field(description="Judgments of documents that were in a pool.")


class LoadedLabelsOut(Schema):
    judge: str = Field(description="The name by which the API knows this judge.")
    labels: int = Field(description="Stored judgments.")
    newly_pooled: int = Field(description="Documents by which the pool was extended.")
    judgments: int = Field(description="Judgments in the file.")
    pooled: int = Field(description="Judgments of documents that were in a pool.")
    outside: int = Field(description="Judgments of other documents: left out, unless the pool was extended.")
    unknown: int = Field(description="Judgments outside the pools in no run and without a text.")
    notes: list[str] = Field(description="How the file was read, and what was left out of it.")
    match: MatchOut | None = Field(description="Taken with `match_docnos`.")
    topics: list[TopicCountsOut]
    grades: list[GradeCountsOut]


class MachineIn(GradesIn):
    name: Text = Field(min_length=1, max_length=60, description="The name that pages show.")
    model: Text = Field(min_length=1, max_length=120, description="The official name, with its version.")
    prompt_sha256: str = Field(
        "", pattern="^([0-9a-fA-F]{64})?$", description="Of the prompt; empty for a program without one."
    )
    made_on: str = Field(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", description="Date of the labels, as 2026-05-04."
    )
    note: Text = Field("", max_length=2000)


class LoadedMachineOut(Schema):
    judge: str = Field(description="The name by which the API knows this judge.")
    labels: int
    left_out: int = Field(description="Labels of documents that are in no pool; they were skipped.")

    @staticmethod
    def resolve_judge(machine: Source) -> str:
        return machine.user.username

    @staticmethod
    def resolve_labels(machine: Source) -> int:
        return machine.user.judgments.count()


@router.get(
    "{slug}/labels/",
    response=PROBLEMS,
    openapi_extra={
        "responses": {
            200: {"description": "JSON Lines: one label per line", "content": {"application/jsonl": TEXT}},
        }
    },
)
def label_list(request: HttpRequest, slug: PathName) -> StreamingHttpResponse:
    """Current labels of all judges, as JSON Lines.

    Each line has topic, docno, judge, machine, relevance, reason, at, suggested, source, comment and
    evidence. If the judge could not judge the document, relevance is null and reason says why. suggested is
    the grade of a machine judge that was on the judge's screen, else null: such a label is not independent of
    the machine. source tells labels of people from those of programs, as in the file `sources` of a release.
    Judges wrote comments for organisers and adjudicators, so do not publish them. evidence has the words that
    the judge selected, and where they begin, or is null. Labels of documents that you still have to judge are
    omitted; the header X-Labels-Left-Out has their number.
    """
    campaign = api_campaign(request, slug, Role.ADJUDICATOR)
    hidden = hidden_keys(api_user(request), campaign)
    response = StreamingHttpResponse(
        label_lines(campaign, hidden), content_type="application/jsonl; charset=utf-8"
    )
    return with_hidden_count(response, api_user(request), campaign)


def label_lines(campaign: Campaign, hidden: Collection[int]) -> Iterator[str]:
    for record in label_records(campaign, hidden):
        yield json.dumps(record._asdict() | {"at": record.at.isoformat()}, ensure_ascii=False) + "\n"


@router.post(
    "{slug}/judges/", response={201: LoadedLabelsOut, **WRITE_PROBLEMS}, summary="Load the labels of a judge"
)
def judge_load(
    request: HttpRequest, slug: PathName, file: File[UploadedFile], about: Form[JudgeIn]
) -> Status[dict[str, Any]]:
    """Store a file of judgments as the labels of a new judge, who judged elsewhere.

    The file has TREC qrels, three columns, a table with a header (CSV, TSV) or JSON. An invalid line refuses
    all.

    Judgments of documents that are in no pool are left out, unless `extend_pool` is true.
    """
    campaign = api_campaign(request, slug, Role.ORGANISER)
    form = checked(JudgmentsForm(about.dict(), request.FILES))
    data = form.cleaned_data
    content, name = read_upload(file), file.name or ""
    loaded = load_judgments(
        campaign,
        api_user(request),
        content,
        name,
        data["judge"],
        data["grades"],
        extend_pool=data["extend_pool"],
        in_plan=data["in_plan"],
        reading=form.reading(),
    )
    check = loaded.check
    counts = check._asdict() | {"outside": check.outside, "newly_pooled": loaded.newly_pooled}
    counts["notes"] = list(loaded.notes)
    counts["match"] = check.match and check.match._asdict()
    return Status(201, counts | {"judge": loaded.judge.username, "labels": loaded.labels})


@router.post(
    "{slug}/machines/", response={201: LoadedMachineOut, **WRITE_PROBLEMS}, summary="Load labels of a machine"
)
def machine_load(
    request: HttpRequest, slug: PathName, file: File[UploadedFile], about: Form[MachineIn]
) -> Status[Source]:
    """Store a qrels file as the labels of a new machine judge. An invalid line refuses all."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    form = checked(MachineForm(about.dict(), request.FILES))
    content, name, grades = read_upload(file), file.name or "", form.cleaned_data["grades"]
    machine, reading = form.machine(), form.reading()
    loaded = load_machine_labels(campaign, api_user(request), content, name, machine, grades, reading=reading)
    return Status(201, loaded)
