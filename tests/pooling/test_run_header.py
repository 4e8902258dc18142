from __future__ import annotations

import pytest

from pooling.formats.files import BadLine
from pooling.formats.run_header import Header, read_header, replace_header

LINE = b"1 Q0 D1 1 2.0 t\n"
HEADER = b"""# ir_metadata.start
# tag: sloop
# actor:
#   name: A. Person
#   team: harbour
# method:
#   automatic: false
# research goal:
#   description: Does sailing help?
# ir_metadata.end
"""


def test_a_header_tells_tag_group_kind_and_goal() -> None:
    header, body = read_header(HEADER + LINE)
    assert header == Header(10, "sloop", "harbour", "manual", "Does sailing help?")
    assert body == LINE


def test_a_file_without_a_header_is_left_as_it_is() -> None:
    assert read_header(LINE) == (Header(), LINE)


@pytest.mark.parametrize("said", [b"# - a list\n", b"# actor: none\n", b"# method: {automatic: [1]}\n", b""])
def test_a_header_that_says_something_else_says_nothing_of_ours(said: bytes) -> None:
    header, body = read_header(b"# ir_metadata.start\n" + said + b"# ir_metadata.end\n" + LINE)
    assert header[1:] == ("", "", "", "")
    assert body == LINE


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"# ir_metadata.start\n# tag: x\n", 1),
        (b"# ir_metadata.start\n# a: 1\n# b: [\n# ir_metadata.end\n", 3),
    ],
)
def test_a_header_without_end_or_that_is_no_yaml_names_the_line(content: bytes, line: int) -> None:
    with pytest.raises(BadLine) as refusal:
        read_header(content, "h.run")
    assert refusal.value.line == line


def test_python_objects_in_a_header_are_not_made() -> None:
    evil = b"# ir_metadata.start\n# tag: !!python/object/apply:os.getcwd []\n# ir_metadata.end\n"
    assert read_header(evil + LINE)[0].tag == ""


@pytest.mark.parametrize("tag", ["2001-01-01", "2001-99-99", "1_000", "0x10", "yes", "9" * 5000, "1:30"])
def test_a_tag_stays_as_it_is_written(tag: str) -> None:
    header, _ = read_header(f"# ir_metadata.start\n# tag: {tag}\n# ir_metadata.end\n".encode())
    assert header.tag == tag


@pytest.mark.parametrize("nothing", ["", "~", "null", "[]", "{}"])
def test_what_is_left_empty_says_nothing(nothing: str) -> None:
    header, _ = read_header(f"# ir_metadata.start\n# tag: {nothing}\n# ir_metadata.end\n".encode())
    assert header.tag == ""


@pytest.mark.parametrize(
    "said",
    [b"tag: a\0b", b"tag: \x1b", b"[" * 20_000, b"? " * 20_000, b"tag: " + b"x" * (1 << 16), b"{a: *b}"],
)
def test_a_header_that_yaml_cannot_bear_is_refused(said: bytes) -> None:
    with pytest.raises(BadLine, match="expected"):
        read_header(b"# ir_metadata.start\n# " + said + b"\n# ir_metadata.end\n" + LINE)


def test_a_written_header_is_read_again_and_the_fields_of_the_file_stay() -> None:
    known = {"tag": "2001-01-01", "actor": {"team": "port"}, "method": {"automatic": "true"}}
    goal = {"research goal": {"description": "Sails: \u2028 ä\n\n# ir_metadata.end\n- [ "}}
    written = replace_header(HEADER + LINE, known | goal)
    header, body = read_header(written)
    assert (header.tag, header.group, header.kind) == ("2001-01-01", "port", "automatic")
    assert header.description.startswith("Sails:") and header.description.endswith("#ir_metadata.end\n- [ ")
    assert body == LINE and b"A. Person" in written
    assert read_header(replace_header(LINE, {"tag": "t", "actor": {"team": ""}})) == (Header(3, "t"), LINE)
