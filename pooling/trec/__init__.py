"""Topics, documents and judgments <-> small records; what is wrong with a file is said with its line.

Every form is told from the content. Bad bytes raise `BadFile` or `BadLine` (`pooling.textfile`) only.
"""

from pooling.trec.documents import DocumentRecord, Reading, read_collection, read_documents
from pooling.trec.judgments import JudgmentRecord, read_judgments
from pooling.trec.topics import TopicRecord, read_topics

__all__ = [
    "DocumentRecord",
    "JudgmentRecord",
    "Reading",
    "TopicRecord",
    "read_collection",
    "read_documents",
    "read_judgments",
    "read_topics",
]
