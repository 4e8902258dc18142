"""Topics in the API."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import File, Router, Schema, Status
from ninja.files import UploadedFile

from pooling.api.access import PROBLEMS, WRITE_PROBLEMS, PathName, api_campaign, api_user
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Role, Topic
from pooling.services.files import read_upload
from pooling.services.topics import load_topics

router = Router(tags=["topics"])


class TopicOut(Schema):
    number: str
    title: str
    description: str
    narrative: str


class LoadedTopicsOut(Schema):
    loaded: int


@router.get("{slug}/topics/", response={200: Page[TopicOut], **PROBLEMS})
def topic_list(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The topics, by number as text."""
    return page_of(request, api_campaign(request, slug).topics.all(), "number", cut)


@router.post("{slug}/topics/", response={201: LoadedTopicsOut, **WRITE_PROBLEMS}, summary="Load topics")
def topic_load(request: HttpRequest, slug: PathName, file: File[UploadedFile]) -> Status[dict[str, int]]:
    """Add the topics of a file, in any format that the page reads. If one is invalid, none is added."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    count = load_topics(campaign, read_upload(file), file.name or "", api_user(request))
    return Status(201, {"loaded": count})


@router.get("{slug}/topics/{number}/", response={200: TopicOut, **PROBLEMS})
def topic(request: HttpRequest, slug: PathName, number: PathName) -> Topic:
    """One topic."""
    return get_object_or_404(api_campaign(request, slug).topics, number=number)
