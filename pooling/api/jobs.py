"""Background jobs in the API: a script asks for the state of one until it has ended."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router, Schema
from pydantic import Field

from accounts.requests import full_address
from pooling.api.access import PROBLEMS, PathKey, PathName, api_campaign
from pooling.models import Job, Role

router = Router(tags=["jobs"])


class JobOut(Schema):
    id: int
    title: str
    state: str = Field(
        description="held (until a pool is frozen), waiting, running, done, failed or cancelled."
    )
    done: int
    total: int = Field(description="0 if it is not known.")
    message: str = Field(description="What the job has done so far, or why it failed.")
    created_at: datetime
    finished_at: datetime | None
    result: str = Field(description="The address of the page with the result, once the job is done.")

    @staticmethod
    def resolve_result(job: Job, context: dict[str, Any]) -> str:
        return full_address(context["request"], job.result_url) if job.result_url else ""


@router.get("{slug}/jobs/{pk}/", response={200: JobOut, **PROBLEMS})
def job(request: HttpRequest, slug: PathName, pk: PathKey) -> Job:
    """The state of a background job."""
    return get_object_or_404(api_campaign(request, slug, Role.ORGANISER).jobs, pk=pk)
