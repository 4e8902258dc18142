from __future__ import annotations

import gzip
import hashlib
import json

import pytest
from django.core.files.storage import default_storage
from pytest_django import DjangoAssertNumQueries

from pooling.formats.documents.reading import read_documents
from pooling.formats.files import BadFile
from pooling.manifest import PoolPlan
from pooling.models import Campaign, Role, Run
from pooling.queries.documents import docnos_without_text, pooled_in
from pooling.queries.reads import PoolingReads
from pooling.services.documents import ImportResult, import_documents
from pooling.services.people import InvitationSpent, invite, store_acceptance
from pooling.services.pools import PoolRefused, freeze_pool
from pooling.services.runs import Submission, submit_run
from pooling.services.topics import load_topics
from tests.support.factory import Factory


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1")
    make.make_topic(campaign, "2")
    return campaign


def depth(k: int) -> PoolPlan:
    return PoolPlan("depth", {"k": k})


def submit(campaign: Campaign, make: Factory, content: bytes, name: str = "a.run", tag: str = "") -> Run:
    return submit_run(campaign, make.make_user("carol"), content, name, Submission(tag=tag))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "empty"),
        (b"1 Q0 D1 1 2.0\n", "line 1: expected 6 fields (topic Q0 docno rank score tag), found 5"),
        (b"1 Q0 D1 1 2.0 t\n1 Q0 D1 2 1.0 t\n", "line 2: "),
        (
            b"1 Q0 D1 1 2.0 t\n9 Q0 D1 1 2.0 t\n",
            "line 2: topic 9 is not in this campaign. It has 2 topics",
        ),
        (b"1 Q0 D1 1 high t\n", "line 1: "),
        (b"1 Q0 D1 1 nan t\n", "line 1: "),
        (gzip.compress(b"1 Q0 D1 1 2.0 t\n" * 50, mtime=0)[:-9], "damaged or cut short"),
        (b"\xff\xfe1 Q0", "line 1: "),
    ],
)
def test_a_run_that_cannot_be_taken_names_the_line_and_leaves_nothing(
    campaign: Campaign, make: Factory, content: bytes, expected: str
) -> None:
    with pytest.raises(BadFile) as refusal:
        submit(campaign, make, content)
    assert str(refusal.value).startswith("a.run")
    assert expected in str(refusal.value)
    assert not campaign.runs.exists()
    assert not default_storage.exists("runs") or not default_storage.listdir("runs")[1]


def test_the_submitted_bytes_are_kept_and_their_checksum_with_them(campaign: Campaign, make: Factory) -> None:
    content = b"1 Q0 D1 1 2.0 t\n"
    submit(campaign, make, gzip.compress(content), "a.run.gz")
    run = campaign.runs.get()
    with run.original.open("rb") as file:
        assert gzip.decompress(file.read()) == content
    assert run.sha256 == hashlib.sha256(content).hexdigest()
    assert (run.tag, run.line_count, run.topic_count) == ("t", 1, 1)
    assert [warning["what"] for warning in run.warnings] == [
        "no line for 1 of 2 topics (2)",
        "the tag differs from the file's name",
    ]


@pytest.mark.parametrize(("name", "tag"), [("folder/t.run.gz", ""), ("other.run", "other")])
def test_a_run_with_the_name_of_its_file_is_not_remarked(
    campaign: Campaign, make: Factory, name: str, tag: str
) -> None:
    content = gzip.compress(b"1 Q0 D1 1 2.0 t\n") if name.endswith("gz") else b"1 Q0 D1 1 2.0 t\n"
    run = submit(campaign, make, content, name, tag)
    assert "the tag differs from the file's name" not in [warning["what"] for warning in run.warnings]


def test_a_run_that_shares_no_document_with_the_others_is_remarked(campaign: Campaign, make: Factory) -> None:
    make.make_run(campaign, "1 51 1\n2 52 1", tag="first")
    said = [warning["what"] for warning in submit(campaign, make, b"1 Q0 D51 1 2.0 t\n").warnings]
    assert "no document of this run is in any other run" in said
    again = make.make_run(campaign, "1 D51 1\n2 52 1", tag="third")
    assert "no document of this run is in any other run" not in [each["what"] for each in again.warnings]


def test_a_run_without_a_loaded_document_is_remarked_also_if_it_is_the_only_run(
    campaign: Campaign, make: Factory
) -> None:
    what = "no document of this run is among the loaded documents"
    make.make_document(campaign, "51")
    wrong = submit(campaign, make, b"1 Q0 D51 1 2.0 wrong\n", "wrong.run")
    right = submit(campaign, make, b"1 Q0 52 1 2.0 right\n1 Q0 51 1 1.0 right\n", "right.run")
    assert what in [warning["what"] for warning in wrong.warnings]
    assert what not in [warning["what"] for warning in right.warnings]


def test_a_tag_names_one_run(campaign: Campaign, make: Factory) -> None:
    submit(campaign, make, b"1 Q0 D1 1 2.0 t\n")
    with pytest.raises(BadFile, match="the tag t is taken in this campaign by the run of a.run, which"):
        submit(campaign, make, b"1 Q0 D2 1 2.0 t\n")
    with pytest.raises(BadFile, match="the tag t is taken in this campaign; expected another"):
        submit_run(campaign, make.make_user("dave"), b"1 Q0 D2 1 2.0 t\n", "d.run", Submission())


def test_the_same_content_and_a_groups_constant_tag_are_remarked(campaign: Campaign, make: Factory) -> None:
    make.make_run(campaign, "1 D1 1\n2 D1 1", tag="first")
    with campaign.runs.get().original.open("rb") as file:
        again = gzip.decompress(file.read())
    about = Submission(tag="second", group="carolab")
    run = submit_run(campaign, make.make_user("carol"), again, "first.run", about)
    assert [warning["what"] for warning in run.warnings] == [
        "the content is that of run first",
        "another run of carolab has the tag first in its last column too",
    ]
    assert run.warnings[1]["wish"] == "This run is told apart from it by its own tag, second"


@pytest.mark.parametrize("tag", ["a/b", "two words", "x" * 121, ".", ".."])
def test_a_tag_that_no_url_can_carry_is_refused(campaign: Campaign, make: Factory, tag: str) -> None:
    with pytest.raises(BadFile, match="expected a tag"):
        submit(campaign, make, b"1 Q0 D1 1 2.0 t\n", tag=tag)


def test_topics_are_loaded_whole_or_not_at_all(campaign: Campaign) -> None:
    with pytest.raises(BadFile, match=r"topics.tsv: .*topic 1 is in the campaign already"):
        load_topics(campaign, b"7\tseven\n1\tone\n", "topics.tsv")
    assert len(load_topics(campaign, b"7\tseven\n8\teight\n", "topics.tsv").topics) == 2
    assert list(campaign.topics.values_list("number", flat=True)) == ["1", "2", "7", "8"]


def test_a_topic_number_that_no_url_can_carry_is_refused(campaign: Campaign) -> None:
    with pytest.raises(BadFile, match="topic number"):
        load_topics(campaign, b"..\tseven\n", "topics.tsv")


def test_a_pool_is_frozen_with_its_manifest(campaign: Campaign, make: Factory) -> None:
    run = make.make_run(campaign, "1 D1 3\n1 D2 2\n2 D1 1")
    pool = freeze_pool(campaign, make.make_user("carol"), [run], depth(1))
    assert sorted(pooled_in(campaign).values_list("topic__number", "docno", "best_rank")) == [
        ("1", "D1", 1),
        ("2", "D1", 1),
    ]
    (named,) = pool.manifest["runs"]
    assert (named["tag"], named["group"], named["sha256"]) == ("run", "carolab", run.sha256)
    assert (pool.manifest["strategy"], pool.manifest["parameters"]["k"]) == ("depth", 1)
    assert pool.manifest["ties"] == "score descending, docno ascending"
    assert pool.manifest["sha256"] == hashlib.sha256(b"1 D1\n2 D1\n").hexdigest()


def test_the_next_pool_leaves_out_what_is_pooled_and_an_empty_one_is_refused(
    campaign: Campaign, make: Factory
) -> None:
    carol, run = make.make_user("carol"), make.make_run(campaign, "1 D1 3\n1 D2 2")
    freeze_pool(campaign, carol, [run], depth(1))
    second = freeze_pool(campaign, carol, [run], depth(2))
    assert list(second.documents.values_list("docno", flat=True)) == ["D2"]
    with pytest.raises(PoolRefused, match="already in a frozen pool"):
        freeze_pool(campaign, carol, [run], depth(2))
    with pytest.raises(PoolRefused, match="none was chosen"):
        freeze_pool(campaign, carol, [], depth(2))
    assert campaign.pools.count() == 2


def test_ties_are_pooled_by_docno_ascending(campaign: Campaign, make: Factory) -> None:
    run = make.make_run(campaign, "1 B 1\n1 A 1\n1 C 1")
    pool = freeze_pool(campaign, make.make_user("carol"), [run], depth(2))
    assert list(pool.documents.values_list("docno", flat=True)) == ["A", "B"]


def load(campaign: Campaign, content: bytes, pooled_only: bool = True) -> ImportResult:
    return import_documents(campaign, lambda: read_documents(content, "d.jsonl"), pooled_only)


def documents(*docnos: str) -> bytes:
    return "".join(json.dumps({"docno": docno, "text": "words"}) + "\n" for docno in docnos).encode()


def test_only_pooled_documents_are_kept_unless_all_are_wanted(campaign: Campaign, make: Factory) -> None:
    make.make_run(campaign, "1 D1 3\n1 D2 2")
    make.make_pool(campaign)
    first = load(campaign, documents("D1", "D7"))
    assert (first.read, first.stored, first.added, first.advice) == (2, 1, 1, "")
    assert docnos_without_text(campaign) == ["D2"]
    again = load(campaign, documents("D1", "D7"), pooled_only=False)
    assert (again.read, again.stored, again.added, again.unchanged) == (2, 2, 1, 1)
    assert campaign.documents.count() == 2


def test_a_document_with_an_empty_text_counts_as_one_without_text(campaign: Campaign, make: Factory) -> None:
    make.make_run(campaign, "1 D1 3\n1 D2 2")
    make.make_pool(campaign)
    load(campaign, documents("D1") + b'{"docno": "D2", "text": ""}\n')
    assert PoolingReads(campaign).texts.missing == 1
    load(campaign, documents("D2"))
    assert PoolingReads(campaign).texts.missing == 0


def test_an_import_counts_what_is_new_unchanged_and_replaced(campaign: Campaign) -> None:
    load(campaign, documents("D1", "D2"), pooled_only=False)
    changed = b'{"docno": "D2", "text": "other words"}\n'
    result = load(campaign, documents("D1", "D3") + changed, pooled_only=False)
    assert (result.stored, result.added, result.unchanged, result.replaced) == (3, 1, 1, 1)
    assert str(result) == "3 documents read, 3 stored: 1 new, 1 unchanged, 1 replaced"


def test_a_docno_again_with_another_text_is_counted_apart(campaign: Campaign) -> None:
    changed = b'{"docno": "D1", "text": "other words"}\n'
    result = load(campaign, documents("D1", "D2", "D1") + changed, pooled_only=False)
    assert (result.stored, result.repeated, result.otherwise) == (2, 2, 1)
    assert str(result).endswith("2 with a docno that occurred before, 1 of them with another text")
    assert campaign.documents.get(docno="D1").text == "other words"


def test_documents_of_no_pool_say_why_none_is_stored(campaign: Campaign) -> None:
    result = load(campaign, documents("D1", "D2"))
    assert result.stored == 0
    assert "None of them is in a pool, and only pooled documents are stored." in str(result)


def test_a_file_of_documents_that_breaks_off_leaves_none(campaign: Campaign) -> None:
    content = documents(*(f"D{number}" for number in range(1500))) + b'{"docno": "broken'
    with pytest.raises(BadFile, match="d.jsonl, line 1501: "):
        load(campaign, content, pooled_only=False)
    assert not campaign.documents.exists()


def test_importing_writes_documents_in_bulk(
    campaign: Campaign, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(45):  # a transaction for every 500
        load(campaign, documents(*map(str, range(3000))), pooled_only=False)


def test_an_invitation_works_once(campaign: Campaign, make: Factory) -> None:
    token = invite(campaign, Role.JUDGE)
    store_acceptance(token, make.make_user("mallory"))
    assert campaign.memberships.filter(user__username="mallory", role=Role.JUDGE).exists()
    with pytest.raises(InvitationSpent):
        store_acceptance(token, make.make_user("eve"))
    assert token not in str(campaign.invitations.values())


def test_a_docno_outside_the_collection_is_refused_once_the_collection_is_known(
    campaign: Campaign, make: Factory
) -> None:
    load(campaign, documents("D1", "D2"), pooled_only=False)
    submit(campaign, make, b"1 Q0 X9 1 2.0 before\n")
    campaign.collection_size = 2
    campaign.save()
    with pytest.raises(BadFile, match="line 2: docno X9 is not in the collection"):
        submit(campaign, make, b"1 Q0 D1 1 2.0 after\n1 Q0 X9 2 1.0 after\n")
    submit(campaign, make, b"1 Q0 D1 1 2.0 after\n1 Q0 D2 2 1.0 after\n")
