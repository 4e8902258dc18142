"""Limits on uploads, checked before a file is stored."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler, SkipFile

MAX_FILES_A_FORM = 4  # of the largest allowed size; a request body may be as large as these together


class UploadLimits(FileUploadHandler):
    """Refuse a body above four times JURYPOOL_UPLOAD_MB unread, and drop files of anonymous requests.

    Django reads a form before the view checks permissions: without these limits an anonymous client could
    fill the disk during a request.
    """

    def handle_raw_input(
        self, input_data: Any, META: Any, content_length: int, boundary: str, encoding: str | None = None
    ) -> None:
        most = MAX_FILES_A_FORM * settings.UPLOAD_LIMIT
        if content_length > most:
            raise RequestDataTooBig(f"expected at most {most:,} bytes, found {content_length:,}")

    def new_file(self, *args: Any, **options: Any) -> None:
        super().new_file(*args, **options)
        if self.request is None or not self.request.user.is_authenticated:
            raise SkipFile

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data  # on to the handlers that keep it

    def file_complete(self, file_size: int) -> None:
        return None
