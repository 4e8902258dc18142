"""A measure of a run on one topic, step by step, beside the worked example of the measure."""

from __future__ import annotations

from typing import NamedTuple

from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.models import QrelsRelease
from metrics.forms import ScoresForm, as_sentence
from metrics.lecture_examples import LECTURE_EXAMPLES, LECTURE_MEASURES, LectureExample
from metrics.measures.base import Measure
from metrics.measures.names import parse_measure, parse_measures
from metrics.measures.registry import make_measure
from metrics.queries.scores import (
    PROFILE,
    measure_for,
    numbered_index,
    runs_with_visible_scores,
)
from metrics.queries.topic_steps import TopicSteps, topic_steps, values_after
from metrics.views.access import release_or_404
from metrics.views.measures import signs_of
from metrics.worked_example import (
    MISSED,
    RANKING,
    WorkedExample,
    read_example,
    usual_measure,
    worked_example,
)
from pooling.models import Run
from pooling.refusals import Refused

USUAL = "AP"
ROWS = 100


class Asked(NamedTuple):
    """The steps of a measure. refused: why they are not those of the measure that was asked for, or ""."""

    steps: TopicSteps
    refused: str


@require_GET
def topic_measure(request: UserRequest, slug: str, number: int, tag: str, topic: str) -> HttpResponse:
    """Show how a measure of a run on a topic comes about, rank by rank."""
    campaign, release = release_or_404(request, slug, number)
    run = get_object_or_404(
        runs_with_visible_scores(request.user, release).select_related("columns"), tag=tag
    )
    if topic not in numbered_index(release).index.code_of_topic:
        raise Http404("The release has no such topic.")
    form, every = ScoresForm(request.GET, release), request.GET.get("every") == "on"
    steps, refused = asked_steps(request, release, run, topic, every)
    page = Paginator(steps.stretches, ROWS).get_page(request.GET.get("page"))
    kind, example = steps.measure.kind, example_of(steps.measure)
    context = {
        "campaign": campaign,
        "release": release,
        "run": run,
        "topic": get_object_or_404(campaign.topics, number=topic),
        "form": form,
        "steps": steps,
        "refused": refused,
        "every": every,
        "page": page,
        "rows": values_after(release, run, topic, steps.measure, list(page)),
        "offered": offered_measures(release, form.measures, steps.measure),
        "kind": kind,
        "signs": signs_of(kind),
        "example": example,
        "worked": worked_out(example),
        "profile": PROFILE,
    }
    return render(request, "metrics/topic_measure.html", context)


def asked_steps(request: UserRequest, release: QrelsRelease, run: Run, topic: str, every: bool) -> Asked:
    """Return the steps of the measure in the address; of USUAL where that cannot be computed."""
    text = request.GET.get("other", "").strip() or request.GET.get("measure", "").strip() or USUAL
    try:
        return Asked(topic_steps(release, run, topic, measure_for(release, parse_measure(text)), every), "")
    except Refused as error:
        usual = measure_for(release, parse_measure(USUAL))
        return Asked(topic_steps(release, run, topic, usual, every), as_sentence(error))


def offered_measures(release: QrelsRelease, shown: list[Measure], chosen: Measure) -> list[str]:
    """Return the names to choose from: the measures of the lectures, of the pages of scores, and the chosen.

    Those of the size of a collection are left out where that is not known.
    """
    size, lectures = release.campaign.collection_size, parse_measures(LECTURE_MEASURES)
    possible = [measure for measure in lectures if size or "N" not in measure.kind.parameters]
    measures = [*(measure_for(release, measure) for measure in possible), *shown, chosen]
    return list(dict.fromkeys(measure.name for measure in measures))


def example_of(measure: Measure) -> LectureExample:
    """Return the ranking of the lecture for a measure, with its parameters; the usual one for other kinds."""
    kind = measure.kind
    parameters = [pair for pair in measure.parameters if pair[0] != "N"]
    known = LECTURE_EXAMPLES.get(kind.name)
    if parameters:
        name = make_measure(kind, parameters, measure.cutoff).name
        return LectureExample(name, *(known[1:] if known else (RANKING, MISSED)))
    return known or LectureExample(usual_measure(kind).name, RANKING, MISSED)


def worked_out(example: LectureExample) -> WorkedExample:
    return worked_example(parse_measure(example.measure), read_example(example.ranking, example.missed))
