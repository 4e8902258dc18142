"""The pages of the measures in the registry."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from metrics.formulas import SYMBOLS
from metrics.kinds import FAMILIES, KINDS
from metrics.worked_example import COLLECTION, MISSED, RANKING, BadExample, read_example, work_out

NEEDS = {
    "qrels": "",
    "judges": "qrels that keep the judges apart",
    "subtopics": "qrels with subtopics",
    "strata": "sampled judgments with strata (prels)",
    "preferences": "preferences between documents",
}


@require_GET
def measure_list(request: UserRequest) -> HttpResponse:
    families = [(family.title, [KINDS[kind.name] for kind in family.kinds]) for family in FAMILIES]
    return render(request, "metrics/measure_list.html", {"families": families, "count": len(KINDS)})


@require_GET
def measure(request: UserRequest, name: str) -> HttpResponse:
    """Explain one kind of measure, with an example whose grades are parameters of the request."""
    if name not in KINDS:
        raise Http404(f"There is no measure {name}.")
    kind = KINDS[name]
    ranking, missed = request.GET.get("ranking", RANKING), request.GET.get("missed", MISSED)
    refused = ""
    try:
        documents = read_example(ranking, missed)
    except BadExample as error:
        refused, documents = f"{error}", read_example(RANKING, MISSED)
    worked = work_out(kind, documents)
    context = {
        "kind": kind,
        "signs": [(sign, meaning) for sign, meaning in SYMBOLS.items() if _uses(kind.formula, sign)],
        "needs": NEEDS[kind.needs],
        "ranking": ranking,
        "missed": missed,
        "refused": refused,
        "worked": worked,
        "rows": [
            (each, worked.steps[each.rank - 1] if each.rank else None, bool(each.grade and each.grade >= 1))
            for each in worked.documents
        ],
        "collection": COLLECTION if "N" in kind.parameters else None,
    }
    return render(request, "metrics/measure.html", context)


def _uses(text: str, sign: str) -> bool:
    """Tell whether a formula contains one of the symbols of `sign`, which are separated by commas."""
    return any(
        word in text.replace("(", " ( ").split() if word.isalnum() else word in text
        for word in sign.split(", ")
    )
