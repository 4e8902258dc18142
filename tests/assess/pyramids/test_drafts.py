"""Pyramids that people make on a page: words of model summaries, units, weights, and the file they become."""

from __future__ import annotations

import gzip
import html
import re
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from hypothesis import assume, given
from hypothesis import strategies as st
from pytest_django import Settings

from assess.models import PyramidDraft, TopicPyramid
from assess.pyramids.drafts.queries import draft_pyramid, units_of
from assess.pyramids.drafts.units import (
    HEADER,
    DraftUnit,
    joined_text,
    pyramid_of,
    split_summaries,
    with_part,
)
from assess.pyramids.files import read_pyr, write_pyr
from assess.pyramids.model import Part
from assess.services.campaigns import delete_campaign
from config.archives.campaigns import export_campaign, import_campaign
from pooling.models import AuditLogEntry, Campaign
from pooling.refusals import Refused
from pooling.services.topics import TopicRefused, remove_topic
from tests.support.factory import Factory
from tests.support.markup import markup

PAGES = "/campaigns/tiny/scores/pyramids/"
COUNCILS = ("37 districts in Wales", "37 district councils", "38 Welsh districts", "37 district councils")
SUMMARIES = [  # unit 77 of a lecture, and invented words around it
    f"There are {words}.\nEight counties, and {words} again." if number == 1 else f"It has {words}."
    for number, words in enumerate(COUNCILS)
]
PASTED = "\n---\n".join(SUMMARIES)


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    for number in ("1", "2"):
        make.make_topic(campaign, number, f"question {number}")
    return campaign


@pytest.fixture
def carol(campaign: Campaign, make: Factory) -> Client:
    return signed_in(make, "carol")


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def begin(client: Client, text: str = PASTED, topic: str = "1", **fields: object) -> str:
    return markup(client.post(PAGES + "new/", {"topic": topic, "summaries": text} | fields, follow=True))


def home() -> str:
    return f"{PAGES}drafts/{PyramidDraft.objects.get().pk}/"


def mark(client: Client, words: str, **fields: object) -> str:
    return html.unescape(markup(client.post(home(), {"quotation": words} | fields, follow=True)))


def units() -> list[tuple[int, str, list[str]]]:
    draft = PyramidDraft.objects.get()
    return [
        (unit.uid, unit.label, [draft.text[part.start : part.end] for part in unit.parts])
        for unit in units_of(draft)
    ]


def mark_the_lectures_unit(client: Client) -> None:
    begin(client)
    mark(client, COUNCILS[0], label="Wales has about 3 dozen district councils", place="1")
    for number in (2, 3, 4):
        mark(client, COUNCILS[number - 1], unit="1", place=f"{number}")
    mark(client, "Eight counties")


def test_units_are_marked_and_stored_as_the_file_that_the_page_offers(
    campaign: Campaign, carol: Client
) -> None:
    mark_the_lectures_unit(carol)
    assert units() == [
        (1, "Wales has about 3 dozen district councils", [*COUNCILS]),
        (2, "Eight counties", ["Eight counties"]),
    ]
    page = " ".join(markup(carol.get(home())).split())
    assert "<b>SCU 1</b>, weight 4" in page and "<b>SCU 2</b>, weight 1" in page
    assert f'<mark data-ends="1" >{COUNCILS[0]}</mark>' in page.replace('"1">', '"1" >')
    offered = carol.get(home() + "file/")
    assert 'filename="tiny-topic-1.pyr"' in offered["Content-Disposition"]
    read = read_pyr(offered.content)
    assert write_pyr(read) == offered.content and read == draft_pyramid(PyramidDraft.objects.get())
    assert (read.order, read.weights) == (4, {1: 4, 2: 1})
    assert [each.label for each in read.units[0].contributors] == [*COUNCILS]
    assert (
        "Store this pyramid?" in markup(carol.post(home() + "store/")) and not TopicPyramid.objects.exists()
    )
    page = " ".join(markup(carol.post(home() + "store/", {"confirmed": "yes"}, follow=True)).split())
    stored = TopicPyramid.objects.get()
    assert "Pyramid 1 is stored, 2 units." in page and not PyramidDraft.objects.exists()
    with stored.original.open("rb") as file:
        assert gzip.decompress(file.read()) == offered.content
    assert (stored.order, stored.weights, stored.file_name) == (4, {1: 4, 2: 1}, "topic-1.pyr")


def test_words_of_one_summary_are_one_contributor_and_weigh_once(campaign: Campaign, carol: Client) -> None:
    mark_the_lectures_unit(carol)
    begins = PyramidDraft.objects.get().text.index("again")
    mark(carol, "37 district councils", unit="1", place="2", start="50")
    pyramid = draft_pyramid(PyramidDraft.objects.get())
    assert pyramid.weights == {1: 4, 2: 1}
    second = pyramid.units[0].contributors[1]
    assert len(second.parts) == 2 and second.label == "37 district councils...37 district councils"
    assert second.parts[1].end < begins < second.parts[1].end + 5
    assert read_pyr(write_pyr(pyramid)) == pyramid


def test_the_weight_follows_when_words_are_taken_away(carol: Client) -> None:
    mark_the_lectures_unit(carol)
    part = units_of(PyramidDraft.objects.get())[0].parts[3]
    span = {"remove": f"{part.start}-{part.end}"}
    page = markup(carol.post(home() + "units/1/", span, follow=True))
    assert "The words are taken away." in page and "weight 3" in page
    assert "does not have these words any more" in markup(carol.post(home() + "units/1/", span, follow=True))
    last = units_of(PyramidDraft.objects.get())[1].parts[0]
    carol.post(home() + "units/2/", {"remove": f"{last.start}-{last.end}"})
    assert [uid for uid, *_ in units()] == [1]  # a unit without words is none
    mark(carol, "Eight counties", label="Eight\tcounties  exist")
    assert units()[1][:2] == (2, "Eight counties exist")


def test_a_label_is_changed_unless_another_person_changed_it_meanwhile(carol: Client) -> None:
    mark_the_lectures_unit(carol)
    change = {"label": "Counties", "before": "Eight counties"}
    assert "The label is saved." in markup(carol.post(home() + "units/2/", change, follow=True))
    page = html.unescape(markup(carol.post(home() + "units/2/", change | {"label": "Eight"}, follow=True)))
    assert "Another person changed this label meanwhile to 'Counties'" in page
    assert "A unit has a label." in markup(
        carol.post(home() + "units/2/", {"label": " ", "before": "Counties"}, follow=True)
    )
    assert "There is no unit 9" in markup(carol.post(home() + "units/9/", change, follow=True))
    assert "characters that XML can hold" in markup(
        carol.post(home() + "units/2/", {"label": "Bad\x01", "before": "Counties"}, follow=True)
    )
    assert "at most 400" in markup(carol.post(home() + "units/2/", {"label": "a" * 401}, follow=True))
    assert units()[1][1] == "Counties"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"quotation": "39 districts"}, "none has '39 districts'"),
        ({"quotation": "Wales. There"}, "Select words of one model summary"),
        ({"quotation": "Model summary 1"}, "none has"),
        ({"quotation": ""}, "This field is required"),
        ({"quotation": "has 37", "place": "4"}, "Some of these words belong to unit 1"),
        ({"quotation": "again", "unit": "7"}, "Select a valid choice"),
    ],
)
def test_words_are_refused_and_nothing_is_stored(carol: Client, fields: dict[str, str], message: str) -> None:
    mark_the_lectures_unit(carol)
    before = units()
    assert message in html.unescape(markup(carol.post(home(), fields)))
    assert units() == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "these are 0"),
        ("Boats float.", "these are 1"),
        ("---\nBoats float.\n-----\n\n---", "these are 1"),
        ("\n---\n".join(["a"] * 51), "these are 51"),
        ("A\x0b.\n---\nB.", "expected characters that XML can hold"),
        ("a" * 199_990 + "\n---\nb", "expected a text of at most 200,000 characters"),
    ],
)
def test_summaries_are_refused_and_nothing_is_stored(
    campaign: Campaign, carol: Client, text: str, message: str
) -> None:
    page = html.unescape(begin(carol, text))
    assert message in page and not PyramidDraft.objects.exists()


def test_summaries_come_from_files_as_well(campaign: Campaign, carol: Client) -> None:
    files = [
        SimpleUploadedFile("a.txt", "\ufeffWood floats.\r\n----\r\nÄgypten\r\nhas boats.".encode()),
        SimpleUploadedFile("b.txt.gz", gzip.compress(b"Boats sink.")),
    ]
    begin(carol, "Boats float.", file=files)
    draft = PyramidDraft.objects.get()
    models = [draft.text[start:end] for start, end in pyramid_of(draft.text, ()).models]
    assert models == ["Boats float.\n", "Wood floats.\n", "Ägypten\nhas boats.\n", "Boats sink.\n"]
    page = begin(carol, "Boats float.", topic="2", file=[SimpleUploadedFile("c.txt", b"one\n\xff")])
    assert "expected UTF-8 text, found the byte 0xff" in page and PyramidDraft.objects.count() == 1


def test_a_topic_has_one_draft_or_one_pyramid(campaign: Campaign, carol: Client, make: Factory) -> None:
    mark_the_lectures_unit(carol)
    assert "Select a valid choice" in begin(carol)
    make.make_pyramid(campaign)  # of topic 1, meanwhile, by file
    page = " ".join(markup(carol.post(home() + "store/", {"confirmed": "yes"}, follow=True)).split())
    assert "Topic 1 has a pyramid, Pyramid 1. Withdraw it first." in page
    assert PyramidDraft.objects.exists() and TopicPyramid.objects.count() == 1
    page = markup(carol.post(home() + "discard/", {"confirmed": "yes"}, follow=True))
    assert "The draft is discarded." in page and not PyramidDraft.objects.exists()
    assert AuditLogEntry.objects.latest("pk").sentence == "Draft of the pyramid of topic 1 with 2 units"


def test_a_draft_that_is_stored_is_gone(campaign: Campaign, carol: Client) -> None:
    mark_the_lectures_unit(carol)
    address = home() + "store/"
    assert carol.post(address, {"confirmed": "yes"}).status_code == 302
    assert carol.post(address, {"confirmed": "yes"}).status_code == 404
    assert TopicPyramid.objects.count() == 1


def test_a_draft_without_units_is_not_stored(campaign: Campaign, carol: Client) -> None:
    begin(carol)
    page = markup(carol.post(home() + "store/", {"confirmed": "yes"}, follow=True))
    assert "expected a unit (an element scu), found none" in page and PyramidDraft.objects.exists()


def test_adjudicators_mark_units_and_organisers_store_them(campaign: Campaign, make: Factory) -> None:
    ada = signed_in(make, "ada")
    mark_the_lectures_unit(ada)
    assert len(units()) == 2
    assert ada.post(home() + "store/", {"confirmed": "yes"}).status_code == 403
    assert "Store the pyramid" not in markup(ada.get(home()))
    for name in ("alice", "dave"):
        assert signed_in(make, name).get(home()).status_code in (403, 404)


def test_a_closed_campaign_changes_no_draft(campaign: Campaign, carol: Client) -> None:
    mark_the_lectures_unit(carol)
    before = units()
    Campaign.objects.update(state="archived")
    assert "archived" in mark(carol, "again")
    carol.post(home() + "units/2/", {"label": "Other", "before": "Eight counties"})
    assert units() == before


def test_a_draft_keeps_its_topic_goes_with_its_campaign_and_comes_back_from_an_archive(
    campaign: Campaign, carol: Client, make: Factory, tmp_path: Path, settings: Settings
) -> None:
    settings.TASKS = {"default": {"BACKEND": "django_tasks.backends.dummy.DummyBackend"}}
    mark_the_lectures_unit(carol)
    with pytest.raises(TopicRefused):
        remove_topic(campaign.topics.get(number="1"), make.make_user("carol"))
    before = draft_pyramid(PyramidDraft.objects.get())
    export_campaign(campaign, tmp_path / "a.zip")
    delete_campaign(campaign, make.make_user("carol"))
    assert not PyramidDraft.objects.exists()
    import_campaign(tmp_path / "a.zip", {"carol": "carol"})
    assert draft_pyramid(PyramidDraft.objects.get()) == before


def test_a_header_of_ours_is_found_before_each_summary_and_nowhere_else() -> None:
    tricky = ["Model summary 2\n", "-- \n Model summary 1\n--", "a\n-\nb", "x"]
    text = joined_text(split_summaries("\n-----\n".join(tricky)))
    models = pyramid_of(text, ()).models
    assert [text[model.start : model.end].strip() for model in models] == [each.strip() for each in tricky]
    assert re.findall(HEADER, text) == [text[at - 30 : at] for at, _ in models]


LETTERS = st.text('abc .&<"\u00e4\U0001f6a2\n-', min_size=1, max_size=25)


@given(st.lists(LETTERS, min_size=2, max_size=4), st.data())
def test_any_units_come_back_from_the_file(texts: list[str], data: st.DataObject) -> None:
    summaries = split_summaries("\n---\n".join(texts))
    text = joined_text(summaries)
    models = pyramid_of(text, ()).models
    assert len(models) == len(summaries)
    assume(models)
    made: list[DraftUnit] = []
    for _ in range(data.draw(st.integers(0, 6))):
        model = data.draw(st.sampled_from(models))
        start = data.draw(st.integers(model.start, model.end - 1))
        part = Part(start, data.draw(st.integers(start + 1, model.end)))
        uid = data.draw(st.integers(0, len(made)))
        try:
            made = with_part(made, part, text, uid, "Says it")
        except Refused:
            taken = [own for unit in made for own in unit.parts]
            assert any(part.start < own.end and own.start < part.end for own in taken)
    pyramid = pyramid_of(text, made)
    assert read_pyr(write_pyr(pyramid)) == pyramid
    for unit in made:
        held = {
            next(n for n, model in enumerate(models) if model.start <= part.start < model.end)
            for part in unit.parts
        }
        assert pyramid.weights[unit.uid] == len(held)
