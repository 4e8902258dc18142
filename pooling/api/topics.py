"""Topics in the API."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import File, Form, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from pooling.api.access import (
    MAP_FIELD,
    PROBLEMS,
    WRITE_PROBLEMS,
    Body,
    MapText,
    PathName,
    PathTopic,
    Text,
    api_campaign,
    api_user,
    checked,
    chosen_fields,
    form_values,
)
from pooling.api.pages import Page, PageParameters, page_of
from pooling.forms.topics import TopicForm
from pooling.intake.fields import TOPICS
from pooling.intake.tables import OF_FORMS, Reading
from pooling.limits import MAX_TITLE, MAX_TOPIC_TEXT
from pooling.models import Role, Topic
from pooling.queries.topics import is_pooled_topic
from pooling.services.files import read_upload
from pooling.services.topics import TopicText, edit_topic, load_topics, remove_topic

router = Router(tags=["topics"])


class TopicOut(Schema):
    number: str
    title: str
    description: str
    narrative: str
    terms: str = Field(description="Words to highlight besides those of the title, one on a line.")


class TopicIn(Body):
    """Texts to change; the others stay."""

    title: Text = Field("", max_length=MAX_TITLE)
    description: Text = Field("", max_length=MAX_TOPIC_TEXT)
    narrative: Text = Field("", max_length=MAX_TOPIC_TEXT)
    terms: Text = Field("", max_length=5000, description="Words to highlight, one on a line.")
    reason: Text = Field("", max_length=500, description="Needed once documents of the topic are pooled.")


class TopicsIn(Schema):
    """How a file of topics is read."""

    map: MapText = MAP_FIELD


class LoadedTopicsOut(Schema):
    loaded: int
    notes: list[str] = Field(description="How the file was read, and what of it was left out.")


@router.get("{slug}/topics/", response={200: Page[TopicOut], **PROBLEMS})
def topic_list(request: HttpRequest, slug: PathName, cut: PageParameters) -> dict[str, Any]:
    """The topics, by number as text."""
    return page_of(request, api_campaign(request, slug).topics.all(), "number", cut)


@router.post("{slug}/topics/", response={201: LoadedTopicsOut, **WRITE_PROBLEMS}, summary="Load topics")
def topic_load(
    request: HttpRequest, slug: PathName, file: File[UploadedFile], about: Form[TopicsIn]
) -> Status[dict[str, Any]]:
    """Add the topics of a file, in any format that the page reads. If one is invalid, none is added."""
    campaign = api_campaign(request, slug, Role.ORGANISER)
    reading = Reading(chosen_fields(about.map, TOPICS), {}, OF_FORMS)
    read = load_topics(campaign, read_upload(file), file.name or "", api_user(request), reading=reading)
    return Status(201, {"loaded": len(read.topics), "notes": read.notes})


@router.get("{slug}/topics/{topic:number}/", response={200: TopicOut, **PROBLEMS})
def topic(request: HttpRequest, slug: PathName, number: PathTopic) -> Topic:
    """One topic."""
    return get_object_or_404(api_campaign(request, slug).topics, number=number)


@router.patch(
    "{slug}/topics/{topic:number}/", response={200: TopicOut, **WRITE_PROBLEMS}, summary="Change a topic"
)
def topic_change(request: HttpRequest, slug: PathName, number: PathTopic, about: TopicIn) -> Topic:
    """Change texts of a topic. Once it is pooled, members see the earlier wording and the reason."""
    topic = get_object_or_404(api_campaign(request, slug, Role.ORGANISER).topics, number=number)
    stored = {name: getattr(topic, name) for name in (*TopicText._fields, "terms")}
    values = stored | about.dict(exclude_unset=True)
    form = checked(TopicForm(form_values(values), topic=topic, is_pooled=is_pooled_topic(topic)))
    text = TopicText(*(form.cleaned_data[name] for name in TopicText._fields))
    reason = form.cleaned_data.get("reason", "")
    edit_topic(topic, text, form.cleaned_data["terms"], api_user(request), reason)
    topic.refresh_from_db()
    return topic


@router.delete(
    "{slug}/topics/{topic:number}/", response={204: None, **WRITE_PROBLEMS}, summary="Remove a topic"
)
def topic_remove(request: HttpRequest, slug: PathName, number: PathTopic) -> Status[None]:
    """Remove a topic of which no document is pooled."""
    topic = get_object_or_404(api_campaign(request, slug, Role.ORGANISER).topics, number=number)
    remove_topic(topic, api_user(request))
    return Status(204, None)
