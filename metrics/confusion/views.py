"""Confusion of classes, for organisers and adjudicators: a release or a source of labels against another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.queries.campaign_reads import CampaignReads
from metrics.confusion.classes import BETAS, COLUMNS
from metrics.confusion.queries import (
    CLASSES,
    GRADES,
    Confusion,
    LabelSource,
    compared_sources,
    confusion_of,
    label_sources,
)
from metrics.confusion.roc import grade_roc_plot
from metrics.plots import Plot
from metrics.views.file_responses import tsv_file
from pooling.models import Role, Topic
from pooling.queries.campaigns import campaign_or_404
from pooling.scale import Grade

DOCUMENTS_A_PAGE = 50


class Asked(NamedTuple):
    """What the address asks for. expert, system: None if there are fewer than two sources of labels."""

    reads: CampaignReads
    sources: list[LabelSource]
    expert: LabelSource | None
    system: LabelSource | None
    classes: str
    beta: float

    @property
    def query(self) -> str:
        if not self.expert or not self.system:
            return ""
        chosen = {"expert": self.expert.key, "system": self.system.key}
        return urlencode(chosen | {"classes": self.classes, "beta": f"{self.beta:g}"})


def asked_of(request: UserRequest, slug: str) -> Asked:
    """Return what the address asks for; unknown values are those of a page without a query."""
    reads = CampaignReads(campaign_or_404(request.user, slug, Role.ADJUDICATOR))
    sources = label_sources(reads)
    expert, system = compared_sources(sources, request.GET.get("expert", ""), request.GET.get("system", ""))
    classes = request.GET.get("classes", GRADES)
    betas = {f"{beta:g}": beta for beta in BETAS}
    return Asked(
        reads,
        sources,
        expert,
        system,
        classes if classes in CLASSES else GRADES,
        betas.get(request.GET.get("beta", ""), 1.0),
    )


def found_for(request: UserRequest, asked: Asked) -> Confusion | None:
    if not asked.expert or not asked.system:
        return None
    return confusion_of(asked.reads, request.user, asked.expert, asked.system, asked.classes, asked.beta)


@require_GET
def confusion(request: UserRequest, slug: str) -> HttpResponse:
    """Show the matrix and the scores of each class. A cell in the address lists its documents."""
    asked = asked_of(request, slug)
    figures, campaign = found_for(request, asked), asked.reads.campaign
    context = {
        "campaign": campaign,
        "asked": asked,
        "found": figures,
        "classes": CLASSES,
        "betas": BETAS,
        "rows": list(matrix_rows(campaign.grades, figures)) if figures else [],
        "plot": roc_of(asked.reads, figures) if figures else None,
        "cell": cell_documents(request, asked.reads, figures) if figures else None,
    }
    return render(request, "metrics/confusion/confusion.html", context)


def roc_of(reads: CampaignReads, figures: Confusion) -> Plot | None:
    if figures.roc is None:
        return None
    topics = len(np.unique(reads.pooled.topic[figures.labels.pooled]))
    return grade_roc_plot(figures.roc, figures.system.name, topics)


class MatrixRow(NamedTuple):
    """A grade of the expert, the cells of its row, and their sum."""

    grade: Grade
    cells: list[dict[str, Any]]
    total: int


def matrix_rows(grades: tuple[Grade, ...], figures: Confusion) -> Iterator[MatrixRow]:
    """Yield the rows of the matrix. shade: 0 to 4, by the share of the row."""
    if figures.matrix is None:
        return
    for row, counts in zip(grades, figures.matrix.counts.tolist(), strict=True):
        total = sum(counts)
        cells = [
            {"count": n, "shade": round(4 * n / max(total, 1)), "same": row == column, "grade": column}
            for n, column in zip(counts, grades, strict=True)
        ]
        yield MatrixRow(row, cells, total)


class Cell(NamedTuple):
    """The documents of a cell of the matrix. documents: (topic, key, docno) of those on the page."""

    row: Grade
    column: Grade
    page: Page[int]
    documents: list[tuple[Topic, int, str]]

    @property
    def address(self) -> str:
        """The cell as a part of the address."""
        return urlencode({"row": self.row.value, "column": self.column.value})


def cell_documents(request: UserRequest, reads: CampaignReads, figures: Confusion) -> Cell | None:
    """Return the documents of the cell that the address names, by topic, or None. Raises Http404."""
    wanted = request.GET.get("row", ""), request.GET.get("column", "")
    if wanted == ("", "") or figures.matrix is None:
        return None
    places = {str(grade.value): place for place, grade in enumerate(reads.campaign.grades)}
    if not {*wanted} <= places.keys():
        raise Http404("There is no such grade.")
    row, column = (places[value] for value in wanted)
    labels, grades = figures.labels, reads.campaign.grades
    inside = labels.pooled[(labels.expert == row) & (labels.system == column)]
    inside = inside[reads.pooled.topic[inside].argsort(kind="stable")]
    page = Paginator(inside.tolist(), DOCUMENTS_A_PAGE).get_page(request.GET.get("page"))
    shown = reads.pooled.where(np.array(list(page), dtype=np.int64))
    topics = [reads.topics[place] for place in shown.topic.tolist()]
    docnos = [docno.decode() for docno in shown.docno.tolist()]
    return Cell(grades[row], grades[column], page, list(zip(topics, shown.pk.tolist(), docnos, strict=True)))


@require_GET
def confusion_file(request: UserRequest, slug: str) -> HttpResponse:
    """Send the scores of each class and their averages, with all digits."""
    figures = found_for(request, asked_of(request, slug))
    if figures is None:
        raise Http404("There are no two sources of labels.")
    return tsv_file(COLUMNS, figures.averages.rows, f"{slug}-confusion.tsv")
