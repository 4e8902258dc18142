"""The API of scores and of a release's archive."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from ninja import Query, Router, Schema
from ninja.errors import HttpError
from pydantic import Field

from assess.models import QrelsRelease
from metrics.boards import UNJUDGED
from metrics.forms import LookForm
from metrics.measure import BadMeasure
from metrics.queries.collections import collection_for
from metrics.queries.scores import PROFILE, field_of, runs_on_board
from metrics.queries.scores import Field as Scored
from metrics.registry import parse_measure
from metrics.score_files import FORMS
from metrics.views.sending import lacking, sent_collection, sent_scores
from pooling.api.access import PROBLEMS, PathName, PathNumber, ProblemOut, api_campaign, api_user
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role, Run

router = Router(tags=["scores"])
READERS = (Role.READER, Role.ADJUDICATOR, Role.PARTICIPANT)
BYTES = {"schema": {"type": "string", "format": "binary"}}
NOT_CHANGED = {"description": "Not modified: If-None-Match names the current version"}


class Chosen(Schema):
    """The requested measures."""

    measures: str = Field(
        "",
        max_length=2000,
        pattern=r"^[^\x00]*$",
        description="Names separated by blanks: `nDCG@10 AP(rel=2) P@5`. By default the usual measures.",
    )


Measures = Annotated[Chosen, Query()]


class ScoreOut(Schema):
    """The scores of a run: means over every topic of the release. A topic that the run lacks scores 0."""

    run: str
    group: str
    kind: str
    means: dict[str, float]


class RunScoresOut(ScoreOut):
    release: int
    qrels_sha256: str
    run_sha256: str
    profile: str
    topics: dict[str, dict[str, float]] = Field(description="Topic -> measure -> value.")


def opened(request: HttpRequest, slug: str, number: int) -> QrelsRelease:
    campaign = api_campaign(request, slug, *READERS)
    release: QrelsRelease = get_object_or_404(campaign.releases, number=number)
    release.campaign = campaign
    return release


def field_for(request: HttpRequest, release: QrelsRelease, runs: list[Run], chosen: Chosen) -> Scored:
    """Return the scores of runs on the requested measures.

    Raises HttpError 422 for measures that cannot be used.
    """
    query = request.GET.copy()
    query["measures"] = chosen.measures
    form = LookForm(query, release)
    if form.wrong:
        raise HttpError(422, " ".join(form.wrong))
    measures = [*form.measures, parse_measure(UNJUDGED)]
    try:
        return field_of(release, runs, measures)
    except BadMeasure as error:
        raise HttpError(422, str(error)) from error


def means_of(table: Scored, place: int) -> dict[str, float]:
    names = (measure.name for measure in table.measures)
    return dict(zip(names, table.means[:, place].tolist(), strict=True))


@router.get("{slug}/releases/{number}/scores/", response={200: Page[ScoreOut], **PROBLEMS})
def score_list(
    request: HttpRequest, slug: PathName, number: PathNumber, cut: PageParameters, chosen: Measures
) -> dict[str, Any]:
    """The scores of the runs that you may see, by tag."""
    release = opened(request, slug, number)
    page = page_of(request, runs_on_board(api_user(request), release.campaign), "tag", cut)
    table = field_for(request, release, page["items"], chosen)
    page["items"] = [
        {"run": run.tag, "group": run.group, "kind": run.kind, "means": means_of(table, place)}
        for place, run in enumerate(table.runs)
    ]
    return page


@router.get("{slug}/releases/{number}/scores/{tag}/", response={200: RunScoresOut, **PROBLEMS})
def run_scores(
    request: HttpRequest, slug: PathName, number: PathNumber, tag: PathName, chosen: Measures
) -> dict[str, Any]:
    """The scores of one run: means, and the value of every topic."""
    release = opened(request, slug, number)
    run = get_object_or_404(runs_on_board(api_user(request), release.campaign), tag=tag)
    table = field_for(request, release, [run], chosen)
    names = [measure.name for measure in table.measures]
    values = table.values[:, 0].T.tolist()
    return {
        "run": run.tag,
        "group": run.group,
        "kind": run.kind,
        "means": means_of(table, 0),
        "release": release.number,
        "qrels_sha256": release.sha256,
        "run_sha256": run.sha256,
        "profile": PROFILE,
        "topics": {
            topic: dict(zip(names, row, strict=True)) for topic, row in zip(table.topics, values, strict=True)
        },
    }


@router.get(
    "{slug}/releases/{number}/scores/files/{form}/",
    response={**PROBLEMS, 501: ProblemOut},
    openapi_extra={
        "responses": {
            200: {
                "description": "The file",
                "content": {form.content_type.partition(";")[0]: BYTES for form in FORMS.values()},
            },
            304: NOT_CHANGED,
        }
    },
)
def scores_file(
    request: HttpRequest, slug: PathName, number: PathNumber, form: PathName, chosen: Measures
) -> HttpResponseBase:
    """The scores of all runs that you may see as a file: csv, tsv, json, latex, trec-eval or parquet."""
    release = opened(request, slug, number)
    if form not in FORMS:
        raise Http404
    if not FORMS[form].there:
        raise HttpError(501, lacking(FORMS[form]))
    runs = list(runs_on_board(api_user(request), release.campaign))
    return sent_scores(request, release, field_for(request, release, runs, chosen), form)


@router.get(
    "{slug}/releases/{number}/collection/",
    response=PROBLEMS,
    openapi_extra={
        "responses": {
            200: {"description": "The archive", "content": {"application/zip": BYTES}},
            304: NOT_CHANGED,
        }
    },
)
def collection(request: HttpRequest, slug: PathName, number: PathNumber) -> HttpResponseBase:
    """The archive of a release as one zip: topics, qrels, labels, scores, and run files that you may see."""
    release = opened(request, slug, number)
    runs = list(runs_on_board(api_user(request), release.campaign))
    table = field_for(request, release, runs, Chosen(measures=""))
    return sent_collection(request, collection_for(api_user(request), release, table))
