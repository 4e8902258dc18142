"""Labels take turns in a process; whatever else people do goes on meanwhile."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.urls import reverse

from config.operations.middleware import OUTBOX, in_turn


def test_the_judges_outbox_is_where_turns_are_taken() -> None:
    assert reverse("assess:outbox", args=["tiny"]).endswith(OUTBOX)


def test_labels_are_taken_one_after_the_other_and_a_page_beside_them() -> None:
    page_seen, steps = threading.Event(), list[str]()

    def view(request: HttpRequest) -> HttpResponse:
        if request.method == "GET":
            page_seen.set()
        else:
            steps.append(f"{request.body.decode()} begins")
            assert page_seen.wait(timeout=60)  # a label that is under way keeps no page waiting
            steps.append(f"{request.body.decode()} ends")
        return HttpResponse("done")

    answer, ask = in_turn(view), RequestFactory()
    with ThreadPoolExecutor() as threads:
        parcels = [ask.post(f"/campaigns/tiny{OUTBOX}", str(n), "application/json") for n in range(8)]
        labels = [threads.submit(answer, parcel) for parcel in parcels]
        assert answer(ask.get("/campaigns/tiny/")).status_code == 200
    assert [label.result().status_code for label in labels] == [200] * 8
    order = [step.split()[0] for step in steps[::2]]
    assert sorted(order) == [str(n) for n in range(8)]
    assert steps == [f"{n} {step}" for n in order for step in ("begins", "ends")]
