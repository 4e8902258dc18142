"""The topics of a release: their difficulty and how they separate the runs."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from metrics.measure import Measure
from metrics.plots import difficulty_plot, telling_plot
from metrics.queries.scores import PROFILE
from metrics.queries.topics import hardest_first, in_order, topic_lines
from metrics.views.door import TOPICS_ON_A_PAGE, asked_for, page_of, released

MOST_ODD = 100  # topics with remarks that are listed, if the table of topics has several pages


def heads_of(measure: Measure) -> dict[str, tuple[str, str]]:
    """Return the column heads that sort: key -> (name, first direction)."""
    return {
        "topic": ("Topic", "ascending"),
        "judged": ("Judged", "descending"),
        "relevant": ("Relevant", "descending"),
        "mean": ("Mean", hardest_first(measure)),
        "spread": ("Spread", "descending"),
        "discrimination": ("Discrimination", "descending"),
    }


@require_GET
def topic_scores(request: UserRequest, slug: str, number: int) -> HttpResponse:
    campaign, release = released(request, slug, number)
    form, table = asked_for(request, release)
    measure, heads = form.lead, heads_of(form.lead)
    by = request.GET.get("by", "topic")
    lines = topic_lines(release, table, measure)
    odd = [line for line in lines if line.remarks]
    names, figures = [line.topic.number for line in lines], [line.figures for line in lines]
    context = {
        "campaign": campaign,
        "release": release,
        "form": form,
        "field": table,
        "measure": measure,
        "lines": lines,
        "page": page_of(request, in_order(lines, by, measure)),
        "by": by if by in heads else "topic",
        "heads": [(word, *about) for word, about in heads.items()],
        "odd": odd,
        "odd_shown": odd if len(lines) <= TOPICS_ON_A_PAGE else odd[:MOST_ODD],
        "difficulty": difficulty_plot(measure, len(table.runs), names, figures),
        "telling": telling_plot(measure, len(table.runs), names, figures),
        "profile": PROFILE,
    }
    return render(request, "metrics/topic_scores.html", context)
