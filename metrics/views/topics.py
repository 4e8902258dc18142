"""The topics of a release: their difficulty and how they separate the runs."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.queries.releases import judged_by_programs
from metrics.measures.base import Measure
from metrics.plots import difficulty_plot, discrimination_plot
from metrics.queries.scores import PROFILE
from metrics.queries.topics import hardest_first, sorted_rows, topic_rows
from metrics.views.access import TOPICS_ON_A_PAGE, release_or_404, requested_scores, topic_page

MOST_ODD = 100  # topics with remarks that are listed, if the table of topics has several pages


def heads_of(measure: Measure, with_programs: bool) -> dict[str, tuple[str, str]]:
    """Return the column heads that sort: key -> (name, first direction)."""
    return {
        "topic": ("Topic", "ascending"),
        "judged": ("Judged", "descending"),
        **({"programs": ("By programs", "descending")} if with_programs else {}),
        "relevant": ("Relevant", "descending"),
        "mean": ("Mean", hardest_first(measure)),
        "spread": ("Spread", "descending"),
        "discrimination": ("Discrimination", "descending"),
    }


@require_GET
def topic_scores(request: UserRequest, slug: str, number: int) -> HttpResponse:
    campaign, release = release_or_404(request, slug, number)
    form, table = requested_scores(request, release)
    measure, by_programs = form.lead, judged_by_programs(release)
    heads = heads_of(measure, bool(by_programs.judgments))
    by = request.GET.get("by", "topic")
    lines = topic_rows(release, table, measure)
    odd = [line for line in lines if line.remarks]
    names, figures = [line.topic.number for line in lines], [line.figures for line in lines]
    context = {
        "campaign": campaign,
        "release": release,
        "form": form,
        "score_table": table,
        "measure": measure,
        "lines": lines,
        "page": topic_page(request, sorted_rows(lines, by, measure)),
        "by": by if by in heads else "topic",
        "heads": [(word, *about) for word, about in heads.items()],
        "with_programs": "programs" in heads,
        "odd": odd,
        "odd_shown": odd if len(lines) <= TOPICS_ON_A_PAGE else odd[:MOST_ODD],
        "difficulty": difficulty_plot(measure, len(table.runs), names, figures),
        "telling": discrimination_plot(measure, len(table.runs), names, figures),
        "profile": PROFILE,
        "topics_by_programs": by_programs.topics,
    }
    return render(request, "metrics/topic_scores.html", context)
