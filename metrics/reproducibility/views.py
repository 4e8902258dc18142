"""Reproducibility: a run against the one that it reproduces, as a page and as files."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from metrics.queries.comparisons import caution_of
from metrics.queries.scores import ScoreTable
from metrics.reproducibility.queries import COLUMNS, TOPIC_COLUMNS, ChosenRuns, ReproducedRun, reproduced_run
from metrics.views.access import release_or_404, requested_scores, shared_context, topic_page
from metrics.views.file_responses import tsv_file

DEPTHS = ("10", "100", "1000")
ONE_BASELINE = "Choose the baseline of both runs, or of neither."


def chosen_runs(request: UserRequest, table: ScoreTable) -> ChosenRuns | None:
    """Return the runs that the address names; the first two without; None for fewer than two runs.

    Baselines count only if both are named.
    """
    if len(table.runs) < 2:
        return None
    by_tag = {run.tag: run for run in table.runs}
    original = by_tag.get(request.GET.get("original", ""), table.runs[0])
    others = [run for run in table.runs if run != original]
    replica = by_tag.get(request.GET.get("replica", ""), others[0])
    baselines = [by_tag.get(request.GET.get(f"{name}_baseline", "")) for name in ("original", "replica")]
    first, second = baselines
    return ChosenRuns(original, replica, (first, second) if first and second else None)


def asked_of(request: UserRequest, slug: str, number: int) -> tuple[dict[str, Any], ReproducedRun | None]:
    """Return the context of what the address asks for, and what was found."""
    campaign, release = release_or_404(request, slug, number)
    form, table = requested_scores(request, release, late=True)
    chosen = chosen_runs(request, table)
    depth = request.GET.get("depth", "")
    depth = depth if depth in DEPTHS else DEPTHS[1]
    context = shared_context(campaign, release, form, table)
    context |= {"chosen": chosen, "depth": depth, "depths": DEPTHS, "caution": caution_of(form.lead)}
    if not chosen:
        return context, None
    named = [request.GET.get(f"{name}_baseline", "") for name in ("original", "replica")]
    context["missing"] = ONE_BASELINE if any(named) and not all(named) else ""
    context["query"] = urlencode(
        [
            *(("measures", measure.name) for measure in form.measures),
            ("order", form.lead.name),
            ("original", chosen.original.tag),
            ("replica", chosen.replica.tag),
            *zip(
                ("original_baseline", "replica_baseline"),
                (run.tag for run in chosen.baselines or ()),
                strict=False,
            ),
            ("depth", depth),
        ]
    )
    return context, reproduced_run(release, table, form.measures, form.lead, chosen, int(depth))


@require_GET
def reproducibility(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show how near a replica comes to its original."""
    context, figures = asked_of(request, slug, number)
    context |= {"found": figures, "page": topic_page(request, figures.topics) if figures else None}
    return render(request, "metrics/reproducibility/reproducibility.html", context)


@require_GET
def reproducibility_file(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the figures of each measure, with all digits."""
    _, figures = asked_of(request, slug, number)
    return tsv_file(COLUMNS, figures.rows if figures else [], f"{slug}-reproducibility-v{number}.tsv")


@require_GET
def reproducibility_topics_file(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Send the figures of each topic, with all digits."""
    _, figures = asked_of(request, slug, number)
    rows = figures.topic_rows if figures else []
    return tsv_file(TOPIC_COLUMNS, rows, f"{slug}-reproducibility-topics-v{number}.tsv")
