"""Machine labels: named, kept from people, compared, and in a release only by name."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from assess.models import QrelsRelease, QueueEntry, Source
from assess.queries.agreement import agreement_scope, overall_agreement
from assess.queries.agreement_pairs import PairRows
from assess.queries.campaign_reads import CampaignReads
from assess.queries.labels import judges_of, judging_order, label_records
from assess.queries.progress import progress_grid
from assess.queries.release_draft import agreed_columns, release_preview
from assess.release.plan import ReleasePlan
from assess.services.imports import MachineDetails, load_machine_labels
from assess.services.releases import NothingToRelease, release_qrels
from assess.services.settings import ScaleLocked, change_settings
from pooling.formats.files import BadFile
from pooling.models import Campaign
from pooling.scale import THREE_STEPS
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/judging/machines/"
LABELS = "1 0 D1 3\n1 0 D2 0\n2 0 D1 2\n"


def build_campaign(make: Factory) -> Campaign:
    return make.make_pooled_campaign()


def posted(**changed: Any) -> dict[str, Any]:
    return {
        "file": SimpleUploadedFile("robot.qrels", LABELS.encode()),
        "name": "robot",
        "model": "model-1, May 2026",
        "prompt_sha256": "AB" * 32,
        "made_on": "2026-05-04",
        "note": "zero-shot",
        "grades": "",
    } | changed


def client_of(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def test_labels_are_loaded_with_what_is_known_of_the_machine(campaign: Campaign, make: Factory) -> None:
    response = client_of(make, "carol").post(PAGE, posted(), follow=True)
    assert "3 labels of robot (model-1, May 2026) loaded." in markup(response)
    machine = campaign.sources.programs().get()
    assert (machine.prompt_sha256, machine.made_on, machine.note) == (
        "ab" * 32,
        date(2026, 5, 4),
        "zero-shot",
    )
    assert not machine.user.is_active and not machine.user.has_usable_password()
    assert not campaign.memberships.filter(user=machine.user).exists()
    shown = markup(client_of(make, "carol").get(PAGE))
    assert "robot" in shown and "abababababab" in shown


def test_a_release_is_mixed_if_it_uses_a_label_of_a_program() -> None:
    manifests: list[dict[str, Any]] = [
        {},
        {"machines": []},
        {"machines": [{"labels": 0}]},
        {"machines": [{"labels": 2}]},
    ]
    found = [QrelsRelease(manifest=manifest).has_labels_of_programs for manifest in manifests]
    assert found == [False, False, False, True]


def test_who_has_no_prompt_leaves_its_checksum_empty(campaign: Campaign, make: Factory) -> None:
    carol = client_of(make, "carol")
    carol.post(PAGE, posted(prompt_sha256=""))
    assert campaign.sources.programs().get().prompt_sha256 == ""
    assert "none given" in markup(carol.get(PAGE))


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"prompt_sha256": "short"}, "Enter the SHA-256 checksum as 64 hexadecimal digits."),
        ({"made_on": "soon"}, "Enter a valid date"),
        ({"model": ""}, "This field is required"),
        ({"grades": "a=b"}, "expected pairs such as"),
        (
            {"file": SimpleUploadedFile("q", b"1 0 D1 9\n")},
            "expected a grade of the scale 0, 1, 2, 3, found 9",
        ),
        ({"file": SimpleUploadedFile("q", b"1 0 D1\n")}, "expected 4 fields"),
        ({"file": SimpleUploadedFile("q", b"1 0 D88 1\n")}, "at least one pooled document"),
    ],
)
def test_bad_input_says_what_was_expected_and_loads_nothing(
    campaign: Campaign, make: Factory, changed: dict[str, Any], expected: str
) -> None:
    for file in (value for key, value in changed.items() if key == "file"):
        file.seek(0)
    response = client_of(make, "carol").post(PAGE, posted(**changed))
    assert response.status_code == 200 and expected in markup(response)
    assert not Source.objects.exists() and not judges_of(campaign).filter(name="robot").exists()


def test_a_name_that_is_taken_leads_to_the_page_that_loads_a_newer_file(
    campaign: Campaign, make: Factory
) -> None:
    machine = make.make_machine(campaign, "1 0 D1 3\n", "LLM, short prompt")
    page = markup(client_of(make, "carol").post(PAGE, posted(name="LLM, short prompt")))
    assert f'href="/campaigns/tiny/judging/sources/{machine.pk}/#replacement"' in page
    page = markup(client_of(make, "carol").post(PAGE, posted(name="LLM, short prompt", grades="9=3")))
    assert f'href="/campaigns/tiny/judging/sources/{machine.pk}/#replacement"' in page


def test_the_same_name_twice_is_refused(campaign: Campaign, make: Factory) -> None:
    carol = client_of(make, "carol")
    stored = carol.post(PAGE, posted())
    assert stored["Location"] == f"{PAGE}#main"  # where its message is: the form was sent to #load
    refused = markup(carol.post(PAGE, posted()))
    assert "this campaign already has labels of robot" in refused
    assert "load the newer file on the page of robot" in refused
    assert campaign.sources.programs().count() == 1


def test_only_organisers_get_in(campaign: Campaign, make: Factory) -> None:
    statuses = {name: client_of(make, name).get(PAGE).status_code for name in ("alice", "rita", "mallory")}
    assert statuses == {"alice": 403, "rita": 403, "mallory": 404}
    assert Client().get(PAGE).status_code == 302


def test_documents_in_no_pool_are_left_out_and_counted_so_that_people_still_get_them(
    campaign: Campaign, make: Factory
) -> None:
    machine = make.make_machine(campaign, LABELS + "1 0 D88 1\n")
    assert machine.left_out == 1 and machine.user.judgments.count() == 3
    assert campaign.pools.count() == 1


def test_grades_are_mapped_and_an_empty_file_is_refused(campaign: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    about = MachineDetails("robot", "model-1", "ab" * 32, date(2026, 5, 4))
    loaded = load_machine_labels(campaign, carol, b"1 0 D1 5\n", "q", about, {5: 3})
    assert loaded.user.judgments.get().relevance == 3
    with pytest.raises(BadFile):
        load_machine_labels(campaign, carol, b"", "q", about._replace(name="other"))


def test_no_figure_about_people_counts_a_machine(campaign: Campaign, make: Factory) -> None:
    make.make_machine(campaign, LABELS)
    assert not len(agreed_columns(CampaignReads(campaign), ReleasePlan()).grades)
    assert judging_order(CampaignReads(campaign)).tolist() == []
    assert [judge.username for judge in judges_of(campaign)] == ["alice", "bob"]
    assert [(row.judged, row.relevant) for row in progress_grid(CampaignReads(campaign)).rows] == [
        (0, 0),
        (0, 0),
    ]
    assert release_preview(CampaignReads(campaign), ReleasePlan()).lines == 0
    with pytest.raises(NothingToRelease):
        release_qrels(campaign, make.make_user("carol"))


def test_the_agreement_page_compares_people_with_machines_but_means_people_alone(
    campaign: Campaign, make: Factory
) -> None:
    for docno, alice, bob in (("D1", 3, 3), ("D2", 0, 0), ("D3", 0, 2)):
        make.make_judgment(campaign, "alice", "1", docno, alice)
        make.make_judgment(campaign, "bob", "1", docno, bob)
    whole = overall_agreement(agreement_scope(CampaignReads(campaign)))
    make.make_machine(campaign, "1 0 D1 0\n1 0 D2 3\n2 0 D1 1\n")
    assert overall_agreement(agreement_scope(CampaignReads(campaign))) == whole
    assert len(PairRows(agreement_scope(CampaignReads(campaign)))) == 3
    assert overall_agreement(agreement_scope(CampaignReads(campaign), machines=True)).judges == 3
    for name, machine in (("ada", "robot (machine)"), ("rita", "machine 1")):
        assert machine in markup(client_of(make, name).get("/campaigns/tiny/agreement/"))
    (record,) = (
        each for each in label_records(campaign) if (each.topic, each.docno) == ("1", "D1") and each.machine
    )
    assert (record.judge, record.relevance, record.source) == ("tiny/robot", 0, "machine: file")


def test_a_machine_enters_a_release_only_by_name(campaign: Campaign, make: Factory) -> None:
    make.make_machine(campaign, LABELS)
    make.make_judgment(campaign, "alice", "1", "D1", 0)
    carol = make.make_user("carol")
    people = release_qrels(campaign, carol)
    assert people.manifest["judges"] == {"alice": 1} and people.manifest["machines"] == []
    both = release_qrels(campaign, carol, ReleasePlan("maximum", machines=("tiny/robot",)))
    assert (both.line_count, both.manifest["relevant"]) == (3, 2)
    assert both.manifest["machines"] == [
        {
            "judge": "tiny/robot",
            "source": "machine: file",
            "model": "model-1",
            "prompt_sha256": "ab" * 32,
            "made_on": "2026-05-04",
            "labels": 3,
            "use": "Replacing people",
            "audit": None,
            "verdict": "no audit",
            "accepted": False,
        }
    ]
    alone = release_qrels(campaign, carol, ReleasePlan("one judge", "tiny/robot"))
    assert alone.manifest["judges"] == {} and alone.manifest["machines"][0]["labels"] == 3
    named = release_qrels(campaign, carol, ReleasePlan("maximum", judges=("alice",)))
    assert named.line_count == 1


def test_no_judge_is_shown_a_machine_anywhere(campaign: Campaign, make: Factory) -> None:
    make.make_machine(campaign, LABELS, "zebra-machine")
    alice = client_of(make, "alice")
    entry = QueueEntry.objects.get(judge__username="alice", pooled=make.pooled(campaign, "1", "D1"))
    for place in ("topics/", "topics/1/", "judge/", "judge/topics/1/", f"judge/{entry.pk}/"):
        response = alice.get(f"/campaigns/tiny/{place}")
        assert response.status_code == 200
        assert "zebra" not in markup(response) and 'aria-pressed="true"' not in markup(response)


def test_machine_labels_lock_the_scale_too(campaign: Campaign, make: Factory) -> None:
    make.make_machine(campaign, LABELS)
    with pytest.raises(ScaleLocked):
        change_settings(campaign, THREE_STEPS, threshold=1)


def test_a_refusal_stands_at_the_form_and_lists_the_first_problems(campaign: Campaign, make: Factory) -> None:
    lines = b"1 0 D1 9\n1 0 D2 9\n7 0 D1 1\n"
    page = markup(client_of(make, "carol").post(PAGE, posted(file=SimpleUploadedFile("robot.qrels", lines))))
    above, _, section = page.partition('<section id="load">')
    refusal = section.partition("<form")[0]
    assert "was refused" not in above and "robot.qrels was refused; nothing from it was stored" in refusal
    rows = re.findall(r'<td class="number">(\d+)</td><td><b>([^<]+)</b></td>', refusal)
    assert rows == [("1", "grade 9, on 2 lines"), ("3", "topic 7, on 1 line")]
