"""Files that people hand in: every way of packing is read, every damage is named."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import pickle
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pooling.formats.files import BUFFER_BYTES, BadFile, BadLine, ByteBudget, decode, open_unpacked, unpack
from pooling.intake.recognise import recognise

Packer = Callable[[bytes], bytes]
PACKERS: list[Packer] = [gzip.compress, bz2.compress, lzma.compress]
BOM = b"\xef\xbb\xbf"


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r")))
def test_whatever_text_was_packed_comes_back(text: str) -> None:
    content = text.encode()
    assume(recognise(content) is None)
    assert [unpack(pack(content)) for pack in PACKERS] == [content] * 3


def test_a_plain_file_comes_back_as_it_is() -> None:
    assert unpack(b"401 0 d1 2\n") == b"401 0 d1 2\n"


def test_an_empty_file_is_empty() -> None:
    assert decode(unpack(b"")) == ""


def test_several_gz_members_are_one_file() -> None:
    assert unpack(gzip.compress(b"one\n") + gzip.compress(b"two\n")) == b"one\ntwo\n"


@pytest.mark.parametrize("pack", PACKERS)
def test_the_name_does_not_decide_how_a_file_is_packed(pack: Packer) -> None:
    assert unpack(pack(b"text"), name="qrels.txt") == b"text"


@pytest.mark.parametrize("pack", PACKERS)
@pytest.mark.parametrize("kept", [0.3, 0.6, 0.95])
def test_a_file_cut_short_is_refused(pack: Packer, kept: float) -> None:
    whole = pack(b"".join(b"401 0 d%d 1\n" % number for number in range(500)))
    with pytest.raises(BadFile, match="runs.gz: the compressed file is damaged or cut short"):
        unpack(whole[: int(len(whole) * kept)], name="runs.gz")


@pytest.mark.parametrize("pack", PACKERS)
def test_a_file_with_flipped_bytes_is_refused(pack: Packer) -> None:
    whole = bytearray(pack(b"".join(b"401 0 d%d 1\n" % number for number in range(500))))
    middle = len(whole) // 2
    whole[middle : middle + 8] = bytes(byte ^ 0xFF for byte in whole[middle : middle + 8])
    with pytest.raises(BadFile, match="damaged or cut short"):
        unpack(bytes(whole))


@pytest.mark.parametrize("pack", PACKERS)
def test_a_bomb_is_refused_at_the_limit(pack: Packer) -> None:
    bomb = pack(bytes(5_000_000))
    assert len(bomb) < 10_000
    with pytest.raises(BadFile, match="expected at most 1,000 bytes after unpacking, found more"):
        unpack(bomb, limit=1_000)


@pytest.mark.parametrize("pack", [*PACKERS, bytes])
def test_the_limit_itself_is_allowed(pack: Packer) -> None:
    assert unpack(pack(b"12345"), limit=5) == b"12345"
    with pytest.raises(BadFile, match="at most 4 bytes"):
        unpack(pack(b"12345"), limit=4)


@given(st.sampled_from([b"\x1f\x8b", b"BZh9", b"\xfd7zXZ\x00", b""]), st.binary())
def test_any_bytes_are_unpacked_or_refused(start: bytes, content: bytes) -> None:
    try:
        assert isinstance(unpack(start + content), bytes)
    except BadFile as error:
        assert "damaged" in error.message or "expected text, found" in error.message


@given(st.binary(), st.sampled_from([*PACKERS, bytes]))
def test_a_stream_gives_the_same_lines_and_leaves_the_file_open(content: bytes, pack: Packer) -> None:
    file = io.BytesIO(pack(b"text\n" + content))
    with open_unpacked(file) as stream:
        assert list(stream) == io.BytesIO(b"text\n" + content).readlines()
    assert not file.closed


def test_a_stream_is_read_no_further_than_it_is_asked_for() -> None:
    file = io.BytesIO(bytes(10 * BUFFER_BYTES))
    assert open_unpacked(file).read(10) == bytes(10)
    assert file.tell() <= 2 * BUFFER_BYTES


@pytest.mark.parametrize("padding", [b"", bytes(4), bytes(BUFFER_BYTES)])
def test_several_xz_streams_are_one_file(padding: bytes) -> None:
    packed = lzma.compress(b"one\n") + padding + lzma.compress(b"two\n") + padding
    # As `xz -dc` reads it; the lzma module drops in silence what stands behind padding.
    assert unpack(packed) == b"one\ntwo\n"


def test_the_line_that_is_too_long_is_named() -> None:
    short, long = b"x" * (BUFFER_BYTES - 1) + b"\n", b"x" * (BUFFER_BYTES + 1) + b"\n"
    assert len(list(open_unpacked(io.BytesIO(short * 5), longest=1))) == 5
    with pytest.raises(BadLine) as caught:
        list(open_unpacked(io.BytesIO(b"\n" + short * 2 + long), "a.run", longest=BUFFER_BYTES))
    assert (caught.value.line, caught.value.name) == (4, "a.run")
    assert caught.value.message == "expected at most 131,072 bytes on one line, found more"


def test_line_ends_without_end_are_refused() -> None:
    with pytest.raises(BadLine, match="expected text, found 131,072 blanks and line ends"):
        unpack(gzip.compress(b"one\n" + b" \n" * 2 * BUFFER_BYTES))


def test_files_can_share_what_they_may_unpack() -> None:
    allowance = ByteBudget(10)
    assert open_unpacked(io.BytesIO(b"123456"), limit=allowance).read() == b"123456"
    with pytest.raises(BadFile, match="b: expected at most 10 bytes after unpacking, found more"):
        open_unpacked(io.BytesIO(gzip.compress(b"12345")), "b", allowance).read()


def test_a_file_that_cannot_be_read_is_refused() -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise OSError("the disk is gone")

    with pytest.raises(BadFile, match="a.gz: .*the disk is gone"):
        open_unpacked(Broken(), "a.gz")


def test_a_byte_order_mark_is_dropped() -> None:
    assert decode(BOM + b"401\td1\n") == "401\td1\n"


@given(st.text())
def test_utf_8_comes_back(text: str) -> None:
    assert decode(BOM + text.encode()) == text


@pytest.mark.parametrize("start", [b"", BOM])
def test_the_line_that_is_not_utf_8_is_named(start: bytes) -> None:
    with pytest.raises(BadLine) as caught:
        decode(start + b"one\ntwo\nBr\xfcssel\n", "topics.tsv")
    assert str(caught.value) == "topics.tsv, line 3: expected UTF-8 text, found the byte 0xfc"


@pytest.mark.parametrize("start", [b"", BOM])
def test_a_bad_byte_at_the_start_of_a_line_belongs_to_that_line(start: bytes) -> None:
    with pytest.raises(BadLine) as caught:
        decode(start + b"a\n\xff")
    assert (caught.value.line, caught.value.message) == (2, "expected UTF-8 text, found the byte 0xff")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (BadLine(17, "expected 6 fields, found 5", "a.run"), "a.run, line 17: expected 6 fields, found 5"),
        (BadLine(17, "expected 6 fields, found 5"), "line 17: expected 6 fields, found 5"),
        (BadFile("expected topics, found none", name="a.run"), "a.run: expected topics, found none"),
        (BadFile("expected topics, found none"), "expected topics, found none"),
    ],
)
def test_an_error_says_the_same_after_a_journey_to_another_process(error: BadFile, text: str) -> None:
    assert str(error) == text
    assert str(pickle.loads(pickle.dumps(error))) == text
