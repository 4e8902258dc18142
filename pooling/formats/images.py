"""Images of documents and topics: recognised by their bytes, read from a zip archive of a fixed layout."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import IO, NamedTuple
from urllib.parse import quote, unquote

import imagesize

from pooling.checksum import sha256_of
from pooling.formats.archives import archive_files
from pooling.formats.files import BadFile
from pooling.limits import (
    MAX_IMAGE_BYTES,
    MAX_IMAGE_NAME,
    MAX_IMAGE_PIXELS,
    MAX_IMAGE_SIDE,
    MAX_IMAGES,
    MAX_IMAGES_OF_UPLOAD,
    MAX_NAME_BYTES,
)

SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp"}
"""media type -> suffix of the stored file. SVG is missing because it can hold scripts and links."""
_SIGNATURES = {
    "image/png": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "image/jpeg": re.compile(rb"\xff\xd8\xff"),
    "image/gif": re.compile(rb"GIF8[79]a"),
    "image/webp": re.compile(rb"RIFF....WEBP", re.DOTALL),
}
_NAME_OF_IMAGE = re.compile(r"\.(png|jpe?g|gif|webp|svg)\Z", re.IGNORECASE)
_MEMBER = re.compile(r"(?P<folder>documents|topics)/(?P<owner>[^/]+)(?:/(?P<name>[^/]+))?\Z")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
EXPECTED_LAYOUT = (
    "expected documents/DOCNO.png, documents/DOCNO/NAME.png, topics/NUMBER.png or topics/NUMBER/NAME.png"
)
FAULTS_SHOWN = 10


SHOWN_HEIGHT = 400  # pixels: a taller image is scaled down, and a link opens it in full size


class ImageHeader(NamedTuple):
    """What the first bytes of an image say. width, height: pixels, as a browser shows it."""

    media_type: str
    width: int
    height: int


class ImageRecord(NamedTuple):
    """An image of a document or a topic; the other of `docno` and `topic` is "".

    place: counts from 1 in the order of the names; 0 before `in_order`. name: the file name. content: bytes.
    """

    docno: str
    topic: str
    place: int
    name: str
    header: ImageHeader
    sha256: str
    content: bytes


class ShownImage(NamedTuple):
    """An image on a page. url: of the stored file. width, height: on the page, at most SHOWN_HEIGHT high."""

    name: str
    url: str
    width: int
    height: int


def shown_size(width: int, height: int) -> tuple[int, int]:
    """Return width and height on a page.

    >>> shown_size(640, 480), shown_size(30, 20), shown_size(1, 16_000)
    ((533, 400), (30, 20), (1, 400))
    """
    shown = min(height, SHOWN_HEIGHT)
    return max(1, width * shown // height), shown


def read_image_header(content: bytes) -> ImageHeader:
    """Return media type and size of a PNG, JPEG, GIF or WebP image. Raises BadFile for anything else.

    Only the header is read: what follows may be damaged, and the browser of a judge decodes it.
    """
    if len(content) > MAX_IMAGE_BYTES:
        raise BadFile(f"expected at most {MAX_IMAGE_BYTES:,} bytes, found more")
    media_type = next((kind for kind, pattern in _SIGNATURES.items() if pattern.match(content)), "")
    if not media_type:
        raise BadFile("expected a PNG, JPEG, GIF or WebP image, found something else")
    width, height = imagesize.get(io.BytesIO(content))
    if width < 1 or height < 1:
        raise BadFile("expected a width and a height in the header of the image, found a damaged header")
    if max(width, height) > MAX_IMAGE_SIDE or width * height > MAX_IMAGE_PIXELS:
        raise BadFile(
            f"expected at most {MAX_IMAGE_SIDE:,} pixels a side and {MAX_IMAGE_PIXELS:,} in all, "
            f"found {width:,} × {height:,}"
        )
    return ImageHeader(media_type, width, height)


def stored_name(sha256: str, media_type: str) -> str:
    """Return the name of an image in the storage. Raises KeyError for another media type."""
    return f"images/{sha256}{SUFFIXES[media_type]}"


class Owner(NamedTuple):
    """What an image belongs to: folder "documents" or "topics", and its docno or number."""

    folder: str
    key: str


def member_of(path: str) -> tuple[Owner, str]:
    """Return the owner and the file name that a path in the archive gives. Raises BadFile.

    A docno is percent-encoded where it has a slash or a percent sign.

    >>> member_of("documents/a%2Fb.png"), member_of("topics/7/map.jpg")
    ((Owner(folder='documents', key='a/b'), 'a/b.png'), (Owner(folder='topics', key='7'), 'map.jpg'))
    """
    match = _MEMBER.match(path)
    if not match:
        raise BadFile(EXPECTED_LAYOUT)
    try:
        owner = unquote(match["owner"], errors="strict")
    except UnicodeDecodeError as error:
        raise BadFile("expected UTF-8 in the percent-encoded docno") from error
    key = owner if match["name"] else _without_suffix(owner)
    if key.split() != [key] or _CONTROL.search(key) or len(key.encode(errors="replace")) > MAX_NAME_BYTES:
        raise BadFile(
            f"expected a docno or number of 1 to {MAX_NAME_BYTES} bytes without blanks and control characters"
        )
    name = match["name"] or owner
    if len(name) > MAX_IMAGE_NAME or not name.isprintable():
        raise BadFile(f"expected a name of at most {MAX_IMAGE_NAME} printable characters")
    return Owner(match["folder"], key), name


def _without_suffix(name: str) -> str:
    return name.rpartition(".")[0] or name


def path_of(owner: Owner, name: str) -> str:
    """Return the path in an archive that `member_of` reads.

    >>> path_of(Owner("documents", "a/b"), "1.png")
    'documents/a%2Fb/1.png'
    """
    return f"{owner.folder}/{quote(owner.key, safe='')}/{name}"


def is_image_archive(file: IO[bytes], limit: int) -> bool:
    """Return whether the names of all files in a zip archive are names of images; rewinds the file.

    A damaged archive is none: the reader of documents says what is wrong with it.
    """
    file.seek(0)
    name = ""
    try:
        for name, _ in archive_files(file, limit=limit):
            if not _NAME_OF_IMAGE.search(name):
                return False
    except BadFile:
        return False
    finally:
        file.seek(0)
    return bool(name)


def read_images(file: IO[bytes], name: str, limit: int) -> Iterator[ImageRecord]:
    """Yield the images of a zip archive, in its order. limit: bytes of all members after unpacking.

    Raises BadFile for an archive that cannot be read, and after the last member for all members that cannot
    be taken: the first FAULTS_SHOWN with name and reason.
    """
    file.seek(0)
    path, faults = "", []
    for path, content in archive_files(file, name, limit, MAX_IMAGES_OF_UPLOAD):
        try:
            owner, member = member_of(path)
            image = content.read(MAX_IMAGE_BYTES + 1)
            header = read_image_header(image)
        except BadFile as error:
            faults.append(f"{path}: {error.message}")
            continue
        docno, topic = (owner.key, "") if owner.folder == "documents" else ("", owner.key)
        yield ImageRecord(docno, topic, 0, member, header, sha256_of(image), image)
    if not path:
        faults.append(EXPECTED_LAYOUT)
    if faults:
        raise BadFile(summary_of(faults), name=name)


def summary_of(faults: list[str]) -> str:
    """Return the first faults and the number of the others in one sentence.

    >>> summary_of(["a.png: damaged", "b.svg: an SVG"])
    '2 faults: a.png: damaged; b.svg: an SVG'
    """
    count = f"{len(faults):,} faults: " if len(faults) > 1 else ""
    more = f"; and {len(faults) - FAULTS_SHOWN:,} more" if len(faults) > FAULTS_SHOWN else ""
    return count + "; ".join(faults[:FAULTS_SHOWN]) + more


def in_order(records: Iterable[ImageRecord], name: str) -> list[ImageRecord]:
    """Return the images by owner and file name, with their places. Raises BadFile for too many of one."""
    counts: Counter[tuple[str, str]] = Counter()
    ordered = []
    for record in sorted(records, key=lambda record: (record.docno, record.topic, record.name)):
        owner = record.docno, record.topic
        counts[owner] += 1
        ordered.append(record._replace(place=counts[owner]))
    if faults := [
        f"{docno or topic}: expected at most {MAX_IMAGES} images, found {count:,}"
        for (docno, topic), count in counts.items()
        if count > MAX_IMAGES
    ]:
        raise BadFile(summary_of(faults), name=name)
    return ordered
