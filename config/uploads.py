"""What is looked at before a file is taken in: how much is coming, and from whom."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler, SkipFile

FILES_A_FORM = 4  # of the largest size that is taken; of smaller ones as many more


class Limits(FileUploadHandler):
    """Refuses a body above four times JURYPOOL_UPLOAD_MB unread, and drops files of who is not signed in.

    A form is read before a view is asked whether this person may send it: without this anybody could fill
    the disk for as long as a request lasts.
    """

    def handle_raw_input(
        self, input_data: Any, META: Any, content_length: int, boundary: str, encoding: str | None = None
    ) -> None:
        most = FILES_A_FORM * settings.UPLOAD_LIMIT
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
