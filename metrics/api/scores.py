"""The API of scores and of a release's archive."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404
from ninja import Query, Router, Schema
from ninja.errors import HttpError
from pydantic import Field

from assess.models import QrelsRelease
from metrics.forms import ScoresForm
from metrics.leaderboard import UNJUDGED
from metrics.measures.base import BadMeasure
from metrics.measures.names import parse_measure
from metrics.queries.collections import collection_for
from metrics.queries.scores import PROFILE, ranked_runs_for, runs_with_visible_scores, score_table
from metrics.queries.scores import ScoreTable as Scored
from metrics.rankings.api import MeasuresQuery
from metrics.score_formats import FILE_FORMATS
from metrics.views.file_responses import collection_response, missing_package, scores_response
from pooling.api.access import PROBLEMS, PathName, PathNumber, ProblemOut, api_campaign, api_user
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role, Run

router = Router(tags=["scores"])
READERS = (Role.READER, Role.ADJUDICATOR, Role.PARTICIPANT)
BYTES = {"schema": {"type": "string", "format": "binary"}}
NOT_CHANGED = {"description": "Not modified: If-None-Match names the current version"}


Measures = Annotated[MeasuresQuery, Query()]


class ScoreOut(Schema):
    """The scores of a run: means over every topic of the release. A topic that the run lacks scores 0.

    Unjudged@10 is the mean over the topics that the run answers.
    """

    run: str
    group: str
    kind: str
    submitted_after_release: int | None = Field(
        description="The first shared release, if the run was submitted after it; such runs are not ranked."
    )
    means: dict[str, float]
    topics_answered: int = Field(description="Topics of the release for which the run has documents.")


class RunScoresOut(ScoreOut):
    release: int
    qrels_sha256: str
    run_sha256: str
    profile: str
    topics: dict[str, dict[str, float]] = Field(description="Topic -> measure -> value.")


def release_or_404(request: HttpRequest, slug: str, number: int) -> QrelsRelease:
    campaign = api_campaign(request, slug, *READERS)
    release: QrelsRelease = get_object_or_404(campaign.releases.visible_to(campaign), number=number)
    release.campaign = campaign
    return release


def score_table_for(
    request: HttpRequest, release: QrelsRelease, runs: list[Run], chosen: MeasuresQuery
) -> Scored:
    """Return the scores of runs on the requested measures.

    Raises HttpError 422 for measures that cannot be used.
    """
    query = request.GET.copy()
    query["measures"] = chosen.measures
    form = ScoresForm(query, release)
    if form.wrong:
        raise HttpError(422, " ".join(form.wrong))
    measures = [*form.measures, parse_measure(UNJUDGED)]
    try:
        return score_table(release, runs, measures)
    except BadMeasure as error:
        raise HttpError(422, str(error)) from error


def about(run: Run) -> dict[str, Any]:
    """Return the fields of a run. run: one of `runs_with_visible_scores`."""
    after: int | None = getattr(run, "after_release", None)
    return {"run": run.tag, "group": run.group, "kind": run.kind, "submitted_after_release": after}


def means_by_measure(table: Scored, index: int) -> dict[str, float]:
    names = (measure.name for measure in table.measures)
    return dict(zip(names, table.means[:, index].tolist(), strict=True))


@router.get("{slug}/releases/{number}/scores/", response={200: Page[ScoreOut], **PROBLEMS})
def score_list(
    request: HttpRequest, slug: PathName, number: PathNumber, cut: PageParameters, chosen: Measures
) -> dict[str, Any]:
    """The scores of the runs that you may see, by tag."""
    release = release_or_404(request, slug, number)
    page = page_of(request, ranked_runs_for(api_user(request), release), "tag", cut)
    table = score_table_for(request, release, page["items"], chosen)
    page["items"] = [
        about(run) | {"means": means_by_measure(table, index), "topics_answered": int(table.answered[index])}
        for index, run in enumerate(table.runs)
    ]
    return page


@router.get("{slug}/releases/{number}/scores/{tag}/", response={200: RunScoresOut, **PROBLEMS})
def run_scores(
    request: HttpRequest, slug: PathName, number: PathNumber, tag: PathName, chosen: Measures
) -> dict[str, Any]:
    """The scores of one run: means, and the value of every topic."""
    release = release_or_404(request, slug, number)
    run = get_object_or_404(runs_with_visible_scores(api_user(request), release), tag=tag)
    table = score_table_for(request, release, [run], chosen)
    names = [measure.name for measure in table.measures]
    values = table.values[:, 0].T.tolist()
    return about(run) | {
        "means": means_by_measure(table, 0),
        "topics_answered": int(table.answered[0]),
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
                "content": {form.content_type.partition(";")[0]: BYTES for form in FILE_FORMATS.values()},
            },
            304: NOT_CHANGED,
        }
    },
)
def scores_file(
    request: HttpRequest, slug: PathName, number: PathNumber, form: PathName, chosen: Measures
) -> HttpResponseBase:
    """The scores of all runs that you may see as a file: csv, tsv, json, latex, trec-eval or parquet."""
    release = release_or_404(request, slug, number)
    if form not in FILE_FORMATS:
        raise Http404
    if not FILE_FORMATS[form].is_available:
        raise HttpError(501, missing_package(FILE_FORMATS[form]))
    runs = list(ranked_runs_for(api_user(request), release))
    return scores_response(request, release, score_table_for(request, release, runs, chosen), form)


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
    release = release_or_404(request, slug, number)
    runs = list(ranked_runs_for(api_user(request), release))
    table = score_table_for(request, release, runs, MeasuresQuery(measures=""))
    return collection_response(request, collection_for(api_user(request), release, table))
