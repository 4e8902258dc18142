"""Sets of work for judges in the API: what battles, gradings and the other kinds have in common.

A feature package adds the operations of its kind to its own router by `add_set_operations`.
"""

from __future__ import annotations

import secrets
from typing import Any, cast

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router, Schema, Status
from pydantic import Field

from accounts.models import User
from accounts.requests import UserRequest, request_key
from assess.forms.judged_sets import USUAL_DOUBLE, HandoverForm
from assess.queries.judged_sets import JudgedKind, SetProgress
from assess.services.judged_sets import give_open_tasks
from assess.views.judged_sets import SetPages, set_or_404
from pooling.api.access import (
    PROBLEMS,
    WRITE_PROBLEMS,
    Body,
    PathName,
    PathNumber,
    Text,
    api_campaign,
    api_user,
    checked,
    choose_by,
    form_values,
)
from pooling.models import Role

LARGEST_SEED = 2**31 - 1


class SetIn(Body):
    """A set of work for judges, whose sign-in names are given. For subclasses, with the fields of a form."""

    judges: list[Text] = Field(min_length=1, max_length=1000)
    topics: list[Text] = Field(
        ["all"], min_length=1, max_length=10_000, description="Numbers; `all` for all."
    )
    double: int | None = Field(
        None, ge=0, le=100, description="Per cent that two judges get; null: 10, or 0 with one judge."
    )
    seed: int | None = Field(
        None, ge=0, le=LARGEST_SEED, description="Decides judges and order; null: a random one."
    )

    def values(self) -> dict[str, Any]:
        """Return the values of the form of the page."""
        seed = secrets.randbelow(LARGEST_SEED) if self.seed is None else self.seed
        double = USUAL_DOUBLE * (len(set(self.judges)) > 1) if self.double is None else self.double
        return self.dict() | {"topics": " ".join(self.topics), "double": double, "seed": seed}


class InstructedSetIn(SetIn):
    instructions: Text = Field("", max_length=1000, description="Judges read them under every question.")


class AnswerSetIn(InstructedSetIn):
    runs: list[Text] = Field(min_length=1, max_length=1000, description="Tags of answer runs.")


class MadeSetOut(Schema):
    number: int
    tasks: int = Field(description="Of all judges.")


class JudgeProgressOut(Schema):
    judge: str = Field(alias="judge.username")
    total: int
    done: int


class SetProgressOut(Schema):
    """How far the judges of a set are."""

    total: int
    done: int
    judges: list[JudgeProgressOut]
    withdrawn: list[str] = Field(description="Tags of runs whose answers nobody sees any more.")


class HandoverIn(Body):
    judge: Text = Field(min_length=1, max_length=150, description="The sign-in name of who stops.")
    others: list[Text] = Field(min_length=1, max_length=1000, description="Who gets what is open.")


class HandoverOut(Schema):
    """What became of the open tasks of a judge."""

    given: dict[str, int] = Field(description="Sign-in name -> how many tasks that judge got.")
    dropped: int = Field(description="Tasks that mean something for the first judge only.")
    kept: int = Field(description="Tasks that are begun, or that nobody else can take.")


def add_set_operations(router: Router, place: str, title: str, pages: SetPages, body: type[SetIn]) -> None:
    """Add the operations of a kind of sets: make one, its progress, hand over, discard.

    place: in addresses, as in "battles". title: of a set, as in "a set of battles". body: of a new set; its
    `values` are those of the form of the page.
    """
    kind = pages.kind

    def make(request: HttpRequest, slug: PathName, about: Any) -> Status[dict[str, int]]:
        """Give judges their work; they see it at once.

        A request that is sent again with the same header `Idempotency-Key` makes no second set.
        """
        campaign = api_campaign(request, slug, Role.ORGANISER)
        form: Any = pages.form(form_values(about.values()), campaign=campaign)  # type: ignore[call-arg]
        choose_by(form, "judges", "username")
        stored = pages.create(campaign, api_user(request), checked(form).asked(), request_key(request))
        return Status(201, {"number": stored.number, "tasks": kind.all_tasks(stored).count()})

    def progress(request: HttpRequest, slug: PathName, number: PathNumber) -> SetProgress:
        """How far each judge is."""
        return pages.progress(set_or_404(cast(UserRequest, request), slug, number, pages))

    def handover(
        request: HttpRequest, slug: PathName, number: PathNumber, about: HandoverIn
    ) -> dict[str, Any]:
        """Give what a judge has not finished to others. Every label stays."""
        judged_set = set_or_404(cast(UserRequest, request), slug, number, pages)
        return hand_over(judged_set, kind, about, api_user(request))

    def discard(request: HttpRequest, slug: PathName, number: PathNumber) -> Status[None]:
        """Delete a set in which judges have given no label."""
        pages.discard(set_or_404(cast(UserRequest, request), slug, number, pages), api_user(request))
        return Status(204, None)

    make.__annotations__["about"] = body
    for operation in (make, progress, handover, discard):
        operation.__name__ = f"{kind.name}_{operation.__name__}"
    root, of_one = f"{{slug}}/{place}/", f"{{slug}}/{place}/{{number}}/"
    post, made = router.post, {201: MadeSetOut, **WRITE_PROBLEMS}
    post(root, response=made, summary=f"Make {title}")(make)
    answer: dict[int, Any] = {200: SetProgressOut, **PROBLEMS}
    router.get(f"{of_one}progress/", response=answer, summary=f"Progress of {title}")(progress)
    answer = {200: HandoverOut, **WRITE_PROBLEMS}
    post(f"{of_one}handover/", response=answer, summary=f"Hand over work in {title}")(handover)
    answer = {204: None, **WRITE_PROBLEMS}
    post(f"{of_one}discard/", response=answer, summary=f"Discard {title}")(discard)


def hand_over(about: Any, kind: JudgedKind, asked: HandoverIn, by: User) -> dict[str, Any]:
    """Give the open tasks of a judge to others; return what `HandoverOut` says."""
    own = User.objects.filter(pk__in=kind.all_tasks(about).values("judge"))
    judge = get_object_or_404(own, username=asked.judge)
    form = HandoverForm(form_values({"others": asked.others}), judges=kind.successors(about, judge))
    choose_by(form, "others", "username")
    others = list(checked(form).cleaned_data["others"])
    planned = give_open_tasks(kind, about, judge, others, by)
    given = {taker.username: count for taker, count in planned.shares}
    return {"given": given, "dropped": len(planned.dropped), "kept": planned.kept}
