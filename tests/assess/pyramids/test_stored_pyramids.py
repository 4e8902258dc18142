"""Pyramids of topics and annotated peers: stored whole or not at all, withdrawn, checked and deleted."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any, cast

import pytest
from pytest_django import Settings

from assess.models import AnnotatedPeer, TopicPyramid
from assess.pyramids.apps import demonstrate
from assess.pyramids.example import example_peers, example_pyramid
from assess.pyramids.files import write_pan, write_pyr
from assess.pyramids.model import Unit
from assess.pyramids.peers import peer_of
from assess.pyramids.queries import original_text, peer_faults, pyramid_faults, pyramid_in
from assess.pyramids.services import (
    GivenFile,
    PyramidRefused,
    store_peers,
    store_pyramid,
    withdraw_peer,
    withdraw_pyramid,
)
from assess.queries.campaigns import named_files
from assess.services.campaigns import delete_campaign
from config.archives.campaigns import export_campaign, import_campaign
from pooling.campaign_states import StateRefused
from pooling.formats.files import BadFile
from pooling.models import AuditLogEntry, Campaign
from pooling.services.topics import TopicRefused, remove_topic
from tests.assess.pyramids.files import PYR, peer_with
from tests.support.factory import Factory

EXAMPLE = GivenFile("wales.pyr", write_pyr(example_pyramid()))
PEERS = [GivenFile(f"{peer}.pan", write_pan(own)) for peer, own in example_peers().items()]


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    for number in ("1", "2"):
        make.make_topic(campaign, number, f"question {number}")
    return campaign


@pytest.fixture
def pyramid(campaign: Campaign, make: Factory) -> TopicPyramid:
    return store_pyramid(campaign, make.make_user("carol"), campaign.topics.get(number="1"), EXAMPLE)


def test_the_demonstration_has_the_tiers_of_the_example_and_its_own_words(
    campaign: Campaign, make: Factory
) -> None:
    topic = campaign.topics.get(number="1")
    docnos = [f"D{number:02}" for number in range(20)]
    make.make_run(campaign, "\n".join(f"1 {docno} {20 - rank}" for rank, docno in enumerate(docnos)))
    make.make_pool(campaign, depth=20)
    demonstrate(campaign, make.make_user("carol"), cast(Any, None))
    assert not TopicPyramid.objects.exists()  # without texts
    for docno in docnos:
        make.make_document(campaign, docno, f"Text <of> {docno} &\nso on.")
    demonstrate(campaign, make.make_user("carol"), cast(Any, None))
    stored = topic.pyramids.get()
    assert stored.weights == example_pyramid().weights
    assert pyramid_in(stored).units[0].label == "D00: Text <of> D00 & so on."
    assert {peer.peer: peer.span_counts.get(77) for peer in stored.peers.all()} == {"7": 1, "8": None}


def test_a_pyramid_is_stored_as_it_was_given(pyramid: TopicPyramid, make: Factory) -> None:
    assert (pyramid.number, pyramid.order, len(pyramid.units)) == (1, 4, 20)
    assert pyramid.weights == example_pyramid().weights and list(pyramid.weights)[:3] == [77, 12, 31]
    assert original_text(pyramid) == EXAMPLE.content
    topic = pyramid.campaign.topics.get(number="2")
    packed = GivenFile("a.pyr.gz", gzip.compress(PYR))
    other = store_pyramid(pyramid.campaign, make.make_user("carol"), topic, packed)
    assert other.number == 2 and original_text(other) == PYR
    assert AuditLogEntry.objects.filter(verb="stored a pyramid").count() == 2


def test_a_topic_has_one_pyramid_that_stands(pyramid: TopicPyramid, make: Factory) -> None:
    carol = make.make_user("carol")
    with pytest.raises(PyramidRefused, match="Topic 1 has a pyramid, Pyramid 1. Withdraw it first."):
        store_pyramid(pyramid.campaign, carol, pyramid.topic, GivenFile("a.pyr", PYR))
    withdraw_pyramid(pyramid, carol)
    with pytest.raises(PyramidRefused, match="Pyramid 1 is withdrawn already"):
        withdraw_pyramid(pyramid, carol)
    assert store_pyramid(pyramid.campaign, carol, pyramid.topic, GivenFile("a.pyr", PYR)).number == 2
    with pytest.raises(PyramidRefused, match="Pyramid 1 is withdrawn: no peers are added"):
        store_peers(pyramid, carol, PEERS)
    assert original_text(pyramid) == EXAMPLE.content


def test_a_repeated_request_stores_one_pyramid(campaign: Campaign, make: Factory) -> None:
    carol, topic = make.make_user("carol"), campaign.topics.get(number="1")
    first = store_pyramid(campaign, carol, topic, EXAMPLE, "a key")
    assert store_pyramid(campaign, carol, topic, EXAMPLE, "a key").pk == first.pk


def test_peers_are_stored_once(pyramid: TopicPyramid, make: Factory) -> None:
    carol = make.make_user("carol")
    assert [peer.peer for peer in store_peers(pyramid, carol, PEERS)] == ["7", "8"]
    assert store_peers(pyramid, carol, PEERS) == []
    seven = pyramid.peers.get(peer="7")
    assert seven.span_counts == {77: 1, 31: 1, 45: 1, 17: 1, 0: 1}
    changed = GivenFile("7.pan", PEERS[1].content)
    with pytest.raises(BadFile, match=r"7\.pan: the peer 7 has another annotation; expected it withdrawn"):
        store_peers(pyramid, carol, [changed])
    withdraw_peer(seven, carol)
    with pytest.raises(PyramidRefused, match="peer 7 is withdrawn already"):
        withdraw_peer(seven, carol)
    assert [peer.span_counts[58] for peer in store_peers(pyramid, carol, [changed])] == [2]
    assert pyramid.peers.count() == 3 and original_text(seven) == PEERS[0].content


def test_of_files_with_a_fault_none_is_stored(
    pyramid: TopicPyramid, make: Factory, settings: Settings
) -> None:
    carol = make.make_user("carol")
    bad = PEERS[1].content.replace(b'part label="from 1996 on"', b'part label="from 1997 on"')
    place = r"8\.pan, line \d+: SCU 58, contributor 1, part 1: expected 'from 1997 on' at \d+"
    with pytest.raises(BadFile, match=place):
        store_peers(pyramid, carol, [PEERS[0], GivenFile("8.pan", bad)])
    with pytest.raises(BadFile, match=r"7\.pan\.gz: expected one file of the peer 7, found another"):
        store_peers(pyramid, carol, [PEERS[0], GivenFile("7.pan.gz", gzip.compress(PEERS[0].content))])
    with pytest.raises(BadFile, match=r"wales\.pyr, line \d+: expected an element peerAnnotation"):
        store_peers(pyramid, carol, [PEERS[0], EXAMPLE])
    with pytest.raises(BadFile, match=r"a b\.pan: expected a file named after its peer"):
        store_peers(pyramid, carol, [GivenFile("a b.pan", PEERS[0].content)])
    assert not AnnotatedPeer.objects.exists()
    stored = [file for file in settings.MEDIA_ROOT.rglob("*") if file.is_file()]
    assert stored == [Path(pyramid.original.path)]


def test_an_annotation_of_another_pyramid_is_refused(pyramid: TopicPyramid, make: Factory) -> None:
    own, carol = example_pyramid(), make.make_user("carol")
    first, rest = own.units[0], own.units[1:]
    faults = {
        "expected SCU 77 of weight 4, .*, found none": rest,
        "expected SCU 77 of weight 4, .*, found weight 4, 'Other'": (
            first._replace(label="Other"),
            *rest,
        ),
        "expected SCU 77 of weight 4, .*, found weight 3": (
            first._replace(contributors=first.contributors[:3]),
            *rest,
        ),
        "found another one, SCU 5": (*own.units, Unit(5, "More", first.contributors[:1])),
    }
    for message, units in faults.items():
        other = type(own)(own.text, units, own.header)
        file = GivenFile("9.pan", write_pan(peer_with(other, {12: 1})))
        with pytest.raises(BadFile, match=f"9.pan: .*{message}"):
            store_peers(pyramid, carol, [file])


def test_an_archived_campaign_takes_no_pyramid(pyramid: TopicPyramid, make: Factory) -> None:
    campaign, carol = pyramid.campaign, make.make_user("carol")
    Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.State.ARCHIVED)
    campaign.refresh_from_db()
    with pytest.raises(StateRefused):
        store_pyramid(campaign, carol, campaign.topics.get(number="2"), EXAMPLE)
    with pytest.raises(StateRefused):
        store_peers(pyramid, carol, PEERS)
    with pytest.raises(StateRefused):
        withdraw_pyramid(pyramid, carol)
    assert not AnnotatedPeer.objects.exists() and TopicPyramid.objects.get().withdrawn_at is None


def test_the_integrity_check_finds_what_differs(pyramid: TopicPyramid, make: Factory) -> None:
    seven, eight = store_peers(pyramid, make.make_user("carol"), PEERS)
    campaign = pyramid.campaign
    looked = [*pyramid_faults(campaign), *peer_faults(campaign)]
    assert looked == [[], [], []]
    AnnotatedPeer.objects.filter(pk=seven.pk).update(spans=[[77, 1]])
    TopicPyramid.objects.filter(pk=pyramid.pk).update(order=5)
    Path(eight.original.path).unlink()
    faults = [fault.what for own in (*pyramid_faults(campaign), *peer_faults(campaign)) for fault in own]
    assert faults == ["pyramid order", "annotated peer spans", "original of annotated peer"]
    Path(pyramid.original.path).write_bytes(gzip.compress(PYR))
    faults = [fault.what for own in pyramid_faults(campaign) for fault in own]
    assert faults == ["pyramid checksum", "pyramid order", "pyramid units"]


def test_pyramids_are_exported_deleted_and_imported(
    pyramid: TopicPyramid, make: Factory, tmp_path: Path, settings: Settings
) -> None:
    settings.TASKS = {"default": {"BACKEND": "django_tasks.backends.dummy.DummyBackend"}}
    store_peers(pyramid, make.make_user("carol"), PEERS)
    archive = tmp_path / "a.zip"
    assert export_campaign(pyramid.campaign, archive)["lost"] == []
    assert pyramid.original.name in named_files(pyramid.campaign)
    delete_campaign(pyramid.campaign, make.make_user("carol"))
    assert not TopicPyramid.objects.exists() and not AnnotatedPeer.objects.exists()
    imported = import_campaign(archive, {"carol": "carol"}).campaign
    copy = imported.pyramids.get()
    assert copy.weights == example_pyramid().weights and copy.peers.count() == 2
    assert [*pyramid_faults(imported), *peer_faults(imported)] == [[], [], []]


def test_a_topic_with_a_pyramid_is_not_removed(pyramid: TopicPyramid, make: Factory) -> None:
    with pytest.raises(TopicRefused, match="Topic 1 cannot be removed: .* pyramid"):
        remove_topic(pyramid.topic, make.make_user("carol"))


@pytest.mark.parametrize(
    ("name", "peer"),
    [
        ("7.pan", "7"),
        ("bm25.rm3.PAN.GZ", "bm25.rm3"),
        ("D0631-C.M.250.G.E.pan", "E"),
        ("D0601-A.M.250.C.12.pan.xz", "12"),
        ("folder/D0601.M.250.C.sys-2.pan", "sys-2"),
        ("Dover.M.pan", "Dover.M"),
        ("system", "system"),
    ],
)
def test_the_peer_is_in_the_name_of_the_file(name: str, peer: str) -> None:
    assert peer_of(name) == peer
