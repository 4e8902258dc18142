"""Files of answer runs: every form, every refusal with its line, and every warning."""

from __future__ import annotations

import gzip
import json
import re
from html import unescape
from typing import Any

import numpy as np
import pytest
from django.template.loader import render_to_string
from hypothesis import given
from hypothesis import strategies as st

from assess.answers.answer_checks import (
    AnswerRequirements,
    check_answers,
    parse_answers,
    sentence_count,
)
from assess.answers.answer_files import FORMS, Limits, character_count, read_answer_lines, word_count
from pooling.formats.files import BadFile, unpack
from pooling.formats.run_checks import RunRefused
from tests.assess.answers.files import GOOD, Answers, Sentences, answer_file, row

TOPICS = AnswerRequirements(frozenset({"1", "2"}))
WRITTEN = ("rag", "rag-2024", "rag-2026", "report", "scores")


def changed(path: str, value: Any, form: str = "rag") -> bytes:
    """Return a file whose second line is changed. path: keys and indexes, as a.0.b; value None: removed."""
    first, second = (row("2", GOOD["2"], form), row("1", GOOD["1"], form))
    target: Any = second
    *steps, last = [int(step) if step.isdecimal() else step for step in path.split(".")]
    for step in steps:
        target = target[step]
    if value is None:
        del target[last]
    else:
        target[last] = value
    return f"{json.dumps(first)}\n{json.dumps(second)}\n".encode()


def refused(content: bytes, expected: AnswerRequirements = TOPICS) -> RunRefused:
    with pytest.raises(RunRefused) as caught:
        check_answers(content, expected, "a.jsonl")
    return caught.value


def test_the_examples_of_the_page_are_read_one_of_each_form() -> None:
    page = render_to_string(
        "assess/answers/parts/_formats.html",
        {"forms": [(key, form.title, "") for key, form in FORMS.items()]},
    )
    examples = re.findall("<pre>(.*?)</pre>", page, re.DOTALL)
    forms = []
    for example in examples:
        content = f"{json.dumps(json.loads(unescape(example)))}\n".encode()
        file, _ = check_answers(content, TOPICS, "ours-1.jsonl")
        (answer,) = file.answers
        assert (answer.references, answer.sentences[0].citations) == (("D7", "D12"), ("D7", "D12"))
        forms.append(file.form)
    assert forms == list(FORMS)


@pytest.mark.parametrize("form", WRITTEN)
def test_every_form_is_read(form: str) -> None:
    file, warnings = check_answers(answer_file(GOOD, form), TOPICS, "one.jsonl")
    assert (file.tag, file.form, warnings) == ("one", "report" if form == "scores" else form, [])
    assert file.group == ("" if form == "rag-2024" else "harbour")
    assert {each.topic: [(s.text, list(s.citations)) for s in each.sentences] for each in file.answers} == {
        topic: [(text, list(cited)) for text, cited in sentences] for topic, sentences in GOOD.items()
    }
    assert [each.line for each in file.answers] == [1, 2]
    assert file.answers[0].references == ("D1", "D2")


def test_metadata_and_scores_are_kept() -> None:
    file = parse_answers(answer_file(GOOD, "scores"))
    assert file.answers[0].metadata == {"team_id": "harbour", "run_id": "one", "request_id": "1"}
    assert [sentence.scores for sentence in file.answers[0].sentences] == [(100,), (100, 99)]
    file = parse_answers(answer_file(GOOD, "rag-2024"))
    assert file.answers[1].metadata == {
        "run_id": "one", "topic_id": "2", "topic": "boats", "response_length": 2
    }  # fmt: skip
    assert parse_answers(answer_file()).kind == "automatic"


def test_index_citations_of_2026_need_the_form() -> None:
    assert parse_answers(answer_file(form="rag")).form == "rag"
    assert parse_answers(answer_file(form="rag"), form="rag-2026").form == "rag-2026"


def test_byte_order_marks_line_ends_and_blank_lines_do_not_matter() -> None:
    plain = parse_answers(answer_file())
    first, second = answer_file().splitlines()
    mixed = b"\xef\xbb\xbf" + first + b"\r\n\r\n  \n\xef\xbb\xbf" + second
    read = parse_answers(mixed)
    assert [each._replace(line=0) for each in read.answers] == [
        each._replace(line=0) for each in plain.answers
    ]
    assert [each.line for each in read.answers] == [1, 4]
    assert parse_answers(unpack(gzip.compress(answer_file()))) == plain


def test_a_topic_may_be_a_number_and_references_of_a_report_may_be_left_out() -> None:
    content = changed("metadata.narrative_id", 1)
    assert [each.topic for each in parse_answers(content).answers] == ["2", "1"]
    read = parse_answers(changed("references", None, "report"))
    assert read.answers[1].references == ("D1", "D2")


TWO = [{"text": "A.", "citations": [0, 0]}]
BAD: list[tuple[str, Any, str]] = [  # what is changed on line 2, and what is said
    ("metadata.narrative_id", "9", "topic 9 is not in this campaign"),
    ("metadata.narrative_id", "2", "topic 2 again, first on line 1"),
    ("metadata.narrative_id", None, "expected one of narrative_id, topic_id, request_id in the metadata"),
    ("metadata.narrative_id", [1], "expected a topic as narrative_id, found [1]"),
    ("metadata.narrative_id", "a b", "expected a topic without blanks or control characters"),
    ("metadata.topic_id", "2", "expected one topic, found narrative_id, topic_id that differ"),
    ("metadata", "x", "expected metadata as an object, found 'x'"),
    ("metadata.long", "x" * 60_000, "expected metadata of at most 50,000 characters"),
    ("metadata.run_id", "a/b", "expected a run_id of 1 to 120 characters, without blanks or slashes"),
    ("metadata.run_id", None, "expected a run_id of 1 to 120 characters"),
    ("metadata.run_id", "two", "expected one run_id in the whole file, found 'two'"),
    ("metadata.team_id", "pier", "expected one team_id in the whole file, found 'pier'"),
    ("metadata.team_id", 7, "expected a team_id of at most 60 characters, found 7"),
    ("references", None, "expected references as a list of docnos, found none"),
    ("references", ["D1", 2], "reference 1: expected a docno, found 2"),
    ("references.1", "D 2", "reference 1: expected a docno without blanks"),
    ("answer", None, "expected the key answer or responses, found 'metadata', 'references'"),
    ("answer", [], "expected a list with at least one sentence, found []"),
    ("answer", "Boats float.", "expected a list with at least one sentence, found 'Boats float.'"),
    ("answer.1", "Boats.", "sentence 2: expected an object with text and citations, found 'Boats.'"),
    ("answer.1.text", 7, "sentence 2: expected an object with text and citations"),
    ("answer.1.text", " \n", "sentence 2: expected text, found none"),
    ("answer.1.text", "a\0b", "expected text without NUL characters"),
    ("answer.1.text", "a\ud800b", "expected text without NUL characters and halves of surrogate pairs"),
    ("answer.1.citations", "D1", "sentence 2: expected citations as a list, found 'D1'"),
    ("answer.1.citations", {"D1": 3}, "sentence 2: expected citations as a list"),
    ("answer.1.citations", [2], "sentence 2: citation 2 is out of range"),
    ("answer.1.citations", [-1], "sentence 2: citation -1 is out of range"),
    ("answer.1.citations", [True], "sentence 2: expected the index of a reference as citation, found true"),
    ("answer.1.citations", [0.0], "sentence 2: expected the index of a reference as citation, found 0.0"),
    ("answer.1.citations", [1, 0, 1], "sentence 2: D2 is cited twice"),
    ("answer.1.citations", [1, "D2"], "sentence 2: D2 is cited twice"),
    ("answer.1.citations", ["D9"], "sentence 2: D9 is cited and not among the references"),
    ("answer.0.text", "w " * 401, "expected at most 400 words, found 406"),
]


@pytest.mark.parametrize(("path", "value", "expected"), BAD)
def test_an_error_names_its_line(path: str, value: Any, expected: str) -> None:
    error = refused(changed(path, value))
    assert [(each.line, each.what[: len(expected)]) for each in error.errors[:1]] == [(2, expected)]
    assert "a.jsonl, line 2: " in str(error)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (
            "responses.1.citations",
            {"D1": 101},
            "sentence 2: expected a score from 0 to 100, found 101",
        ),
        (
            "responses.1.citations",
            {"D1": "9"},
            "sentence 2: expected a score from 0 to 100, found '9'",
        ),
        ("responses.1.citations", {"D9": 1}, "sentence 2: D9 is cited and not among the references"),
        ("responses.1.citations", [0], "sentence 2: expected a docno, found 0"),
        ("responses.1.citations", ["D1", "D1"], "sentence 2: D1 is cited twice"),
        ("metadata.topic_id", None, "expected one of narrative_id, topic_id, request_id in the metadata"),
    ],
)
def test_an_error_of_a_report_names_its_line(path: str, value: Any, expected: str) -> None:
    (error,) = refused(changed(path, value, "report")).errors
    assert (error.line, error.what[: len(expected)]) == (2, expected)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"{", "expected one JSON object on the line, found bad JSON"),
        (b"[1]", "expected one JSON object on the line, found '[1]'"),
        (b'{"a": 1, "a": 2}', "bad JSON (the key 'a' stands twice in one object)"),
        (b'{"a": NaN}', "bad JSON (NaN is no number of JSON)"),
        (b'{"a": 1e999}', "bad JSON (the number 1e999 is too large)"),
        (b'{"a": ' + b"9" * 5000 + b"}", "bad JSON"),
        (b"[" * 100_000, "bad JSON"),
        (b'{"a": "\xff"}', "expected UTF-8 text, found the byte 0xff"),
    ],
)
def test_a_line_that_is_no_object_is_named(line: bytes, expected: str) -> None:
    (error,) = refused(answer_file({"1": GOOD["1"]}) + line + b"\n").errors
    assert error.line == 2 and expected in error.what


def test_text_about_nul_is_no_nul() -> None:
    (answer,) = parse_answers(answer_file({"1": [("It is written \\u0000 there.", [])]})).answers
    assert answer.sentences[0].text == "It is written \\u0000 there."


def test_two_forms_in_a_file_are_refused_at_the_second() -> None:
    content = answer_file({"1": GOOD["1"]}) + answer_file({"2": GOOD["2"]}, "report")
    (error,) = refused(content).errors
    assert (error.line, error.wish) == (2, "Keep one form in a file")


def test_another_form_than_that_of_the_campaign_is_refused() -> None:
    (error,) = refused(answer_file(), AnswerRequirements(TOPICS.topics, "report")).errors
    expected = "expected answers as in reports (RAGTIME, NeuCLIR, DRAGUN), found RAG 2024 and 2025"
    assert (error.line, error.what) == (1, expected)


def test_an_empty_file_is_refused() -> None:
    assert refused(b"\n \n").errors[0].what == "expected at least one answer, found an empty file"
    with pytest.raises(BadFile, match="line 1: expected UTF-8 text, found UTF-16"):
        parse_answers("{}".encode("utf-16"))


def test_all_errors_of_a_file_are_listed_up_to_a_limit() -> None:
    error = refused(b'{"answer": 1}\n' * 80)
    assert (len(error.errors), error.more, error.errors[49].line) == (50, 30, 50)


def test_a_file_of_errors_is_not_read_to_its_end_and_a_huge_one_not_at_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    error = refused(b"{}\n" * 6000)
    assert (error.cut, error.more) == (True, 5000 - 50)
    wrong = changed("answer.1.citations", list(range(2, 100_002)))
    assert refused(wrong).errors[49].what == "sentence 2: citation 51 is out of range"
    check_answers(changed("answer.1.citations", [0, 1]), TOPICS)
    many = {"1": [("A.", ["D1", "D2", "D3", "D4"])] * 6000, "2": GOOD["2"]}
    assert refused(answer_file(many, "rag-2026"), limited(words=None)).cut
    monkeypatch.setattr("assess.answers.answer_checks.MAX_BYTES", 100)
    assert refused(answer_file()).errors[0].what.startswith("expected at most 100 bytes after unpacking")


def test_many_citations_of_one_sentence_take_no_long_time() -> None:
    docnos = [f"D{n}" for n in range(50_000)]
    sentences = [{"text": "A.", "citations": docnos}]
    about = {"run_id": "one", "topic_id": "1"}
    content = json.dumps({"metadata": about, "references": docnos, "responses": sentences}).encode()
    (answer,) = parse_answers(content).answers
    assert len(answer.cited) == 50_000


def test_several_errors_of_one_line_are_all_named() -> None:
    sentences = [{"text": "", "citations": [9]}, {"text": "A.", "citations": [0, 0]}]
    assert [error.what for error in refused(changed("answer", sentences)).errors] == [
        "sentence 1: expected text, found none",
        "sentence 1: citation 9 is out of range",
        "sentence 2: D1 is cited twice",
    ]


def limited(**limits: Any) -> AnswerRequirements:
    return AnswerRequirements(TOPICS.topics, limits=lambda form: FORMS[form].limits._replace(**limits))


def test_limits_are_those_of_the_form_unless_the_campaign_has_its_own() -> None:
    sentences: Answers = {"1": [("w " * 401, ["D1"])], "2": GOOD["2"]}
    check_answers(answer_file(sentences, "rag-2026"), TOPICS)  # 1,024 words
    check_answers(answer_file(sentences, "report"), TOPICS)  # no limit
    check_answers(answer_file(sentences), limited(words=401))
    (error,) = refused(answer_file(sentences), limited(words=400)).errors
    assert (error.line, error.what) == (1, "expected at most 400 words, found 401")
    (error,) = refused(answer_file(form="report"), limited(characters=40)).errors
    assert (error.line, error.what) == (1, "expected at most 40 characters, found 41")
    check_answers(answer_file(form="report"), limited(characters=41))


def test_more_citations_than_allowed_are_an_error_in_the_form_of_2026() -> None:
    sentences: Answers = {"1": [("A.", ["D1"]), ("B.", ["D1", "D2", "D3", "D4"])], "2": GOOD["2"]}
    (error,) = refused(answer_file(sentences, "rag-2026")).errors
    assert (error.line, error.what) == (1, "sentence 2: expected at most 3 citations, found 4")
    check_answers(answer_file(sentences), TOPICS)


def test_a_reference_never_cited_is_an_error_only_in_the_form_of_2026() -> None:
    (error,) = refused(changed("references", ["D1", "D2", "D3"], "rag-2026")).errors
    assert (error.line, error.what) == (2, "1 reference not cited: D3")
    _, (warning,) = check_answers(changed("references", ["D1", "D2", "D3"]), TOPICS)
    assert (warning.line, warning.what) == (2, "1 reference not cited, in 1 answer")


def test_a_docno_outside_a_known_collection_is_an_error() -> None:
    def known(docnos: Any) -> Any:
        return np.isin(docnos, np.array([b"D1"]))

    (error,) = refused(answer_file(), AnswerRequirements(TOPICS.topics, in_collection=known)).errors
    assert (error.line, error.what) == (1, "1 docno not in the collection: D2")


def test_topics_written_otherwise_are_offered_and_matched() -> None:
    content = answer_file({"01": GOOD["1"], "02": GOOD["2"]})
    error = refused(content)
    assert error.match and error.match.names == {"01": "1", "02": "2"}
    file, (note,) = check_answers(content, AnswerRequirements(TOPICS.topics, matches_topics=True))
    assert [each.topic for each in file.answers] == ["1", "2"]
    assert note.what == "2 topics matched without leading zeros: 01 is 1, 02 is 2"


def test_warnings() -> None:
    many = {"1": [("He left. Then it rained.", [f"D{n}" for n in range(101)])]}
    _, warnings = check_answers(answer_file(many), TOPICS)
    assert [(warning.line, warning.what) for warning in warnings] == [
        (None, "no answer to 1 of 2 topics (2)"),
        (1, "1 answer with more than 100 references"),
        (1, "1 sentence may be several sentences; the first is sentence 1"),
    ]
    _, warnings = check_answers(changed("references", ["D1", "D2", "D1"]), TOPICS)
    assert [warning.what for warning in warnings] == ["1 answer with a reference twice"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Boats float.", 1),
        ("Boats float. They carry people! Do they? Yes.", 4),
        ('He said "Yes." Then he left.', 2),
        ("Dr. Smith and Prof. Jones met J. R. Miller of Acme Inc. Later.", 1),
        ("In the U.S. Senate, e.g. Ohio.", 1),
        ("At 3.5 p.m. the ship left. (It was late.)", 2),
        ("Version 2. 5 of them.", 1),
        ("船は浮く。人を運ぶ。", 2),
        ("船は浮く。", 1),
        ("नावें तैरती हैं! वे लोगों को ले जाती हैं।", 2),
        ("", 1),
    ],
)
def test_sentences_in_a_sentence(text: str, count: int) -> None:
    assert sentence_count(text) == count


def test_lengths() -> None:
    assert word_count(["One\u2003two.", "\u00a0three"]) == 3
    assert character_count(["\ufb01ve", "\u2460"]) == 6  # NFKC: five 1


docnos = st.text(st.sampled_from("abDé1#.:-"), min_size=1, max_size=6)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30).filter(
    str.strip
)
sentences = st.lists(st.tuples(texts, st.lists(docnos, unique=True, max_size=4)), min_size=1, max_size=5)
runs = st.dictionaries(st.sampled_from(["1", "2", "A-7", "x/y"]), sentences, min_size=1)


@given(runs, st.sampled_from(WRITTEN))
def test_what_is_written_is_read_back(answers: dict[str, Sentences], form: str) -> None:
    file = parse_answers(answer_file(answers, form))
    read = {each.topic: [(s.text, list(s.citations)) for s in each.sentences] for each in file.answers}
    assert read == {topic: [tuple(each) for each in own] for topic, own in answers.items()}


lines = st.sampled_from(
    [
        *answer_file().splitlines(),
        *answer_file(form="report").splitlines(),
        *(changed(path, value).splitlines()[1] for path, value, _ in BAD if "\ud800" not in str(value)),
        b"{",
        b"[]",
        b"\xff",
        b"",
        b"  ",
    ]
)


@given(st.lists(lines, max_size=12))
def test_every_line_is_an_answer_or_has_an_error(rows: list[bytes]) -> None:
    read = read_answer_lines(b"\n".join(rows))
    taken = [answer.line for answer in read.answers]
    named = {error.line for error in read.errors}
    given_lines = {number for number, line in enumerate(rows, start=1) if line.strip()}
    assert set(taken) | named == given_lines and not set(taken) & named
    assert len(taken) == len({answer.topic for answer in read.answers})


def test_limits_without_values_limit_nothing() -> None:
    assert FORMS["report"].limits == Limits()
