"""Topics: the list, adding some after a preview, and one topic."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post, post_from, request_key
from pooling.formats.files import BadFile, unpack
from pooling.formats.typed_topics import typed_topics
from pooling.forms.previews import MOST_SENT_BACK, sent_back
from pooling.forms.tables import FieldChoice, field_choices, map_text
from pooling.forms.topics import TopicForm, TopicsSourceForm
from pooling.intake.tables import UnclearFields
from pooling.intake.topics import TopicFile, read_topic_file
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404, topic_page, topics_with_pool_sizes
from pooling.queries.images import topic_images
from pooling.queries.topics import earlier_wordings, is_pooled_topic
from pooling.services import topics as topic_services
from pooling.services.files import read_upload
from pooling.services.topics import TopicRefused, TopicText
from pooling.views.confirmation import confirmation_page, is_confirmed
from pooling.views.edits import one_at_a_time

PREVIEWED = 10  # topics that the preview shows
TYPED = "typed text"


class Source(NamedTuple):
    """What a person submitted. content: of a topic file. is_numbered: the topics got their numbers here."""

    content: bytes
    name: str
    is_numbered: bool = False

    @property
    def sent_back(self) -> str:
        """The content as a page sends it back; "" if it is too long for that."""
        back = sent_back(self.content)
        return back if len(back) <= MOST_SENT_BACK else ""


@get_or_post
def topic_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the topics; a POST shows what would be added, and a confirmed one adds it."""
    campaign = campaign_or_404(request.user, slug)
    form, refused = TopicsSourceForm(), None
    source, choices = None, list[FieldChoice]()
    if request.method == "POST":
        campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
        form = TopicsSourceForm(request.POST, request.FILES)
        if form.is_valid():
            try:
                source = source_of(campaign, form)
                return add_or_preview(request, campaign, source, form)
            except BadFile as error:
                refused = error
                if isinstance(error, UnclearFields) and source:
                    choices = field_choices(error, form.cleaned_data["map"])
    context = {
        "campaign": campaign,
        "topics": topic_page(campaign, request.GET.get("page", "1")),
        "is_new": not (campaign.runs.active().exists() or campaign.pools.exists()),
        "form": form,
        "refused": refused,
        "source": source,
        "choices": choices,
    }
    return render(request, "pooling/topic_list.html", context)


def add_or_preview(
    request: UserRequest, campaign: Campaign, source: Source, form: TopicsSourceForm
) -> HttpResponse:
    """Add the topics if that is confirmed, or if the preview cannot send the file back; else show them.

    Raises BadFile.
    """
    if not is_confirmed(request) and (back := source.sent_back):
        plain = unpack(source.content, source.name, settings.UPLOAD_LIMIT)
        read = read_topic_file(plain, source.name, form.reading())
        topic_services.check_new_topics(campaign, read.topics, source.name)
        context = {
            "campaign": campaign,
            "source": source,
            "count": len(read.topics),
            "notes": notes_of(source, read),
            "content": back,
            "map": map_text(form.cleaned_data["map"]),
            "first": read.topics[:PREVIEWED],
        }
        return render(request, "pooling/topic_preview.html", context)
    key, reading = request_key(request), form.reading()
    read = topic_services.load_topics(campaign, source.content, source.name, request.user, key, reading)
    count = len(read.topics)
    messages.success(request, f"{count:,} topic{pluralize(count)} added from {source.name}.")
    return redirect("pooling:topic_list", campaign.slug)


def source_of(campaign: Campaign, form: TopicsSourceForm) -> Source:
    """Return what was submitted. Raises BadFile."""
    data = form.cleaned_data
    if data["file"]:
        return Source(read_upload(data["file"]), data["file"].name or "")
    if data["text"]:
        content, is_numbered = typed_topics(data["text"], campaign.topics.values_list("number", flat=True))
        return Source(content, TYPED, is_numbered)
    return Source(data["content"], data["name"] or TYPED)


def notes_of(source: Source, read: TopicFile) -> list[str]:
    """Return how a file was read, and where its numbers come from, as sentences without their end."""
    first, last = read.topics[0].number, read.topics[-1].number
    if source.is_numbered:
        return [f"numbers {first} to {last} are assigned in the order of the lines"]
    return read.notes or ["numbers are taken from the topics"]


@require_GET
def topic(request: UserRequest, slug: str, number: str) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug)
    topic = get_object_or_404(topics_with_pool_sizes(campaign), number=number)
    context = {
        "campaign": campaign,
        "topic": topic,
        "topic_images": topic_images(topic),
        "is_pooled": is_pooled_topic(topic),
        "revisions": earlier_wordings(topic),
    }
    return render(request, "pooling/topic.html", context)


@get_or_post
@one_at_a_time
def topic_edit(request: UserRequest, slug: str, number: str) -> HttpResponse:
    """Change the texts of a topic: edited until it is pooled, reworded afterwards."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    topic = get_object_or_404(campaign.topics, number=number)
    is_pooled = is_pooled_topic(topic)
    form = TopicForm(request.POST or None, topic=topic, is_pooled=is_pooled)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        text = TopicText(data["title"], data["description"], data["narrative"])
        try:
            reason = data.get("reason", "")
            changed = topic_services.edit_topic(topic, text, data["terms"], request.user, reason)
        except TopicRefused as error:
            form.add_error(None, str(error))
        else:
            if changed:
                messages.success(request, f"Topic {number} is changed.")
            return redirect("pooling:topic", slug, number)
    context: dict[str, Any] = {"campaign": campaign, "topic": topic, "form": form, "is_pooled": is_pooled}
    return render(request, "pooling/topic_edit.html", context)


@post_from("pooling:topic", "number")
def topic_remove(request: UserRequest, slug: str, number: str) -> HttpResponse:
    """Remove a topic of which no document is pooled, after a question."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    topic = get_object_or_404(campaign.topics, number=number)
    if not is_pooled_topic(topic) and not is_confirmed(request):
        return confirmation_page(request, campaign, "pooling/confirm/topic_remove.html", topic=topic)
    try:
        topic_services.remove_topic(topic, request.user)
    except TopicRefused as error:
        messages.warning(request, str(error))
        return redirect("pooling:topic", slug, number)
    messages.success(request, f"Topic {number} is removed.")
    return redirect("pooling:topic_list", slug)
