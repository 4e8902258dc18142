"""Documents in the API: the texts that judges read."""

from __future__ import annotations

from typing import Any, Literal, cast

from django.http import HttpRequest
from ninja import File, Form, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from accounts.requests import UserRequest
from pooling.api.access import (
    MAP_FIELD,
    WRITE_PROBLEMS,
    MapText,
    PathName,
    Text,
    api_campaign,
    checked,
)
from pooling.api.jobs import JobOut
from pooling.formats.documents.reading import FORMS
from pooling.forms.documents import DocumentsForm
from pooling.models import Role
from pooling.views.documents import import_one

router = Router(tags=["documents"])


class DocumentsIn(Schema):
    keep: Literal["pooled", "all"] = Field("pooled", description="Which documents of the file to store.")
    form: Text = Field("", description=f"The format: {', '.join(FORMS)}, images. By default it is detected.")
    replace: bool = Field(
        False, description="Also replace texts for which labels were given. Otherwise the file is refused."
    )
    map: MapText = MAP_FIELD
    elements: Text = Field(
        "", max_length=1000, description="XML elements: `document=DOC docno=DOCNO title=TITLE text=TEXT`."
    )


class ImportOut(Schema):
    read: int
    stored: int
    repaired: int = Field(description="Documents with characters that are not UTF-8.")
    repeated: int = Field(description="Documents with a docno that occurred before in the file.")
    otherwise: int = Field(0, description="Repeated documents with another text.")
    added: int = Field(0, description="Stored documents without an earlier text.")
    unchanged: int = Field(0, description="Stored documents with the same title and text as before.")
    replaced: int = Field(0, description="Stored documents with another title or text than before.")
    left: dict[str, int] = Field(
        {}, description="Field with a long text that was not read -> how many documents have it."
    )
    advice: str = Field("", description="Why nothing was stored, and what to do.")


@router.post(
    "{slug}/documents/",
    response={201: ImportOut, 202: JobOut, **WRITE_PROBLEMS},
    summary="Load documents",
)
def document_load(
    request: HttpRequest, slug: PathName, file: File[UploadedFile], about: Form[DocumentsIn]
) -> Status[Any]:
    """Load the documents of a file or of a zip archive; a docno that is stored gets the new text.

    A zip archive of images (`documents/DOCNO.png`, `topics/NUMBER/NAME.jpg`) replaces the images of its
    documents and topics; the counts are those of images.

    A large file is loaded by a background job: the status is 202, and the body describes the job. The same
    holds before the first pool if only pooled documents are wanted: the job waits until a pool is frozen.
    """
    campaign = api_campaign(request, slug, Role.ORGANISER)
    form = checked(DocumentsForm(about.dict(), request.FILES))
    line = import_one(cast(UserRequest, request), campaign, form, file)
    if refused := line.get("refused"):
        raise refused
    if "job" in line:
        return Status(202, line["job"])
    if images := line.get("images"):
        return Status(201, {"read": images.read, "stored": images.stored, "repaired": 0, "repeated": 0})
    done = line["done"]
    return Status(201, done._asdict() | {"unchanged": done.unchanged, "advice": done.advice})
