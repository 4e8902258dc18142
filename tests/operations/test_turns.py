"""Labels take turns in a process; whatever else people do goes on meanwhile."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.urls import reverse

from config.operations.middleware import OUTBOX, Turn, in_turn


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


def test_a_turn_goes_to_whoever_asked_first() -> None:
    turn, had = Turn(), list[int]()

    def take(number: int) -> None:
        with turn:
            had.append(number)

    for _ in range(20):
        had.clear()
        people = [threading.Thread(target=take, args=[number]) for number in range(6)]
        with turn:
            for number, person in enumerate(people):
                person.start()
                while len(turn.waiting) < number + 2:  # with whoever has it
                    threading.Event().wait(0.001)
        with turn:  # whoever asks again queues again
            had.append(6)
        for person in people:
            person.join()
        assert had == [*range(7)]
