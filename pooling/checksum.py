"""SHA-256 in hexadecimal: what ties a label to a text, and a manifest to its files."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence


def sha256_of(content: bytes | str) -> str:
    """Return the checksum of bytes, or of a text's UTF-8 bytes.

    >>> sha256_of("abc")[:8]
    'ba7816bf'
    """
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def sha256_of_parts(parts: Iterable[bytes]) -> str:
    """Return the checksum of bytes that come in parts.

    >>> sha256_of_parts([b"a", b"bc"]) == sha256_of("abc")
    True
    """
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def text_hash(title: str, text: str, images: Sequence[str] = ()) -> str:
    """Return the checksum that ties a label to the title, the text and the images that the judge saw.

    images: the checksums of the document's images, in their order.
    """
    return sha256_of("\0".join([f"{title}\n{text}", *images]))


NO_TEXT = text_hash("", "")  # of a document that has neither a title nor a text nor an image
