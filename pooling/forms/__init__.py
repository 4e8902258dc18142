from __future__ import annotations

from itertools import zip_longest
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import UsernameField
from django.contrib.auth.password_validation import validate_password
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify

from accounts.models import User
from pooling.formats.documents.reading import FORMS
from pooling.formats.documents.xml import Elements, parse_mapping
from pooling.formats.run_checks import tag_from_name
from pooling.limits import MAX_DESCRIPTION
from pooling.models import WORD, Campaign, Role, Run
from pooling.refusals import Refused
from pooling.scale import (
    MAX_GRADES,
    PRESETS,
    BadScale,
    Grade,
    check_scale,
    join_rows,
    parse_scale,
    split_rows,
    write_scale,
)
from pooling.services.people import GROUP_NEEDED_MESSAGE


class ScaleRows(forms.Widget):
    """The grades of a scale as rows of four fields each. A script may post the scale as text instead."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> str | None:
        if name in data or not hasattr(data, "getlist"):
            text: str | None = data.get(name)
            return text
        columns = [data.getlist(f"{name}-{field}") for field in Grade._fields]
        return join_rows(zip_longest(*columns, fillvalue=""))

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        rows = split_rows(value or "")
        presets = {preset: split_rows(write_scale(grades)) for preset, grades in PRESETS.items()}
        empty = [[""] * len(Grade._fields)] * (MAX_GRADES - len(rows))
        context = {"name": name, "rows": rows + empty, "presets": presets, "attrs": attrs or {}}
        return mark_safe(render_to_string("pooling/parts/_scale_rows.html", context))


class ScaleMixin(forms.Form):
    """The two fields that make a scale, checked together."""

    scale = forms.CharField(
        widget=ScaleRows,
        help_text="Values are whole numbers from 0, in any order. A gain that is left out is the value.",
    )
    threshold = forms.IntegerField(
        min_value=1,
        label="Relevant from grade",
        help_text="The lowest grade that binary measures and kappa count as relevant.",
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if "scale" in data and "threshold" in data:
            try:
                data["grades"] = parse_scale(data["scale"])
                check_scale(data["grades"], data["threshold"])
            except BadScale as error:
                self.add_error("scale", str(error))
        return data


class CampaignForm(ScaleMixin):
    name = forms.CharField(max_length=120, label="Name")
    slug = forms.SlugField(
        max_length=60,
        label="Short name",
        required=False,
        help_text="Part of the URLs. If empty, it is derived from the name.",
    )
    description = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 2}), required=False, max_length=MAX_DESCRIPTION
    )

    field_order = ["name", "slug", "description", "scale", "threshold"]

    def clean_slug(self) -> str:
        """Make a short name where there is none; whether it is free, the service says."""
        slug = self.cleaned_data["slug"] or slugify(self.cleaned_data.get("name", ""))[:60].strip("-_")
        if not slug and "name" in self.cleaned_data:
            raise forms.ValidationError(
                "Enter a short name in Latin letters or digits: the name contains none to derive it from."
            )
        return str(slug)


NEW_CAMPAIGN = {"scale": write_scale(PRESETS["four"]), "threshold": 2}


def preset_values(name: str) -> dict[str, Any]:
    """Return the values of a form for a preset scale; none for an unknown name."""
    if name not in PRESETS:
        return {}
    return {"scale": write_scale(PRESETS[name]), "threshold": 1 if name == "binary" else 2}


class FileForm(forms.Form):
    file = forms.FileField(label="File")


class FilesField(forms.FileField):
    """Several files in one field; cleans to a list."""

    widget = forms.ClearableFileInput

    def __init__(self, **options: Any) -> None:
        widget = forms.FileInput()
        widget.allow_multiple_selected = True
        widget.attrs["multiple"] = True
        super().__init__(widget=widget, **options)

    def clean(self, data: Any, initial: Any = None) -> Any:
        return [super(FilesField, self).clean(file, initial) for file in data or [None]]


class SubmissionForm(forms.Form):
    run_files = FilesField(label="Run files", allow_empty_file=True)  # the report names an empty file
    group = forms.CharField(
        max_length=60,
        required=False,
        help_text="The team that submits, under one name for all its runs. If empty: from the file.",
    )
    kind = forms.ChoiceField(
        choices=[("", "From the file, otherwise automatic"), *Run.Kind.choices],
        required=False,
        help_text="Manual: a person took part in the search.",
    )
    priority = forms.IntegerField(
        min_value=1, max_value=99, initial=1, help_text="1 is pooled first of your group's runs."
    )
    tag_from = forms.ChoiceField(
        choices=[("column", "column 6 of the file"), ("name", "the file name")], label="Take the tag from"
    )
    description = forms.CharField(required=False, max_length=2000)

    def __init__(self, *args: Any, group: str = "", **options: Any) -> None:
        """group: that of a participant, who submits for no other; an organiser names one in a field."""
        super().__init__(*args, **options)
        self.own_group = group
        if group:
            del self.fields["group"]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        return data | {"group": self.own_group} if self.own_group else data

    def tag_of(self, name: str) -> str:
        """Return the tag that a file's name gives, or nothing when the last column decides."""
        if self.cleaned_data["tag_from"] == "column":
            return ""
        return tag_from_name(name)


class DocumentsForm(forms.Form):
    file = FilesField(label="Files")
    keep = forms.ChoiceField(
        choices=[("pooled", "pooled documents only"), ("all", "every document")], label="Documents to store"
    )
    form = forms.ChoiceField(
        choices=[("", "Detect from the content"), *((name, name) for name in FORMS), ("images", "images")],
        required=False,
        label="Format",
    )
    elements = forms.CharField(
        required=False,
        label="XML elements",
        help_text="The XML element of each field: document=DOC docno=DOCNO title=TITLE text=TEXT.",
    )
    replace = forms.BooleanField(
        required=False,
        label="Replace texts that have labels",
        help_text="Judges see a notice at each label that was given for an earlier text.",
    )

    def clean_elements(self) -> Elements | None:
        text = str(self.cleaned_data["elements"]).strip()
        try:
            return parse_mapping(text) if text else None
        except Refused as error:
            raise forms.ValidationError(str(error)) from error


def address_field() -> forms.EmailField:
    """Return the field of an invitation that is mailed; a site without a mail server does not show it."""
    return forms.EmailField(
        required=False,
        label="E-mail address",
        help_text="Jurypool mails the link to this address. If it is empty, the page shows the link to you.",
    )


class MemberForm(forms.Form):
    username = forms.CharField(
        label="Sign-in name or e-mail address of an account",
        required=False,
        help_text="Leave it empty to create an invitation link for a new person.",
    )
    role = forms.ChoiceField(choices=Role.choices, initial=Role.JUDGE)
    group = forms.CharField(
        max_length=60,
        required=False,
        help_text="For participants: the team whose runs they submit and see.",
    )
    recipient = forms.CharField(
        max_length=120,
        required=False,
        label="Recipient",
        help_text="A note for organisers with a link: a name or an address.",
    )
    email = address_field()

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if not settings.SENDS_MAIL:
            del self.fields["email"]

    def clean_username(self) -> str:
        """Return the sign-in name of the account that has exactly this name or this address."""
        written = str(self.cleaned_data["username"])
        if not written:
            return ""
        people = User.objects.filter(is_active=True)
        found = people.filter(username=written)[:1] or people.filter(email__iexact=written)[:2]
        if len(found) > 1:
            raise forms.ValidationError(f"Several users have the address {written}. Enter a sign-in name.")
        if not found:
            raise forms.ValidationError(
                f"There is no active user {written}. Leave the field empty to create an invitation link."
            )
        return found[0].username

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("role") == Role.PARTICIPANT and "group" in data and not data["group"]:
            self.add_error("group", GROUP_NEEDED_MESSAGE)
        return data


class RolesForm(forms.Form):
    """All roles of one member, and the group of a participant. What the roles need, the service says."""

    roles = forms.MultipleChoiceField(
        choices=Role.choices, required=False, widget=forms.CheckboxSelectMultiple, label="Roles"
    )
    group = forms.CharField(max_length=60, required=False, label="Group of a participant")


class JoinForm(forms.Form):
    """A new account for the holder of an invitation. Whether the name is free, the service says."""

    username = UsernameField(max_length=150, label="Sign-in name", validators=[WORD])
    name = forms.CharField(max_length=150, label="Your name")
    email = forms.EmailField(
        required=False,
        label="E-mail address",
        help_text="Optional. A link for a new password is sent to it; no other member sees it.",
    )
    password = forms.CharField(widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}))

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        about = {name: data.get(name, "") for name in ("username", "name", "email")}
        try:
            validate_password(data.get("password", ""), User(**about))
        except forms.ValidationError as error:
            if "password" in data:
                self.add_error("password", error)
        return data


class AuditLogForm(forms.Form):
    """Filters of the audit log. An invalid value filters nothing."""

    who = forms.ChoiceField(required=False, label="Person")
    verb = forms.ChoiceField(required=False, label="Action")
    since = forms.DateField(required=False, label="From", widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(required=False, label="To", widget=forms.DateInput(attrs={"type": "date"}))

    def __init__(self, *args: Any, campaign: Campaign) -> None:
        super().__init__(*args)
        for name, everything in (("who", "All people"), ("verb", "All actions")):
            values = campaign.audit_log.order_by(name).values_list(name, flat=True).distinct()
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [("", everything), *((value, value) for value in values if value)]

    def chosen(self) -> dict[str, Any]:
        self.is_valid()
        return self.cleaned_data

    def before(self) -> int | None:
        """Return the number that the page ends at, if the URL names one."""
        number = self.data.get("before", "")
        return int(number) if number.isdecimal() and len(number) < 10 else None
