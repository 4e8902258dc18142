"""The topics of a release, as the runs found them."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from metrics import queries
from metrics.plots import difficulty_plot, telling_plot
from metrics.queries.topics import ORDERS
from metrics.views.door import asked_for, released

HEADS = [  # by what, its name, which way
    ("topic", "Topic", "ascending"),
    ("judged", "Judged", "descending"),
    ("relevant", "Relevant", "descending"),
    ("mean", "Mean", "ascending"),
    ("spread", "Spread", "descending"),
    ("discrimination", "Discrimination", "descending"),
]


@require_GET
def topic_scores(request: UserRequest, slug: str, number: int) -> HttpResponse:
    campaign, release = released(request, slug, number)
    form, field = asked_for(request, release)
    measure, by = form.lead.name, request.GET.get("by", "topic")
    lines = queries.topic_lines(release, field, measure)
    names, figures = [line.topic.number for line in lines], [line.figures for line in lines]
    context = {
        "campaign": campaign,
        "release": release,
        "form": form,
        "field": field,
        "measure": form.lead,
        "lines": sorted(lines, key=ORDERS.get(by, ORDERS["topic"]), reverse=True),
        "by": by if by in ORDERS else "topic",
        "heads": HEADS,
        "odd": [line for line in lines if line.remarks],
        "difficulty": difficulty_plot(measure, len(field.runs), names, figures),
        "telling": telling_plot(measure, len(field.runs), names, figures),
        "profile": queries.PROFILE,
    }
    return render(request, "metrics/topic_scores.html", context)
