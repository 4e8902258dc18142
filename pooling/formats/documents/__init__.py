"""Documents: what the judges read, from the forms in which collections are handed out."""

from pooling.formats.documents.elements import PRESETS, Elements, mapping
from pooling.formats.documents.reading import FORMS, Reading, read_collection, read_documents
from pooling.formats.documents.record import DocumentRecord

__all__ = [
    "FORMS",
    "PRESETS",
    "DocumentRecord",
    "Elements",
    "Reading",
    "mapping",
    "read_collection",
    "read_documents",
]
