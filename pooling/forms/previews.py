"""A file that is shown before it is stored: the preview sends its content back."""

from __future__ import annotations

import base64
import binascii
import gzip

from django import forms
from django.conf import settings

from pooling.formats.files import BadFile, unpack

MOST_SENT_BACK = 2_000_000  # characters of a file that the preview sends back; Django takes 2.5 MB of fields


class PreviewMixin(forms.Form):
    """content: gzip in Base64, as the preview sends it back. name: of the file that it came from."""

    content = forms.CharField(required=False, widget=forms.HiddenInput)
    name = forms.CharField(required=False, widget=forms.HiddenInput, max_length=255)

    def clean_content(self) -> bytes:
        text = self.cleaned_data["content"]
        try:
            return unpack(base64.b64decode(text.encode(), validate=True), "", settings.UPLOAD_LIMIT)
        except (binascii.Error, BadFile, UnicodeError):
            self.add_error(None, "The content of the preview is damaged. Choose the file again.")
            return b""


def sent_back(content: bytes) -> str:
    """Return a content as the preview sends it back."""
    return base64.b64encode(gzip.compress(content, mtime=0)).decode()
