"""The pages of pyramids: a pyramid of a lecture, worked numbers, files, refusals with their place, roles."""

from __future__ import annotations

import gzip
import re
from itertools import combinations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from assess.models import AnnotatedPeer, TopicPyramid
from assess.pyramids.example import example_peers, example_pyramid
from assess.pyramids.files import write_pan, write_pyr
from assess.pyramids.model import Pyramid
from metrics.pyramids.drawing import IN_A_ROW, drawing_of
from metrics.pyramids.means import PeerScores, peer_means
from metrics.pyramids.queries import COLUMNS
from metrics.pyramids.scores import pyramid_scores
from pooling.models import Campaign
from tests.assess.pyramids.files import PAN, PYR, peer_with, pyramid_with
from tests.support.factory import Factory
from tests.support.markup import markup

PAGES = "/campaigns/tiny/scores/pyramids/"
WALES = write_pyr(example_pyramid())
WORKED = pyramid_with({4: 5, 3: 6, 2: 7, 1: 26}, order=4)  # the tiers of a real file
HELD = dict.fromkeys((1, 2, 3, 6, 12, 19), 1)  # weights 4, 4, 4, 3, 2 and 1


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    for number in ("1", "2"):
        make.make_topic(campaign, number, f"question {number}")
    return campaign


@pytest.fixture
def carol(make: Factory, campaign: Campaign) -> Client:
    return signed_in(make, "carol")


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def upload(client: Client, topic: str, content: bytes, name: str = "a.pyr") -> str:
    fields = {"topic": topic, "file": SimpleUploadedFile(name, content)}
    return markup(client.post(PAGES, fields, follow=True))


def add_peers(client: Client, number: int, **files: bytes) -> str:
    given = [SimpleUploadedFile(f"{peer}.pan", content) for peer, content in files.items()]
    return markup(client.post(f"{PAGES}{number}/", {"file": given}, follow=True))


def table(page: str, caption: str) -> list[list[str]]:
    """Return the text of the cells of a table, without the row of headings."""
    body = re.search(rf"<caption[^>]*>{caption}</caption>.*?<tbody>(.*?)</tbody>", page)
    assert body
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", body[1])
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in rows]
    return [[re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", cell)).strip() for cell in row] for row in cells]


def worked(peer: dict[int, int], pyramid: Pyramid = WORKED) -> bytes:
    return write_pan(peer_with(pyramid, peer))


def test_the_pyramid_of_the_lecture_has_six_optimal_summaries(carol: Client) -> None:
    assert "Pyramid 1 is stored, 20 units." in upload(carol, "1", WALES)
    page = markup(carol.get(f"{PAGES}1/?size=4"))
    assert "two of the 6 optimal summaries with 4 units are ringed" in page
    rows = table(page, "Optimal summaries")
    pairs = [f"weight 4: 77, 12; weight 3: {a}, {b}" for a, b in combinations((31, 45, 58, 63), 2)]
    assert [row[1] for row in rows] == pairs and {row[2] for row in rows} == {"14"}
    assert [row[3] for row in rows] == ["dashed ring", "", "", "", "", "outer ring"]
    assert (page.count('class="ring"'), page.count('class="ring second"')) == (4, 4)
    assert page.count('class="unit best"') == 6 and page.count('class="unit"') == 14
    units = table(page, "Units and their contributors")
    council = "Wales has about 3 dozen district councils"
    words = ["37 districts in Wales", "37 district councils", "38 Welsh districts", "37 district councils"]
    assert units[0] == ["SCU 77", council, "4", *words]
    assert units[2][3:] == ["Wales has eight county councils"] * 3 + ["–"]


@pytest.mark.parametrize(
    ("size", "count"), [("2", "the optimal summary with 2 units is"), ("3", "two of the 4 optimal"),
                        ("99", "the optimal summary with 20 units is"), ("", "two of the 15 optimal"),
                        ("0", "two of the 15 optimal"), ("-1", "two of the 15"), ("x", "two of the 15")]
)  # fmt: skip
def test_the_size_of_optimal_summaries_can_be_chosen(carol: Client, size: str, count: str) -> None:
    upload(carol, "1", WALES)
    assert count in markup(carol.get(f"{PAGES}1/?size={size}"))  # a model summary has 10 units


def test_worked_numbers_on_the_page_and_in_the_file(carol: Client) -> None:
    upload(carol, "1", write_pyr(WORKED))
    page = add_peers(carol, 1, six=worked(HELD), seven=worked(HELD | {0: 1}))
    assert "2 annotated peers stored." in page
    assert "<dd>78</dd>" in page and "19.50 <small>floor 19, ceil 20</small>" in page
    rows = {row[0]: row for row in table(page, "Scores of peers")}
    assert rows["six"][1:6] == ["18", "6", "6", "0", "0"]
    assert rows["six"][6:9] == ["0.7826 18 / 23", "0.3396 18 / 53", "0.3333 18 / 54"]
    assert rows["seven"][1:9] == [
        "18",
        "6",
        "7",
        "0",
        "1",
        "0.6923 18 / 26",
        "0.3396 18 / 53",
        "0.3333 18 / 54",
    ]
    lines = carol.get(f"{PAGES}tsv/").content.decode().splitlines()
    assert lines[0].split("\t") == list(COLUMNS)
    values = dict(zip(COLUMNS, lines[2].split("\t"), strict=True))
    assert (values["peer"], values["spans"], values["best_of_spans"]) == ("six", "6", "23")
    found = [f"{float(values[name]):.4f}" for name in ("original", "modified_floor", "modified_ceil")]
    assert found == ["0.7826", "0.3396", "0.3333"]
    floor, ceil = 2 / (23 / 18 + 53 / 18), 2 / (23 / 18 + 54 / 18)
    assert float(values["comprehensive_floor"]) == pytest.approx(floor)
    assert float(values["comprehensive_ceil"]) == pytest.approx(ceil)
    assert (values["expected_units_floor"], values["expected_units_ceil"], values["undefined"]) == (
        "19",
        "20",
        "",
    )


def test_means_over_topics_leave_undefined_scores_out_and_name_them(carol: Client) -> None:
    upload(carol, "1", write_pyr(WORKED))
    add_peers(carol, 1, six=worked(HELD), none=worked({}))
    upload(carol, "2", WALES)
    add_peers(carol, 2, six=write_pan(example_peers()["7"]), none=write_pan(example_peers()["8"]))
    rows = {row[0]: row for row in table(markup(carol.get(PAGES)), "Mean scores of peers over topics")}
    means = [(18 / 23 + 11 / 17) / 2, (18 / 53 + 11 / 28) / 2, (18 / 54 + 11 / 28) / 2]
    assert rows["six"][:6] == ["six", "1", "2", *(f"{mean:.4f}" for mean in means)]
    assert rows["six"][-1] == "none"
    # 12, 58 twice and 9 are 4 + 3 + 2 over the best of 4 units and of 10; on topic 1 it has no span
    assert rows["none"][2:5] == ["2", f"{9 / 14:.4f} 1 topic", f"{9 / 28 / 2:.4f}"]
    assert rows["none"][-1] == "topic 1, original: the peer has no annotated spans"
    line = carol.get(f"{PAGES}tsv/").content.decode().splitlines()[1].split("\t")
    assert line[1] == "none" and "original: the peer has no annotated spans" in line[-1]


def test_without_the_places_of_models_modified_scores_are_undefined(carol: Client) -> None:
    bare = Pyramid(WORKED.text, WORKED.units)
    page = upload(carol, "1", write_pyr(bare))
    assert "the file does not say where model summaries begin" in page
    page = add_peers(carol, 1, six=worked(HELD, bare))
    row = table(page, "Scores of peers")[0]
    assert row[6] == "0.7826 18 / 23"
    assert row[7] == row[8] == "undefined the pyramid does not say how many model summaries it has"
    units = table(page, "Units and their contributors")
    assert units[0][4] == " · ".join(f"Unit 1 in model {model}" for model in range(4))


@pytest.mark.parametrize(
    ("content", "refusal"),
    [
        (
            PYR.replace(b'start="44"', b'start="43"'),
            "Line 41: SCU 4, contributor 1, part 1: expected &#x27;wood",
        ),
        (PAN, "expected an element pyramid, found &#x27;peerAnnotation&#x27;"),
        (b"", "expected an element pyramid, found an empty file"),
        (b"<pyramid>\n<text/>\n", "Line 3: expected well-formed XML"),
        (b"<pyramid><text/></pyramid>", "expected a unit (an element scu), found none"),
    ],
)
def test_a_refused_pyramid_says_its_place(carol: Client, content: bytes, refusal: str) -> None:
    page = upload(carol, "1", content, "bad.pyr")
    assert "bad.pyr was refused; nothing from it was stored" in page and refusal in page
    assert not TopicPyramid.objects.exists()


def test_of_refused_peers_none_is_stored(carol: Client) -> None:
    upload(carol, "1", PYR)
    bad = PAN.replace(b'<part label="only one"', b'<part label="only two"')
    page = add_peers(carol, 1, good=PAN, bad=bad)
    assert "bad.pan was refused; nothing from it was stored" in page
    assert re.search(
        r"Line \d+: SCU 9, contributor 2, part 1: expected &#x27;only two&#x27; at 27 to 35", page
    )
    assert "7.pan" not in page and not AnnotatedPeer.objects.exists()
    page = add_peers(carol, 1, other=write_pan(example_peers()["7"]))
    assert "expected SCU 4 of weight 2, &#x27;Wood floats&#x27;, in the pyramid of the annotation" in page
    add_peers(carol, 1, good=PAN)
    assert "0 annotated peers stored; 1 known." in add_peers(carol, 1, good=PAN)


def test_a_topic_with_a_pyramid_is_not_offered_until_it_is_withdrawn(carol: Client) -> None:
    assert upload(carol, "1", PYR) and "Select a valid choice" in upload(carol, "1", WALES)
    assert "Withdraw Pyramid 1?" in markup(carol.post(f"{PAGES}1/withdraw/"))
    assert TopicPyramid.objects.get().withdrawn_at is None
    page = markup(carol.post(f"{PAGES}1/withdraw/", {"confirmed": "yes"}, follow=True))
    assert "It counts in no mean over topics." in page and "Add annotated peers" not in page
    assert "Pyramid 2 is stored" in upload(carol, "1", WALES)
    assert gzip.decompress(b"".join(carol.get(f"{PAGES}1/file/"))) == PYR


def test_files_and_withdrawal_of_a_peer(carol: Client, campaign: Campaign, make: Factory) -> None:
    pyramid = make.make_pyramid(campaign)
    seven = pyramid.peers.get(peer="7")
    file = f"{PAGES}1/peers/{seven.pk}/file/"
    assert gzip.decompress(b"".join(carol.get(file))) == write_pan(example_peers()["7"])
    page = markup(carol.get(f"{PAGES}1/?peer=7"))
    assert table(page, "Scores of peers")[0][6:8] == ["0.6471 11 / 17", "0.3929 11 / 28"]
    assert [row[3] for row in table(page, "Units and their contributors")[:3]] == ["1", "–", "1"]
    assert table(markup(carol.get(f"{PAGES}1/?peer=8")), "Units and their contributors")[4][3] == "2"
    where = f"{PAGES}1/peers/{seven.pk}/withdraw/"
    assert "Withdraw the annotation of 7?" in markup(carol.post(where))
    page = markup(carol.post(where, {"confirmed": "yes"}, follow=True))
    assert "Withdrawn: 1" in page and [row[0] for row in table(page, "Scores of peers")] == ["8"]
    assert len(carol.get(f"{PAGES}tsv/").content.decode().splitlines()) == 2


def test_judges_do_not_see_pyramids(campaign: Campaign, make: Factory) -> None:
    make.make_pyramid(campaign)
    peer = AnnotatedPeer.objects.all()[0].pk
    pages = ["", "1/", "tsv/", "1/file/", f"1/peers/{peer}/file/"]
    for name, status in (("alice", 403), ("ada", 200), ("carol", 200), ("zoe", 404)):
        client = signed_in(make, name)
        answers = [client.get(PAGES + page) for page in pages]
        assert {answer.status_code for answer in answers} == {status}, name
        for answer in answers:
            b"".join(answer)  # files are closed at their end
    assert "Pyramids" not in markup(signed_in(make, "alice").get("/campaigns/tiny/judge/"))
    ada = signed_in(make, "ada")
    assert "Store a pyramid" not in markup(ada.get(PAGES))
    assert "Add annotated peers" not in markup(ada.get(f"{PAGES}1/"))
    assert ada.post(PAGES).status_code == ada.post(f"{PAGES}1/").status_code == 403
    assert ada.post(f"{PAGES}1/withdraw/", {"confirmed": "yes"}).status_code == 403


def test_ranks_are_of_the_comprehensive_score_and_ties_share_one() -> None:
    weights = {1: 2, 2: 2, 3: 1, 4: 1}

    def scored(topic: str, peer: str, spans: dict[int, int]) -> PeerScores:
        return PeerScores(
            topic, peer, pyramid_scores(weights, 2, spans), pyramid_scores(weights, 2, spans, "ceil")
        )

    rows = peer_means(
        [scored("1", "a", {3: 1}), scored("1", "b", {1: 1}), scored("1", "c", {2: 1}), scored("1", "d", {})]
    )
    assert [(row.peer, row.rank) for row in rows] == [("b", 1), ("c", 1), ("a", 3), ("d", None)]
    assert rows[-1].means[0] == (None, 0) and rows[-1].means[1] == (0.0, 1)


@given(st.dictionaries(st.integers(1, 6), st.integers(1, 40), min_size=1, max_size=6))
def test_every_unit_of_a_drawing_stands_within_its_tier(tiers: dict[int, int]) -> None:
    weights = dict(enumerate((weight for weight, count in tiers.items() for _ in range(count)), start=1))
    drawing = drawing_of(weights, dict.fromkeys(weights, "x"), {1}, [[1]])
    assert drawing
    assert sorted(unit.uid for tier in drawing.tiers for unit in tier.units) == sorted(weights)
    assert [tier.weight for tier in drawing.tiers] == sorted(tiers, reverse=True)
    places = {(unit.x, unit.y) for tier in drawing.tiers for unit in tier.units}
    assert len(places) == len(weights)
    for tier in drawing.tiers:
        corners = [tuple(map(float, corner.split(","))) for corner in tier.points.split()]
        (x0, y0), (x1, _), (x2, y1), (x3, _) = corners
        assert 0 <= x3 <= x0 + 1e-6 and x1 <= x2 + 1e-6 and x2 < drawing.label_x
        for unit in tier.units:
            side = (unit.y - 14 - y0) / (y1 - y0)
            assert y0 + 14 < unit.y < y1 - 14
            assert x0 + side * (x3 - x0) <= unit.x - 14 and unit.x + 14 <= x1 + side * (x2 - x1)


def test_what_is_not_drawn() -> None:
    assert drawing_of({}, {}, (), []) is None
    assert drawing_of(dict.fromkeys(range(1, 302), 1), {}, (), []) is None
    wide = drawing_of(dict.fromkeys(range(1, IN_A_ROW + 2), 1), dict.fromkeys(range(1, 99), ""), (), [])
    assert wide and len({unit.y for unit in wide.tiers[0].units}) == 2


def test_a_pyramid_whose_file_is_gone_is_named_on_the_list(
    carol: Client, campaign: Campaign, make: Factory
) -> None:
    pyramid = make.make_pyramid(campaign)
    pyramid.original.delete(save=False)
    page = markup(carol.get(f"{PAGES}1/", follow=True))
    assert f"The stored file of {pyramid} cannot be read" in page and "Store a pyramid" in page
