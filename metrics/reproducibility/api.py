"""Reproducibility in the API, for everybody who may see the scores of a release."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

from django.http import Http404, HttpRequest
from ninja import Query, Router, Schema
from ninja.errors import HttpError
from pydantic import Field

from accounts.requests import UserRequest
from metrics.rankings.api import MeasuresQuery
from metrics.reproducibility.queries import ChosenRuns
from metrics.reproducibility.views import asked_of
from pooling.api.access import PROBLEMS, PathName, PathNumber, Text

router = Router(tags=["reproducibility"])


class ReplicaQuery(MeasuresQuery):
    """The runs, by tag. Without them, the first two are compared."""

    original: Text = Field("", max_length=120)
    replica: Text = Field("", max_length=120)
    original_baseline: Text = Field("", max_length=120, description="Of both runs, or of neither.")
    replica_baseline: Text = Field("", max_length=120)
    depth: Literal["10", "100", "1000"] = Field("100", description="Documents of a topic whose order counts.")


class ReproducedMeasureOut(Schema):
    """The scores of both runs. rmse, p: null where a score is no mean; the others also without baselines."""

    measure: str
    original: float
    replica: float
    rmse: float | None
    p: float | None = Field(description="Paired t-test over topics.")
    effect_ratio: float | None
    relative_delta: float | None


class ReproducedTopicOut(Schema):
    topic: str
    original: float = Field(description="By the first measure.")
    replica: float
    common_documents: int | None = Field(description="null where a run has no document.")
    tau_union: float | None
    rbo: float | None


class ReproducedRunOut(Schema):
    original: str
    replica: str
    original_baseline: str | None
    replica_baseline: str | None
    depth: int
    measures: list[ReproducedMeasureOut]
    topics: list[ReproducedTopicOut] = Field(description="The largest difference first.")


def check_tags(asked: ReplicaQuery, chosen: ChosenRuns) -> None:
    """Raise HttpError 422 for a tag that names no run of the release, and for one baseline of two."""
    first, second = chosen.baselines or (None, None)
    named = {
        "original": (asked.original, chosen.original),
        "replica": (asked.replica, chosen.replica),
        "original_baseline": (asked.original_baseline, first),
        "replica_baseline": (asked.replica_baseline, second),
    }
    for name, (tag, run) in named.items():
        if tag and (run is None or run.tag != tag):
            raise HttpError(
                422,
                f"{name}: expected a run that you see in this release, and the baseline of both runs or of"
                f" neither; found {tag!r}",
            )


@router.get(
    "{slug}/releases/{number}/reproducibility/",
    response={200: ReproducedRunOut, **PROBLEMS},
    summary="A run against the one that it reproduces",
)
def reproducibility(
    request: HttpRequest, slug: PathName, number: PathNumber, asked: Annotated[ReplicaQuery, Query()]
) -> dict[str, Any]:
    """How near a replica comes to its original, by scores, documents and the effect over a baseline."""
    context, figures = asked_of(cast(UserRequest, request), slug, number)
    if context["form"].errors:
        raise HttpError(422, " ".join(context["form"].non_field_errors()))
    if figures is None:
        raise Http404("There are fewer than two runs.")
    chosen: ChosenRuns = context["chosen"]
    check_tags(asked, chosen)
    first, second = chosen.baselines or (None, None)
    return {
        "original": chosen.original.tag,
        "replica": chosen.replica.tag,
        "original_baseline": first.tag if first else None,
        "replica_baseline": second.tag if second else None,
        "depth": int(asked.depth),
        "measures": list(figures.rows),
        "topics": list(figures.topic_rows),
    }
