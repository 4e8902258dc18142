from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.models import User
from assess.document_order import POLICIES
from assess.double_judging import OVERLAP_RULES
from assess.forms.plans import MACHINE_FIELDS, PlanForm
from assess.models import JudgingPlan
from assess.queries.queues import judging_plan_of
from assess.services.plans import change_plan
from pooling.management.campaign_command import CampaignCommand
from pooling.models import Campaign

NUMBERS = (
    "seed",
    "burn_in",
    "overlap_share",
    "overlap_count",
    "repeat_share",
    "idle_seconds",
    "idle_per_1000",
)
SWITCHES = ("highlighting", "breaks")
NO_MACHINE = "none"


class Command(CampaignCommand):
    help = "Change the judging plan (document order, overlap, repeats) with the given options, and print it."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--order", choices=[each.name for each in POLICIES.values() if each.order], help="document order"
        )
        parser.add_argument(
            "--overlap", choices=list(OVERLAP_RULES), help="rule that selects the documents of second judges"
        )
        parser.add_argument(
            "--passage-first",
            choices=JudgingPlan.PassageFirst.values,
            help="which documents judges see first as their densest passage alone",
        )
        for name in NUMBERS:
            text = str(PlanForm.base_fields[name].help_text).replace("%", "%%")
            parser.add_argument(f"--{name.replace('_', '-')}", type=int, metavar="N", help=text)
        for name in MACHINE_FIELDS:
            text = f"{PlanForm.base_fields[name].help_text} {NO_MACHINE!r} for none."
            parser.add_argument(f"--{name.replace('_', '-')}", metavar="NAME", help=text)
        for name in SWITCHES:
            parser.add_argument(
                f"--{name}", choices=["on", "off"], help=str(PlanForm.base_fields[name].label)
            )

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        plan = judging_plan_of(campaign)
        given = {name: options[name] for name in PlanForm.base_fields if options[name] is not None}
        given |= {name: given[name] == "on" for name in SWITCHES if name in given}
        given |= {name: machine_key(campaign, given[name]) for name in MACHINE_FIELDS if name in given}
        now = {
            name: getattr(plan, f"{name}_id" if name in MACHINE_FIELDS else name)
            for name in PlanForm.base_fields
        }
        form = PlanForm(now | given, plan=plan)
        if not form.is_valid():
            name, errors = next(iter(form.errors.items()))
            raise CommandError(f"--{name.replace('_', '-')}: {errors[0]}")
        plan = change_plan(campaign, user, **form.cleaned_data)
        for name in PlanForm.base_fields:
            value = getattr(plan, name)
            self.write(f"{name.replace('_', '-')}\t{NO_MACHINE if value is None else value}")


def machine_key(campaign: Campaign, name: str) -> int | None:
    """Return the key of a machine judge, None for NO_MACHINE. Raises CommandError."""
    if name == NO_MACHINE:
        return None
    machine = campaign.sources.standing().programs().filter(user__username=name).first()
    if machine is None:
        raise CommandError(f"expected a machine judge of this campaign or {NO_MACHINE!r}, found {name!r}")
    return machine.pk
