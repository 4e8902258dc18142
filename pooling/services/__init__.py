"""The only writers of the ground floor, one module a noun. They never see a request."""

from pooling.services.documents import Import, Step, import_documents, import_upload, reading_of
from pooling.services.files import read_upload
from pooling.services.jobs import Stopped, advance, cancel_job, finish, report_progress, start_job, work
from pooling.services.people import (
    InvitationSpent,
    MemberRefused,
    ShortNameTaken,
    accept_invitation,
    add_member,
    create_campaign,
    invite,
    join_as_new_user,
    open_invitation,
    remove_member,
    revoke_invitation,
)
from pooling.services.pools import PoolRefused, freeze_pool, store_pool
from pooling.services.runs import (
    Submission,
    run_files,
    submit_run,
    submit_upload,
)
from pooling.services.topics import load_topics
from pooling.services.trail import note

__all__ = [
    "Import",
    "InvitationSpent",
    "MemberRefused",
    "PoolRefused",
    "ShortNameTaken",
    "Step",
    "Stopped",
    "Submission",
    "accept_invitation",
    "add_member",
    "advance",
    "cancel_job",
    "create_campaign",
    "finish",
    "freeze_pool",
    "import_documents",
    "import_upload",
    "invite",
    "join_as_new_user",
    "load_topics",
    "note",
    "open_invitation",
    "read_upload",
    "reading_of",
    "remove_member",
    "report_progress",
    "revoke_invitation",
    "run_files",
    "start_job",
    "store_pool",
    "submit_run",
    "submit_upload",
    "work",
]
