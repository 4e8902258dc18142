"""Small images, made without an image library."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

JPEG = (
    b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
    b"\xff\xc0\x00\x11\x08\x00\x03\x00\x05\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01\xff\xd9"
)  # of 5 by 3 pixels
GIF = b"GIF89a\x05\x00\x03\x00\x00\x00\x00;"
WEBP = b"RIFF\x1a\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x02\x00\x00"


def png(width: int = 5, height: int = 3, colour: int = 90) -> bytes:
    """Return a PNG image that a browser can show: a grey slope from `colour` on."""
    rows = b"".join(
        b"\0" + bytes((colour + x * 90 // width + y * 60 // height) % 256 for x in range(width))
        for y in range(height)
    )
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )


def zipped(members: dict[str, bytes]) -> io.BytesIO:
    """Return a zip archive of these members, as a file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    file.seek(0)
    return file
