"""Topics in the API."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router, Schema

from pooling.api.access import PROBLEMS, PathName, api_campaign
from pooling.api.pages import Page, PageParameters, page_of
from pooling.models import Topic

router = Router(tags=["topics"])


class TopicOut(Schema):
    number: str
    title: str
    description: str
    narrative: str


@router.get("{slug}/topics/", response={200: Page[TopicOut], **PROBLEMS})
def topic_list(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The topics, by number as text."""
    return page_of(request, api_campaign(request, slug).topics.all(), "number", cut)


@router.get("{slug}/topics/{number}/", response={200: TopicOut, **PROBLEMS})
def topic(request: HttpRequest, slug: PathName, number: PathName) -> Topic:
    """One topic."""
    return get_object_or_404(api_campaign(request, slug).topics, number=number)
