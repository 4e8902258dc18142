"""The text and the language of a document as its campaign shows it."""

from __future__ import annotations

from assess.document.layout import readable_text
from pooling.languages import document_language
from pooling.models import Campaign, Document


def text_in(campaign: Campaign, document: Document) -> str:
    """Return the text to show; evidence is located in it. The stored text and its checksum do not change."""
    return readable_text(document.text, campaign.joins_lines)


def language_in(campaign: Campaign, document: Document | None) -> str:
    """Return the BCP 47 tag of a document, or "" if neither it nor the campaign has one."""
    return document_language(document.facts if document else (), campaign.language)
