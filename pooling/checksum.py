"""SHA-256 in hexadecimal: what ties a label to a text, and a manifest to its files."""

from __future__ import annotations

import hashlib


def sha256_of(content: bytes | str) -> str:
    """Return the checksum of bytes, or of a text's UTF-8 bytes.

    >>> sha256_of("abc")[:8]
    'ba7816bf'
    """
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def text_hash(title: str, text: str) -> str:
    """Return the checksum that ties a label to the title and text that the judge saw."""
    return sha256_of(f"{title}\n{text}")
