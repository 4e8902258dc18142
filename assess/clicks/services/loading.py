"""Load click logs."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterable, Sequence
from tempfile import SpooledTemporaryFile
from typing import IO, Any, NamedTuple, cast

from django.conf import settings
from django.urls import reverse

from accounts.models import User
from accounts.services import make_once
from assess.clicks.click_csv import read_click_csv
from assess.clicks.click_table import ClickTable, Selection, select_lists
from assess.clicks.coec import coec
from assess.clicks.pbm import pbm
from assess.clicks.query_mapping import queries_of_topics, read_query_mapping
from assess.clicks.sdbn import sdbn
from assess.clicks.services.withdrawals import withdraw_click_log
from assess.clicks.shown_results import count_cells
from assess.clicks.ubi import read_ubi
from assess.models import ClickedDocument, ClickLog
from pooling.campaign_states import check_additions
from pooling.checksum import sha256_of_parts
from pooling.formats.archives import archive_files
from pooling.formats.files import BadFile, ByteBudget, open_unpacked
from pooling.models import Campaign, Job, PooledDocument
from pooling.services.audit_log import log_change
from pooling.services.files import PIECE_BYTES, insert_rows
from pooling.services.jobs import finish, report_progress
from pooling.words import counted

MAPPING = "mapping"  # the member of a bundle with the queries of topics
READING = "Reading the click log; nothing is stored yet"

NamedFiles = Sequence[tuple[str, IO[bytes]]]


class LogDetails(NamedTuple):
    """What is known of a log before it is read.

    files: (name, SHA-256) of each. least_people: who must have asked a query for it to count. replaces: the
    number of the log that is withdrawn when this one is stored.
    """

    files: list[tuple[str, str]]
    least_people: int
    replaces: int | None = None


def log_details(files: NamedFiles, least_people: int, replaces: int | None = None) -> LogDetails:
    """Return the checksums of files; each is read, and then stands at its beginning again.

    Raises BadFile, unread, for more bytes than may be unpacked.
    """
    size = sum(cast(Any, file).size for _, file in files)
    if size > settings.UPLOAD_LIMIT:
        message = f"expected at most {settings.UPLOAD_LIMIT:,} bytes after unpacking, found {size:,}"
        raise BadFile(message, name=files[0][0])
    details = []
    for name, file in files:
        details.append((name, sha256_of_parts(iter(lambda file=file: file.read(PIECE_BYTES), b""))))  # type: ignore[misc]
        file.seek(0)
    return LogDetails(details, least_people, replaces)


def load_click_log(
    campaign: Campaign,
    user: User,
    files: Iterable[tuple[str, IO[bytes]]],
    mapping: bytes,
    details: LogDetails,
    stored: Callable[[ClickLog], None] = lambda log: None,
    key: str = "",
) -> ClickLog:
    """Read a click log and store its counts and the values of the click models. Nothing else of it is stored.

    files: unpacked content by name, as `unpacked_files` or a bundle yields it. mapping: lines of a query, a
    TAB and a topic. stored: is called in the transaction. key: see `make_once`. Raises BadFile,
    ClickLogRefused and StateRefused, and BadFile too where no topic is in the log or no pooled document was
    shown.
    """
    check_additions(campaign.state)
    titles = dict(campaign.topics.values_list("number", "title"))
    mapped = read_query_mapping(mapping, titles, "query mapping")
    form, table = read_click_log(files)
    selection = select_lists(table, queries_of_topics(titles, mapped), details.least_people)
    if not selection.shown.lists:
        raise BadFile(_nothing_used(selection, details.least_people), name=details.files[0][0])
    log = ClickLog(
        campaign=campaign,
        form=form,
        files=details.files,
        parameters={"least_people": details.least_people, "mapped_queries": len(mapped)},
        loaded_by=user,
    )
    log.first_day, log.last_day = table.days or (None, None)

    def store() -> ClickLog:
        _store(log, table, selection)
        if details.replaces is not None:
            older = campaign.click_logs.get(number=details.replaces)
            ClickLog.objects.filter(pk=log.pk).update(name=older.name, note=older.note)
            log.refresh_from_db(fields=["name", "note"])
            withdraw_click_log(older, user, f"Replaced by Click log {log.number}.")
        stored(log)
        return log

    return make_once(user, key, ClickLog, store)


def _nothing_used(selection: Selection, least: int) -> str:
    counts = selection.counts
    return (
        "expected a query that is the title or number of a topic, or is mapped to one, and that at least "
        f"{least} people asked; found queries of no topic: {counts['unmatched_queries']:,}, and queries "
        f"asked by fewer people: {counts['rare_queries']:,}"
    )


def unpacked_files(files: NamedFiles) -> list[tuple[str, IO[bytes]]]:
    """Return plain, gz, bz2 or xz files opened for reading, with one limit for all. Raises BadFile."""
    budget = ByteBudget(settings.UPLOAD_LIMIT)
    return [(name, open_unpacked(file, name, budget)) for name, file in files]


def read_click_log(files: Iterable[tuple[str, IO[bytes]]]) -> tuple[str, ClickTable]:
    """Return the form of a click log, told from its first byte, and its content. Raises BadFile."""
    rest = iter(files)
    name, file = next(rest)
    start = cast(io.BufferedReader, file).peek(16).removeprefix(b"\xef\xbb\xbf").lstrip()
    form = ClickLog.Form.UBI if start.startswith(b"{") else ClickLog.Form.CSV
    reader = read_ubi if form == ClickLog.Form.UBI else read_click_csv

    def all_files() -> Iterable[tuple[str, IO[bytes]]]:
        yield name, file
        yield from rest

    return form, reader(all_files())


def _store(log: ClickLog, table: ClickTable, selection: Selection) -> None:
    """Give the log its number, and store it with its documents, in the caller's transaction."""
    campaign = Campaign.objects.select_for_update().get(pk=log.campaign.pk)  # one number at a time
    last = campaign.click_logs.first()
    log.number = last.number + 1 if last else 1
    cells = count_cells(selection.shown)
    positions = pbm(cells)
    impressions, clicks = cells.by_pair(cells.impressions), cells.by_pair(cells.clicks)
    keys = _pooled_keys(campaign, {topic for topic, _ in selection.pairs})
    places = [place for place, pair in enumerate(selection.pairs) if pair in keys]
    if not places:
        raise BadFile("expected a shown document that is pooled, found none", name=log.files[0][0])
    left_out = {"pairs": len(selection.pairs), "pairs_not_pooled": len(selection.pairs) - len(places)}
    log.counts = dict(table.counts) | selection.counts | left_out
    of_rank = zip(
        cells.by_rank(cells.impressions), cells.by_rank(cells.clicks), positions.examination, strict=True
    )
    log.rates = [
        [rank, int(shown), int(hits), float(examination)]
        for rank, (shown, hits, examination) in enumerate(of_rank)
        if shown
    ]
    log.save()
    insert_rows(
        ClickedDocument,
        len(places),
        log_id=log.pk,
        pooled_id=[keys[selection.pairs[place]] for place in places],
        impressions=impressions[places].astype(int).tolist(),
        clicks=clicks[places].astype(int).tolist(),
        coec=coec(cells)[places].tolist(),
        sdbn=sdbn(selection.shown).relevance[places].tolist(),
        pbm=positions.attraction[places].tolist(),
    )
    sessions, topics = log.counts["used_lists"], log.counts["used_topics"]
    summary = f"{log}: {counted(sessions, 'session')} of {counted(topics, 'topic')}"
    checksums = [checksum for _, checksum in log.files]
    log_change(campaign, log.loaded_by, "loaded a click log", summary, number=log.number, sha256=checksums)


def _pooled_keys(campaign: Campaign, topics: set[str]) -> dict[tuple[str, str], int]:
    pooled = PooledDocument.objects.filter(pool__campaign=campaign).order_by()
    rows = pooled.values_list("topic__number", "docno", "pk").iterator(chunk_size=10_000)
    return {(topic, docno): pk for topic, docno, pk in rows if topic in topics}


def bundle(files: NamedFiles, mapping: bytes) -> IO[bytes]:
    """Return the files of a job as one file: a zip archive of members that are named by their number."""
    packed: IO[bytes] = SpooledTemporaryFile(max_size=PIECE_BYTES)  # noqa: SIM115  the caller closes it
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(MAPPING, mapping)
        for number, (_, file) in enumerate(files):
            with archive.open(str(number), "w", force_zip64=True) as member:
                while piece := file.read(PIECE_BYTES):
                    member.write(piece)
    packed.seek(0)
    return packed


def load_in_background(job: Job) -> None:
    """Load the click log of a job. A failed attempt leaves nothing behind. Raises BadFile and Stopped.

    Arguments of the job: those of LogDetails.
    """
    details = LogDetails(
        [(name, checksum) for name, checksum in job.arguments["files"]],
        job.arguments["least_people"],
        job.arguments.get("replaces"),
    )

    def stored(log: ClickLog) -> None:
        place = reverse("assess:click_log", args=[job.campaign.slug, log.number])
        finish(job, f"{log} is loaded: {counted(log.counts['used_lists'], 'session')}", place)

    report_progress(job, 0, 0, READING)
    with job.upload.open("rb") as file:
        members = archive_files(file, job.title, settings.UPLOAD_LIMIT)
        _, first = next(members)
        mapping = first.read()
        named = ((details.files[int(number)][0], content) for number, content in members)
        load_click_log(job.campaign, job.user, named, mapping, details, stored)
