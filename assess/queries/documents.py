"""The text, the language and the images of a document as its campaign shows them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from accounts.models import User
from assess.document.highlighting import Term
from assess.document.layout import DocumentPart, DocumentView, document_view, later_parts, readable_text
from assess.models import QueueEntry
from pooling.languages import document_language
from pooling.models import Campaign, Document, Image, ImageQuerySet, Role


def text_in(campaign: Campaign, document: Document) -> str:
    """Return the text to show; evidence is located in it. The stored text and its checksum do not change."""
    return readable_text(document.text, campaign.joins_lines)


def text_hashes(campaign: Campaign, docnos: Iterable[str]) -> dict[str, str]:
    """Return docno -> hash of its text; not of documents that are not here."""
    return dict(campaign.documents.filter(docno__in=set(docnos)).values_list("docno", "text_hash"))


def language_in(campaign: Campaign, document: Document | None) -> str:
    """Return the BCP 47 tag of a document, or "" if neither it nor the campaign has one."""
    return document_language(document.facts if document else (), campaign.language)


class WholeDocument(NamedTuple):
    """A document laid out in full. sheet: None without a text. parts: of the text, unless it is a page."""

    title: str
    language: str
    sheet: DocumentView | None
    parts: Sequence[DocumentPart]


def whole_document(campaign: Campaign, document: Document | None, terms: Sequence[Term]) -> WholeDocument:
    """Return a document laid out in full with highlighted terms; None stands for one that is not here."""
    sheet, parts = None, list[DocumentPart]()
    if document and (text := text_in(campaign, document)):
        sheet = document_view(text, terms)
        parts = [] if sheet.html else later_parts(text, terms, 0)
    title = document.title if document else ""
    return WholeDocument(title, language_in(campaign, document), sheet, parts)


def visible_images(user: User, campaign: Campaign) -> ImageQuerySet:
    """Return the images that the user may see: those of topics, and those of documents whose text is shown.

    Organisers and adjudicators see all documents, and judges those in their queues, in any state. The images
    of documents in a panel have addresses of their own.
    """
    if campaign.my_roles & {Role.ORGANISER, Role.ADJUDICATOR}:
        return campaign.images.all()
    images = campaign.images.of_any_topic()
    if Role.JUDGE in campaign.my_roles:
        entries = QueueEntry.objects.filter(judge=user, topic__campaign=campaign).order_by()
        images |= campaign.images.of_documents(entries.values_list("pooled__docno", flat=True))
    return images


def image_with(images: ImageQuerySet, sha256: str) -> Image | None:
    """Return one of these images by its checksum; equal images have the same file."""
    return images.filter(sha256=sha256).order_by("pk").first()
