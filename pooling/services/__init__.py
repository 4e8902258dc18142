"""The only writers of the ground floor, one module a noun. They never see a request."""

from pooling.services.documents import Import, import_documents, reading_of
from pooling.services.people import (
    InvitationSpent,
    accept_invitation,
    add_member,
    create_campaign,
    invite,
    join_as_new_user,
    open_invitation,
    remove_member,
)
from pooling.services.pools import PoolRefused, freeze_pool, store_pool
from pooling.services.runs import Submission, keep_file, number_docnos, run_files, submit_run
from pooling.services.topics import load_topics

__all__ = [
    "Import",
    "InvitationSpent",
    "PoolRefused",
    "Submission",
    "accept_invitation",
    "add_member",
    "create_campaign",
    "freeze_pool",
    "import_documents",
    "invite",
    "join_as_new_user",
    "keep_file",
    "load_topics",
    "number_docnos",
    "open_invitation",
    "reading_of",
    "remove_member",
    "run_files",
    "store_pool",
    "submit_run",
]
