"""The form that invites many people, a line for each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from accounts.models import User
from assess.queries.campaign_reads import CampaignReads
from assess.services.people import Invited
from pooling.checksum import sha256_of
from pooling.formats.topic_choice import chosen_topics
from pooling.intake.people import PersonLine, read_people
from pooling.models import Role
from pooling.refusals import Refused
from pooling.services.people import GROUP_NEEDED_MESSAGE

MOST_LINES = 1_000
MOST_CHARACTERS = 200_000
MOST_OF_NAME, MOST_OF_ADDRESS, MOST_OF_GROUP = 120, 254, 60  # characters, as `Invitation` stores them


class Note(NamedTuple):
    """What is to be said of a line."""

    line: int
    text: str


class InvitationsForm(forms.Form):
    """Lines of people. Once it is valid: who would be invited, and which lines are refused or skipped."""

    lines = forms.CharField(
        max_length=MOST_CHARACTERS,
        label="People",
        widget=forms.Textarea(attrs={"rows": 14, "class": "code", "spellcheck": "false"}),
        help_text="A line for each person: name, address, role, and the group of a participant or the topics"
        " of a judge. Cells copied from a spreadsheet can be pasted.",
    )
    role = forms.ChoiceField(choices=Role.choices, initial=Role.JUDGE, label="Role of a line without one")
    checked = forms.CharField(required=False, widget=forms.HiddenInput)  # the checksum of what was checked

    def __init__(self, *args: Any, reads: CampaignReads) -> None:
        super().__init__(*args)
        self.reads = reads
        self.people: list[Invited] = []
        self.refused: list[Note] = []
        self.skipped: list[Note] = []
        self.members: list[Note] = []

    def clean_lines(self) -> str:
        text = str(self.cleaned_data["lines"])
        if len(text.splitlines()) > MOST_LINES:
            raise forms.ValidationError(f"Enter at most {MOST_LINES:,} lines.")
        return text

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if "lines" in data and "role" in data:
            self._check(read_people(data["lines"], Role.values), data["role"])
        return data

    @property
    def checksum(self) -> str:
        """Of what was checked: a list that was changed since is checked again before it is used."""
        return sha256_of(f"{self.cleaned_data['role']}\n{self.cleaned_data['lines']}")

    @property
    def is_checked(self) -> bool:
        """Whether the person has seen what becomes of exactly this list, and somebody is to be invited."""
        return bool(self.people) and self.cleaned_data["checked"] == self.checksum

    @property
    def refused_lines(self) -> str:
        """The lines that were refused, as they were written."""
        written = self.cleaned_data["lines"].splitlines()
        return "\n".join(written[note.line - 1] for note in self.refused)

    def _check(self, lines: Iterable[PersonLine], default_role: str) -> None:
        first: dict[tuple[str, ...], int] = {}
        for line in lines:
            role = line.role or default_role
            try:
                invited = self._invited(line, role)
            except Refused as error:
                self.refused.append(Note(line.line, str(error)))
                continue
            who = (line.address.casefold() or line.name, role, line.rest)
            if who in first:
                self.skipped.append(Note(line.line, f"repeats line {first[who]}"))
                continue
            first[who] = line.line
            self.people.append(invited)
        self._note_members()

    def _invited(self, line: PersonLine, role: str) -> Invited:
        """Return the invitation of a line. Raises Refused."""
        if line.problem:
            raise Refused(line.problem)
        for value, most in ((line.name, MOST_OF_NAME), (line.address, MOST_OF_ADDRESS)):
            if len(value) > most:
                raise Refused(f"expected at most {most} characters, found {len(value):,}: {value[:30]}…")
        if line.address:
            try:
                validate_email(line.address)
            except ValidationError as error:
                raise Refused(f"“{line.address}” is no address; expected name@example.org") from error
        if role == Role.PARTICIPANT:
            if not line.rest:
                raise Refused(GROUP_NEEDED_MESSAGE)
            if len(line.rest) > MOST_OF_GROUP:
                raise Refused(f"expected a group of at most {MOST_OF_GROUP} characters")
            return Invited(line.line, line.name, line.address, role, line.rest)
        if not line.rest:
            return Invited(line.line, line.name, line.address, role)
        if role != Role.JUDGE:
            raise Refused(f"only a judge has topics and a participant a group; found “{line.rest}”")
        topics = {topic.number: topic for topic in self.reads.topics}
        chosen = chosen_topics(line.rest, list(topics), self.reads.topics_to_judge)
        return Invited(
            line.line, line.name, line.address, role, "", tuple(topics[number] for number in chosen)
        )

    def _note_members(self) -> None:
        """Note who is a member already: such an invitation adds a role and takes nothing away."""
        addresses = {person.address.casefold(): person for person in self.people if person.address}
        members = (
            User.objects.filter(memberships__campaign=self.reads.campaign).distinct().order_by("username")
        )
        for member in members:
            if member.email and (person := addresses.get(member.email.casefold())):
                text = (
                    f"{member} is a member. The invitation adds the role {person.role} and takes none away."
                )
                self.members.append(Note(person.line, text))
