"""The integrity check of programs: labels are those of their replies, on cells of their matchings."""

from __future__ import annotations

from collections.abc import Iterator

from assess.matching_programs.queries.requests import cells_of
from assess.matching_programs.replies import ASSIGNMENT_OF, marks_in, read_label
from assess.models import MatchingProgram, ProgramNuggetLabel
from pooling.checksum import sha256_of
from pooling.integrity import Check, Faults, differing
from pooling.models import Campaign


def matching_program_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every program: its prompt, the cells of its labels, and the labels against stored replies."""
    programs = campaign.matching_programs.select_related("matching__bank")
    for program in programs.order_by("number").iterator():
        yield differing("matching program", str(program), _compared(program))


def _compared(program: MatchingProgram) -> dict[str, tuple[object, object]]:
    """Return name -> (what the files give, what is stored); of labels, their numbers."""
    contradicts = program.matching.contradicts
    known = {(cell.answer, cell.nugget) for cell in cells_of(program.matching)}
    allowed = {ASSIGNMENT_OF[name].value for name in marks_in(contradicts)}
    other_cells = other_labels = 0
    labels = ProgramNuggetLabel.objects.filter(load__program=program).order_by("pk")
    for label in labels.iterator():
        other_cells += (label.answer_id, label.nugget_id) not in known
        given = label.assignment
        is_read = (
            read_label(label.reply, contradicts=contradicts).assignment == given
            if label.reply
            else given in allowed
        )
        other_labels += not (is_read if given else label.problem)
    return {
        "prompt": (sha256_of(program.prompt), program.prompt_sha256),
        "labels of other answers or nuggets": (0, other_cells),
        "labels that differ from the replies": (0, other_labels),
    }


CHECKS = (Check("matching programs", matching_program_faults),)
